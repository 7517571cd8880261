//! The loop of one node that looks after the feeds of all its namespaces.
//!
//! On PostgreSQL it numbers what is committed, if its node holds the sequencer's lease, and tells this node's readers when
//! another node numbered something. It is driven by wake-ups and, because those may be lost, by a look each second. Nothing
//! waits here: each step is told its end and begins the next.
//!
//! Invariant: of one namespace at most one step is under way; a wake-up meanwhile is one more step after it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use base::{Engine, OpResult};

use super::epoch::{KEEP, Keep};
use super::sequence::{BATCH, HAND_OVER, LOOK, Look, SEQUENCE, Sequence, Sequenced};
use crate::call::Reply;
use crate::kernel::{Kernel, Namespace};
use crate::request::Caller;
use crate::wake::Hint;

/// The look behind every wake-up.
const LOOK_EVERY_MS: u64 = 1_000;
/// Between two steps that numbered something: many events at once cost less than many steps.
const PAUSE_MS: u64 = 10;

/// The feeds of one node; the loop ends when this is stopped or dropped.
pub struct Sequencer(Arc<Node>);

struct Node {
    kernel: Kernel,
    /// Another one in each life, so that a lease of an earlier life is not taken for ours.
    holder: String,
    stopped: AtomicBool,
    feeds: Mutex<BTreeMap<String, Arc<Feed>>>,
}

/// The feed of one namespace.
struct Feed {
    node: Weak<Node>,
    ns: Arc<Namespace>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    busy: bool,
    woken: bool,
    head: i64,
    /// Of the lease, as far as we know it to be ours.
    epoch: Option<i64>,
}

impl Sequencer {
    /// Begins to look after the feeds of all namespaces, those that come later too.
    #[must_use]
    pub fn start(kernel: &Kernel) -> Self {
        let mut chance = [0; 8];
        kernel.env().entropy.fill(&mut chance);
        let holder = chance.iter().fold("node-".to_owned(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        let (stopped, feeds) = (AtomicBool::new(false), Mutex::default());
        let node = Arc::new(Node { kernel: kernel.clone(), holder, stopped, feeds });
        node.tick();
        Self(node)
    }

    /// Under which name this node numbers.
    #[must_use]
    pub fn holder(&self) -> &str {
        &self.0.holder
    }

    /// Ends the loop, and gives leases back so that another node need not wait for their end. Before the stores are closed.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::SeqCst);
        let feeds = std::mem::take(&mut *lock(&self.0.feeds));
        feeds.values().for_each(|feed| feed.hand_over(&self.0));
    }
}

impl Drop for Sequencer {
    fn drop(&mut self) {
        self.0.stopped.store(true, Ordering::SeqCst);
    }
}

impl Node {
    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Looks at every namespace, and again in a while.
    fn tick(self: &Arc<Self>) {
        if self.is_stopped() {
            return;
        }
        self.feeds_now().iter().for_each(Feed::wake);
        let node = Arc::downgrade(self);
        let again = move || node.upgrade().into_iter().for_each(|node| node.tick());
        self.kernel.env().timers.after(LOOK_EVERY_MS, Box::new(again));
    }

    /// The feeds to look at now; those of namespaces that are gone are let go. Where events get their number in the commit only
    /// a new one is looked at: what came from another engine may have none yet.
    fn feeds_now(self: &Arc<Self>) -> Vec<Arc<Feed>> {
        let namespaces = self.kernel.namespaces();
        let mut feeds = lock(&self.feeds);
        feeds.retain(|_, feed| namespaces.iter().any(|ns| Arc::ptr_eq(ns, &feed.ns)));
        let known: Vec<_> = feeds.values().filter(|feed| feed.is_numbered_by_us()).cloned().collect();
        let new = namespaces.into_iter().filter(|ns| !feeds.contains_key(&ns.name));
        let begun: Vec<_> = new.map(|ns| Feed::begin(self, ns)).collect();
        feeds.extend(begun.iter().map(|feed| (feed.ns.name.clone(), feed.clone())));
        known.into_iter().chain(begun).collect()
    }
}

impl Feed {
    fn begin(node: &Arc<Node>, ns: Arc<Namespace>) -> Arc<Self> {
        let kept_ms = node.kernel.config().event_kept_ms;
        let request = node.kernel.request(Caller::server("feed"));
        // It also gives the store its epoch. If it fails now, whoever reads first does that, and the next start this.
        node.kernel.call(&ns, &KEEP, request, Keep { kept_ms }, Box::new(log_failure));
        let feed = Arc::new(Self { node: Arc::downgrade(node), ns, state: Mutex::default() });
        if feed.is_numbered_by_us() {
            let ear = Arc::downgrade(&feed);
            feed.ns.wakes.listen(move |hint| {
                if hint == Hint::Events
                    && let Some(feed) = ear.upgrade()
                {
                    feed.wake();
                }
            });
        }
        feed
    }

    /// Whether events get their number after the commit, and not in it.
    fn is_numbered_by_us(&self) -> bool {
        self.ns.store.engine() == Engine::Postgres
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Something may have changed: looks now, or once more after the step that is under way.
    fn wake(self: &Arc<Self>) {
        let mut state = self.state();
        state.woken = true;
        if !std::mem::replace(&mut state.busy, true) {
            drop(state);
            self.look();
        }
    }

    fn look(self: &Arc<Self>) {
        self.state().woken = false;
        let Some(node) = self.node.upgrade().filter(|node| !node.is_stopped()) else { return };
        let feed = self.clone();
        node.kernel.read(&self.ns, &LOOK, node.holder.clone(), Box::new(move |look| feed.looked(look)));
    }

    fn looked(self: &Arc<Self>, look: OpResult<Look>) {
        match look {
            Ok(look) => {
                self.tell_readers(look.head);
                if look.ours_to_number { self.number() } else { self.rest() }
            }
            Err(error) => self.give_up(&error),
        }
    }

    fn number(self: &Arc<Self>) {
        let Some(node) = self.node.upgrade() else { return };
        let (feed, request) = (self.clone(), node.kernel.request(Caller::server("feed")));
        let done = Box::new(move |reply: OpResult<Reply<Sequenced>>| match reply {
            Ok(reply) => feed.numbered(&reply.out),
            Err(error) => feed.give_up(&error),
        });
        node.kernel.call(&self.ns, &SEQUENCE, request, Sequence { holder: node.holder.clone() }, done);
    }

    fn numbered(self: &Arc<Self>, done: &Sequenced) {
        let mut state = self.state();
        state.epoch = done.epoch;
        let head = state.head + done.numbered;
        drop(state);
        if done.numbered == BATCH {
            return self.look();
        }
        self.tell_readers(head);
        if done.numbered > 0 {
            self.ns.store.notify(Hint::EVENTS);
            return self.rest_after(PAUSE_MS);
        }
        self.rest();
    }

    /// Wakes this node's readers if the feed is another than before.
    fn tell_readers(&self, head: i64) {
        let before = std::mem::replace(&mut self.state().head, head);
        if head != before {
            self.ns.wakes.send(Hint::Events);
        }
    }

    fn rest_after(self: &Arc<Self>, ms: u64) {
        let Some(node) = self.node.upgrade() else { return };
        let feed = self.clone();
        node.kernel.env().timers.after(ms, Box::new(move || feed.rest()));
    }

    /// The step is over; one more if it was woken meanwhile.
    fn rest(self: &Arc<Self>) {
        let mut state = self.state();
        if !state.woken {
            state.busy = false;
            return;
        }
        drop(state);
        self.look();
    }

    /// What fails now is tried again at the next look, not at once: a store in trouble needs no more work.
    fn give_up(&self, error: &base::OpError) {
        tracing::debug!(namespace = self.ns.name, %error, "the feed is looked at again later");
        let mut state = self.state();
        (state.busy, state.woken) = (false, false);
    }

    fn hand_over(&self, node: &Node) {
        if let Some(epoch) = self.state().epoch.take() {
            let request = node.kernel.request(Caller::server("feed"));
            node.kernel.call(&self.ns, &HAND_OVER, request, epoch, Box::new(|_| {}));
        }
    }
}

fn log_failure(reply: OpResult<Reply<()>>) {
    if let Err(error) = reply {
        tracing::warn!(%error, "how long events are kept could not be set");
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is inside is whole between any two steps.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
