//! `fastness folders service`: the systemd unit of a user.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;
use serde_json::json;

use crate::failure::{Done, Failure};
use crate::local;
use crate::session::Session;

const NAME: &str = "fastness-folders.service";
/// Where the unit of the repository expects the program.
const PROGRAM: &str = "%h/.local/bin/fastness";
const UNIT: &str = include_str!("../../../../../docs/systemd/fastness-folders.service");

/// What is done with the unit.
#[derive(Debug, Args)]
pub(crate) struct Service {
    /// Write it for this user, enable it and start it
    #[arg(long)]
    install: bool,
    /// Stop it, disable it and remove it
    #[arg(long, conflicts_with = "install")]
    uninstall: bool,
}

impl Service {
    pub(super) fn run(self, session: &Session) -> Done {
        let program = std::env::current_exe().map_err(|error| Failure::here(format!("no program: {error}")))?;
        let unit = unit(&program.display().to_string());
        match (self.install, self.uninstall) {
            (true, _) => install(session, &unit),
            (_, true) => uninstall(session),
            (false, false) if session.out.json => session.out.document(&json!({ "name": NAME, "unit": unit })),
            (false, false) => session.out.print(&unit),
        }
    }
}

/// The unit for a program; in its own words systemd would read `%` as a mark and take blanks for the end.
fn unit(program: &str) -> String {
    let quoted = program.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    UNIT.replace(&format!("ExecStart={PROGRAM} "), &format!("ExecStart=\"{quoted}\" "))
}

/// `$XDG_CONFIG_HOME/systemd/user`, or below `~/.config`.
fn path() -> Result<PathBuf, Failure> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let config = set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")));
    let config = config.ok_or_else(|| Failure::usage("neither XDG_CONFIG_HOME nor HOME is set"))?;
    Ok(config.join("systemd/user").join(NAME))
}

fn install(session: &Session, unit: &str) -> Done {
    let path = path()?;
    let shown = path.display().to_string();
    local::write(&path, unit).map_err(|error| Failure::here(format!("cannot write {shown}: {error}")))?;
    systemctl(&["daemon-reload"])?;
    systemctl(&["enable", "--now", NAME])?;
    session.out.remark("it runs while you are logged in; `loginctl enable-linger` lets it run always");
    session.out.done(&json!({ "file": shown }), &format!("{NAME} is installed and runs"), None)
}

fn uninstall(session: &Session) -> Done {
    let path = path()?;
    let shown = path.display().to_string();
    // One that is not loaded cannot be stopped, which is what is wanted.
    let stopped = systemctl(&["disable", "--now", NAME]);
    let was_there = local::remove(&path).map_err(|error| Failure::here(format!("cannot remove {shown}: {error}")))?;
    if was_there {
        stopped.and_then(|()| systemctl(&["daemon-reload"]))?;
    }
    let sentence = if was_there { format!("{NAME} is removed") } else { format!("{NAME} is not installed") };
    session.out.done(&json!({ "file": shown, "removed": was_there }), &sentence, None)
}

fn systemctl(words: &[&str]) -> Done {
    let said = words.join(" ");
    let hint = format!("by hand: systemctl --user {said}");
    let mut command = Command::new("systemctl");
    let ran = command.arg("--user").args(words).stdin(Stdio::null()).output();
    let ran = ran.map_err(|error| Failure::here(format!("no systemctl: {error}")).hint(hint.clone()))?;
    if ran.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&ran.stderr).trim().to_owned();
    Err(Failure::here(format!("systemctl --user {said}: {why}")).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fld_22_the_unit_runs_this_program_and_starts_it_again() {
        let unit = unit("/opt/my \"tools\"/100%/fastness");
        assert!(unit.contains("\nExecStart=\"/opt/my \\\"tools\\\"/100%%/fastness\" folders run\n"), "{unit}");
        assert!(unit.contains("\nRestart=always\n") && unit.contains("\nRestartPreventExitStatus=2\n"), "{unit}");
        assert!(unit.contains("\nWantedBy=default.target\n") && !unit.contains("ProtectHome"), "{unit}");
    }

    #[test]
    fn fld_22_the_unit_of_the_repository_is_the_one_that_is_printed() {
        assert_eq!(unit("/p").replace("\"/p\"", PROGRAM), UNIT);
    }
}
