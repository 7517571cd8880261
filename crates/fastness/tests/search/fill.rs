//! One of each kind of thing, and by what it is found.

use serde_json::{Value, json};

use crate::Site;

/// Makes one of each kind in a namespace, and finds it.
pub fn check_all(site: &Site, namespace: &str) {
    let checks: [fn(&Site, &str); 5] = [exchange, workflow, sensors, documents, folders];
    checks.into_iter().for_each(|check| check(site, namespace));
    kernel(site, namespace);
    alerts(site, namespace);
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn exchange(site: &Site, namespace: &str) {
    let base = format!("/v1/{namespace}/exchange");
    let make = |what: &str, body: &Value| site.make(&format!("{base}/{what}"), body);
    make("companies", &json!({ "id": "acme", "name": "Northwind Traders" }));
    make("subsystems", &json!({ "id": "sales", "company": "acme", "name": "Sales" }));
    make("databases", &json!({ "id": "ERP.main", "company": "acme" }));
    let device = make("devices", &json!({ "company": "acme", "subsystem": "sales", "name": "Till seven" }));
    let device = text(&device["id"]);
    let message = json!({
        "version": 1, "id": "m-4711",
        "head": { "company": "acme", "subsystem": "sales", "from": device, "to": "ERP.main", "created_at": "2026-11-01T12:00:00Z" },
        "body": { "type": "order", "version": 1, "payload": 7 },
    });
    make("messages", &message);
    let process = text(&make("processes", &json!({ "db": "ERP.main" }))["process"]);
    site.finds(namespace, "company", "acme", &["acme", "ACM", "Northwind", "Northwind Tr"]);
    site.finds(namespace, "database", "ERP.main", &["ERP.main", "erp", "ERP.MAIN"]);
    site.finds(namespace, "device", &device, &[&device, &device[..12], "Till seven", "till s"]);
    site.finds(namespace, "message", "m-4711", &["m-4711", "m-47", "M-4711"]);
    site.finds(namespace, "exchange-process", &process, &[&process, &process[..20]]);
    let page = site.found(namespace, "m-4711").into_iter().find(|[kind, ..]| kind == "message").expect("it")[3].clone();
    let file = page.rsplit('/').next().expect("a name").replace("%7E", "~");
    site.finds(namespace, "message", "m-4711", &[&file]);
    site.ask("PATCH", &format!("{base}/companies/acme"), &json!({ "name": "Southwind" }));
    site.finds(namespace, "company", "acme", &["acme", "Southwind"]);
    site.loses(namespace, "company", "acme", &["Northwind"]);
    site.ask("PATCH", &format!("{base}/devices/{device}"), &json!({ "name": "Scanner nine" }));
    site.finds(namespace, "device", &device, &[&device, "Scanner nine", "scanner"]);
    site.loses(namespace, "device", &device, &["Till seven", "till"]);
}

fn workflow(site: &Site, namespace: &str) {
    let start = json!({ "type": "order", "custom_id": "Order-4711", "start": { "actor": "Packer#1" } });
    let id = text(&site.make(&format!("/v1/{namespace}/workflow/processes"), &start)["process_id"]);
    site.finds(namespace, "process", &id, &[&id, &id.to_lowercase(), "Order-4711", "order-4"]);
    site.ask("PATCH", &format!("/v1/{namespace}/workflow/actors/Packer%231"), &json!({ "blocked": true }));
    site.finds(namespace, "actor", "Packer#1", &["Packer#1", "pack"]);
}

fn sensors(site: &Site, namespace: &str) {
    site.ask("PUT", &format!("/v1/{namespace}/sensors/door17"), &json!({ "address": "Lindenstr. 4, cellar" }));
    site.finds(namespace, "sensor", "door17", &["door17", "door", "Lindenstr.", "lindenstr. 4"]);
    let client = json!({ "name": "Caretaker", "url": "https://caretaker.example/hook" });
    let id = text(&site.make(&format!("/v1/{namespace}/sensor-clients"), &client)["id"]);
    site.finds(namespace, "sensor-client", &id, &[&id, "Caretaker", "care"]);
}

fn documents(site: &Site, namespace: &str) {
    for class in ["Contact", "Invoice"] {
        let items = json!({ "Card": { "singleton": true } });
        site.make(&format!("/v1/{namespace}/doc-classes"), &json!({ "class": class, "items": items }));
        let change = json!({ "c": class, "id": format!("{class}/77 ü"), "items": [{ "c": "Card", "j": 1 }] });
        site.make(&format!("/v1/{namespace}/op/doc.commit"), &json!({ "param": { "changes": [change] } }));
    }
    site.finds(namespace, "document-class", "Contact", &["Contact", "contact", "Cont"]);
    site.finds(namespace, "document", "Contact/77 ü", &["Contact/77", "contact", "Contact/77 ü"]);
    site.finds(namespace, "document", "Invoice/77 ü", &["invoice/7"]);
}

fn folders(site: &Site, namespace: &str) {
    let made = site.make(&format!("/v1/{namespace}/folders/directories"), &json!({ "name": "Building plans" }));
    let id = text(&made["id"]);
    site.finds(namespace, "directory", &id, &[&id, &id[..8], "Building", "building p"]);
}

fn kernel(site: &Site, namespace: &str) {
    let task = json!({ "op": "report.night", "info": "Night of Monday", "target": "https://erp.example/", "start_at": "2099-01-01T00:00:00Z" });
    let id = text(&site.make(&format!("/v1/{namespace}/tasks"), &task)["id"]);
    site.finds(namespace, "task", &id, &[&id, &id[..10], "report.night", "Night of", "night"]);
    let key = site.make(&format!("/v1/{namespace}/keys"), &json!({ "role": "app", "label": "Till 7" }));
    let key = text(&key["id"]);
    site.finds(namespace, "key", &key, &[&key, "Till 7", "till"]);
    site.ask("PATCH", &format!("/v1/{namespace}/keys/{key}"), &json!({ "label": "Desk 9" }));
    site.finds(namespace, "key", &key, &[&key, "Desk 9", "desk"]);
    site.loses(namespace, "key", &key, &["Till 7", "till"]);
    site.make(&format!("/v1/{namespace}/accounts"), &json!({ "name": "olga.k", "role": "reader" }));
    site.finds(namespace, "account", "olga.k", &["olga.k", "OLGA", "Ol"]);
    let line = site.found(namespace, "account.created").into_iter().find(|[kind, ..]| kind == "journal");
    assert!(line.is_some(), "a line of the journal, by a word of it");
}

/// A task that used up its tries opens an alert.
fn alerts(site: &Site, namespace: &str) {
    let task = json!({ "op": "call.nobody", "target": "http://127.0.0.1:9/" });
    let id = text(&site.make(&format!("/v1/{namespace}/tasks"), &task)["id"]);
    let past = json!({ "start_at": "2020-01-01T00:00:00Z" });
    let path = format!("/v1/{namespace}/tasks/{id}");
    let mut client = site.server.client();
    let is_parked = (0..20_000).any(|_| {
        let task = client.get(&path).expect("an answer").body;
        if task["state"] == "waiting" {
            // Refused if it was claimed meanwhile.
            client.post(&format!("{path}/move"), &past, "").expect("an answer");
        }
        task["state"] == "parked"
    });
    assert!(is_parked, "{:?}", client.get(&path));
    let open = client.get(&format!("/v1/{namespace}/alerts?state=open")).expect("an answer").body;
    let alert = open["items"].as_array().expect("a list").first().cloned().unwrap_or_default();
    let (id, key, kind) = (text(&alert["id"]), text(&alert["key"]), text(&alert["kind"]));
    site.finds(namespace, "alert", &id, &[&id, &key, &kind]);
}
