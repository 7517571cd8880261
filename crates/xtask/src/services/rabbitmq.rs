//! RabbitMQ: a node of its own with its own ports, its own port mapper and all its files in the service's folder.
//!
//! It takes long to start, so [`Service::start`] only begins that, and the others start meanwhile.

use super::{Env, Instance, Service, apt, port, write_control};
use crate::guard::Guard;
use crate::{Result, process};
use std::os::unix::fs::PermissionsExt;
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
        let alone = Node { name: "fastness@localhost", mapper: (port::free()?, folder), cookie: None, settings: "" };
        let (port, control) = lay(folder, &alone)?;
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

/// One node.
pub(super) struct Node<'a> {
    pub(super) name: &'a str,
    /// Port and folder of its port mapper; one in a folder that is not the node's own is everybody's, and stays when the node ends.
    pub(super) mapper: (u16, &'a Path),
    /// What nodes of one cluster have in common; alone it makes up its own.
    pub(super) cookie: Option<&'a str>,
    /// Further lines of its configuration.
    pub(super) settings: &'a str,
}

/// Lays one out in this folder without starting it: its port and its control file.
pub(super) fn lay(folder: &Path, node: &Node<'_>) -> Result<(u16, PathBuf)> {
    let home = home().ok_or_else(|| format!("no RabbitMQ below {LIBRARY}"))?.display().to_string();
    write(&folder.join("rabbitmq.conf"), &format!("{SETTINGS}{}", node.settings))?;
    write(&folder.join("enabled_plugins"), "[].\n")?;
    node.cookie.map_or(Ok(()), |cookie| lay_cookie(&folder.join(".erlang.cookie"), cookie))?;
    let (port, own) = (port::free()?, folder.display().to_string());
    let settings = [
        ("RABBITMQ", home.as_str()),
        ("FOLDER", &own),
        ("NODE", node.name),
        ("PORT", &port.to_string()),
        ("NODES_PORT", &port::free()?.to_string()),
        ("MAPPER_PORT", &node.mapper.0.to_string()),
        ("MAPPER_FOLDER", &node.mapper.1.display().to_string()),
        ("WHO", "RabbitMQ"),
    ];
    let script = concat!(include_str!("control.sh"), include_str!("rabbitmq.sh"));
    Ok((port, write_control(folder, &settings, script)?))
}

/// Erlang takes one that its owner alone can read.
fn lay_cookie(path: &Path, cookie: &str) -> Result<()> {
    write(path, cookie)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o400))
        .map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|error| format!("{} cannot be written: {error}", path.display()))
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
