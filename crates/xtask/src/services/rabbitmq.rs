//! RabbitMQ: a node of its own with its own ports, its own port mapper and all its files in the service's folder.
//!
//! It takes long to start, so [`Service::start`] only begins that, and the others start meanwhile.

use super::{Env, Instance, Service, apt, port, write_control};
use crate::guard::Guard;
use crate::{Result, process};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(super) struct RabbitMq;

const PACKAGE: &str = "rabbitmq-server";

/// Below it lies one folder for the installed version.
const LIBRARY: &str = "/usr/lib/rabbitmq/lib";

/// `guest` may come from this machine; everything else about users is RabbitMQ's own.
const SETTINGS: &str =
    "log.console = true\nlog.console.level = info\nlog.file = false\ndisk_free_limit.absolute = 50MB\n";

impl Service for RabbitMq {
    fn name(&self) -> &'static str {
        "rabbitmq"
    }

    fn package(&self) -> &'static str {
        PACKAGE
    }

    fn installed(&self) -> bool {
        home().is_some() && process::find("epmd").is_some()
    }

    /// Where services start with their packages, this one would: nobody asked for it.
    fn install(&self) -> Result<()> {
        apt::install(PACKAGE)?;
        if is_active() { process::must(Command::new("systemctl").args(["stop", PACKAGE])) } else { Ok(()) }
    }

    fn start(&self, folder: &Path, guard: &mut Guard) -> Result<Instance> {
        let home = home().ok_or_else(|| format!("no RabbitMQ below {LIBRARY}"))?.display().to_string();
        std::fs::write(folder.join("rabbitmq.conf"), SETTINGS)
            .and_then(|()| std::fs::write(folder.join("enabled_plugins"), "[].\n"))
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        let (port, own) = (port::free()?, folder.display().to_string());
        let (between, mapper) = (port::free()?.to_string(), port::free()?.to_string());
        let settings = [
            ("RABBITMQ", home.as_str()),
            ("FOLDER", &own),
            ("PORT", &port.to_string()),
            ("NODES_PORT", &between),
            ("MAPPER_PORT", &mapper),
            ("WHO", "RabbitMQ"),
        ];
        let script = concat!(include_str!("control.sh"), include_str!("rabbitmq.sh"));
        let control = write_control(folder, &settings, script)?;
        guard.must(Command::new(&control).arg("begin"))?;
        Ok(Instance { pid: super::pid(folder)?, port, control })
    }

    fn wait(&self, instance: &Instance, guard: &mut Guard) -> Result<()> {
        guard.must(Command::new(&instance.control).arg("start"))
    }

    fn env(&self, instance: &Instance) -> Env {
        vec![
            ("FASTNESS_TEST_RABBITMQ".into(), format!("amqp://guest:guest@127.0.0.1:{}/%2f", instance.port)),
            ("FASTNESS_TEST_RABBITMQ_CTL".into(), instance.control.display().to_string()),
        ]
    }
}

/// Where the installed version lies.
fn home() -> Option<PathBuf> {
    let entries = std::fs::read_dir(LIBRARY).ok()?;
    let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    folders.filter(|folder| folder.join("sbin/rabbitmq-server").is_file()).max()
}

/// Whether the machine's own instance runs; without systemd none does.
fn is_active() -> bool {
    let mut command = Command::new("systemctl");
    let quiet = command.args(["is-active", "--quiet", PACKAGE]).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
