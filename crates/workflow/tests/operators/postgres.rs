//! The same on PostgreSQL, and every statement on both engines.

use std::sync::Arc;
use std::sync::mpsc::channel;

use base::{OpResult, Store};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::{Caller, Env, Kernel, KernelConfig, Op, Query, Reply};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use store_postgres::{PostgresConfig, PostgresStore};
use workflow::actors::{ACTORS, ALARM_UNPOLLED, ActorsOf, TYPES};
use workflow::broken::{BROKEN, BROKEN_TASKS, BrokenOf, BrokenTasksOf, Grouping, RETRY, Retry};
use workflow::jobs::{CREATE_JOB, JOB, JOB_RESULTS, ResultsOf};
use workflow::process::START;
use workflow::schedules::{CREATE_SCHEDULE, SCHEDULES};
use workflow::search::{Order, PROCESSES, ProcessesOf, SAVE_SEARCH, SEARCHES, SaveSearch};
use workflow::work::{POLL, Poll, RELEASE};

use crate::kit::Flow;

#[test]
fn every_statement_of_the_workflow_prepares_on_sqlite_and_has_a_name_of_its_own() {
    let flow = Flow::new();
    let store = flow.0.main().store.clone();
    for sql in workflow::SERVICE.statements {
        store.prepare(sql).unwrap_or_else(|error| panic!("{}: {error}", sql.name));
    }
    let names: std::collections::BTreeSet<_> = workflow::SERVICE.statements.iter().map(|sql| sql.name).collect();
    assert_eq!(names.len(), workflow::SERVICE.statements.len());
}

fn open(name: &str) -> Kernel {
    let url = std::env::var("FASTNESS_TEST_POSTGRES").expect("FASTNESS_TEST_POSTGRES is not set: run `cargo xtask ci`");
    let config = PostgresConfig::new(url, format!("{name}_{}", std::process::id()));
    let clock = Arc::new(RealClock::new());
    let store = PostgresStore::open(config, clock.clone(), Arc::new(OsEntropy)).expect("the store opens");
    let env = Env { clock, entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
    let stores = vec![("z".to_owned(), Arc::new(store) as Arc<dyn Store>)];
    Kernel::open(env, KernelConfig::default(), &[&workflow::SERVICE], stores).expect("the kernel opens")
}

fn call<I, O>(kernel: &Kernel, op: &'static Op<I, O>, input: I) -> O
where
    I: Send + 'static,
    O: Serialize + DeserializeOwned + Send + 'static,
{
    let (tell, told) = channel();
    let done = Box::new(move |reply: OpResult<Reply<O>>| tell.send(reply).expect("somebody waits"));
    kernel.call(&kernel.admin_namespace(), op, kernel.request(Caller::server("test")), input, done);
    told.recv().expect("an answer").unwrap_or_else(|error| panic!("{}: {error:?}", op.name)).out
}

fn read<I: Send + 'static, O: Send + 'static>(kernel: &Kernel, query: &'static Query<I, O>, input: I) -> O {
    let (tell, told) = channel();
    let done = Box::new(move |found| tell.send(found).expect("somebody waits"));
    kernel.read(&kernel.admin_namespace(), query, input, done);
    told.recv().expect("an answer").unwrap_or_else(|error| panic!("{}: {error:?}", query.name))
}

fn of<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("it reads")
}

#[test]
fn every_statement_of_the_workflow_prepares_on_postgres() {
    let kernel = open("wfl_statements");
    let store = kernel.admin_namespace().store.clone();
    for sql in workflow::SERVICE.statements {
        store.prepare(sql).unwrap_or_else(|error| panic!("{}: {error}", sql.name));
    }
}

#[test]
fn wfl_16_17_18_21_29_what_operators_ask_is_answered_on_postgres() {
    let kernel = open("wfl_operators");
    for _ in 0..3 {
        call(&kernel, &START, of(json!({ "type": "order", "start": { "actor": "a#1" } })));
    }
    let task =
        call(&kernel, &POLL, Poll { actor: "a#1".into(), task_list: None, worker: None, max: 1 }).tasks.remove(0);
    let result = json!({ "task_id": task.task_id, "attempt": 1, "error": { "class": "Oops", "message": "it broke" } });
    call(&kernel, &RELEASE, of(json!({ "results": [result] })));
    let find = |search: Value| {
        let now = base::Wall(0);
        let wanted = ProcessesOf { search: of(search), order: Order::Newest, after: None, limit: 10, now };
        read(&kernel, &PROCESSES, wanted).processes.len()
    };
    assert_eq!(
        [find(json!({})), find(json!({ "state": "BROKEN", "error": "broke" })), find(json!({ "type": "x" }))],
        [3, 1, 0]
    );
    let groups = read(&kernel, &BROKEN, BrokenOf { group: Grouping::Actor, from: None, to: None }).groups;
    assert_eq!((groups.len(), groups[0].group.as_str(), groups[0].example.as_str()), (1, "a#1", "it broke"));
    let wanted = BrokenTasksOf { group: Grouping::Actor, name: None, from: None, to: None, after: None, limit: 10 };
    assert_eq!(read(&kernel, &BROKEN_TASKS, wanted).tasks.len(), 1);
    call(&kernel, &RETRY, Retry { task_id: task.task_id, source: None });
    call(&kernel, &SAVE_SEARCH, SaveSearch { name: "all".into(), search: of(json!({})) });
    assert_eq!(read(&kernel, &SEARCHES, ()).len(), 1);
    let number = call(&kernel, &CREATE_JOB, of(json!({ "action": "restart" }))).job;
    assert_eq!(read(&kernel, &JOB, number).state, "RUNNING");
    assert_eq!(read(&kernel, &JOB_RESULTS, ResultsOf { job: number, after: 0, limit: 10 }).results, []);
    let start = json!({ "type": "order", "start": { "actor": "a#1" } });
    call(&kernel, &CREATE_SCHEDULE, of(json!({ "cron": "H30", "start": start })));
    assert_eq!(read(&kernel, &SCHEDULES, ())[0].next.len(), 5);
    call(&kernel, &ALARM_UNPOLLED, ());
    assert_eq!(read(&kernel, &ACTORS, ActorsOf { after: None, limit: 10 })[0].waiting, 3);
    assert_eq!(read(&kernel, &TYPES, ()).len(), 1);
}
