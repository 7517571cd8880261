//! `cargo xtask services start|stop|status|run`.
//!
//! `start` prints shell lines on standard output and everything else on standard error, so that
//! `eval "$(cargo xtask services start)"` works. `run` has services of its own, apart from started ones.

use super::{Running, controls, state, tear_down, up};
use crate::guard::Guard;
use crate::{Result, process};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, ExitStatus, Stdio};

/// What a shell adds to the number of the signal that ended a program.
const SIGNAL_BASE: i32 = 128;

pub(crate) fn start() -> Result<ExitCode> {
    let path = state::path()?;
    match state::load(&path)? {
        Some(running) if is_alive(&running) => {
            eprintln!("xtask: already running: {running}");
            print_exports(&running);
            return Ok(ExitCode::SUCCESS);
        }
        Some(dead) => tear_down(&dead.folder)?,
        None => {}
    }
    let mut guard = Guard::start()?;
    let running = up(&mut guard)?;
    state::save(&path, &running)?;
    guard.disown()?;
    eprintln!("xtask: started {running} in {}", running.folder.display());
    print_exports(&running);
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn stop() -> Result<ExitCode> {
    let path = state::path()?;
    let Some(running) = state::load(&path)? else {
        eprintln!("xtask: nothing was started");
        return Ok(ExitCode::SUCCESS);
    };
    tear_down(&running.folder)?;
    state::forget(&path)?;
    eprintln!("xtask: stopped {running}");
    Ok(ExitCode::SUCCESS)
}

/// Exit code 0 only when everything runs.
pub(crate) fn status() -> Result<ExitCode> {
    let Some(running) = state::load(&state::path()?)? else {
        say!("not started");
        return Ok(ExitCode::FAILURE);
    };
    let alive = is_alive(&running);
    say!("{} {running} in {}", if alive { "running:" } else { "not running:" }, running.folder.display());
    Ok(if alive { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub(crate) fn run(command: &[&str]) -> Result<ExitCode> {
    let mut guard = Guard::start()?;
    let running = up(&mut guard)?;
    let (program, arguments) = command.split_first().ok_or("there is no command to run")?;
    let mut command = Command::new(program);
    process::forget_package(command.args(arguments).envs(running.env));
    let status = guard.run(&mut command)?;
    guard.end()?;
    Ok(exit_code(status))
}

fn is_alive(running: &Running) -> bool {
    let controls = controls(&running.folder);
    controls.len() == running.services.len() && controls.iter().all(|control| says_running(control))
}

fn says_running(control: &std::path::Path) -> bool {
    let quiet = Command::new(control).arg("status").stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

fn print_exports(running: &Running) {
    for (name, value) in &running.env {
        say!("export {name}={}", process::quote(value));
    }
}

/// As a shell would pass it on.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| SIGNAL_BASE + signal));
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
