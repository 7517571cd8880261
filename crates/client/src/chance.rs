//! The real world as far as a client needs it: the calendar and chance for keys and pauses, and waiting.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use base::{Id, Wall};

/// A new Idempotency-Key: time-ordered, because the server keeps keys in an index, and never the same twice.
#[must_use]
pub fn new_key() -> String {
    let mut chance = [0; 10];
    fill(&mut chance);
    Id::new(now(), chance).to_string()
}

/// A pause between half of it and all of it, so that clients that lost one server do not come back as one.
#[must_use]
pub fn jittered(pause: Duration) -> Duration {
    let mut chance = [0; 2];
    fill(&mut chance);
    pause / 2 + pause.mul_f64(f64::from(u16::from_le_bytes(chance)) / f64::from(u16::MAX) / 2.0)
}

/// Lets time pass: the pause between two tries.
#[expect(clippy::disallowed_methods, reason = "a client runs in its user's world, not in the simulator")]
pub async fn pause(pause: Duration) {
    tokio::time::sleep(pause).await; // tidy: sleep — the pause between two tries of a call
}

/// Milliseconds of a clock that never jumps.
#[expect(clippy::disallowed_methods, reason = "a client runs in its user's world, not in the simulator")]
pub(crate) fn now_ms() -> u64 {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(BEGUN.get_or_init(Instant::now).elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// How long ago that was.
pub(crate) fn since(begun_ms: u64) -> Duration {
    Duration::from_millis(now_ms().saturating_sub(begun_ms))
}

#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a client runs in its user's world, not in the simulator"
)]
fn now() -> Wall {
    let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap_or_default();
    Wall(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// # Panics
/// If the operating system has no chance to give: two changes with one key would be taken for one.
#[expect(clippy::disallowed_methods, reason = "a client runs in its user's world, not in the simulator")]
fn fill(bytes: &mut [u8]) {
    if let Err(error) = getrandom::fill(bytes) {
        panic!("the operating system gives no entropy: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_10_keys_differ_and_pauses_stay_in_their_half() {
        let keys: std::collections::BTreeSet<String> = (0..1_000).map(|_| new_key()).collect();
        assert_eq!(keys.len(), 1_000);
        assert!(keys.iter().all(|key| key.parse::<Id>().is_ok()), "time-ordered ids");
        let whole = Duration::from_millis(100);
        assert!((0..1_000).map(|_| jittered(whole)).all(|pause| whole / 2 <= pause && pause <= whole));
    }
}
