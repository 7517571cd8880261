//! What the keeper does about transfers (KER-3): for each that is this node's, the work of its state, beside the rounds; then its row is told.
//!
//! Invariants: of one namespace at most one such work runs; the last part of a move begins when this node has closed the store, and on
//! PostgreSQL when every other has had the time to; what fails is tried again after a growing pause; what is killed is begun again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use base::carry::{Remembered, Walked};
use base::{BlobPlaces, Engine, Migration};
use kernel::namespaces::keep::Phase;
use kernel::namespaces::transfers::{Event, Kind, Progress, STEP_TRANSFER, StepTransfer, Transfer, TransferState};
use kernel::namespaces::{Known, NamespaceRow, State};
use kernel::{Caller, Nodes, ServiceDef};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::Keeper;
use crate::backup::disk;
use crate::carry::import::Importing;
use crate::carry::moving::{Moving, Route};
use crate::carry::{export, spool};

/// Every node has closed a namespace that is being moved after this time.
const LET_GO: Duration = Duration::from_secs(5);
const PAUSE_MS: u64 = 1_000;
const PAUSE_MS_MAX: u64 = 60_000;

/// What carrying needs beside the stores.
pub(crate) struct Carrying {
    pub(crate) services: Vec<&'static ServiceDef>,
    pub(crate) plan: Vec<Migration>,
    pub(crate) places: Arc<dyn BlobPlaces>,
    pub(super) works: Mutex<BTreeMap<String, Work>>,
}

/// What this node has of a transfer.
#[derive(Default)]
pub(super) struct Work {
    id: String,
    is_busy: bool,
    /// When it may begin again after it failed, of the time that this process ran.
    again_ms: u64,
    failures: u32,
    /// The archive of an import.
    archive: Option<PathBuf>,
    /// What the new side is known to hold.
    remembered: Arc<Mutex<Remembered>>,
}

impl Carrying {
    pub(crate) fn new(services: &[&'static ServiceDef], places: Arc<dyn BlobPlaces>) -> Self {
        let all = kernel::OWN.into_iter().chain(services.iter().copied());
        let plan = all.flat_map(|service| service.migrations.iter().copied()).collect();
        Self { services: services.to_vec(), plan, places, works: Mutex::default() }
    }

    fn works(&self) -> MutexGuard<'_, BTreeMap<String, Work>> {
        self.works.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a namespace waits for its import and must not be opened yet.
pub(super) fn awaits_import(name: &str, known: &Known) -> bool {
    known.transfers.get(name).is_some_and(|transfer| transfer.kind == Kind::Import)
}

fn archive_of(data: &Path, transfer: &Transfer) -> Option<PathBuf> {
    transfer.archive.as_ref().map(|digest| spool::path(data, &transfer.name, digest))
}

impl Keeper {
    /// Removes what was cut off before this start; `known` are the rows as they are now.
    pub(super) fn sweep(&self, known: &Known) {
        let data = &self.opener.config().data.dir;
        let archives: Vec<_> = known.transfers.values().filter_map(|transfer| archive_of(data, transfer)).collect();
        let swept = spool::sweep(data, &archives).and_then(|()| export::sweep(&self.opener));
        if let Err(error) = swept {
            tracing::warn!(error = format!("{error:#}"), "what an export or import left could not be removed");
        }
    }

    /// Begins what transfers ask for.
    pub(super) fn carry(self: &Arc<Self>, known: &Known) {
        self.forget_ended(known);
        for transfer in known.transfers.values().filter(|transfer| self.is_ours(transfer)) {
            let Some(row) = known.rows.get(&transfer.name).filter(|row| row.place == transfer.place) else { continue };
            let may_begin = self.is_closed_enough(transfer) && !crate::carry::is_held(transfer.state.word());
            if self.is_due(transfer) && may_begin {
                self.begin_work(transfer, row);
            }
        }
    }

    /// The node that was asked works on it. The way back of a store that all nodes reach is anybody's: its node may be gone.
    fn is_ours(&self, transfer: &Transfer) -> bool {
        let is_way_back = transfer.state == TransferState::Reopening && transfer.to == Engine::Sqlite;
        transfer.node == self.opener.node() || (is_way_back && transfer.cancelled)
    }

    fn is_due(&self, transfer: &Transfer) -> bool {
        let now_ms = self.kernel.env().clock.ran_ms();
        let mut works = self.carrying.works();
        let work = works.entry(transfer.name.clone()).or_default();
        if work.id != transfer.id && !work.is_busy {
            let archive = archive_of(&self.opener.config().data.dir, transfer);
            *work = Work { id: transfer.id.clone(), archive, ..Work::default() };
        }
        !work.is_busy && work.again_ms <= now_ms
    }

    /// The last part begins when nobody here has the store open any more.
    fn is_closed_enough(&self, transfer: &Transfer) -> bool {
        let is_shut = || self.slots().get(&transfer.name).is_some_and(|slot| slot.phase == Phase::Shut);
        transfer.state != TransferState::Closing || is_shut()
    }

    fn forget_ended(&self, known: &Known) {
        let progress = self.kernel.common::<Progress>();
        self.carrying.works().retain(|name, work| {
            let goes_on = work.is_busy || known.transfers.get(name).is_some_and(|transfer| transfer.id == work.id);
            if !goes_on {
                progress.forget(name);
                // It became a store, or never will.
                let _ = work.archive.as_ref().map(|archive| disk::remove(archive));
                tracing::info!(namespace = name, "its transfer has ended");
            }
            goes_on
        });
    }

    fn begin_work(self: &Arc<Self>, transfer: &Transfer, row: &NamespaceRow) {
        let remembered = {
            let mut works = self.carrying.works();
            let Some(work) = works.get_mut(&transfer.name) else { return };
            work.is_busy = true;
            work.remembered.clone()
        };
        let (keeper, transfer, row) = (self.clone(), transfer.clone(), row.clone());
        tokio::spawn(async move {
            let worked = keeper.work(&transfer, row, remembered).await;
            if let Err(error) = &worked {
                tracing::warn!(
                    namespace = transfer.name,
                    error = format!("{error:#}"),
                    "a transfer did not go on; again soon"
                );
            }
            keeper.end_work(&transfer.name, worked.is_ok());
            keeper.wake.notify_one();
        });
    }

    /// Counts the attempt, does the work, tells what came of it. Where the row does not answer, the next round knows more.
    async fn work(
        self: &Arc<Self>,
        transfer: &Transfer,
        row: NamespaceRow,
        remembered: Arc<Mutex<Remembered>>,
    ) -> Result<()> {
        let begun = self.tell_transfer(transfer, Event::Began).await?;
        let Some(begun) = begun.filter(|begun| begun.id == transfer.id && begun.state == transfer.state) else {
            return Ok(());
        };
        if begun.state == TransferState::Closing
            && row.engine == Engine::Postgres
            && self.kernel.config().nodes == Nodes::Several
        {
            let _ = timeout(LET_GO, std::future::pending::<()>()).await;
        }
        tracing::info!(
            namespace = begun.name,
            kind = begun.kind.word(),
            state = begun.state.word(),
            "a transfer goes on"
        );
        let (keeper, work) = (self.clone(), begun.clone());
        let worked = spawn_blocking(move || keeper.perform(&work, &row, &remembered)).await.context("it panicked");
        match worked.and_then(|worked| worked) {
            Ok(event) => {
                crate::carry::crash_point(begun.state.word());
                self.tell_transfer(&begun, event).await.map(drop)
            }
            Err(error) => {
                let reason = format!("{error:#}");
                self.tell_transfer(&begun, Event::Failed { reason }).await?;
                Err(error)
            }
        }
    }

    fn perform(&self, transfer: &Transfer, row: &NamespaceRow, remembered: &Mutex<Remembered>) -> Result<Event> {
        let (progress, name, id) = (self.kernel.common::<Progress>(), transfer.name.clone(), transfer.id.clone());
        let (registry_of, state) = (self.kernel.clone(), transfer.state);
        let mut watch = move |walked: &Walked| {
            progress.tell(&name, walked.clone());
            // Somebody may have taken it back meanwhile.
            let known = registry_of.registry().known();
            known.transfers.get(&name).is_none_or(|now| now.id != id || now.state == state)
        };
        let (opener, plan) = (&self.opener, self.carrying.plan.as_slice());
        match transfer.kind {
            Kind::Move => {
                let mut known = remembered.lock().unwrap_or_else(PoisonError::into_inner);
                let (route, from_url) = (Route::of(transfer), row.url.as_ref());
                let (remembered, watch) = (&mut *known, &mut watch);
                let worked = Moving { opener, plan, route, from_url, remembered, watch }.work(transfer.state);
                // What was carried is thrown away on the way back.
                if transfer.state == TransferState::Reopening {
                    *known = Remembered::default();
                }
                worked
            }
            Kind::Import => {
                let (services, blobs) =
                    (self.carrying.services.as_slice(), &self.carrying.places.place(&transfer.place)?);
                Importing { opener, services, plan, transfer, blobs, watch: &mut watch }.work()
            }
        }
    }

    async fn tell_transfer(&self, transfer: &Transfer, event: Event) -> Result<Option<Transfer>> {
        let (tell, told) = oneshot::channel();
        let done = Box::new(move |reply| drop(tell.send(reply)));
        let request = self.kernel.request(Caller::server("keeper"));
        let input = StepTransfer { name: transfer.name.clone(), id: transfer.id.clone(), state: transfer.state, event };
        self.kernel.call(&self.kernel.admin_namespace(), &STEP_TRANSFER, request, input, done);
        Ok(told.await.context("no answer")??.out)
    }

    fn end_work(&self, name: &str, went_well: bool) {
        let now_ms = self.kernel.env().clock.ran_ms();
        if let Some(work) = self.carrying.works().get_mut(name) {
            work.is_busy = false;
            work.failures = if went_well { 0 } else { work.failures + 1 };
            let pause_ms = (PAUSE_MS << work.failures.saturating_sub(1).min(6)).min(PAUSE_MS_MAX);
            work.again_ms = if went_well { 0 } else { now_ms + pause_ms };
        }
    }

    /// Closes a store that nobody may use for now, and leaves it where it is.
    pub(super) fn shut(self: &Arc<Self>, row: &NamespaceRow) {
        self.begin(row);
        let held = self.kernel.namespace(&row.name).ok();
        self.absent(row, "it is being moved to another engine");
        let (keeper, row) = (self.clone(), row.clone());
        tokio::spawn(async move {
            let closed = super::jobs::close(held).await;
            keeper.watched().remove(&row.name);
            keeper.end(&row, closed);
            if let Some(slot) = keeper.slots().get_mut(&row.name)
                && slot.phase == Phase::Open
                && slot.standing.state == State::Moving
            {
                slot.phase = Phase::Shut;
            }
            keeper.wake.notify_one();
        });
    }
}
