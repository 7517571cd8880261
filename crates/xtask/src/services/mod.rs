//! Real services for tests, private to one run.
//!
//! To add one: a file with a type that implements [`Service`], and a line in [`all`]. A service lives in
//! its own folder below a fresh temporary one and leaves there an executable file `control` that takes
//! `start`, `stop`, `kill` and `status`; everything that ends services goes through that file.
//!
//! Deliberately not here: the machine's own instances. We neither use nor touch them.

mod apt;
mod browser;
mod clickhouse;
pub(crate) mod command;
mod firebird;
mod full_set;
mod port;
mod postgres;
mod rabbitmq;
mod redis;
mod smtp;
mod state;

use crate::guard::Guard;
use crate::{Result, process};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Environment variables for the tests.
pub(crate) type Env = Vec<(String, String)>;

/// Start of the temporary folder's name; nothing else is ever removed.
const FOLDER_PREFIX: &str = "fastness-services-";

/// Name of the file in a service's folder that starts and stops it.
const CONTROL: &str = "control";

pub(crate) trait Service {
    /// Short and lower case; tests that need this service have it in their names.
    fn name(&self) -> &'static str;
    /// The Debian package, or several with blanks between, as apt-get takes them.
    fn package(&self) -> &'static str;
    fn installed(&self) -> bool;
    fn install(&self) -> Result<()> {
        apt::install(self.package())
    }
    /// Starts it in this empty folder and waits until it answers. Every program on the way is run through the
    /// guard, so that an interruption finds nothing half-started that it does not know.
    fn start(&self, folder: &Path, guard: &mut Guard) -> Result<Instance>;
    /// For one whose start takes long: waits until it answers, after all others were started. Until then its `start` has only
    /// begun it.
    fn wait(&self, _instance: &Instance, _guard: &mut Guard) -> Result<()> {
        Ok(())
    }
    fn env(&self, instance: &Instance) -> Env;
}

/// A started service.
pub(crate) struct Instance {
    pub(crate) pid: u32,
    pub(crate) port: u16,
    pub(crate) control: PathBuf,
}

/// What [`up`] started.
#[derive(Debug, PartialEq)]
pub(crate) struct Running {
    pub(crate) folder: PathBuf,
    /// Names and pids at the start.
    pub(crate) services: Vec<(String, u32)>,
    pub(crate) env: Env,
}

impl std::fmt::Display for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<String> =
            self.services.iter().map(|(name, pid)| format!("{name} (pid {pid} at start)")).collect();
        f.write_str(&names.join(", "))
    }
}

fn all() -> Vec<Box<dyn Service>> {
    vec![
        Box::new(rabbitmq::RabbitMq),
        Box::new(postgres::SHARED),
        Box::new(postgres::FAULTY),
        Box::new(smtp::Smtp),
        Box::new(browser::Browser),
        Box::new(clickhouse::ClickHouse),
        Box::new(redis::Redis),
        Box::new(firebird::Firebird),
        Box::new(full_set::FullSet),
    ]
}

/// Programs that tests run themselves: (name, Debian package).
const TOOLS: [(&str, &str); 2] = [("strace", "strace"), (CURL, "curl")];

/// What the guides call. It is nearly everywhere, so their tests belong to the quick ones and are not marked by its name.
const CURL: &str = "curl";

/// Words that mark a test as needing something from here; `postgres` also marks `postgres_faults`.
pub(crate) fn words() -> Vec<&'static str> {
    let services = all();
    let names = services.iter().map(|service| service.name()).filter(|name| *name != postgres::FAULTY.name());
    names.chain(TOOLS.map(|(name, _)| name).into_iter().filter(|name| *name != CURL)).collect()
}

/// Starts every service in a fresh folder that the guard owns.
pub(crate) fn up(guard: &mut Guard) -> Result<Running> {
    install_missing()?;
    let mut env = tools()?;
    let folder = fresh_folder()?;
    guard.own(&folder)?;
    let mut started = Vec::new();
    for service in all() {
        let instance = start(service.as_ref(), &folder, guard)?;
        started.push((service, instance));
    }
    let mut services = Vec::new();
    for (service, instance) in &started {
        service.wait(instance, guard).map_err(|message| format!("{} did not start: {message}", service.name()))?;
        env.extend(service.env(instance));
        services.push((service.name().to_owned(), instance.pid));
    }
    Ok(Running { folder, services, env })
}

fn start(service: &dyn Service, folder: &Path, guard: &mut Guard) -> Result<Instance> {
    let own = folder.join(service.name());
    std::fs::create_dir(&own).map_err(|error| format!("{} cannot be made: {error}", own.display()))?;
    service.start(&own, guard).map_err(|message| format!("{} did not start: {message}", service.name()))
}

/// Names all that is missing at once to whoever may not install it.
fn install_missing() -> Result<()> {
    let services: Vec<Box<dyn Service>> = all().into_iter().filter(|service| !service.installed()).collect();
    let tools: Vec<&str> =
        TOOLS.into_iter().filter(|(name, _)| process::find(name).is_none()).map(|(_, package)| package).collect();
    let packages: Vec<&str> = services.iter().map(|service| service.package()).chain(tools.iter().copied()).collect();
    if !packages.is_empty() && !process::is_root() {
        return Err(apt::advice(&packages));
    }
    tools.iter().try_for_each(|package| apt::install(package))?;
    // Two services may come with one package: look again before each.
    services.iter().filter(|service| !service.installed()).try_for_each(|service| service.install())
}

/// Tells the tests where their tools are, so that they can fail loudly without.
fn tools() -> Result<Env> {
    TOOLS.into_iter().map(|(name, package)| tool(name, package)).collect()
}

fn tool(name: &str, package: &str) -> Result<(String, String)> {
    let path = process::find(name).ok_or_else(|| format!("package {package} brought no program {name}"))?;
    Ok((format!("FASTNESS_TEST_{}", name.to_uppercase()), path.display().to_string()))
}

/// Readable by others: some services refuse to run as root and get a user of their own.
fn fresh_folder() -> Result<PathBuf> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis());
    let folder = std::env::temp_dir().join(format!("{FOLDER_PREFIX}{}-{now}", std::process::id()));
    std::fs::create_dir(&folder)
        .and_then(|()| std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)))
        .map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    Ok(folder)
}

/// Ends every service below the folder, then removes it. Goes on after a failure and reports it.
pub(crate) fn tear_down(folder: &Path) -> Result<()> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !name.starts_with(FOLDER_PREFIX) {
        return Err(format!("{} is not a folder of ours; it stays", folder.display()));
    }
    let failures: Vec<String> = controls(folder).iter().filter_map(|control| stop(control).err()).collect();
    if !failures.is_empty() {
        return Err(failures.join("\n"));
    }
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{} cannot be removed: {error}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// The control files below a folder of ours.
fn controls(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(|entry| Some(entry.ok()?.path().join(CONTROL))).filter(|control| control.is_file()).collect()
}

fn stop(control: &Path) -> Result<()> {
    let gently = process::must(Command::new(control).arg("stop"));
    gently.or_else(|_| process::must(Command::new(control).arg("kill")))
}

/// Writes a service's control file: `settings` as shell variables, then the script.
fn write_control(folder: &Path, settings: &[(&str, &str)], script: &str) -> Result<PathBuf> {
    let path = folder.join(CONTROL);
    let lines: String = settings.iter().map(|(name, value)| format!("{name}={}\n", process::quote(value))).collect();
    std::fs::write(&path, format!("#!/bin/sh\n{lines}{script}"))
        .and_then(|()| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)))
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    Ok(path)
}

/// What a control file wrote down about its process.
fn pid(folder: &Path) -> Result<u32> {
    let path = folder.join("pid");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    text.trim().parse().map_err(|_| format!("{} holds `{}`, not a pid", path.display(), text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_ours_stays() {
        let folder = std::env::temp_dir().join(format!("other-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        assert!(tear_down(&folder).unwrap_err().contains("not a folder of ours"));
        std::fs::remove_dir(&folder).unwrap();
    }

    #[test]
    fn tearing_down_stops_through_control_and_kills_when_stopping_fails() {
        let folder = fresh_folder().unwrap();
        let own = folder.join("thing");
        let log = std::env::temp_dir().join(format!("xtask-control-{}", std::process::id()));
        std::fs::create_dir(&own).unwrap();
        let script = "echo \"$1\" >>\"$LOG\"\n[ \"$1\" = kill ]\n";
        write_control(&own, &[("LOG", &log.display().to_string())], script).unwrap();
        tear_down(&folder).unwrap();
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "stop\nkill\n");
        assert!(!folder.exists());
        tear_down(&folder).unwrap();
        std::fs::remove_file(&log).unwrap();
    }
}
