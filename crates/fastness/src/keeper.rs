//! The keeper of a node's namespaces (KER-2): reads their rows every 2 seconds, and at once when they were changed here, and
//! makes this node as they say. It opens and closes stores, tells each namespace how it stands, ends creations and removals.
//!
//! Invariants: a store that cannot be opened harms nobody else; its namespace is there, answers `XSTORE`, and is tried again
//! with growing pauses. A namespace that has a row is never unknown while its store is being opened. Nothing here holds up a
//! round: what is slow runs beside it, one job per namespace at a time. What is killed in the middle is begun again.

mod jobs;
pub(crate) mod transfers;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use base::OpResult;
use host::watchdog::{Watchdog, Watched};
use kernel::blobs::Rule;
use kernel::namespaces::keep::{Phase, Slot, Step, step};
use kernel::namespaces::{Known, READ_KNOWN, SEED_NAMESPACES, SeedNamespaces, State};
use kernel::{Caller, Kernel};
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

use crate::stores::Opener;
use transfers::{Carrying, awaits_import};

/// How often the rows are read: with the reading itself well below the 5 seconds in which a change is seen.
const EVERY: Duration = Duration::from_secs(2);
/// How long a start waits for all stores to have been tried once.
const FIRST_ROUND: Duration = Duration::from_secs(15);
/// How often the rows are asked for at start before the supervisor decides.
const FIRST_READS_MAX: u32 = 30;

/// The keeper of a node's namespaces.
pub(crate) struct Keeper {
    kernel: Kernel,
    opener: Opener,
    watchdog: Arc<Watchdog>,
    /// How long blobs are kept, which every store is told when it is opened.
    blob_rule: Rule,
    /// What carrying namespaces needs.
    carrying: Carrying,
    /// The stores that are open, watched for as long.
    watched: Mutex<BTreeMap<String, Watched>>,
    /// Whether all are opened for the first time, which is no news.
    starts: AtomicBool,
    /// Rows were changed here, or a job ended.
    wake: Notify,
    /// A job ended.
    ended: Notify,
    slots: Mutex<BTreeMap<String, Slot>>,
}

/// Makes sure that the first namespaces have their rows; blocks, before anything runs.
pub(crate) fn seed(kernel: &Kernel) -> Result<()> {
    let (tell, told) = std::sync::mpsc::channel();
    let config = kernel.config();
    let (engine, node) = (kernel.admin_namespace().store.engine(), config.namespaces.node.clone());
    let input = SeedNamespaces { admin: config.admin_namespace.clone(), engine, node };
    let done = Box::new(move |reply| {
        let _ = tell.send(reply);
    });
    let request = kernel.request(Caller::server("start"));
    kernel.call(&kernel.admin_namespace(), &SEED_NAMESPACES, request, input, done);
    told.recv().context("the store gave no answer")??;
    Ok(())
}

impl Keeper {
    pub(crate) fn new(
        kernel: Kernel,
        opener: Opener,
        watchdog: Arc<Watchdog>,
        blob_rule: Rule,
        carrying: Carrying,
    ) -> Arc<Self> {
        let (wake, ended, watched, slots) = (Notify::new(), Notify::new(), Mutex::default(), Mutex::default());
        let starts = AtomicBool::new(true);
        Arc::new(Self { kernel, opener, watchdog, blob_rule, carrying, watched, starts, wake, ended, slots })
    }

    /// Opens every namespace, waiting a while for those that can be opened, and goes on for ever beside.
    pub(crate) async fn start(self: &Arc<Self>) -> Result<()> {
        let (keeper, waker) = (self.clone(), Arc::downgrade(self));
        self.kernel.registry().on_change(move || {
            waker.upgrade().into_iter().for_each(|keeper| keeper.wake.notify_one());
        });
        self.first_round().await?;
        self.sweep(&self.kernel.registry().known());
        let _ = timeout(FIRST_ROUND, self.all_tried()).await;
        self.starts.store(false, Ordering::Relaxed);
        tokio::spawn(async move { keeper.go_on().await });
        Ok(())
    }

    async fn first_round(self: &Arc<Self>) -> Result<()> {
        let mut every = tokio::time::interval(EVERY);
        for _ in 1..FIRST_READS_MAX {
            every.tick().await;
            match self.round().await {
                Ok(()) => return Ok(()),
                Err(error) => tracing::warn!(%error, "the rows of namespaces cannot be read yet; asking again"),
            }
        }
        self.round().await.context("the rows of namespaces cannot be read")
    }

    async fn all_tried(self: &Arc<Self>) {
        loop {
            let ended = self.ended.notified();
            // A removal is nobody's to wait for.
            let opens = |slot: &Slot| slot.phase == Phase::Busy && slot.standing.state != State::Removing;
            if !self.slots().values().any(opens) {
                return;
            }
            ended.await;
        }
    }

    async fn go_on(self: Arc<Self>) {
        let mut failed = false;
        loop {
            // A jump of the runtime's clock costs one early or late look.
            let _ = timeout(EVERY, self.wake.notified()).await;
            let round = self.round().await;
            if let Err(error) = &round
                && !failed
            {
                tracing::warn!(%error, "the rows of namespaces cannot be read; going on with what is known");
            }
            failed = round.is_err();
        }
    }

    /// Reads the rows and begins what they ask for.
    async fn round(self: &Arc<Self>) -> OpResult<()> {
        let known = self.read().await?;
        for name in self.names(&known) {
            self.take_step(&name, &known);
        }
        let admin = self.kernel.admin_namespace();
        known.rows.get(&admin.name).into_iter().for_each(|row| admin.set_standing(row.standing()));
        self.kernel.registry().learn(known.clone());
        self.carry(&known);
        Ok(())
    }

    async fn read(&self) -> OpResult<Known> {
        let (tell, told) = oneshot::channel();
        let done = Box::new(move |known| drop(tell.send(known)));
        self.kernel.read(&self.kernel.admin_namespace(), &READ_KNOWN, (), done);
        told.await.unwrap_or_else(|_| Err(base::StoreError::Unavailable("no answer".into()).into()))
    }

    /// Everything that has a row or is held here, but the administrators' namespace, which is always open.
    fn names(&self, known: &Known) -> Vec<String> {
        let mut names: Vec<String> = known.rows.keys().chain(self.slots().keys()).cloned().collect();
        names.retain(|name| *name != self.kernel.config().admin_namespace);
        names.sort();
        names.dedup();
        names
    }

    fn take_step(self: &Arc<Self>, name: &str, known: &Known) {
        let row = known.rows.get(name);
        if let Some(row) = row.filter(|row| row.state == State::Creating && awaits_import(name, known)) {
            return self.wait_for_import(row);
        }
        let now_ms = self.kernel.env().clock.ran_ms();
        let next = step(row, self.slots().get(name), now_ms);
        match (next, row) {
            (Step::LetGo, _) => self.let_go(name, row),
            (Step::Open, Some(row)) => self.open(row),
            (Step::Stand, Some(row)) => self.stand(row),
            (Step::Settle, Some(row)) => self.settle(row),
            (Step::Shut, Some(row)) => self.shut(row),
            (Step::Remove, Some(row)) => self.remove(row),
            (Step::Nothing | Step::Open | Step::Stand | Step::Settle | Step::Shut | Step::Remove, _) => {}
        }
    }

    fn watched(&self) -> MutexGuard<'_, BTreeMap<String, Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slots(&self) -> MutexGuard<'_, BTreeMap<String, Slot>> {
        // A map of values is whole between any two steps.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
