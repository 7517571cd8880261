//! Folders as a whole: the program, a client in Python that is made from the `.proto` alone (FLD-1 to FLD-6, FLD-14), and daemons as processes
//! with their commands (FLD-22).
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test makes files, and ends where something is not as it should be"
)]

mod alone;
mod daemon;
mod guide;
mod killed;
mod kit;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kill::server::{KEY, Launch};

/// Exactly these, so that a test does not change with the calendar.
const PACKAGES: [&str; 2] = ["grpcio==1.85.1", "grpcio-tools==1.85.1"];

/// The Python that speaks gRPC, made at the first use.
fn python() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../services/python-grpc");
    let python = folder.join("bin/python");
    if !succeeds(Command::new(&python).args(["-c", "import grpc, grpc_tools"])) {
        make_environment(&folder);
    }
    python
}

/// Made beside its place and then moved there, so that of two runs at once none finds the half of the other.
fn make_environment(folder: &Path) {
    let fresh = folder.with_extension(std::process::id().to_string());
    assert!(succeeds(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&fresh)), "python3-venv is needed");
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    assert!(succeeds(Command::new(fresh.join("bin/python")).args(pip).args(PACKAGES)), "PyPI does not answer");
    let _ = std::fs::remove_dir_all(folder);
    if std::fs::rename(&fresh, folder).is_err() {
        let _ = std::fs::remove_dir_all(&fresh);
    }
}

fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// fld_1_, fld_2_, fld_3_, fld_5_, fld_6_, fld_14_: see the scenarios of the script.
#[test]
fn fld_4_a_client_made_from_the_proto_alone_follows_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let launch = Launch::new(Path::new(env!("CARGO_BIN_EXE_fastness")), &folder.path().join("data"));
    let server = launch.start().unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut client = Command::new(python());
    client.arg(here.join("tests/folders/text_client.py"));
    client.args([&server.address.to_string(), KEY]).arg(here.join("../synxpo/proto"));
    let output = client.env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{}", server.log());
}
