//! Reads what the server left, without it: every process finished, and was restarted once by each job.

use std::path::Path;

use anyhow::{Result, ensure};
use rusqlite::{Connection, OpenFlags};

use super::Size;
use super::mass::KIND;
use crate::check::violation;

/// Judges.
///
/// # Errors
/// A promise was broken.
pub(super) fn judge(store: &Path, size: Size, jobs: &[i64; 2]) -> Result<()> {
    let store = Connection::open_with_flags(store, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let count = |sql: &str| store.query_row(sql, [], |row| row.get::<_, i64>(0));
    let open = count("SELECT COUNT(*) FROM wfl_process WHERE state <> 'FINISHED'")?;
    ensure!(open == 0, violation(format!("{open} processes have not finished")));
    let left = count("SELECT COUNT(*) FROM wfl_queue")?;
    ensure!(left == 0, violation(format!("{left} places are left in queues")));
    let all = count(&format!("SELECT COUNT(*) FROM wfl_process WHERE type = '{KIND}'"))?;
    ensure!(all == i64::try_from(size.processes)?, violation(format!("{all} processes of {}", size.processes)));
    let values = count(&format!("SELECT COUNT(*) FROM wfl_process WHERE type = '{KIND}' AND value = '2'"))?;
    ensure!(values == all, violation(format!("{values} of {all} processes have the last value")));
    jobs.iter().try_for_each(|job| judge_job(&store, *job, all))
}

fn judge_job(store: &Connection, job: i64, all: i64) -> Result<()> {
    let sql = "SELECT COUNT(*), COUNT(DISTINCT process) FROM wfl_history WHERE kind = 'restarted' AND source = ?1";
    let source = format!("operator job {job}");
    let (lines, processes): (i64, i64) = store.query_row(sql, [&source], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let good = (lines, processes) == (all, all);
    ensure!(good, violation(format!("{source} restarted {processes} of {all} processes {lines} times")));
    Ok(())
}
