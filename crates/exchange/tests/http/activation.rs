//! Activation codes: typed once, slowed when guessed, replaced; and devices that are blocked.

use base::Sql;
use serde_json::{Value, json};

use crate::edge::Office;

fn new_device(office: &Office) -> (String, String) {
    let made = office.edge.register("/devices", json!({ "company": "acme", "subsystem": "sales", "name": "n" }));
    let word = |field: &str| made[field].as_str().unwrap().to_owned();
    (word("id"), word("activation_code"))
}

#[test]
fn exc_2_a_code_becomes_a_key_however_it_is_typed() {
    let office = Office::open();
    let (id, code) = new_device(&office);
    let typed = code.to_lowercase().replace('-', " ");
    let (status, active) = office.activate(&typed);
    assert_eq!((status, &active["device"]), (200, &json!(id)), "{active}");
    let key = active["key"].as_str().unwrap();
    assert_eq!(office.edge.get_as(key, "/messages"), json!({ "messages": [] }));
    assert_eq!(office.edge.get(&format!("/devices/{id}"))["state"], json!("active"));
}

#[test]
fn exc_2_whoever_missed_the_answer_gets_another_key_for_a_while_and_the_first_ends() {
    let office = Office::open();
    let (_, code) = new_device(&office);
    let key = |answer: &Value| answer["key"].as_str().unwrap().to_owned();
    let first = key(&office.activate(&code).1);
    assert_eq!(office.edge.ask_as(&first, "GET", "/messages", Value::Null).0, 200, "and it is remembered now");
    let second = key(&office.activate(&code).1);
    assert_eq!(office.edge.ask_as(&first, "GET", "/messages", Value::Null).0, 401, "at once");
    assert_eq!(office.edge.ask_as(&second, "GET", "/messages", Value::Null).0, 200);
    office.edge.world().pass_ms(600_001);
    assert_eq!(office.activate(&code).1["code"], json!("SCODE"), "used up");
    assert_eq!(office.edge.ask_as(&second, "GET", "/messages", Value::Null).0, 200, "and nothing ends by that");
}

#[test]
fn exc_2_a_code_is_good_for_seven_days() {
    // All but five seconds of it.
    static OLDER: Sql = Sql::new("test.older", "UPDATE exc_device SET code_until = code_until - 604795000");
    let office = Office::open();
    let ((_, early), (_, late)) = (new_device(&office), new_device(&office));
    office.edge.world().jump_calendar_ms(30 * 86_400_000);
    office.edge.write(&OLDER, vec![]);
    office.edge.world().pass_ms(4_000);
    assert_eq!(office.activate(&early).0, 200, "a calendar that jumps ends nothing");
    office.edge.world().pass_ms(1_000);
    let (status, refused) = office.activate(&late);
    assert_eq!((status, &refused["code"]), (403, &json!("SCODE")));
}

#[test]
fn exc_2_a_new_code_ends_the_old_key_and_the_old_code() {
    let office = Office::open();
    let path = format!("/devices/{}/code", office.phone);
    assert_eq!(office.by_phone("GET", "/messages", Value::Null).0, 200);
    let (status, made) = office.edge.ask("POST", &path, Value::Null);
    assert_eq!((status, &made["id"]), (200, &json!(office.phone)));
    assert_eq!(office.by_phone("GET", "/messages", Value::Null).0, 401, "at once, though it was remembered");
    let newer = office.edge.ask("POST", &path, Value::Null).1;
    assert_eq!(office.activate(made["activation_code"].as_str().unwrap()).1["code"], json!("SCODE"));
    assert_eq!(office.activate(newer["activation_code"].as_str().unwrap()).0, 200);
}

#[test]
fn exc_2_guesses_are_slowed_and_a_right_one_is_not_counted() {
    let office = Office::open();
    let codes: Vec<String> = (0..8).map(|_| new_device(&office).1).collect();
    for code in &codes[..7] {
        assert_eq!(office.activate(code).0, 200, "right ones are never slowed");
    }
    for _ in 0..5 {
        assert_eq!(office.activate("AAAAA-AAAAA").1["code"], json!("SCODE"));
    }
    let body = json!({ "code": codes[7] }).to_string();
    let slowed = office.edge.send("", "POST", "/activate", &[], &body);
    assert_eq!((slowed.status, slowed.code().as_str()), (429, "SSLOW"), "also a right one: nobody may learn which");
    assert_eq!(slowed.headers["retry-after"], "1");
    office.edge.world().pass_ms(1_000);
    assert_eq!(office.activate("AAAAA-AAAAB").1["code"], json!("SCODE"), "after the wait one is looked at");
    assert_eq!(office.activate(&codes[7]).1["code"], json!("SSLOW"));
    office.edge.world().pass_ms(2_000);
    assert_eq!(office.activate(&codes[7]).0, 200);
}

#[test]
fn exc_2_what_is_no_code_is_refused() {
    let office = Office::open();
    for body in [json!({}), json!({ "code": 5 }), json!({ "code": "x", "device": "y" }), json!([])] {
        assert_eq!(office.edge.refused_as("", "POST", "/activate", &body), (400, "ABODY".into()), "{body}");
    }
    assert_eq!(office.activate("").1["code"], json!("SCODE"));
    let long = json!({ "code": "x".repeat(2_000) });
    assert_eq!(office.edge.refused_as("", "POST", "/activate", &long), (413, "ATOOBIG".into()));
    assert_eq!(office.edge.refused_as("", "POST", "/v1/nowhere/exchange/activate", &json!({ "code": "x" })).0, 404);
}

#[test]
fn exc_2_a_blocked_device_is_refused_everywhere_until_it_is_let_in_again() {
    let office = Office::open();
    office.sent(&["a"]);
    let (status, _) = office.by_database("POST", "/messages", office.reply("r1"));
    assert_eq!(status, 201);
    assert_eq!(office.fetched(), ["r1"]);
    let path = |what: &str| format!("/devices/{}/{what}", office.phone);
    assert_eq!(office.edge.ask("POST", &path("block"), Value::Null).0, 204);
    assert_eq!(office.edge.ask("POST", &path("block"), Value::Null).0, 204, "again");
    for (method, path, body) in [
        ("POST", "/messages", office.message("b", 1)),
        ("POST", "/messages", office.message("a", 0)),
        ("GET", "/messages", Value::Null),
        ("GET", "/messages?wait_s=5", Value::Null),
        ("POST", "/messages/r1/ack", Value::Null),
        ("GET", "/messages/a/status", Value::Null),
        ("GET", "/statistics", Value::Null),
        ("GET", &format!("/statistics?device={}", office.phone), Value::Null),
    ] {
        let refused = office.edge.refused_as(&office.phone_key, method, path, &body);
        assert_eq!(refused, (403, "SBLOCKED".into()), "{method} {path}");
    }
    let (_, made) = office.edge.ask("POST", &path("code"), Value::Null);
    let code = made["activation_code"].as_str().unwrap();
    assert_eq!(office.activate(code).1["code"], json!("SCODE"), "a code of a blocked one is none");
    assert_eq!(office.edge.ask("POST", &path("unblock"), Value::Null).0, 204);
    let key = office.activate(code).1["key"].as_str().unwrap().to_owned();
    assert_eq!(office.edge.get_as(&key, "/messages/a/status")["state"], json!("queued"));
    office.check();
}
