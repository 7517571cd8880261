//! A mail server that keeps what it gets: Python's aiosmtpd, in an environment of our own below the target folder.

use super::{Env, Instance, Service, port, write_control};
use crate::guard::Guard;
use crate::{Result, repo};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(super) struct Smtp;

/// Exactly this one, so that a test does not change with the calendar.
const AIOSMTPD: &str = "aiosmtpd==1.4.6";

/// What must be there for an environment: Debian keeps the last one in a package of its own.
const NEEDED: &str = "import venv, ensurepip";

impl Service for Smtp {
    fn name(&self) -> &'static str {
        "smtp"
    }

    /// Brings Python too.
    fn package(&self) -> &'static str {
        "python3-venv"
    }

    fn installed(&self) -> bool {
        succeeds(Command::new("python3").args(["-c", NEEDED]))
    }

    fn start(&self, folder: &Path, guard: &mut Guard) -> Result<Instance> {
        let python = environment(guard)?.display().to_string();
        let (port, own) = (port::free()?, folder.display().to_string());
        let settings =
            [("PYTHON", python.as_str()), ("FOLDER", &own), ("PORT", &port.to_string()), ("WHO", "the mail server")];
        let script = concat!(include_str!("control.sh"), include_str!("smtp.sh"), include_str!("process.sh"));
        let control = write_control(folder, &settings, script)?;
        guard.must(Command::new(&control).arg("start"))?;
        Ok(Instance { pid: super::pid(folder)?, port, control })
    }

    fn env(&self, instance: &Instance) -> Env {
        let mailbox = instance.control.with_file_name("mailbox");
        vec![
            ("FASTNESS_TEST_SMTP".into(), format!("127.0.0.1:{}", instance.port)),
            ("FASTNESS_TEST_SMTP_MAILBOX".into(), mailbox.display().to_string()),
        ]
    }
}

/// The Python that has aiosmtpd, made at the first use.
fn environment(guard: &mut Guard) -> Result<PathBuf> {
    let folder = repo::target(&repo::root()?).join("services/python");
    let python = folder.join("bin/python");
    if !has_aiosmtpd(&python) {
        make_environment(&folder, guard)?;
    }
    if has_aiosmtpd(&python) { Ok(python) } else { Err(format!("{} has no {AIOSMTPD}", folder.display())) }
}

fn has_aiosmtpd(python: &Path) -> bool {
    succeeds(Command::new(python).args(["-c", "import aiosmtpd"]))
}

/// Made beside its place and then moved there, so that of two runs at once none finds the half of the other.
fn make_environment(folder: &Path, guard: &mut Guard) -> Result<()> {
    eprintln!("xtask: making a Python environment with {AIOSMTPD} in {}", folder.display());
    let fresh = folder.with_extension(std::process::id().to_string());
    guard.must(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&fresh))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", AIOSMTPD];
    guard.must(Command::new(fresh.join("bin/python")).args(pip))?;
    // One that is there and does not work, or that another run has just put there: ours is as good.
    let _ = std::fs::remove_dir_all(folder);
    if std::fs::rename(&fresh, folder).is_err() {
        let _ = std::fs::remove_dir_all(&fresh);
    }
    Ok(())
}

fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
