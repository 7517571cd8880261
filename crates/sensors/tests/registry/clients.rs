//! Clients: created, shown, changed, rotated, removed.

use base::{Sql, Value as Arg};
use serde_json::{Value, json};

use crate::edge::{ADMIN, Edge};

static FAIL: Sql =
    Sql::new("test.fail_client", "UPDATE sensor_client SET state = 'failing', reason = 'ten tries' WHERE id = ?1");
static SECRETS: Sql = Sql::new("test.secrets", "SELECT secret, old_secret, old_until FROM sensor_client ORDER BY id");
static LEFT: Sql = Sql::new(
    "test.left",
    "SELECT (SELECT COUNT(*) FROM sensor_link) + (SELECT COUNT(*) FROM sensor_event) + (SELECT COUNT(*) FROM sensor_attempt)",
);
static EVENTS: Sql = Sql::new(
    "test.events",
    "INSERT INTO sensor_event (client_id, seq, id, sensor_id, kind, type, body, at, state, tries, ended_at, ended) \
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700) \
     SELECT ?1, i, 'e' || i, 'a', 'state', 'sensor.opened', '{}', 5, 'sent', 1, 6, 6 FROM n",
);
static ATTEMPTS: Sql = Sql::new(
    "test.attempts",
    "INSERT INTO sensor_attempt (client_id, seq, number, at) SELECT client_id, seq, 1, 5 FROM sensor_event",
);

fn path(id: &str) -> String {
    format!("/sensor-clients/{id}")
}

fn new(name: &str, url: &str) -> Value {
    json!({ "name": name, "url": url })
}

#[test]
fn sen_1_a_client_is_created_shown_changed_and_removed() {
    let edge = Edge::new();
    let (id, secret) = edge.client("Hotel");
    assert!(secret.starts_with("whsec_") && secret.len() == 6 + 44, "{secret}");
    let client = edge.get(&path(&id));
    assert_eq!((&client["name"], &client["state"], &client["reason"]), (&json!("Hotel"), &json!("active"), &json!("")));
    assert_eq!((&client["waiting"], &client["sensors"], &client["seq"]), (&json!(0), &json!(0), &json!(0)));
    assert!(client.get("secret").is_none() && !client.to_string().contains("whsec_"));
    let change = json!({ "name": "Hotel Europa", "url": "https://b.example/", "group_lost": 5 });
    let (status, changed) = edge.ask("PATCH", &path(&id), change);
    assert_eq!((status, &changed["name"], &changed["group_lost"]), (200, &json!("Hotel Europa"), &json!(5)));
    assert_eq!(edge.ask("PATCH", &path(&id), json!({})).1, changed, "nothing said, nothing changed");
    assert_eq!(edge.ask("DELETE", &path(&id), Value::Null).0, 204);
    for (method, body) in [("GET", Value::Null), ("DELETE", Value::Null), ("PATCH", json!({}))] {
        assert_eq!(edge.refused(method, &path(&id), body), (404, "NCLIENT".into()), "{method}");
    }
}

#[test]
fn sen_1_what_is_no_client_is_refused() {
    let edge = Edge::new();
    edge.client("Taken");
    let (other, _) = edge.client("Other");
    let url = "https://a.example/";
    for (body, code) in [
        (json!({}), "ABODY"),
        (json!({ "name": "a" }), "ABODY"),
        (json!({ "name": "a", "url": url, "secret": "x" }), "ABODY"),
        (json!({ "name": "a", "url": url, "group_lost": -1 }), "ABODY"),
        (json!({ "name": "a", "url": url, "group_lost": 100_001 }), "ALIMIT"),
        (new("", url), "ABODY"),
        (new("a\u{7}", url), "ABODY"),
        (new(&"x".repeat(256), url), "ALIMIT"),
        (new("Taken", url), "ACLIENT"),
        (new("a", "a.example"), "ASENSOR"),
        (new("a", "http://169.254.169.254/"), "ASENSOR"),
        (new("a", "http://u:p@a.example/"), "ASENSOR"),
    ] {
        assert_eq!(edge.refused("POST", "/sensor-clients", body.clone()).1, code, "{body}");
    }
    for (body, code) in [
        (json!({ "name": "Taken" }), "ACLIENT"),
        (json!({ "url": "http://[::1]/" }), "ASENSOR"),
        (json!({ "state": "failing" }), "ABODY"),
        (json!({ "secret": "x" }), "ABODY"),
    ] {
        assert_eq!(edge.refused("PATCH", &path(&other), body.clone()).1, code, "{body}");
    }
    assert_eq!(edge.all("/sensor-clients", 1).len(), 2);
    assert_eq!(edge.ask("PATCH", &path(&other), json!({ "name": "Other" })).0, 200, "its own name is free for it");
}

#[test]
fn sen_10_private_addresses_are_taken_where_the_server_allows_them() {
    let edge = Edge::new();
    edge.kernel.common::<sensors::Rules>().set_allow_private(true);
    assert_eq!(edge.ask("POST", "/sensor-clients", new("a", "http://127.0.0.1:9/")).0, 201);
}

#[test]
fn sen_7_a_repeated_request_shows_the_same_secret_and_another_body_is_refused() {
    let edge = Edge::new();
    let send = |path: &str, body: &Value| {
        let more = [("content-type", "application/json"), ("idempotency-key", "k1")];
        let (status, bytes) =
            edge.send(ADMIN, "POST", path, &more, if body.is_null() { vec![] } else { body.to_string().into_bytes() });
        (status, serde_json::from_slice::<Value>(&bytes).unwrap())
    };
    let first = send("/sensor-clients", &new("a", "https://a.example/"));
    assert_eq!(first.0, 201);
    assert_eq!(send("/sensor-clients", &new("a", "https://a.example/")), first);
    assert_eq!(send("/sensor-clients", &new("b", "https://a.example/")).1["code"], json!("AKEYREUSED"));
    assert_eq!(edge.all("/sensor-clients", 10).len(), 1);
    let rotate = format!("/sensor-clients/{}/rotate", first.1["id"].as_str().unwrap());
    let rotated = send(&rotate, &Value::Null);
    assert_eq!(send(&rotate, &Value::Null), rotated);
    assert_ne!(rotated.1["secret"], first.1["secret"]);
    static KEPT: Sql = Sql::new("test.kept", "SELECT COUNT(*) FROM request WHERE answer LIKE '%whsec%'");
    assert_eq!(edge.count(&KEPT), 0, "no secret lies in the kept answers");
}

#[test]
fn sen_7_the_secret_before_signs_too_for_a_day_of_listening() {
    let edge = Edge::new();
    let (id, secret) = edge.client("a");
    let (status, rotated) = edge.ask("POST", &format!("{}/rotate", path(&id)), Value::Null);
    assert_eq!(status, 200);
    let row = &edge.rows(&SECRETS)[0];
    assert_eq!(kernel::secret::text(row.blob(1)), secret);
    assert_eq!(json!(kernel::secret::text(row.blob(0))), rotated["secret"]);
    assert_eq!(edge.get(&path(&id))["rotating"], json!(true));
    edge.world().jump_calendar_ms(90_000_000);
    assert_eq!(edge.get(&path(&id))["rotating"], json!(true), "the calendar ends nothing");
    edge.world().pass_ms(86_400_000);
    assert_eq!(edge.get(&path(&id))["rotating"], json!(false));
    assert_eq!(edge.refused("POST", "/sensor-clients/nobody/rotate", Value::Null), (404, "NCLIENT".into()));
}

#[test]
fn sen_8_a_failing_client_is_made_active_again_and_its_alert_closes() {
    static ALERTS: Sql = Sql::new("test.alerts", "SELECT key FROM alert WHERE closed_at IS NULL ORDER BY key");
    static OPEN: kernel::Op<String, ()> = kernel::Op::new("test.open_alert", |_, cx, id| {
        cx.fx.open_alert(format!("sensor-client/{id}"), "sensor-client", "it fails");
        Ok(())
    });
    let edge = Edge::new();
    let (id, _) = edge.client("a");
    edge.write(&FAIL, vec![Arg::from(id.clone())]);
    edge.call(&OPEN, id.clone()).unwrap();
    assert_eq!(edge.get(&path(&id))["state"], json!("failing"));
    let (_, renamed) = edge.ask("PATCH", &path(&id), json!({ "name": "b" }));
    assert_eq!(
        (&renamed["state"], &renamed["reason"]),
        (&json!("failing"), &json!("ten tries")),
        "a name heals nothing"
    );
    let ours = |rows: Vec<base::Row>| rows.iter().filter(|row| row.text(0).starts_with("sensor-client/")).count();
    assert_eq!(ours(edge.rows(&ALERTS)), 1);
    let (_, active) = edge.ask("PATCH", &path(&id), json!({ "state": "active" }));
    assert_eq!((&active["state"], &active["reason"]), (&json!("active"), &json!("")));
    assert_eq!(ours(edge.rows(&ALERTS)), 0);
    let (_, off) = edge.ask("PATCH", &path(&id), json!({ "state": "disabled" }));
    assert_eq!(off["state"], json!("disabled"));
    assert!(off["reason"].as_str().unwrap().starts_with("disabled by "));
}

#[test]
fn sen_1_a_removed_client_leaves_nothing_behind() {
    let edge = Edge::new();
    let (id, _) = edge.client("a");
    edge.sensor("s1", "Oslo");
    edge.link(&id, "s1");
    edge.write(&EVENTS, vec![Arg::from(id.clone())]);
    edge.write(&ATTEMPTS, vec![]);
    assert_eq!(edge.count(&LEFT), 1401);
    assert_eq!(edge.ask("DELETE", &path(&id), Value::Null).0, 204);
    edge.world().pass_ms(60_000);
    assert_eq!(edge.count(&LEFT), 0);
    assert_eq!(edge.client("a").0.len(), 26, "its name is free again");
}

#[test]
fn ker_32_a_key_bound_to_a_client_sees_that_one_only() {
    let edge = Edge::new();
    let ((mine, _), (other, _)) = (edge.client("mine"), edge.client("other"));
    let key = edge.key("app", json!({ "client": mine }));
    assert_eq!(edge.ask_as(&key, "GET", &path(&mine), Value::Null).0, 200);
    assert_eq!(edge.ask_as(&key, "GET", &format!("{}/sensors", path(&mine)), Value::Null).0, 200);
    for path in [path(&other), format!("{}/sensors", path(&other)), "/sensor-clients".into(), "/sensors".into()] {
        assert_eq!(edge.ask_as(&key, "GET", &path, Value::Null).0, 403, "{path}");
    }
}
