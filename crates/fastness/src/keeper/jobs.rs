//! What is slow: opening, closing and setting aside stores, beside the rounds.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use base::Engine;
use kernel::namespaces::keep::{Phase, Slot};
use kernel::namespaces::{AbsentStore, NamespaceRow, SETTLE_NAMESPACE, Settled, Standing};
use kernel::{Caller, Namespace};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::Keeper;
use crate::{blobs, watchdog};

/// Every node has let go of a namespace that is being removed after this time, and its schema can be renamed. A SQLite file
/// has no other node.
const LET_GO: Duration = Duration::from_secs(5);

impl Keeper {
    /// Tells a namespace how it stands.
    pub(super) fn stand(&self, row: &NamespaceRow) {
        if let Ok(namespace) = self.kernel.namespace(&row.name) {
            namespace.set_standing(row.standing());
        }
        self.slots().entry(row.name.clone()).and_modify(|slot| slot.standing = row.standing());
    }

    pub(super) fn open(self: &Arc<Self>, row: &NamespaceRow) {
        self.begin(row);
        // Known from here on: until its store is open, it is not available, which passes.
        if self.kernel.namespace(&row.name).is_err() {
            self.absent(row, "its store is being opened");
        }
        let (keeper, row) = (self.clone(), row.clone());
        tokio::spawn(async move {
            let opened = keeper.open_beside(&row).await;
            if let Err(error) = &opened {
                keeper.absent(&row, &format!("{error:#}"));
            }
            keeper.end(&row, opened);
            // Its row may be newer by now, or wait to hear that it was created.
            keeper.wake.notify_one();
        });
    }

    async fn open_beside(self: &Arc<Self>, row: &NamespaceRow) -> Result<()> {
        let (keeper, row) = (self.clone(), row.clone());
        let open = move || {
            let store = keeper.opener.open(&row)?;
            let namespace = keeper.kernel.add_namespace_as(row.name.clone(), store, row.standing())?;
            let watched = keeper.watchdog.watch(watchdog::store(&namespace));
            keeper.watched().insert(row.name.clone(), watched);
            blobs::set_rule(&keeper.kernel, &namespace, keeper.blob_rule);
            Ok(())
        };
        spawn_blocking(open).await.context("opening it panicked")?
    }

    /// The store of a namespace that is being created is there: tells its row.
    pub(super) fn settle(self: &Arc<Self>, row: &NamespaceRow) {
        self.slots().entry(row.name.clone()).and_modify(|slot| slot.phase = Phase::Busy);
        let (keeper, row) = (self.clone(), row.clone());
        tokio::spawn(async move {
            if let Err(error) = keeper.tell_row(&row).await {
                tracing::warn!(namespace = row.name, %error, "the end of its creation could not be told; again soon");
            }
            keeper.slots().entry(row.name.clone()).and_modify(|slot| slot.phase = Phase::Open);
            keeper.ended.notify_waiters();
            keeper.wake.notify_one();
        });
    }

    async fn tell_row(&self, row: &NamespaceRow) -> Result<()> {
        let (tell, told) = oneshot::channel();
        let done = Box::new(move |reply| drop(tell.send(reply)));
        let request = self.kernel.request(Caller::server("keeper"));
        let input = Settled { name: row.name.clone(), place: row.place.clone(), from: row.state };
        self.kernel.call(&self.kernel.admin_namespace(), &SETTLE_NAMESPACE, request, input, done);
        told.await.context("no answer")??;
        Ok(())
    }

    pub(super) fn remove(self: &Arc<Self>, row: &NamespaceRow) {
        self.begin(row);
        let held = self.kernel.namespace(&row.name).ok();
        self.absent(row, "it is being removed");
        let (keeper, row) = (self.clone(), row.clone());
        tokio::spawn(async move {
            let removed = keeper.remove_beside(&row, held).await;
            keeper.end(&row, removed);
            keeper.wake.notify_one();
        });
    }

    /// Closed, then renamed, then forgotten by its row: killed between any two of them, the next start begins again.
    async fn remove_beside(self: &Arc<Self>, row: &NamespaceRow, held: Option<Arc<Namespace>>) -> Result<()> {
        close(held).await?;
        // Watched until here: a store that does not close is stuck too.
        self.watched().remove(&row.name);
        if row.engine == Engine::Postgres {
            let _ = timeout(LET_GO, std::future::pending::<()>()).await;
        }
        let (opener, places, aside) = (self.opener.clone(), self.carrying.places.clone(), row.clone());
        let set_aside = move || {
            opener.set_aside(&aside)?;
            if aside.temporary { blobs::destroy(opener.config(), places.as_ref(), &aside.place) } else { Ok(()) }
        };
        spawn_blocking(set_aside).await.context("setting it aside panicked")??;
        self.tell_row(row).await
    }

    /// Another node removed it, made another life of its name, or moved it while this one looked away. What has a row stays known.
    pub(super) fn let_go(self: &Arc<Self>, name: &str, row: Option<&NamespaceRow>) {
        self.slots().remove(name);
        let held = self.kernel.namespace(name).ok();
        match row {
            Some(row) => self.absent(row, "its store is being opened"),
            None => drop(self.kernel.remove_namespace(name)),
        }
        self.kernel.registry().set_fault(name, None);
        tracing::info!(namespace = name, "let go");
        // Taken now: the name may have another life before this one's store is closed.
        let (keeper, watched) = (self.clone(), self.watched().remove(name));
        tokio::spawn(async move {
            if let Err(error) = close(held).await {
                tracing::error!(%error, "a store was not closed");
            }
            drop(watched);
            keeper.wake.notify_one();
        });
    }

    /// Known, and not available before its import has ended.
    pub(super) fn wait_for_import(&self, row: &NamespaceRow) {
        if self.kernel.namespace(&row.name).is_err() {
            self.absent(row, "it is being imported");
        }
    }

    pub(super) fn begin(&self, row: &NamespaceRow) {
        let mut slots = self.slots();
        let begun = Slot::begun(row, slots.get(&row.name));
        slots.insert(row.name.clone(), begun);
    }

    /// Known, but not available.
    pub(super) fn absent(&self, row: &NamespaceRow, reason: &str) {
        let standing: Standing = row.standing();
        self.kernel.add_absent_namespace(row.name.clone(), AbsentStore::new(row.engine, reason), standing);
    }

    pub(super) fn end(&self, row: &NamespaceRow, result: Result<()>) {
        let now_ms = self.kernel.env().clock.ran_ms();
        if let Some(slot) = self.slots().get_mut(&row.name) {
            slot.end(result.is_ok(), now_ms);
        }
        let fault = result.err().map(|error| format!("{error:#}"));
        match &fault {
            Some(reason) => tracing::error!(namespace = row.name, reason, "not available; tried again by itself"),
            None if self.starts.load(std::sync::atomic::Ordering::Relaxed) => {
                tracing::debug!(namespace = row.name, place = row.place, state = row.state.word(), "kept");
            }
            None => tracing::info!(namespace = row.name, place = row.place, state = row.state.word(), "kept"),
        }
        self.kernel.registry().set_fault(&row.name, fault);
        self.ended.notify_waiters();
    }
}

/// Closes a store, which waits for what it is doing.
pub(super) async fn close(held: Option<Arc<Namespace>>) -> Result<()> {
    let Some(held) = held else { return Ok(()) };
    spawn_blocking(move || held.store.close()).await.context("closing its store panicked")
}
