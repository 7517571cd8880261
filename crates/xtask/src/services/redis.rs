//! Redis of Debian in a folder of its own.

use super::{Env, Instance, Service, port, write_control};
use crate::guard::Guard;
use crate::{Result, process};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) struct Redis;

impl Service for Redis {
    fn name(&self) -> &'static str {
        "redis"
    }

    /// Brings its client too.
    fn package(&self) -> &'static str {
        "redis-server"
    }

    fn installed(&self) -> bool {
        PROGRAMS.iter().all(|program| process::find(program).is_some())
    }

    fn start(&self, folder: &Path, guard: &mut Guard) -> Result<Instance> {
        let (port, control) = lay(folder)?;
        guard.must(Command::new(&control).arg("start"))?;
        Ok(Instance { pid: super::pid(folder)?, port, control })
    }

    fn env(&self, instance: &Instance) -> Env {
        vec![
            ("FASTNESS_TEST_REDIS".into(), format!("redis://127.0.0.1:{}", instance.port)),
            ("FASTNESS_TEST_REDIS_CTL".into(), instance.control.display().to_string()),
        ]
    }
}

const PROGRAMS: [&str; 2] = ["redis-server", "redis-cli"];

/// Lays one out in this folder without starting it: its port and its control file.
pub(super) fn lay(folder: &Path) -> Result<(u16, PathBuf)> {
    let [server, client] = PROGRAMS.map(process::find);
    let server = server.ok_or("there is no redis-server")?.display().to_string();
    let client = client.ok_or("there is no redis-cli")?.display().to_string();
    let (port, own) = (port::free()?, folder.display().to_string());
    let settings = [
        ("SERVER", server.as_str()),
        ("CLIENT", &client),
        ("FOLDER", &own),
        ("PORT", &port.to_string()),
        ("WHO", "Redis"),
    ];
    let script = concat!(include_str!("control.sh"), include_str!("redis.sh"), include_str!("process.sh"));
    Ok((port, write_control(folder, &settings, script)?))
}
