//! Ledger, counters, figures, and what is stuck.

use base::Sql;
use exchange::Watch;
use serde_json::{Value, json};

use crate::edge::{Office, end_late, results};

#[test]
fn exc_21_the_ledger_is_shown_and_compared_with_what_is_there() {
    let office = Office::open();
    check_ledger(&office);
    office.check();
}

/// On every engine.
pub fn check_ledger(office: &Office) {
    office.sent(&["a", "b", "c", "d"]);
    let ledger = || office.edge.get_as(&office.db_key, "/ledger");
    let columns = |ledger: &Value| {
        ["received", "queued", "in_process", "log", "error", "unknown", "removed"]
            .map(|name| ledger[name].as_i64().unwrap())
    };
    assert_eq!(columns(&ledger()), [4, 4, 0, 0, 0, 0, 0]);
    let process = office.started();
    assert_eq!((columns(&ledger()), &ledger()["balances"]), ([4, 0, 4, 0, 0, 0, 0], &json!(true)));
    let said = json!({ "results": [
        { "id": "a", "status": "PROCESSED" }, { "id": "b", "status": "PROCESSED_INCORRECT" },
        { "id": "c", "status": "PROCESSED_DEADLOCK" }, { "id": "d", "status": "PROCESSED" },
    ], "replies": [office.reply("r")] });
    office.step(&process, "prepare", said);
    assert_eq!(
        (columns(&ledger()), &ledger()["balances"]),
        ([4, 0, 4, 0, 0, 0, 0], &json!(true)),
        "a draft does not count"
    );
    office.step(&process, "commit", json!({}));
    let last = ledger();
    assert_eq!((columns(&last), &last["sum"], &last["balances"]), ([5, 2, 0, 2, 1, 0, 0], &json!(5), &json!(true)));
    assert_eq!(last["counted"], json!({ "queued": 2, "in_process": 0, "log": 2, "error": 1, "unknown": 0 }));
    assert_eq!(last, office.edge.get("/ledger?db=erp"));
}

#[test]
fn exc_21_an_unknown_outcome_balances_too() {
    let office = Office::open();
    office.unknown();
    let ledger = office.edge.get("/ledger?db=erp");
    assert_eq!(ledger["counted"], json!({ "queued": 0, "in_process": 0, "log": 0, "error": 1, "unknown": 1 }));
    assert_eq!(ledger["balances"], json!(true));
}

#[test]
fn exc_21_a_ledger_that_does_not_balance_is_alarmed_until_it_does() {
    static LOSE: Sql = Sql::new("test.lose", "UPDATE exc_database SET log = log + 1 WHERE id = 'erp'");
    static FIND: Sql = Sql::new("test.find", "UPDATE exc_database SET log = log - 1 WHERE id = 'erp'");
    static OPEN: Sql =
        Sql::new("test.open", "SELECT COUNT(*) FROM alert WHERE key = 'exchange-ledger/erp' AND closed_at IS NULL");
    let office = Office::open();
    office.sent(&["a"]);
    let watch = Watch::start(&office.edge.kernel);
    office.edge.world().pass_ms(1_000);
    assert_eq!(office.edge.count(&OPEN), 0);
    office.edge.write(&LOSE, vec![]);
    let ledger = office.edge.get("/ledger?db=erp");
    assert_eq!((&ledger["balances"], &ledger["sum"]), (&json!(false), &json!(2)));
    office.edge.world().pass_ms(310_000);
    assert_eq!(office.edge.count(&OPEN), 1);
    office.edge.write(&FIND, vec![]);
    office.edge.world().pass_ms(310_000);
    assert_eq!(office.edge.count(&OPEN), 0);
    drop(watch);
}

#[test]
fn exc_21_an_alarm_of_before_is_closed_after_a_restart() {
    static LOSE: Sql = Sql::new("test.lose2", "UPDATE exc_database SET received = 9 WHERE id = 'erp'");
    static FIND: Sql = Sql::new("test.find2", "UPDATE exc_database SET received = 0 WHERE id = 'erp'");
    static OPEN: Sql =
        Sql::new("test.open2", "SELECT COUNT(*) FROM alert WHERE kind = 'exchange-ledger' AND closed_at IS NULL");
    let office = Office::open();
    office.edge.write(&LOSE, vec![]);
    let watch = Watch::start(&office.edge.kernel);
    office.edge.world().pass_ms(1_000);
    assert_eq!(office.edge.count(&OPEN), 1);
    drop(watch);
    office.edge.write(&FIND, vec![]);
    let _watch = Watch::start(&office.edge.kernel);
    office.edge.world().pass_ms(1_000);
    assert_eq!(office.edge.count(&OPEN), 0);
}

#[test]
fn exc_23_devices_and_databases_are_counted() {
    let office = Office::open();
    office.sent(&["a", "b"]);
    let process = office.started();
    let said = json!({ "results": [
        { "id": "a", "status": "PROCESSED" }, { "id": "b", "status": "PROCESSED_DEADLOCK" },
    ], "replies": [office.reply("r")] });
    office.step(&process, "prepare", said);
    office.step(&process, "commit", json!({}));
    let of_phone = office.edge.get_as(&office.phone_key, "/statistics");
    let bytes: usize = [("a", 0), ("b", 1)].map(|(id, at)| office.message(id, at).to_string().len()).iter().sum();
    assert_eq!(
        (&of_phone["device"], &of_phone["sent"], &of_phone["bytes"]),
        (&json!(office.phone), &json!(2), &json!(bytes))
    );
    assert_eq!(
        (&of_phone["processed"], &of_phone["errors"], &of_phone["deadlocks"]),
        (&json!(1), &json!(0), &json!(1))
    );
    let of_database = office.edge.get("/statistics?db=erp");
    assert_eq!((&of_database["sent"], &of_database["processed"]), (&json!(1), &json!(1)));
    assert_eq!(office.edge.get(&format!("/statistics?device={}", office.phone)), of_phone);
    assert_eq!(office.edge.get_as(&office.db_key, "/statistics"), of_database);
    assert!(of_phone["contact_at"].is_string());
    for (key, path, code) in [
        (&office.phone_key, "/statistics?db=erp", "SROLE"),
        (&office.phone_key, "/statistics?device=other", "SROLE"),
        (&office.db_key, "/statistics?db=other", "SROLE"),
        (&crate::edge::ADMIN.to_owned(), "/statistics", "ABODY"),
        (&crate::edge::ADMIN.to_owned(), "/statistics?db=erp&device=x", "ABODY"),
        (&crate::edge::ADMIN.to_owned(), "/statistics?db=nothing", "NPARTY"),
        (&crate::edge::ADMIN.to_owned(), "/ledger", "ABODY"),
        (&crate::edge::ADMIN.to_owned(), "/ledger?db=nothing", "NPARTY"),
        (&office.phone_key, "/ledger?db=erp", "SROLE"),
    ] {
        assert_eq!(office.edge.refused_as(key, "GET", path, &Value::Null).1, code, "{path}");
    }
}

/// Finds a figure.
type Find = fn(&mut dyn base::Tx, base::Wall) -> base::StoreResult<i64>;

#[test]
fn ker_40_what_nobody_looks_after_is_stuck_and_figures_are_shown() {
    let office = Office::open();
    office.sent(&["a", "b"]);
    let figures = || {
        let find = |name: &str| exchange::SERVICE.figures.iter().find(|figure| figure.name == name).unwrap().find;
        static FIND: kernel::Query<Find, i64> =
            kernel::Query::new("test.figure", |tx, find| Ok(find(tx, base::Wall(0))?));
        ["active", "unknown", "queued"].map(|name| office.edge.world().read(&FIND, find(name)).unwrap())
    };
    assert_eq!(figures(), [0, 0, 2]);
    let process = office.started();
    assert_eq!(figures(), [1, 0, 0]);
    let stuck = || {
        let found = office.edge.get("/v1/main/stuck");
        found["items"].as_array().unwrap().iter().map(|item| item["subject"].clone()).collect::<Vec<_>>()
    };
    office.edge.world().pass_ms(659_000);
    assert!(stuck().is_empty());
    office.edge.world().pass_ms(1_000);
    assert_eq!(stuck(), [json!(process)], "nobody looked for ten minutes and another one");
    end_late(office.edge.world());
    assert!(stuck().is_empty());
    let process = office.started();
    office.step(&process, "prepare", json!({ "results": results("PROCESSED", &["a", "b"]) }));
    office.edge.world().pass_ms(300_000);
    end_late(office.edge.world());
    assert_eq!(figures(), [0, 1, 0]);
}
