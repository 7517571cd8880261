//! What the one box offers while somebody types (CON-11).

use anyhow::Result;
use browser::eyes::{field, heading};
use browser::{Eyes, Key, Sight};
use serde_json::json;

use crate::console_exchange::office;
use crate::site::Site;
use crate::steps::{DIALOG, check, picture};

const OPTION: &str = "#find-list [role=option]";
const CHOSEN: &str = "#find-list [aria-selected=true]";

/// Types into the box; waits for what is offered.
fn typed(eyes: &Eyes, text: &str) -> Result<()> {
    eyes.fill(field("Search everything"), text)?;
    eyes.wait_until("document.getElementById('find').getAttribute('aria-expanded') === 'true'", json!([]))
}

fn is_closed(eyes: &Eyes) -> Result<()> {
    eyes.wait_until(
        "document.getElementById('find').getAttribute('aria-expanded') === 'false' && !document.querySelector(args[0])",
        json!([OPTION]),
    )
}

#[test]
fn con_11_what_is_typed_is_offered_and_taken_by_keyboard() -> Result<()> {
    let site = Site::start()?;
    office(&site, "acme", "erp", "Acme")?;
    let device = |name: &str| {
        let device = json!({ "company": "acme", "subsystem": "sales", "name": name });
        site.make("/v1/main/exchange/devices", &device).map(|made| made["id"].as_str().unwrap_or_default().to_owned())
    };
    let (id, _) = (device("Till <b>seven</b>")?, device("Till <i>eight</i>")?);
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/tasks")?;
    eyes.press_with(Key::Control, 'k')?;
    typed(&eyes, "till <")?;
    assert!(eyes.read("#find-list")?.contains("Till <b>seven</b>"), "shown as it came");
    picture(&eyes, "suggestions")?;
    assert_eq!(eyes.read("#find-told")?, "2 suggestions. Enter shows all that was found.");
    check(&eyes)?;
    eyes.press(Key::Down)?;
    eyes.wait_for(CHOSEN)?;
    let told = "document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.innerText.includes('seven')";
    eyes.wait_until(told, json!([]))?;
    check(&eyes)?;
    // Before the first one is none, and behind the last one too.
    eyes.press(Key::Up)?;
    eyes.wait_gone(CHOSEN)?;
    eyes.press(Key::Up)?;
    eyes.wait_for(&*format!("{OPTION}:last-child[aria-selected=true]"))?;
    eyes.press(Key::Down)?;
    eyes.wait_gone(CHOSEN)?;
    eyes.press(Key::Down)?;
    eyes.wait_until(told, json!([]))?;
    eyes.press(Key::Enter)?;
    eyes.wait_for_place(&format!("/console/main/exchange/devices/{id}"))?;
    is_closed(&eyes)?;
    check(&eyes)
}

#[test]
fn con_11_escape_closes_what_is_offered_and_enter_alone_searches() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::PHONE)?;
    eyes.goto("/console/main/tasks")?;
    typed(&eyes, "queue")?;
    picture(&eyes, "suggestions")?;
    check(&eyes)?;
    eyes.press(Key::Escape)?;
    is_closed(&eyes)?;
    assert_eq!(eyes.value("#find")?, "queue", "what was typed stays");
    typed(&eyes, "nothing is called so")?;
    assert_eq!((eyes.read("#find-told")?.as_str(), eyes.count(OPTION)?), ("Nothing in “main” fits", 0));
    check(&eyes)?;
    typed(&eyes, "queue")?;
    eyes.wait_for(OPTION)?;
    eyes.press(Key::Enter)?;
    eyes.wait_for(heading("Search: queue"))?;
    typed(&eyes, "queues")?;
    eyes.wait_for(OPTION)?;
    eyes.press(Key::Tab)?;
    is_closed(&eyes)
}

#[test]
fn con_11_a_press_takes_what_is_offered_and_an_action_opens_its_dialog() -> Result<()> {
    let site = Site::start()?;
    office(&site, "acme", "erp", "Till")?;
    site.account("main", "rita", "reader")?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/exchange/devices")?;
    typed(&eyes, "new device")?;
    eyes.click(OPTION)?;
    eyes.wait_for(DIALOG)?;
    assert!(eyes.read(DIALOG)?.contains("New device"), "on the page where one is already, too");
    is_closed(&eyes)?;
    check(&eyes)?;

    let reader = site.person("main", "rita", Sight::DESK)?;
    reader.goto("/console/main/")?;
    typed(&reader, "new device")?;
    assert_eq!(reader.read("#find-told")?, "Nothing in “main” fits", "not for its role");
    // Nobody is led away because a session ended while they type.
    site.ask("PATCH", "/v1/main/accounts/rita", &json!({ "blocked": true }))?;
    reader.fill(field("Search everything"), "queue")?;
    reader.wait_for(heading("Your session has ended"))?;
    assert_eq!(reader.value("#find")?, "queue");
    Ok(())
}
