//! A restored store is told that it was restored (KER-46): its epoch changes, so that feeds, folders and replicas
//! notice, compare and send again what this store does not know any more; none of them deletes because of it.

use std::sync::Arc;
use std::sync::mpsc::channel;

use anyhow::{Context, Result};
use base::{Clock, Entropy, OpResult, Timers, Tx};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::{Caller, Env, Kernel, KernelConfig, Namespace, Op, OpCx};

use crate::backup::Manifest;
use crate::config::Config;
use crate::stores;

/// Opens every restored store as the server would and gives it a new epoch.
pub(super) fn renew(config: &Config, services: &[web::Service], manifest: &Manifest) -> Result<()> {
    let clock: Arc<dyn Clock> = Arc::new(RealClock::new());
    let entropy: Arc<dyn Entropy> = Arc::new(OsEntropy);
    let timers: Arc<dyn Timers> = Arc::new(ThreadTimers::new());
    let definitions: Vec<_> = services.iter().map(|service| service.def).collect();
    let kernel = Kernel::open(
        Env { clock: clock.clone(), entropy: entropy.clone(), timers },
        KernelConfig::default(),
        &definitions,
        vec![],
    )?;
    for backup in &manifest.namespaces {
        let store = stores::open_one(config, (&backup.name, backup.engine()), &clock, &entropy)?;
        let namespace = kernel.add_namespace(backup.name.clone(), store)?;
        let told = tell_restored(&kernel, &namespace, manifest.stamp);
        namespace.store.close();
        told.with_context(|| format!("namespace `{}` got no new epoch", backup.name))?;
    }
    Ok(())
}

/// The restore in the store's own words: the epoch is renewed and the journal says from what.
fn tell_restored(kernel: &Kernel, namespace: &Namespace, backup: i64) -> Result<()> {
    let (tell, told) = channel();
    let done = Box::new(move |reply| {
        let _ = tell.send(reply);
    });
    kernel.call(namespace, &RESTORED, kernel.request(Caller::server("restore")), backup, done);
    told.recv().context("the store gave no answer")??;
    Ok(())
}

static RESTORED: Op<i64, ()> = Op::new("store.restored", restored);

fn restored(tx: &mut dyn Tx, cx: &mut OpCx<'_>, backup: &i64) -> OpResult<()> {
    kernel::feed::renew_epoch(tx, cx)?;
    cx.fx.journal("store.restored", "store", format!("restored from backup {backup}"));
    Ok(())
}
