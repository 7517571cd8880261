//! What a client asks: deposits and withdrawals on its own account, and transfers to a pool that all share.
//!
//! Every request can be found again in the books: an entry by its memo, a transfer by its amount, which no other
//! transfer of the same client has.

use serde_json::{Value, json};

/// The account that all pay into.
pub const POOL: &str = "pool";
/// More than any account ever has.
const TOO_MUCH: i64 = 1 << 40;

/// Which requests a client makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Some are refused, and some of these are then given up.
    pub refusals: bool,
    /// Some have no key: whoever loses the answer never knows.
    pub unkeyed: bool,
}

impl Plan {
    /// Deposits and transfers, each with its key, each to be done in the end.
    pub const PLAIN: Self = Self { refusals: false, unkeyed: false };
    /// Everything.
    pub const MIXED: Self = Self { refusals: true, unkeyed: true };

    /// What request number `number` is.
    #[must_use]
    pub fn work(self, number: u64) -> Work {
        let amount = i64::try_from(number).unwrap_or(i64::MAX / 16);
        match number % 10 {
            _ if number.is_multiple_of(3) => Work::Transfer(amount),
            1 if self.refusals => Work::Entry(-TOO_MUCH),
            6 if self.refusals => Work::Entry(-12 * amount),
            _ => Work::Entry(10 * amount),
        }
    }

    /// Whether it has a key.
    #[must_use]
    pub fn is_keyed(self, number: u64) -> bool {
        !self.unkeyed || number % 4 != 2
    }

    /// Whether the client takes a refusal for an answer and never asks again.
    #[must_use]
    pub fn gives_up(self, number: u64) -> bool {
        self.refusals && number % 4 == 1
    }
}

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Adds this to the own account.
    Entry(i64),
    /// Moves this to the pool.
    Transfer(i64),
}

impl Work {
    /// Path and body.
    #[must_use]
    pub fn request(self, account: &str, label: &str) -> (&'static str, Value) {
        match self {
            Self::Entry(amount) => {
                ("/v1/main/ledger/entries", json!({ "account": account, "amount": amount, "memo": label }))
            }
            Self::Transfer(amount) => {
                ("/v1/main/ledger/transfers", json!({ "from": account, "to": POOL, "amount": amount }))
            }
        }
    }
}

/// The key of a request, which is also the memo of an entry. Sorts in the order of asking.
#[must_use]
pub fn label(account: &str, number: u64) -> String {
    format!("{account}-{number:08}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_plan_is_always_done_even_when_every_second_deposit_is_missing() {
        for skipped in 1..=2 {
            let mut balance = 0;
            for number in 1..1_000 {
                balance += match Plan::PLAIN.work(number) {
                    Work::Entry(_) if number % 3 == skipped => 0,
                    Work::Entry(amount) => amount,
                    Work::Transfer(amount) => -amount,
                };
                assert!(balance >= 0, "{number}");
            }
        }
    }

    #[test]
    fn a_mixed_plan_has_everything_in_it() {
        let works: Vec<Work> = (1..200).map(|number| Plan::MIXED.work(number)).collect();
        assert!(works.contains(&Work::Entry(-TOO_MUCH)) && works.contains(&Work::Transfer(3)));
        let unkeyed = |number: &u64| !Plan::MIXED.is_keyed(*number);
        let transfer = |number: u64| matches!(Plan::MIXED.work(number), Work::Transfer(_));
        assert!((1..200).filter(unkeyed).any(transfer) && (1..200).filter(unkeyed).any(|number| !transfer(number)));
        assert!((1..200).any(|number| Plan::MIXED.gives_up(number) && transfer(number)));
    }
}
