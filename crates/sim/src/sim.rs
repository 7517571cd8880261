//! The simulated world: one thread, one line of time, one seed.

mod asking;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base::{Call, CallResult, Engine, HttpCall, OpResult, Store, StoreResult, Timers, Tx, WorkCall};
use kernel::feed::Sequencer;
use kernel::tasks::{Dispatcher, TaskConfig};
use kernel::{
    Caller, Env, Hint, Kernel, KernelConfig, Namespace, Op, Query, Reply, Request, ServiceDef, SessionEvent, Topic,
};
use sensors::SilenceWatch;
use sensors::history::{Archives, Batch};
use sensors::outbox::Exporter;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::agenda::Agenda;
use crate::archive::SimArchive;
use crate::clock::SimClock;
use crate::courier::Claim;
use crate::deliveries::Claims;
use crate::depot::Depot;
use crate::faults::Faults;
use crate::office::Office;
use crate::partner::{Fate, Partner, SimOutbound, as_http, of_mail};
use crate::receivers::Receivers;
use crate::rng::{Rng, SimEntropy};
use crate::sessions::Sessions;
use crate::sirens;
use crate::store::{Ran, SimStore};
use crate::trace::Trace;

/// Whom an answer is for: workload, client, and the client's own number of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asker {
    /// Which workload.
    pub workload: usize,
    /// Which of its clients.
    pub client: usize,
    /// Which question.
    pub token: u64,
}

/// What a client hears of its question.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// The operation's answer.
    Answer(OpResult<Answer>),
    /// A message on a stateful connection.
    Message(Vec<u8>),
    /// The connection broke before an answer came: it may have been done.
    Cut,
}

impl News {
    /// For the trace.
    pub fn in_short(&self) -> String {
        match self {
            Self::Answer(Ok(answer)) => format!("{}{}", answer.out, if answer.replayed { " (again)" } else { "" }),
            Self::Answer(Err(error)) => format!("{} {}", error.code.name, error.message),
            Self::Cut => "a cut".into(),
            Self::Message(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        }
    }
}

/// The answer of an operation, as JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The result.
    pub out: Value,
    /// Whether it is the stored answer of an earlier call.
    pub replayed: bool,
}

/// Something that happens.
pub enum Event {
    /// A client does what it does next.
    Act(Asker),
    /// Something reaches the server, if it is up in the same life.
    Arrive(u32, Box<dyn FnOnce(&mut Sim) + Send>),
    /// Something reaches a client.
    Tell(Asker, News),
    /// A timer of the server's passes.
    Timer(u32, Box<dyn FnOnce() + Send>),
    /// The store works off what waits.
    StoreRuns(u32),
    /// Something happens to a session of the server's, in the same life.
    Session(u32, u64, SessionEvent),
    /// A timer of a session passes: life, connection, timer, setting.
    SessionTimer(u32, u64, u64, u64),
    /// A connection breaks.
    Disconnect(u32, u64),
    /// The server looks for parcels to deliver, by itself.
    Deliver(u32),
    /// It is told that there may be some.
    Wake(u32),
    /// A call reaches the partner outside.
    Reach(HttpCall),
    /// The server hears of a call to the partner.
    Called(u32, Claim, CallResult),
    /// The server hears of a call that a dispatcher made.
    Answered(u32, Box<dyn FnOnce(CallResult) + Send>, CallResult),
    /// A notification reaches a client of sensors, unless the process that sends it ended before.
    Knock(u32, u64),
    /// The server hears of that notification.
    Replied(u32, u64, Box<dyn FnOnce(CallResult) + Send>, CallResult),
    /// A node writes history to the archive.
    Export(u32, usize, WorkCall, Box<dyn FnOnce(CallResult) + Send>),
    /// A batch that nobody waits for any more arrives at the archive.
    Lands(Batch),
    /// A node brings files of messages to their folders.
    Lay(u32, usize, WorkCall, Box<dyn FnOnce(CallResult) + Send>),
    /// The server forgets old answers.
    Housekeeping(u32),
    /// The server starts.
    Start,
}

/// Who waits for an operation's end.
#[derive(Debug, Clone, Copy)]
enum Waiting {
    /// A client.
    Client(Asker),
    /// A session, with its number of the call.
    Session(u64, u64),
}

type Told = Arc<Mutex<Vec<(Waiting, OpResult<Answer>)>>>;
type Set = Arc<Mutex<Vec<(u64, Box<dyn FnOnce() + Send>)>>>;

/// Timers that end up on the agenda.
struct SimTimers(Set);

impl Timers for SimTimers {
    fn after(&self, ms: u64, then: Box<dyn FnOnce() + Send>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((ms, then));
    }
}

/// The server's process while it is up.
struct Server {
    kernel: Kernel,
    main: Arc<Namespace>,
    store: Arc<SimStore>,
    told: Told,
    timers: Set,
    sessions: Sessions,
    outbound: SimOutbound,
    claims: Claims,
    nodes: Vec<Node>,
    _sequencer: Sequencer,
    _silence: Vec<SilenceWatch>,
    _exporters: Vec<Exporter>,
    _exchange: Vec<exchange::Watch>,
    _workflow: Vec<workflow::recovery::Watch>,
    _folders: Vec<folders::desk::Watch>,
    /// Whether it knows of the archive.
    archives: bool,
    hints: Hints,
    store_called: bool,
}

/// What was called out since the last look.
#[derive(Clone, Default)]
struct Hints {
    /// There may be new events.
    events: Arc<AtomicBool>,
    topics: Arc<Mutex<BTreeSet<Topic>>>,
}

impl Hints {
    fn listen(namespace: &Namespace) -> Self {
        let hints = Self::default();
        let heard = hints.clone();
        namespace.wakes.listen(move |hint| match hint {
            Hint::Events => heard.events.store(true, Ordering::Relaxed),
            Hint::Changed(topic) => drop(heard.topics.lock().unwrap_or_else(PoisonError::into_inner).insert(topic)),
            Hint::Tasks { .. } => {}
        });
        hints
    }
}

/// A node that runs tasks. There are two on the one store: the timers of the second may be so late that it loses its lease.
struct Node {
    kernel: Kernel,
    dispatcher: Dispatcher,
    outbound: SimOutbound,
    timers: Set,
    late_ms: u64,
}

/// The world.
pub struct Sim {
    /// Choices.
    pub rng: Rng,
    /// Time.
    pub clock: SimClock,
    /// What goes wrong.
    pub faults: Faults,
    /// What happened.
    pub trace: Trace,
    /// The partner outside.
    pub partner: Partner,
    /// Those who are told of sensors.
    pub receivers: Receivers,
    /// Where history moves to, if there is such a place.
    pub archive: Option<Arc<SimArchive>>,
    /// The server's side of an exchange, if this world has one.
    pub office: Option<Office>,
    /// Where sessions keep bytes.
    pub(crate) depot: Depot,
    /// How often something may have been committed since the last look.
    pub news: u64,
    /// Calls of this life whose end the server has not heard of.
    pub calls_open: u64,
    agenda: Agenda<Event>,
    path: PathBuf,
    services: Vec<&'static ServiceDef>,
    queue_max: usize,
    batch_max: usize,
    tasks: TaskConfig,
    /// As which engine the store behaves where that makes a difference.
    engine: Engine,
    event_kept_ms: i64,
    /// Which life of the server this is.
    life: u32,
    server: Option<Server>,
    commits_looked_at: u64,
    commits: u64,
    /// Listening time of the store and running time of the process at the last look, in one life.
    heard: Option<(i64, u64)>,
    /// How long earlier lives ran, and since when this one runs.
    ran_before_ms: u64,
    started_ms: u64,
    unreadable_until_us: u64,
}

impl Sim {
    /// A world with the server down, in `path`.
    pub fn new(seed: u64, path: PathBuf, services: Vec<&'static ServiceDef>, print: bool) -> Self {
        let mut rng = Rng::new(seed);
        let faults = Faults::draw(&mut rng);
        // Tiny limits find what large ones hide; below 4 what the kernel itself asks at one moment would not fit.
        let queue_max = if rng.once_in(4) { 4 } else { 1_000 };
        let batch_max = *rng.pick(&[1, 2, 5, 50]);
        let quick = *rng.pick(&[1, 4]);
        let tasks = TaskConfig {
            workers: vec![quick, 2, 1, quick],
            calls_max: *rng.pick(&[1, 512]),
            lease_ms: *rng.pick(&[10_000, 30_000]),
            lost_ms: *rng.pick(&[30_000, 30 * 60_000]),
            ..TaskConfig::default()
        };
        let engine = *rng.pick(&[Engine::Sqlite, Engine::Postgres]);
        // So short that a reader that was away finds its place gone.
        let event_kept_ms = *rng.pick(&[kernel::feed::KEPT_MS, 20_000]);
        let mut trace = Trace::new(print);
        trace.line(
            0,
            &format!("{faults:?}, queue {queue_max}, batch {batch_max}, as {engine:?}, events kept {event_kept_ms} ms, {tasks:?}"),
        );
        let mut sim = Self {
            rng,
            clock: SimClock::default(),
            faults,
            trace,
            partner: Partner::default(),
            receivers: Receivers::default(),
            archive: None,
            office: None,
            depot: Depot::new(),
            news: 0,
            calls_open: 0,
            agenda: Agenda::new(),
            path,
            services,
            queue_max,
            batch_max,
            tasks,
            engine,
            event_kept_ms,
            life: 0,
            server: None,
            commits_looked_at: 0,
            commits: 1,
            heard: None,
            ran_before_ms: 0,
            started_ms: 0,
            unreadable_until_us: 0,
        };
        sim.agenda.put(0, Event::Start);
        sim
    }

    /// Now, in microseconds.
    pub fn now_us(&self) -> u64 {
        self.clock.now_us()
    }

    /// A line of the trace.
    pub fn say(&mut self, text: &str) {
        self.trace.line(self.clock.now_us(), text);
    }

    /// Puts an event down for `after_us` from now.
    pub fn after(&mut self, after_us: u64, event: Event) {
        self.agenda.put(self.clock.now_us() + after_us, event);
    }

    /// Whether the server is up.
    pub fn is_up(&self) -> bool {
        self.server.is_some()
    }

    /// Whether the server is up and has nothing to do, neither inside nor outside.
    pub fn is_idle(&self) -> bool {
        self.calls_open == 0 && self.server.as_ref().is_some_and(|server| server.store.is_idle())
    }

    /// How long the server was up and ran, all its lives together.
    pub fn up_ms(&self) -> u64 {
        let this_ms = if self.is_up() { base::Clock::ran_ms(&self.clock) - self.started_ms } else { 0 };
        self.ran_before_ms + this_ms
    }

    /// Moves on to the next event.
    pub fn next(&mut self) -> Option<Event> {
        let (at_us, event) = self.agenda.take()?;
        self.clock.advance_to(at_us);
        self.trace.event();
        Some(event)
    }

    /// Looks at committed state; `None` while the server is down.
    pub fn look<T>(&self, look: impl FnOnce(&mut dyn Tx) -> StoreResult<T>) -> Option<StoreResult<T>> {
        self.server.as_ref().map(|server| server.store.look(look))
    }

    /// Whether something may have been committed since this was asked last.
    pub fn has_news(&mut self) -> bool {
        let news = self.commits != self.commits_looked_at;
        self.commits_looked_at = self.commits;
        news
    }

    /// Listening time of the store now; `None` while the server is down.
    pub fn listening_ms(&self) -> Option<i64> {
        self.server.as_ref().and_then(|server| server.store.heard_ms())
    }

    /// Listening time goes on as long as the process ran, neither more nor less, whatever the calendar does (KER-5).
    ///
    /// # Errors
    /// It does not.
    pub fn check_heard(&mut self) -> Result<(), String> {
        let ran_ms = base::Clock::ran_ms(&self.clock);
        let Some(heard_ms) = self.listening_ms() else { return Ok(()) };
        let went_on = |(heard, ran): (i64, u64)| heard_ms - heard == i64::try_from(ran_ms - ran).unwrap_or(i64::MAX);
        if !self.heard.is_none_or(went_on) {
            return Err(format!("listening time went from {:?} to {:?}", self.heard, (heard_ms, ran_ms)));
        }
        self.heard = Some((heard_ms, ran_ms));
        Ok(())
    }

    /// A client asks for an operation, over a network that loses, doubles and delays. Tells how many copies go out.
    pub fn ask<I, O>(&mut self, asker: Asker, op: &'static Op<I, O>, input: I, once: Option<&str>) -> u64
    where
        I: Clone + Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let copies = match once {
            _ if self.rng.once_in(self.faults.request_lost) => 0,
            Some(_) if self.rng.once_in(self.faults.request_doubled) => 2,
            _ => 1,
        };
        let once = once.map(str::to_owned);
        for _ in 0..copies {
            let (input, once) = (input.clone(), once.clone());
            let arrive = Box::new(move |sim: &mut Self| sim.call(asker, op, input, once.as_deref()));
            let delay_us = self.rng.within(100, 50_000);
            self.after(delay_us, Event::Arrive(self.life, arrive));
        }
        if copies == 0 {
            self.say(&format!("  request of {asker:?} is lost"));
        }
        copies
    }

    /// The request is here; whoever is in the server asks so.
    pub fn call<I, O>(&mut self, asker: Asker, op: &'static Op<I, O>, input: I, once: Option<&str>)
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        if self.is_up() {
            self.run_operation(Waiting::Client(asker), asker.client, op, input, once);
        } else {
            self.tell(asker, News::Cut);
        }
    }

    /// Signals are here: the desk of the server takes them, or that of another node where several work on the data. Told are the
    /// outcomes in order, or why not all of them are settled.
    pub fn take_signals(&mut self, asker: Asker, items: Vec<sensors::Item>) {
        let other = self.engine == Engine::Postgres && self.rng.once_in(2);
        let Some(server) = &self.server else { return self.tell(asker, News::Cut) };
        let told = server.told.clone();
        let done = Box::new(move |outcomes: Vec<OpResult<sensors::Outcome>>| {
            let outcomes: OpResult<Vec<sensors::Outcome>> = outcomes.into_iter().collect();
            let answer = outcomes.map(|outcomes| Answer { out: json!(outcomes), replayed: false });
            told.lock().unwrap_or_else(PoisonError::into_inner).push((Waiting::Client(asker), answer));
        });
        match server.nodes.first().filter(|_| other) {
            Some(node) => sensors::take(&node.kernel, &node.kernel.admin_namespace(), items, done),
            None => sensors::take(&server.kernel, &server.main, items, done),
        }
    }

    /// A client asks for something that is only read, over the same network.
    pub fn ask_to_read<I, O>(&mut self, asker: Asker, query: &'static Query<I, O>, input: I) -> u64
    where
        I: Send + 'static,
        O: Serialize + Send + 'static,
    {
        if self.rng.once_in(self.faults.request_lost) {
            return 0;
        }
        let arrive = Box::new(move |sim: &mut Self| {
            let Some(server) = &sim.server else { return sim.tell(asker, News::Cut) };
            let told = server.told.clone();
            let done = Box::new(move |read: OpResult<O>| {
                let out = |read: O| serde_json::to_value(&read).unwrap_or_default();
                let answer = read.map(|read| Answer { out: out(read), replayed: false });
                told.lock().unwrap_or_else(PoisonError::into_inner).push((Waiting::Client(asker), answer));
            });
            server.kernel.read(&server.main, query, input, done);
        });
        let delay_us = self.rng.within(100, 50_000);
        self.after(delay_us, Event::Arrive(self.life, arrive));
        1
    }

    fn run_operation<I, O>(
        &mut self,
        waiting: Waiting,
        client: usize,
        op: &'static Op<I, O>,
        input: I,
        once: Option<&str>,
    ) where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let Some(server) = &self.server else { return };
        let told = server.told.clone();
        let done = Box::new(move |reply: OpResult<Reply<O>>| {
            let answer = reply.map(|reply| Answer {
                out: serde_json::to_value(&reply.out).unwrap_or_default(),
                replayed: reply.replayed,
            });
            told.lock().unwrap_or_else(PoisonError::into_inner).push((waiting, answer));
        });
        // Each shows the same secret in every life, so that secrets can be made for it again.
        let caller = Caller { proof: Some([7; 32]), ..Caller::server(&format!("client{client}")) };
        let request = server.kernel.request(caller);
        let request = match once {
            Some(key) => Request { ..request.once(op.name, key, [7; 32]) },
            None => request,
        };
        server.kernel.call(&server.main, op, request, input, done);
    }

    /// Something goes out to a client, and may get lost.
    pub fn tell(&mut self, asker: Asker, news: News) {
        let lost = matches!(news, News::Answer(_)) && self.rng.once_in(self.faults.answer_lost);
        let news = if lost { News::Cut } else { news };
        let delay_us = self.rng.within(100, 50_000);
        self.after(delay_us, Event::Tell(asker, news));
    }

    /// The server's outbound calls and the claims behind them, while it is up.
    pub fn outside(&mut self) -> Option<(SimOutbound, &Claims)> {
        self.server.as_ref().map(|server| (server.outbound.clone(), &server.claims))
    }

    /// What the dispatchers have in memory, for people.
    pub fn backlog(&self) -> String {
        let nodes = self.server.iter().flat_map(|server| &server.nodes);
        let backlog = nodes.map(|node| {
            let busy: Vec<usize> = (0..3).map(|queue| node.dispatcher.busy_in("main", Some(queue))).collect();
            format!("busy {busy:?} calls {} running {:?}", node.dispatcher.calls(), node.dispatcher.running("main"))
        });
        backlog.collect::<Vec<_>>().join("; ")
    }

    /// Calls that dispatchers made get their fate.
    fn collect_task_calls(&mut self) {
        let Some(server) = &self.server else { return };
        let nodes = server.nodes.iter().enumerate();
        let made: Vec<_> =
            nodes.flat_map(|(at, node)| node.outbound.take().into_iter().map(move |made| (at, made))).collect();
        for (node, (call, done)) in made {
            if let Call::Work(work) = call {
                self.work(node, work, done);
                continue;
            }
            let (call, is_mail) = as_http(call);
            self.calls_open += 1;
            if Receivers::is_one(&call.url) {
                self.call_receiver(&call, done);
                continue;
            }
            let fate = self.fate(&call, is_mail);
            self.say(&format!("task calls {}: {:?}", call.url, fate.heard));
            for after_ms in fate.reaches_after_ms {
                self.after(after_ms * 1000, Event::Reach(call.clone()));
            }
            let heard = if is_mail { of_mail(fate.heard) } else { fate.heard };
            self.after(fate.heard_after_ms * 1000, Event::Answered(self.life, done, heard));
        }
    }

    /// A notification goes out to a client of sensors. If the process ends before it arrives, it never does: the connection ends too.
    fn call_receiver(&mut self, call: &HttpCall, done: Box<dyn FnOnce(CallResult) + Send>) {
        let up_ms = self.up_ms();
        let (number, fate) = self.receivers.called(call, &self.faults, &mut self.rng, up_ms);
        self.say(&format!("tells {}: {:?}", String::from_utf8_lossy(&call.body), fate.heard));
        for after_ms in fate.reaches_after_ms {
            self.after(after_ms * 1000, Event::Knock(self.life, number));
        }
        self.after(fate.heard_after_ms * 1000, Event::Replied(self.life, number, done, fate.heard));
    }

    fn fate(&mut self, call: &HttpCall, is_mail: bool) -> Fate {
        let now_us = self.now_us();
        if is_mail || call.url == sirens::WEBHOOK {
            return self.partner.notice(call, &self.faults, &mut self.rng, now_us);
        }
        Fate::draw(call, &self.faults, &mut self.rng)
    }

    /// A dispatcher hears of its call, if it still lives.
    pub fn answered(&mut self, life: u32, done: Box<dyn FnOnce(CallResult) + Send>, result: CallResult) {
        if life == self.life && self.server.is_some() {
            self.calls_open -= 1;
            done(result);
        }
    }

    /// Timers of the nodes go on the agenda; those of a slow node may be very late.
    fn collect_node_timers(&mut self) {
        let Some(server) = &self.server else { return };
        let set = |node: &Node| {
            let timers = std::mem::take(&mut *node.timers.lock().unwrap_or_else(PoisonError::into_inner));
            timers.into_iter().map(move |(ms, then)| (ms, node.late_ms, then)).collect::<Vec<_>>()
        };
        let timers: Vec<_> = server.nodes.iter().flat_map(set).collect();
        let life = self.life;
        for (ms, late_ms, then) in timers {
            let late_ms = if self.rng.once_in(self.faults.wake) { self.rng.below(late_ms) } else { 0 };
            self.after((ms + late_ms) * 1000, Event::Timer(life, then));
        }
    }

    /// After every event: answers go out, timers and the store's work go on the agenda.
    pub fn collect(&mut self) {
        self.collect_task_calls();
        self.collect_node_timers();
        let Some(server) = &mut self.server else { return };
        let told = std::mem::take(&mut *server.told.lock().unwrap_or_else(PoisonError::into_inner));
        let timers = std::mem::take(&mut *server.timers.lock().unwrap_or_else(PoisonError::into_inner));
        let events_hinted = server.hints.events.swap(false, Ordering::Relaxed);
        let topics = std::mem::take(&mut *server.hints.topics.lock().unwrap_or_else(PoisonError::into_inner));
        let call_store = !server.store_called && !server.store.is_idle();
        server.store_called |= call_store;
        let life = self.life;
        for (waiting, answer) in told {
            match waiting {
                Waiting::Client(asker) => self.tell(asker, News::Answer(answer)),
                Waiting::Session(connection, call) => {
                    let result = answer.map(|answer| answer.out);
                    self.after(10, Event::Session(life, connection, SessionEvent::Ended { call, result }));
                }
            }
        }
        for (ms, then) in timers {
            // A timer may be late, never early.
            let late_ms = if self.rng.once_in(self.faults.wake) { self.rng.below(5_000) } else { 0 };
            self.after((ms + late_ms) * 1000, Event::Timer(life, then));
        }
        if events_hinted {
            self.wake_sessions();
        }
        topics.into_iter().for_each(|topic| self.tell_topic(topic));
        if call_store {
            let delay_us = self.rng.within(50, 5_000);
            self.after(delay_us, Event::StoreRuns(life));
        }
    }

    /// The store works off a batch.
    pub fn run_store(&mut self, life: u32) {
        let (faults, batch_max) = (self.faults.clone(), self.batch_max);
        let mut rng = self.rng.fork();
        let Some(server) = self.server.as_mut().filter(|_| life == self.life) else { return };
        server.store_called = false;
        if self.rng.once_in(faults.unreadable) {
            self.unreadable_until_us = self.clock.now_us() + self.rng.within(1_000_000, 60_000_000);
        }
        server.store.run_reads(faults.unreadable == 0 || self.unreadable_until_us <= self.clock.now_us());
        let ran = server.store.run(batch_max, &faults, &mut rng);
        self.commits += u64::from(ran != Ran::Nothing);
        match ran {
            Ran::Crashed => self.crash("in a commit"),
            Ran::Answered(count) => self.say(&format!("store ran {count}")),
            Ran::Nothing => {}
        }
    }

    /// Something arrives or passes, if the server lives the same life as when it was sent.
    pub fn in_life(&mut self, life: u32, then: impl FnOnce(&mut Self)) {
        if life == self.life || self.server.is_none() {
            then(self);
        }
    }

    /// Something happens within the server, if it still lives the same life.
    pub fn in_same_life(&mut self, life: u32, then: impl FnOnce(&mut Self)) {
        if life == self.life && self.server.is_some() {
            then(self);
        }
    }

    /// Runs a timer of the server.
    pub fn run_timer(&mut self, life: u32, then: Box<dyn FnOnce() + Send>) {
        if life == self.life && self.server.is_some() {
            then();
        }
    }

    /// The open sessions, while the server is up.
    pub fn sessions(&mut self) -> Option<&mut Sessions> {
        self.server.as_mut().map(|server| &mut server.sessions)
    }

    /// The kernel and its namespace, while the server is up.
    pub fn kernel(&self) -> Option<(&Kernel, &Arc<Namespace>)> {
        self.server.as_ref().map(|server| (&server.kernel, &server.main))
    }

    /// The kernels of all nodes.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.server.iter().flat_map(|server| server.nodes.iter().map(|node| &node.kernel))
    }

    /// Something that a node does while it waits for the store, as a thread of its own would.
    ///
    /// # Panics
    /// The server is down.
    pub fn working_at_once<T>(&mut self, node: usize, work: impl FnOnce(&Kernel) -> T) -> T {
        self.commits += 1;
        let Some(server) = &self.server else { panic!("nobody is there to do it") };
        server.store.work_at_once(true);
        let done = work(&server.nodes[node].kernel);
        server.store.work_at_once(false);
        done
    }

    /// Whether the server is up and history moves to the archive.
    pub fn archives(&self) -> bool {
        self.server.as_ref().is_some_and(|server| server.archives)
    }

    /// What the server serves.
    pub fn services(&self) -> &[&'static ServiceDef] {
        &self.services
    }

    /// The life of the server that is running, or the last one.
    pub fn life(&self) -> u32 {
        self.life
    }

    /// The server ends without a word. Whoever waits for it hears that the connection broke.
    pub fn crash(&mut self, why: &str) {
        let Some(server) = self.server.take() else { return };
        self.heard = None;
        self.calls_open = 0;
        self.ran_before_ms += base::Clock::ran_ms(&self.clock) - self.started_ms;
        self.receivers.cut_off();
        server.store.crash();
        let life = self.life;
        self.agenda.keep(|event| !matches!(event, Event::Timer(of, _) | Event::StoreRuns(of) if *of == life));
        self.say(&format!("CRASH {why}"));
        let down_us = self.rng.within(1_000, 20_000_000);
        self.after(down_us, Event::Start);
    }

    /// A node of its own on the same store, with limits drawn from the seed.
    fn start_node(&mut self, name: &str, late_ms: u64, store: &Arc<SimStore>) -> StoreResult<Node> {
        let (timers, outbound) = (Set::default(), SimOutbound::default());
        let entropy = Arc::new(SimEntropy::new(self.rng.fork()));
        let env = Env { clock: Arc::new(self.clock.clone()), entropy, timers: Arc::new(SimTimers(timers.clone())) };
        let tasks = TaskConfig { node: name.into(), ..self.tasks.clone() };
        let config = KernelConfig { admin_namespace: "main".into(), tasks, ..KernelConfig::default() };
        let stores = vec![("main".to_owned(), store.clone() as Arc<dyn Store>)];
        let kernel = Kernel::open(env, config, &self.services, stores)?;
        let dispatcher = Dispatcher::start(&kernel, Arc::new(outbound.clone()));
        Ok(Node { kernel, dispatcher, outbound, timers, late_ms })
    }

    /// The server starts, on what is there.
    pub fn start(&mut self) -> StoreResult<()> {
        self.life += 1;
        self.commits += 1;
        let store = Arc::new(SimStore::open(&self.path, self.clock.clone(), self.queue_max, self.engine)?);
        let (told, timers) = (Told::default(), Set::default());
        let entropy = Arc::new(SimEntropy::new(self.rng.fork()));
        let env = Env { clock: Arc::new(self.clock.clone()), entropy, timers: Arc::new(SimTimers(timers.clone())) };
        let watch = sirens::watch_config(self.life);
        let config = KernelConfig {
            admin_namespace: "main".into(),
            watch,
            event_kept_ms: self.event_kept_ms,
            ..KernelConfig::default()
        };
        let stores = vec![("main".to_owned(), store.clone() as Arc<dyn Store>)];
        let kernel = Kernel::open(env, config, &self.services, stores)?;
        let nodes = [("one", 5_000), ("two", 90_000)];
        let nodes = nodes.into_iter().map(|(name, late_ms)| self.start_node(name, late_ms, &store));
        let nodes = nodes.collect::<StoreResult<Vec<Node>>>()?;
        let main = kernel.admin_namespace();
        kernel.watch_over();
        let hints = Hints::listen(&main);
        let sequencer = Sequencer::start(&kernel);
        // Where one node alone works on the data, its memory knows who spoke; others may look only where memory is not believed.
        let others =
            nodes.iter().filter(|_| self.engine == Engine::Postgres).map(|node| SilenceWatch::start(&node.kernel));
        let silence = others.chain([SilenceWatch::start(&kernel)]).collect();
        // Somebody may have started it without its archive.
        let archive = self.archive.clone().filter(|_| !self.rng.once_in(self.faults.outage));
        let kernels: Vec<&Kernel> = nodes.iter().map(|node| &node.kernel).chain([&kernel]).collect();
        for (kernel, archive) in kernels.iter().flat_map(|kernel| archive.iter().map(move |archive| (kernel, archive)))
        {
            kernel.common::<Archives>().set(archive.clone());
        }
        self.equip_office(&kernels);
        let watchers = nodes.iter().filter(|_| self.office.is_some());
        let exchange = watchers.map(|node| exchange::Watch::start(&node.kernel)).collect();
        let workflow = self.watch_workflow(&kernels);
        let folders = self.watch_folders(&kernels);
        let exporters = kernels.into_iter().map(Exporter::start).collect();
        self.started_ms = base::Clock::ran_ms(&self.clock);
        self.server = Some(Server {
            kernel,
            main,
            store,
            told,
            timers,
            sessions: Sessions::default(),
            outbound: SimOutbound::default(),
            claims: Claims::default(),
            nodes,
            _sequencer: sequencer,
            _silence: silence,
            _exporters: exporters,
            _exchange: exchange,
            _workflow: workflow,
            _folders: folders,
            archives: archive.is_some(),
            hints,
            store_called: false,
        });
        self.say(&format!("START life {}", self.life));
        self.after(10_000_000, Event::Housekeeping(self.life));
        self.after(1_000_000, Event::Deliver(self.life));
        self.recover_office();
        Ok(())
    }
}
