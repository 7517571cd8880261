//! Nodes over one store, timers that pass when told, a partner outside that answers by a script.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use base::{
    Call, CallResult, ContentionKey, Entropy, HttpCall, HttpReply, Id, Keys, Migration, OpError, OpResult, Outbound,
    Sql, Store, Timers, Tx, args, codes,
};
use kernel::tasks::{self, Dispatcher, Search, Task, TaskConfig};
use kernel::{
    Caller, Env, Kernel, KernelConfig, Namespace, NewTask, Op, OpCx, Plan, Query, Reply, ServiceDef, TaskDef, TaskRow,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use store_sqlite::InlineStore;

use super::moody::MoodyStore;
use crate::world::{ManualClock, NOON};

/// What the standing task notes.
const HOURLY: &str = "hourly";

type Then = Box<dyn FnOnce() + Send>;

/// Now, the number of the last timer, and timers in the order of their time.
type Times = (u64, u64, BTreeMap<(u64, u64), Then>);

/// Timers in the order of their time.
#[derive(Default)]
pub struct Agenda(Mutex<Times>);

impl Timers for Agenda {
    fn after(&self, ms: u64, then: Then) {
        let mut agenda = self.0.lock().unwrap();
        agenda.1 += 1;
        let key = (agenda.0 + ms, agenda.1);
        agenda.2.insert(key, then);
    }
}

#[derive(Default)]
struct Counted(Mutex<u64>);

impl Entropy for Counted {
    fn fill(&self, bytes: &mut [u8]) {
        let mut count = self.0.lock().unwrap();
        *count += 1;
        bytes.iter_mut().zip(count.to_be_bytes().iter().cycle()).for_each(|(byte, count)| *byte = *count);
    }
}

type Done = Box<dyn FnOnce(CallResult) + Send>;

/// Calls that wait to be answered.
#[derive(Default)]
pub struct Partner(Mutex<VecDeque<(Call, Done)>>);

impl Outbound for Partner {
    fn perform(&self, call: Call, done: Done) {
        self.0.lock().unwrap().push_back((call, done));
    }
}

impl Partner {
    pub fn waiting(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    /// Answers the oldest call.
    pub fn answer(&self, with: CallResult) -> HttpCall {
        let (call, done) = self.0.lock().unwrap().pop_front().expect("a call");
        done(with);
        let Call::Http(call) = call else { panic!("not HTTP") };
        call
    }
}

pub fn status(status: u16) -> CallResult {
    CallResult::Http(HttpReply { status, headers: vec![], body: vec![] })
}

static NOTE: Sql = Sql::new("test.note", "INSERT INTO note (id, text) VALUES (?1, ?2)");
static NOTES: Sql = Sql::new("test.notes", "SELECT text FROM note ORDER BY id LIMIT 1000");

pub fn note(tx: &mut dyn Tx, cx: &mut OpCx<'_>, text: &str) -> OpResult<()> {
    let id = cx.id();
    Ok(tx.write(&NOTE, args![id, text])?)
}

fn plan_note(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    note(tx, cx, &format!("{} {}", task.param, task.attempt))?;
    Ok(Plan::Done)
}

fn plan_hourly(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    note(tx, cx, HOURLY)?;
    Ok(Plan::Done)
}

fn plan_fail(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    note(tx, cx, &task.param)?;
    Err(OpError::new(codes::ALIMIT, "never").with("on purpose"))
}

/// Counts to three, a cycle each.
fn plan_steps(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let step: i64 = task.checkpoint.as_deref().map_or(0, |at| at.parse().unwrap()) + 1;
    note(tx, cx, &format!("step {step} retry {}", task.retry))?;
    Ok(if step < 3 { Plan::Checkpoint(step.to_string()) } else { Plan::Done })
}

fn plan_call(_: &mut dyn Tx, _: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let url = task.param.trim_matches('"').to_owned();
    let (headers, body) = (vec![], vec![]);
    Ok(Plan::Call(Call::Http(HttpCall { method: "POST", url, headers, body, timeout_ms: 1_000, reply_max: 10 })))
}

fn settle_call(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow, called: &CallResult) -> OpResult<Plan> {
    match called {
        CallResult::Http(reply) if reply.status == 200 => {
            note(tx, cx, &format!("settled {}", task.attempt))?;
            Ok(Plan::Done)
        }
        other => Err(OpError::new(codes::XTARGET, format!("{other:?}"))),
    }
}

/// Loses against others as often as its parameter says, then notes its tries.
fn plan_fights(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    if task.attempt <= task.param.parse().unwrap() {
        let code = if task.attempt % 2 == 0 { codes::CSERIAL } else { codes::XSTORE };
        return Err(OpError::new(code, "others were faster"));
    }
    note(tx, cx, &format!("won at {}, retry {}", task.attempt, task.retry))?;
    Ok(Plan::Done)
}

fn keys_of_fights(task: &TaskRow) -> Keys {
    Keys::of(vec![ContentionKey::of("fights", &task.param)])
}

/// Its first run is told that it is none, as by a transaction that began before the claim was committed.
fn plan_unseen(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    if task.attempt == 1 {
        return Err(OpError::new(codes::AATTEMPT, "another attempt has begun"));
    }
    plan_note(tx, cx, task)
}

/// As many cycles as its parameter says.
fn plan_chain(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let step: i64 = task.checkpoint.as_deref().map_or(0, |at| at.parse().unwrap()) + 1;
    if step.to_string() == task.param {
        note(tx, cx, &format!("chain of {step}"))?;
        return Ok(Plan::Done);
    }
    Ok(Plan::Checkpoint(step.to_string()))
}

/// Leaves a checkpoint for later.
fn plan_waits(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let Some(checkpoint) = &task.checkpoint else {
        return Ok(Plan::CheckpointAt("7".into(), cx.wall.plus_ms(600_000)));
    };
    note(tx, cx, &format!("waited with {checkpoint}"))?;
    Ok(Plan::Done)
}

pub static PLAIN: Op<String, ()> = Op::new("test.plain", |tx, cx, text| note(tx, cx, text));

static TEST: ServiceDef = ServiceDef {
    name: "test",
    migrations: &[Migration {
        service: "test",
        version: 1,
        text: "CREATE TABLE note (id {text} PRIMARY KEY, text {text} NOT NULL) {strict};",
    }],
    operations: &[&PLAIN],
    tasks: &[
        TaskDef::new("test.note", plan_note).callable(),
        TaskDef::new("test.fail", plan_fail),
        TaskDef::new("test.steps", plan_steps).queue(1),
        TaskDef::new("test.call", plan_call).settled_by(settle_call).callable(),
        TaskDef::new("test.hourly", plan_hourly).standing("H30"),
        TaskDef::new("test.fights", plan_fights).keyed(keys_of_fights),
        TaskDef::new("test.unseen", plan_unseen),
        TaskDef::new("test.chain", plan_chain),
        TaskDef::new("test.waits", plan_waits),
        TaskDef::new("test.frees", plan_note).ending(),
    ],
    ..ServiceDef::EMPTY
};

/// Creates tasks as an operation does.
pub static CREATE: Op<NewTasks, Vec<Id>> = Op::new("test.create", |_, cx, new| {
    let tasks: Vec<NewTask> = new.0.iter().map(|make| make(cx.id())).collect();
    let ids = tasks.iter().map(|task| task.id).collect();
    tasks.into_iter().for_each(|task| cx.fx.task(task));
    Ok(ids)
});

pub struct NewTasks(pub Vec<Box<dyn Fn(Id) -> NewTask + Send>>);

pub struct World {
    pub clock: Arc<ManualClock>,
    agenda: Arc<Agenda>,
    pub partner: Arc<Partner>,
    pub kernel: Kernel,
    pub store: Arc<MoodyStore>,
}

impl World {
    pub fn new() -> Self {
        let clock = Arc::new(ManualClock::default());
        clock.wall_ms.store(NOON, Ordering::Relaxed);
        let agenda = Arc::new(Agenda::default());
        let env = Env { clock: clock.clone(), entropy: Arc::new(Counted::default()), timers: agenda.clone() };
        let store = Arc::new(MoodyStore::new(InlineStore::in_memory(clock.clone()).unwrap()));
        let tasks = TaskConfig { calls_max: 3, calls_per_target_max: 2, ..TaskConfig::default() };
        let config = KernelConfig { admin_namespace: "main".into(), tasks, ..KernelConfig::default() };
        let kernel =
            Kernel::open(env, config, &[&TEST], vec![("main".into(), store.clone() as Arc<dyn Store>)]).unwrap();
        Self { clock, agenda, partner: Arc::new(Partner::default()), kernel, store }
    }

    pub fn main(&self) -> Arc<Namespace> {
        self.kernel.namespace("main").unwrap()
    }

    /// A node; each has another name.
    pub fn node(&self) -> Dispatcher {
        Dispatcher::start(&self.kernel, self.partner.clone())
    }

    /// A node of another name on the same store.
    pub fn other_node(&self) -> Dispatcher {
        let tasks = TaskConfig { node: "two".into(), ..self.kernel.config().tasks.clone() };
        let config = KernelConfig { tasks, ..self.kernel.config().clone() };
        let stores = vec![("main".into(), self.main().store.clone())];
        let kernel = Kernel::open(self.kernel.env().clone(), config, &[&TEST], stores).unwrap();
        Dispatcher::start(&kernel, self.partner.clone())
    }

    pub fn call<I, O>(&self, op: &'static Op<I, O>, input: I) -> OpResult<O>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let answer = Arc::new(Mutex::new(None));
        let told = answer.clone();
        let done =
            Box::new(move |result: OpResult<Reply<O>>| *told.lock().unwrap() = Some(result.map(|reply| reply.out)));
        self.kernel.call(&self.main(), op, self.kernel.request(Caller::server("test")), input, done);
        let result = answer.lock().unwrap().take();
        result.expect("an answer")
    }

    pub fn read<I: Send + 'static, O: Send + 'static>(&self, query: &'static Query<I, O>, input: I) -> OpResult<O> {
        let answer = Arc::new(Mutex::new(None));
        let told = answer.clone();
        self.kernel.read(&self.main(), query, input, Box::new(move |result| *told.lock().unwrap() = Some(result)));
        let result = answer.lock().unwrap().take();
        result.expect("an answer")
    }

    pub fn create(&self, make: impl Fn(NewTask) -> NewTask + Send + 'static, op: &'static str) -> Id {
        self.try_create(make, op).unwrap()
    }

    pub fn try_create(&self, make: impl Fn(NewTask) -> NewTask + Send + 'static, op: &'static str) -> OpResult<Id> {
        let make = move |id| make(NewTask::new(id, op));
        self.call(&CREATE, NewTasks(vec![Box::new(make)])).map(|ids| ids[0])
    }

    /// The tasks that a test made: neither standing ones nor those that tell of alerts.
    pub fn tasks(&self) -> Vec<Task> {
        let all = self.read(&tasks::LIST, Search { limit: 100, ..Search::default() }).unwrap();
        all.into_iter().filter(|task| task.standing.is_none() && task.op != "alert.send").collect()
    }

    pub fn task(&self, id: Id) -> Task {
        self.read(&tasks::SHOW, id).unwrap()
    }

    /// What tasks noted, but for the standing one.
    pub fn notes(&self) -> Vec<String> {
        self.all_notes().into_iter().filter(|note| note != HOURLY).collect()
    }

    /// How often the standing task ran.
    pub fn hourly_runs(&self) -> usize {
        self.all_notes().iter().filter(|note| *note == HOURLY).count()
    }

    fn all_notes(&self) -> Vec<String> {
        static ALL: Query<(), Vec<String>> = Query::new("test.notes", |tx, ()| {
            Ok(tx.query(&NOTES, args![], 1000)?.iter().map(|row| row.text(0).to_owned()).collect())
        });
        self.read(&ALL, ()).unwrap()
    }

    /// Time passes, and every timer with it.
    pub fn pass(&self, ms: u64) {
        let until = self.agenda.0.lock().unwrap().0 + ms;
        loop {
            let mut agenda = self.agenda.0.lock().unwrap();
            let next = agenda.2.first_key_value().map(|(key, _)| *key).filter(|(at, _)| *at <= until);
            let to = next.map_or(until, |(at, _)| at);
            let passed = to - agenda.0;
            agenda.0 = to;
            self.clock.ran_ms.fetch_add(passed, Ordering::Relaxed);
            self.clock.wall_ms.fetch_add(i64::try_from(passed).unwrap(), Ordering::Relaxed);
            let Some(then) = next.and_then(|key| agenda.2.remove(&key)) else { return };
            drop(agenda);
            then();
        }
    }
}
