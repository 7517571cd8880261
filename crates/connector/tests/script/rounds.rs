//! Rounds of a connector.

use std::time::Duration;

use client::Client;
use connector::{Connector, Ended, Report, Settings};
use serde_json::json;
use tempfile::TempDir;

use crate::server::{Say, Script};

struct Site {
    folder: TempDir,
    script: Script,
    connector: Connector,
}

fn site(says: Vec<Say>) -> Site {
    site_with("patience_s = 30", says)
}

fn site_with(lines: &str, says: Vec<Say>) -> Site {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("erp.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE booked (id TEXT); CREATE TABLE late (of TEXT REFERENCES keys (id) DEFERRABLE INITIALLY DEFERRED); CREATE TABLE keys (id TEXT PRIMARY KEY);").unwrap();
    let text = format!(
        r#"
database = "erp"
engine = "sqlite"
connect = "{}"
lock_wait_s = 1
{lines}

[[message]]
type = "order"
sql = ["INSERT INTO booked (id) VALUES (:id)"]

[[message]]
type = "late"
sql = ["INSERT INTO late (of) VALUES ('nothing')"]

[[message]]
type = "slow"
sql = ["WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000000) SELECT COUNT(*) FROM n"]
"#,
        path.display()
    );
    let script = Script::start(says);
    let client = Client::new(&script.url, "main", "key").unwrap();
    let connector = Connector::new(client, Settings::read(&text).unwrap());
    Site { folder, script, connector }
}

impl Site {
    fn round(&mut self) -> Report {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let round = runtime.block_on(self.connector.round());
        assert_eq!((round.trouble.len(), round.open.len()), (0, 0), "{round:?}");
        round.report
    }

    fn count(&self, table: &str) -> i64 {
        let connection = rusqlite::Connection::open(self.folder.path().join("erp.db")).unwrap();
        connection.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    }
}

fn started(process: &str, messages: &[(&str, &str)]) -> Say {
    let message = |(id, kind): &(&str, &str)| {
        json!({"version": 1, "id": id,
            "head": {"company": "c", "subsystem": "s", "from": "phone", "to": "erp", "created_at": "2026-11-16T12:00:00Z"},
            "body": {"type": kind, "version": 1, "payload": {}}})
    };
    let messages: Vec<_> = messages.iter().map(message).collect();
    Say::Yes(json!({"status": "OK", "process": process, "messages": messages}).to_string())
}

fn say(status: &str) -> Say {
    Say::Yes(json!({ "status": status }).to_string())
}

#[test]
fn exc_25_a_start_without_an_answer_is_the_same_start_again() {
    let mut site = site(vec![Say::Nothing, say("IDLE"), say("IDLE")]);
    assert!(matches!(site.round().ended, Ended::Stopped(_)), "no answer to start: stop");
    assert_eq!(site.round().ended, Ended::Idle);
    assert_eq!(site.round().ended, Ended::Idle);
    let asked = site.script.asked();
    assert_eq!((&asked[0].key, &asked[0].body), (&asked[1].key, &asked[1].body), "it may have arrived");
    assert_ne!(asked[1].key, asked[2].key, "it was answered");
}

#[test]
fn exc_25_busy_is_tried_again_under_a_new_key() {
    let mut site = site(vec![say("BUSY"), say("BUSY"), say("IDLE")]);
    assert_eq!(site.round().ended, Ended::Idle);
    let asked = site.script.asked();
    assert_eq!(asked.len(), 3);
    assert_ne!(asked[0].key, asked[1].key, "the stored answer would be the same for ever");
}

#[test]
fn exc_25_prepare_is_repeated_letter_by_letter_and_commit_until_answered() {
    let says = vec![
        started("p", &[("a", "order"), ("b", "other"), ("c", "order")]),
        say("OK"),
        Say::Nothing,
        Say::No(503),
        say("OK"),
        Say::Nothing,
        Say::No(500),
        say("OK"),
    ];
    let mut site = site(says);
    let report = site.round();
    assert_eq!((report.ended.clone(), report.processed, report.left_out), (Ended::Committed, 2, 1));
    let steps = ["processes", "narrow", "prepare", "prepare", "prepare", "commit", "commit", "commit"];
    assert_eq!(site.script.steps(), steps);
    let asked = site.script.asked();
    assert_eq!(asked[1].body, r#"{"messages":["a","c"]}"#);
    assert_eq!((&asked[2].body, &asked[3].body), (&asked[3].body, &asked[4].body));
    assert_eq!((site.count("booked"), site.count("fastness_process")), (2, 1));
}

#[test]
fn exc_25_cancelled_rolls_back_and_says_so() {
    let mut site = site(vec![started("p", &[("a", "order")]), say("CANCELLED"), say("CANCELLED")]);
    assert!(matches!(site.round().ended, Ended::RolledBack(_)));
    assert_eq!(site.script.steps(), ["processes", "prepare", "rollback"]);
    assert_eq!((site.count("booked"), site.count("fastness_process")), (0, 0));
}

#[test]
fn exc_25_a_failed_commit_is_told_with_its_error() {
    let mut site = site(vec![started("p", &[("a", "order"), ("l", "late")]), say("OK"), say("OK")]);
    assert!(matches!(site.round().ended, Ended::RolledBack(_)));
    let told = &site.script.asked()[2];
    assert_eq!(told.step, "rollback");
    assert!(told.body.contains("FOREIGN KEY"), "{}", told.body);
    assert_eq!((site.count("booked"), site.count("fastness_process")), (0, 0));
}

#[test]
fn exc_25_a_message_whose_commit_is_refused_twice_is_incorrect_and_its_sender_is_told_once() {
    let mut says = vec![];
    for (process, messages) in
        [("p", &[("l", "late"), ("a", "order")][..]), ("q", &[("l", "late")]), ("r", &[("l", "late")])]
    {
        says.extend([started(process, messages), say("OK"), say("OK")]);
    }
    says.extend([started("s", &[("l", "late"), ("a", "order")]), say("OK"), say("OK")]);
    let mut site = site_with("patience_s = 30\ntell_senders = true", says);
    for round in ["of several nobody knows which", "once", "twice"] {
        assert!(matches!(site.round().ended, Ended::RolledBack(_)), "{round}");
    }
    let report = site.round();
    assert_eq!((report.ended, report.processed, report.incorrect), (Ended::Committed, 1, 1));
    let asked = site.script.asked();
    let told: Vec<bool> = [2, 5, 8].iter().map(|at| asked[*at].body.contains("\"tell_senders\":true")).collect();
    assert_eq!(told, [false, false, true], "{asked:?}");
    assert!(asked[3].body.contains("\"max_files\":1") && asked[6].body.contains("\"max_files\":1"), "{asked:?}");
    assert!(!asked[9].body.contains("max_files"), "it is found: {}", asked[9].body);
    assert!(asked[10].body.contains("the database refused its commit: FOREIGN KEY"), "{}", asked[10].body);
    assert_eq!((site.count("booked"), site.count("late"), site.count("fastness_process")), (1, 0, 1));
}

#[test]
fn exc_25_a_start_whose_messages_come_slowly_is_waited_for() {
    let Say::Yes(slow) = started("p", &[("a", "order"), ("b", "order")]) else { panic!() };
    let mut site = site(vec![Say::Slowly(slow), say("OK"), say("OK")]);
    // All of it takes longer than this, but no part of it.
    site.connector = site.connector.with_patience(Duration::from_secs(1));
    let report = site.round();
    assert_eq!((report.ended, report.processed), (Ended::Committed, 2));
}

#[test]
fn exc_25_after_a_start_that_never_arrives_the_next_one_asks_for_less() {
    let Say::Yes(large) = started("p", &[("a", "order"), ("b", "order")]) else { panic!() };
    let cut = Say::Half(large);
    let list = Say::Yes(json!({"items": [{"id": "p"}], "next": null}).to_string());
    let says = vec![
        cut.clone(),
        cut,
        list,
        say("OK"),
        started("q", &[("a", "order")]),
        say("OK"),
        say("OK"),
        say("IDLE"),
        say("IDLE"),
    ];
    let mut site = site(says);
    for _ in 0..2 {
        assert!(matches!(site.round().ended, Ended::Stopped(_)));
    }
    assert_eq!(site.round().ended, Ended::Committed);
    let (asked, steps) = (site.script.asked(), site.script.steps());
    assert_eq!(steps, ["processes", "processes", "processes", "interrupt", "processes", "prepare", "commit"]);
    assert_eq!((&asked[0].key, &asked[0].body), (&asked[1].key, &asked[1].body), "it may have been bad luck");
    assert!(asked[4].body.contains("\"max_mb\":10.0") && asked[4].key != asked[0].key, "{:?}", asked[4]);
    assert_eq!((site.round().ended, site.round().ended), (Ended::Idle, Ended::Idle));
    assert!(!site.script.asked()[8].body.contains("max_mb"), "when nothing waits it is over");
}

#[test]
fn exc_25_narrow_without_ok_makes_no_further_call() {
    for say in [say("CANCELLED"), Say::No(404), Say::Nothing] {
        let mut site = site(vec![started("p", &[("a", "order"), ("b", "other")]), say]);
        assert!(matches!(site.round().ended, Ended::Stopped(_)));
        assert_eq!(site.script.steps(), ["processes", "narrow"]);
        assert_eq!(site.count("fastness_process"), 0);
    }
}

#[test]
fn exc_25_messages_that_nobody_knows_are_left_out_and_the_process_is_given_up() {
    let mut site = site(vec![started("p", &[("a", "x"), ("b", "y")]), say("OK"), say("OK")]);
    assert!(matches!(site.round().ended, Ended::RolledBack(_)));
    assert_eq!(site.script.steps(), ["processes", "narrow", "interrupt"]);
    assert_eq!(site.script.asked()[1].body, r#"{"messages":[]}"#);
}

#[test]
fn exc_25_a_reply_that_the_server_refuses_stops_nobody_but_its_message() {
    let says = vec![
        started("p", &[("a", "order"), ("b", "order")]),
        Say::No(400),
        say("OK"),
        started("q", &[("a", "order")]),
        Say::No(400),
        say("OK"),
        say("OK"),
        started("r", &[("b", "order")]),
        say("OK"),
        say("OK"),
    ];
    let mut site = site(says);
    assert!(matches!(site.round().ended, Ended::RolledBack(_)), "of several nobody knows which");
    let second = site.round();
    assert_eq!((second.ended, second.incorrect), (Ended::Committed, 1));
    let asked = site.script.asked();
    assert_eq!(
        site.script.steps()[..7],
        ["processes", "prepare", "interrupt", "processes", "prepare", "prepare", "commit"]
    );
    assert!(asked[3].body.contains("\"max_files\":1"), "one by one: {}", asked[3].body);
    assert!(asked[5].body.contains("PROCESSED_INCORRECT"), "{}", asked[5].body);
    assert_eq!(site.round().processed, 1);
    assert!(!site.script.asked()[7].body.contains("max_files"), "as before: {}", site.script.asked()[7].body);
    assert_eq!((site.count("booked"), site.count("fastness_process")), (1, 2));
}

/// What rounds came to, with a table of replies in which a row is none.
fn with_replies(says: Vec<Say>, row: &str) -> Site {
    let site = site_with(
        "patience_s = 30\n[replies]\nquery = \"SELECT id, 'phone' AS recipient, 'x' AS type, body AS payload, answers AS reply_to FROM outbox\"\n",
        says,
    );
    let connection = rusqlite::Connection::open(site.folder.path().join("erp.db")).unwrap();
    // A row for each order, as a trigger of the user's would write it.
    let sql = format!(
        "CREATE TABLE outbox (id TEXT, body TEXT, answers TEXT); CREATE TRIGGER answer AFTER INSERT ON booked BEGIN {row} END;"
    );
    connection.execute_batch(&sql).unwrap();
    site
}

#[test]
fn exc_25_a_reply_that_is_none_makes_its_message_incorrect_in_the_same_process() {
    let says = vec![started("p", &[("a", "order"), ("b", "order")]), say("OK"), say("OK")];
    let row = "INSERT INTO outbox VALUES ('r-' || new.id, CASE new.id WHEN 'b' THEN '{' ELSE '1' END, new.id);";
    let mut site = with_replies(says, row);
    let report = site.round();
    assert_eq!((report.ended, report.processed, report.incorrect, report.replies), (Ended::Committed, 1, 1, 1));
    assert_eq!(site.script.steps(), ["processes", "prepare", "commit"]);
    assert!(site.script.asked()[1].body.contains("payload is no JSON"), "{}", site.script.asked()[1].body);
    assert_eq!((site.count("booked"), site.count("fastness_process")), (1, 1));
}

#[test]
fn exc_25_a_reply_that_is_none_and_names_nobody_is_found_one_by_one() {
    let says = vec![
        started("p", &[("a", "order"), ("b", "order")]),
        say("OK"),
        started("q", &[("a", "order")]),
        say("OK"),
        say("OK"),
        started("r", &[("b", "order")]),
        say("OK"),
        say("OK"),
    ];
    let row = "INSERT INTO outbox SELECT 'r', '{', NULL WHERE new.id = 'a';";
    let mut site = with_replies(says, row);
    assert!(matches!(site.round().ended, Ended::RolledBack(why) if why.contains("no JSON")));
    let second = site.round();
    assert_eq!((second.ended, second.incorrect), (Ended::Committed, 1));
    assert_eq!(site.round().processed, 1);
    let asked = site.script.asked();
    assert_eq!(site.script.steps()[..5], ["processes", "interrupt", "processes", "prepare", "commit"]);
    assert!(asked[1].body.contains("no JSON"), "the server's journal says why: {}", asked[1].body);
    assert!(asked[2].body.contains("\"max_files\":1") && !asked[5].body.contains("max_files"), "{asked:?}");
    assert_eq!(site.count("booked"), 1);
}

#[test]
fn exc_25_a_database_that_does_not_answer_is_given_up_in_time() {
    let says = vec![started("p", &[("a", "order"), ("s", "slow")]), say("OK")];
    let mut site = site_with("patience_s = 1", says);
    let Ended::RolledBack(why) = site.round().ended else { panic!() };
    assert!(why.contains("did not answer within 1 s"), "{why}");
    assert_eq!(site.script.steps(), ["processes", "interrupt"]);
}

#[test]
fn exc_25_a_database_that_is_away_takes_no_messages() {
    let mut site = site(vec![]);
    std::fs::remove_file(site.folder.path().join("erp.db")).unwrap();
    std::fs::create_dir(site.folder.path().join("erp.db")).unwrap();
    assert!(matches!(site.round().ended, Ended::Stopped(why) if why.contains("not ready")));
    assert_eq!(site.script.steps(), Vec::<String>::new());
}
