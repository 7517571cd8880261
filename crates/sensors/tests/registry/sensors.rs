//! Sensors: put, shown, listed, counted by address, removed.

use base::{Sql, Value as Arg};
use serde_json::{Value, json};

use crate::edge::{Edge, encoded};

static LOST_AT: Sql = Sql::new("test.lost_at", "SELECT lost_at FROM sensor ORDER BY id");
static SAY: Sql = Sql::new(
    "test.say",
    "UPDATE sensor SET data = ?2, seen = ?3, seen_at = ?4, changed_at = ?4, changes = 1 WHERE id = ?1",
);
static LOSE: Sql = Sql::new("test.lose", "UPDATE sensor SET lost_at = NULL, lost_since = ?2 WHERE id = ?1");
static HEAR: Sql = Sql::new(
    "test.hear_unknown",
    "INSERT INTO sensor_unknown (id, first_at, last_at, count, data) VALUES (?1, ?2, ?2, 1, 0)",
);

fn text(text: &str) -> Arg<'static> {
    text.to_owned().into()
}

fn lost_at(edge: &Edge) -> Option<i64> {
    edge.rows(&LOST_AT)[0].opt_int(0)
}

fn ids(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["id"].as_str().unwrap()).collect()
}

#[test]
fn sen_1_a_sensor_is_registered_changed_shown_and_removed() {
    let edge = Edge::new();
    let (status, made) = edge.ask("PUT", "/sensors/xa7v9Dfadr7H", json!({ "address": "Moscow, room 16" }));
    assert_eq!((status, &made["address"], &made["silence_s"]), (201, &json!("Moscow, room 16"), &json!(3600)));
    assert_eq!((&made["state"], &made["data"], &made["seen_at"]), (&json!("never"), &Value::Null, &Value::Null));
    assert_eq!(edge.get("/sensors/xa7v9Dfadr7H"), made);

    let again = edge.ask("PUT", "/sensors/xa7v9Dfadr7H", json!({ "address": "Moscow, room 16" }));
    assert_eq!(again, (200, made), "a repeat changes nothing");
    let (_, moved) = edge.ask("PUT", "/sensors/xa7v9Dfadr7H", json!({ "address": "Oslo", "silence_s": 60 }));
    assert_eq!((&moved["address"], &moved["silence_s"]), (&json!("Oslo"), &json!(60)));
    let (_, moved) = edge.ask("PUT", "/sensors/xa7v9Dfadr7H", json!({ "address": "Bergen" }));
    assert_eq!(moved["silence_s"], json!(60), "what is not said stays");

    assert_eq!(edge.ask("DELETE", "/sensors/xa7v9Dfadr7H", Value::Null).0, 204);
    for method in ["GET", "DELETE"] {
        assert_eq!(edge.refused(method, "/sensors/xa7v9Dfadr7H", Value::Null), (404, "NSENSOR".into()));
    }
}

#[test]
fn sen_1_what_is_no_sensor_is_refused() {
    let edge = Edge::new();
    let good = json!({ "address": "a" });
    for id in ["0123456789aBcDeF0", "a-b", "%20", "%C3%A4", "a%2Fb"] {
        assert_eq!(edge.refused("PUT", &format!("/sensors/{id}"), good.clone()), (422, "ASENSOR".into()), "{id}");
    }
    for word in ["import", "unknown", "addresses"] {
        let refused = edge.refused("PUT", &format!("/sensors/{word}"), good.clone());
        assert_eq!(refused, (405, "AMETHOD".into()), "{word} is another thing's place");
    }
    for (body, code) in [
        (json!({}), "ABODY"),
        (json!({ "address": 5 }), "ABODY"),
        (json!({ "address": "a", "data": 1 }), "ABODY"),
        (json!({ "address": "a", "silence_s": -1 }), "ABODY"),
        (json!({ "address": "a", "silence_s": "60" }), "ABODY"),
        (json!({ "address": "" }), "ASENSOR"),
        (json!({ "address": "a\nb" }), "ASENSOR"),
        (json!({ "address": "x".repeat(501) }), "ASENSOR"),
        (json!({ "address": "a", "silence_s": 9 }), "ASENSOR"),
        (json!({ "address": "a", "silence_s": 31_536_001 }), "ASENSOR"),
    ] {
        assert_eq!(edge.refused("PUT", "/sensors/a", body.clone()).1, code, "{body}");
    }
    assert_eq!(edge.refused("PUT", "/sensors/a", json!({ "address": "x".repeat(2 << 20) })).0, 413);
    assert_eq!(edge.get("/sensors")["items"], json!([]), "nothing came of it");
}

#[test]
fn sen_1_ids_are_case_sensitive() {
    let edge = Edge::new();
    edge.sensor("0xA", "upper");
    edge.sensor("0xa", "lower");
    assert_eq!(edge.get("/sensors/0xA")["address"], json!("upper"));
    assert_eq!(edge.get("/sensors/0xa")["address"], json!("lower"));
}

#[test]
fn sen_6_one_that_never_speaks_is_lost_after_its_silence_and_registering_again_does_not_put_that_off() {
    let edge = Edge::new();
    edge.sensor("a", "Oslo");
    let first = lost_at(&edge).unwrap();
    edge.world().pass_ms(1_000_000);
    edge.ask("PUT", "/sensors/a", json!({ "address": "Bergen" }));
    assert_eq!(lost_at(&edge), Some(first), "another address is no sign of life");
    edge.ask("PUT", "/sensors/a", json!({ "address": "Bergen", "silence_s": 7_200 }));
    assert_eq!(lost_at(&edge), Some(first + 3_600_000 + 60_000));
    edge.ask("PUT", "/sensors/a", json!({ "address": "Bergen", "silence_s": 3_600 }));
    assert_eq!(lost_at(&edge), Some(first + 60_000), "what may have been said unwritten is granted");
}

#[test]
fn sen_6_another_silence_counts_from_the_last_sign_of_life_and_leaves_a_lost_one_lost() {
    let edge = Edge::new();
    edge.sensor("a", "Oslo");
    edge.write(&SAY, vec![text("a"), 1.into(), 500_000.into(), 7.into()]);
    edge.ask("PUT", "/sensors/a", json!({ "address": "Oslo", "silence_s": 7_200 }));
    assert_eq!(lost_at(&edge), Some(500_000 + 7_200_000 + 120_000));
    assert_eq!(edge.get("/sensors/a")["state"], json!("closed"), "what it said stays");
    edge.write(&LOSE, vec![text("a"), 9.into()]);
    edge.ask("PUT", "/sensors/a", json!({ "address": "Oslo", "silence_s": 60 }));
    assert_eq!(lost_at(&edge), None);
    assert_eq!(edge.get("/sensors/a")["state"], json!("lost"));
    assert_eq!(edge.get("/sensors/a")["data"], json!(1), "with what it said last");
}

/// Forty sensors, of which ten spoke and ten are lost.
fn register_many(edge: &Edge) {
    for number in 0..40 {
        let city = if number % 2 == 0 { "Oslo, Norway" } else { "Paris, France" };
        edge.sensor(&format!("s{number:02}"), &format!("{city}, house {}, room {number}", number % 4));
    }
    for number in 0..10 {
        edge.write(&SAY, vec![text(&format!("s{number:02}")), (number % 2).into(), 5.into(), 5.into()]);
    }
    for number in (30..40).rev() {
        edge.write(&LOSE, vec![text(&format!("s{number:02}")), (100 - number).into()]);
    }
}

#[test]
fn sen_1_sensors_are_listed_by_id_prefix_address_and_state_page_by_page() {
    check_lists(&Edge::new());
}

pub fn check_lists(edge: &Edge) {
    register_many(edge);
    for limit in [1, 7, 40, 1000] {
        let all = edge.all("/sensors", limit);
        assert_eq!(ids(&all), (0..40).map(|number| format!("s{number:02}")).collect::<Vec<_>>(), "{limit}");
        assert_eq!(edge.all("/sensors?prefix=s1", limit).len(), 10);
        assert_eq!(edge.all("/sensors?prefix=S1", limit).len(), 0);
        let oslo = edge.all("/sensors?address=Oslo", limit);
        assert_eq!(oslo.len(), 20);
        assert!(oslo.iter().all(|sensor| sensor["address"].as_str().unwrap().starts_with("Oslo")));
        let of_both = edge.all("/sensors?address=Oslo&prefix=s3&state=lost", limit);
        assert_eq!(of_both.len(), 5);
        let lost = edge.all("/sensors?state=lost", limit);
        assert_eq!(ids(&lost)[..2], ["s39", "s38"], "the first lost comes first");
        assert_eq!(lost.len(), 10);
        assert_eq!(edge.all("/sensors?state=lost&prefix=s3", limit).len(), 10);
        assert_eq!(ids(&edge.all("/sensors?state=open", limit)), ["s00", "s02", "s04", "s06", "s08"]);
        assert_eq!(edge.all("/sensors?state=closed", limit).len(), 5);
        assert_eq!(edge.all("/sensors?state=never", limit).len(), 20);
    }
    for (query, code) in [("?limit=0", "ALIMIT"), ("?limit=1001", "ALIMIT"), ("?state=odd", "ABODY"), ("?x=1", "ABODY")]
    {
        assert_eq!(edge.refused("GET", &format!("/sensors{query}"), Value::Null).1, code, "{query}");
    }
    assert_eq!(edge.get("/sensors?after=%20%20x")["items"].as_array().unwrap().len(), 40, "an edited cursor");
}

#[test]
fn sen_1_an_id_that_is_the_prefix_itself_is_found() {
    let edge = Edge::new();
    for id in ["ab", "abc", "abz0", "abzz", "ac", "a"] {
        edge.sensor(id, id);
    }
    for limit in 1..5 {
        assert_eq!(ids(&edge.all("/sensors?prefix=ab", limit)), ["ab", "abc", "abz0", "abzz"]);
        assert_eq!(ids(&edge.all("/sensors?address=ab", limit)), ["ab", "abc", "abz0", "abzz"]);
    }
}

#[test]
fn sen_1_sensors_are_counted_by_the_next_part_of_their_address() {
    let edge = Edge::new();
    register_many(&edge);
    check_addresses(&edge);
}

pub fn check_addresses(edge: &Edge) {
    for limit in [1, 2, 100] {
        let top = edge.all("/sensors/addresses", limit);
        assert_eq!(top.len(), 2);
        let oslo = json!({ "address": "Oslo, ", "whole": false, "open": 5, "closed": 0, "lost": 5, "never": 10 });
        assert_eq!(top[0], oslo);
        assert_eq!((&top[1]["address"], &top[1]["closed"]), (&json!("Paris, "), &json!(5)));
        let houses = edge.all(&format!("/sensors/addresses?prefix={}", encoded("Oslo, Norway, ")), limit);
        let names: Vec<_> = houses.iter().map(|part| part["address"].as_str().unwrap()).collect();
        assert_eq!(names, ["Oslo, Norway, house 0, ", "Oslo, Norway, house 2, "]);
        let rooms = edge.all(&format!("/sensors/addresses?prefix={}", encoded("Oslo, Norway, house 0, ")), limit);
        assert_eq!((rooms.len(), &rooms[0]["whole"]), (10, &json!(true)));
    }
}

#[test]
fn sen_3_unknown_sensors_are_listed_newest_first_and_registering_takes_them_out() {
    let edge = Edge::new();
    for (at, id) in [(1, "a"), (3, "b"), (3, "c"), (2, "d")] {
        edge.write(&HEAR, vec![text(id), i64::from(at).into()]);
    }
    for limit in [1, 2, 10] {
        assert_eq!(ids(&edge.all("/sensors/unknown", limit)), ["c", "b", "d", "a"]);
    }
    let first = &edge.get("/sensors/unknown")["items"][0];
    assert_eq!((&first["count"], &first["last_at"]), (&json!(1), &json!("1970-01-01T00:00:00.003Z")));
    edge.sensor("b", "Oslo");
    assert_eq!(ids(&edge.all("/sensors/unknown", 10)), ["c", "d", "a"]);
}

#[test]
fn sen_3_signals_whose_time_is_ahead_of_us_are_taken_and_counted() {
    let edge = Edge::new();
    edge.sensor("a", "Paris");
    let ahead = |at: &str| json!({ "sensor_id": "a", "data": 1, "at": at });
    let (status, taken) =
        edge.ask("POST", "/signals", json!([ahead("2099-01-01T00:00:00Z"), ahead("9999-01-01T00:00:00Z")]));
    assert_eq!((status, taken["accepted"].as_i64(), taken["changed"].as_i64()), (200, Some(1), Some(1)));
    assert!(taken["rejected"][0]["reason"].as_str().unwrap().contains("a hundred years"), "no clock is so wrong");
    let counters = &edge.kernel.namespace("main").unwrap().watched.counters;
    let rates = counters.rates("signals-ahead", edge.kernel.env().clock.wall());
    assert_eq!(rates.points.iter().map(|point| point.processed).sum::<i64>(), 1);
}

#[test]
fn sen_1_who_may_register_and_who_may_look() {
    let edge = Edge::new();
    edge.sensor("a", "Oslo");
    for (role, reads, writes) in
        [("operator", 200, 200), ("reader", 200, 403), ("app", 200, 403), ("gateway", 403, 403), ("device", 403, 403)]
    {
        let key = edge.key(role, json!({}));
        for path in ["/sensors", "/sensors/a", "/sensors/a/clients", "/sensors/addresses", "/sensors/unknown"] {
            assert_eq!(edge.ask_as(&key, "GET", path, Value::Null).0, reads, "{role} {path}");
        }
        let body = json!({ "address": "Oslo" });
        assert_eq!(edge.ask_as(&key, "PUT", "/sensors/a", body).0, writes, "{role}");
    }
}

#[test]
fn sen_1_a_page_of_a_hundred_thousand_sensors_is_bounded() {
    static FILL: Sql = Sql::new(
        "test.fill",
        "INSERT INTO sensor (id, address, silence_ms, registered_at, recent, lost_at) \
         WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2) \
         SELECT 's' || i, 'City ' || (i % 10) || ', room ' || i, 60000, 0, x'', 1 FROM n",
    );
    let edge = Edge::new();
    for part in 0..25 {
        edge.write(&FILL, vec![(part * 4_000).into(), (part * 4_000 + 3_999).into()]);
    }
    let page = edge.get("/sensors?state=open&limit=10");
    assert_eq!(page["items"], json!([]));
    assert!(page["next"].is_string(), "there is more to look at");
    assert_eq!(edge.get("/sensors?state=lost")["next"], Value::Null, "by the index of lost ones there is nothing");
    assert_eq!(edge.get("/sensors?prefix=s99999")["items"].as_array().unwrap().len(), 1);
    let parts = edge.all("/sensors/addresses", 100);
    let counted: i64 = parts.iter().map(|part| part["never"].as_i64().unwrap()).sum();
    assert_eq!(counted, 100_000);
}

#[test]
fn sen_6_signals_that_the_edge_has_no_room_for_make_nobody_lost() {
    static LOST: Sql = Sql::new("test.lost", "SELECT COUNT(*) FROM sensor WHERE lost_since IS NOT NULL");
    let edge = Edge::full();
    let _watch = sensors::SilenceWatch::start(&edge.kernel);
    let new = sensors::PutSensor { id: "a".parse().unwrap(), address: "Paris".into(), silence_s: Some(10) };
    edge.call(&sensors::PUT_SENSOR, new).unwrap();
    for _ in 0..12 {
        let said = edge.refused("POST", "/signals", json!({ "sensor_id": "a", "data": 1 }));
        assert_eq!(said, (503, "XBUSY".to_owned()));
        edge.world().pass_ms(5_000);
    }
    assert_eq!(edge.count(&LOST), 0, "it spoke, and we did not let it in");
    edge.world().pass_ms(60_000);
    assert_eq!(edge.count(&LOST), 1, "now it is silent");
}
