//! `bench kernel`: what the kernel and its engines cost over the bare SQL that they run.

mod callers;
mod postgres;
mod sqlite;
mod workload;

use anyhow::Result;

use crate::contest::Effort;
use crate::disk::print_sync_time;

pub use postgres::hot_child;

/// Caller counts of every contest.
const CALLERS: [usize; 4] = [1, 16, 256, 2048];

/// Runs everything that can run here.
pub fn run(effort: &Effort) -> Result<()> {
    let folder = tempfile::tempdir_in(".")?;
    print_sync_time(folder.path())?;
    sqlite::run(effort, folder.path())?;
    match std::env::var("FASTNESS_TEST_POSTGRES") {
        Ok(url) => postgres::run(effort, &url)?,
        Err(_) => println!("\nPostgreSQL: not run, FASTNESS_TEST_POSTGRES is not set (cargo xtask services run -- …)"),
    }
    print_sync_time(folder.path())
}
