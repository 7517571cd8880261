//! Alerts, journal and counters on PostgreSQL: the statements that prepare also do what they say there.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use base::{Call, CallResult, OpResult, Row, Sql, Store, Tx, Wall, args};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::alerts::list::{AlertPage, AlertState, LIST_ALERTS};
use kernel::alerts::messages::{LIST_MESSAGES, MessagePage};
use kernel::alerts::{self, AlertSettings, Channel, Pace};
use kernel::counters::list::{CounterPage, LIST_COUNTERS};
use kernel::journal::search::{SEARCH_JOURNAL, Search};
use kernel::watch::WatchConfig;
use kernel::{Caller, Env, Kernel, KernelConfig, Op, Plan, Query, TaskRow};
use serde::Serialize;
use serde::de::DeserializeOwned;
use store_postgres::{PostgresConfig, PostgresStore};

static CHANGE: Op<bool, ()> = Op::new("test.change", |_, cx, open| {
    match open {
        true => cx.fx.open_alert("disk", "full", "no room"),
        false => cx.fx.close_alert("disk"),
    }
    cx.fx.journal("test.changed", "disk", "Changed by a test");
    Ok(())
});

static DUE: Sql = Sql::new("test.due", "SELECT id, op, param FROM task WHERE op = 'alert.send' ORDER BY id LIMIT 1");
static REMOVE: Sql = Sql::new("test.remove", "DELETE FROM task WHERE id = ?1");

/// Plans, settles as if the mail had been taken, and tells whether there was a call.
static SEND: Op<(), bool> = Op::new("test.send", |tx, cx, ()| {
    let Some(row) = tx.query_one(&DUE, args![])? else { return Ok(false) };
    let task = task(&row);
    let send = &alerts::SERVICE.tasks[0];
    let Plan::Call(Call::Mail(_)) = (send.plan)(tx, cx, &task)? else { return Ok(false) };
    let plan = (send.settle)(tx, cx, &task, &CallResult::Mailed)?;
    end(tx, &task, plan)?;
    Ok(true)
});

/// Runs every kind of forgetting once.
static FORGET: Op<(), ()> = Op::new("test.forget", |tx, cx, ()| {
    for plan in
        [alerts::SERVICE.tasks[1].plan, kernel::journal::SERVICE.tasks[0].plan, kernel::counters::SERVICE.tasks[0].plan]
    {
        let task = TaskRow::first_attempt(cx.id(), "test", "null", cx.wall);
        assert_eq!(plan(tx, cx, &task)?, Plan::Done);
    }
    Ok(())
});

fn task(row: &Row) -> TaskRow {
    TaskRow::first_attempt(row.id(0), row.text(1), row.text(2), Wall(0))
}

fn end(tx: &mut dyn Tx, task: &TaskRow, plan: Plan) -> OpResult<()> {
    if plan == Plan::Done {
        tx.write(&REMOVE, args![task.id])?;
    }
    Ok(())
}

fn open() -> Kernel {
    let url = std::env::var("FASTNESS_TEST_POSTGRES").expect("FASTNESS_TEST_POSTGRES is not set: run `cargo xtask ci`");
    let (clock, entropy) = (Arc::new(RealClock::new()), Arc::new(OsEntropy));
    let config = PostgresConfig::new(url, format!("watch_{}", std::process::id()));
    let store = PostgresStore::open(config, clock.clone(), entropy.clone()).expect("the store opens");
    let channels = vec![Channel::Mail { to: vec!["ops@example.org".into()] }];
    let pace = Pace { gather_ms: 0, pace_ms: 0, repeat_ms: 3_600_000 };
    let alerts = AlertSettings { channels, pace, ..AlertSettings::default() };
    let watch = WatchConfig { alerts, round_ms: 50, ..WatchConfig::default() };
    let config = KernelConfig { watch, ..KernelConfig::default() };
    let env = Env { clock, entropy, timers: Arc::new(ThreadTimers::new()) };
    Kernel::open(env, config, &[], vec![("z".into(), Arc::new(store) as Arc<dyn Store>)]).expect("the kernel opens")
}

fn call<I: Send + 'static, O>(kernel: &Kernel, op: &'static Op<I, O>, input: I) -> O
where
    O: Serialize + DeserializeOwned + Send + 'static,
{
    let (tell, told) = channel();
    let request = kernel.request(Caller::server("test"));
    kernel.call(&kernel.admin_namespace(), op, request, input, Box::new(move |reply| tell.send(reply).unwrap()));
    told.recv_timeout(Duration::from_secs(20)).unwrap().unwrap().out
}

fn read<I: Send + 'static, O: Send + 'static>(kernel: &Kernel, query: &'static Query<I, O>, input: I) -> O {
    let (tell, told) = channel();
    kernel.read(&kernel.admin_namespace(), query, input, Box::new(move |found| tell.send(found).unwrap()));
    told.recv_timeout(Duration::from_secs(20)).unwrap().unwrap()
}

#[test]
fn ker_27_ker_28_ker_29_alerts_journal_and_counters_work_on_postgres() {
    let kernel = open();
    kernel.watch_over();
    for open in [true, true, false, false, true] {
        call(&kernel, &CHANGE, open);
    }
    // The round tells the task of its channels; until then it finds none.
    (0..2_000).find(|_| call(&kernel, &SEND, ())).expect("a message went out");
    let page = |state| AlertPage { after: String::new(), limit: 10, state, kind: Some("full".into()) };
    let all = read(&kernel, &LIST_ALERTS, page(None)).alerts;
    let states: Vec<_> = all.iter().map(|alert| alert.state).collect();
    assert_eq!(states, [AlertState::Open, AlertState::Closed]);
    assert!(all.iter().all(|alert| alert.opening_message.is_some()));
    let messages = read(&kernel, &LIST_MESSAGES, MessagePage { after: String::new(), limit: 10 });
    assert!(messages.iter().all(|message| message.done_at.is_some()));
    let search = Search { kind: Some("test.".into()), words: vec!["changed".into()], limit: 9, ..Search::default() };
    assert_eq!(read(&kernel, &SEARCH_JOURNAL, search).lines.len(), 5);
    let counted = || {
        let after = (String::new(), String::new());
        let page = CounterPage { kind: Some("operation".into()), name: Some("test.change".into()), after, limit: 9 };
        read(&kernel, &LIST_COUNTERS, page).first().map(|counter| counter.processed)
    };
    (0..2_000).find(|_| counted() == Some(5)).expect("the counter says 5");
    call(&kernel, &FORGET, ());
    assert_eq!(counted(), Some(5), "nothing is old yet");
    kernel.admin_namespace().store.close();
}
