//! This folder's README does what it says: its commands are run in order, and what comes is what it shows.

use kill::guide;
use kill::guide::run;

use crate::kit::Site;

#[test]
fn doc_7_the_readme_does_what_it_says() {
    let site = Site::start();
    let guide = guide!("examples/contacts/README.md", "Run it", site.server.address);
    assert_eq!(run(&guide).expect("what the page shows"), 10);
}
