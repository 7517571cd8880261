//! Exchange (CON-3): who takes part, a message from its queue to Error and back, and a process of unknown outcome at three in the morning.
#![expect(clippy::disallowed_methods, reason = "somebody who breaks files")]

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use browser::Sight;
use browser::eyes::{button, heading, link};
use serde_json::{Value, json};

use crate::site::Site;
use crate::steps::{DIALOG, check, check_sound};

const BASE: &str = "/v1/main/exchange";

/// A company with a subsystem, a database and a device; gives the device's id.
pub fn office(site: &Site, company: &str, db: &str, name: &str) -> Result<String> {
    site.make(&format!("{BASE}/companies"), &json!({ "id": company, "name": name }))?;
    site.make(&format!("{BASE}/subsystems"), &json!({ "id": "sales", "company": company, "name": name }))?;
    site.make(&format!("{BASE}/databases"), &json!({ "id": db, "company": company }))?;
    let device = json!({ "company": company, "subsystem": "sales", "name": name });
    let made = site.make(&format!("{BASE}/devices"), &device)?;
    let id = made["id"].as_str().context("no id")?.to_owned();
    let code = json!({ "code": made["activation_code"] });
    site.make(&format!("{BASE}/activate"), &code)?;
    Ok(id)
}

/// A message of a company from one to another.
pub fn message(company: &str, (from, to): (&str, &str), id: &str, payload: &Value) -> Value {
    json!({
        "version": 1, "id": id,
        "head": { "company": company, "subsystem": "sales", "from": from, "to": to, "created_at": "2026-11-01T12:00:00Z" },
        "body": { "type": "order", "version": 1, "payload": payload },
    })
}

/// A process that has prepared: all but the last message are good; gives its id.
pub fn prepared(site: &Site, db: &str, why: &str, replies: &[Value]) -> Result<String> {
    // The process before it may still be moving its files.
    let start = || site.make(&format!("{BASE}/processes"), &json!({ "db": db }));
    let is_answered = |started: &Result<Value>| started.as_ref().map_or(true, |started| started["status"] != "BUSY");
    let started = std::iter::repeat_with(start).take(10_000).find(is_answered).context("it stays busy")??;
    let process = started["process"].as_str().with_context(|| format!("{started}"))?.to_owned();
    let messages = started["messages"].as_array().context("no messages")?;
    let mut results: Vec<Value> =
        messages.iter().map(|one| json!({ "id": one["id"], "status": "PROCESSED" })).collect();
    if let Some(last) = results.last_mut() {
        last["status"] = json!("PROCESSED_INCORRECT");
        last["error_code"] = json!(335_544_347);
        last["error_text"] = json!(why);
    }
    let body = json!({ "results": results, "replies": replies });
    site.make(&format!("{BASE}/processes/{process}/prepare"), &body)?;
    Ok(process)
}

/// A server on which a database is given up after a second.
pub fn impatient() -> Result<Site> {
    Site::start_with(&[("FASTNESS_EXCHANGE__COMMIT_WITHIN", "1s")])
}

#[test]
fn con_3_from_the_first_company_to_a_device_with_its_code() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.click(link("Exchange").within("nav.side"))?;
    eyes.wait_for_text("Everything begins with a company")?;
    eyes.goto("/console/main/exchange/companies")?;
    eyes.click(button("New company"))?;
    eyes.fill("dialog[open] [name=id]", "acme")?;
    eyes.fill("dialog[open] [name=name]", "Acme Ltd")?;
    check(&eyes)?;
    eyes.click(button("Create").within(DIALOG))?;
    eyes.wait_for_text("Acme Ltd")?;
    eyes.goto("/console/main/exchange/companies")?;
    eyes.click(button("New subsystem"))?;
    eyes.fill("dialog[open] [name=id]", "sales")?;
    eyes.fill("dialog[open] [name=name]", "Field sales")?;
    eyes.click(button("Create").within(DIALOG))?;
    eyes.wait_for_text("Field sales")?;
    eyes.goto("/console/main/exchange")?;
    eyes.click(button("New database"))?;
    eyes.fill("dialog[open] [name=id]", "erp")?;
    eyes.click(button("Create").within(DIALOG))?;
    eyes.wait_for_text("The key, shown only now")?;
    eyes.goto("/console/main/exchange/devices")?;
    eyes.click(button("New device"))?;
    eyes.fill("dialog[open] [name=name]", "Phone of Olga")?;
    eyes.fill("dialog[open] [name=subsystem]", "sales")?;
    eyes.click(button("Create").within(DIALOG))?;
    eyes.wait_for_text("The activation code, shown only now")?;
    eyes.goto("/console/main/exchange/devices")?;
    eyes.click(link("Phone of Olga"))?;
    eyes.wait_for_text("its code waits to be typed in")?;
    eyes.click(button("Block"))?;
    eyes.click(button("Block").within(DIALOG))?;
    eyes.wait_for_text("This device is blocked")
}

#[test]
fn con_3_a_company_a_subsystem_and_a_device_are_called_otherwise() -> Result<()> {
    let site = Site::start()?;
    let device = office(&site, "acme", "erp", "Anna")?;
    let eyes = site.admin(Sight::PHONE)?;
    eyes.goto("/console/main/exchange/companies")?;
    for (row, name) in [("tr[data-key=acme]", "Acme & Sons"), ("tr[data-key='acme/sales']", "Field sales")] {
        eyes.click(button("Rename").within(row))?;
        eyes.fill("dialog[open] [name=name]", name)?;
        check(&eyes)?;
        eyes.click(button("Rename").within(DIALOG))?;
        eyes.wait_until("document.querySelector(args[0]).innerText.includes(args[1])", json!([row, name]))?;
    }
    eyes.goto(&format!("/console/main/exchange/devices/{device}"))?;
    eyes.click(button("Rename"))?;
    eyes.fill("dialog[open] [name=name]", "Phone 12")?;
    check(&eyes)?;
    eyes.click(button("Rename").within(DIALOG))?;
    eyes.wait_for(heading("Phone 12"))?;
    let named = |what: &str| site.read(&format!("{BASE}/{what}")).map(|list| list["items"][0]["name"].clone());
    assert_eq!(named("companies")?, "Acme & Sons");
    assert_eq!(named("subsystems")?, "Field sales");
    assert_eq!(named("devices")?, "Phone 12");
    check(&eyes)
}

#[test]
fn con_3_a_message_goes_from_error_back_into_the_queue() -> Result<()> {
    let site = Site::start()?;
    let device = office(&site, "acme", "erp", "Acme")?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/exchange")?;
    site.make(&format!("{BASE}/messages"), &message("acme", (&device, "erp"), "order-1", &json!({ "sum": 1 })))?;
    let waits = "document.querySelector('#exchange tbody tr td:nth-child(3)').innerText.trim() === '1'";
    eyes.wait_until(waits, json!([]))?; // By itself.
    let process = prepared(&site, "erp", "no such article", &[])?;
    site.make(&format!("{BASE}/processes/{process}/commit"), &json!({}))?;
    eyes.goto("/console/main/exchange/folders?db=erp&folder=Error")?;
    eyes.wait_for_text("no such article")?;
    eyes.click(link("order-1"))?;
    eyes.wait_for_text("The database could not process it")?;
    eyes.click(button("Put back into the queue"))?;
    eyes.click(button("Put back into the queue").within(DIALOG))?;
    eyes.wait_for_text("It waits to be given")
}

#[test]
fn con_3_con_10_a_process_of_unknown_outcome_is_settled_with_a_button() -> Result<()> {
    let site = impatient()?;
    let device = office(&site, "acme", "erp", "Acme")?;
    for id in ["order-1", "order-2"] {
        site.make(&format!("{BASE}/messages"), &message("acme", (&device, "erp"), id, &json!({ "sum": 1 })))?;
    }
    let reply = message("acme", ("erp", &device), "reply-1", &json!({ "taken": true }));
    let process = prepared(&site, "erp", "no such article", &[reply])?;
    let mut eyes = site.admin(Sight::DESK)?;
    let page = format!("/console/main/exchange/processes/{process}");
    eyes.goto(&page)?;
    eyes.wait_until("document.querySelector('#state').innerText === 'unknown outcome'", json!([]))?;
    check_sound(&mut eyes, &page, &Sight::CROSSWISE)?;
    eyes.goto(&page)?;
    eyes.click(button("The database did not commit"))?;
    eyes.wait_for_text("orders and payments twice")?;
    eyes.click(button("The database did not commit").within(DIALOG))?;
    eyes.wait_until("document.querySelector('#state').innerText === 'rolled back'", json!([]))?;
    eyes.goto("/console/main/exchange/folders?db=erp&folder=Messages")?;
    eyes.wait_for_text("order-2")
}

/// The folder of what is done, once the clerk has laid the files of these messages: then a commit has to move them.
fn log_folder(site: &Site, db: &str, ids: &[&str]) -> Result<PathBuf> {
    const LOOKS: u32 = 20_000;
    let folder = site.data().join("exchange/main").join(db);
    let (queue, log) = (folder.join("Messages"), folder.join("Log"));
    for _ in 0..LOOKS {
        if log.is_dir() && ids.iter().all(|id| has_file(&queue, id).unwrap_or(false)) {
            return Ok(log);
        }
        site.read(&format!("{BASE}/ledger?db={db}"))?;
    }
    bail!("the files of {ids:?} were never laid in {}", folder.display())
}

fn has_file(folder: &Path, id: &str) -> Result<bool> {
    let mut files = fs::read_dir(folder)?.filter_map(|file| file.ok()?.file_name().into_string().ok());
    Ok(files.any(|name| name.contains(id)))
}

#[test]
fn con_3_con_10_files_that_are_stuck_are_tried_again_with_a_button() -> Result<()> {
    let site = Site::start()?;
    let device = office(&site, "acme", "erp", "Acme")?;
    for id in ["order-1", "order-2"] {
        site.make(&format!("{BASE}/messages"), &message("acme", (&device, "erp"), id, &json!({ "sum": 1 })))?;
    }
    let log = log_folder(&site, "erp", &["order-1", "order-2"])?;
    fs::remove_dir(&log)?;
    fs::write(&log, "in the way")?;
    let process = prepared(&site, "erp", "no such article", &[])?;
    site.make(&format!("{BASE}/processes/{process}/commit"), &json!({}))?;
    let mut eyes = site.admin(Sight::DESK)?;
    let page = format!("/console/main/exchange/processes/{process}");
    eyes.goto(&page)?;
    eyes.wait_until("document.querySelector('#state').innerText === 'files stuck'", json!([]))?;
    eyes.wait_for_text("Look at the disk")?;
    eyes.wait_for_text("order-1~")?; // The journal names the file.
    check_sound(&mut eyes, &page, &Sight::CROSSWISE)?;
    eyes.goto("/console/main/exchange")?;
    eyes.wait_for_text("Processes whose files cannot be moved: 1")?;
    eyes.click(link("Look at it"))?;
    eyes.click(link(&process))?;
    fs::remove_file(&log)?;
    fs::create_dir(&log)?;
    eyes.click(button("Try again now"))?;
    eyes.wait_until("document.querySelector('#state').innerText === 'committed'", json!([]))?;
    assert!(has_file(&log, "order-1")?, "its file lies where it belongs");
    eyes.goto("/console/main/exchange/processes?state=failed")?;
    eyes.wait_for_text("No files are stuck")
}
