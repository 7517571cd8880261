//! Waiting with an end: a side that never gets there is told of, it does not hold up the run.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// The longest that any step may take.
pub const STEP_MAX: Duration = Duration::from_secs(300);
/// Between two looks: short beside what is measured, and little work.
pub const LOOK: Duration = Duration::from_millis(2);

/// Looks until it is so; `what` is said if it never is.
pub fn until(what: &str, limit: Duration, mut is_so: impl FnMut() -> Result<bool>) -> Result<()> {
    let begun = Instant::now();
    while !is_so()? {
        if begun.elapsed() > limit {
            bail!("after {} s it still did not happen: {what}", limit.as_secs());
        }
        thread::sleep(LOOK);
    }
    Ok(())
}
