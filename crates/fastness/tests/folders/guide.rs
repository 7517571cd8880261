//! The page for people does what it says.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::{fs, process::Command};

use kill::guide;
use kill::guide::run_after;
use kill::server::KEY;

use crate::kit::{Kit, program};

/// Pauses of one second, after which what the page waits for will not come.
const TRIES: u32 = 200;

/// The daemon that the page starts in the background: ended also when the page breaks off in its middle.
struct Background(PathBuf);

impl Drop for Background {
    fn drop(&mut self) {
        if let Ok(pid) = fs::read_to_string(self.0.join("folders.pid")) {
            // One that the page ended is not there any more.
            let _ = Command::new("kill").arg(pid.trim()).stderr(std::process::Stdio::null()).status();
        }
    }
}

fn prepared(folder: &Path, url: &str) -> String {
    let bin = folder.join("bin");
    fs::create_dir(&bin).unwrap();
    symlink(program(), bin.join("fastness")).unwrap();
    let folder = folder.display();
    format!(
        "export PATH='{folder}/bin':\"$PATH\" FASTNESS_KEY={KEY} FASTNESS_SERVER={url} XDG_CONFIG_HOME='{folder}/config' \
         FASTNESS_FOLDERS_HOME='{folder}/home'\n\
         sleep() {{ tries=$((tries + 1)); [ $tries -lt {TRIES} ] || exit 1; command sleep \"$1\"; }}\ncd '{folder}'"
    )
}

#[test]
fn fld_22_the_first_ten_minutes_with_folders_are_as_the_page_tells() {
    let kit = Kit::start();
    let background = Background(kit.folder.path().to_owned());
    let preparation = prepared(&background.0, &format!("http://{}", kit.server.address));
    let guide = guide!("docs/folders.md", "Ten minutes", kit.server.address);
    assert_eq!(run_after(&guide, &preparation).expect("what the page shows"), 11);
}
