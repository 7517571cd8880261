//! The page for people does what it says.

use kill::guide;
use kill::guide::run_after;
use kill::server::KEY;

use crate::kit::{Kit, program};

#[test]
fn ker_36_the_tour_of_the_commands_is_as_the_page_tells() {
    let kit = Kit::start();
    let guide = guide!("docs/commands.md", "A tour", kit.server.address);
    assert_eq!(run_after(&guide, &preparation(&kit)).expect("what the page shows"), 7);
}

#[test]
fn ker_1_ker_2_ker_32_a_namespace_with_people_and_keys_is_as_the_page_tells() {
    let kit = Kit::start();
    let guide = guide!("docs/namespaces.md", "Ten minutes", kit.server.address);
    assert_eq!(run_after(&guide, &preparation(&kit)).expect("what the page shows"), 7);
}

fn preparation(kit: &Kit) -> String {
    let program = program().display();
    let folder = kit.folder.path().display();
    format!(
        "fastness() {{ '{program}' \"$@\"; }}\nexport FASTNESS_KEY={KEY} FASTNESS_SERVER={} XDG_CONFIG_HOME='{folder}'\ncd '{folder}'",
        kit.url()
    )
}
