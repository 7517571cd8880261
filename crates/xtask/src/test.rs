//! `cargo xtask test`: the quick tests, for the moment between two edits. No service is started.

use crate::runner::{self, Scope};
use crate::{Result, repo};
use std::process::ExitCode;

pub(crate) fn run(filters: &[&str]) -> Result<ExitCode> {
    let mut command = runner::command(&repo::root()?, Scope::Quick, filters);
    let status = command.status().map_err(|error| format!("tests cannot be run: {error}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
