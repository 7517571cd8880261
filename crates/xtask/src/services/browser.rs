//! Chromium for tests, driven through chromedriver, and axe-core, which judges whether pages can be used by all.
//!
//! Each session that a test opens is a Chromium of its own with an empty profile; everything that these write lies in
//! the service's folder, and all of them end with it.

use super::{Env, Instance, Service, apt, port, write_control};
use crate::guard::Guard;
use crate::{Result, process, repo};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) struct Browser;

/// Exactly this one, so that a test does not change with the calendar.
const AXE: &str = "axe-core@4.14.0";

/// Programs and the Debian packages that bring them. The driver brings the Chromium of its own version.
const PROGRAMS: [(&str, &str); 2] = [("chromedriver", "chromium-driver"), ("npm", "npm")];

impl Service for Browser {
    fn name(&self) -> &'static str {
        "browser"
    }

    fn package(&self) -> &'static str {
        "chromium-driver npm"
    }

    fn installed(&self) -> bool {
        missing().next().is_none()
    }

    fn install(&self) -> Result<()> {
        missing().try_for_each(apt::install)
    }

    fn start(&self, folder: &Path, guard: &mut Guard) -> Result<Instance> {
        let axe = axe(guard)?;
        std::fs::copy(&axe, folder.join(AXE_COPY)).map_err(|error| format!("{}: {error}", axe.display()))?;
        let driver = process::find("chromedriver").ok_or("there is no chromedriver")?.display().to_string();
        let (port, own) = (port::free()?, folder.display().to_string());
        let settings =
            [("DRIVER", driver.as_str()), ("FOLDER", &own), ("PORT", &port.to_string()), ("WHO", "chromedriver")];
        let control =
            write_control(folder, &settings, concat!(include_str!("control.sh"), include_str!("browser.sh")))?;
        guard.must(Command::new(&control).arg("start"))?;
        Ok(Instance { pid: super::pid(folder)?, port, control })
    }

    fn env(&self, instance: &Instance) -> Env {
        let axe = instance.control.with_file_name(AXE_COPY);
        vec![
            ("FASTNESS_TEST_BROWSER".into(), format!("http://127.0.0.1:{}", instance.port)),
            ("FASTNESS_TEST_AXE".into(), axe.display().to_string()),
        ]
    }
}

/// The name of axe-core in the service's folder.
const AXE_COPY: &str = "axe.min.js";

/// Packages of the programs that are not there.
fn missing() -> impl Iterator<Item = &'static str> {
    PROGRAMS.into_iter().filter(|(program, _)| process::find(program).is_none()).map(|(_, package)| package)
}

/// Where axe-core lies, brought at the first use.
fn axe(guard: &mut Guard) -> Result<PathBuf> {
    let folder = repo::target(&repo::root()?).join("services").join(AXE);
    let script = folder.join("node_modules/axe-core/axe.min.js");
    if !script.is_file() {
        bring_axe(&folder, guard)?;
    }
    if script.is_file() { Ok(script) } else { Err(format!("{AXE} brought no {}", script.display())) }
}

/// Made beside its place and then moved there, so that of two runs at once none finds the half of the other.
fn bring_axe(folder: &Path, guard: &mut Guard) -> Result<()> {
    eprintln!("xtask: bringing {AXE} to {}", folder.display());
    let fresh = folder.with_file_name(format!("axe-{}", std::process::id()));
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", AXE]);
    npm.arg("--prefix").arg(&fresh).arg("--cache").arg(fresh.join("cache"));
    guard.must(&mut npm)?;
    let _ = std::fs::remove_dir_all(fresh.join("cache"));
    // Another run may have just put its own there: ours is as good.
    let _ = std::fs::remove_dir_all(folder);
    if std::fs::rename(&fresh, folder).is_err() {
        let _ = std::fs::remove_dir_all(&fresh);
    }
    Ok(())
}
