//! The page for people does what it says.

use kill::guide::{Guide, run_after};
use kill::server::KEY;

use crate::kit::{Kit, program};

const PAGE: &str = include_str!("../../../../docs/commands.md");

#[test]
fn ker_36_the_tour_of_the_commands_is_as_the_page_tells() {
    let kit = Kit::start();
    let guide = Guide { page: PAGE, section: "A tour", address: kit.server.address };
    let program = program().display();
    let folder = kit.folder.path().display();
    let preparation = format!(
        "fastness() {{ '{program}' \"$@\"; }}\nexport FASTNESS_KEY={KEY} FASTNESS_SERVER={} XDG_CONFIG_HOME='{folder}'\ncd '{folder}'",
        kit.url()
    );
    assert_eq!(run_after(&guide, &preparation).expect("what the page shows"), 7);
}
