//! How long the other lists take among 100,000 rows: measurements, run by hand with `--run-ignored all --no-capture`.

use base::{Sql, Wall, args};
use kernel::Op;
use kernel::accounts::list_accounts::LIST_ACCOUNTS;
use kernel::alerts::list::{AlertPage, AlertState, LIST_ALERTS};
use kernel::counters::list::{CounterPage, LIST_COUNTERS};
use kernel::counters::rates::{RATES, RatesPage, Span};
use kernel::journal::search::{SEARCH_JOURNAL, Search};
use kernel::ops::list_keys::{LIST_KEYS, Page};

use crate::nodes::Node;

const PORTION: i64 = 1_000;

macro_rules! numbers {
    ($name:literal, $insert:literal, $select:literal) => {
        Sql::new(
            $name,
            concat!(
                "INSERT INTO ",
                $insert,
                " WITH RECURSIVE numbers (n) AS (SELECT CAST(?1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2) SELECT ",
                $select,
                " FROM numbers"
            ),
        )
    };
}

static JOURNAL: Sql = numbers!(
    "test.fill_journal",
    "journal (id, at, kind, subject, caller, text, heard)",
    "'01KA2B3C4D5E6F7G8H' || CAST(10000000 + n AS TEXT), n, CASE WHEN n % 5000 = 0 THEN 'rare.x' ELSE 'often.x' END, 'subject', \
     'caller', 'a line of the journal, as long as they are in life, number ' || CAST(n AS TEXT), n"
);
static ALERT: Sql = numbers!(
    "test.fill_alert",
    "alert (id, key, kind, message, opened_at, closed_at, opening_message, closing_message, heard)",
    "'01KA2B3C4D5E6F7G8H' || CAST(10000000 + n AS TEXT), 'key ' || CAST(n AS TEXT), 'kind', 'message', n, \
     CASE WHEN n % 5000 = 0 THEN NULL ELSE n END, '', '', n"
);
static KEY: Sql = numbers!(
    "test.fill_key",
    "access_key (id, role, scope, label, created_at)",
    "'01KA2B3C4D5E6F7G8H' || CAST(10000000 + n AS TEXT), 'reader', '{}', 'label', n"
);
static COUNTER: Sql = numbers!(
    "test.fill_counter",
    "counter (kind, name, node, sent, processed, errors, deadlocks, retries, last_seen, heard)",
    "'device', 'device ' || CAST(10000000 + n AS TEXT), 'node', 1, 1, 1, 1, 1, 1, n"
);
static MINUTE: Sql = numbers!(
    "test.fill_minute",
    "counter_minute (kind, minute, node, sent, processed, errors, deadlocks, retries, heard)",
    "CASE WHEN n % 3 = 0 THEN 'device' ELSE 'task' END, 29912400 - n / 3, 'node ' || CAST(n % 3 AS TEXT), 1, 1, 1, 1, 1, n"
);
static FILL: Op<i64, ()> = Op::new("test.fill_all", |tx, _, first| {
    for sql in [&JOURNAL, &ALERT, &KEY, &COUNTER, &MINUTE] {
        tx.execute(sql, args![*first, *first + PORTION - 1])?;
    }
    Ok(())
});

#[test]
#[ignore = "a measurement"]
fn ker_28_measure_lists_sqlite() {
    measure(&Node::sqlite());
}

#[test]
#[ignore = "a measurement"]
fn ker_28_measure_lists_postgres() {
    measure(&Node::postgres(1).remove(0));
}

fn measure(node: &Node) {
    (0..100).for_each(|portion| node.call(&FILL, portion * PORTION + 1).unwrap());
    let journal = |search: Search| {
        move |node: &Node| drop(node.read(&SEARCH_JOURNAL, Search { limit: 100, ..search.clone() }).unwrap())
    };
    took(node, "journal", journal(Search::default()));
    took(node, "journal kind", journal(Search { kind: Some("rare.".into()), ..Search::default() }));
    took(node, "journal words, none", journal(Search { words: vec!["nothing".into()], ..Search::default() }));
    took(node, "journal from to", journal(Search { from: Some(Wall(500)), to: Some(Wall(600)), ..Search::default() }));
    let alerts = |state| {
        move |node: &Node| {
            let page = AlertPage { after: String::new(), limit: 100, state, kind: None };
            drop(node.read(&LIST_ALERTS, page).unwrap());
        }
    };
    took(node, "alerts", alerts(None));
    took(node, "alerts open", alerts(Some(AlertState::Open)));
    took(node, "alerts acknowledged", alerts(Some(AlertState::Acknowledged)));
    took(node, "keys", |node| drop(node.read(&LIST_KEYS, Page { after: String::new(), limit: 101 }).unwrap()));
    let accounts = || kernel::accounts::list_accounts::Page { after: String::new(), limit: 101 };
    took(node, "accounts", |node| drop(node.read(&LIST_ACCOUNTS, accounts()).unwrap()));
    let counters = |kind: Option<&'static str>, name: Option<&'static str>| {
        move |node: &Node| {
            let (kind, name) = (kind.map(str::to_owned), name.map(str::to_owned));
            let page = CounterPage { kind, name, after: (String::new(), String::new()), limit: 101 };
            drop(node.read(&LIST_COUNTERS, page).unwrap());
        }
    };
    took(node, "counters", counters(None, None));
    took(node, "counters kind", counters(Some("device"), None));
    took(node, "counters name", counters(Some("device"), Some("device 10099000")));
    took(node, "counters any kind, name", counters(None, Some("device 10099000")));
    let now = Wall(29_912_400 * 60_000);
    took(node, "rates week", |node| {
        let page = RatesPage { kind: "device".into(), span: Span::Week, now };
        assert!(node.read(&RATES, page).unwrap().points[..335].iter().all(|point| point.sent > 0));
    });
}

fn took(node: &Node, name: &str, ask: impl Fn(&Node)) {
    (0..6).for_each(|_| ask(node));
    let clock = node.kernel.env().clock.clone();
    let begun_us = clock.monotonic_us();
    (0..5).for_each(|_| ask(node));
    println!("{name}: {} us", (clock.monotonic_us() - begun_us) / 5);
}
