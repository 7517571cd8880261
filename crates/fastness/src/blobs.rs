//! Where the bytes of blobs lie, as configured; how long they are kept; and how many there are, as metrics.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use base::limits::{BLOB_DELAY_MS, OP_TIME_MS};
use base::{BlobPlaces, Blobs, OpResult};
use host::{DiskPlaces, S3Config, S3Places};
use kernel::blobs::{Rule, SET_RULE, USAGE, Usage};
use kernel::{Caller, Kernel, Namespace};

use crate::config::{BlobPlace, Config};

/// Longer than an operation takes: only a store that hangs answers later.
const RULE_TIMEOUT: Duration = Duration::from_millis(OP_TIME_MS + 5_000);

/// How many blobs are listed at once to be removed.
const CLEARED_AT_ONCE: usize = 1_000;

/// The places of all namespaces.
pub(crate) fn open(config: &Config) -> Result<Arc<dyn BlobPlaces>> {
    match config.blobs.place {
        BlobPlace::Local => Ok(Arc::new(DiskPlaces::below(&config.data.dir))),
        BlobPlace::S3 => {
            Ok(Arc::new(S3Places::open(s3(config)?).context("blobs.url is not the address of a storage")?))
        }
    }
}

fn s3(config: &Config) -> Result<S3Config> {
    let blobs = &config.blobs;
    Ok(S3Config {
        url: blobs.url.clone(),
        bucket: blobs.bucket.clone(),
        region: blobs.region.clone(),
        access_key: blobs.access_key.as_ref().context("blobs.access_key is not set")?.expose().to_owned(),
        secret_key: blobs.secret_key.as_ref().context("blobs.secret_key is not set")?.expose().to_owned(),
    })
}

/// Removes all blobs of a namespace to try things in whose store is gone; a repeat is harmless. On the disk its folder has taken them along.
pub(crate) fn destroy(config: &Config, places: &dyn BlobPlaces, place: &str) -> Result<()> {
    match config.blobs.place {
        BlobPlace::Local => Ok(()),
        BlobPlace::S3 => clear(places.place(place)?.as_ref()).context("its blobs cannot be removed from the storage"),
    }
}

fn clear(blobs: &dyn Blobs) -> Result<()> {
    loop {
        let names = blobs.list(None, CLEARED_AT_ONCE)?;
        let Some(first) = names.first() else { return Ok(()) };
        for name in &names {
            blobs.remove(name)?;
        }
        ensure!(blobs.size(first)?.is_none(), "the storage keeps {first}, which was removed");
    }
}

/// How long blobs are kept, as configured.
pub(crate) fn rule(config: &Config) -> Result<Rule> {
    Ok(Rule { grace_ms: i64::try_from(config.blobs.grace.as_millis())?, delay_ms: BLOB_DELAY_MS })
}

/// Tells a namespace how long blobs are kept; blocks. One whose store does not take it now keeps what it was told before.
pub(crate) fn set_rule(kernel: &Kernel, ns: &Namespace, rule: Rule) {
    let (tell, told) = mpsc::channel();
    let done = Box::new(move |reply: OpResult<kernel::Reply<()>>| drop(tell.send(reply)));
    kernel.call(ns, &SET_RULE, kernel.request(Caller::server("blobs")), rule, done);
    let reason = match told.recv_timeout(RULE_TIMEOUT) {
        Ok(Ok(_)) => return,
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    };
    tracing::warn!(namespace = ns.name, reason, "how long blobs are kept was not changed");
}

/// Shows how much a namespace stores.
pub(crate) fn measure(kernel: &Kernel, ns: &Namespace) {
    let name = ns.name.clone();
    let show = move |usage: OpResult<Usage>| {
        let Ok(usage) = usage else { return };
        metrics::gauge!("fastness_blobs", "namespace" => name.clone()).set(as_gauge(usage.blobs));
        metrics::gauge!("fastness_blob_bytes", "namespace" => name).set(as_gauge(usage.bytes));
    };
    kernel.read(ns, &USAGE, (), Box::new(show));
}

#[expect(clippy::cast_precision_loss, reason = "a gauge is a float; beyond 2^53 bytes the last digits do not matter")]
fn as_gauge(count: i64) -> f64 {
    count as f64
}
