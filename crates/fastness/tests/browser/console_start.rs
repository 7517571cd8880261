//! *Start here* (CON-12): an empty namespace leads to it, its commands can be copied and work as they stand, and a demo shows while it runs.

use std::process::{Command, Stdio};

use anyhow::Result;
use browser::Sight;
use browser::eyes::{heading, link};
use kill::server::KEY;
use serde_json::json;

use crate::site::Site;
use crate::steps::{check, check_sound};

/// What was put into the clipboard, whatever the browser lets a test read.
const WATCH_COPIES: &str = "window.copied = [];
    document.addEventListener('copy', () => window.copied.push(document.activeElement.value ?? String(document.getSelection())));
    if (navigator.clipboard) navigator.clipboard.writeText = (text) => { window.copied.push(text); return Promise.resolve(); };";

#[test]
fn con_12_an_empty_namespace_leads_to_a_command_that_works_as_it_was_copied() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.wait_for("#invitation .card")?;
    eyes.click("#invitation a.button")?;
    eyes.wait_for(heading("Exchange"))?;
    assert_eq!(eyes.count(".command button")?, 5, "one for each service");
    eyes.script(WATCH_COPIES, vec![])?;
    eyes.script("document.querySelector('.command button[data-copy*=\"demo documents\"]').focus()", vec![])?;
    eyes.press(browser::Key::Enter)?;
    eyes.wait_until("window.copied.length === 1", json!([]))?;
    let copied = eyes.script("return window.copied[0]", vec![])?.as_str().unwrap_or_default().to_owned();
    check(&eyes)?;
    let state = tempfile::tempdir()?;
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{copied} --quick")]).env("FASTNESS_KEY", KEY).env("XDG_STATE_HOME", state.path());
    let ran = shell.env_remove("FASTNESS_SERVER").env_remove("FASTNESS_NAMESPACE").stdin(Stdio::null()).output()?;
    assert!(ran.status.success(), "{copied}: {ran:?}");
    Ok(())
}

#[test]
fn con_12_a_demo_shows_on_the_page_while_it_is_there_with_what_it_counts() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/start")?;
    eyes.wait_for("#live.on")?;
    assert_eq!(eyes.count(".running")?, 0);
    eyes.script("window.same = true", vec![])?;
    let state = tempfile::tempdir()?;
    let demo = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fastness"));
        command.args(words).env("FASTNESS_KEY", KEY).env("FASTNESS_SERVER", site.origin());
        command.env_remove("FASTNESS_NAMESPACE").env("XDG_STATE_HOME", state.path()).stdin(Stdio::null()).output()
    };
    let kept = demo(&["demo", "exchange", "--quick", "--keep"])?;
    assert!(kept.status.success(), "{kept:?}");
    eyes.wait_until(
        "/80\\s*Messages and replies/.test(document.querySelector('#demo-exchange').innerText)",
        json!([]),
    )?;
    assert_eq!(eyes.script("return window.same", vec![])?, true, "no reload was needed");
    check(&eyes)?;
    eyes.click("#demo-exchange a")?;
    eyes.wait_for(link("erp"))?;
    eyes.goto("/console/main/start")?;
    eyes.wait_for("#live.on")?;
    assert!(demo(&["demo", "clean"])?.status.success());
    eyes.wait_gone(".running")?;
    Ok(())
}

#[test]
fn con_12_start_here_is_sound_in_every_sight_and_language() -> Result<()> {
    let site = Site::start()?;
    let mut eyes = site.admin(Sight::DESK)?;
    check_sound(&mut eyes, "/console/main/start", &Sight::ALL)?;
    for (language, word) in [("ru", "С чего начать"), ("fr", "Commencer ici")] {
        eyes.goto(&format!("/console/_prefer?language={language}&back=/console/main/start"))?;
        eyes.wait_for(heading(word))?;
        check_sound(&mut eyes, "/console/main/start", &Sight::CROSSWISE)?;
    }
    Ok(())
}
