//! `cargo xtask package`: a Debian package of the server.
//!
//! Nothing is needed but what a machine that builds Fastness has (cargo, `strip`) and what every Debian has (`dpkg-deb`, `gzip`). What the
//! program knows about itself is asked from the program: completions, the commented configuration, the manual pages.
//! The same commit and program give the same package, byte for byte.
//!
//! Deliberately not here: signing, repositories, other formats.

mod glibc;
mod man;
mod stage;

use crate::{Result, process, repo};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The Debian revision: counts packages of one version.
const REVISION: u32 = 1;

pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let root = repo::root()?;
    let place = repo::target(&root).join("package");
    let (binary, out) = match words {
        [] => (build(&root)?, place.clone()),
        ["--binary", binary] => (PathBuf::from(binary), place.clone()),
        ["--binary", binary, "--out", out] => (PathBuf::from(binary), PathBuf::from(out)),
        ["--out", out] => (build(&root)?, PathBuf::from(out)),
        _ => return Ok(crate::misunderstood(&[&["package"], words].concat())),
    };
    let package = package(&root, &binary, &place, &out)?;
    say!("{}", package.display());
    Ok(ExitCode::SUCCESS)
}

fn build(root: &Path) -> Result<PathBuf> {
    let mut command = process::cargo(root);
    command.args(["build", "--release", "--locked", "--package", "fastness", "--bin", "fastness"]);
    let status = command.status().map_err(|error| format!("`{}` cannot be run: {error}", process::show(&command)))?;
    if !status.success() {
        return Err(format!("the server cannot be built: {status}"));
    }
    Ok(repo::target(root).join("release/fastness"))
}

/// Makes the package of a built program.
fn package(root: &Path, binary: &Path, place: &Path, out: &Path) -> Result<PathBuf> {
    let program = strip(binary, place)?;
    let made = stage::Made {
        version: format!("{}-{REVISION}", version(root)?),
        architecture: said(Command::new("dpkg").arg("--print-architecture"))?.trim().to_owned(),
        glibc: glibc::newest(&read(&program)?).ok_or("the program is not built for glibc")?,
        // The day of the commit: the package does not depend on when it is made.
        seconds: said(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root))?.trim().to_owned(),
    };
    let tree = place.join("root");
    stage::stage(root, &program, &tree, &made)?;
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let package = out.join(format!("fastness_{}_{}.deb", made.version, made.architecture));
    let mut command = Command::new("dpkg-deb");
    command.args(["--root-owner-group", "-Zxz", "--build"]).arg(&tree).arg(&package);
    process::must(command.env("SOURCE_DATE_EPOCH", &made.seconds))?;
    Ok(package)
}

/// Without the line tables, which are most of the file. Names of functions stay, for diagnoses.
fn strip(binary: &Path, place: &Path) -> Result<PathBuf> {
    // Named as people call it, since its own help says the name.
    let program = place.join("bin/fastness");
    stage::fresh(&place.join("bin"))?;
    process::must(Command::new("strip").arg("--strip-debug").arg("-o").arg(&program).arg(binary))?;
    Ok(program)
}

/// The version that all crates share.
fn version(root: &Path) -> Result<String> {
    let manifest = read(&root.join("Cargo.toml")).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())?;
    let line = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    line.map(str::to_owned).ok_or_else(|| "Cargo.toml names no version".to_owned())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
}

/// What a command writes to its standard output.
fn said(command: &mut Command) -> Result<String> {
    let output = process::quiet(command).output();
    let text = output.as_ref().map(|output| output.stdout.clone()).unwrap_or_default();
    process::judge(command, output)?;
    String::from_utf8(text).map_err(|_| format!("`{}` does not write UTF-8", process::show(command)))
}
