//! History, notifications, events, replay, retention: what is read of the past, and told again.

use base::{Call, CallResult, HttpCall, HttpReply, Sql, Value as Arg};
use kernel::{Op, Plan, TaskRow};
use serde_json::{Value, json};

use crate::edge::{ADMIN, Edge, encoded};

/// A call that waits, with what answers it.
type Asked = (HttpCall, Box<dyn FnOnce(CallResult) + Send>);

impl Edge {
    /// A signal that counts.
    fn say(&self, sensor: &str, data: u8) {
        let (status, answer) = self.ask("POST", "/signals", json!({ "sensor_id": sensor, "data": data }));
        assert_eq!((status, &answer["rejected"]), (200, &json!([])), "{answer}");
    }

    /// The next call of a client's URL.
    fn hook(&self) -> Option<Asked> {
        self.world().pass_ms(50);
        loop {
            match self.world().partner.next()? {
                (Call::Http(call), done) => return Some((call, done)),
                // Blobs are looked through once a day.
                (work, done) => done(self.perform(&work)),
            }
        }
    }

    /// Answers every call with this status; the bodies with their ids, in order.
    fn answer_all(&self, status: u16) -> Vec<(String, Value)> {
        let mut told = vec![];
        while let Some((call, done)) = self.hook() {
            let id = call.headers.iter().find(|(name, _)| name == "webhook-id").unwrap().1.clone();
            told.push((id, serde_json::from_slice(&call.body).unwrap()));
            done(answer(status));
        }
        told
    }
}

fn answer(status: u16) -> CallResult {
    CallResult::Http(HttpReply { status, headers: vec![], body: vec![] })
}

/// A client with two sensors.
fn scene() -> (Edge, String) {
    let edge = Edge::new();
    let (client, _) = edge.client("Hotel");
    for (id, address) in [("a", "Oslo, room 1"), ("b", "=Paris, room 2")] {
        // So long that no test has to do with lost ones.
        let (status, _) =
            edge.ask("PUT", &format!("/sensors/{id}"), json!({ "address": address, "silence_s": 31_536_000 }));
        assert_eq!(status, 201);
        edge.link(&client, id);
    }
    (edge, client)
}

#[test]
fn sen_11_history_is_read_by_sensor_client_address_and_time() {
    let (edge, client) = scene();
    edge.sensor("c", "Oslo, room 3");
    let mut times = vec![];
    for data in [0, 1, 0] {
        for sensor in ["a", "b", "c"] {
            edge.say(sensor, data);
        }
        times.push(edge.get("/sensors/a/history")["items"][0]["at"].as_str().unwrap().to_owned());
        edge.answer_all(200);
        edge.world().pass_ms(60_000);
    }
    for limit in [1, 2, 100] {
        let of_a = edge.all("/sensors/a/history", limit);
        let said: Vec<_> = of_a.iter().map(|row| (row["data"].as_i64(), row["previous"].as_i64())).collect();
        assert_eq!(said, [(Some(0), Some(1)), (Some(1), Some(0)), (Some(0), None)], "newest first");
        assert_eq!(edge.all("/sensor-history", limit).len(), 9);
        assert_eq!(edge.all("/sensor-history?sensor=b", limit).len(), 3);
        assert_eq!(edge.all(&format!("/sensor-history?client={client}"), limit).len(), 6);
        assert_eq!(edge.all("/sensor-history?address=Oslo", limit).len(), 6);
        let between = format!("/sensors/a/history?from={}&to={}", encoded(&times[1]), encoded(&times[2]));
        assert_eq!(edge.all(&between, limit).len(), 1, "from counts, to does not");
    }
    for (path, code) in [
        ("/sensors/nothere/history", "NSENSOR"),
        ("/sensors/a-b/history", "ASENSOR"),
        ("/sensors/a/history?from=yesterday", "ABODY"),
        ("/sensors/a/history?after=x", "ABODY"),
        ("/sensors/a/history?limit=0", "ALIMIT"),
        ("/sensor-history?client=nobody", "NCLIENT"),
        ("/sensor-history?sensor=a&client=b", "ABODY"),
        ("/sensor-history?format=xml", "ABODY"),
        ("/sensor-history?until=1", "ABODY"),
    ] {
        assert_eq!(edge.refused("GET", path, Value::Null).1, code, "{path}");
    }
    edge.ask("DELETE", "/sensors/a", Value::Null);
    assert_eq!(edge.all("/sensors/a/history", 100).len(), 3, "a removed sensor keeps its history");
}

#[test]
fn sen_11_history_as_csv_is_harmless_and_paged() {
    let (edge, _) = scene();
    edge.say("b", 0);
    edge.say("a", 1);
    let (status, bytes) = edge.send(ADMIN, "GET", "/sensor-history?format=csv", &[], vec![]);
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!((status, text.lines().count()), (200, 3), "{text}");
    assert!(text.starts_with("at,sensor_id,address,data,previous,changed,taken_at,id\r\n"), "{text}");
    assert!(text.contains(",b,\"'=Paris, room 2\",0,,1,"), "{text}");
    let (_, page) = edge.send(ADMIN, "GET", "/sensor-history?format=csv&limit=1", &[], vec![]);
    assert_eq!(String::from_utf8(page).unwrap().lines().count(), 2);
}

#[test]
fn sen_11_notifications_tell_each_try_and_what_came_in_their_place() {
    let (edge, client) = scene();
    edge.say("a", 0);
    let (_, done) = edge.hook().unwrap();
    done(answer(500));
    edge.say("a", 1);
    edge.answer_all(204);
    edge.world().pass_ms(600_000);
    edge.answer_all(204);
    let path = format!("/sensor-clients/{client}/notifications");
    for limit in [1, 100] {
        let told = edge.all(&path, limit);
        assert_eq!(told.len(), 2);
        assert_eq!(
            (&told[0]["seq"], &told[0]["state"], &told[0]["type"]),
            (&json!(2), &json!("sent"), &json!("sensor.closed"))
        );
        assert_eq!((&told[0]["tries"][0]["status"], &told[0]["tries"][0]["error"]), (&json!(204), &Value::Null));
        assert_eq!((&told[1]["state"], &told[1]["superseded_by"]), (&json!("superseded"), &json!(2)));
        let tried = &told[1]["tries"][0];
        assert_eq!(
            (&tried["status"], &tried["error"], &tried["number"]),
            (&json!(500), &json!("status 500"), &json!(1))
        );
    }
    assert_eq!(edge.refused("GET", "/sensor-clients/nobody/notifications", Value::Null).1, "NCLIENT");
    assert_eq!(edge.refused("GET", &format!("{path}?after=x"), Value::Null).1, "ABODY");
}

#[test]
fn sen_14_events_are_the_very_bodies_and_ids_that_were_sent() {
    let (edge, client) = scene();
    let mut sent = vec![];
    for (sensor, data) in [("a", 0), ("b", 1), ("a", 1), ("b", 0)] {
        edge.say(sensor, data);
        while let Some((call, done)) = edge.hook() {
            let id = call.headers.iter().find(|(name, _)| name == "webhook-id").unwrap().1.clone();
            sent.push((id, String::from_utf8(call.body).unwrap()));
            done(answer(200));
        }
    }
    edge.say("a", 0);
    let path = format!("/sensor-clients/{client}/events");
    let (_, page) = edge.send(ADMIN, "GET", &path, &[], vec![]);
    let page = String::from_utf8(page).unwrap();
    for (id, body) in &sent {
        assert!(
            page.contains(id.as_str()) && page.contains(&format!("\"body\":{body}")),
            "byte for byte: {body} in {page}"
        );
    }
    for limit in [1, 2, 100] {
        let events = edge.all(&path, limit);
        let seqs: Vec<_> = events.iter().map(|event| event["seq"].as_i64().unwrap()).collect();
        assert_eq!(seqs, [1, 2, 3, 4, 5]);
        assert_eq!((&events[4]["state"], &events[0]["state"]), (&json!("waiting"), &json!("sent")));
        assert!(events.iter().all(|event| event["body"]["data"]["seq"] == event["seq"]));
    }
    let rest = edge.get(&format!("{path}?after=3"));
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["next"]), (2, &Value::Null));
    let (waiting, body) = (rest["items"][1]["webhook_id"].clone(), rest["items"][1]["body"].clone());
    assert_eq!(
        edge.answer_all(200),
        [(waiting.as_str().unwrap().to_owned(), body)],
        "what waits is sent as it was shown"
    );
    let mine = edge.key("app", json!({ "client": client }));
    assert_eq!(edge.ask_as(&mine, "GET", &path, Value::Null).0, 200, "a client reads its own with its own key");
    assert_eq!(edge.refused("GET", &format!("{path}?after=x"), Value::Null).1, "ABODY");
}

fn replay(edge: &Edge, client: &str, body: Value) -> (u16, Value) {
    edge.ask("POST", &format!("/sensor-clients/{client}/replay"), body)
}

#[test]
fn sen_8_a_replay_sends_what_failed_again_in_order_one_at_a_time() {
    let (edge, client) = scene();
    edge.ask("PATCH", &format!("/sensor-clients/{client}"), json!({ "state": "disabled" }));
    for (sensor, data) in [("a", 0), ("b", 1), ("a", 1), ("b", 0)] {
        edge.say(sensor, data);
    }
    assert_eq!(edge.answer_all(200), [], "nothing is told to a disabled client");
    let all = json!({ "from": "2026-01-01T00:00:00Z" });
    assert_eq!(replay(&edge, &client, all.clone()).1["code"], json!("ASENSOR"), "not while it is disabled");
    edge.ask("PATCH", &format!("/sensor-clients/{client}"), json!({ "state": "active" }));
    edge.ask("DELETE", &format!("/sensor-clients/{client}/sensors/b"), Value::Null);
    let events = edge.all(&format!("/sensor-clients/{client}/events"), 100);
    let (status, begun) = replay(&edge, &client, all.clone());
    assert_eq!((status, &begun["state"], &begun["until"]), (202, &json!("running"), &json!(4)));
    assert_eq!(replay(&edge, &client, all).1["code"], json!("ASENSOR"), "one at a time");
    let (first, done) = edge.hook().unwrap();
    assert!(edge.world().partner.next().is_none(), "one in flight");
    done(answer(503));
    edge.world().pass_ms(6_000);
    let (again, done) = edge.hook().unwrap();
    assert_eq!(again.body, first.body, "the same event first");
    done(answer(200));
    let told = edge.answer_all(200);
    let ids = [first.headers.iter().find(|(name, _)| name == "webhook-id").unwrap().1.as_str(), &told[0].0];
    assert_eq!(
        json!(ids),
        json!([events[0]["webhook_id"], events[2]["webhook_id"]]),
        "under their own ids, without b's"
    );
    assert_eq!((told.len(), &told[0].1["replayed"], &told[0].1["data"]), (1, &json!(true), &events[2]["body"]["data"]));
    let ended = &edge.get(&format!("/sensor-clients/{client}"))["replay"];
    assert_eq!((&ended["state"], &ended["sent"], &ended["left_out"]), (&json!("done"), &json!(2), &json!(2)));
    let tries = edge.get(&format!("/sensor-clients/{client}/notifications"))["items"][3]["tries"].clone();
    assert_eq!((&tries[0]["status"], &tries[1]["status"]), (&json!(503), &json!(200)), "each try is written down");
    let later = json!({ "from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z" });
    assert_eq!(replay(&edge, &client, later).0, 202);
    assert_eq!(edge.answer_all(200), [], "nothing is of that time");
    edge.world().check_invariants();
}

#[test]
fn sen_8_a_replay_gives_up_after_ten_tries_and_ends_at_410() {
    let (edge, client) = scene();
    edge.say("a", 0);
    edge.answer_all(200);
    let all = json!({ "from": "2026-01-01T00:00:00Z" });
    replay(&edge, &client, all.clone());
    let mut tries = 0;
    for pause_s in [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 0] {
        tries += edge.answer_all(500).len();
        edge.world().pass_ms(pause_s * 1_200);
    }
    let ended = edge.get(&format!("/sensor-clients/{client}"))["replay"].clone();
    let ours = edge.get(&format!("/sensor-clients/{client}/notifications"));
    assert_eq!((&ended["state"], &ended["tries"]), (&json!("failed"), &json!(10)), "{ended}");
    assert!(tries == 10 && ended["reason"].as_str().unwrap().contains("10 tries failed"), "{tries} {ours}");
    assert_eq!(replay(&edge, &client, all).0, 202);
    assert!(edge.answer_all(410).len() == 1);
    let client = edge.get(&format!("/sensor-clients/{client}"));
    assert_eq!((&client["state"], &client["replay"]["state"]), (&json!("disabled"), &json!("failed")));
}

#[test]
fn sen_8_a_replay_that_cannot_be_is_refused() {
    let (edge, client) = scene();
    for (body, code) in [
        (json!({}), "ABODY"),
        (json!({ "from": "soon" }), "ABODY"),
        (json!({ "from": 5 }), "ABODY"),
        (json!({ "from": "2026-01-02T00:00:00Z", "to": "2026-01-02T00:00:00Z" }), "ASENSOR"),
        (json!({ "from": "2026-01-02T00:00:00Z", "x": 1 }), "ABODY"),
    ] {
        assert_eq!(replay(&edge, &client, body.clone()).1["code"], json!(code), "{body}");
    }
    assert_eq!(replay(&edge, "nobody", json!({ "from": "2026-01-02T00:00:00Z" })).1["code"], json!("NCLIENT"));
}

#[test]
fn sen_2_what_was_no_signal_is_listed_newest_first() {
    let edge = Edge::new();
    for data in 2..7 {
        edge.ask("POST", "/signals", json!([{ "sensor_id": "a", "data": data }]));
    }
    for limit in [1, 2, 100] {
        let found = edge.all("/signals/rejected", limit);
        assert_eq!(found.len(), 5, "{found:?}");
        assert!(
            found[0]["body"].as_str().unwrap().contains('6') && found[0]["reason"].as_str().unwrap().contains("data")
        );
    }
    assert_eq!(edge.refused("GET", "/signals/rejected?after=x", Value::Null).1, "ABODY");
}

#[test]
fn sen_11_notifications_are_found_by_client_sensor_address_and_time_and_as_csv() {
    let (edge, client) = scene();
    edge.say("a", 0);
    edge.say("b", 0);
    edge.answer_all(500);
    edge.world().pass_ms(60_000);
    edge.say("a", 1);
    edge.answer_all(200);
    let of = |query: &str| -> Vec<(String, String)> {
        let list = edge.get(&format!("/sensor-notifications?{query}"));
        let text = |item: &Value, name: &str| item[name].as_str().unwrap().to_owned();
        list["items"].as_array().unwrap().iter().map(|item| (text(item, "sensor_id"), text(item, "type"))).collect()
    };
    let all = of("limit=100");
    assert_eq!(all.len(), 3, "{all:?}");
    assert_eq!(all[0], ("a".to_owned(), "sensor.closed".to_owned()), "newest first");
    assert_eq!(of(&format!("client={client}")), all);
    assert_eq!(of("sensor=b").len(), 1);
    assert_eq!(of("sensor=a").len(), 2);
    let address = crate::edge::encoded(edge.get("/sensors/b")["address"].as_str().unwrap());
    assert_eq!(of(&format!("address={address}")), of("sensor=b"));
    assert!(of("address=Nowhere").is_empty());
    let last = edge.get("/sensor-notifications?limit=1");
    let (at, next) = (last["items"][0]["at"].as_str().unwrap(), last["next"].as_str().unwrap());
    assert_eq!(of(&format!("from={at}")), all[..1]);
    assert_eq!(of(&format!("to={at}")), all[1..]);
    assert_eq!(of(&format!("after={next}")), all[1..]);
    assert_eq!(last["items"][0]["tries"][0]["status"], 200);
    let (status, bytes) = edge.send(ADMIN, "GET", "/sensor-notifications?format=csv&sensor=b", &[], vec![]);
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(status, 200, "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("at,client,seq,sensor_id,type,state,ended_at,try"), "{text}");
    assert!(lines[1].contains(",b,sensor.opened,") && lines[1].contains(",500,"), "{text}");
    for bad in ["after=x", "from=yesterday", "sensor=a-b", "format=xml", "what=1"] {
        assert!(edge.refused("GET", &format!("/sensor-notifications?{bad}"), Value::Null).0 >= 400, "{bad}");
    }
}

#[test]
fn sen_11_what_is_older_than_it_is_kept_goes_and_nothing_else() {
    static LEFT: Sql = Sql::new(
        "test.left_of_the_past",
        "SELECT (SELECT COUNT(*) FROM sensor_history), (SELECT COUNT(*) FROM sensor_event), \
         (SELECT COUNT(*) FROM sensor_attempt)",
    );
    static MANY: Sql = Sql::new(
        "test.many_old",
        "INSERT INTO sensor_history (id, sensor_id, address, data, previous, changed, at, taken_at, heard) \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) \
         SELECT 'old' || i, 'a', 'Oslo', 0, 1, 1, ?1, ?1, ?2 FROM n",
    );
    static FORGET: Op<Option<String>, Option<String>> = Op::new("test.forget", |tx, cx, checkpoint| {
        let task = sensors::SERVICE.tasks.iter().find(|task| task.op == "sensor.forget").unwrap();
        let row = TaskRow::first_attempt(cx.id(), task.op, "null", cx.wall);
        match (task.plan)(tx, cx, &TaskRow { checkpoint: checkpoint.clone(), ..row })? {
            Plan::Checkpoint(next) => Ok(Some(next)),
            _ => Ok(None),
        }
    });
    let (edge, client) = scene();
    let forget = || {
        let mut checkpoint = None;
        (1..100).find(|_| {
            checkpoint = edge.call(&FORGET, checkpoint.take()).unwrap();
            checkpoint.is_none()
        })
    };
    let left = || {
        let rows = edge.rows(&LEFT);
        [0, 1, 2].map(|column| rows[0].int(column))
    };
    let year_ms = 365 * 86_400_000_i64;
    edge.write(&MANY, vec![Arg::from(testbed::NOON), Arg::from(-year_ms - 5_000)]);
    edge.say("a", 0);
    edge.answer_all(200);
    assert_eq!(left(), [1_001, 1, 1]);
    assert_eq!((forget(), left()), (Some(7), [1, 1, 1]), "what is a year old is gone, in portions");
    edge.world().jump_calendar_ms(2 * year_ms);
    forget();
    assert_eq!(left(), [1, 1, 1], "a calendar that is two years ahead makes nothing old");
    edge.world().jump_calendar_ms(-2 * year_ms);
    edge.say("a", 1);
    edge.kernel.common::<sensors::Rules>().set_history(false, 3_600_000);
    edge.world().pass_ms(3_500_000);
    edge.say("b", 1);
    edge.world().pass_ms(3_500_000);
    forget();
    assert_eq!(left()[..2], [1, 2], "what still waits stays: the last of each sensor");
    assert!(edge.get(&format!("/sensor-clients/{client}"))["seq"].as_i64().unwrap() >= 1, "numbers go on");
    edge.world().check_invariants();
}

/// What is read of the past without anybody being told, on any engine.
pub fn check_history(edge: &Edge) {
    edge.sensor("h1", "Rome, room 1");
    edge.sensor("h2", "Rome, room 2");
    let (client, _) = edge.client("reader of history");
    edge.link(&client, "h1");
    for data in [0, 1] {
        edge.say("h1", data);
        edge.say("h2", data);
    }
    for limit in [1, 100] {
        assert_eq!(edge.all("/sensors/h1/history", limit).len(), 2);
        assert_eq!(edge.all("/sensor-history?address=Rome", limit).len(), 4);
        assert_eq!(edge.all(&format!("/sensor-history?client={client}"), limit).len(), 2);
        assert_eq!(edge.all(&format!("/sensor-clients/{client}/events"), limit).len(), 2);
        assert_eq!(edge.all(&format!("/sensor-clients/{client}/notifications"), limit).len(), 2);
    }
    assert_eq!(edge.ask("DELETE", &format!("/sensor-clients/{client}"), Value::Null).0, 204);
}
