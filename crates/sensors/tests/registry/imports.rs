//! Imports: taken, worked through, killed and resumed, with lines of every bad kind.

use base::{Call, CallResult, OpResult, Sql};
use kernel::{Op, Plan, TaskRow};
use serde_json::{Value, json};

use crate::edge::{ADMIN, Edge};

static SENSORS: Sql = Sql::new("test.sensors", "SELECT COUNT(*) FROM sensor");
static KEPT: Sql = Sql::new("test.kept_blobs", "SELECT COUNT(*) FROM blob_ref WHERE owner_kind = 'sensor.import'");

impl Edge {
    /// Posts an import.
    fn import(&self, path: &str, media: &str, body: &[u8]) -> (u16, Value) {
        let (status, bytes) = self.send(ADMIN, "POST", path, &[("content-type", media)], body.to_vec());
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// Does the work on blobs that tasks ask for, until nothing more comes.
    fn work(&self) {
        for _ in 0..5_000 {
            self.world().pass_ms(20);
            let Some((call, done)) = self.world().partner.next() else { return };
            done(self.perform(&call));
        }
        panic!("an import never ends")
    }

    fn perform(&self, call: &Call) -> CallResult {
        let Call::Work(work) = call else { panic!("{call:?}") };
        let main = self.kernel.namespace("main").unwrap();
        kernel::blobs::perform(self.places.place(&main.place()).unwrap().as_ref(), work)
    }

    /// Posts an import and lets it be worked through.
    fn imported(&self, path: &str, media: &str, body: &[u8]) -> Value {
        let (status, begun) = self.import(path, media, body);
        assert_eq!((status, &begun["state"]), (202, &json!("running")), "{begun}");
        self.work();
        self.get(&format!("/sensor-imports/{}", begun["id"].as_str().unwrap()))
    }
}

const NDJSON: &str = "application/x-ndjson";

fn numbers(import: &Value) -> [i64; 5] {
    ["lines", "created", "changed", "unchanged", "rejected"].map(|name| import[name].as_i64().unwrap())
}

/// Lines of sensors.
fn lines(count: usize) -> String {
    (0..count).map(|at| format!("{{\"id\":\"s{at}\",\"address\":\"Oslo, room {at}\"}}\n")).collect()
}

#[test]
fn sen_1_sensors_are_imported_from_ndjson_and_again_nothing_changes() {
    let edge = Edge::new();
    let done = edge.imported("/sensors/import", NDJSON, lines(1_300).as_bytes());
    assert_eq!((&done["state"], numbers(&done)), (&json!("done"), [1_300, 1_300, 0, 0, 0]));
    assert_eq!((&done["done"], &done["kind"]), (&done["size"], &json!("sensors")));
    assert_eq!(edge.count(&SENSORS), 1_300);
    let again = edge.imported("/sensors/import", NDJSON, lines(1_300).replace("room 7\"", "room seven\"").as_bytes());
    assert_eq!(numbers(&again), [1_300, 0, 1, 1_299, 0]);
    assert_eq!(edge.get("/sensors/s7")["address"], json!("Oslo, room seven"));
    assert_eq!(edge.count(&KEPT), 0, "no bytes are kept for imports that ended");
    assert_eq!(edge.get("/sensor-imports")["items"].as_array().unwrap().len(), 2);
}

#[test]
fn sen_1_bad_lines_are_rejected_one_by_one_and_stop_nothing() {
    let edge = Edge::new();
    let long = "x".repeat(70_000);
    let mut bytes = vec![];
    for line in [
        r#"{"id":"a","address":"Oslo"}"#,
        "",
        "{",
        r#"{"id":"0123456789aBcDeF0","address":"Oslo"}"#,
        r#"{"id":"a-b","address":"Oslo"}"#,
        r#"{"id":"b"}"#,
        r#"{"id":"b","address":"Oslo","data":1}"#,
        r#"{"id":"b","address":""}"#,
        r#"{"id":"b","address":"Oslo","silence_s":1}"#,
        r#"{"id":"b","address":"a\u0000b"}"#,
        &format!(r#"{{"id":"b","address":"{long}"}}"#),
        r#"{"id":"c","address":"Oslo","silence_s":60}"#,
    ] {
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(
        b"{\"id\":\"d\",\"address\":\"\xff\"}\n{\"id\":\"e\",\"address\":\"last, without a break\"}",
    );
    let done = edge.imported("/sensors/import", NDJSON, &bytes);
    assert_eq!((&done["state"], numbers(&done)), (&json!("done"), [14, 3, 0, 0, 10]), "{done}");
    let rejected = done["rejected_lines"].as_array().unwrap();
    let at: Vec<_> = rejected.iter().map(|line| line["line"].as_i64().unwrap()).collect();
    assert_eq!(at, [3, 4, 5, 6, 7, 8, 9, 10, 11, 13]);
    for (place, why) in
        [(1, "letters and digits"), (4, "unknown field"), (6, "10 to"), (7, "NUL"), (8, "4096"), (9, "UTF-8")]
    {
        assert!(rejected[place]["reason"].as_str().unwrap().contains(why), "{}", rejected[place]);
    }
    assert_eq!(edge.count(&SENSORS), 3);
}

#[test]
fn sen_1_only_the_first_hundred_rejected_lines_are_told() {
    let edge = Edge::new();
    let done = edge.imported("/sensors/import", NDJSON, "?\n".repeat(2_345).as_bytes());
    assert_eq!(numbers(&done), [2_345, 0, 0, 0, 2_345]);
    assert_eq!(done["rejected_lines"].as_array().unwrap().len(), 100);
}

#[test]
fn sen_1_sensors_and_links_are_imported_from_csv() {
    let edge = Edge::new();
    let (id, _) = edge.client("Hotel");
    let csv = "\u{feff}id,address,silence_s\r\na,\"Moscow, Russia, \"\"room\"\" 16\",60\r\nb,=1+1,\r\nc,Moscow, Russia,60\r\n\"d,x\r\n";
    let done = edge.imported("/sensors/import", "text/csv; charset=utf-8", csv.as_bytes());
    assert_eq!((&done["state"], numbers(&done)), (&json!("done"), [5, 2, 0, 0, 2]), "{done}");
    assert_eq!(edge.get("/sensors/a")["address"], json!("Moscow, Russia, \"room\" 16"));
    assert_eq!(
        edge.get("/sensors/b")["address"],
        json!("=1+1"),
        "kept as it is; made harmless where it is written out"
    );
    let csv = format!("client,sensor_id\n{id},a\nHotel,b\nHotel,a\nnobody,a\nHotel,nothere\nHotel,a-b\n");
    let done = edge.imported("/sensor-links/import", "text/csv", csv.as_bytes());
    assert_eq!(numbers(&done), [7, 2, 0, 1, 3], "{done}");
    assert_eq!(edge.get(&format!("/sensor-clients/{id}"))["sensors"], json!(2));
    let done = edge.imported("/sensor-links/import", NDJSON, b"{\"sensor_id\":\"a\",\"client\":\"Hotel\"}");
    assert_eq!(numbers(&done), [1, 0, 0, 1, 0]);
}

#[test]
fn sen_1_an_import_that_cannot_be_begun_fails_and_says_why() {
    let edge = Edge::new();
    let done = edge.imported("/sensors/import", "text/csv", b"id,adress\na,b\n");
    assert_eq!((&done["state"], &done["created"]), (&json!("failed"), &json!(0)));
    assert!(done["reason"].as_str().unwrap().contains("`adress`"), "{done}");
    let empty = edge.imported("/sensors/import", NDJSON, b"");
    assert_eq!(empty["state"], json!("done"));
    for media in ["application/json", "text/plain", ""] {
        assert_eq!(edge.import("/sensors/import", media, b"{}").0, 415, "{media}");
    }
    assert_eq!(edge.import("/sensors/import", NDJSON, &vec![b'x'; (64 << 20) + 1]).0, 413);
    assert_eq!(edge.refused("GET", "/sensor-imports/nothere", Value::Null), (404, "NIMPORT".into()));
    let key = edge.key("app", json!({}));
    let (status, _) = edge.send(&key, "POST", "/sensors/import", &[("content-type", NDJSON)], vec![]);
    assert_eq!(status, 403, "only operators register");
    assert_eq!(edge.count(&SENSORS), 0);
}

#[test]
fn sen_1_a_repeated_request_begins_one_import() {
    let edge = Edge::new();
    let more = [("content-type", NDJSON), ("idempotency-key", "k")];
    let send = |body: &str| edge.send(ADMIN, "POST", "/sensors/import", &more, body.as_bytes().to_vec());
    let first = send(&lines(3));
    assert_eq!(first.0, 202);
    assert_eq!(send(&lines(3)), first);
    assert_eq!(send(&lines(4)).0, 422, "the key with other bytes");
    edge.work();
    assert_eq!(edge.get("/sensor-imports")["items"].as_array().unwrap().len(), 1);
}

#[test]
fn sen_1_an_import_is_ended_by_whoever_does_not_want_it() {
    let edge = Edge::new();
    let (_, begun) = edge.import("/sensors/import", NDJSON, lines(2_000).as_bytes());
    let path = format!("/sensor-imports/{}", begun["id"].as_str().unwrap());
    edge.world().pass_ms(20);
    let (call, done) = edge.world().partner.next().unwrap();
    done(edge.perform(&call));
    for _ in 0..2 {
        assert_eq!(edge.ask("DELETE", &path, Value::Null).1["state"], json!("cancelled"));
    }
    edge.work();
    let ended = edge.get(&path);
    assert_eq!((&ended["state"], edge.count(&SENSORS)), (&json!("cancelled"), ended["created"].as_i64().unwrap()));
    assert_eq!(edge.count(&KEPT), 0);
}

/// One cycle of the task, of which what settles may be killed before its commit, or repeated with the same bytes.
struct Settle(TaskRow, CallResult, bool);

static PLAN: Op<TaskRow, Option<String>> = Op::new("test.import_plan", |tx, cx, row| {
    let task = sensors::SERVICE.tasks.iter().find(|task| task.op == "sensor.import").unwrap();
    Ok(match (task.plan)(tx, cx, row)? {
        Plan::Call(Call::Work(work)) => Some(work.param),
        Plan::Done => None,
        other => panic!("{other:?}"),
    })
});

static SETTLE: Op<Settle, ()> = Op::new("test.import_settle", |tx, cx, Settle(row, called, killed)| -> OpResult<()> {
    let task = sensors::SERVICE.tasks.iter().find(|task| task.op == "sensor.import").unwrap();
    (task.settle)(tx, cx, row, called)?;
    if *killed { Err(base::OpError::new(base::codes::ATASK, "killed before the commit")) } else { Ok(()) }
});

#[test]
fn sen_1_an_import_killed_at_every_step_does_nothing_twice_and_loses_nothing() {
    let edge = Edge::new();
    edge.world().dispatcher.stop();
    let bad = "?\n".repeat(10);
    let (_, begun) = edge.import("/sensors/import", NDJSON, format!("{}{bad}{}", lines(1_200), lines(5)).as_bytes());
    let id = begun["id"].as_str().unwrap();
    let row = TaskRow::first_attempt(
        base::Id::new(base::Wall(1), [1; 10]),
        "sensor.import",
        &json!(id).to_string(),
        base::Wall(1),
    );
    let main = edge.kernel.namespace("main").unwrap();
    let place = edge.places.place(&main.place()).unwrap();
    let mut cycles = 0;
    while let Some(param) = edge.call(&PLAN, row.clone()).unwrap() {
        let work = base::WorkCall { name: kernel::blobs::READ, namespace: "main".into(), param, timeout_ms: 1 };
        let called = kernel::blobs::perform(place.as_ref(), &work);
        let before = edge.get(&format!("/sensor-imports/{id}"));
        // Killed before COMMIT: as if it had never been. Killed after COMMIT and told again: what is done is not done again.
        edge.call(&SETTLE, Settle(row.clone(), called.clone(), true)).unwrap_err();
        assert_eq!(edge.get(&format!("/sensor-imports/{id}")), before);
        edge.call(&SETTLE, Settle(row.clone(), called.clone(), false)).unwrap();
        let after = edge.get(&format!("/sensor-imports/{id}"));
        edge.call(&SETTLE, Settle(row.clone(), called, false)).unwrap();
        assert_eq!(edge.get(&format!("/sensor-imports/{id}")), after);
        cycles += 1;
    }
    let done = edge.get(&format!("/sensor-imports/{id}"));
    assert!(cycles >= 3, "{cycles}");
    assert_eq!((&done["state"], numbers(&done)), (&json!("done"), [1_215, 1_200, 0, 5, 10]));
    assert_eq!((edge.count(&SENSORS), done["rejected_lines"].as_array().unwrap().len()), (1_200, 10));
}

#[test]
fn sen_1_damaged_bytes_of_an_import_are_never_taken_for_lines() {
    let edge = Edge::new();
    let (_, begun) = edge.import("/sensors/import", NDJSON, lines(10).as_bytes());
    edge.world().pass_ms(20);
    let (call, done) = edge.world().partner.next().unwrap();
    let Call::Work(mut work) = call else { panic!("{call:?}") };
    work.param = work.param.replace("\"size\":", "\"size\":1");
    let main = edge.kernel.namespace("main").unwrap();
    let told = kernel::blobs::perform(edge.places.place(&main.place()).unwrap().as_ref(), &work);
    assert!(matches!(told, CallResult::NotMade(_)), "{told:?}");
    done(told);
    assert_eq!(edge.get(&format!("/sensor-imports/{}", begun["id"].as_str().unwrap()))["lines"], json!(0));
    edge.world().pass_ms(120_000);
    edge.work();
    assert_eq!(edge.count(&SENSORS), 10, "the next try succeeds");
}
