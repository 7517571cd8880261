//! Who finds what, how much of it, and what cannot be sought.

use kill::client::Client;
use serde_json::{Value, json};

use crate::{Site, encoded};

/// A new key of `main`.
fn key(site: &Site, role: &str, scope: &Value) -> Client {
    let made = site.make("/v1/main/keys", &json!({ "role": role, "scope": scope, "label": "seeker" }));
    Client::new(site.server.address, made["key"].as_str().expect("a key"))
}

#[test]
fn con_11_what_a_role_may_not_list_is_not_found_by_it() {
    let site = Site::start();
    site.make("/v1/main/accounts", &json!({ "name": "seeker", "role": "reader" }));
    let kinds = |client: &mut Client| -> Vec<Value> {
        let answer = client.get("/v1/main/search?q=seeker").expect("an answer");
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["items"].as_array().expect("a list").iter().map(|one| one["kind"].clone()).collect()
    };
    let mut reader = key(&site, "reader", &json!({}));
    assert!(kinds(&mut site.server.client()).contains(&json!("account")), "an administrator");
    let seen = kinds(&mut reader);
    assert!(!seen.contains(&json!("account")) && !seen.contains(&json!("key")), "a reader: {seen:?}");
    for (role, scope) in [("app", json!({})), ("device", json!({})), ("reader", json!({ "company": "acme" }))] {
        let refused = key(&site, role, &scope).get("/v1/main/search?q=seeker").expect("an answer");
        assert_eq!((refused.status, refused.code()), (403, "SROLE"), "{role} {scope}");
    }
    let stranger = Client::new(site.server.address, "fst_nobody").get("/v1/main/search?q=seeker").expect("an answer");
    assert_eq!(stranger.status, 401);
}

#[test]
fn con_11_five_of_each_kind_are_found_and_fifty_of_one() {
    let site = Site::start();
    for number in 0..60 {
        site.make("/v1/main/keys", &json!({ "role": "app", "label": format!("till {number:02}") }));
    }
    let ask = |query: &str| site.server.client().get(&format!("/v1/main/search?{query}")).expect("an answer").body;
    let of_kind = |found: &Value| -> Vec<String> {
        let items = found["items"].as_array().expect("a list").iter().filter(|one| one["kind"] == "key");
        items.map(|one| one["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let found = ask("q=till");
    assert_eq!(of_kind(&found), ["till 00", "till 01", "till 02", "till 03", "till 04"], "in the order of their names");
    assert!(found["more"].as_array().expect("a list").contains(&json!("key")));
    let found = ask("q=till&kind=key");
    assert_eq!((of_kind(&found).len(), &found["more"]), (50, &json!(["key"])));
    let found = ask("q=till%205&kind=key");
    assert_eq!((of_kind(&found).len(), &found["more"]), (10, &json!([])));
    assert_eq!(ask("q=till&kind=nothing-of-ours")["items"], json!([]));
}

#[test]
fn con_11_what_cannot_be_sought_is_refused_and_hostile_text_finds_nothing() {
    let site = Site::start();
    let ask =
        |text: &str| site.server.client().get(&format!("/v1/main/search?q={}", encoded(text))).expect("an answer");
    for text in ["", " ", "a\0b", "a\nb", &"x".repeat(201)] {
        assert_eq!((ask(text).status, ask(text).code()), (400, "ABODY"), "{text:?}");
    }
    for text in ["' OR 1=1 --", "%", "_", "\\", "*", "<img src=x onerror=alert(1)>", "\u{10ffff}", "🧨\u{202e}"] {
        let answer = ask(text);
        assert_eq!((answer.status, &answer.body["items"]), (200, &json!([])), "{text:?}");
    }
}
