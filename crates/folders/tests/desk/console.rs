//! The console's pages of folders (CON-6, CON-9), by requests: content, escaping, three languages, wrong questions, roles.

use folders::desk::{CREATE, JOIN};
use folders::form::{Asking, Create, Join};
use serde_json::json;
use testbed_web::{ADMIN, Edge};

use crate::kit::{Desk, delete, device, edit, folder, increased, rename, rewrite};

const EVIL: &str = "<img src=x onerror=alert(1)>";

fn opened(desk: &Desk) -> Edge {
    Edge::of("/console/main", desk.kernel().clone(), folders::service())
}

fn page_as(edge: &Edge, key: &str, path: &str, language: &str) -> (u16, String) {
    let reply = edge.send(key, "GET", path, &[("accept-language", language)], "");
    (reply.status, reply.text)
}

fn seen(edge: &Edge, path: &str) -> String {
    let (status, page) = page_as(edge, ADMIN, path, "en");
    assert_eq!(status, 200, "{path}: {page}");
    page
}

#[test]
fn con_6_a_directory_is_browsed_folder_by_folder_down_to_the_versions_of_a_file() {
    let desk = Desk::new();
    let (laptop, phone) = (device("laptop"), device("phone"));
    let id = desk.directory(&laptop, &[&phone]);
    let report = desk.put(&laptop, &id, edit("plans/2026/report.odt", 1), b"one");
    let report = desk.put(&phone, &id, rewrite(&report, 2), b"other words");
    let report = increased(desk.ask(&phone, &id, vec![rename(&report, "plans/2026/summary.odt", 3)])).remove(0);
    let edge = opened(&desk);

    let made = Create { who: laptop, name: String::new() };
    let nameless = desk.call(&CREATE, made).unwrap().directory;
    let page = seen(&edge, "/folders");
    assert!(page.contains(&format!(">{nameless}<")), "one without a name is called by its id");
    assert!(page.contains(">work<") && page.contains(&format!("href=\"/console/main/folders/{id}\"")));
    let page = seen(&edge, &format!("/folders/{id}"));
    assert!(page.contains(">plans/<") && page.contains("?path=plans\"") && page.contains("11\u{a0}B"), "{page}");
    let page = seen(&edge, &format!("/folders/{id}?path=plans%2F2026"));
    assert!(page.contains(">summary.odt<") && page.contains(&format!("/console/main/folder-files/{}", report.id)));
    let page = seen(&edge, &format!("/folders/{id}?path=nowhere"));
    assert!(page.contains("No such folder"));

    let page = seen(&edge, &format!("/folder-files/{}", report.id));
    for told in ["laptop", "phone", "newest", "renamed or changed", "plans/2026/summary.odt", "report.odt", "3\u{a0}B"]
    {
        assert!(page.contains(told), "{told}: {page}");
    }
    let api = format!("/v1/main/folders/files/{}", report.id);
    assert!(page.contains(&format!("{api}/content?version=1")));
    assert_eq!(page.matches(&format!("{api}/restore")).count(), 2, "every version but the newest: {page}");
    assert!(page.contains("Bring version 1 of"), "it asks first");
}

#[test]
fn con_6_what_was_deleted_conflicts_devices_members_and_locks_are_seen() {
    let desk = Desk::new();
    let (laptop, phone) = (device("laptop"), device("phone"));
    let id = desk.directory(&laptop, &[&phone]);
    let edge = opened(&desk);
    for (view, nothing) in [
        ("deleted", "Nothing was deleted"),
        ("conflicts", "No conflicts"),
        ("devices", "No device came yet"),
        ("locks", "Nobody writes"),
    ] {
        assert!(seen(&edge, &format!("/folders/{id}/{view}")).contains(nothing), "{view}");
    }
    let old = desk.put(&laptop, &id, edit("old.txt", 1), b"old");
    increased(desk.ask(&laptop, &id, vec![delete(&old, 2)]));
    let name = folders::names::conflict("a.txt", "phone", "2026-11-16", 1);
    desk.put(&phone, &id, edit(&format!("d/{name}"), 3), b"mine");
    desk.put(&phone, &id, edit("d/a.txt", 4), b"theirs");
    desk.call(&JOIN, Join { who: phone, directory: id.clone(), seq: 1, epoch: None }).unwrap();
    assert!(matches!(desk.ask(&laptop, &id, vec![edit("new.txt", 5)]), Asking::Allowed { .. }));

    assert!(seen(&edge, &format!("/folders/{id}/deleted")).contains(&format!("/console/main/folder-files/{}", old.id)));
    let page = seen(&edge, &format!("/folders/{id}/conflicts"));
    assert!(page.contains(&name) && !page.contains(">a.txt<"), "{page}");
    let page = seen(&edge, &format!("/folders/{id}/devices"));
    for told in ["phone", "had commit 1; ", "key laptop", "administer", "Undo what phone did", "Forget phone?"] {
        assert!(page.contains(told), "{told}: {page}");
    }
    let page = seen(&edge, &format!("/folders/{id}/locks"));
    assert!(page.contains("client laptop") && page.contains("new.txt"), "{page}");
}

#[test]
fn con_6_pages_speak_three_languages_and_refuse_wrong_questions() {
    let desk = Desk::new();
    let laptop = device("laptop");
    let id = desk.directory(&laptop, &[]);
    let file = desk.put(&laptop, &id, edit("f", 1), b"f");
    let edge = opened(&desk);
    let mut pages: Vec<String> =
        ["", "/deleted", "/conflicts", "/devices", "/locks"].map(|view| format!("/folders/{id}{view}")).to_vec();
    pages.extend(["/folders".to_owned(), format!("/folder-files/{}", file.id)]);
    for path in &pages {
        for (language, word) in [("en", "Folders"), ("ru", "Папки"), ("fr", "Dossiers")] {
            let (status, page) = page_as(&edge, ADMIN, path, language);
            assert!(status == 200 && page.contains(word), "{path} {language}: {status}");
        }
    }
    for wrong in ["?x=1", "/conflicts?after=x", "/nothing"] {
        let (status, page) = page_as(&edge, ADMIN, &format!("/folders/{id}{wrong}"), "en");
        assert!((400..500).contains(&status) && page.contains("<html"), "{wrong}: {status}");
    }
    assert_eq!(page_as(&edge, ADMIN, "/folders/00000000-0000-4000-8000-000000000000", "en").0, 404);
    assert_eq!(page_as(&edge, ADMIN, "/folder-files/00000000-0000-4000-8000-000000000000", "en").0, 404);
}

#[test]
fn con_9_names_of_files_and_devices_are_never_markup() {
    let desk = Desk::new();
    let evil = device(EVIL);
    let id = desk.directory(&evil, &[]);
    let conflict = folders::names::conflict(EVIL, EVIL, "2026-11-16", 1);
    increased(desk.ask(&evil, &id, vec![folder(EVIL)]));
    let file = desk.put(&evil, &id, edit(&format!("{EVIL}/{conflict}"), 1), b"x");
    desk.call(&JOIN, Join { who: evil.clone(), directory: id.clone(), seq: 0, epoch: None }).unwrap();
    assert!(matches!(desk.ask(&evil, &id, vec![rewrite(&file, 2)]), Asking::Allowed { .. }));
    let edge = opened(&desk);
    let shown = ["", "/conflicts", "/devices", "/locks"].map(|view| format!("/folders/{id}{view}"));
    for path in shown.iter().chain([&format!("/folder-files/{}", file.id)]) {
        let page = seen(&edge, path);
        assert!(page.contains("&lt;img src=x onerror="), "{path} shows it");
        assert!(!page.contains("<img"), "{path}");
    }
}

#[test]
fn con_6_whoever_may_not_change_is_offered_nothing_and_whoever_may_not_read_sees_nothing() {
    let desk = Desk::new();
    let laptop = device("laptop");
    let id = desk.directory(&laptop, &[]);
    let file = desk.put(&laptop, &id, edit("f", 1), b"f");
    desk.put(&laptop, &id, rewrite(&file, 2), b"g");
    let edge = opened(&desk);
    let (reader, app) = (edge.key("reader", &json!({})), edge.key("app", &json!({})));
    for path in [format!("/folders/{id}"), format!("/folders/{id}/devices"), format!("/folder-files/{}", file.id)] {
        let (status, page) = page_as(&edge, &reader, &path, "en");
        assert_eq!(status, 200, "{path}: {page}");
        assert!(!page.contains("action=\"/v1/main/folders"), "{path} offers nothing: {page}");
        assert_eq!(page_as(&edge, &app, &path, "en").0, 404, "{path} is not for somebody who is no member");
    }
    let (status, page) = page_as(&edge, &app, "/folders", "en");
    assert!(status == 200 && !page.contains(&id), "{page}");
}
