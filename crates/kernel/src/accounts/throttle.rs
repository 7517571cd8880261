//! How failed logins are slowed (KER-32): decisions, as pure functions of counts and listening time.
//!
//! Three counts. The one of (account, address) is strong: after a few free tries each further failure doubles the wait, up
//! to a quarter of an hour. The one of an address over all accounts begins later and waits less: it slows whoever tries one password
//! on many accounts, and must not shut out an office behind one address. The one of an account over all addresses makes nobody wait:
//! while an account is under attack, an address that nobody has failed from gets one free try in place of five. So no stranger can
//! shut its owner out, and a guesser with many addresses gets one guess from each.

use base::Heard;

/// What a count is of, with its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Tries before the first wait.
    pub free: u32,
    /// Longest wait.
    pub wait_max_ms: i64,
    /// After so long without a failure it is forgotten.
    pub forgotten_ms: i64,
}

const FIRST_WAIT_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// Tries from one address on one account.
pub const PAIR: Policy = Policy { free: 5, wait_max_ms: 15 * MINUTE_MS, forgotten_ms: 24 * HOUR_MS };
/// The same while the account is under attack.
pub const PAIR_UNDER_ATTACK: Policy = Policy { free: 1, ..PAIR };
/// Tries from one address on all accounts.
pub const ADDRESS: Policy = Policy { free: 30, wait_max_ms: MINUTE_MS, forgotten_ms: HOUR_MS };
/// Tries on one account from all addresses: only counted.
pub const ACCOUNT: Policy = Policy { free: u32::MAX, wait_max_ms: 0, forgotten_ms: HOUR_MS };
/// Guesses of one kind of secret from all addresses: ten a second when there were many. Whoever is told to wait waits a moment, and
/// nobody with many addresses gets further than that.
pub const GUESSES: Policy = Policy { free: 1_000, wait_max_ms: 100, forgotten_ms: HOUR_MS };
/// From so many failures on an account is under attack.
pub const ATTACK: u32 = 20;

/// Failed tries so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failures {
    /// How many.
    pub count: u32,
    /// When the last one was.
    pub last_at: Heard,
}

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Somebody wants to try. It counts as a failure until it is known to be none.
    Tried,
    /// A try that was counted has succeeded.
    Succeeded,
}

/// What follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Go on, with these failures.
    Go(Option<Failures>),
    /// Not yet.
    Wait {
        /// For so long.
        ms: i64,
    },
}

/// The rule for all three counts.
#[must_use]
pub fn next(policy: &Policy, failures: Option<Failures>, event: Event, now: Heard) -> Next {
    let failures = failures.filter(|failures| now.0 - failures.last_at.0 < policy.forgotten_ms);
    match (event, failures) {
        (Event::Succeeded, _) => Next::Go(None),
        (Event::Tried, None) => Next::Go(Some(Failures { count: 1, last_at: now })),
        (Event::Tried, Some(before)) => match left_ms(policy, &before, now) {
            0 => Next::Go(Some(Failures { count: before.count.saturating_add(1), last_at: now })),
            ms => Next::Wait { ms },
        },
    }
}

/// What is left of the wait.
fn left_ms(policy: &Policy, failures: &Failures, now: Heard) -> i64 {
    let free_at = failures.last_at.plus_ms(wait_ms(policy, failures.count));
    (free_at.0 - now.0).max(0)
}

/// The wait after so many failures: none, 1 s, 2 s, 4 s … up to the most.
fn wait_ms(policy: &Policy, count: u32) -> i64 {
    let Some(beyond) = count.checked_sub(policy.free) else { return 0 };
    // 2^20 s is more than any policy lets wait.
    (FIRST_WAIT_MS << beyond.min(20)).min(policy.wait_max_ms)
}

/// The policy for one address on one account, by how much the account is attacked.
#[must_use]
pub fn pair_policy(account: Option<Failures>, now: Heard) -> Policy {
    let fresh = account.filter(|failures| now.0 - failures.last_at.0 < ACCOUNT.forgotten_ms);
    if fresh.is_some_and(|failures| failures.count >= ATTACK) { PAIR_UNDER_ATTACK } else { PAIR }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Fails `times`, as soon as it may, and gives the moments at which it could try.
    fn guess(policy: &Policy, times: usize) -> Vec<i64> {
        let (mut failures, mut now, mut tried) = (None, Heard(1_000_000), vec![]);
        while tried.len() < times {
            match next(policy, failures, Event::Tried, now) {
                Next::Go(after) => {
                    failures = after;
                    tried.push(now.0 - 1_000_000);
                }
                Next::Wait { ms } => now = now.plus_ms(ms),
            }
        }
        tried
    }

    #[test]
    fn ker_32_after_five_failures_the_wait_doubles_up_to_a_quarter_of_an_hour() {
        assert_eq!(guess(&PAIR, 8), [0, 0, 0, 0, 0, 1_000, 3_000, 7_000]);
        let long = guess(&PAIR, 40);
        assert_eq!(long[39] - long[38], 15 * MINUTE_MS);
        assert_eq!(guess(&PAIR_UNDER_ATTACK, 3), [0, 1_000, 3_000]);
    }

    #[test]
    fn ker_32_a_day_of_guessing_from_one_address_is_a_hundred_guesses() {
        let within_a_day = guess(&PAIR, 200).into_iter().filter(|at| *at < 24 * HOUR_MS).count();
        assert!((80..=110).contains(&within_a_day), "{within_a_day}");
    }

    #[test]
    fn ker_32_an_account_under_attack_never_makes_a_fresh_address_wait() {
        let attacked = Some(Failures { count: 1_000_000, last_at: Heard(50) });
        let policy = pair_policy(attacked, Heard(50));
        assert_eq!(policy, PAIR_UNDER_ATTACK);
        assert!(matches!(next(&policy, None, Event::Tried, Heard(50)), Next::Go(_)));
        assert_eq!(pair_policy(attacked, Heard(50 + HOUR_MS)), PAIR, "it is over when nobody fails any more");
    }

    fn any_policy() -> impl Strategy<Value = Policy> {
        prop_oneof![Just(PAIR), Just(PAIR_UNDER_ATTACK), Just(ADDRESS), Just(ACCOUNT), Just(GUESSES)]
    }

    proptest! {
        #[test]
        fn ker_32_no_wait_is_longer_than_the_most_and_waiting_is_enough(
            policy in any_policy(), count in 1_u32.., last in 0_i64..1 << 50, since in 0_i64..1 << 40,
        ) {
            let (failures, now) = (Failures { count, last_at: Heard(last) }, Heard(last + since));
            if let Next::Wait { ms } = next(&policy, Some(failures), Event::Tried, now) {
                prop_assert!(ms > 0 && ms <= policy.wait_max_ms);
                let later = next(&policy, Some(failures), Event::Tried, now.plus_ms(ms));
                prop_assert!(matches!(later, Next::Go(_)), "waiting as told lets through: {later:?}");
            }
        }

        #[test]
        fn ker_32_more_failures_never_wait_less(policy in any_policy(), count in 0_u32..1 << 30) {
            prop_assert!(wait_ms(&policy, count) <= wait_ms(&policy, count + 1));
        }

        #[test]
        fn ker_32_a_refused_try_changes_nothing_and_a_taken_one_counts(
            policy in any_policy(), count in 1_u32..1 << 30, since in 0_i64..1 << 32,
        ) {
            let (failures, now) = (Failures { count, last_at: Heard(0) }, Heard(since));
            match next(&policy, Some(failures), Event::Tried, now) {
                Next::Go(Some(after)) => prop_assert!(after.last_at == now && (after.count == count + 1 || after.count == 1)),
                Next::Go(None) => prop_assert!(false, "a try counts"),
                Next::Wait { .. } => {}
            }
        }
    }
}
