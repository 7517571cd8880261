//! Pages as somebody sees them.

use serde_json::{Value, json};

use crate::edge::{ADMIN, Edge, Office, end_late};

/// What a device may write where a name is meant.
pub const EVIL: &str = "<img src=x onerror=alert(1)>";

/// A page of the exchange as the holder of this key sees it, in a language.
pub fn page_as(edge: &Edge, key: &str, path: &str, language: &str) -> (u16, String) {
    let mut request = edge.request(key, "GET", "/v1/x", &[("accept-language", language)], String::new());
    *request.uri_mut() = format!("/console/main{path}").parse().unwrap();
    let reply = edge.runtime.block_on(crate::edge::answered(edge.router.clone(), request));
    (reply.status, reply.text)
}

/// A page that must be there.
pub fn seen(edge: &Edge, path: &str) -> String {
    let (status, page) = page_as(edge, ADMIN, path, "en");
    assert_eq!(status, 200, "{path}: {page}");
    page
}

/// The name of the file of a message in a folder.
pub fn file(office: &Office, folder: &str, id: &str) -> String {
    let page = office.edge.get(&format!("/folders?db=erp&folder={folder}"));
    let items = page["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["id"] == json!(id)).unwrap_or_else(|| panic!("{id} is not in {page}"));
    item["name"].as_str().unwrap().to_owned()
}

/// Results of each kind for `a`, `b` and `c`, with a reply; `why` is what the database says of `b`.
pub fn said(office: &Office, why: &str) -> Value {
    json!({
        "results": [
            { "id": "a", "status": "PROCESSED" },
            { "id": "b", "status": "PROCESSED_INCORRECT", "error_code": 335_544_347, "error_text": why },
            { "id": "c", "status": "PROCESSED_DEADLOCK" },
        ],
        "replies": [office.reply("r1")],
    })
}

/// An office with a process that has prepared three messages.
pub fn prepared(why: &str) -> (Office, String) {
    let office = Office::open();
    office.sent(&["a", "b", "c"]);
    let process = office.started();
    assert_eq!(office.step(&process, "prepare", said(&office, why)), json!("OK"));
    (office, process)
}

/// The same, but nothing more was heard of it.
pub fn unknown(why: &str) -> (Office, String) {
    let (office, process) = prepared(why);
    office.edge.world().pass_ms(400_000);
    end_late(office.edge.world());
    (office, process)
}
