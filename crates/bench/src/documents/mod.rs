//! `bench documents` (DOC-17): documents over HTTP, against PocketBase and, for synchronisation, pouchdb-server.
//!
//! Every server is its own process, as it is shipped, and has the same documents; the clients are of this process and take as little of
//! the two cores as they can. Our commits are durable (`synchronous=FULL`). PocketBase acknowledges before its file is synced
//! (`synchronous=NORMAL`); a second one that syncs each commit, as ours does, runs beside it.

mod drive;
mod million;
mod ours;
mod peers;
mod pocketbase;
mod process;
mod proxy;
mod side;
mod sync;

use anyhow::Result;

use crate::contest::Effort;
use crate::disk::print_sync_time;
pub use drive::{Connection, ask_all, ask_json, drive, request};
pub use ours::Ours;
pub use peers::{from_pypi, node_packages, python_packages};
use pocketbase::{Durability, PocketBase};
pub use process::{Memory, Process, free_address, memory_of, used_by};
pub use proxy::Proxy;
pub use side::Side;
use side::{Line, contest};

/// Documents that are there when a contest begins.
const DOCUMENTS: usize = 10_000;

/// Runs everything that can run here.
pub fn run(effort: &Effort) -> Result<()> {
    let folder = tempfile::tempdir_in(".")?;
    let folder = folder.path().canonicalize()?;
    print_sync_time(&folder)?;
    if Line::ALL.iter().any(|line| line.title().contains(&effort.only)) {
        let mut sides: Vec<Box<dyn Side>> = vec![Box::new(Ours::start(&folder.join("ours"))?)];
        match peers::pocketbase() {
            Ok(program) => {
                for durability in [Durability::Default, Durability::Full] {
                    let home = folder.join(format!("{durability:?}"));
                    sides.push(Box::new(PocketBase::start(&program, &home, durability)?));
                }
            }
            Err(error) => println!("PocketBase: not run, PyPI gives none: {error:#}"),
        }
        for side in &sides {
            side.load(DOCUMENTS)?;
        }
        Line::ALL.iter().try_for_each(|line| contest(effort, *line, &sides))?;
    }
    sync::run(effort, &folder)?;
    million::run(effort, &folder)?;
    print_sync_time(&folder)
}
