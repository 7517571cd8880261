//! The overview (CON-2): live without reload, and the way from "something is wrong" to "it is done".

use anyhow::Result;
use browser::Sight;
use browser::eyes::{button, heading, link};
use serde_json::json;

use crate::elsewhere::Elsewhere;
use crate::site::{ADMIN, PASSWORD, Site};
use crate::steps::check_sound;

/// Gone with the page if it is loaded anew.
const MARK: &str = "window.same = true; window.moves = 0;
    new MutationObserver(() => window.moves++).observe(document.getElementById('rates'),
        { subtree: true, childList: true, attributes: true });";

/// A number of the overview, by what it is called.
const TILE: &str = "[...document.querySelectorAll('.stat')].find(stat => stat.innerText.includes(args[0]))";

#[test]
fn con_2_numbers_and_charts_move_under_load_without_reload() -> Result<()> {
    let site = Site::with_targets()?;
    let target = Elsewhere::start(200, "")?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.wait_for("#live.on")?;
    eyes.script(MARK, vec![])?;
    let later = json!({ "op": "report.nightly", "target": target.url("/"), "start_at": "2099-01-01T00:00:00Z" });
    for _ in 0..30 {
        site.task("erp.push-orders", "", &target.url("/"))?;
        site.make("/v1/main/tasks", &later)?;
    }
    let holds = |expression: &str| eyes.wait_until(&format!("{TILE}.innerText.match({expression})"), json!(["Later"]));
    // Thirty of ours, and what stands of the parts.
    holds(r"/\b[3-9]\d\b/")?;
    // The charts tell the rate in words, too.
    eyes.wait_until(
        "/Tasks.*done: (3\\d|[4-9]\\d|\\d{3,}) in all, max (?!0[;,])/.test(document.querySelector('#rates').innerHTML)",
        json!([]),
    )?;
    eyes.wait_until("window.moves > 2 && window.same", json!([]))?;
    assert_eq!(eyes.judge()?, [""; 0]);
    Ok(())
}

#[test]
fn con_2_from_the_login_to_why_it_is_parked_and_run_again_in_two_clicks() -> Result<()> {
    let site = Site::with_targets()?;
    let target = Elsewhere::start(500, "")?;
    let task = site.task("erp.push-orders", "warehouse north", &target.url("/orders"))?;
    site.park(&task)?;
    let eyes = site.stranger(Sight::DESK)?;
    eyes.goto("/console")?;
    eyes.fill("input[name=account]", ADMIN)?;
    eyes.fill("input[name=password]", PASSWORD)?;
    eyes.click(button("Log in"))?; // 1
    eyes.wait_for(heading("Needs you"))?;
    eyes.complaints()?; // The login asks whether one is in already, and the browser notes that one is not.
    let row = eyes.read("#attention tr:has(form[action$='/run'])")?;
    for told in ["erp.push-orders", "warehouse north", "XTARGET", "the target answered with status 500"] {
        assert!(row.contains(told), "no `{told}` in {row}");
    }
    eyes.script("window.same = true", vec![])?;
    target.says(200);
    target.forget();
    eyes.click(button("Run again"))?; // 2
    assert!(target.called()?.contains(&task));
    eyes.wait_for_text("All is well")?;
    assert_eq!(eyes.script("return window.same", vec![])?, true, "no reload was needed");
    assert_eq!(eyes.judge()?, [""; 0]);
    Ok(())
}

#[test]
fn con_2_an_alert_is_acknowledged_where_it_is_seen() -> Result<()> {
    let site = Site::with_targets()?;
    let target = Elsewhere::start(500, "")?;
    let task = site.task("erp.push-orders", "", &target.url("/"))?;
    site.park(&task)?;
    let eyes = site.admin(Sight::PHONE)?;
    eyes.goto("/console/main/")?;
    eyes.wait_for(link("task.parked"))?;
    eyes.click(button("Acknowledge"))?;
    eyes.wait_gone("#attention form[action$='/acknowledge']")?;
    eyes.wait_until(&format!("{TILE}.innerText.includes('1 acknowledged')"), json!(["Open alerts"]))?;
    assert_eq!(eyes.count(button("Run again"))?, 1, "the task still waits for a person");
    assert_eq!(eyes.judge()?, [""; 0]);
    Ok(())
}

#[test]
fn con_2_a_reader_sees_it_all_and_is_offered_no_change() -> Result<()> {
    let site = Site::with_targets()?;
    let target = Elsewhere::start(500, "")?;
    let task = site.task("erp.push-orders", "", &target.url("/"))?;
    site.park(&task)?;
    site.account("main", "rita", "reader")?;
    let eyes = site.person("main", "rita", Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.wait_for(link("erp.push-orders"))?;
    assert_eq!(eyes.count("main form[data-call]")?, 0);
    Ok(())
}

#[test]
fn con_10_the_overview_is_sound_in_every_sight() -> Result<()> {
    let site = Site::with_targets()?;
    let target = Elsewhere::start(500, "")?;
    let mut eyes = site.admin(Sight::DESK)?;
    check_sound(&mut eyes, "/console/z/", &Sight::CROSSWISE)?;
    let task = site.task("erp.push-orders", "", &target.url("/"))?;
    site.park(&task)?;
    check_sound(&mut eyes, "/console/main/", &Sight::CROSSWISE)?;
    check_sound(&mut eyes, "/console/z/?span=7d", &Sight::CROSSWISE)
}
