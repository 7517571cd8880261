//! One box that finds everything (CON-11), and the keyboard: what a person does without a mouse.

use anyhow::Result;
use browser::eyes::{button, field, heading, link};
use browser::{Key, Sight};
use serde_json::json;

use crate::console_exchange::office;
use crate::site::Site;
use crate::steps::{DIALOG, check, check_sound};

const IN_BOX: &str = "document.activeElement.id === 'find'";

#[test]
fn con_11_a_device_is_found_by_keyboard() -> Result<()> {
    let site = Site::start()?;
    let id = office(&site, "acme", "erp", "Till <b>seven</b>")?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/tasks")?;
    eyes.press_with(Key::Control, 'k')?;
    eyes.wait_until(IN_BOX, json!([]))?;
    eyes.fill(field("Search everything"), "till")?;
    eyes.press(Key::Enter)?;
    eyes.wait_for(heading("Search: till"))?;
    check(&eyes)?;
    assert!(eyes.text()?.contains("Till <b>seven</b>"), "shown as it came");
    assert_eq!(eyes.value("#find")?, "till", "to be changed");
    eyes.press_with(Key::Control, 'k')?;
    eyes.wait_until(IN_BOX, json!([]))?;
    eyes.press(Key::Down)?;
    eyes.wait_until("document.activeElement.closest('.finds') !== null", json!([]))?;
    eyes.press(Key::Up)?;
    eyes.wait_until(IN_BOX, json!([]))?;
    eyes.press(Key::Down)?;
    eyes.press(Key::Enter)?;
    eyes.wait_for_place(&format!("/console/main/exchange/devices/{id}"))?;
    check(&eyes)
}

#[test]
fn con_11_pages_and_actions_are_found_by_name_and_an_action_opens_its_dialog() -> Result<()> {
    let site = Site::start()?;
    office(&site, "acme", "erp", "Till")?;
    site.account("main", "rita", "reader")?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/search?q=new%20device")?;
    eyes.click(link("New device").within(".finds"))?;
    eyes.wait_for_place("/console/main/exchange/devices")?;
    eyes.wait_for(DIALOG)?;
    assert!(eyes.read(DIALOG)?.contains("New device"));
    check(&eyes)?;
    eyes.goto("/console/main/search?q=queue")?;
    eyes.click(link("Queues").within(".finds"))?;
    eyes.wait_for_place("/console/main/queues")?;

    let reader = site.person("main", "rita", Sight::PHONE)?;
    reader.goto("/console/main/search?q=new%20device")?;
    reader.wait_for_text("Nothing in “main” fits")?;
    check(&reader)?;
    reader.goto("/console/main/search?q=rita")?;
    reader.wait_for(heading("Search: rita"))?;
    assert_eq!(reader.count("a[href^='/console/main/accounts']")?, 0, "not for its role");
    Ok(())
}

#[test]
fn con_10_the_keyboard_says_what_it_does_and_does_it() -> Result<()> {
    let site = Site::start()?;
    for number in 0..60 {
        site.make("/v1/main/keys", &json!({ "role": "app", "label": format!("till {number}") }))?;
    }
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/keys")?;
    eyes.press_letter('?')?;
    eyes.wait_for(heading("Keyboard"))?;
    check(&eyes)?;
    eyes.press(Key::Escape)?;
    eyes.wait_gone(DIALOG)?;
    eyes.press_letter('/')?;
    eyes.wait_until("document.activeElement.closest('.filters') !== null", json!([]))?;
    eyes.press_letter('?')?;
    assert_eq!((eyes.count(DIALOG)?, eyes.value(".filters input")?.as_str()), (0, "?"), "typed, as one types");
    eyes.goto("/console/main/keys")?;
    eyes.press_letter('n')?;
    eyes.wait_until("location.search.startsWith('?after=')", json!([]))?;
    eyes.press_letter('p')?;
    eyes.wait_for_place("/console/main/keys")?;
    eyes.goto("/console/main/stuck")?;
    eyes.press_letter('/')?;
    eyes.wait_until(IN_BOX, json!([]))?;
    eyes.click(".person summary")?;
    eyes.click(button("Keyboard ?"))?;
    eyes.wait_for(heading("Keyboard"))
}

#[test]
fn con_10_an_id_is_copied_by_its_button() -> Result<()> {
    let site = Site::start()?;
    let task = site.make(
        "/v1/main/tasks",
        &json!({ "op": "x", "target": "https://a.example/", "start_at": "2099-01-01T00:00:00Z" }),
    )?;
    let id = task["id"].as_str().unwrap_or_default();
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto(&format!("/console/main/tasks/{id}"))?;
    eyes.script("window.copied = ''; copy = (text) => { window.copied = text; return Promise.resolve(); }", vec![])?;
    eyes.click(&*format!("button.copy[data-copy='{id}']"))?;
    eyes.wait_for_text("Copied")?;
    assert_eq!(eyes.script("return window.copied", vec![])?, json!(id));
    check(&eyes)
}

#[test]
fn con_1_a_refusal_is_told_in_the_persons_language_with_the_servers_words() -> Result<()> {
    let site = Site::start()?;
    site.account("main", "olga", "reader")?;
    let eyes = site.reader_of("ru", Sight::DESK)?;
    eyes.log_in("z", "admin", crate::site::PASSWORD)?;
    eyes.goto("/console/main/accounts")?;
    eyes.click(button("Новая учётная запись"))?;
    eyes.fill("dialog[open] [name=name]", "olga")?;
    eyes.click("dialog[open] button[type=submit]")?;
    eyes.wait_for("dialog[open] .form-error")?;
    let told = eyes.read("dialog[open] .form-error")?;
    assert!(told.starts_with("Поле «") && told.contains("уже есть") && told.contains("(AACCOUNT)"), "{told}");
    eyes.complaints()?; // The browser notes that it was refused.
    Ok(())
}

#[test]
fn con_11_the_pages_of_a_search_are_sound_in_every_sight() -> Result<()> {
    let site = Site::start()?;
    office(&site, "acme", "erp", &"W".repeat(200))?;
    let mut eyes = site.admin(Sight::DESK)?;
    for page in ["search", "search?q=nothing-like-this", "search?q=e", "search?q=W", "search?q=W&kind=device"] {
        check_sound(&mut eyes, &format!("/console/main/{page}"), &Sight::CROSSWISE)?;
    }
    Ok(())
}
