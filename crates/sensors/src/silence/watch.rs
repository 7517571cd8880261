//! Looks for silent sensors every few seconds, in every namespace. Several nodes may do so at once: the operation decides.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base::{Health, OpResult, Sql, args};
use kernel::{Caller, Kernel, Namespace, Query, Reply};
use web::SentAway;

use super::sweep::{SWEEP, Sweep, Swept};
use crate::desk::Desk;
use crate::ear::{self, BY_HTTP, LEVEL, Level, Listened, Word};
use crate::id::SensorId;
use crate::life::{Lives, Sight, Signs};
use crate::limits::SWEPT_MAX;

/// How often it looks.
pub const LOOK_EVERY_MS: u64 = 5_000;

pub(crate) static DUE_ROWS: Sql = Sql::new(
    "sensor.due",
    "SELECT id FROM sensor WHERE lost_at IS NOT NULL AND lost_at <= ?1 ORDER BY lost_at, id LIMIT ?2",
);

/// Sensors whose time is over.
static DUE: Query<(), Due> = Query::new("sensor.due", |tx, ()| {
    let (now, limit) = (ear::now(tx)?, i64::try_from(SWEPT_MAX).unwrap_or(i64::MAX));
    let rows = tx.query(&DUE_ROWS, args![now, limit], SWEPT_MAX)?;
    Ok(Due { now, sensors: rows.iter().filter_map(|row| row.text(0).parse().ok()).collect() })
});

pub(crate) static ANY_WATCHED: Sql =
    Sql::new("sensor.any_watched", "SELECT id FROM sensor WHERE lost_at IS NOT NULL ORDER BY lost_at, id LIMIT 1");
/// Whether there is any sensor that could be lost.
static WATCHED: Query<(), bool> =
    Query::new("sensor.any_watched", |tx, ()| Ok(tx.query_one(&ANY_WATCHED, args![])?.is_some()));

struct Due {
    now: Listened,
    sensors: Vec<SensorId>,
}

/// The watch of a node.
pub struct SilenceWatch(Arc<Node>);

struct Node {
    kernel: Kernel,
    stopped: AtomicBool,
}

impl SilenceWatch {
    /// Begins to look.
    #[must_use]
    pub fn start(kernel: &Kernel) -> Self {
        let node = Arc::new(Node { kernel: kernel.clone(), stopped: AtomicBool::new(false) });
        node.tick();
        Self(node)
    }

    /// Ends it. Before the stores are closed.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::SeqCst);
    }
}

impl Drop for SilenceWatch {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Node {
    fn tick(self: &Arc<Self>) {
        if self.stopped.load(Ordering::SeqCst) {
            return;
        }
        for ns in self.kernel.namespaces().iter().filter(|ns| ns.works() && ns.store.health() == Health::Good) {
            let desk = ns.home.memory::<Desk>();
            let is_level = desk.is_level(self.kernel.env().clock.ran_ms(), SentAway::of(ns));
            listen(&self.kernel, ns, if is_level { Level::Drained } else { Level::Watched });
            // Whom we sent away just now will say it again; the ear still runs on by the word before.
            if is_level {
                look(&self.kernel, ns);
            }
        }
        let node = Arc::downgrade(self);
        let again = move || node.upgrade().into_iter().for_each(|node| node.tick());
        self.kernel.env().timers.after(LOOK_EVERY_MS, Box::new(again));
    }
}

/// Says how it stands with the signals that come by HTTP, where there are sensors. That some were sent away, or many wait, is said too: an
/// intake that said nothing for long is forgotten, and then the ear runs on without it.
fn listen(kernel: &Kernel, ns: &Arc<Namespace>, how: Level) {
    let (again, home) = (kernel.clone(), ns.clone());
    let found = move |watched: OpResult<bool>| {
        if let Ok(true) = watched {
            let word = Word { by: BY_HTTP.into(), how };
            let request = again.request(Caller::server("sensors"));
            // Not taken: then nobody is lost meanwhile.
            again.call(&home, &LEVEL, request, word, Box::new(drop));
        }
    };
    kernel.read(ns, &WATCHED, (), Box::new(found));
}

/// Looks once, and goes on as long as there are more; nothing is begun while an earlier look still goes on.
pub fn look(kernel: &Kernel, ns: &Arc<Namespace>) {
    if ns.home.memory::<Desk>().begin_sweep() {
        look_on(kernel, ns);
    }
}

fn look_on(kernel: &Kernel, ns: &Arc<Namespace>) {
    let (again, home) = (kernel.clone(), ns.clone());
    let found = move |due: OpResult<Due>| match due {
        Ok(due) if due.sensors.is_empty() => home.home.memory::<Desk>().end_sweep(),
        Ok(due) => ask(&again, &home, due),
        Err(error) => {
            home.home.memory::<Desk>().end_sweep();
            tracing::warn!(namespace = home.name, %error, "silent sensors were not looked for");
        }
    };
    kernel.read(ns, &DUE, (), Box::new(found));
}

/// Asks Redis what it heard of them, if one is in use and answers.
fn ask(kernel: &Kernel, ns: &Arc<Namespace>, Due { now, sensors }: Due) {
    let key = ns.home.memory::<Signs>().key();
    let (Some(last_seen), Some(key)) = (ns.home.common::<Lives>().get(), key) else {
        return sweep(kernel, ns, sensors, None);
    };
    let (again, home, due) = (kernel.clone(), ns.clone(), sensors.clone());
    last_seen.ask(&key, &sensors, now, Box::new(move |sight| sweep(&again, &home, due, sight)));
}

/// Those of which a signal is in our hands already are left to the next look: whoever spoke is not silent because we are slow.
fn sweep(kernel: &Kernel, ns: &Arc<Namespace>, due: Vec<SensorId>, sight: Option<Sight>) {
    let desk = ns.home.memory::<Desk>();
    let known = sight.as_ref().and_then(|sight| sight.known);
    let elsewhere = sight.map_or_else(|| vec![None; due.len()], |sight| sight.seen);
    let is_full = due.len() == SWEPT_MAX;
    let elsewhere: BTreeMap<SensorId, Option<Listened>> = due.iter().copied().zip(elsewhere).collect();
    let held = desk.hold(&due);
    let later = |id: &SensorId, here: Option<Listened>| here.max(elsewhere.get(id).copied().flatten());
    let mut judged: Vec<_> = held.into_iter().map(|(id, here)| (id, later(&id, here))).collect();
    // In the order of their ids, as signals are judged: two who lock rows in different orders wait for each other.
    judged.sort_unstable_by_key(|(id, _)| *id);
    let held: Vec<SensorId> = judged.iter().map(|(id, _)| *id).collect();
    let any = !held.is_empty();
    let (again, home) = (kernel.clone(), ns.clone());
    let done = move |reply: OpResult<Reply<Swept>>| {
        desk.let_go(&held);
        match reply {
            Ok(reply) if any && (is_full || reply.out.left) => return look_on(&again, &home),
            Ok(_) => {}
            Err(error) => tracing::warn!(namespace = home.name, %error, "silent sensors were not judged"),
        }
        desk.end_sweep();
    };
    let input = Sweep { due: judged, known };
    kernel.call(ns, &SWEEP, kernel.request(Caller::server("sensors")), input, Box::new(done));
}
