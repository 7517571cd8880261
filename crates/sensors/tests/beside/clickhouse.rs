//! With the real ClickHouse. Each test has a database of its own there; those that stop the server take turns.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::channel;

use base::{Call, CallResult, HttpCall, Outbound, Wall};
use host::{HostOutbound, OutboundSettings};
use sensors::history::{Archive, ArchiveError, Archived, ClickHouse, HistoryRow, Question, Tries, Which};
use testbed::NOON;

use crate::kit::{ADDRESS, Scene};
use crate::proxy::Proxy;

/// The server of `cargo xtask services`.
fn server() -> String {
    std::env::var("FASTNESS_TEST_CLICKHOUSE").expect("run by `cargo xtask services run`")
}

fn outbound() -> Arc<HostOutbound> {
    Arc::new(HostOutbound::new(OutboundSettings { allow_private: true, ..OutboundSettings::default() }).unwrap())
}

/// Asks the server by hand.
fn ask(sql: &str) -> String {
    let (tell, told) = channel();
    let (url, body) = (server(), sql.as_bytes().to_vec());
    let call = HttpCall { method: "POST", url, headers: vec![], body, timeout_ms: 20_000, reply_max: 1 << 20 };
    let outbound = outbound();
    outbound.perform(Call::Http(call), Box::new(move |result| tell.send(result).unwrap()));
    let CallResult::Http(reply) = told.recv().unwrap() else { panic!("no answer to {sql}") };
    let said = String::from_utf8_lossy(&reply.body).trim().to_owned();
    assert_eq!(reply.status, 200, "{sql}: {said}");
    said
}

/// An empty database.
fn database(name: &str) -> String {
    ask(&format!("DROP DATABASE IF EXISTS {name}"));
    ask(&format!("CREATE DATABASE {name}"));
    format!("{}/{name}", server())
}

fn control(word: &str) {
    let control = std::env::var("FASTNESS_TEST_CLICKHOUSE_CTL").expect("run by `cargo xtask services run`");
    assert!(Command::new(control).arg(word).status().unwrap().success(), "{word}");
}

fn told<T: Send + 'static>(asked: impl FnOnce(Archived<T>)) -> Result<T, ArchiveError> {
    let (tell, told) = channel();
    asked(Box::new(move |answer| tell.send(answer).unwrap()));
    told.recv().unwrap()
}

fn history(archive: &ClickHouse, question: &Question) -> Vec<HistoryRow> {
    told(|done| archive.history("main", question, &[], done)).unwrap()
}

/// Every row once, page by page.
fn all(archive: &ClickHouse, page: u32) -> Vec<HistoryRow> {
    let mut rows: Vec<HistoryRow> = vec![];
    loop {
        let question = Question { after: rows.last().map(HistoryRow::place), ..Question::all(page) };
        let next = history(archive, &question);
        if next.is_empty() {
            return rows;
        }
        rows.extend(next);
    }
}

fn check_whole(archive: &ClickHouse, count: usize) {
    let rows = all(archive, 97);
    assert!(rows.is_sorted_by(|one, next| one.place() > next.place()), "each once, newest first");
    let ids: BTreeSet<_> = rows.iter().map(|row| row.id).collect();
    assert_eq!((rows.len(), ids.len()), (count, count));
}

#[test]
fn sen_11_clickhouse_takes_rows_and_gives_them_back_as_they_were() {
    let archive = Arc::new(ClickHouse::new(&database("t_rows"), outbound()).unwrap());
    assert_eq!(history(&archive, &Question::all(10)), [], "nothing was ever written");
    let scene = Scene::new(archive.clone());
    scene.happen(100);
    scene.move_all();
    check_whole(&archive, 100);
    let newest = &history(&archive, &Question::all(1))[0];
    assert_eq!((newest.address.as_str(), newest.data, newest.previous, newest.changed), (ADDRESS, 1, Some(0), true));
    assert_eq!((newest.at, newest.taken_at, newest.sensor_id.as_str()), (Wall(NOON + 33), Wall(NOON + 38), "s1"));
    let oldest = all(&archive, 1_000).pop().unwrap();
    assert_eq!((oldest.data, oldest.previous, oldest.at), (0, None, Wall(NOON)));
    let of = |client_id: &str| Tries { client_id: client_id.into(), first_seq: 2, last_seq: 6 };
    let tries = told(|done| archive.tries("main", &of("c'1"), done)).unwrap();
    let shown: Vec<_> = tries.iter().map(|row| (row.seq, row.status, row.latency_ms, row.error.as_deref())).collect();
    assert_eq!(
        shown,
        [(2, None, None, Some("it's gone")), (4, Some(200), Some(7), None), (6, None, None, Some("it's gone"))]
    );
    assert_eq!(told(|done| archive.tries("main", &of("c1"), done)).unwrap(), []);
}

#[test]
fn sen_11_clickhouse_answers_by_sensor_address_and_time() {
    let archive = Arc::new(ClickHouse::new(&database("t_asked"), outbound()).unwrap());
    let scene = Scene::new(archive.clone());
    scene.happen(70);
    scene.move_all();
    let sensor = "s3".parse().unwrap();
    let question = Question { which: Which::Sensor(sensor), ..Question::all(100) };
    let of_sensor = told(|done| archive.history("main", &question, &[sensor], done)).unwrap();
    assert!(of_sensor.len() == 10 && of_sensor.iter().all(|row| row.sensor_id == "s3"), "{of_sensor:?}");
    for (address, count) in [(ADDRESS, 70), ("it's \\", 70), ("it's \\\\", 0), ("its", 0), ("%", 0)] {
        let question = Question { address: address.into(), ..Question::all(100) };
        assert_eq!(history(&archive, &question).len(), count, "{address}");
    }
    let question = Question { from: Some(Wall(NOON + 5)), until: Some(Wall(NOON + 7)), ..Question::all(100) };
    assert_eq!(history(&archive, &question).len(), 6);
    assert_eq!(told(|done| archive.history("other", &Question::all(9), &[], done)).unwrap(), [], "another namespace");
}

#[test]
fn sen_11_clickhouse_stopped_for_a_while_misses_and_doubles_nothing() {
    let archive = Arc::new(ClickHouse::new(&database("t_outage"), outbound()).unwrap());
    let scene = Scene::new(archive.clone());
    scene.happen(50);
    scene.move_all();
    control("kill");
    scene.happen_more(2_500);
    let failed = scene.move_on(65_000);
    assert!(matches!(&failed, Some(CallResult::Unknown(reason)) if reason.contains("ClickHouse")), "{failed:?}");
    let reading = told(|done| archive.history("main", &Question::all(9), &[], done));
    assert!(reading.is_err(), "half of a history would look whole");
    control("start");
    scene.move_all();
    check_whole(&archive, 2_550);
}

#[test]
fn sen_11_clickhouse_whose_answers_are_lost_shows_each_row_once() {
    let url = database("t_lost");
    let proxy = Proxy::before(server().trim_start_matches("http://"));
    let through = url.replace(server().trim_start_matches("http://"), &proxy.addr.to_string());
    let archive = Arc::new(ClickHouse::new(&through, outbound()).unwrap());
    let scene = Scene::new(archive.clone());
    scene.happen(300);
    proxy.swallow(3);
    scene.move_all();
    assert_eq!(proxy.left(), 0);
    check_whole(&archive, 300);
    let stored: usize = ask("SELECT count() FROM t_lost.sensor_history").parse().unwrap();
    assert!(stored > 300, "it was written more than once: {stored}");
    ask("OPTIMIZE TABLE t_lost.sensor_history FINAL");
    assert_eq!(ask("SELECT count() FROM t_lost.sensor_history"), "300", "and the doubles go when parts are merged");
}

#[test]
fn sen_11_clickhouse_asks_for_a_password() {
    database("t_guarded");
    let at = server().replace("http://", "");
    let open = |who: &str| ClickHouse::new(&format!("http://{who}@{at}/t_guarded"), outbound()).unwrap();
    assert_eq!(history(&open("guarded:pass%20word"), &Question::all(1)), []);
    let stranger = open("guarded:other");
    let refused = told(|done| stranger.history("main", &Question::all(1), &[], done)).unwrap_err();
    assert!(refused.0.contains("ClickHouse: status") && !refused.0.contains("other"), "{refused}");
}
