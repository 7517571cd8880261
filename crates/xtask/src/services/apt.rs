//! Debian packages: installed for root, named exactly for everybody else.

use crate::{Result, process};
use std::process::Command;
use std::sync::OnceLock;

/// Others on the machine may be installing too: wait for them.
const LOCK_WAIT: &str = "DPkg::Lock::Timeout=300";

/// Needs root.
pub(super) fn install(package: &str) -> Result<()> {
    eprintln!("xtask: installing the Debian package {package}");
    static UPDATED: OnceLock<Result<()>> = OnceLock::new();
    UPDATED.get_or_init(|| apt_get(&["update"])).clone()?;
    apt_get(&["install", "-y", "--no-install-recommends", package])
}

/// For whoever is not root: exactly what to do.
pub(super) fn advice(packages: &[&str]) -> String {
    format!(
        "Debian packages are missing; as root: apt-get update && apt-get install -y --no-install-recommends {}",
        packages.join(" ")
    )
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("apt-get");
    command.args(["-o", LOCK_WAIT]).args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    // What the package would start as the machine's own service stays stopped: tests have theirs.
    command.env("SYSTEMD_OFFLINE", "1").env("RUNLEVEL", "1");
    process::must(&mut command)
}
