//! What a key reaches beyond its own: other services, and the server as a whole.

use serde_json::{Value, json};

use crate::kit::{Route, Site};

const SERVICES: [&str; 5] = ["documents", "exchange", "folders", "sensors", "workflow"];

/// The service that a route belongs to, by the word that its path begins with; `None`: the kernel's own.
fn service_of(route: &Route) -> Option<&'static str> {
    let first = route.path.split('/').nth(3).unwrap_or_default();
    match first {
        // Whoever has a code needs no key, and a key that is sent along is not looked at.
        _ if route.path.ends_with("/exchange/activate") => None,
        "exchange" | "folders" | "workflow" => SERVICES.into_iter().find(|service| *service == first),
        "signals" => Some("sensors"),
        "op" | "docs" => Some("documents"),
        _ if first.starts_with("sensor") => Some("sensors"),
        _ if first.starts_with("doc") => Some("documents"),
        _ => None,
    }
}

#[test]
fn ker_32_a_key_that_is_bound_to_a_service_reaches_no_other() {
    let site = Site::start();
    let routes = site.routes();
    for own in SERVICES {
        let bound = json!({ "role": "admin", "scope": { "service": own } });
        let key = site.made("POST", "/v1/main/keys", &bound)["key"].as_str().unwrap().to_owned();
        let mut refused = 0;
        for route in &routes {
            let Some(service) = service_of(route) else { continue };
            let names = route.path.split('/').map(|part| if part.starts_with('{') { "x1" } else { part });
            let path = names.collect::<Vec<_>>().join("/").replace("/v1/x1/", "/v1/main/");
            // Own routes that take nothing away are tried, too: the check must not refuse everybody.
            if service == own && route.method != "GET" {
                continue;
            }
            let answer = site.ask_as(&key, &route.method, &path, &Value::Null);
            let is_refused = answer.text.contains("binds it to another service");
            assert_eq!(is_refused, service != own, "{own}: {} {path}: {answer:?}", route.method);
            refused += usize::from(is_refused);
        }
        assert!(refused > 40, "{own}: {refused} routes of others");
    }
}

/// A backup holds every namespace, and each one that is written takes the oldest away.
#[test]
fn ker_37_only_the_administrators_namespace_asks_for_a_backup() {
    let site = Site::start();
    let backup = json!({ "op": "backup.write" });
    for role in ["admin", "operator"] {
        let key = site.key("main", role);
        let answer = site.ask_as(&key, "POST", "/v1/main/tasks", &backup);
        assert_eq!(answer.json()["code"], "NOPERATION", "{role}: {answer:?}");
    }
    site.made("POST", "/v1/z/tasks", &backup);
}

/// Pages look at no scope: every page of the navigation, and one that a scope names a neighbour of, is closed to keys that have one.
#[test]
fn ker_32_a_key_with_a_scope_reaches_no_page_of_the_console() {
    let site = Site::start();
    let key = |scope: Value| {
        let made = site.made("POST", "/v1/main/keys", &json!({ "role": "admin", "scope": scope }));
        made["key"].as_str().unwrap().to_owned()
    };
    let free = site.key("main", "admin");
    let overview = site.ask_as(&free, "GET", "/console/main/", &Value::Null).text;
    let links = overview.split("href=\"").skip(1).filter_map(|rest| rest.split(['"', '?', '#']).next());
    let mut pages: Vec<_> = links.filter(|link| link.starts_with("/console/main/")).collect();
    pages.extend(["/console/main/sensor-clients/b", "/console/main/_live"]);
    pages.sort_unstable();
    pages.dedup();
    assert!(pages.len() > 15, "{pages:?}");
    for bound in [key(json!({ "client": "a" })), key(json!({ "service": "documents" }))] {
        for page in &pages {
            let answer = site.ask_as(&bound, "GET", page, &Value::Null);
            assert_eq!(answer.status, 403, "{page}: {answer:?}");
        }
    }
    for page in pages.iter().filter(|page| !page.ends_with("/_live")) {
        assert_ne!(site.ask_as(&free, "GET", page, &Value::Null).status, 403, "{page}");
    }
}

#[test]
fn ker_32_a_key_that_is_bound_to_a_service_does_not_widen_itself() {
    let site = Site::start();
    let free = site.made("POST", "/v1/main/keys", &json!({ "role": "admin" }))["id"].as_str().unwrap().to_owned();
    for own in SERVICES {
        let bound = json!({ "role": "admin", "scope": { "service": own } });
        let key = |ns: &str| site.made("POST", &format!("/v1/{ns}/keys"), &bound)["key"].as_str().unwrap().to_owned();
        let (in_main, in_z) = (key("main"), key("z"));
        for (key, method, path, body) in [
            (&in_main, "POST", "/v1/main/keys".to_owned(), json!({ "role": "admin" })),
            (&in_main, "POST", format!("/v1/main/keys/{free}/rotate"), json!({})),
            (&in_main, "POST", "/v1/main/accounts".to_owned(), json!({ "name": "eve", "role": "admin" })),
            (
                &in_main,
                "POST",
                "/v1/main/tasks".to_owned(),
                json!({ "op": "key.create", "param": { "role": "admin" } }),
            ),
            (&in_z, "POST", "/v1/z/tasks".to_owned(), json!({ "op": "backup.write" })),
            (&in_z, "POST", "/v1/z/namespaces/main/move".to_owned(), json!({ "engine": "postgres" })),
            (&in_z, "POST", "/v1/z/namespaces/other/import".to_owned(), Value::Null),
            (&in_z, "GET", "/v1/z/namespaces/main/export".to_owned(), Value::Null),
            (&in_z, "PUT", "/v1/z/namespaces/main/grants/z/Contact".to_owned(), Value::Null),
            (&in_z, "DELETE", "/v1/z/namespaces/main/grants/z/Contact".to_owned(), Value::Null),
            (&in_z, "DELETE", "/v1/z/namespaces/main/transfer".to_owned(), Value::Null),
            (&in_z, "PUT", "/v1/z/namespaces/main/resources/a.txt".to_owned(), Value::Null),
            (&in_z, "DELETE", "/v1/z/namespaces/main/resources/a.txt".to_owned(), Value::Null),
            (&in_z, "POST", "/v1/z/namespaces".to_owned(), json!({ "name": "other" })),
            (&in_z, "PATCH", "/v1/z/namespaces/main".to_owned(), json!({ "state": "closed" })),
            (&in_z, "DELETE", "/v1/z/namespaces/main".to_owned(), Value::Null),
            (&in_main, "PUT", "/v1/main/alert-channels".to_owned(), json!({ "channels": [] })),
            (&in_main, "POST", "/v1/main/webhook-secret".to_owned(), json!({})),
        ] {
            let answer = site.ask_as(key, method, &path, &body);
            assert_eq!((answer.status, &answer.json()["code"]), (403, &json!("SROLE")), "{own}: {path}: {answer:?}");
        }
    }
}
