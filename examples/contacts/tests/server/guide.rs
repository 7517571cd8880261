//! This folder's README does what it says: its commands are run in order, and what comes is what it shows.

use std::fs;
use std::path::Path;

use kill::guide::{Guide, run};

use crate::kit::Site;

#[test]
fn doc_7_the_readme_does_what_it_says() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("a README");
    let site = Site::start();
    let guide = Guide { page: &readme, section: "Run it", address: site.server.address };
    assert_eq!(run(&guide).expect("what the page shows"), 10);
}
