//! What happened and what is wrong (CON-8): journal, alerts, channels, messages, counters.

use anyhow::Result;
use browser::Sight;
use browser::eyes::{button, heading, link};
use serde_json::json;

use crate::elsewhere::Elsewhere;
use crate::site::Site;
use crate::steps::{DIALOG, check};

#[test]
fn con_8_the_journal_tells_what_happens_while_one_looks_and_is_searched() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.click(link("Journal").within("nav.side"))?;
    eyes.wait_for(heading("Journal"))?;
    eyes.script("window.same = true", vec![])?;
    site.make("/v1/main/accounts", &json!({ "name": "anna", "role": "operator" }))?;
    eyes.wait_until("window.same && document.querySelector('#journal').innerText.includes('anna')", json!([]))?;
    check(&eyes)?;
    eyes.fill("input[name=kind]", "account.")?;
    eyes.click(button("Filter"))?;
    eyes.wait_for(link("Show all"))?;
    assert!(eyes.read("#journal")?.contains("anna"));
    eyes.fill(".filters input[name=q]", "nobody-of-this-name")?;
    eyes.click(button("Filter"))?;
    eyes.wait_for_text("Nothing fits")?;
    check(&eyes)?;
    eyes.click(link("Show all"))?;
    eyes.wait_for_place("/console/main/journal")
}

#[test]
fn con_8_an_alert_is_told_by_a_channel_seen_acknowledged_and_closed() -> Result<()> {
    let site = Site::with_targets()?;
    let (target, hook) = (Elsewhere::start(500, "")?, Elsewhere::start(200, "")?);
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/alerts")?;
    eyes.wait_for_text("No open alert")?;
    eyes.click(link("Channels").within("main"))?;
    eyes.wait_for_text("Nobody is told of alerts")?;
    check(&eyes)?;
    eyes.fill("input[name='channels.0.url']", &hook.url("/alerts"))?;
    eyes.click("form:has(input[name='channels.0.url']) button")?;
    eyes.wait_for("input[name='channels.1.url']")?;
    eyes.fill("input[name='channels.1.to']", "anna@example.org, boris@example.org")?;
    eyes.click("form:has(input[name='channels.1.to']) button")?;
    eyes.wait_for("input[name='channels.2.to']")?;
    check(&eyes)?;
    eyes.click(button("Try earlier"))?;
    let first = "document.querySelector('#channels tbody tr').innerText.includes(args[0])";
    eyes.wait_until(first, json!(["anna@example.org"]))?;
    eyes.click(button("Try earlier"))?;
    eyes.wait_until(first, json!(["webhook"]))?;
    eyes.click(button("Remove").within("#channels tbody tr:last-child"))?;
    eyes.click(button("Remove").within(DIALOG))?;
    eyes.wait_for("input[name='channels.1.to']")?;

    let task = site.task("erp.push-orders", "", &target.url("/"))?;
    site.park(&task)?;
    eyes.goto("/console/main/alerts")?;
    eyes.wait_for_text("erp.push-orders")?;
    check(&eyes)?;
    eyes.click(button("Acknowledge"))?;
    eyes.wait_for_text("No open alert")?;
    eyes.goto("/console/main/alerts?state=acknowledged")?;
    eyes.wait_for_text("erp.push-orders")?;
    target.says(200);
    site.make(&format!("/v1/main/tasks/{task}/move"), &json!({ "start_at": "2020-01-01T00:00:00Z" }))?;
    eyes.wait_for_text("No alert is in this state")?;
    eyes.goto("/console/main/alerts?state=closed")?;
    eyes.wait_for_text("erp.push-orders")?;
    check(&eyes)?;
    eyes.click(link("Messages").within("main"))?;
    eyes.wait_for(heading("Messages about alerts"))?;
    check(&eyes)
}

#[test]
fn con_8_counters_tell_who_sends_and_who_fails() -> Result<()> {
    let site = Site::start()?;
    site.make("/v1/main/accounts", &json!({ "name": "anna", "role": "operator" }))?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.click(link("Counters").within("nav.side"))?;
    eyes.wait_for_text("account.create")?;
    eyes.fill("input[name=kind]", "no such kind")?;
    eyes.click(button("Filter"))?;
    eyes.wait_for_text("Nothing was counted")?;
    check(&eyes)
}
