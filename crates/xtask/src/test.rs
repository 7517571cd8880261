//! `cargo xtask test`: the quick tests, for the moment between two edits. No service is started.

use crate::runner::{self, Scope};
use crate::{Result, repo};
use std::process::ExitCode;

pub(crate) fn run(filters: &[&str]) -> Result<ExitCode> {
    let mut is_good = true;
    for mut command in runner::commands(&repo::root()?, Scope::Quick, filters) {
        is_good &= command.status().map_err(|error| format!("tests cannot be run: {error}"))?.success();
    }
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
