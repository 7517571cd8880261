//! Tasks, queues and what is stuck (CON-8, KER-22): every action, as a person does it.

use anyhow::Result;
use browser::eyes::{button, heading, link};
use browser::{Key, Sight};
use serde_json::json;

use crate::elsewhere::Elsewhere;
use crate::site::Site;
use crate::steps::{DIALOG, check, set};

#[test]
fn con_8_con_10_a_phone_folds_filters_that_are_not_in_use() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::PHONE)?;
    let is_shown = "document.querySelector('.filters [name=op]').checkVisibility({ contentVisibilityAuto: true })";
    eyes.goto("/console/main/tasks")?;
    eyes.wait_until(&format!("!{is_shown}"), json!([]))?;
    check(&eyes)?;
    eyes.click(".folded-filters > summary")?;
    eyes.wait_until(is_shown, json!([]))?;
    check(&eyes)?;
    eyes.fill(".filters [name=op]", "nothing-of-this-name")?;
    eyes.click(".filters button")?;
    eyes.wait_for(".empty-title")?;
    assert_eq!(eyes.read(".empty-title")?, "No task fits");
    eyes.wait_until(is_shown, json!([]))?;
    Ok(())
}

#[test]
fn con_8_a_task_is_created_looked_at_moved_and_run_and_seen_to_end() -> Result<()> {
    let site = Site::with_targets()?;
    let target = Elsewhere::start(200, "")?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.click(link("Tasks").within("nav.side"))?;
    eyes.click(button("New task"))?;
    let field = |name: &str| format!("{DIALOG} [name={name}]");
    eyes.fill(field("op").as_str(), "report.nightly")?;
    eyes.fill(field("target").as_str(), &target.url("/nightly"))?;
    eyes.fill(field("param").as_str(), "{\"region\": ")?;
    eyes.fill(field("info").as_str(), "region north")?;
    set(&eyes, &field("start_at"), "2099-01-01T04:25:00")?;
    check(&eyes)?;
    eyes.click(button("Create").within(DIALOG))?;
    eyes.wait_for("dialog[open] .form-error")?;
    assert!(eyes.read("dialog[open] .form-error")?.starts_with("Parameter: "), "says which field is no JSON");
    eyes.fill(field("param").as_str(), "{\"region\": \"north\"}")?;
    eyes.click(button("Create").within(DIALOG))?;

    eyes.wait_for(heading("report.nightly"))?;
    assert!(eyes.read("#headline")?.starts_with("Starts at 2099-01-01"), "{}", eyes.read("#headline")?);
    check(&eyes)?;
    eyes.click(button("Move to…"))?;
    set(&eyes, &field("start_at"), "2098-06-01T00:00:00")?;
    eyes.click(button("Move").within(DIALOG))?;
    eyes.wait_until("document.querySelector('#headline').innerText.includes('2098-0')", json!([]))?;
    eyes.script("window.same = true", vec![])?;
    eyes.click(button("Run now"))?;
    let told = target.called()?;
    assert!(told.contains(r#""region":"north""#) && told.contains("report.nightly"), "{told}");
    eyes.wait_for_text("This task is not there any more")?;
    assert_eq!(eyes.script("return window.same", vec![])?, true, "seen without reload");
    check(&eyes)
}

#[test]
fn con_8_why_a_task_is_parked_is_one_click_from_the_overview() -> Result<()> {
    let site = Site::with_targets()?;
    let target = Elsewhere::start(500, "")?;
    let task = site.task("erp.push-orders", "warehouse north", &target.url("/orders"))?;
    site.park(&task)?;
    let eyes = site.admin(Sight::PHONE)?;
    eyes.goto("/console/main/")?;
    eyes.click(link("erp.push-orders"))?;
    eyes.wait_for_place(&format!("/console/main/tasks/{task}"))?;
    let why = eyes.read("#headline")?;
    assert!(why.contains("Parked after 5 tries: the target answered with status 500."), "{why}");
    eyes.wait_for_text("it was certainly not done")?;
    eyes.wait_for_text("task.parked")?;
    check(&eyes)?;
    target.says(200);
    target.forget();
    eyes.click(button("Run again"))?;
    assert!(target.called()?.contains(&task));
    eyes.wait_for_text("This task is not there any more")?;
    check(&eyes)
}

#[test]
fn con_8_a_task_is_deleted_only_when_the_person_is_sure() -> Result<()> {
    let site = Site::with_targets()?;
    let target = Elsewhere::start(200, "")?;
    let later = |op: &str| json!({ "op": op, "target": target.url("/"), "start_at": "2099-01-01T00:00:00Z" });
    site.make("/v1/main/tasks", &later("keep"))?;
    site.make("/v1/main/tasks", &later("lose"))?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/tasks?op=lose")?;
    assert_eq!(eyes.count(link("keep"))?, 0, "filtered");
    eyes.click(button("Delete"))?;
    eyes.wait_for_text("Delete the task “lose”?")?;
    check(&eyes)?;
    eyes.press(Key::Escape)?;
    eyes.wait_gone(DIALOG)?;
    eyes.click(button("Delete"))?;
    eyes.click(button("Cancel").within(DIALOG))?;
    eyes.wait_gone(DIALOG)?;
    assert_eq!(eyes.count(link("lose"))?, 1, "the row is there once");
    eyes.click(button("Delete"))?;
    eyes.click(button("Delete").within(DIALOG))?;
    eyes.wait_for_text("No task fits")?;
    eyes.click(link("Reset"))?;
    eyes.wait_for(link("keep"))?;
    eyes.press(Key::Divide)?;
    assert_eq!(eyes.focused()?, "Operation", "the filter by a key");
    check(&eyes)
}

#[test]
fn con_8_a_target_that_did_its_work_unheard_is_reported_by_hand() -> Result<()> {
    let site = Site::with_targets()?;
    let target = Elsewhere::start(500, "")?;
    let task = site.task("erp.push-orders", "", &target.url("/"))?;
    site.park(&task)?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto(&format!("/console/main/tasks/{task}"))?;
    eyes.click(button("Report as done…"))?;
    assert_eq!(eyes.value("dialog[open] [name=attempt]")?, "5", "the last one is proposed");
    check(&eyes)?;
    eyes.click(button("It was done").within(DIALOG))?;
    eyes.wait_for_text("This task is not there any more")?;
    check(&eyes)
}

#[test]
fn con_8_a_queue_is_suspended_what_waits_is_seen_and_it_goes_on_when_resumed() -> Result<()> {
    let site = Site::with_targets()?;
    let target = Elsewhere::start(200, "")?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/queues")?;
    eyes.click(button("Suspend").within("tr[data-key='main.1']"))?;
    check(&eyes)?;
    eyes.click(button("Suspend").within(DIALOG))?;
    eyes.wait_for(button("Resume").within("tr[data-key='main.1']"))?;
    let queued = json!({ "op": "report.nightly", "target": target.url("/"), "queue": 1 });
    let made = site.make("/v1/main/tasks", &queued)?;
    let task = made["id"].as_str().unwrap_or_default();
    eyes.goto(&format!("/console/main/tasks/{task}"))?;
    eyes.wait_for_text("Its queue is suspended")?;
    eyes.click(link("To the queues"))?;
    eyes.click(button("Resume").within("tr[data-key='main.1']"))?;
    assert!(target.called()?.contains(task));
    eyes.wait_for(button("Suspend").within("tr[data-key='main.1']"))?;

    eyes.click(button("Suspend all"))?;
    eyes.click(button("Suspend all").within(DIALOG))?;
    eyes.wait_for(button("Resume all"))?;
    check(&eyes)?;
    eyes.click(button("Resume all"))?;
    eyes.wait_gone("form[action$='/queues/resume']")?;
    check(&eyes)
}

#[test]
fn con_8_the_whole_server_is_suspended_and_resumed_by_its_administrators() -> Result<()> {
    let site = Site::with_targets()?;
    let target = Elsewhere::start(200, "")?;
    let eyes = site.admin(Sight::PHONE)?;
    eyes.goto("/console/z/queues")?;
    eyes.click(button("Suspend the whole server"))?;
    eyes.click(button("Suspend the whole server").within(DIALOG))?;
    eyes.wait_for(button("Resume the whole server"))?;
    let task = site.task("report.nightly", "", &target.url("/"))?;
    eyes.goto("/console/z/tasks")?;
    eyes.wait_for(link("report.nightly"))?;
    check(&eyes)?;
    eyes.goto("/console/z/queues")?;
    check(&eyes)?;
    eyes.click(button("Resume the whole server"))?;
    assert!(target.called()?.contains(&task));
    eyes.wait_gone("form[action$='/queues/resume']")
}

#[test]
fn con_8_nothing_is_stuck_and_the_page_says_so() -> Result<()> {
    let site = Site::start()?;
    let eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.click(link("Stuck").within("nav.side"))?;
    eyes.wait_for_text("Nothing is stuck")?;
    check(&eyes)
}
