//! Workflow (CON-4, WFL-23): a process as a picture, searches, broken tasks by group, jobs, actors, types, schedules.

use anyhow::{Context, Result};
use browser::eyes::{button, heading, link};
use browser::{Eyes, Sight};
use serde_json::{Value, json};

use crate::site::Site;
use crate::steps::{DIALOG, check, check_sound};

const BASE: &str = "/v1/main/workflow";
const ROOT: &str = "/console/main/workflow";

/// Starts a process; its id.
pub fn start(site: &Site, wanted: &Value) -> Result<String> {
    let made = site.make(&format!("{BASE}/processes"), wanted)?;
    Ok(made["process_id"].as_str().context("no id")?.to_owned())
}

/// The tasks that are ready for an actor now, at most so many.
pub fn poll(site: &Site, actor: &str, max: usize) -> Result<Vec<Value>> {
    let asked = json!({ "actor": actor, "worker": "wendy", "max": max, "wait_ms": 0 });
    let told = site.make(&format!("{BASE}/poll"), &asked)?;
    Ok(told["tasks"].as_array().context("no tasks")?.clone())
}

/// Tasks end with what is said here.
pub fn bring(site: &Site, tasks: &[Value], says: &Value) -> Result<()> {
    let result = |task: &Value| {
        let mut result = says.clone();
        for name in ["task_id", "attempt", "pass"] {
            result[name] = task[name].clone();
        }
        result
    };
    let results: Vec<Value> = tasks.iter().map(result).collect();
    let told = site.make(&format!("{BASE}/release"), &json!({ "results": results }))?;
    let accepted = told["results"].as_array().is_some_and(|all| all.iter().all(|one| one["accepted"] == true));
    anyhow::ensure!(accepted, "{told}");
    Ok(())
}

/// An order: its coordinator laid out two prices, a sum and an approval; one price is done.
fn order(site: &Site) -> Result<String> {
    let id = start(
        site,
        &json!({ "type": "order", "custom_id": "order-17",
            "start": { "actor": "order#1", "method": "begin", "args": [{ "value": { "lines": [2, 5] } }] } }),
    )?;
    let tasks = json!([
        { "id": "chair", "actor": "price#1", "method": "ask", "args": [{ "value": 2 }] },
        { "id": "table", "actor": "price#1", "method": "ask", "args": [{ "value": 5 }] },
        { "id": "total", "actor": "sum#1", "args": [{ "promise": "chair" }, { "promise": "table" }] },
        { "id": "yes", "actor": "@signal", "method": "approved" },
        { "id": "bill", "actor": "bill#1", "args": [{ "promise": "total" }], "wait_for": ["yes"] },
    ]);
    bring(site, &poll(site, "order#1", 1)?, &json!({ "value": { "promise": "bill" }, "tasks": tasks }))?;
    bring(site, &poll(site, "price#1", 1)?, &json!({ "value": 20 }))?;
    Ok(id)
}

/// A process whose only task failed for good.
pub fn broken(site: &Site, actor: &str, class: &str, message: &str) -> Result<String> {
    let id = start(site, &json!({ "type": "bill", "start": { "actor": actor, "method": "pay" } }))?;
    let error = json!({ "class": class, "message": message, "trace": "at pay (bill.rs:17)\nat main" });
    bring(site, &poll(site, actor, 1)?, &json!({ "error": error }))?;
    Ok(id)
}

/// Back to the beginning of the page: a driver does not see that the head of the page lies above a line.
fn above(eyes: &Eyes) -> Result<()> {
    eyes.script("scrollTo(0, 0)", vec![]).map(drop)
}

fn state_of(site: &Site, id: &str) -> Result<String> {
    Ok(site.read(&format!("{BASE}/processes/{id}"))?["state"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn con_4_the_first_page_says_how_to_begin_and_then_what_needs_somebody() -> Result<()> {
    let site = Site::start()?;
    let mut eyes = site.admin(Sight::DESK)?;
    eyes.goto("/console/main/")?;
    eyes.click(link("Workflow").within("nav.side"))?;
    eyes.wait_for_text("Start the first one")?;
    check(&eyes)?;
    eyes.wait_for("#live.on")?;
    broken(&site, "bill#1", "Refused", "no money")?;
    start(&site, &json!({ "type": "bill", "start": { "actor": "nobody#1" } }))?;
    eyes.wait_for_text("Broken processes: 1.")?; // By itself.
    eyes.wait_for_text("Work waits and nobody comes for it")?;
    check_sound(&mut eyes, ROOT, &Sight::CROSSWISE)
}

#[test]
fn wfl_23_con_4_a_process_is_a_picture_that_moves_by_itself_and_takes_a_signal() -> Result<()> {
    let site = Site::start()?;
    let id = order(&site)?;
    let mut eyes = site.admin(Sight::DESK)?;
    let page = format!("{ROOT}/processes/{id}");
    check_sound(&mut eyes, &page, &Sight::CROSSWISE)?;
    eyes.goto(&page)?;
    eyes.wait_for(heading("order order-17"))?;
    assert_eq!(eyes.count("li.task-line")?, 6);
    assert!(eyes.count(".lane")? > 0, "who waits for whom is drawn");
    eyes.wait_for("#live.on")?;
    eyes.script("window.same = true", vec![])?;
    bring(&site, &poll(&site, "price#1", 1)?, &json!({ "value": 30 }))?;
    bring(&site, &poll(&site, "sum#1", 1)?, &json!({ "value": 50 }))?;
    let done = "[...document.querySelectorAll('.task-state.good')].length === 4 && window.same";
    eyes.wait_until(done, json!([]))?; // By itself.
    eyes.click("li[data-key='task 4'] .task-name")?;
    eyes.wait_until("document.querySelector('#task-state').innerText === 'done'", json!([]))?;
    eyes.wait_for_text("the result of task 2")?;
    check(&eyes)?;
    above(&eyes)?;
    eyes.click("li[data-key='task 5'] .task-name")?;
    eyes.wait_for_place(&format!("{page}?task=5#task"))?;
    eyes.click(button("Send a signal").within("#task"))?;
    eyes.fill("dialog[open] [name=value]", "{\"by\": \"Olga\"}")?;
    check(&eyes)?;
    eyes.click(button("Send").within(DIALOG))?;
    eyes.wait_until("document.querySelector('#task-state').innerText === 'done'", json!([]))?;
    eyes.wait_for_text("Olga")?;
    bring(&site, &poll(&site, "bill#1", 1)?, &json!({ "value": { "sum": 50 } }))?;
    eyes.wait_until("document.querySelector('#state').innerText === 'finished'", json!([]))?;
    // From the prices on: the sum is dropped, and is asked for again.
    above(&eyes)?;
    eyes.click("li[data-key='task 2'] .task-name")?;
    eyes.wait_for_place(&format!("{page}?task=2#task"))?;
    eyes.click(button("Begin anew from here"))?;
    eyes.click(button("Begin anew from here").within(DIALOG))?;
    eyes.wait_until("document.querySelector('#state').innerText === 'active'", json!([]))?;
    eyes.wait_for_text("results were dropped")?;
    above(&eyes)?;
    eyes.click(button("Clone"))?;
    eyes.click(button("Clone").within(DIALOG))?;
    eyes.wait_until("!location.pathname.endsWith(args[0])", json!([id]))?;
    eyes.wait_for_text("to be given to the next worker that asks")?;
    eyes.click(button("Begin anew"))?;
    eyes.click(button("Begin anew").within(DIALOG))?;
    eyes.wait_for_text("begun anew")?;
    eyes.click(button("Abort"))?;
    eyes.fill("dialog[open] [name=reason]", "only a try")?;
    eyes.click(button("Abort").within(DIALOG))?;
    eyes.wait_until("document.querySelector('#state').innerText === 'aborted'", json!([]))?;
    check(&eyes)
}

#[test]
fn wfl_23_a_fan_out_of_a_thousand_is_readable_on_a_phone() -> Result<()> {
    let site = Site::start()?;
    let id = start(&site, &json!({ "type": "wide", "custom_id": "all-shops", "start": { "actor": "split#1" } }))?;
    let mut tasks: Vec<Value> = (0..1_000).map(|at| json!({ "id": format!("p{at}"), "actor": "part#1" })).collect();
    let args: Vec<Value> = (0..1_000).map(|at| json!({ "promise": format!("p{at}") })).collect();
    tasks.push(json!({ "id": "join", "actor": "join#1", "args": args }));
    bring(&site, &poll(&site, "split#1", 1)?, &json!({ "value": { "promise": "join" }, "tasks": tasks }))?;
    bring(&site, &poll(&site, "part#1", 400)?, &json!({ "value": 1 }))?;
    bring(&site, &poll(&site, "part#1", 1)?, &json!({ "error": { "class": "Oops", "message": "no part" } }))?;
    let mut eyes = site.admin(Sight::PHONE)?;
    let page = format!("{ROOT}/processes/{id}");
    eyes.goto(&page)?;
    eyes.wait_for_text("397 more like this")?;
    eyes.wait_for_text("It is broken")?;
    assert!(eyes.count("li.task-line")? < 15);
    check_sound(&mut eyes, &page, &Sight::CROSSWISE)?;
    eyes.goto(&page)?;
    eyes.click("li[data-key^=alike] .task-name")?;
    eyes.wait_for("#tasks tbody tr")?;
    assert_eq!(eyes.count("#tasks tbody tr")?, 50);
    check(&eyes)?;
    eyes.click(link("Next page"))?;
    eyes.click("#tasks tbody tr:last-child a.id")?;
    eyes.wait_for("#task")?;
    check(&eyes)
}

#[test]
fn con_4_processes_are_searched_a_search_is_saved_used_and_deleted_and_a_job_is_begun() -> Result<()> {
    let site = Site::start()?;
    order(&site)?;
    let hurt = broken(&site, "bill#1", "Refused", "no money")?;
    let mut eyes = site.admin(Sight::DESK)?;
    check_sound(&mut eyes, &format!("{ROOT}/processes"), &Sight::CROSSWISE)?;
    eyes.goto(&format!("{ROOT}/processes"))?;
    eyes.choose("form.search [name=state]", "broken")?;
    eyes.click(button("Search"))?;
    eyes.wait_for(link(&hurt))?;
    assert_eq!(eyes.count("#processes tbody tr")?, 1);
    eyes.click(button("Save this search"))?;
    eyes.fill("dialog[open] [name=name]", "what is hurt")?;
    check(&eyes)?;
    eyes.click(button("Save").within(DIALOG))?;
    eyes.wait_for(link("what is hurt"))?;
    eyes.goto(&format!("{ROOT}/processes"))?;
    eyes.click(link("what is hurt"))?;
    eyes.wait_for(link(&hurt))?;
    check(&eyes)?;
    eyes.click(button("Do something with what is found"))?;
    eyes.choose("dialog[open] [name=action]", "try broken tasks again")?;
    check(&eyes)?;
    eyes.click(button("Begin").within(DIALOG))?;
    eyes.wait_for_text("This is a dry run")?;
    eyes.wait_until("document.querySelector('#job #state').innerText === 'done'", json!([]))?;
    eyes.wait_for_text("Would be changed")?;
    assert_eq!(state_of(&site, &hurt)?, "BROKEN", "nothing was changed");
    let place = eyes.place()?;
    check_sound(&mut eyes, &place, &Sight::CROSSWISE)?;
    eyes.goto(&format!("{ROOT}/processes?state=BROKEN"))?;
    eyes.click(button("Do something with what is found"))?;
    eyes.choose("dialog[open] [name=action]", "try broken tasks again")?;
    eyes.click("dialog[open] [name=dry_run]")?;
    eyes.click(button("Begin").within(DIALOG))?;
    eyes.wait_until("document.querySelector('#job #state').innerText === 'done'", json!([]))?;
    assert_eq!(state_of(&site, &hurt)?, "ACTIVE");
    eyes.goto(&format!("{ROOT}/processes?state=BROKEN"))?;
    eyes.wait_for_text("Nothing found")?;
    eyes.click(button("Delete").within("#saved-searches"))?;
    eyes.click(button("Delete").within(DIALOG))?;
    eyes.wait_until("!document.body.innerText.includes('what is hurt')", json!([]))?;
    check(&eyes)
}

#[test]
fn con_4_wfl_17_broken_tasks_are_grouped_tried_again_and_aborted() -> Result<()> {
    let site = Site::start()?;
    let (first, second) =
        (broken(&site, "bill#1", "Refused", "no money")?, broken(&site, "bill#1", "Refused", "still none")?);
    let away = broken(&site, "mail#1", "Away", "no server")?;
    let mut eyes = site.admin(Sight::DESK)?;
    check_sound(&mut eyes, &format!("{ROOT}/broken"), &Sight::CROSSWISE)?;
    eyes.goto(&format!("{ROOT}/broken"))?;
    eyes.choose("[name=group]", "Actor")?;
    eyes.click(button("Group"))?;
    eyes.wait_for(link("mail#1"))?;
    eyes.click(button("Abort").within("tr[data-key='mail#1']"))?;
    eyes.click("dialog[open] [name=dry_run]")?;
    check(&eyes)?;
    eyes.click(button("Abort").within(DIALOG))?;
    eyes.wait_for_text("All these processes are aborted")?;
    eyes.click(button("Abort").within("body > dialog[open]"))?;
    eyes.wait_until("document.querySelector('#job #state')?.innerText === 'done'", json!([]))?;
    assert_eq!(state_of(&site, &away)?, "ABORTED");
    eyes.goto(&format!("{ROOT}/broken"))?;
    eyes.click(link("Refused"))?;
    eyes.wait_for_text("at pay (bill.rs:17)")?;
    check(&eyes)?;
    eyes.click(button("Try again").within(&format!("[data-key='{first}.1']")))?;
    eyes.wait_until("document.querySelectorAll('#group .card').length === 1", json!([]))?;
    assert_eq!((state_of(&site, &first)?, state_of(&site, &second)?), ("ACTIVE".into(), "BROKEN".into()));
    let place = eyes.place()?;
    check_sound(&mut eyes, &place, &Sight::CROSSWISE)
}

#[test]
fn con_4_a_job_is_slowed_down_paused_resumed_and_cancelled() -> Result<()> {
    let site = Site::start()?;
    for _ in 0..30 {
        start(&site, &json!({ "type": "many", "start": { "actor": "a#1" } }))?;
    }
    let wish = json!({ "action": "restart", "search": { "type": "many" }, "rate": 1 });
    let job = site.make(&format!("{BASE}/jobs"), &wish)?["job"].clone();
    let mut eyes = site.admin(Sight::DESK)?;
    let page = format!("{ROOT}/jobs/{job}");
    eyes.goto(&page)?;
    eyes.wait_for("progress")?;
    eyes.click(button("Pause"))?;
    eyes.wait_until("document.querySelector('#job #state').innerText === 'paused'", json!([]))?;
    check_sound(&mut eyes, &page, &Sight::CROSSWISE)?;
    eyes.goto(&page)?;
    eyes.click(button("Rate and priority"))?;
    eyes.fill("dialog[open] [name=rate]", "2")?;
    check(&eyes)?;
    eyes.click(button("Save").within(DIALOG))?;
    eyes.wait_for_text("processes a second: 2")?;
    eyes.click(button("Go on"))?;
    eyes.wait_until("document.querySelector('#job #state').innerText === 'running'", json!([]))?;
    eyes.click(button("Cancel the job"))?;
    eyes.click(button("Cancel the job").within("dialog[open]"))?;
    eyes.wait_until("document.querySelector('#job #state').innerText === 'cancelled'", json!([]))?;
    eyes.click(link("Jobs").within(".crumbs"))?;
    eyes.wait_for_text("type many")?;
    check_sound(&mut eyes, &format!("{ROOT}/jobs"), &Sight::CROSSWISE)
}

#[test]
fn con_4_wfl_21_actors_are_blocked_unblocked_and_set_and_types_too() -> Result<()> {
    let site = Site::start()?;
    order(&site)?;
    let mut eyes = site.admin(Sight::DESK)?;
    for page in ["actors", "types"] {
        check_sound(&mut eyes, &format!("{ROOT}/{page}"), &Sight::CROSSWISE)?;
    }
    eyes.goto(&format!("{ROOT}/actors"))?;
    eyes.click(button("Block").within("tr[data-key='price#1']"))?;
    eyes.click(button("Block").within(DIALOG))?;
    eyes.wait_for(button("Unblock"))?;
    assert_eq!(poll(&site, "price#1", 1)?.len(), 0, "it gets nothing");
    eyes.click(link("price#1"))?;
    eyes.wait_for_text("This actor is blocked")?;
    let place = eyes.place()?;
    check_sound(&mut eyes, &place, &Sight::CROSSWISE)?;
    eyes.goto(&place)?;
    eyes.click(button("Unblock"))?;
    eyes.wait_until("document.querySelector('#actor #state').innerText !== 'blocked'", json!([]))?;
    eyes.click(button("Change settings"))?;
    eyes.fill("dialog[open] [name=work_timeout_ms]", "300000")?;
    check(&eyes)?;
    eyes.click(button("Save").within(DIALOG))?;
    eyes.wait_for_text("5\u{a0}min")?;
    eyes.goto(&format!("{ROOT}/types"))?;
    eyes.click(button("Change").within("tr[data-key=order]"))?;
    eyes.choose("dialog[open] [name=on_inconsistency]", "begins anew")?;
    check(&eyes)?;
    eyes.click(button("Save").within(DIALOG))?;
    eyes.wait_until("document.querySelector('tr[data-key=order] .badge').innerText === 'begins anew'", json!([]))
}

#[test]
fn con_4_wfl_29_a_schedule_is_added_paused_and_deleted() -> Result<()> {
    let site = Site::start()?;
    let mut eyes = site.admin(Sight::DESK)?;
    eyes.goto(&format!("{ROOT}/schedules"))?;
    eyes.wait_for_text("No schedule yet")?;
    eyes.click(button("New schedule"))?;
    eyes.fill("dialog[open] [name=cron]", "30 2 * * *")?;
    eyes.fill("dialog[open] [name='start.type']", "night")?;
    check(&eyes)?;
    eyes.click(button("Create").within(DIALOG))?;
    eyes.wait_for_text("report#1")?;
    assert_eq!(eyes.text()?.matches("02:30:00 UTC").count(), 5, "its next five dates");
    check_sound(&mut eyes, &format!("{ROOT}/schedules"), &Sight::CROSSWISE)?;
    eyes.goto(&format!("{ROOT}/schedules"))?;
    eyes.click(button("Pause"))?;
    eyes.wait_for_text("paused")?;
    eyes.click(button("Go on"))?;
    eyes.wait_for(button("Pause"))?;
    eyes.click("a.button[href*='/schedules/']")?;
    eyes.fill("[name=cron]", "45 3 * * *")?;
    check(&eyes)?;
    eyes.click(button("Save"))?;
    eyes.wait_for_text("03:45:00 UTC")?;
    eyes.click(button("Delete"))?;
    eyes.click(button("Delete").within(DIALOG))?;
    eyes.wait_for_text("No schedule yet")
}

#[test]
fn con_4_con_1_a_reader_sees_and_changes_nothing() -> Result<()> {
    let site = Site::start()?;
    let (id, hurt) = (order(&site)?, broken(&site, "bill#1", "Refused", "no money")?);
    site.make(&format!("{BASE}/jobs"), &json!({ "action": "analyse" }))?;
    site.account("main", "rita", "reader")?;
    let eyes = site.person("main", "rita", Sight::PHONE)?;
    for page in [
        String::new(),
        "/processes".into(),
        format!("/processes/{id}"),
        format!("/processes/{hurt}"),
        "/broken".into(),
        "/broken/tasks".into(),
        "/jobs/1".into(),
        "/actors".into(),
        "/types".into(),
        "/schedules".into(),
    ] {
        eyes.goto(&format!("{ROOT}{page}"))?;
        assert_eq!(eyes.count("main form[data-call]")?, 0, "{page}");
        check(&eyes)?;
    }
    Ok(())
}
