//! Our side: a kernel and its dispatcher in this process, over a real store.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use base::{Call, CallResult, Id, Migration, OpResult, Outbound, Sql, Store, Tx, Wall, args};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::tasks::{Dispatcher, TaskConfig};
use kernel::{
    Caller, Env, Kernel, KernelConfig, Namespace, NewTask, Op, OpCx, Plan, Reply, ServiceDef, TaskDef, TaskRow,
};

use super::side::{Latency, Load, Pace, Queue, latency};
use super::watched::{self, Done, Seen, Watched};

/// A task that nobody ends within this time is no figure but a bug.
const PATIENCE: Duration = Duration::from_secs(120);

static EFFECT: Sql = Sql::new("bench.effect", "INSERT INTO bench_effect (id, task) VALUES (?1, ?2)");

static BENCH: ServiceDef = ServiceDef {
    name: "bench",
    migrations: &[Migration {
        service: "bench",
        version: 1,
        text: "CREATE TABLE bench_effect (id {text} PRIMARY KEY, task {text} NOT NULL) {clustered};",
    }],
    statements: &[&EFFECT],
    tasks: &[TaskDef::new("bench.work", work)],
    ..ServiceDef::EMPTY
};

fn work(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    watched::runs(task.id);
    tx.write(&EFFECT, args![cx.id(), task.id])?;
    Ok(Plan::Done)
}

/// Tasks to enqueue in one operation.
pub struct Enqueue {
    pub count: usize,
    pub queue: i64,
    /// At once, or at that time.
    pub at: Option<Wall>,
}

/// Answers with the first one's id.
static ENQUEUE: Op<Enqueue, Option<Id>> = Op::new("bench.enqueue", |_, cx, input: &Enqueue| {
    let mut first = None;
    for _ in 0..input.count {
        let task = NewTask { queue: Some(input.queue), ..NewTask::new(cx.id(), "bench.work").param("{\"id\":1}") };
        first = first.or(Some(task.id));
        cx.fx.task(match input.at {
            Some(at) => task.at(at),
            None => task,
        });
    }
    Ok(first)
});

/// Nobody calls outside here.
struct NoOutside;

impl Outbound for NoOutside {
    fn perform(&self, call: Call, _: Box<dyn FnOnce(CallResult) + Send>) {
        unreachable!("{call:?}");
    }
}

/// A kernel over one store whose tasks nobody runs yet.
pub struct Shop {
    pub kernel: Kernel,
    pub main: Arc<Namespace>,
    pub seen: Arc<Seen>,
    pub done: Receiver<Done>,
}

impl Shop {
    pub fn open(store: Arc<dyn Store>, workers: usize) -> Result<Self> {
        let (tell, done) = channel();
        let seen = Seen::new(tell);
        let store = Arc::new(Watched { store, seen: seen.clone() });
        let clock = Arc::new(RealClock::new());
        let env = Env { clock, entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
        let tasks = TaskConfig { workers: vec![workers, 2, 1, 16], ..TaskConfig::default() };
        let config = KernelConfig { admin_namespace: "main".into(), tasks, ..KernelConfig::default() };
        let kernel = Kernel::open(env, config, &[&BENCH], vec![("main".into(), store)])?;
        let main = kernel.namespace("main")?;
        Ok(Self { kernel, main, seen, done })
    }

    pub fn start(&self) -> Dispatcher {
        Dispatcher::start(&self.kernel, Arc::new(NoOutside))
    }

    /// Runs an operation, told in the end.
    pub fn call<I: Send + 'static, O>(
        &self,
        op: &'static Op<I, O>,
        input: I,
        tell: impl FnOnce(OpResult<O>) + Send + 'static,
    ) where
        O: serde::Serialize + serde::de::DeserializeOwned + Send + 'static,
    {
        let done = Box::new(move |reply: OpResult<Reply<O>>| tell(reply.map(|reply| reply.out)));
        self.kernel.call(&self.main, op, self.kernel.request(Caller::server("bench")), input, done);
    }

    fn enqueue(&self, count: usize, told: &Sender<OpResult<Option<Id>>>) {
        let told = told.clone();
        self.call(&ENQUEUE, Enqueue { count, queue: 0, at: None }, move |ids| {
            let _ = told.send(ids);
        });
    }

    /// Enqueues `tasks` with so many operations under way at a time, until all are durable.
    pub fn fill(&self, tasks: usize, batch: usize, under_way: usize, like: impl Fn(usize) -> Enqueue) -> Result<()> {
        let (told, answers) = channel();
        let mut left = tasks;
        let next = |left: &mut usize| {
            let count = batch.min(*left);
            *left -= count;
            if count > 0 {
                let told = told.clone();
                self.call(&ENQUEUE, like(count), move |ids| {
                    let _ = told.send(ids);
                });
            }
            count > 0
        };
        let mut waiting = (0..under_way).filter(|_| next(&mut left)).count();
        while waiting > 0 {
            answers.recv_timeout(PATIENCE)??;
            waiting -= 1;
            waiting += usize::from(next(&mut left));
        }
        Ok(())
    }

    pub fn next_done(&self) -> Result<Done> {
        self.done.recv_timeout(PATIENCE).context("tasks do not end")
    }
}

/// The side.
pub struct Ours {
    name: &'static str,
    shop: Shop,
    dispatcher: Dispatcher,
}

impl Ours {
    pub fn open(name: &'static str, store: Arc<dyn Store>, workers: usize) -> Result<Self> {
        let shop = Shop::open(store, workers)?;
        let dispatcher = shop.start();
        let mut ours = Self { name, shop, dispatcher };
        // It has joined, and every statement has been prepared.
        ours.rate(Load { tasks: 500, batch: 1, enqueuers: 16, workers })?;
        Ok(ours)
    }

    /// So many per second, from a thread that counts the moment at which each should have been enqueued.
    fn paced(&self, pace: Pace) -> Result<Vec<f64>> {
        let (told, answers) = channel();
        let first = Instant::now();
        let mut due = Vec::with_capacity(pace.tasks);
        for at in 0..pace.tasks {
            let moment = first + Duration::from_secs_f64(at as f64 / pace.per_second);
            thread::sleep(moment.saturating_duration_since(Instant::now()));
            let told = told.clone();
            let tell = move |id: OpResult<Option<Id>>| {
                let _ = told.send((id, at));
            };
            self.shop.call(&ENQUEUE, Enqueue { count: 1, queue: 0, at: None }, tell);
            due.push(moment);
        }
        let mut asked = BTreeMap::new();
        for _ in 0..pace.tasks {
            let (id, at) = answers.recv_timeout(PATIENCE)?;
            asked.insert(id?.context("an id")?, due[at]);
        }
        let wait =
            |(id, at): Done| Ok(at.duration_since(*asked.get(&id).context("a strange task")?).as_secs_f64() * 1e3);
        (0..pace.tasks).map(|_| self.shop.next_done().and_then(wait)).collect()
    }

    fn one_by_one(&self, tasks: usize) -> Result<Vec<f64>> {
        let (told, answers) = channel();
        let lone = |_| {
            let begun = Instant::now();
            self.shop.enqueue(1, &told);
            let (_, at) = self.shop.next_done()?;
            answers.recv_timeout(PATIENCE)??;
            Ok(at.duration_since(begun).as_secs_f64() * 1e3)
        };
        (0..tasks).map(lone).collect()
    }
}

impl Queue for Ours {
    fn name(&self) -> String {
        self.name.into()
    }

    fn rate(&mut self, load: Load) -> Result<f64> {
        let begun = Instant::now();
        let like = |count| Enqueue { count, queue: 0, at: None };
        self.shop.fill(load.tasks, load.batch, load.enqueuers, like)?;
        let mut last = begun;
        for _ in 0..load.tasks {
            last = last.max(self.shop.next_done()?.1);
        }
        ensure!(self.shop.done.try_recv().is_err(), "a task ran twice");
        Ok(last.duration_since(begun).as_secs_f64())
    }

    fn latency(&mut self, pace: Pace) -> Result<Latency> {
        let waits = if pace.per_second > 0.0 { self.paced(pace)? } else { self.one_by_one(pace.tasks)? };
        Ok(latency(waits))
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        self.dispatcher.stop();
    }
}
