//! What pages show, and what they offer to whom.

use serde_json::json;

use crate::edge::{Edge, Office};
use crate::seen::{EVIL, file, page_as, prepared, said, seen, unknown};

#[test]
fn con_3_empty_pages_say_what_to_do_next() {
    let edge = Edge::new();
    assert!(seen(&edge, "/exchange").contains("Everything begins with a company"));
    assert!(seen(&edge, "/exchange/devices").contains("Everything begins with a company"));
    assert!(seen(&edge, "/exchange/companies").contains("New company"));
    assert!(seen(&edge, "/exchange/processes").contains("A process begins when a database asks"));
    assert!(seen(&edge, "/exchange/processes?state=unknown").contains("There is nothing to do"));
    for filter in ["state=active", "state=ended", "db=erp", "state=unknown&db=erp"] {
        let page = seen(&edge, &format!("/exchange/processes?{filter}"));
        assert!(page.contains("No process fits") && !page.contains("A process begins when"), "{filter}: {page}");
    }
    assert!(seen(&edge, "/exchange/folders").contains("No database yet"));
    edge.register("/companies", json!({ "id": "acme", "name": "Acme" }));
    let page = seen(&edge, "/exchange");
    assert!(page.contains("its key goes into the business system") && page.contains("New database"));
}

#[test]
fn con_3_the_ledger_of_a_database_is_shown_and_adds_up() {
    let (office, process) = prepared("no such article");
    let page = seen(&office.edge, "/exchange/databases/erp");
    assert!(page.contains("3 = 0 + 3 + 0 + 0 + 0 + 0") && page.contains("svg class=\"band\""), "{page}");
    assert!(page.contains("word that the database committed") && page.contains(&process));
    office.step(&process, "commit", json!({}));
    let page = seen(&office.edge, "/exchange/databases/erp");
    assert!(page.contains("4 = 2 + 0 + 1 + 1 + 0 + 0") && page.contains("At rest"), "a reply and a deadlock wait");
    assert!(
        page.contains("Messages and replies</span>") && !page.contains(">Received<"),
        "a reply counts as well: {page}"
    );
    let overview = seen(&office.edge, "/exchange");
    assert!(overview.contains("/console/main/exchange/databases/erp") && overview.contains("4 messages and replies"));
}

#[test]
fn con_3_a_process_of_unknown_outcome_has_two_buttons_that_say_what_they_do() {
    let (office, process) = unknown("no such article");
    assert!(seen(&office.edge, "/exchange").contains("Processes of unknown outcome: 1"));
    let page = seen(&office.edge, &format!("/exchange/processes/{process}"));
    for words in [
        "The database committed",
        "The database did not commit",
        "orders and payments twice",
        "the messages (3) go back to Messages",
        &format!("action=\"/v1/main/exchange/processes/{process}/resolve\""),
        &format!("WHERE process = '{process}'"),
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let (status, _) = office.edge.ask("POST", &format!("/processes/{process}/resolve"), json!({ "committed": true }));
    assert_eq!(status, 200);
    let page = seen(&office.edge, &format!("/exchange/processes/{process}"));
    assert!(!page.contains("/resolve\"") && page.contains(">committed<"), "nothing is left to decide");
    office.check();
}

#[test]
fn con_3_a_message_is_shown_with_its_text_and_its_way_back_into_the_queue() {
    let (office, process) = prepared("no such article");
    office.step(&process, "commit", json!({}));
    let name = file(&office, "Error", "b");
    let page = seen(&office.edge, &format!("/exchange/messages/{name}"));
    assert!(page.contains("The database could not process it") && page.contains("no such article"));
    assert!(page.contains(&format!("href=\"/v1/main/exchange/files/{name}\"")), "it can be downloaded");
    assert!(page.contains(&format!("action=\"/v1/main/exchange/files/{name}/requeue\"")));
    assert!(page.contains("&quot;type&quot;: &quot;order&quot;"), "its text is set in lines");
    assert_eq!(office.edge.ask("POST", &format!("/files/{name}/requeue"), json!(null)).0, 204);
    let page = seen(&office.edge, &format!("/exchange/messages/{name}"));
    assert!(page.contains("It waits to be given") && !page.contains("/requeue\""));
    assert!(seen(&office.edge, "/exchange/folders?db=erp&folder=Error").contains("This folder is empty"));
    assert!(seen(&office.edge, "/exchange/folders?db=erp&folder=Log").contains(">a<"));
    office.check();
}

#[test]
fn con_3_a_text_of_many_megabytes_is_shown_up_to_a_bound() {
    let office = Office::open();
    let mut large = office.message("large", 0);
    large["body"]["payload"] = json!("é".repeat(1 << 20));
    assert_eq!(office.by_phone("POST", "/messages", large).0, 201);
    let name = file(&office, "Messages", "large");
    let page = seen(&office.edge, &format!("/exchange/messages/{name}"));
    assert!(page.len() < 400_000 && page.contains("Only the beginning is shown"), "{}", page.len());
}

#[test]
fn con_3_a_device_is_shown_with_its_counters_and_what_waits_for_it() {
    let (office, process) = prepared("no such article");
    office.step(&process, "commit", json!({}));
    let page = seen(&office.edge, &format!("/exchange/devices/{}", office.phone));
    assert!(page.contains(">r1<") && page.contains(">active<"), "{page}");
    assert!(page.contains("/code\"") && page.contains("data-show=\"activation_code\""));
    office.edge.ask("POST", &format!("/devices/{}/block", office.phone), json!(null));
    let page = seen(&office.edge, &format!("/exchange/devices/{}", office.phone));
    assert!(page.contains("This device is blocked") && page.contains("/unblock\""));
    assert!(seen(&office.edge, "/exchange/devices?company=acme").contains(&office.phone));
    assert!(!seen(&office.edge, "/exchange/devices?company=other").contains(&office.phone));
}

#[test]
fn con_3_what_has_a_name_can_be_called_otherwise_where_it_is_shown() {
    let office = Office::open();
    let page = seen(&office.edge, "/exchange/companies");
    assert!(page.contains("action=\"/v1/main/exchange/companies/acme\" data-call=\"PATCH\""), "{page}");
    assert!(page.contains("action=\"/v1/main/exchange/subsystems/sales\" data-call=\"PATCH\""), "{page}");
    let path = format!("/exchange/devices/{}", office.phone);
    let page = seen(&office.edge, &path);
    assert!(page.contains(&format!("action=\"/v1/main{path}\" data-call=\"PATCH\"")), "{page}");
    for (path, body) in [
        ("/companies/acme", json!({ "name": EVIL })),
        ("/subsystems/sales", json!({ "company": "acme", "name": EVIL })),
        (path.trim_start_matches("/exchange"), json!({ "name": EVIL })),
    ] {
        assert_eq!(office.edge.ask("PATCH", path, body).0, 204);
    }
    office.sent(&["a"]);
    for path in ["/exchange/companies", "/exchange/devices", &path, "/exchange/folders?db=erp&folder=Messages"] {
        let page = seen(&office.edge, path);
        assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;") && !page.contains("<img"), "{path}: {page}");
    }
}

#[test]
fn con_3_messages_name_their_device_and_lead_to_it() {
    let (office, process) = prepared("no such article");
    let name = |path: &str| {
        let page = seen(&office.edge, path);
        let link = format!("<a href=\"/console/main/exchange/devices/{0}\" title=\"{0}\"><bdi>", office.phone);
        let names = page.split(&link).nth(1).and_then(|rest| rest.split("</bdi>").next()).map(str::to_owned);
        names.unwrap_or_else(|| panic!("{path} names no device: {page}"))
    };
    let own = seen(&office.edge, &format!("/exchange/devices/{}", office.phone));
    for path in [
        "/exchange/folders?db=erp&folder=Messages".to_owned(),
        format!("/exchange/processes/{process}"),
        format!("/exchange/messages/{}", file(&office, "Messages", "a")),
    ] {
        assert!(own.contains(&format!("<h1>{}</h1>", name(&path))), "{path}");
    }
    office.step(&process, "commit", json!({}));
    let page = seen(&office.edge, "/exchange");
    assert!(page.contains("/console/main/exchange/folders?db=erp&amp;folder=Error"), "numbers lead to their folders");
}

#[test]
fn con_3_lists_go_on_page_by_page_and_show_everything_once() {
    let office = Office::open();
    for at in 0..54 {
        office.device();
        let id = format!("m{at}");
        office.sent(&[&id]);
    }
    for (path, row) in [
        ("/exchange/devices", "/console/main/exchange/devices/0"),
        ("/exchange/devices?company=acme", "/console/main/exchange/devices/0"),
        ("/exchange/folders?db=erp&folder=Messages", "/console/main/exchange/messages/"),
    ] {
        let first = seen(&office.edge, path);
        let next =
            first.split("href=\"/console/main").find(|part| part[..part.find('>').unwrap()].contains("rel=\"next\""));
        let next = next.unwrap().split('"').next().unwrap().replace("&amp;", "&");
        let second = seen(&office.edge, &next);
        let links = |page: &str| page.matches(&format!("href=\"{row}")).count();
        assert_eq!(links(&first), 50, "{path}");
        assert!((4..=5).contains(&links(&second)) && !second.contains("rel=\"next\""), "{next}");
    }
}

#[test]
fn con_9_what_comes_from_outside_is_never_markup() {
    let office = Office::open();
    office.edge.register("/companies", json!({ "id": "evil", "name": EVIL }));
    office.edge.register("/subsystems", json!({ "id": "s", "company": "evil", "name": EVIL }));
    let device = office.edge.register("/devices", json!({ "company": "evil", "subsystem": "s", "name": EVIL }));
    for id in ["a", "b", "c"] {
        let mut message = office.message(id, 1);
        message["body"] = json!({ "type": EVIL, "version": EVIL, "payload": { EVIL: EVIL } });
        assert_eq!(office.by_phone("POST", "/messages", message).0, 201);
    }
    let first = office.started();
    office.step(&first, "prepare", said(&office, EVIL));
    office.step(&first, "rollback", json!({ "error": EVIL }));
    let process = office.started();
    office.step(&process, "prepare", said(&office, EVIL));
    office.step(&process, "commit", json!({}));
    for path in [
        "/exchange".to_owned(),
        "/exchange/devices".into(),
        format!("/exchange/devices/{}", device["id"].as_str().unwrap()),
        "/exchange/companies".into(),
        "/exchange/processes".into(),
        format!("/exchange/processes/{first}"),
        format!("/exchange/processes/{process}"),
        "/exchange/databases/erp".into(),
        "/exchange/folders?db=erp&folder=Error".into(),
        format!("/exchange/messages/{}", file(&office, "Error", "b")),
    ] {
        let page = seen(&office.edge, &path);
        assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"), "{path} shows it: {page}");
        assert!(!page.contains("<img"), "{path}");
    }
}

#[test]
fn con_3_pages_speak_three_languages_and_refuse_wrong_questions() {
    let (office, process) = unknown("x");
    let name = file(&office, "Error", "b");
    for path in [
        "/exchange".to_owned(),
        "/exchange/databases/erp".into(),
        "/exchange/databases/gone".into(),
        "/exchange/devices".into(),
        format!("/exchange/devices/{}", office.phone),
        "/exchange/devices/gone".into(),
        "/exchange/companies".into(),
        "/exchange/processes?state=active&db=erp".into(),
        format!("/exchange/processes/{process}"),
        "/exchange/processes/gone".into(),
        "/exchange/folders".into(),
        format!("/exchange/messages/{name}"),
        "/exchange/messages/gone".into(),
    ] {
        for (language, word) in [("en", "Exchange"), ("ru", "Обмен"), ("fr", "Échange")] {
            let (status, page) = page_as(&office.edge, crate::edge::ADMIN, &path, language);
            assert!(status == 200 && page.contains(word), "{path} {language}: {status}");
        }
    }
    for wrong in [
        "/exchange?x=1",
        "/exchange/processes?state=odd",
        "/exchange/folders?db=erp&folder=log",
        "/exchange/folders?db=erp&folder=Log&after=x",
    ] {
        let (status, page) = page_as(&office.edge, crate::edge::ADMIN, wrong, "en");
        assert!((400..500).contains(&status) && page.contains("<html"), "{wrong}: {status}");
    }
}
