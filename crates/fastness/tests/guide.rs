//! DOC-6, CON-5, SEN-1: the guides to documents and to sensors do what they say. Its first ten minutes, and who changed it, are run as they stand there.

use std::path::Path;

use kill::guide::{Guide, run};
use kill::server::Launch;

const PAGE: &str = include_str!("../../../docs/documents.md");
const SENSORS: &str = include_str!("../../../docs/sensors.md");

#[test]
fn doc_6_the_first_ten_minutes_with_documents_are_as_the_guide_tells() {
    let folder = tempfile::tempdir().expect("a folder");
    let launch = Launch::new(Path::new(env!("CARGO_BIN_EXE_fastness")), &folder.path().join("data"));
    let server = launch.start().expect("a server");
    let guide = Guide { page: PAGE, section: "Ten minutes", address: server.address };
    assert_eq!(run(&guide).expect("what the page shows"), 7);
}

#[test]
fn con_5_who_changed_it_is_as_the_guide_tells() {
    let folder = tempfile::tempdir().expect("a folder");
    let launch = Launch::new(Path::new(env!("CARGO_BIN_EXE_fastness")), &folder.path().join("data"));
    let server = launch.start().expect("a server");
    // The section says that `KEY`, `NS` and `api` are those of the first one.
    let (_, first) = PAGE.split_once("```sh\nKEY=").expect("the page says how to ask");
    let (asking, _) = first.split_once("```").expect("a block ends");
    let section = "\n## Who changed it\n";
    let page = PAGE.replace(section, &format!("{section}\n```sh\nKEY={asking}```\n"));
    let guide = Guide { page: &page, section: "Who changed it", address: server.address };
    assert_eq!(run(&guide).expect("what the page shows"), 4);
}

#[test]
fn sen_1_the_first_five_minutes_with_sensors_are_as_the_guide_tells() {
    let folder = tempfile::tempdir().expect("a folder");
    let launch = Launch::new(Path::new(env!("CARGO_BIN_EXE_fastness")), &folder.path().join("data"));
    let server = launch.start().expect("a server");
    let guide = Guide { page: SENSORS, section: "Five minutes", address: server.address };
    assert_eq!(run(&guide).expect("what the page shows"), 6);
}
