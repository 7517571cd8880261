//! `bench sensors` (SEN-15): signals in, silence watched, clients told.
//!
//! The server is the program as it is shipped, in a process of its own; whoever sends signals and whoever is told is of this process,
//! on the same two cores. Sensors are put into the server's file before it starts, for registering a million of them is not what is
//! measured. Every figure is printed for people, and once more as a line of JSON for programs.

mod intake;
mod million;
mod rabbit;
mod receivers;
mod server;
mod webhooks;

use anyhow::Result;

pub use server::{KEY, start_process, start_process_at};

use crate::contest::Effort;
use crate::disk::print_sync_time;

/// Runs everything that can run here.
pub fn run(effort: &Effort) -> Result<()> {
    let folder = tempfile::tempdir_in(".")?;
    let folder = folder.path().canonicalize()?;
    print_sync_time(&folder)?;
    for (title, run) in
        [(intake::TITLE, intake::run as fn(&Effort, &std::path::Path) -> Result<()>), (rabbit::TITLE, rabbit::run)]
            .into_iter()
            .chain([(million::TITLE, million::run as _), (webhooks::TITLE, webhooks::run as _)])
    {
        if title.contains(&effort.only) {
            println!("\n{title}");
            run(effort, &folder)?;
        }
    }
    print_sync_time(&folder)
}

/// A figure for programs.
fn tell(name: &str, figures: &serde_json::Value) {
    println!("{}", serde_json::json!({ "bench": "sensors", "name": name, "figures": figures }));
}
