//! `bench workflow` (WFL-31): processes from start to result, beside Restate and DBOS; then our own limits.
//!
//! Each side keeps every step durably before the next begins. *1 step*: one task. *3 steps*: one after the other. *Fan-out*: a hundred at
//! once and their sum. Ours has workers that poll over HTTP, and whoever starts a process waits for its end over HTTP; Restate's handlers run
//! in Node by its SDK and are called over HTTP; DBOS is a library within the program that calls it, on PostgreSQL. So a step of
//! theirs stays within a process, while each of ours may be done by any worker anywhere.

mod limits;
mod million;
mod ours;
mod peer;
mod side;
mod worker;

use anyhow::Result;

use crate::contest::Effort;
use crate::disk::print_sync_time;
use ours::Ours;
use side::{Side, contests};

/// `--only ours`: no peers.
const OURS: &str = "ours";

/// Runs everything that can run here.
pub fn run(effort: &Effort) -> Result<()> {
    let folder = tempfile::tempdir_in(".")?;
    let folder = folder.path().canonicalize()?;
    print_sync_time(&folder)?;
    if "processes".contains(&effort.only) || effort.only.starts_with(OURS) {
        let mut sides: Vec<Box<dyn Side>> = vec![Box::new(Ours::start(&folder.join("ours"))?)];
        if !effort.only.starts_with(OURS) {
            sides.extend(peer::all(&folder)?);
        }
        contests(effort, &mut sides, effort.only.strip_prefix(OURS).unwrap_or_default().trim())?;
    }
    if limits::TITLE.contains(&effort.only) {
        limits::run(effort, &folder)?;
    }
    if million::TITLE.contains(&effort.only) {
        million::run(&folder)?;
    }
    print_sync_time(&folder)
}
