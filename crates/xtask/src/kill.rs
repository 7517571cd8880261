//! `cargo xtask kill`: the kill harness with everything it needs: the server, PostgreSQL, strace.
//!
//! The programs are copied before they run: a run takes minutes, and a build meanwhile would change them under its feet.

use crate::guard::Guard;
use crate::{Result, process, repo, services};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The word that asks for a server that breaks its promises.
const MUTANTS: [&str; 2] = ["--mutants", "--mutant"];

pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let root = repo::root()?;
    let mut guard = Guard::start()?;
    let harness = build(&mut guard, &root, "kill", &[])?;
    let server = match words.iter().any(|word| MUTANTS.contains(word)) {
        false if words.contains(&"--services") => build(&mut guard, &root, "fastness", &[])?,
        false => build(&mut guard, &root, "ledger", &[])?,
        true => build(&mut guard, &root, "ledger", &["--features", "mutants"])?,
    };
    let env = services::up(&mut guard)?.env;
    let status = guard.run(Command::new(harness).arg("--server").arg(server).args(words).envs(env))?;
    guard.end()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Builds a program and puts it aside.
fn build(guard: &mut Guard, root: &Path, name: &str, features: &[&str]) -> Result<PathBuf> {
    let built =
        guard.run(process::cargo(root).args(["build", "--quiet", "--locked", "--package", name]).args(features))?;
    if !built.success() {
        return Err(format!("{name} cannot be built: {built}"));
    }
    let target = repo::target(root);
    let aside = target.join("kill").join(if features.is_empty() { name.to_owned() } else { format!("{name}-mutants") });
    let copied = std::fs::create_dir_all(target.join("kill"))
        .and_then(|()| remove(&aside))
        .and_then(|()| std::fs::copy(target.join("debug").join(name), &aside));
    copied.map_err(|error| format!("{} cannot be written: {error}", aside.display()))?;
    Ok(aside)
}

/// A program that still runs cannot be written over, but it can be removed.
fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
