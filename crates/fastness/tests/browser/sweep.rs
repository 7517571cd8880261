//! Every page of the console with data that nobody would wish for, in every sight (CON-9, CON-10).

use std::collections::BTreeSet;

use anyhow::Result;
use browser::{Eyes, Sight};
use serde_json::{Value, json};

use crate::console_documents::{commit, declare};
use crate::console_exchange::{impatient, message, office, prepared};
use crate::console_folders::directory;
use crate::console_sensors::{client, register, says, tell};
use crate::console_workflow::{bring, broken, poll, start};
use crate::elsewhere::Elsewhere;
use crate::site::Site;
use crate::steps::faults_of;

/// What a device may send where a name is meant: markup, quotes, letters from right to left, pictures.
const EVIL: &str = "<img src=x onerror=alert(1)><script>alert(2)</script>'\"&amp; שלום \u{202e}مرحبا🧨";

/// A word as long as a name can be.
fn long() -> String {
    "W".repeat(255)
}

/// Anything that came from outside and became a part of the page.
const SEEDED: &str =
    "return [...document.querySelectorAll('img, body script, [onerror]')].map(one => one.outerHTML).join()";

/// The pages that the navigation leads to from here.
fn listed(eyes: &Eyes, first: &str) -> Result<Vec<String>> {
    eyes.goto(first)?;
    let script = "return [...document.querySelectorAll('nav.side a')].map(a => a.getAttribute('href'))";
    let links = eyes.script(script, vec![])?;
    let links = links.as_array().into_iter().flatten().filter_map(Value::as_str);
    Ok(links.filter(|link| link.starts_with("/console/")).map(str::to_owned).collect())
}

/// Fills a server with it; gives the pages that no navigation leads to.
fn fill(site: &Site, target: &Elsewhere) -> Result<Vec<String>> {
    let mut pages = vec![];
    for name in [EVIL, &long()] {
        let parked = site.task(name, name, &target.url("/"))?;
        site.park(&parked)?;
        let later = json!({ "op": name, "info": name, "param": { name: [name, null] }, "lane": name, "cron": "D0425",
            "target": format!("{}?q={}", target.url("/"), "%3Cb%3E".repeat(100)), "start_at": "2099-01-01T00:00:00Z" });
        let waits = site.make("/v1/main/tasks", &later)?;
        let behind = site.make("/v1/main/tasks", &later)?;
        for id in [json!(parked), waits["id"].clone(), behind["id"].clone()] {
            pages.push(format!("/console/main/tasks/{}", id.as_str().unwrap_or_default()));
        }
        let label: String = name.chars().take(64).collect();
        site.make("/v1/main/keys", &json!({ "role": "app", "label": label }))?;
    }
    site.ask("PATCH", "/v1/z/namespaces/main", &json!({ "label": EVIL }))?;
    site.make("/v1/main/accounts", &json!({ "name": "w".repeat(64), "role": "reader" }))?;
    let hook = json!({ "channels": [{ "kind": "webhook", "url": target.url("/?%3Cimg%20src=x%3E") }] });
    site.ask("PUT", "/v1/main/alert-channels", &hook)?;
    let login = json!({ "account": EVIL, "password": EVIL });
    site.client().post("/v1/main/sessions", &login, "").map_err(std::io::Error::from)?;
    Ok(pages)
}

/// Documents with the same in every part; gives their pages.
fn documents(site: &Site) -> Result<Vec<String>> {
    declare(site)?;
    let mut pages = vec!["/console/main/documents/Contact".to_owned()];
    for id in [EVIL, &long(), ".."] {
        let card = json!({ "c": "Card", "j": { "name": EVIL, EVIL: [long(), { "a": null }] } });
        let phone = json!({ "c": "Phone", "k": EVIL, "j": long() });
        let gone = json!({ "c": "Phone", "k": long(), "j": 1 });
        commit(site, id, json!([card, phone, gone, { "c": "Note", "k": long(), "s": EVIL }]))?;
        commit(site, id, json!([{ "c": "Phone", "k": long(), "delete": true }]))?;
        let place = format!("/console/main/documents/Contact?id={}", encoded(id));
        pages.push(format!("{place}&c=Phone&k={}", encoded(EVIL)));
        pages.push(format!("{place}&c=Note&k={}", long()));
        pages.push(place);
    }
    for name in [EVIL, &long()] {
        let path = format!("/v1/main/docs/Contact/{}/attachments/{}", encoded(EVIL), encoded(name));
        site.ask("PUT", &path, &json!(EVIL))?;
    }
    Ok(pages)
}

/// Sensors, clients and signals with the same in every part; gives their pages.
fn sensors(site: &Site, target: &Elsewhere) -> Result<Vec<String>> {
    let names =
        [EVIL.to_owned(), format!("{EVIL}, {EVIL}, {EVIL}"), "W".repeat(250), format!("{}, W", "W".repeat(200))];
    let mut pages: Vec<_> = ["", "/as-list", "/as-list?state=lost", "/not-known", "/not-accepted", "/bulk-imports"]
        .map(|page| format!("/console/main/sensors{page}"))
        .to_vec();
    let client_id = client(site, &EVIL.repeat(2), &target.url("/?%3Cimg%20src=x%3E"))?;
    for (at, address) in names.iter().enumerate() {
        let id = format!("W{}{at}", "W".repeat(14));
        register(site, &id, address)?;
        tell(site, &client_id, &id)?;
        for data in [1, 0, 1] {
            says(site, &id, data)?;
        }
        pages.push(format!("/console/main/sensors/{id}"));
        pages.push(format!("/console/main/sensors?address={}", encoded(address)));
        pages.push(format!("/console/main/sensors/as-list?address={}&prefix=W", encoded(address)));
        site.make("/v1/main/signals", &json!([{ "sensor_id": address, "data": address }, address, { address: 1 }]))?;
        says(site, &format!("unknown{at}"), 1)?;
    }
    pages.push("/console/main/sensors?address=M".to_owned());
    pages.push("/console/main/sensors/nobody?span=30d".to_owned());
    pages.push("/console/main/sensor-clients".to_owned());
    pages.push("/console/main/sensor-clients/nobody".to_owned());
    pages.push(format!("/console/main/sensor-clients/{client_id}"));
    Ok(pages)
}

/// Messages, processes and who takes part with the same in every part; gives their pages.
fn exchange(site: &Site) -> Result<Vec<String>> {
    let mut pages: Vec<_> =
        ["", "/devices", "/companies", "/processes", "/processes?state=unknown", "/folders", "/devices/nobody"]
            .map(|page| format!("/console/main/exchange{page}"))
            .to_vec();
    let mut last = String::new();
    let (company, db) = ("W".repeat(40), "W".repeat(64));
    for (company, db, name) in [("acme", "erp", EVIL.to_owned()), (company.as_str(), db.as_str(), "W".repeat(200))] {
        let device = office(site, company, db, &name)?;
        pages.push(format!("/console/main/exchange/devices/{device}"));
        pages.push(format!("/console/main/exchange/databases/{db}"));
        for id in ["a", &"W".repeat(36)] {
            let payload = json!({ EVIL: [EVIL, long(), { "a": null }] });
            site.make("/v1/main/exchange/messages", &message(company, (&device, db), id, &payload))?;
        }
        let reply = message(company, (db, &device), "r", &json!(EVIL));
        let process = prepared(site, db, EVIL, std::slice::from_ref(&reply))?;
        pages.push(format!("/console/main/exchange/processes/{process}"));
        site.make(&format!("/v1/main/exchange/processes/{process}/rollback"), &json!({ "error": EVIL }))?;
        let process = prepared(site, db, &format!("{EVIL} {}", long()), std::slice::from_ref(&reply))?;
        site.make(&format!("/v1/main/exchange/processes/{process}/commit"), &json!({}))?;
        pages.push(format!("/console/main/exchange/processes/{process}"));
        for folder in ["Messages", "Prepared", "Log", "Unknown", "Error"] {
            let found = site.read(&format!("/v1/main/exchange/folders?db={db}&folder={folder}"))?;
            let names = found["items"].as_array().into_iter().flatten().filter_map(|one| one["name"].as_str());
            pages.extend(names.map(|name| format!("/console/main/exchange/messages/{name}")));
            pages.push(format!("/console/main/exchange/folders?db={db}&folder={folder}"));
        }
        site.make("/v1/main/exchange/messages", &message(company, (&device, db), "u", &json!(EVIL)))?;
        last = prepared(site, db, EVIL, &[])?;
    }
    pages.push(format!("/console/main/exchange/processes/{last}"));
    Ok(pages)
}

/// Processes, tasks, errors and searches with the same in every part; gives their pages.
fn workflow(site: &Site) -> Result<Vec<String>> {
    let names = [
        "",
        "/processes",
        "/processes?state=BROKEN",
        "/broken",
        "/broken?group=actor",
        "/broken/tasks",
        "/jobs",
        "/jobs/1",
        "/actors",
        "/types",
        "/schedules",
        "/processes/nobody",
        "/jobs/nobody",
        "/actors/nobody",
        "/schedules/nobody",
    ];
    let mut pages: Vec<_> = names.map(|page| format!("/console/main/workflow{page}")).to_vec();
    let (word, long) = ("W".repeat(100), "W".repeat(200));
    for (kind, text) in [("evil", EVIL), (word.as_str(), long.as_str())] {
        let actor = format!("{kind}#1");
        let method: String = text.chars().take(40).collect();
        let begin =
            json!({ "actor": actor, "method": method, "key": text, "args": [{ "value": { text: [text, null] } }] });
        let id = start(site, &json!({ "type": kind, "custom_id": text, "start": begin }))?;
        let tasks = json!([{ "id": text, "actor": actor, "method": method, "task_list": kind, "retry": {} },
            { "actor": "@signal", "method": method, "wait_for": [text] }]);
        bring(site, &poll(site, &actor, 1)?, &json!({ "value": { text: text }, "tasks": tasks }))?;
        broken(site, &actor, text, &text.repeat(3))?;
        pages.extend(
            ["", "?task=1", "?task=2", "?task=3", "/tasks"]
                .map(|end| format!("/console/main/workflow/processes/{id}{end}")),
        );
        pages.push(format!("/console/main/workflow/actors/{}", encoded(&actor)));
        pages.push(format!("/console/main/workflow/broken/tasks?group=error&name={}", encoded(text)));
        site.make("/v1/main/workflow/searches", &json!({ "name": text, "search": { "custom_id": text } }))?;
        site.make("/v1/main/workflow/jobs", &json!({ "action": "analyse", "search": { "custom_id": text } }))?;
        let schedule = site.make(
            "/v1/main/workflow/schedules",
            &json!({ "cron": "H00", "start": { "type": kind, "custom_id": text, "start": begin } }),
        )?;
        pages.push(format!("/console/main/workflow/schedules/{}", schedule["id"].as_str().unwrap_or_default()));
    }
    Ok(pages)
}

/// Directories and members with the same in every part; gives their pages.
fn folders(site: &Site) -> Result<Vec<String>> {
    let mut pages = vec!["/console/main/folders".to_owned()];
    let long = "W".repeat(64);
    for name in [EVIL, long.as_str()] {
        let id = directory(site, name)?;
        let member: String = name.chars().take(60).collect();
        let path = format!("/v1/main/folders/directories/{id}/members");
        site.make(&path, &json!({ "device": member, "role": "read" }))?;
        let views = ["", "/deleted", "/conflicts", "/devices", "/locks"];
        pages.extend(views.map(|view| format!("/console/main/folders/{id}{view}")));
        pages.push(format!("/console/main/folders/{id}?path={}", encoded(name)));
    }
    Ok(pages)
}

/// A text as a part of an address.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Nothing is wrong with any of these pages, and nothing of the data became a part of one.
fn check_all(eyes: &mut Eyes, pages: &BTreeSet<String>) -> Result<()> {
    let mut found = vec![];
    for page in pages {
        found.extend(faults_of(eyes, page, &Sight::CROSSWISE)?);
        let seeded = eyes.script(SEEDED, vec![])?;
        if seeded != "" {
            found.push(format!("{page}: {seeded}"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    Ok(())
}

#[test]
fn con_9_con_10_every_page_stands_whatever_came_from_outside() -> Result<()> {
    const MORE: [&str; 11] = [
        "/console/main/?span=7d",
        "/console/main/account",
        "/console/main/tasks?state=parked",
        "/console/main/tasks/00000000000000000000000000",
        "/console/main/alerts?state=closed",
        "/console/main/alerts/messages",
        "/console/main/alerts/channels",
        "/console/main/journal?kind=task.",
        "/console/main/journal?q=nothing-has-this-word",
        "/console/z/namespaces/main",
        "/console/_components",
    ];
    let site = Site::with_targets()?;
    let target = Elsewhere::start(500, EVIL)?;
    let mut eyes = site.admin(Sight::DESK)?;
    let mut pages: BTreeSet<String> = fill(&site, &target)?.into_iter().collect();
    pages.extend(listed(&eyes, "/console/main/")?);
    pages.extend(listed(&eyes, "/console/z/")?);
    pages.extend(MORE.map(str::to_owned));
    assert!(pages.len() > 25, "{pages:?}");
    check_all(&mut eyes, &pages)?;
    eyes.goto("/console/main/tasks")?;
    assert!(eyes.text()?.contains("<img src=x onerror=alert(1)>"), "shown as it came");
    Ok(())
}

#[test]
fn con_9_con_10_every_document_stands_whatever_came_from_outside() -> Result<()> {
    let site = Site::start()?;
    let mut eyes = site.admin(Sight::DESK)?;
    let pages = documents(&site)?.into_iter().collect();
    check_all(&mut eyes, &pages)?;
    eyes.goto("/console/main/documents/Contact")?;
    assert!(eyes.text()?.contains("<img src=x onerror=alert(1)>"), "shown as it came");
    Ok(())
}

#[test]
fn con_9_con_10_every_sensor_stands_whatever_came_from_outside() -> Result<()> {
    let site = Site::with_targets()?;
    let target = Elsewhere::start(500, EVIL)?;
    let mut eyes = site.admin(Sight::DESK)?;
    let pages = sensors(&site, &target)?.into_iter().collect();
    check_all(&mut eyes, &pages)?;
    for page in ["sensors/as-list", "sensors/not-accepted"] {
        eyes.goto(&format!("/console/main/{page}"))?;
        assert!(eyes.text()?.contains("<img src=x onerror=alert(1)>"), "shown as it came");
    }
    Ok(())
}

#[test]
fn con_9_con_10_every_page_of_the_exchange_stands_whatever_came_from_outside() -> Result<()> {
    let site = impatient()?;
    let mut eyes = site.admin(Sight::DESK)?;
    let pages: BTreeSet<String> = exchange(&site)?.into_iter().collect();
    eyes.goto("/console/main/exchange")?;
    eyes.wait_for_text("Processes of unknown outcome: 2")?;
    check_all(&mut eyes, &pages)?;
    for page in ["exchange/devices", "exchange/processes", "exchange/folders?db=erp&folder=Error"] {
        eyes.goto(&format!("/console/main/{page}"))?;
        assert!(eyes.text()?.contains("<img src=x onerror=alert(1)>"), "shown as it came");
    }
    Ok(())
}

#[test]
fn con_9_con_10_every_page_of_the_workflow_stands_whatever_came_from_outside() -> Result<()> {
    let site = Site::start()?;
    let mut eyes = site.admin(Sight::DESK)?;
    let pages: BTreeSet<String> = workflow(&site)?.into_iter().collect();
    check_all(&mut eyes, &pages)?;
    for page in ["workflow/processes", "workflow/broken"] {
        eyes.goto(&format!("/console/main/{page}"))?;
        assert!(eyes.text()?.contains("<img src=x onerror=alert(1)>"), "shown as it came");
    }
    Ok(())
}

#[test]
fn con_9_con_10_every_directory_stands_whatever_came_from_outside() -> Result<()> {
    let site = Site::start()?;
    let mut eyes = site.admin(Sight::DESK)?;
    let pages: BTreeSet<String> = folders(&site)?.into_iter().collect();
    check_all(&mut eyes, &pages)?;
    eyes.goto("/console/main/folders")?;
    assert!(eyes.text()?.contains("<img src=x onerror=alert(1)>"), "shown as it came");
    Ok(())
}
