//! The simulated world: one thread, one line of time, one seed.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use base::{CallResult, HttpCall, OpResult, Store, StoreResult, Timers, Tx};
use kernel::{Caller, Env, Kernel, KernelConfig, Namespace, Op, Reply, Request, ServiceDef, SessionEvent};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::agenda::Agenda;
use crate::clock::SimClock;
use crate::courier::Claim;
use crate::deliveries::Claims;
use crate::faults::Faults;
use crate::partner::{Partner, SimOutbound};
use crate::rng::{Rng, SimEntropy};
use crate::sessions::Sessions;
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
    store_called: bool,
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
    /// Calls of this life whose end the server has not heard of.
    pub calls_open: u64,
    agenda: Agenda<Event>,
    path: PathBuf,
    services: Vec<&'static ServiceDef>,
    queue_max: usize,
    batch_max: usize,
    /// Which life of the server this is.
    life: u32,
    server: Option<Server>,
    commits_looked_at: u64,
    commits: u64,
    /// Listening time of the store and running time of the process at the last look, in one life.
    heard: Option<(i64, u64)>,
}

impl Sim {
    /// A world with the server down, in `path`.
    pub fn new(seed: u64, path: PathBuf, services: Vec<&'static ServiceDef>, print: bool) -> Self {
        let mut rng = Rng::new(seed);
        let faults = Faults::draw(&mut rng);
        // Tiny limits find what large ones hide.
        let queue_max = if rng.once_in(4) { 2 } else { 1_000 };
        let batch_max = *rng.pick(&[1, 2, 5, 50]);
        let mut trace = Trace::new(print);
        trace.line(0, &format!("{faults:?}, queue {queue_max}, batch {batch_max}"));
        let mut sim = Self {
            rng,
            clock: SimClock::default(),
            faults,
            trace,
            partner: Partner::default(),
            calls_open: 0,
            agenda: Agenda::new(),
            path,
            services,
            queue_max,
            batch_max,
            life: 0,
            server: None,
            commits_looked_at: 0,
            commits: 1,
            heard: None,
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

    /// Listening time goes on as long as the process ran, neither more nor less, whatever the calendar does (KER-5).
    ///
    /// # Errors
    /// It does not.
    pub fn check_heard(&mut self) -> Result<(), String> {
        let ran_ms = base::Clock::ran_ms(&self.clock);
        let Some(heard_ms) = self.server.as_ref().and_then(|server| server.store.heard_ms()) else { return Ok(()) };
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

    /// The request is here.
    fn call<I, O>(&mut self, asker: Asker, op: &'static Op<I, O>, input: I, once: Option<&str>)
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

    /// A session calls an operation by its name; its own number of the call is the key, so that a repeat is one.
    ///
    /// # Panics
    /// There is no such operation: a bug of the session.
    pub fn call_by_name(&mut self, asker: Asker, call: u64, op: &str, input: Value) {
        let Some(server) = &self.server else { return };
        let Some(operation) = server.kernel.operation(op) else { panic!("a session called {op}, which is not there") };
        let (told, waiting) = (server.told.clone(), Waiting::Session(asker.token, call));
        let done = Box::new(move |reply: OpResult<Reply<Value>>| {
            let answer = reply.map(|reply| Answer { out: reply.out, replayed: reply.replayed });
            told.lock().unwrap_or_else(PoisonError::into_inner).push((waiting, answer));
        });
        let request = server.kernel.request(Caller::server(&format!("client{}", asker.client)));
        let request = request.once(op, &format!("call {call}"), [7; 32]);
        operation.call_json(&server.kernel, &server.main, request, input, done);
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

    /// After every event: answers go out, timers and the store's work go on the agenda.
    pub fn collect(&mut self) {
        let Some(server) = &mut self.server else { return };
        let told = std::mem::take(&mut *server.told.lock().unwrap_or_else(PoisonError::into_inner));
        let timers = std::mem::take(&mut *server.timers.lock().unwrap_or_else(PoisonError::into_inner));
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
        server.store.run_reads();
        let ran = server.store.run(batch_max, &faults, &mut rng);
        self.commits += 1;
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

    /// The life of the server that is running, or the last one.
    pub fn life(&self) -> u32 {
        self.life
    }

    /// The server ends without a word. Whoever waits for it hears that the connection broke.
    pub fn crash(&mut self, why: &str) {
        let Some(server) = self.server.take() else { return };
        self.heard = None;
        self.calls_open = 0;
        server.store.crash();
        let life = self.life;
        self.agenda.keep(|event| !matches!(event, Event::Timer(of, _) | Event::StoreRuns(of) if *of == life));
        self.say(&format!("CRASH {why}"));
        let down_us = self.rng.within(1_000, 20_000_000);
        self.after(down_us, Event::Start);
    }

    /// The server starts, on what is there.
    pub fn start(&mut self) -> StoreResult<()> {
        self.life += 1;
        self.commits += 1;
        let store = Arc::new(SimStore::open(&self.path, self.clock.clone(), self.queue_max)?);
        let (told, timers) = (Told::default(), Set::default());
        let entropy = Arc::new(SimEntropy::new(self.rng.fork()));
        let env = Env { clock: Arc::new(self.clock.clone()), entropy, timers: Arc::new(SimTimers(timers.clone())) };
        let config = KernelConfig { admin_namespace: "main".into(), ..KernelConfig::default() };
        let stores = vec![("main".to_owned(), store.clone() as Arc<dyn Store>)];
        let kernel = Kernel::open(env, config, &self.services, stores)?;
        let main = kernel.admin_namespace();
        self.server = Some(Server {
            kernel,
            main,
            store,
            told,
            timers,
            sessions: Sessions::default(),
            outbound: SimOutbound::default(),
            claims: Claims::default(),
            store_called: false,
        });
        self.say(&format!("START life {}", self.life));
        self.after(10_000_000, Event::Housekeeping(self.life));
        self.after(1_000_000, Event::Deliver(self.life));
        Ok(())
    }
}
