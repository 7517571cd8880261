//! DOC-6: the guide to documents does what it says. Its first ten minutes are run as they stand there.

use std::path::Path;

use kill::guide::{Guide, run};
use kill::server::Launch;

const PAGE: &str = include_str!("../../../docs/documents.md");

#[test]
fn doc_6_the_first_ten_minutes_with_documents_are_as_the_guide_tells() {
    let folder = tempfile::tempdir().expect("a folder");
    let launch = Launch::new(Path::new(env!("CARGO_BIN_EXE_fastness")), &folder.path().join("data"));
    let server = launch.start().expect("a server");
    let guide = Guide { page: PAGE, section: "Ten minutes", address: server.address };
    assert_eq!(run(&guide).expect("what the page shows"), 7);
}
