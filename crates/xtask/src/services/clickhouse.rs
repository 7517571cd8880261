//! ClickHouse of Debian in a folder of its own: the oldest server that our statements must be valid for.

use super::{Env, Instance, Service, port, write_control};
use crate::guard::Guard;
use crate::{Result, process};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) struct ClickHouse;

/// Where Debian puts it; not everybody's search path holds this folder.
const DEBIAN: &str = "/usr/sbin/clickhouse-server";

impl Service for ClickHouse {
    fn name(&self) -> &'static str {
        "clickhouse"
    }

    /// Its control file asks it by Python.
    fn package(&self) -> &'static str {
        "clickhouse-server python3"
    }

    fn installed(&self) -> bool {
        server().is_some() && process::find("python3").is_some()
    }

    fn install(&self) -> Result<()> {
        self.package().split(' ').try_for_each(super::apt::install)
    }

    fn start(&self, folder: &Path, guard: &mut Guard) -> Result<Instance> {
        let (port, control) = lay(folder)?;
        guard.must(Command::new(&control).arg("start"))?;
        Ok(Instance { pid: super::pid(folder)?, port, control })
    }

    fn env(&self, instance: &Instance) -> Env {
        vec![
            ("FASTNESS_TEST_CLICKHOUSE".into(), format!("http://127.0.0.1:{}", instance.port)),
            ("FASTNESS_TEST_CLICKHOUSE_CTL".into(), instance.control.display().to_string()),
        ]
    }
}

/// Lays one out in this folder without starting it: its port and its control file.
pub(super) fn lay(folder: &Path) -> Result<(u16, PathBuf)> {
    let server = server().ok_or("there is no clickhouse-server")?.display().to_string();
    let (port, own) = (port::free()?, folder.display().to_string());
    write(folder, "config.xml", &config(folder, port))?;
    write(folder, "users.xml", USERS)?;
    let settings = [("SERVER", server.as_str()), ("FOLDER", &own), ("PORT", &port.to_string()), ("WHO", "ClickHouse")];
    let script = concat!(include_str!("control.sh"), include_str!("clickhouse.sh"), include_str!("process.sh"));
    Ok((port, write_control(folder, &settings, script)?))
}

fn server() -> Option<PathBuf> {
    process::find("clickhouse-server").or_else(|| Some(PathBuf::from(DEBIAN)).filter(|path| path.is_file()))
}

fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    std::fs::write(&path, text).map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

/// HTTP on loopback and nothing else.
fn config(folder: &Path, port: u16) -> String {
    let own = folder.display();
    format!(
        "<yandex>\n\
         <logger><level>warning</level><console>true</console></logger>\n\
         <http_port>{port}</http_port>\n\
         <listen_host>127.0.0.1</listen_host>\n\
         <path>{own}/data/</path>\n\
         <tmp_path>{own}/tmp/</tmp_path>\n\
         <users_config>users.xml</users_config>\n\
         <default_profile>default</default_profile>\n\
         <default_database>default</default_database>\n\
         <mark_cache_size>67108864</mark_cache_size>\n\
         </yandex>\n"
    )
}

/// One who may do all, and one who needs a password.
const USERS: &str = "<yandex>\n\
    <profiles><default></default></profiles>\n\
    <quotas><default></default></quotas>\n\
    <users>\n\
    <default><password></password><networks><ip>127.0.0.1</ip></networks>\
    <profile>default</profile><quota>default</quota></default>\n\
    <guarded><password>pass word</password><networks><ip>127.0.0.1</ip></networks>\
    <profile>default</profile><quota>default</quota></guarded>\n\
    </users>\n\
    </yandex>\n";
