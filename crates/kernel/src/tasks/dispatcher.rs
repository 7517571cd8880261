//! The dispatcher of a node: claims tasks of every namespace and runs them (KER-16, KER-18, KER-23).
//!
//! It has no threads: it is moved by wake-ups after commits, by timers and by the answers of the store and of the outside. What
//! it keeps in memory may be lost at any moment; the rows say everything that matters.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::{Call, CallResult, Engine, Health, Id, OpResult, Outbound, Ran, Urgency, Wall, codes};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::calls::{Calls, Entered, LINE_MS, Place, Seat};
use super::claim::{CLAIM, Claim, Claimed, Named, fit};
use super::config::TaskConfig;
use super::desk::Desk;
use super::displaced::{CALENDAR_SLACK_MS, DISPLACED, PULL_BACK, PULL_MAX, Pulled};
use super::fail::{FAIL, Fail, Failed};
use super::kind::Minutes;
use super::lose::{LOSE, LOSE_MAX, Lose, OVERDUE, OWNED, Which};
use super::node::{BEAT, JOIN, LEAVE, Node, OVER};
use super::post::{Post, Turn};
use super::queues::NEXT_DUE;
use super::release::{RELEASE, Release};
use super::row::Task;
use super::run::{RUN, RUN_ENDING, Run, Went};
use super::standing::{ENSURE, Standing};
use crate::call::{Done, Reply};
use crate::kernel::{Kernel, Namespace};
use crate::op::Op;
use crate::request::Caller;
use crate::wake::Hint;

/// Pause before a claim that failed is tried again.
const CLAIM_AGAIN_MS: u64 = 1_000;
/// A call is made so long after its cycle began, and no later: whoever plans one may rely on when it is over.
const PLAN_HOLDS_US: u64 = 10_000_000;
/// Rounds in a lease: often enough that the end of a node is seen within seconds.
const ROUNDS_PER_LEASE: i64 = 10;
/// A node says in every third round that it is alive.
const BEAT_EVERY: u64 = 3;

/// Rounds in which a calendar that went back is minded: an operation that read it before may be committed after the first look.
const PULLS: u32 = 5;

struct Inner {
    kernel: Kernel,
    outbound: Arc<dyn Outbound>,
    config: Arc<TaskConfig>,
    minutes: Minutes,
    /// Kinds of tasks that run when the disk is full.
    ending: Vec<&'static str>,
    /// This life of the node.
    node: String,
    stopping: AtomicBool,
    posts: Mutex<BTreeMap<String, Arc<Post>>>,
    calls: Mutex<Calls<Wish>>,
}

/// A call that somebody wants to make.
struct Wish {
    post: Arc<Post>,
    task: Task,
    call: Call,
    /// When the cycle that planned it began.
    begun_us: u64,
}

/// The dispatcher; cheap to clone.
#[derive(Clone)]
pub struct Dispatcher(Arc<Inner>);

impl Dispatcher {
    /// Starts to run the tasks of all namespaces; those that come later are found by themselves.
    #[must_use]
    pub fn start(kernel: &Kernel, outbound: Arc<dyn Outbound>) -> Self {
        let config = kernel.task_config().clone();
        let inner = Inner {
            node: kernel.request(Caller::server("tasks")).id.to_string(),
            minutes: Minutes::all(kernel),
            ending: kernel.ending_tasks(),
            calls: Mutex::new(Calls::new(config.calls_max, config.calls_per_target_max)),
            kernel: kernel.clone(),
            outbound,
            config,
            stopping: AtomicBool::new(false),
            posts: Mutex::default(),
        };
        let dispatcher = Self(Arc::new(inner));
        dispatcher.look_for_namespaces();
        dispatcher
    }

    /// Claims nothing more. What runs goes on; [`Dispatcher::busy`] tells how much that is.
    pub fn stop(&self) {
        self.0.stopping.store(true, Ordering::Relaxed);
    }

    /// Tasks that occupy workers in all namespaces.
    #[must_use]
    pub fn busy(&self) -> usize {
        self.posts().values().map(|post| post.state().desks.iter().map(Desk::busy).sum::<usize>()).sum()
    }

    /// Tasks that are under way in all namespaces, those that call outside included.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.posts().values().map(|post| post.state().running.len()).sum()
    }

    /// Tasks that occupy workers of a queue (of all queues for `None`) of a namespace, on this node.
    #[must_use]
    pub fn busy_in(&self, namespace: &str, queue: Option<i64>) -> usize {
        let wanted = |at: usize| queue.is_none_or(|queue| usize::try_from(queue) == Ok(at));
        let post = self.posts().get(namespace).cloned();
        post.map_or(0, |post| {
            let state = post.state();
            let desks = state.desks.iter().enumerate().filter(|(at, _)| wanted(*at));
            desks.map(|(_, desk)| desk.busy()).sum()
        })
    }

    /// The backlog in memory: tasks that run on this node, those that call outside included.
    #[must_use]
    pub fn running(&self, namespace: &str) -> Vec<(Id, i64)> {
        let post = self.posts().get(namespace).cloned();
        post.map_or_else(Vec::new, |post| post.state().running.iter().map(|(id, turn)| (*id, turn.attempt)).collect())
    }

    /// The name of this node, the same after a restart.
    #[must_use]
    pub fn node_name(&self) -> &str {
        &self.0.config.node
    }

    /// Outside calls under way on this node.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.room().count()
    }

    /// Begins a task of this kind now, before its time, if it waits for its first run and a worker is free soon; else it begins by
    /// itself at its time. To be told of tasks that are wished a little later than now, so that any node that is told of them
    /// can begin them.
    pub fn begin(&self, namespace: &str, op: &'static str, id: Id) {
        let Some(post) = self.posts().get(namespace).cloned() else { return };
        let queue = self.0.config.queue_of(op);
        let count = post.with_desk(queue, |desk| desk.name(Named { op, id })).flatten();
        self.claim(&post, queue, count);
    }

    /// Tells other nodes that ours is over, so that they need not wait for the end of its lease.
    pub fn leave(&self, done: impl Fn() + Send + Sync + 'static) {
        let done = Arc::new(done);
        for post in self.posts().values() {
            let done = done.clone();
            self.call(&post.ns, &LEAVE, self.0.node.clone(), Box::new(move |_| done()));
        }
    }

    fn posts(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Post>>> {
        self.0.posts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopping(&self) -> bool {
        self.0.stopping.load(Ordering::Relaxed)
    }

    fn call<I, O>(&self, ns: &Namespace, op: &'static Op<I, O>, input: I, done: Done<O>)
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        self.0.kernel.call(ns, op, self.0.kernel.request(Caller::server("tasks")), input, done);
    }

    fn after(&self, ms: u64, then: impl FnOnce(&Self) + Send + 'static) {
        let dispatcher = self.clone();
        self.0.kernel.env().timers.after(ms, Box::new(move || then(&dispatcher)));
    }

    fn now(&self) -> Wall {
        self.0.kernel.env().clock.wall()
    }

    fn ran(&self) -> Ran {
        Ran(self.0.kernel.env().clock.ran_ms())
    }

    fn round_ms(&self) -> u64 {
        u64::try_from(self.0.config.lease_ms / ROUNDS_PER_LEASE).unwrap_or(1).max(1)
    }

    // ---- namespaces -------------------------------------------------------------------------------------------------

    /// Takes up namespaces that came and drops those that went, now and then.
    fn look_for_namespaces(&self) {
        if self.is_stopping() {
            return;
        }
        let there = self.0.kernel.namespaces();
        let is_there = |post: &Post| there.iter().any(|ns| Arc::ptr_eq(ns, &post.ns));
        self.posts().retain(|_, post| is_there(post));
        for ns in &there {
            if !self.posts().contains_key(&ns.name) {
                self.take_up(ns);
            }
        }
        self.after(self.round_ms(), Self::look_for_namespaces);
    }

    fn take_up(&self, ns: &Arc<Namespace>) {
        let post = Arc::new(Post::new(ns.clone(), &self.0.config.workers));
        self.posts().insert(ns.name.clone(), post.clone());
        let (weak, heard_at) = (Arc::downgrade(&self.0), Arc::downgrade(&post));
        ns.wakes.listen(move |hint| {
            if let (Some(inner), Some(post)) = (weak.upgrade(), heard_at.upgrade()) {
                Self(inner).heard(&post, hint);
            }
        });
        self.join(&post);
    }

    /// Nothing is claimed before the store knows of this node.
    fn join(&self, post: &Arc<Post>) {
        // Its namespace may have got another store meanwhile, with a post of its own.
        if self.is_dropped(post) {
            return;
        }
        let (dispatcher, joined) = (self.clone(), post.clone());
        let done = Box::new(move |reply: OpResult<Reply<()>>| match reply {
            Ok(_) => dispatcher.joined(&joined),
            Err(error) => {
                tracing::warn!(namespace = %joined.ns.name, %error, "tasks wait for the store");
                dispatcher.after(CLAIM_AGAIN_MS, move |dispatcher| dispatcher.join(&joined));
            }
        });
        self.call(&post.ns, &JOIN, self.node(), done);
    }

    fn node(&self) -> Node {
        let TaskConfig { node, lease_ms, .. } = &*self.0.config;
        Node { id: self.0.node.clone(), name: node.clone(), lease_ms: *lease_ms }
    }

    fn joined(&self, post: &Arc<Post>) {
        self.call(&post.ns, &ENSURE, self.standing(post), Box::new(|_| {}));
        // The calendar may have been put right while nobody looked.
        self.pull_back(post);
        self.round(post);
    }

    /// The standing tasks of all services, and those that an operator asks for.
    fn standing(&self, post: &Post) -> Vec<Standing> {
        let administers = post.ns.name == self.0.kernel.config().admin_namespace;
        let defs = self.0.kernel.services().iter().flat_map(|service| service.tasks);
        let standing = |def: &crate::service::TaskDef| {
            // A cron text of the program that cannot be read is a bug that a test finds.
            let own = def.standing.and_then(|cron| cron.parse().ok());
            let asked_for = self.0.config.scheduled.get(def.op).cloned().filter(|_| administers);
            Standing { op: def.op, queue: self.0.config.queue_of(def.op), cron: own.or(asked_for) }
        };
        defs.map(standing).collect()
    }

    fn is_dropped(&self, post: &Arc<Post>) -> bool {
        !self.posts().get(&post.ns.name).is_some_and(|known| Arc::ptr_eq(known, post))
    }

    /// Whether what the store did not take is said again.
    fn goes_on(&self, post: &Arc<Post>) -> bool {
        !self.is_stopping() && !self.is_dropped(post)
    }

    // ---- rounds: what is found without being told -------------------------------------------------------------------

    fn round(&self, post: &Arc<Post>) {
        if !self.goes_on(post) {
            return;
        }
        let round = {
            let mut state = post.state();
            state.rounds += 1;
            state.rounds
        };
        if self.calendar_jumped(post) {
            post.state().pulls = PULLS;
        }
        let pulls = post.state().pulls;
        if pulls > 0 {
            post.state().pulls = pulls - 1;
            self.pull_back(post);
        }
        if round % BEAT_EVERY == 0 {
            self.call(&post.ns, &BEAT, self.node(), Box::new(|_| {}));
        }
        self.look_for_lost(post);
        let rounds_per_scan = (self.0.config.scan_ms / self.round_ms()).max(1);
        let open_again = post.ns.works() && std::mem::take(&mut post.state().shut);
        if round == 1 || round % rounds_per_scan == 0 || open_again {
            (0..self.0.config.workers.len()).for_each(|queue| self.wake(post, i64::try_from(queue).unwrap_or(0)));
        }
        let next = post.clone();
        // Nodes and namespaces that started together must not ask together for ever.
        let jitter_ms = self.0.kernel.env().entropy.below(self.round_ms() / 4);
        self.after(self.round_ms() - jitter_ms, move |dispatcher| dispatcher.round(&next));
    }

    /// Whether the calendar shows something else than it should, given how long we ran since the last round. One that shows more may
    /// have shown still more meanwhile, and went back from there.
    fn calendar_jumped(&self, post: &Arc<Post>) -> bool {
        let (wall, ran_ms) = (self.now(), self.0.kernel.env().clock.ran_ms());
        let before = post.state().calendar.replace((wall, ran_ms));
        let ran = |since: u64| i64::try_from(ran_ms.saturating_sub(since)).unwrap_or(i64::MAX);
        let off = |then: Wall, since: u64| wall.0.saturating_sub(then.0).saturating_sub(ran(since)).saturating_abs();
        before.is_some_and(|(then, since)| off(then, since) > CALENDAR_SLACK_MS)
    }

    /// Pulls back what a calendar that ran ahead put too far ahead.
    fn pull_back(&self, post: &Arc<Post>) {
        let (dispatcher, at) = (self.clone(), post.clone());
        let displaced = move |ids: OpResult<Vec<Id>>| {
            let (again, next) = (dispatcher.clone(), at.clone());
            let again = move || again.after(CLAIM_AGAIN_MS, move |dispatcher| dispatcher.pull_back(&next));
            let Ok(ids) = ids else { return again() };
            if ids.is_empty() {
                return;
            }
            let more = ids.len() == PULL_MAX as usize;
            let namespace = at.ns.name.clone();
            let done = Box::new(move |reply: OpResult<Reply<Pulled>>| {
                // By the calendar of the operation: the one by which they were found is older, and may be much older on a busy machine.
                let count = reply.as_ref().map_or(0, |reply| reply.out.count);
                if count > 0 {
                    tracing::warn!(%namespace, count, "tasks lay too far ahead: the calendar was wrong");
                }
                if reply.is_err() || more {
                    again();
                }
            });
            dispatcher.call(&at.ns, &PULL_BACK, ids, done);
        };
        self.0.kernel.read(&post.ns, &DISPLACED, self.now(), Box::new(displaced));
    }

    fn look_for_lost(&self, post: &Arc<Post>) {
        let (dispatcher, at) = (self.clone(), post.clone());
        let over = move |nodes: OpResult<Vec<String>>| {
            nodes.into_iter().flatten().for_each(|node| dispatcher.over(&at, node));
        };
        self.0.kernel.read(&post.ns, &OVER, (), Box::new(over));
        let (dispatcher, at) = (self.clone(), post.clone());
        let overdue = move |ids: OpResult<Vec<Id>>| {
            ids.into_iter().flatten().for_each(|id| dispatcher.lose(&at, Which::Overdue(id)));
        };
        self.0.kernel.read(&post.ns, &OVERDUE, (), Box::new(overdue));
        let (dispatcher, at) = (self.clone(), post.clone());
        let owned = move |owned: OpResult<Vec<(Id, i64)>>| {
            let forgotten = owned.map(|owned| at.state().forgotten(&owned)).unwrap_or_default();
            forgotten.into_iter().for_each(|(id, attempt)| dispatcher.lose(&at, Which::Forgotten(id, attempt)));
        };
        self.0.kernel.read(&post.ns, &OWNED, self.0.node.clone(), Box::new(owned));
    }

    /// A lease is over. One of ours is so when the store was away for longer than it: we live and our work goes on, so it is renewed.
    fn over(&self, post: &Arc<Post>, node: String) {
        match node == self.0.node {
            // Others would wait in vain for one that has said that it leaves.
            true if self.is_stopping() => {}
            true => self.call(&post.ns, &BEAT, self.node(), Box::new(|_| {})),
            false => self.lose(post, Which::OfNode(node)),
        }
    }

    fn lose(&self, post: &Arc<Post>, which: Which) {
        let (dispatcher, at, again) = (self.clone(), post.clone(), which.clone());
        let done = Box::new(move |reply: OpResult<Reply<super::lose::Lost>>| {
            if let Ok(reply) = reply
                && reply.out.count > 0
            {
                tracing::warn!(namespace = %at.ns.name, count = reply.out.count, which = ?again, "tasks were lost");
                if reply.out.count == LOSE_MAX {
                    dispatcher.lose(&at, again);
                }
            }
        });
        self.call(&post.ns, &LOSE, Lose { which, minutes: self.0.minutes.clone() }, done);
    }

    // ---- claiming ---------------------------------------------------------------------------------------------------

    fn heard(&self, post: &Arc<Post>, hint: Hint) {
        let Hint::Tasks { queue, start_at } = hint else { return };
        if queue == super::queues::ALL {
            return (0..self.0.config.workers.len())
                .for_each(|queue| self.wake(post, i64::try_from(queue).unwrap_or(0)));
        }
        if start_at <= self.now() { self.wake(post, queue) } else { self.wake_at(post, queue, start_at) }
    }

    fn wake(&self, post: &Arc<Post>, queue: i64) {
        let count = post.with_desk(queue, Desk::wake).flatten();
        self.claim(post, queue, count);
    }

    /// Wakes a desk at a later moment, if the scan would not come before.
    fn wake_at(&self, post: &Arc<Post>, queue: i64, at: Wall) {
        let wait_ms = u64::try_from(at.0 - self.now().0).unwrap_or(0);
        let needed = wait_ms <= self.0.config.scan_ms && post.with_desk(queue, |desk| desk.set_timer(at)) == Some(true);
        if needed {
            let post = post.clone();
            self.after(wait_ms, move |dispatcher| {
                let count = post.with_desk(queue, |desk| desk.timer(at)).flatten();
                dispatcher.claim(&post, queue, count);
            });
        }
    }

    fn claim(&self, post: &Arc<Post>, queue: i64, count: Option<usize>) {
        let Some(count) = count.map(fit) else { return };
        // Of a namespace that is gone nothing is begun, nor asked for again.
        if !self.goes_on(post) {
            return;
        }
        // Closed or read-only: nothing is begun until a round finds it open again.
        if !post.ns.works() {
            post.with_desk(queue, Desk::failed);
            post.state().shut = true;
            return;
        }
        let input = self.claim_of(post, queue, count);
        let (dispatcher, at, named) = (self.clone(), post.clone(), input.named.clone());
        let done = Box::new(move |reply: OpResult<Reply<Claimed>>| match reply {
            Ok(reply) => dispatcher.claimed(&at, queue, count, reply.out.tasks),
            Err(error) => {
                at.with_desk(queue, |desk| desk.name_again(named));
                dispatcher.not_claimed(&at, queue, &error);
            }
        });
        self.call(&post.ns, &CLAIM, input, done);
    }

    /// While the store takes no new work, only what ends work or frees room is claimed (KER-31).
    fn claim_of(&self, post: &Post, queue: i64, count: usize) -> Claim {
        let (owner, lost_ms) = (self.0.node.clone(), self.0.config.lost_ms);
        let only = (post.ns.store.health() != Health::Good).then(|| self.0.ending.clone());
        let named = post.with_desk(queue, |desk| desk.take_named(count)).unwrap_or_default();
        Claim { queue, count: u32::try_from(count).unwrap_or(u32::MAX), owner, lost_ms, only, named }
    }

    fn not_claimed(&self, post: &Arc<Post>, queue: i64, error: &base::OpError) {
        tracing::warn!(namespace = %post.ns.name, queue, %error, "no tasks could be claimed");
        post.with_desk(queue, Desk::failed);
        let post = post.clone();
        self.after(CLAIM_AGAIN_MS, move |dispatcher| dispatcher.wake(&post, queue));
    }

    fn claimed(&self, post: &Arc<Post>, queue: i64, asked: usize, tasks: Vec<Task>) {
        let now = self.ran();
        post.state().running.extend(tasks.iter().map(|task| (task.id, Turn::new(task.attempt, now))));
        let more = post.with_desk(queue, |desk| desk.claimed(asked, tasks.len())).flatten();
        if tasks.len() < asked {
            self.look_for_next(post, queue);
        }
        tasks.into_iter().for_each(|task| self.run(post, task, None, true));
        self.claim(post, queue, more);
    }

    /// The queue is empty for now: when is the next one due? One that is due already is locked by another node, which may stand
    /// still or end before it has claimed it: then nobody would tell of it.
    fn look_for_next(&self, post: &Arc<Post>, queue: i64) {
        let (dispatcher, at) = (self.clone(), post.clone());
        let next = move |next: OpResult<Option<Wall>>| {
            let soonest = dispatcher.now().plus_ms(CLAIM_AGAIN_MS.cast_signed());
            match next {
                Ok(None) => {}
                Ok(Some(start_at)) if start_at > dispatcher.now() => dispatcher.wake_at(&at, queue, start_at),
                // A store that cannot say is asked again.
                Ok(Some(_)) | Err(_) => dispatcher.wake_at(&at, queue, soonest),
            }
        };
        self.0.kernel.read(&post.ns, &NEXT_DUE, queue, Box::new(next));
    }

    // ---- running ----------------------------------------------------------------------------------------------------

    /// Runs a cycle, or settles a call. A settling one occupies no worker: calls have their own bound.
    fn run(&self, post: &Arc<Post>, task: Task, called: Option<CallResult>, holds_worker: bool) {
        let kind = self.0.kernel.task_kind(&task.op, task.target.as_deref());
        // Only where its commit claims, too: what the desk gives to a claim that is never made is forgotten.
        let claims_itself = post.ns.store.engine() == Engine::Sqlite;
        let may_begin = holds_worker && claims_itself && !self.is_stopping() && post.ns.works();
        let goes_on = may_begin && post.with_desk(task.queue, |desk| desk.wants()) == Some(true);
        let then = goes_on.then(|| self.claim_of(post, task.queue, 1));
        let named = then.as_ref().map(|claim| claim.named.clone()).unwrap_or_default();
        let op = match kind.urgency(called.is_some()) {
            Urgency::Normal => &RUN,
            Urgency::Ending => &RUN_ENDING,
        };
        let goes_on = post.state().begin_cycle(task.id, self.ran());
        let (dispatcher, at, run, begun_us) = (self.clone(), post.clone(), task.clone(), self.monotonic_us());
        let done = Box::new(move |reply: OpResult<Reply<Went>>| {
            if reply.as_ref().map_or(true, |reply| matches!(reply.out, Went::Goes(_))) {
                at.with_desk(run.queue, |desk| desk.name_again(named));
            }
            dispatcher.went(&at, run, (holds_worker, begun_us), reply);
        });
        self.call(&post.ns, op, Run { task, kind, called, lost_ms: self.0.config.lost_ms, goes_on, then }, done);
    }

    fn went(&self, post: &Arc<Post>, task: Task, (holds_worker, begun_us): (bool, u64), reply: OpResult<Reply<Went>>) {
        match reply.map(|reply| reply.out) {
            Ok(Went::Ended(None)) => self.ended(post, &task, holds_worker, "ended"),
            Ok(Went::Ended(Some(next))) => {
                // The worker is not free for a moment: it goes on with what it was given.
                self.ended(post, &task, false, "ended");
                self.go_on_with(post, *next, holds_worker);
            }
            Ok(Went::Goes(checkpoint)) => {
                self.run(post, Task { checkpoint: Some(checkpoint), ..task }, None, holds_worker);
            }
            Ok(Went::Calls(Some(call), next)) => {
                let queue = task.queue;
                self.call_outside(post, task, *call, begun_us);
                match next {
                    Some(next) => self.go_on_with(post, *next, holds_worker),
                    None if holds_worker => self.free_worker(post, queue),
                    None => {}
                }
            }
            // Never: what calls outside is not replayed.
            Ok(Went::Calls(None, _)) => self.ended(post, &task, holds_worker, "forgotten"),
            Err(error) if error.code == codes::AATTEMPT => self.late(post, &task, holds_worker),
            Err(error) => self.failed(post, task, holds_worker, error),
        }
    }

    /// Another attempt has begun, says the store. It may have been blind to the claim of this one: then the row still says that it is ours,
    /// and it goes back at once instead of in a later round.
    fn late(&self, post: &Arc<Post>, task: &Task, holds_worker: bool) {
        self.ended(post, task, holds_worker, "late");
        self.lose(post, Which::Forgotten(task.id, task.attempt));
    }

    /// A worker runs what it was given by the commit that freed it.
    fn go_on_with(&self, post: &Arc<Post>, next: Task, holds_worker: bool) {
        post.state().running.insert(next.id, Turn::new(next.attempt, self.ran()));
        self.run(post, next, None, holds_worker);
    }

    fn failed(&self, post: &Arc<Post>, task: Task, holds_worker: bool, error: base::OpError) {
        tracing::info!(namespace = %post.ns.name, task = %task.id, op = task.op, attempt = task.attempt, %error, "task failed");
        let minutes = self.0.kernel.task_kind(&task.op, task.target.as_deref()).minutes();
        self.take_in_failure(post, Fail { task, error, minutes }, holds_worker);
    }

    /// Until the store takes it: a run that it undid must not count as lost, and who is not heard of by then is.
    fn take_in_failure(&self, post: &Arc<Post>, input: Fail, holds_worker: bool) {
        let (dispatcher, at, again) = (self.clone(), post.clone(), input.clone());
        let done = Box::new(move |reply: OpResult<Reply<Failed>>| match reply {
            Err(error) if error.code.passes() && dispatcher.goes_on(&at) => {
                dispatcher
                    .after(CLAIM_AGAIN_MS, move |dispatcher| dispatcher.take_in_failure(&at, again, holds_worker));
            }
            // If this fails too, the row still says that the task is ours, and the next rounds find that we do not know of it.
            _ => dispatcher.ended(&at, &again.task, holds_worker, "failed"),
        });
        self.call(&post.ns, &FAIL, input, done);
    }

    fn ended(&self, post: &Arc<Post>, task: &Task, holds_worker: bool, how: &'static str) {
        metrics::counter!("fastness_task_runs_total", "result" => how).increment(1);
        post.state().end(task.id, task.attempt);
        if holds_worker {
            self.free_worker(post, task.queue);
        }
    }

    fn free_worker(&self, post: &Arc<Post>, queue: i64) {
        let more = post.with_desk(queue, Desk::freed).flatten();
        self.claim(post, queue, more);
    }

    fn call_outside(&self, post: &Arc<Post>, task: Task, mut call: Call, begun_us: u64) {
        if let Call::Work(work) = &mut call {
            work.namespace.clone_from(&post.ns.name);
        }
        let place = Place::of(&call);
        let entered = self.room().enter(&place, Wish { post: post.clone(), task, call, begun_us }, self.ran().0);
        match entered {
            Entered::Goes(wish, seat) => self.perform(seat, wish),
            Entered::Away(wish, pause_ms) => self.release(&wish.post, &wish.task, pause_ms),
            Entered::Waits(number) => self.after(LINE_MS, move |dispatcher| {
                let withdrawn = dispatcher.room().withdraw(&place, number, dispatcher.ran().0);
                if let Some((wish, pause_ms)) = withdrawn {
                    dispatcher.release(&wish.post, &wish.task, pause_ms);
                }
            }),
        }
    }

    fn monotonic_us(&self) -> u64 {
        self.0.kernel.env().clock.monotonic_us()
    }

    fn room(&self) -> MutexGuard<'_, Calls<Wish>> {
        // Every step leaves it whole.
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn perform(&self, seat: Seat, Wish { post, task, call, begun_us }: Wish) {
        if self.monotonic_us().saturating_sub(begun_us) > PLAN_HOLDS_US {
            // We stood still, and others may have gone on with it.
            let next = self.room().leave(seat, self.ran().0, false);
            self.release(&post, &task, CLAIM_AGAIN_MS);
            return next.into_iter().for_each(|(wish, seat)| self.perform(seat, wish));
        }
        let (dispatcher, is_near) = (self.clone(), post.ns.home.temporary);
        let done = Box::new(move |called: CallResult| {
            let answered = !matches!(called, CallResult::NotMade(_) | CallResult::Unknown(_));
            let next = dispatcher.room().leave(seat, dispatcher.ran().0, answered);
            dispatcher.run(&post, task, Some(called), false);
            next.into_iter().for_each(|(wish, seat)| dispatcher.perform(seat, wish));
        });
        match is_near {
            true => self.0.outbound.perform_near(call, done),
            false => self.0.outbound.perform(call, done),
        }
    }

    /// There is no room for its call: it comes back later, at no fault of its own.
    fn release(&self, post: &Arc<Post>, task: &Task, pause_ms: u64) {
        let pause_ms = pause_ms + self.0.kernel.env().entropy.below(pause_ms / 4);
        let kind = self.0.kernel.task_kind(&task.op, task.target.as_deref());
        let pause_ms = i64::try_from(pause_ms).unwrap_or(i64::MAX);
        self.give_back(post, Release { task: task.clone(), kind, pause_ms });
    }

    /// Until the store takes it: what its plan wrote about a call under way stands until then.
    fn give_back(&self, post: &Arc<Post>, input: Release) {
        let (dispatcher, at, again) = (self.clone(), post.clone(), input.clone());
        let done = Box::new(move |reply: OpResult<Reply<()>>| match reply {
            Err(error) if error.code.passes() && dispatcher.goes_on(&at) => {
                dispatcher.after(CLAIM_AGAIN_MS, move |dispatcher| dispatcher.give_back(&at, again));
            }
            _ => dispatcher.ended(&at, &again.task, false, "released"),
        });
        self.call(&post.ns, &RELEASE, input, done);
    }
}
