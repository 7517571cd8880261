//! Brings signs of life to Redis, once a second.

use std::sync::Arc;

use base::{Health, OpResult};
use kernel::{Caller, Kernel, Namespace, Query};

use super::Lives;
use super::place::LastSeen;
use super::signs::Signs;
use super::used::{USE, used};
use crate::desk::Desk;
use crate::ear::{self, Listened};

/// How often.
const EVERY_MS: u64 = 1_000;
/// After how long it is said again that Redis is used.
const SAY_EVERY_MS: i64 = 60_000;

/// The listening time now, and when it was last said that Redis is used.
static NOW: Query<(), (Listened, Option<Listened>)> =
    Query::new("sensor.life_now", |tx, ()| Ok((ear::now(tx)?, used(tx)?)));

/// Brings them until it is dropped.
pub struct LifeWriter {
    _node: Arc<Node>,
}

struct Node(Kernel);

impl LifeWriter {
    /// Begins.
    #[must_use]
    pub fn start(kernel: &Kernel) -> Self {
        let node = Arc::new(Node(kernel.clone()));
        tick(&node);
        Self { _node: node }
    }
}

fn tick(node: &Arc<Node>) {
    if let Some(last_seen) = node.0.common::<Lives>().get() {
        let all = node.0.namespaces();
        // Where this node is alone its own memory knows more than Redis could.
        let shared = all.iter().filter(|ns| ns.works() && ns.store.health() == Health::Good && !ns.is_alone(&node.0));
        shared.for_each(|ns| begin(&node.0, ns, &last_seen));
    }
    let again = Arc::downgrade(node);
    node.0.env().timers.after(EVERY_MS, Box::new(move || again.upgrade().iter().for_each(tick)));
}

fn begin(kernel: &Kernel, ns: &Arc<Namespace>, last_seen: &Arc<LastSeen>) {
    let signs = ns.home.memory::<Signs>();
    let Some(key) = signs.begin() else { return };
    let (again, home, place) = (kernel.clone(), ns.clone(), last_seen.clone());
    if key.is_some() {
        return look(&again, &home, &place);
    }
    let named = move |epoch: OpResult<String>| match epoch {
        Ok(epoch) => {
            // Two installations may share a server, and a restored one is another.
            home.home.memory::<Signs>().name(format!("fastness:{}:{epoch}", home.place()));
            look(&again, &home, &place);
        }
        Err(_) => home.home.memory::<Signs>().failed(vec![]),
    };
    kernel.epoch(ns, Box::new(named));
}

fn look(kernel: &Kernel, ns: &Arc<Namespace>, last_seen: &Arc<LastSeen>) {
    let (again, home, place) = (kernel.clone(), ns.clone(), last_seen.clone());
    let told = move |now: OpResult<(Listened, Option<Listened>)>| match now {
        Ok((now, used)) => {
            say_used(&again, &home, now, used);
            bring(&again, &home, &place, now);
        }
        Err(_) => home.home.memory::<Signs>().failed(vec![]),
    };
    kernel.read(ns, &NOW, (), Box::new(told));
}

fn say_used(kernel: &Kernel, ns: &Arc<Namespace>, now: Listened, used: Option<Listened>) {
    let signs = ns.home.memory::<Signs>();
    let ran_ms = kernel.env().clock.ran_ms();
    if used.is_some_and(|used| now.0 - used.0 < SAY_EVERY_MS) {
        return signs.used(ran_ms);
    }
    let told = move |said: OpResult<_>| said.iter().for_each(|_: &kernel::Reply<()>| signs.used(ran_ms));
    kernel.call(ns, &USE, kernel.request(Caller::server("sensors")), (), Box::new(told));
}

fn bring(kernel: &Kernel, ns: &Arc<Namespace>, last_seen: &LastSeen, now: Listened) {
    let signs = ns.home.memory::<Signs>();
    // Whatever is judged after this look is heard later than `now`.
    let idle = !ns.home.memory::<Desk>().is_judging();
    let Some(load) = signs.take(idle.then_some(now)) else { return };
    let (sent, again) = (load.signs.clone(), kernel.clone());
    let told = move |brought: Option<()>| match brought {
        Some(()) => signs.brought(again.env().clock.ran_ms()),
        None => signs.failed(sent),
    };
    last_seen.bring(&load, Box::new(told));
}
