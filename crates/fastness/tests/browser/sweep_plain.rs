//! Every page of the console as people meet it: with no data, with a little, and with more than one page of it, in three languages and
//! every sight (CON-1, CON-10). With `FASTNESS_TEST_PICTURES` set to a folder, pictures of all of them are left there to be looked at.

use anyhow::Result;
use browser::{Eyes, Sight};
use serde_json::{Value, json};

use crate::console_documents::{commit, declare};
use crate::console_exchange::{message, office, prepared};
use crate::console_folders::directory;
use crate::console_sensors::{client, register, says, tell};
use crate::console_workflow::{bring, broken, poll, start};
use crate::elsewhere::Elsewhere;
use crate::site::{ADMIN, HOME, PASSWORD, Site};
use crate::steps::{faults_of, picture};

/// Pages that are there whatever there is.
const PAGES: [&str; 46] = [
    "main/",
    "main/?span=24h",
    "main/account",
    "main/search",
    "main/tasks",
    "main/tasks?state=parked",
    "main/queues",
    "main/stuck",
    "main/journal",
    "main/alerts",
    "main/alerts?state=closed",
    "main/alerts/messages",
    "main/alerts/channels",
    "main/counters",
    "main/accounts",
    "main/keys",
    "main/documents",
    "main/exchange",
    "main/exchange/devices",
    "main/exchange/companies",
    "main/exchange/processes",
    "main/exchange/folders",
    "main/exchange/devices/nobody",
    "main/workflow",
    "main/workflow/processes",
    "main/workflow/broken",
    "main/workflow/jobs",
    "main/workflow/actors",
    "main/workflow/types",
    "main/workflow/schedules",
    "main/workflow/processes/nobody",
    "main/sensors",
    "main/sensors/as-list",
    "main/sensors/not-known",
    "main/sensors/not-accepted",
    "main/sensors/bulk-imports",
    "main/sensor-clients",
    "main/folders",
    "z/",
    "z/namespaces",
    "z/namespaces/main",
    "z/configuration",
    "z/tasks",
    "z/queues",
    "z/journal",
    "z/accounts",
];

/// What is wrong with pages in English, however one looks, and in the other languages on a desk and a phone.
fn check(site: &Site, pages: &[String]) -> Result<()> {
    let mut found = vec![];
    let mut eyes = site.admin(Sight::DESK)?;
    for page in pages {
        found.extend(faults_of(&mut eyes, &format!("/console/{page}"), &[])?);
    }
    for language in ["ru", "fr"] {
        let mut eyes = site.reader_of(language, Sight::DESK)?;
        eyes.log_in(HOME, ADMIN, PASSWORD)?;
        for page in pages {
            found.extend(faults_in(&mut eyes, &format!("/console/{page}"))?);
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    Ok(())
}

fn faults_in(eyes: &mut Eyes, page: &str) -> Result<Vec<String>> {
    let mut found = vec![];
    eyes.goto(page)?;
    for sight in [Sight::DESK, Sight::PHONE] {
        eyes.look_as(sight)?;
        picture(eyes, page)?;
        found.extend(eyes.faults()?.into_iter().map(|fault| format!("{page} {sight}: {fault}")));
    }
    Ok(found)
}

#[test]
fn con_1_con_10_every_page_stands_without_data_in_three_languages() -> Result<()> {
    let site = Site::start()?;
    check(&site, &PAGES.map(str::to_owned))
}

#[test]
fn con_1_con_10_every_page_stands_with_a_little_data_in_three_languages() -> Result<()> {
    let site =
        Site::start_with(&[("FASTNESS_EXCHANGE__COMMIT_WITHIN", "1s"), ("FASTNESS_OUTBOUND__ALLOW_PRIVATE", "true")])?;
    let target = Elsewhere::start(500, "no")?;
    let mut pages: Vec<String> = PAGES.map(str::to_owned).to_vec();
    pages.extend(work(&site, &target)?);
    pages.extend(exchange(&site)?);
    pages.extend(workflow(&site)?);
    pages.extend(others(&site, &target)?);
    check(&site, &pages)
}

/// A task that is parked, one that is to come, keys.
fn work(site: &Site, target: &Elsewhere) -> Result<Vec<String>> {
    let later = json!({ "op": "report.night", "info": "Night of Monday", "target": target.url("/"), "cron": "D0425", "start_at": "2099-01-01T00:00:00Z" });
    let made = site.make("/v1/main/tasks", &later)?;
    site.make("/v1/main/keys", &json!({ "role": "app", "label": "till 7" }))?;
    site.make("/v1/main/accounts", &json!({ "name": "olga", "role": "operator" }))?;
    Ok(vec![format!("main/tasks/{}", made["id"].as_str().unwrap_or_default()), "main/search?q=n".into()])
}

fn exchange(site: &Site) -> Result<Vec<String>> {
    let device = office(site, "acme", "erp", "Till seven")?;
    for id in ["order-1", "order-2", "order-3"] {
        site.make("/v1/main/exchange/messages", &message("acme", (&device, "erp"), id, &json!({ "sum": 12.5 })))?;
    }
    let process = prepared(site, "erp", "no such customer", &[])?;
    site.make(&format!("/v1/main/exchange/processes/{process}/commit"), &json!({}))?;
    site.make("/v1/main/exchange/messages", &message("acme", (&device, "erp"), "order-4", &json!(4)))?;
    let unknown = prepared(site, "erp", "no such customer", &[])?;
    let folders = ["Messages", "Log", "Error"].map(|folder| format!("main/exchange/folders?db=erp&folder={folder}"));
    let mut pages = vec![
        format!("main/exchange/devices/{device}"),
        "main/exchange/databases/erp".to_owned(),
        format!("main/exchange/processes/{process}"),
        format!("main/exchange/processes/{unknown}"),
    ];
    pages.extend(folders);
    Ok(pages)
}

fn workflow(site: &Site) -> Result<Vec<String>> {
    let begin = json!({ "actor": "order#1", "method": "begin", "args": [{ "value": { "customer": 7 } }] });
    let id = start(site, &json!({ "type": "order", "custom_id": "order-4711", "start": begin }))?;
    let tasks = json!([{ "id": "pack", "actor": "order#1", "method": "pack" }, { "actor": "@signal", "method": "paid", "wait_for": ["pack"] }]);
    bring(site, &poll(site, "order#1", 1)?, &json!({ "value": 1, "tasks": tasks }))?;
    broken(site, "order#1", "OutOfStock", "nothing left of article 7")?;
    site.make("/v1/main/workflow/jobs", &json!({ "action": "analyse", "search": { "type": "order" } }))?;
    let schedule = site.make(
        "/v1/main/workflow/schedules",
        &json!({ "cron": "D0425", "start": { "type": "order", "start": begin } }),
    )?;
    let mut pages = vec!["main/workflow/jobs/1".to_owned(), "main/workflow/actors/order%231".to_owned()];
    pages.extend(["", "?task=2", "/tasks"].map(|end| format!("main/workflow/processes/{id}{end}")));
    pages.push("main/workflow/broken/tasks?group=error&name=OutOfStock".into());
    pages.push(format!("main/workflow/schedules/{}", schedule["id"].as_str().unwrap_or_default()));
    Ok(pages)
}

/// Sensors, documents and folders.
fn others(site: &Site, target: &Elsewhere) -> Result<Vec<String>> {
    let caretaker = client(site, "Caretaker", &target.url("/"))?;
    for (id, address) in [("door1", "Mill Lane 4, cellar"), ("door2", "Mill Lane 4, roof"), ("door3", "Harbour 1")] {
        register(site, id, address)?;
        tell(site, &caretaker, id)?;
        for data in [1, 0] {
            says(site, id, data)?;
        }
    }
    says(site, "door99", 1)?;
    declare(site)?;
    commit(
        site,
        "anna",
        json!([{ "c": "Card", "j": { "name": "Anna", "city": "Lyon" } }, { "c": "Phone", "k": "home", "j": "1" }]),
    )?;
    let plans = directory(site, "Plans")?;
    let mut pages = vec![
        "main/sensors/door1".to_owned(),
        format!("main/sensor-clients/{caretaker}"),
        "main/sensors?address=Mill%20Lane%204".to_owned(),
        "main/documents/Contact".to_owned(),
        "main/documents/Contact?id=anna".to_owned(),
    ];
    pages
        .extend(["", "/deleted", "/conflicts", "/devices", "/locks"].map(|view| format!("main/folders/{plans}{view}")));
    Ok(pages)
}

#[test]
fn con_8_con_10_long_lists_are_paged_and_lead_on() -> Result<()> {
    let site = Site::start()?;
    many(&site)?;
    let mut eyes = site.admin(Sight::DESK)?;
    let mut found = vec![];
    for page in [
        "tasks",
        "keys",
        "journal",
        "exchange/devices",
        "workflow/processes",
        "sensors/as-list",
        "documents/Contact",
        "folders",
    ] {
        let page = format!("/console/main/{page}");
        found.extend(faults_of(&mut eyes, &page, &[])?);
        eyes.look_as(Sight::DESK)?;
        assert_eq!(eyes.count("main a[rel=next]")?, 1, "{page} has a next page");
        let row = "return document.querySelector('main tbody tr').outerHTML";
        let first = eyes.script(row, vec![])?;
        eyes.press_letter('n')?;
        eyes.wait_until("document.querySelector('main a[rel=first]') !== null", json!([]))?;
        assert_ne!(eyes.script(row, vec![])?, first, "{page}: another page");
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    Ok(())
}

/// More than a page of what has pages.
fn many(site: &Site) -> Result<()> {
    office(site, "acme", "erp", "Till")?;
    declare(site)?;
    for number in 0..130 {
        let task = json!({ "op": "report", "target": "https://a.example/", "start_at": "2099-01-01T00:00:00Z" });
        let device = json!({ "company": "acme", "subsystem": "sales", "name": format!("Till {number}") });
        let order = json!({ "type": "order", "custom_id": format!("order-{number}"), "start": { "actor": "order#1" } });
        let made: [(&str, Value); 5] = [
            ("tasks", task),
            ("keys", json!({ "role": "app", "label": format!("till {number}") })),
            ("exchange/devices", device),
            ("workflow/processes", order),
            ("folders/directories", json!({ "name": format!("Plans {number}") })),
        ];
        for (what, body) in made {
            site.make(&format!("/v1/main/{what}"), &body)?;
        }
        register(site, &format!("door{number:03}"), &format!("Mill Lane {number}"))?;
        commit(site, &format!("contact-{number:03}"), json!([{ "c": "Card", "j": { "name": "Anna" } }]))?;
    }
    Ok(())
}
