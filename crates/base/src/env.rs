//! Time, chance and waiting as inputs: the host gives the real ones, the simulator its own.

use crate::time::Wall;

/// Where times come from.
pub trait Clock: Send + Sync {
    /// Calendar time; it may jump.
    fn wall(&self) -> Wall;
    /// Microseconds since some fixed moment; never goes back. For measuring.
    fn monotonic_us(&self) -> u64;
    /// Milliseconds during which this process really ran: a stop of ours (SIGSTOP, a frozen machine) does not count.
    fn ran_ms(&self) -> u64;
}

/// Where chance comes from.
pub trait Entropy: Send + Sync {
    /// Fills `bytes` with chance.
    fn fill(&self, bytes: &mut [u8]);

    /// A number below `bound` (0 if `bound` is 0), good enough for pauses.
    fn below(&self, bound: u64) -> u64 {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        u64::from_le_bytes(bytes).checked_rem(bound).unwrap_or(0)
    }
}

/// Where waiting happens: nothing in the kernel ever sleeps.
pub trait Timers: Send + Sync {
    /// Runs `then` once, `ms` milliseconds from now, on a thread that must not be held up.
    fn after(&self, ms: u64, then: Box<dyn FnOnce() + Send>);
}
