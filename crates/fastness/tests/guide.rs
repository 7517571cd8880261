//! The guides do what they say (DOC-6, CON-5, SEN-1, EXC-9, WFL-1, FLD-25, KER-37): their commands are run as they stand there, against a
//! server of their own, and what comes is what the page shows.

#![expect(clippy::disallowed_methods, reason = "a test starts processes and looks at their files")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kill::guide;
use kill::guide::{Guide, run, run_after};
use kill::server::{KEY, Launch, Server};
use tempfile::TempDir;

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_fastness"))
}

/// A server with nothing in it, and its folder.
fn served() -> (Server, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Launch::new(program(), &folder.path().join("data")).start().expect("a server");
    (server, folder)
}

/// Runs a section in a folder of its own.
fn follow(of: impl FnOnce(std::net::SocketAddr) -> Guide<'static>) -> usize {
    let (server, folder) = served();
    let preparation = format!("cd '{}'", folder.path().display());
    run_after(&of(server.address), &preparation).expect("what the page shows")
}

#[test]
fn doc_6_the_first_ten_minutes_with_documents_are_as_the_guide_tells() {
    assert_eq!(follow(|address| guide!("docs/documents.md", "Ten minutes", address)), 10);
}

#[test]
fn con_5_who_changed_it_is_as_the_guide_tells() {
    let (server, _folder) = served();
    assert_eq!(run(&guide!("docs/documents.md", "Who changed it", server.address)).expect("what the page shows"), 4);
}

#[test]
fn doc_12_attachments_and_exports_are_as_the_guide_tells() {
    let (server, folder) = served();
    let preparation = format!("cd '{}'\nprintf bytes > photo.jpg", folder.path().display());
    run_after(&guide!("docs/documents.md", "Ten minutes", server.address), &preparation).expect("what the page shows");
    for (section, count) in [
        (guide!("docs/documents.md", "Attachments", server.address), 1),
        (guide!("docs/documents.md", "Export", server.address), 1),
    ] {
        assert_eq!(run_after(&section, &preparation).expect("what the page shows"), count);
    }
}

#[test]
fn sen_1_the_first_ten_minutes_with_sensors_are_as_the_guide_tells() {
    assert_eq!(follow(|address| guide!("docs/sensors.md", "Ten minutes", address)), 10);
}

#[test]
fn exc_9_the_first_ten_minutes_with_the_exchange_are_as_the_guide_tells() {
    assert_eq!(follow(|address| guide!("docs/exchange.md", "Ten minutes", address)), 8);
}

#[test]
fn wfl_1_the_first_ten_minutes_with_the_workflow_are_as_the_guide_tells() {
    assert_eq!(follow(|address| guide!("docs/workflow.md", "Ten minutes", address)), 8);
}

#[test]
fn fld_25_the_first_minutes_with_the_server_of_folders_are_as_the_guide_tells() {
    assert_eq!(follow(|address| guide!("docs/folders-server.md", "Five minutes", address)), 4);
}

/// The server that the drill starts from its backup: ended also when the page breaks off in its middle.
struct Restored(PathBuf);

impl Drop for Restored {
    fn drop(&mut self) {
        if let Ok(pid) = fs::read_to_string(self.0.join("restored.pid")) {
            // The page has ended it, if all went well.
            let _ = Command::new("kill").arg(pid.trim()).stderr(Stdio::null()).status();
        }
    }
}

#[test]
fn ker_37_the_drill_of_a_disaster_is_as_the_page_tells() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Launch::new(program(), &folder.path().join("fastness-data")).start().expect("a server");
    let restored = Restored(folder.path().to_owned());
    // A program by its name, as on the page: what a function of the shell begins in the background would have another process than `$!` tells.
    let preparation = format!(
        "cd '{folder}'\nmkdir bin\nln -s '{}' bin/fastness\nPATH='{folder}'/bin:$PATH\n\
         export FASTNESS_KEY={KEY} FASTNESS_SERVER=http://{} XDG_CONFIG_HOME='{folder}'",
        program().display(),
        server.address,
        folder = restored.0.display(),
    );
    let drill = guide!("docs/backup.md", "A drill", server.address);
    assert_eq!(run_after(&drill, &preparation).expect("what the page shows"), 6);
}
