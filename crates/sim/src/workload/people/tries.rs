//! What is known of the tries to log in from one address on one account, in the judge's own words (KER-32).
//!
//! A try counts from when it is let in until a login succeeds. After five that did not, the next one waits a second, then two,
//! then four, up to a quarter of an hour of listening time.

/// Tries that nobody waits after.
const FREE: u32 = 5;
/// Longest wait.
const WAIT_MS_MAX: i64 = 15 * 60_000;
/// Below so many tries in all nothing but the five counts: neither the address nor the account is suspicious.
const SUSPICIOUS: u32 = 20;

/// What is known.
#[derive(Debug, Default)]
pub(super) struct Tries {
    /// Let in for sure since the last login that may have succeeded.
    counted: u32,
    /// Not before this moment was the last of them counted.
    counted_from: i64,
    /// Asked for since the last login that succeeded for sure: as many may count.
    counted_most: u32,
    /// Asked for in all.
    all: u32,
    /// From this moment on a try must be let in, because it was told to wait until then.
    free_from: Option<i64>,
}

impl Tries {
    /// A try is asked for.
    pub(super) fn ask(&mut self) {
        self.counted_most += 1;
        self.all += 1;
    }

    /// It was let in between these two moments.
    ///
    /// # Errors
    /// Too soon: earlier tries were forgotten.
    pub(super) fn let_in(&mut self, from: i64, to: i64) -> Result<(), String> {
        let earliest = self.counted_from + wait_ms(self.counted);
        if self.counted >= FREE && to < earliest {
            return Err(format!("try {} was let in at {to}, before {earliest}", self.counted + 1));
        }
        (self.counted, self.counted_from, self.free_from) = (self.counted + 1, from, None);
        Ok(())
    }

    /// It was told to wait, between these two moments.
    ///
    /// # Errors
    /// Too long, again though it had waited, or without need.
    pub(super) fn wait(&mut self, ms: i64, from: i64, to: i64) -> Result<(), String> {
        if !(1..=WAIT_MS_MAX).contains(&ms) {
            return Err(format!("a login shall wait for {ms} ms"));
        }
        if self.free_from.is_some_and(|free_from| from >= free_from) {
            return Err(format!("a login has waited as it was told and shall wait {ms} ms more"));
        }
        // The one that waits was asked for too.
        if self.counted_most <= FREE && self.all < SUSPICIOUS {
            return Err(format!("a login shall wait {ms} ms after {} tries", self.counted_most - 1));
        }
        self.free_from = Some(to + ms);
        Ok(())
    }

    /// Nobody knows what came of a try.
    pub(super) fn lose(&mut self) {
        self.free_from = None;
    }

    /// A login may have succeeded, which forgets what was counted.
    pub(super) fn may_succeed(&mut self) {
        self.counted = 0;
    }

    /// A login succeeded.
    pub(super) fn succeed(&mut self) {
        (self.counted, self.counted_most) = (0, 0);
    }
}

fn wait_ms(counted: u32) -> i64 {
    (1_000 << counted.saturating_sub(FREE).min(20)).min(WAIT_MS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn five() -> Tries {
        let mut tries = Tries::default();
        for at in 0..5 {
            tries.ask();
            tries.let_in(at, at).unwrap();
        }
        tries.ask();
        tries
    }

    #[test]
    fn ker_32_the_judge_knows_when_a_try_comes_too_soon() {
        assert!(five().let_in(500, 1_003).is_err(), "the fifth was at 4");
        assert!(five().let_in(500, 1_004).is_ok());
        let mut after_success = five();
        after_success.may_succeed();
        assert!(after_success.let_in(5, 5).is_ok());
    }

    #[test]
    fn ker_32_the_judge_knows_when_a_wait_is_wrong() {
        let mut tries = five();
        assert!(tries.wait(1_000, 5, 10).is_ok() && tries.wait(500, 1_009, 1_009).is_ok());
        assert!(tries.wait(1, 1_509, 1_509).is_err(), "it has waited");
        assert!(five().wait(WAIT_MS_MAX + 1, 5, 5).is_err());
        let mut fresh = Tries::default();
        fresh.ask();
        assert!(fresh.wait(1_000, 5, 5).is_err(), "there is no reason");
    }
}
