//! One server alone on its data (KER-12). With SQLite the lock of the data directory sees to it. With PostgreSQL a lease in the
//! administrators' store does: a second server on the same database waits until the first has been silent for as long as the
//! lease, and refuses to start if it is not.
//!
//! The holder is the node, not the process: the data directory has one process at a time, so that one which was killed is
//! followed at once on its own machine.

use std::sync::mpsc::channel;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use base::{Engine, OpResult, Tx};
use kernel::leases::{self, Lease, Taking};
use kernel::{Caller, Kernel, Nodes, Op, OpCx, Reply};
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::config::{Config, NodeCount};

/// The lease of the whole database.
const LEASE: &str = "server";
/// How often a lease that another holds is asked for again at start.
const ASK_AGAIN: Duration = Duration::from_secs(1);
/// How much longer than the lease a start waits.
const GRACE: Duration = Duration::from_secs(5);

static HOLD: Op<Hold, Taking> = Op::new("server.hold", hold).claiming().ending();
static RELEASE: Op<i64, bool> = Op::new("server.release", release).ending();

/// Who asks to be alone, and for how long.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Hold {
    holder: String,
    lease_ms: i64,
}

fn hold(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Hold) -> OpResult<Taking> {
    leases::take(tx, cx, LEASE, &input.holder, input.lease_ms)
}

fn release(tx: &mut dyn Tx, cx: &mut OpCx<'_>, epoch: &i64) -> OpResult<bool> {
    leases::release(tx, cx, LEASE, *epoch)
}

/// How many servers may work on the same data.
pub(crate) fn nodes(config: &Config) -> Nodes {
    match (config.store.nodes, config.store.engine) {
        (NodeCount::One, _) | (NodeCount::Auto, Engine::Sqlite) => Nodes::One,
        (NodeCount::Several, _) | (NodeCount::Auto, Engine::Postgres) => Nodes::Several,
    }
}

/// The right to be alone on a database, for as long as it is kept.
#[derive(Clone)]
pub(crate) struct Alone {
    kernel: Kernel,
    /// `None` where nothing needs to be held.
    epoch: Option<i64>,
}

impl Alone {
    /// Waits for the right to be alone, if that is asked for; blocks.
    pub(crate) fn claim(kernel: &Kernel) -> Result<Self> {
        let needed = kernel.config().nodes == Nodes::One && kernel.admin_namespace().store.engine() == Engine::Postgres;
        let epoch = needed.then(|| claim(kernel)).transpose()?;
        Ok(Self { kernel: kernel.clone(), epoch })
    }

    /// Keeps it, for ever.
    pub(crate) async fn keep(self) {
        if self.epoch.is_none() {
            return;
        }
        let third = u64::try_from(self.kernel.task_config().lease_ms / 3).unwrap_or(1_000);
        let mut every = tokio::time::interval(Duration::from_millis(third.max(100)));
        loop {
            every.tick().await;
            match self.hold().await {
                Ok(Taking::Taken { .. }) => {}
                Ok(Taking::HeldBy(lease)) => tracing::error!("{}", in_the_way(&lease)),
                Err(error) => tracing::warn!(%error, "the right to be alone could not be renewed; again soon"),
            }
        }
    }

    async fn hold(&self) -> Result<Taking> {
        let (tell, told) = oneshot::channel();
        ask(&self.kernel, move |reply| drop(tell.send(reply)));
        Ok(told.await.context("no answer")??.out)
    }

    /// Gives it back, so that the next server need not wait; blocks.
    pub(crate) fn release(&self) {
        let Some(epoch) = self.epoch else { return };
        let (tell, told) = channel();
        let request = self.kernel.request(Caller::server("stop"));
        let done = Box::new(move |reply: OpResult<Reply<bool>>| drop(tell.send(reply)));
        self.kernel.call(&self.kernel.admin_namespace(), &RELEASE, request, epoch, done);
        if !matches!(told.recv(), Ok(Ok(_))) {
            tracing::warn!("the right to be alone was not given back; the next server waits for its end");
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "nothing runs yet that could be held up")]
fn claim(kernel: &Kernel) -> Result<i64> {
    let lease = Duration::from_millis(u64::try_from(kernel.task_config().lease_ms)?);
    let until_ms = kernel.env().clock.ran_ms() + u64::try_from((lease + GRACE).as_millis())?;
    loop {
        let (tell, told) = channel();
        ask(kernel, move |reply| drop(tell.send(reply)));
        let lease = match told.recv().context("the store gave no answer")??.out {
            Taking::Taken { epoch } => return Ok(epoch),
            Taking::HeldBy(lease) => lease,
        };
        if kernel.env().clock.ran_ms() >= until_ms {
            bail!("{}", in_the_way(&lease));
        }
        tracing::warn!(holder = lease.holder, "another server was on this database lately; waiting for its end");
        std::thread::sleep(ASK_AGAIN); // tidy: sleep — nothing runs yet
    }
}

fn ask(kernel: &Kernel, tell: impl FnOnce(OpResult<Reply<Taking>>) + Send + 'static) {
    let input = Hold { holder: kernel.config().namespaces.node.clone(), lease_ms: kernel.task_config().lease_ms };
    let request = kernel.request(Caller::server("alone"));
    kernel.call(&kernel.admin_namespace(), &HOLD, request, input, Box::new(tell));
}

fn in_the_way(lease: &Lease) -> String {
    format!(
        "another server (node {}) works on this database, and store.nodes allows one: stop it, or set store.nodes to several on both",
        lease.holder
    )
}
