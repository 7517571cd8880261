//! Ids of another tenant in path, query, cursor and body: answered as those that never were.

use serde_json::{Value, json};

use crate::kit::{Answer, Route, Site};

/// Stands in everything that the tenant `a` has.
const MARK: &str = "MarkOfA";

/// Gives a namespace something of everything, and tells its ids.
fn fill(site: &Site, ns: &str, mark: &str) -> Vec<String> {
    let x = format!("/v1/{ns}");
    let id = |made: &Value, field: &str| made[field].as_str().unwrap_or_else(|| panic!("{field} of {made}")).to_owned();
    let class =
        json!({ "class": "Contact", "items": { "Card": { "singleton": true, "index": { "name": "string" } } } });
    site.made("POST", &format!("{x}/doc-classes"), &class);
    let change =
        json!({ "c": "Contact", "id": format!("doc{mark}"), "items": [{ "c": "Card", "j": { "name": mark } }] });
    site.made("POST", &format!("{x}/op/doc.commit"), &json!({ "param": { "changes": [change] } }));
    let door = format!("d{}", mark.to_lowercase());
    site.made("PUT", &format!("{x}/sensors/{door}"), &json!({ "address": format!("{mark}, 1") }));
    let client = json!({ "name": mark, "url": "https://hotel.example/d" });
    let client = id(&site.made("POST", &format!("{x}/sensor-clients"), &client), "id");
    site.made("PUT", &format!("{x}/sensor-clients/{client}/sensors/{door}"), &Value::Null);
    site.made("POST", &format!("{x}/signals"), &json!([{ "sensor_id": door, "data": 1 }]));
    let (company, db) = (format!("co{mark}"), format!("db{mark}"));
    site.made("POST", &format!("{x}/exchange/companies"), &json!({ "id": company, "name": mark }));
    let part = json!({ "id": "sales", "company": company, "name": mark });
    site.made("POST", &format!("{x}/exchange/subsystems"), &part);
    site.made("POST", &format!("{x}/exchange/databases"), &json!({ "id": db, "company": company }));
    let device = json!({ "company": company, "subsystem": "sales", "name": mark });
    let device = site.made("POST", &format!("{x}/exchange/devices"), &device);
    let device = id(
        &site.made("POST", &format!("{x}/exchange/activate"), &json!({ "code": device["activation_code"] })),
        "device",
    );
    let start = json!({ "actor": "order#1", "method": "begin", "args": [{ "value": mark }] });
    let process = json!({ "type": "order", "custom_id": mark, "start": start });
    let process = id(&site.made("POST", &format!("{x}/workflow/processes"), &process), "process_id");
    let directory = id(&site.made("POST", &format!("{x}/folders/directories"), &json!({ "name": mark })), "id");
    let task =
        json!({ "op": "report", "target": "https://example.org/", "start_at": "2090-01-01T00:00:00Z", "info": mark });
    let task = id(&site.made("POST", &format!("{x}/tasks"), &task), "id");
    let key = id(&site.made("POST", &format!("{x}/keys"), &json!({ "role": "reader", "label": mark })), "id");
    site.made("POST", &format!("{x}/accounts"), &json!({ "name": mark.to_lowercase(), "role": "reader" }));
    let account = mark.to_lowercase();
    vec![format!("doc{mark}"), door, client, company, db, device, process, directory, task, key, account]
}

/// One of the same form that nobody has.
fn never_was(id: &str) -> String {
    let (rest, last) = id.split_at(id.len() - 1);
    format!("{rest}{}", if last == "0" { "1" } else { "0" })
}

/// What is the same for every id that is not there.
fn without(answer: &Answer, id: &str) -> (u16, String) {
    (answer.status, answer.text.replace(id, "ID"))
}

/// A path in namespace `b` with this in the place of every other part that varies.
fn path_of(route: &Route, id: &str) -> String {
    let name = |part: &str| match part {
        "{ns}" => "b".to_owned(),
        "{class}" => "Contact".to_owned(),
        _ if part.starts_with('{') => id.to_owned(),
        _ => part.to_owned(),
    };
    route.path.split('/').map(name).collect::<Vec<_>>().join("/")
}

#[test]
fn ker_1_ids_of_another_tenant_are_as_if_they_were_not_there() {
    let site = Site::start();
    for ns in ["a", "b"] {
        site.made("POST", "/v1/z/namespaces", &json!({ "name": ns }));
    }
    let ids = fill(&site, "a", MARK);
    fill(&site, "b", "Other");
    let (admin, before) = (site.key("b", "admin"), seen(&site));
    let mut walked = 0;
    for route in site.routes().iter().filter(|route| route.path.matches('{').count() > 1) {
        for id in &ids {
            walked += check_path(&site, &admin, route, id);
        }
    }
    assert!(walked > 500, "{walked}");
    assert_eq!(seen(&site), before, "nothing of the other tenant changed");
}

/// The same answer as for an id that never was, with and without a body.
fn check_path(site: &Site, key: &str, route: &Route, id: &str) -> usize {
    let bodies: &[Value] = if route.takes_json { &[Value::Null, json!({})] } else { &[Value::Null] };
    let other = never_was(id);
    for body in bodies {
        let ask = |id: &str| site.ask_as(key, &route.method, &path_of(route, id), body);
        let (told, never) = (ask(id), ask(&other));
        assert_eq!(without(&told, id), without(&never, &other), "{} {} with {id}", route.method, route.path);
        assert!(told.status < 500 && !told.text.replace(id, "").contains(MARK), "{route:?}: {told:?}");
    }
    bodies.len()
}

/// All that the first tenant's lists show.
fn seen(site: &Site) -> Vec<String> {
    let lists = [
        "keys",
        "accounts",
        "tasks?op=report",
        "sensors",
        "sensor-clients",
        "exchange/companies",
        "workflow/processes",
        "folders/directories",
    ];
    let shown = |list: &str| {
        let mut json = site.made("GET", &format!("/v1/a/{list}"), &Value::Null);
        // What is about this moment.
        for item in json["items"].as_array_mut().into_iter().flatten() {
            for moment in ["duration_ms", "unchanged_ms", "last_used_at", "used_at"] {
                item[moment] = Value::Null;
            }
        }
        json.to_string()
    };
    lists.into_iter().map(shown).collect()
}

#[test]
fn ker_1_cursors_and_filters_of_another_tenant_show_nothing_of_it() {
    let site = Site::start();
    for ns in ["a", "b"] {
        site.made("POST", "/v1/z/namespaces", &json!({ "name": ns }));
    }
    let ids = fill(&site, "a", MARK);
    fill(&site, "b", "Other");
    let (reader, mut walked) = (site.key("b", "admin"), 0);
    let lists = site.routes();
    for route in lists.iter().filter(|route| route.method == "GET" && route.path.matches('{').count() == 1) {
        let cursor = cursor_of(&site, route);
        for name in &route.query {
            for value in ids.iter().chain(&cursor) {
                let path = format!("{}?{name}={value}", route.path.replace("{ns}", "b"));
                let answer = site.ask_as(&reader, "GET", &path, &Value::Null);
                let said = answer.text.replace(value, "");
                assert!(answer.status < 500 && !said.contains(MARK), "{path}: {answer:?}");
                walked += 1;
            }
        }
    }
    assert!(walked > 200, "{walked}");
}

/// The cursor behind the first of the first tenant's own list.
fn cursor_of(site: &Site, route: &Route) -> Option<String> {
    route.query.iter().find(|name| *name == "limit")?;
    let one = site.ask("GET", &format!("{}?limit=1", route.path.replace("{ns}", "a")), &Value::Null).json();
    let next = one["next"].as_str().or_else(|| one["cursor"].as_str())?;
    (!next.is_empty()).then(|| next.to_owned())
}
