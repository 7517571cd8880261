//! PostgreSQL: a fresh cluster with Debian's binaries, never Debian's own cluster.
//!
//! Commits are as durable as in production (`fsync` stays on): the tests are about that.

use super::{Env, Instance, Service, port, write_control};
use crate::guard::Guard;
use crate::{Result, process};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One cluster. Tests that stop the server have one of their own, so that they stop nobody else's.
pub(super) struct Postgres {
    pub(super) name: &'static str,
    /// Start of its environment variables.
    pub(super) variable: &'static str,
}

/// The cluster that all tests share; nobody stops it.
pub(super) const SHARED: Postgres = Postgres { name: "postgres", variable: "FASTNESS_TEST_POSTGRES" };

/// The cluster that tests stop and start, one test at a time (`.config/nextest.toml`).
pub(super) const FAULTY: Postgres = Postgres { name: "postgres_faults", variable: "FASTNESS_TEST_POSTGRES_FAULTS" };

const BINARIES: &str = "/usr/lib/postgresql";

/// The package makes this user; PostgreSQL refuses to run as root.
const USER: &str = "postgres";

/// Socket addresses have 108 bytes on Linux; the socket's name needs 20 of them.
const SOCKET_FOLDER_MAX: usize = 87;

/// The text order of people, not of bytes: a column that forgot `COLLATE "C"` shows itself in tests.
const PEOPLES_ORDER: [&str; 3] = ["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"];

/// Versions from which initdb knows ICU as the default provider.
const ICU_SINCE: u32 = 15;

impl Service for Postgres {
    fn name(&self) -> &'static str {
        self.name
    }

    fn package(&self) -> &'static str {
        "postgresql"
    }

    fn installed(&self) -> bool {
        newest().is_some()
    }

    fn start(&self, folder: &Path, guard: &mut Guard) -> Result<Instance> {
        let (version, binaries) = newest().ok_or_else(|| format!("no PostgreSQL below {BINARIES}"))?;
        check_socket_length(folder)?;
        give_to_owner(folder)?;
        guard.must(&mut initdb(version, &binaries, folder))?;
        let port = port::free()?;
        configure(folder, port)?;
        let control = control(&binaries, folder)?;
        guard.must(Command::new(&control).arg("start"))?;
        Ok(Instance { pid: pid(folder)?, port, control })
    }

    fn env(&self, instance: &Instance) -> Env {
        let address = format!("host=127.0.0.1 port={} user=postgres dbname=postgres", instance.port);
        vec![
            (self.variable.into(), address),
            (format!("{}_CTL", self.variable), instance.control.display().to_string()),
        ]
    }
}

/// The highest version that Debian has installed, with its folder of programs.
fn newest() -> Option<(u32, PathBuf)> {
    let entries = std::fs::read_dir(BINARIES).ok()?;
    let version = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.ok()?.path();
        let number = path.file_name()?.to_str()?.parse().ok()?;
        let binaries = path.join("bin");
        binaries.join("initdb").is_file().then_some((number, binaries))
    };
    entries.filter_map(version).max()
}

fn check_socket_length(folder: &Path) -> Result<()> {
    let length = folder.as_os_str().len();
    if length > SOCKET_FOLDER_MAX {
        return Err(format!("{} has {length} bytes, too long for a socket; set TMPDIR=/tmp", folder.display()));
    }
    Ok(())
}

fn give_to_owner(folder: &Path) -> Result<()> {
    if !process::is_root() {
        return Ok(());
    }
    process::must(Command::new("chown").arg(format!("{USER}:")).arg(folder))
}

/// A command as the user who owns the cluster.
fn as_owner(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(if process::is_root() { Path::new("setpriv") } else { program });
    if process::is_root() {
        command.args([&format!("--reuid={USER}"), &format!("--regid={USER}"), "--init-groups", "--"]).arg(program);
    }
    command.current_dir(folder);
    command
}

/// `--no-sync`: an empty cluster needs no power-cut safety; the server syncs its own writes.
fn initdb(version: u32, binaries: &Path, folder: &Path) -> Command {
    let mut command = as_owner(&binaries.join("initdb"), folder);
    command.args(["--no-sync", "--encoding=UTF8", "--auth=trust", "--username=postgres", "--pgdata=data"]);
    if version >= ICU_SINCE {
        command.args(PEOPLES_ORDER);
    }
    command
}

fn configure(folder: &Path, port: u16) -> Result<()> {
    let settings = format!(
        "port = {port}\n\
         listen_addresses = '127.0.0.1'\n\
         unix_socket_directories = '{}'\n\
         max_connections = 200\n\
         shared_buffers = 128MB\n\
         fsync = on\n",
        folder.display()
    );
    let path = folder.join("data/postgresql.conf");
    let file = std::fs::OpenOptions::new().append(true).open(&path);
    file.and_then(|mut file| file.write_all(settings.as_bytes()))
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

fn control(binaries: &Path, folder: &Path) -> Result<PathBuf> {
    let owner = if process::is_root() { USER } else { "" };
    let (binaries, own) = (binaries.display().to_string(), folder.display().to_string());
    write_control(folder, &[("OWNER", owner), ("BIN", &binaries), ("FOLDER", &own)], include_str!("postgres.sh"))
}

fn pid(folder: &Path) -> Result<u32> {
    let path = folder.join("data/postmaster.pid");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let first = text.lines().next().unwrap_or_default();
    first.parse().map_err(|_| format!("{} begins with `{first}`, not with a pid", path.display()))
}
