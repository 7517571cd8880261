//! Signals whose time is ahead of our calendar (SEN-3): they are taken in the order of their arrival, counted, and somebody is told,
//! because one of the clocks is wrong.

use std::sync::atomic::{AtomicI64, Ordering};

use kernel::counters::Field;
use kernel::{Kernel, Namespace};

/// The kind under which they are counted, by the way on which they came.
const AHEAD: &str = "signals-ahead";
/// How often the log speaks of them.
const SPEAK_EVERY_MS: i64 = 60_000;

/// When the log last spoke of them, in running time of the process.
#[derive(Default)]
struct Spoken(AtomicI64);

/// Counts those of a batch.
pub(crate) fn count(kernel: &Kernel, ns: &Namespace, source: &'static str, are_ahead: &[bool]) {
    let many = are_ahead.iter().filter(|is_ahead| **is_ahead).count();
    if many == 0 {
        return;
    }
    let counts = [(Field::Processed, i64::try_from(many).unwrap_or(i64::MAX))];
    ns.watched.counters.add_all(AHEAD, source, &counts, kernel.env().clock.wall());
    if is_time_to_speak(kernel, ns) {
        tracing::warn!(namespace = ns.name, source, many, "signals bring a time ahead of our calendar; arrival counts");
    }
}

fn is_time_to_speak(kernel: &Kernel, ns: &Namespace) -> bool {
    let now = i64::try_from(kernel.env().clock.ran_ms()).unwrap_or(i64::MAX);
    let spoken = ns.home.memory::<Spoken>();
    let last = spoken.0.load(Ordering::Relaxed);
    let is_time = last == 0 || now - last >= SPEAK_EVERY_MS;
    is_time && spoken.0.compare_exchange(last, now.max(1), Ordering::Relaxed, Ordering::Relaxed).is_ok()
}
