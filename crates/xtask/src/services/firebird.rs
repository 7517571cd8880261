//! Firebird of Debian in a folder of its own: own configuration, own security database, own locks. Nothing of the machine's own
//! Firebird is used, and nothing of it is changed.

use super::{Env, Instance, Service, port, write_control};
use crate::guard::Guard;
use crate::{Result, process};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) struct Firebird;

const SERVER: &str = "/usr/sbin/firebird";
const SHELL: &str = "isql-fb";

/// The package makes this user; the server becomes it when it is started by root.
const USER: &str = "firebird";

/// Below one of these lies a folder for each version.
const LIBRARIES: [&str; 3] =
    ["/usr/lib/x86_64-linux-gnu/firebird", "/usr/lib/aarch64-linux-gnu/firebird", "/usr/lib/firebird"];

/// What the server wants to find beside its configuration.
const PARTS: [&str; 3] = ["plugins", "intl", "firebird.msg"];

/// Of the one who may do all; known to everybody, on loopback, for the length of a run.
const PASSWORD: &str = "masterkey";

impl Service for Firebird {
    fn name(&self) -> &'static str {
        "firebird"
    }

    /// Brings its shell too.
    fn package(&self) -> &'static str {
        "firebird3.0-server"
    }

    fn installed(&self) -> bool {
        Path::new(SERVER).is_file() && process::find(SHELL).is_some() && library().is_some()
    }

    fn start(&self, folder: &Path, guard: &mut Guard) -> Result<Instance> {
        let shell = process::find(SHELL).ok_or("there is no isql-fb")?.display().to_string();
        let (port, own) = (port::free()?, folder.display().to_string());
        lay_out(folder, port)?;
        let settings = [
            ("SERVER", SERVER),
            ("SHELL", &shell),
            ("FOLDER", &own),
            ("PORT", &port.to_string()),
            ("PASSWORD", PASSWORD),
            ("OWNER", if process::is_root() { USER } else { "" }),
            ("WHO", "Firebird"),
        ];
        let script = concat!(include_str!("control.sh"), include_str!("firebird.sh"), include_str!("process.sh"));
        let control = write_control(folder, &settings, script)?;
        guard.must(Command::new(&control).arg("start"))?;
        Ok(Instance { pid: super::pid(folder)?, port, control })
    }

    /// The address of the server with the folder in which tests make databases.
    fn env(&self, instance: &Instance) -> Env {
        let folder = instance.control.with_file_name(DATABASES).display().to_string();
        let address = format!("firebird://SYSDBA:{PASSWORD}@127.0.0.1:{}/{folder}", instance.port);
        vec![
            ("FASTNESS_TEST_FIREBIRD".into(), address),
            ("FASTNESS_TEST_FIREBIRD_CTL".into(), instance.control.display().to_string()),
        ]
    }
}

/// The folder of databases in the service's folder.
const DATABASES: &str = "databases";

/// The highest version that Debian has installed.
fn library() -> Option<PathBuf> {
    let entries = LIBRARIES.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let versions = entries.filter_map(|entry| Some(entry.ok()?.path()));
    versions.filter(|folder| PARTS.iter().all(|part| folder.join(part).exists())).max()
}

fn lay_out(folder: &Path, port: u16) -> Result<()> {
    let library = library().ok_or("there is no library of Firebird")?;
    let wrong = |error: std::io::Error| format!("{} cannot be laid out: {error}", folder.display());
    let root = folder.join("root");
    for each in [&root, &folder.join("lock"), &folder.join(DATABASES)] {
        std::fs::create_dir(each).map_err(wrong)?;
    }
    PARTS.iter().try_for_each(|part| symlink(library.join(part), root.join(part))).map_err(wrong)?;
    for (name, text) in
        [("firebird.conf", config(folder, port)), ("databases.conf", "\n".into()), ("plugins.conf", "\n".into())]
    {
        std::fs::write(root.join(name), text).map_err(wrong)?;
    }
    Ok(())
}

/// Loopback only; passwords are proved, not sent.
fn config(folder: &Path, port: u16) -> String {
    let own = folder.display();
    format!(
        "RemoteBindAddress = 127.0.0.1\n\
         RemoteServicePort = {port}\n\
         AuthServer = Srp\n\
         AuthClient = Srp\n\
         UserManager = Srp\n\
         WireCrypt = Enabled\n\
         ServerMode = Super\n\
         IpcName = FASTNESS{port}\n\
         SecurityDatabase = {own}/security.fdb\n\
         DatabaseAccess = Restrict {own}/{DATABASES}\n"
    )
}
