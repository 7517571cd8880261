//! Sensors (CON-7): the map by address, one sensor, clients with their tries, lost and unknown ones, rejected signals, imports.

use anyhow::{Context, Result};
use browser::Sight;
use browser::eyes::{button, heading, link};
use serde_json::{Value, json};

use crate::elsewhere::Elsewhere;
use crate::site::Site;
use crate::steps::{DIALOG, check, check_sound, set};

/// Registers a sensor.
pub fn register(site: &Site, id: &str, address: &str) -> Result<Value> {
    site.ask("PUT", &format!("/v1/main/sensors/{id}"), &json!({ "address": address }))
}

/// A sensor says something.
pub fn says(site: &Site, id: &str, data: i64) -> Result<Value> {
    site.make("/v1/main/signals", &json!({ "sensor_id": id, "data": data }))
}

/// Creates a client; gives its id.
pub fn client(site: &Site, name: &str, url: &str) -> Result<String> {
    let made = site.make("/v1/main/sensor-clients", &json!({ "name": name, "url": url }))?;
    Ok(made["id"].as_str().context("no id")?.to_owned())
}

/// Links a sensor to a client.
pub fn tell(site: &Site, client: &str, sensor: &str) -> Result<Value> {
    site.ask("PUT", &format!("/v1/main/sensor-clients/{client}/sensors/{sensor}"), &Value::Null)
}

const TILE: &str = "[...document.querySelectorAll('.place')].find(place => place.innerText.includes(args[0]))";

#[test]
fn con_7_the_first_sensor_is_registered_opened_closed_changed_and_deleted() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.click(link("Sensors").within("nav.side"))?;
    eyes.wait_for_text("No sensor is registered yet")?;
    eyes.wait_for_text("curl -X PUT")?;
    check(&eyes)?;
    eyes.click(button("Register"))?;
    eyes.fill("dialog[open] [name=id]", "xa7v9Dfadr7H")?;
    eyes.fill("dialog[open] [name=address]", "Moscow, Russia, Svobody st. 23 fl 1 room 16")?;
    check(&eyes)?;
    eyes.click(button("Save").within(DIALOG))?;
    eyes.wait_for_place("/console/main/sensors/xa7v9Dfadr7H")?;
    eyes.wait_for_text("never heard")?;
    eyes.click(button("Signal: open"))?;
    eyes.wait_until("document.querySelector('#state').innerText === 'open'", json!([]))?;
    eyes.click(button("Signal: closed"))?;
    eyes.wait_until("document.querySelector('#state').innerText === 'closed'", json!([]))?;
    eyes.wait_for("svg.band rect.good")?;
    eyes.click(button("Signal: closed"))?; // Nothing changes, and nothing is wrong with that.
    check(&eyes)?;
    eyes.click(link("7 days"))?;
    eyes.wait_for_place("/console/main/sensors/xa7v9Dfadr7H?span=7d")?;
    eyes.click(button("Change"))?;
    eyes.fill("dialog[open] [name=address]", "Lyon, France, Rue Bugeaud 4")?;
    eyes.fill("dialog[open] [name=silence_s]", "600")?;
    eyes.click(button("Save").within(DIALOG))?;
    eyes.wait_for_text("Rue Bugeaud 4")?;
    eyes.wait_for_text("lost after 10\u{a0}min without a signal")?;
    eyes.click(button("Delete"))?;
    eyes.click(button("Delete").within(DIALOG))?;
    eyes.wait_for_text("No sensor is registered yet")
}

#[test]
fn con_7_the_map_shows_each_place_and_leads_further_in_and_moves_by_itself() -> Result<()> {
    let site = Site::start()?;
    for (id, address) in [
        ("a1", "Moscow, Russia, Svobody st. 23, room 1"),
        ("a2", "Moscow, Russia, Svobody st. 23, room 2"),
        ("a3", "Moscow, Russia, Arbat st. 12, room 1"),
        ("b1", "Lyon, France, Rue Bugeaud 4, room 1"),
    ] {
        register(&site, id, address)?;
        says(&site, id, 1)?;
    }
    let mut eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/sensors")?;
    eyes.wait_for("#live.on")?;
    eyes.script("window.same = true", vec![])?;
    let shows = |what: &str, place: &str| {
        eyes.wait_until(&format!("{TILE}?.innerText.includes('{what}') && window.same"), json!([place]))
    };
    shows("closed 3", "Moscow")?;
    says(&site, "a2", 0)?;
    shows("open 1", "Moscow")?;
    check(&eyes)?;
    eyes.click("li[data-key^='Moscow'] a")?;
    eyes.click("li[data-key*='Russia'] a")?;
    eyes.wait_until(&format!("{TILE} && !document.body.innerText.includes('Bugeaud')"), json!(["Arbat st. 12"]))?;
    check(&eyes)?;
    eyes.click("li[data-key*='Svobody'] a")?;
    eyes.click("li[data-key*='room 2'] a")?;
    eyes.wait_for_place("/console/main/sensors/a2")?;
    eyes.goto("/console/main/sensors")?;
    eyes.fill("[name=address]", "Lyon")?;
    eyes.click(button("Search"))?;
    eyes.wait_for(link("b1"))?;
    assert_eq!(eyes.count("tbody tr")?, 1);
    check_sound(&mut eyes, "/console/main/sensors?address=Moscow%2C%20", &[Sight::DESK])
}

#[test]
fn con_7_an_unknown_sensor_is_registered_with_one_form_and_rejected_signals_are_listed() -> Result<()> {
    let site = Site::start()?;
    says(&site, "stranger7", 1)?;
    site.make(
        "/v1/main/signals",
        &json!([{ "sensor_id": "with-dash", "data": 1 }, { "sensor_id": "a", "data": "<b>2" }]),
    )?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/sensors")?;
    eyes.click(link("Unknown").within(".tabs"))?;
    eyes.wait_for_text("stranger7")?;
    check(&eyes)?;
    eyes.click(button("Register").within("tr[data-key=stranger7]"))?;
    eyes.fill("dialog[open] [name=address]", "Geneva, Switzerland, Quai Wilson 2")?;
    eyes.click(button("Save").within(DIALOG))?;
    eyes.wait_for_text("No unknown sensor")?;
    eyes.click(link("Rejected signals").within(".tabs"))?;
    eyes.wait_for_text("with-dash")?;
    assert!(eyes.text()?.contains("<b>2"), "shown as it came");
    check(&eyes)?;
    eyes.click(link("Lost").within(".tabs"))?;
    eyes.wait_for_text("Nobody is lost")?;
    check(&eyes)
}

#[test]
fn con_7_a_client_is_created_linked_told_tried_again_disabled_rotated_and_deleted() -> Result<()> {
    let site = Site::with_targets()?;
    let target = Elsewhere::start(500, "no")?;
    register(&site, "door1", "Moscow, Russia, Arbat st. 12")?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.click(link("Sensor clients").within("nav.side"))?;
    eyes.wait_for_text("No client yet")?;
    check(&eyes)?;
    eyes.click(button("New client"))?;
    eyes.fill("dialog[open] [name=name]", "Hotel Europa")?;
    eyes.fill("dialog[open] [name=url]", &target.url("/doors"))?;
    eyes.click(button("Create").within(DIALOG))?;
    eyes.wait_for_text("whsec_")?;
    check(&eyes)?;
    eyes.click(button("Close").within(DIALOG))?;
    eyes.goto("/console/main/sensors/door1")?;
    eyes.click(button("Link a client"))?;
    eyes.choose("dialog[open] select", "Hotel Europa")?;
    eyes.click(button("Link").within(DIALOG))?;
    eyes.wait_for(link("Hotel Europa"))?;
    eyes.click(button("Signal: open"))?;
    eyes.wait_until("/opened[^]*500/.test(document.querySelector('#sensor').innerText)", json!([]))?;
    check(&eyes)?;
    // The older one still waits for its next try: the newer one takes its place.
    eyes.click(button("Signal: closed"))?;
    eyes.wait_for_text("superseded")?;
    target.says(200);
    eyes.click(link("Hotel Europa"))?;
    eyes.wait_for(heading("Hotel Europa"))?;
    eyes.wait_for_text("superseded")?;
    eyes.wait_until("/sent/.test(document.querySelector('#client').innerText)", json!([]))?;
    check(&eyes)?;
    eyes.click(button("Send again"))?;
    set(&eyes, "dialog[open] [name=from]", "2020-01-01T00:00:00")?;
    check(&eyes)?;
    eyes.click(button("Send again").within(DIALOG))?;
    eyes.wait_for("progress")?;
    eyes.wait_for_text("100\u{a0}%")?;
    eyes.click(button("New secret"))?;
    eyes.click(button("New secret").within(DIALOG))?;
    eyes.wait_for_text("whsec_")?;
    eyes.click(button("Close").within(DIALOG))?;
    eyes.wait_for_text("the old one still signs")?;
    eyes.click(button("Disable"))?;
    eyes.click(button("Disable").within(DIALOG))?;
    eyes.wait_for_text("This client is disabled")?;
    check(&eyes)?;
    eyes.click(button("Enable"))?;
    eyes.wait_for(button("Disable"))?;
    eyes.click(button("Delete"))?;
    eyes.click(button("Delete").within(DIALOG))?;
    eyes.wait_for_text("No client yet")
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a file that a person chooses")]
fn con_7_a_file_is_imported_and_its_wrong_lines_are_told() -> Result<()> {
    let site = Site::start()?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("doors.csv");
    let good: String = (0..300).map(|at| format!("d{at},\"Bristol, England, Park Street {at}\"\n")).collect();
    std::fs::write(&file, format!("id,address\n{good}with-dash,<i>x</i>\n")).context("no file")?;
    let mut eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/sensors/bulk-imports")?;
    eyes.wait_for_text("Nothing was imported yet")?;
    check(&eyes)?;
    eyes.click(button("Import sensors"))?;
    eyes.upload("dialog[open] input[type=file]", &file)?;
    eyes.click(button("Import sensors").within(DIALOG))?;
    eyes.wait_for_text("done; 302 lines")?;
    check(&eyes)?;
    eyes.click("#imports tbody a.id")?;
    eyes.wait_for(heading("Rejected lines"))?;
    let place = eyes.place()?;
    check_sound(&mut eyes, &place, &[Sight::DESK])
}

#[test]
fn con_7_con_1_a_reader_sees_and_changes_nothing() -> Result<()> {
    let site = Site::start()?;
    register(&site, "door1", "Moscow, Russia, Arbat st. 12")?;
    let client = client(&site, "Hotel Europa", "https://hotel.example/doors")?;
    tell(&site, &client, "door1")?;
    site.account("main", "rita", "reader")?;
    let eyes = site.person("main", "rita", Sight::PHONE)?;
    for page in [
        "sensors",
        "sensors/as-list",
        "sensors/not-known",
        "sensors/not-accepted",
        "sensors/bulk-imports",
        "sensors/door1",
        "sensor-clients",
    ] {
        eyes.goto(&format!("/console/main/{page}"))?;
        assert_eq!(eyes.count("main form[data-call]")?, 0, "{page}");
        check(&eyes)?;
    }
    eyes.goto(&format!("/console/main/sensor-clients/{client}"))?;
    eyes.wait_for(heading("Hotel Europa"))?;
    assert_eq!(eyes.count("main form[data-call]")?, 0);
    check(&eyes)
}
