//! What is old is let go.

use base::Sql;
use exchange::{Rules, Settings, Watch};
use serde_json::{Value, json};

use crate::edge::{Office, results};
use crate::files::Shelf;

const HOUR_MS: u64 = 3_600_000;

static ROWS: Sql = Sql::new(
    "test.left",
    "SELECT (SELECT COUNT(*) FROM exc_message), (SELECT COUNT(*) FROM exc_body), (SELECT COUNT(*) FROM exc_process), \
     (SELECT COUNT(*) FROM exc_given)",
);

fn left(office: &Office) -> [i64; 4] {
    let rows = office.edge.rows(&ROWS);
    [0, 1, 2, 3].map(|column| rows[0].int(column))
}

/// One is done, one is wrong, one waits, and one has been given.
fn fill(office: &Office) {
    office.sent(&["a", "b"]);
    let process = office.started();
    let said = json!({ "results": [
        { "id": "a", "status": "PROCESSED" }, { "id": "b", "status": "PROCESSED_INCORRECT" },
    ] });
    office.step(&process, "prepare", said);
    office.step(&process, "commit", json!({}));
    office.sent(&["c"]);
}

fn keep_for(office: &Office, kept_ms: i64) {
    let rules = office.edge.kernel.common::<Rules>();
    rules.set(Settings { kept_ms, ..rules.get() });
}

#[test]
fn exc_22_what_is_old_is_let_go_by_the_hour_and_counted() {
    let office = Office::open();
    keep_for(&office, 10_000_000);
    fill(&office);
    office.edge.world().jump_calendar_ms(400 * 86_400_000);
    office.edge.world().pass_ms(2 * HOUR_MS);
    assert_eq!(left(&office), [3, 3, 1, 2], "a calendar that jumps takes nothing");
    office.edge.world().pass_ms(2 * HOUR_MS);
    assert_eq!(left(&office), [1, 1, 0, 0]);
    let ledger = office.edge.get("/ledger?db=erp");
    assert_eq!((&ledger["removed"], &ledger["queued"], &ledger["balances"]), (&json!(2), &json!(1), &json!(true)));
    assert_eq!(office.state("c"), json!("queued"), "what waits stays, however old");
    let gone = office.edge.refused_as(&office.phone_key, "GET", "/messages/a/status", &Value::Null);
    assert_eq!(gone, (404, "NMESSAGE".into()));
    office.check();
}

#[test]
fn exc_22_what_is_old_is_let_go_at_start() {
    let office = Office::open();
    fill(&office);
    office.edge.world().pass_ms(60_000);
    keep_for(&office, 30_000);
    let _watch = Watch::start(&office.edge.kernel);
    office.edge.world().pass_ms(1_000);
    assert_eq!(left(&office), [1, 1, 0, 0]);
    office.check();
}

#[test]
fn exc_22_what_an_active_process_has_is_never_let_go() {
    let office = Office::open();
    keep_for(&office, 1_000);
    fill(&office);
    let process = office.started();
    office.edge.world().pass_ms(3 * HOUR_MS);
    assert_eq!(left(&office), [1, 1, 1, 1], "however old");
    assert_eq!(office.step(&process, "prepare", json!({ "results": results("PROCESSED", &["c"]) })), json!("OK"));
    office.edge.world().pass_ms(3 * HOUR_MS);
    assert_eq!((left(&office), office.step(&process, "commit", json!({}))), ([1, 1, 1, 1], json!("OK")));
    office.check();
}

#[test]
fn exc_22_what_belongs_to_an_unknown_outcome_is_kept_as_long_as_all_else() {
    let office = Office::open();
    let process = office.unknown();
    keep_for(&office, 4 * 3_600_000);
    office.edge.world().pass_ms(3 * HOUR_MS);
    assert_eq!(left(&office), [3, 3, 1, 3], "somebody may yet say what became of it");
    assert_eq!(office.step(&process, "resolve", json!({ "committed": true })), json!("OK"));
    assert_eq!(office.fetched(), ["r"]);
    keep_for(&office, 1_000);
    office.edge.world().pass_ms(3 * HOUR_MS);
    assert_eq!(left(&office), [1, 1, 0, 0]);
    office.check();
}

static ALERTS: Sql =
    Sql::new("test.alerts", "SELECT COUNT(*) FROM alert WHERE closed_at IS NULL AND kind = 'exchange-unknown'");
static ENDED: Sql = Sql::new("test.ended", "SELECT COUNT(*) FROM journal WHERE kind = 'exchange.ended'");

/// On every engine, and with folders: an outcome that nobody came to know is forgotten.
pub fn check_forgotten(office: &Office, process: &str) {
    let shown = office.edge.get(&format!("/processes/{process}"));
    assert_eq!((&shown["state"], &shown["outcome"]), (&json!("ENDED"), &json!("forgotten")), "{shown}");
    assert_eq!((office.edge.count(&ALERTS), office.edge.count(&ENDED)), (0, 1));
    let ledger = office.edge.get("/ledger?db=erp");
    let counts = ["received", "error", "unknown", "removed"].map(|name| ledger[name].clone());
    assert_eq!((counts, &ledger["balances"]), ([2, 0, 0, 2].map(Value::from), &json!(true)));
    let gone = office.edge.refused_as(&office.phone_key, "GET", "/messages/a/status", &Value::Null);
    assert_eq!(gone, (404, "NMESSAGE".into()));
    assert!(office.fetched().is_empty(), "a reply that was never confirmed is not sent");
    for (step, body) in [("commit", json!({})), ("rollback", json!({ "error": "late" }))] {
        assert_eq!(office.step(process, step, body), json!("CANCELLED"), "{step} comes too late");
    }
    let resolve = format!("/processes/{process}/resolve");
    assert_eq!(office.edge.refused("POST", &resolve, &json!({ "committed": true })).1, "APROCESS");
}

#[test]
fn exc_22_an_outcome_that_nobody_came_to_know_is_forgotten() {
    let office = Office::open();
    let process = office.unknown();
    assert_eq!(office.edge.count(&ALERTS), 1);
    keep_for(&office, 2 * 3_600_000);
    office.edge.world().pass_ms(HOUR_MS);
    assert_eq!(left(&office), [3, 3, 1, 3], "not yet");
    office.edge.world().pass_ms(2 * HOUR_MS);
    assert_eq!(left(&office), [0, 0, 1, 3], "its messages and replies are removed");
    check_forgotten(&office, &process);
    office.check();
    office.edge.world().pass_ms(4 * HOUR_MS);
    assert_eq!(left(&office), [0, 0, 0, 0], "and then the process");
    office.check();
}

#[test]
fn exc_22_the_files_of_an_outcome_that_nobody_came_to_know_go_too() {
    let shelf = Shelf::open();
    let office = &shelf.office;
    office.unknown();
    shelf.lay();
    let folders = |shelf: &Shelf| -> Vec<String> {
        shelf.files().iter().map(|path| path.split('/').nth(1).unwrap().to_owned()).collect()
    };
    assert_eq!(folders(&shelf), ["Error", "Unknown", "Unknown"], "{:?}", shelf.files());
    keep_for(office, 1_000);
    office.edge.world().pass_ms(2 * HOUR_MS);
    office.check();
    shelf.lay();
    assert_eq!(shelf.files(), Vec::<String>::new());
    assert_eq!(left(office)[..2], [0, 0]);
    office.check();
}

#[test]
fn exc_22_an_outcome_that_cannot_be_let_go_keeps_nothing_else() {
    static BREAK: Sql = Sql::new("test.break", "UPDATE exc_database SET unknown = -9223372036854775807 - 1");
    let office = Office::open();
    office.unknown();
    office.sent(&["c"]);
    let process = office.started();
    office.step(&process, "prepare", json!({ "results": results("PROCESSED", &["c"]) }));
    office.step(&process, "commit", json!({}));
    // Whatever leaves the unknown ones fails.
    office.edge.write(&BREAK, vec![]);
    keep_for(&office, 1_000);
    office.edge.world().pass_ms(2 * HOUR_MS);
    assert_eq!(left(&office), [3, 3, 1, 3], "what is done is gone, with its process");
    office.edge.get(&format!("/processes/{}", office.edge.rows(&UNKNOWN)[0].text(0)));
}

static UNKNOWN: Sql = Sql::new("test.unknown", "SELECT id FROM exc_process WHERE state = 'UNKNOWN'");

#[test]
fn exc_22_many_are_let_go_in_portions() {
    let office = Office::open();
    for portion in 0..4 {
        let replies: Vec<Value> = (0..200).map(|n| office.reply(&format!("r{portion}-{n}"))).collect();
        office.sent(&[&format!("m{portion}")]);
        let process = office.started();
        let said = json!({ "results": results("PROCESSED", &[&format!("m{portion}")]), "replies": replies });
        office.step(&process, "prepare", said);
        office.step(&process, "commit", json!({}));
    }
    static DONE: Sql = Sql::new("test.done", "UPDATE exc_message SET place = 'log'");
    static COUNTED: Sql = Sql::new("test.counted", "UPDATE exc_database SET log = log + queued, queued = 0");
    office.edge.write(&DONE, vec![]);
    office.edge.write(&COUNTED, vec![]);
    keep_for(&office, 1_000);
    office.edge.world().pass_ms(2 * HOUR_MS);
    assert_eq!(left(&office), [0, 0, 0, 0]);
    assert_eq!(office.edge.get("/ledger?db=erp")["removed"], json!(804));
    office.check();
}

#[test]
fn exc_22_files_go_too() {
    let shelf = Shelf::open();
    let office = &shelf.office;
    fill(office);
    shelf.lay();
    assert_eq!(shelf.files().len(), 3, "{:?}", shelf.files());
    keep_for(office, 1_000);
    office.edge.world().pass_ms(2 * HOUR_MS);
    shelf.lay();
    let files = shelf.files();
    assert!(files.len() == 1 && files[0].starts_with("erp/Messages/"), "{files:?}");
    assert_eq!(left(office)[0], 1);
    office.check();
}
