//! The first minutes of the project's README, as they stand there.

use kill::guide;
use kill::guide::run;

use crate::launch;

#[test]
fn ker_10_the_first_five_minutes_are_as_the_readme_tells() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = launch(&folder.path().join("data")).start().expect("a server");
    assert_eq!(run(&guide!("README.md", "By hand", server.address)).expect("what the page shows"), 3);
}
