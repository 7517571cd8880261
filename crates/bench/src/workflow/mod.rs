//! `bench workflow` (WFL-31): processes from start to result, beside Restate and DBOS; then our own limits.
//!
//! Each side keeps every step durably before the next begins. *1 step*: one task. *3 steps*: one after the other. *Fan-out*: a hundred at
//! once and their sum. Ours has workers that poll over HTTP, and whoever starts a process waits for its end over HTTP; Restate's handlers run
//! in Node by its SDK and are called over HTTP; DBOS is a library within the program that calls it, on PostgreSQL. So a step of
//! theirs stays within a process, while each of ours may be done by any worker anywhere.

mod limits;
mod mass;
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

/// `--only ours`: no peers; `--only "ours recovery"`: only that part of it.
const OURS: &str = "ours";
/// `--only processes`: with peers; `--only "processes recovery"`: only that part of it.
const ALL: &str = "processes";

/// Runs everything that can run here.
pub fn run(effort: &Effort) -> Result<()> {
    let folder = tempfile::tempdir_in(".")?;
    let folder = folder.path().canonicalize()?;
    print_sync_time(&folder)?;
    let alone = effort.only.strip_prefix(OURS);
    if let Some(part) = alone.or_else(|| effort.only.strip_prefix(ALL)).or(effort.only.is_empty().then_some("")) {
        let mut sides: Vec<Box<dyn Side>> = vec![Box::new(Ours::start(&folder.join("ours"))?)];
        if alone.is_none() {
            sides.extend(peer::all(&folder)?);
        }
        contests(effort, &mut sides, part.trim())?;
    }
    if limits::TITLE.contains(&effort.only) {
        limits::run(effort, &folder)?;
    }
    if million::TITLE.contains(&effort.only) {
        million::run(&folder)?;
    }
    if mass::TITLE.contains(&effort.only) {
        mass::run(&folder)?;
    }
    print_sync_time(&folder)
}
