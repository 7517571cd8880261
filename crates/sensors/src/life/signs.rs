//! Signs of life on their way to Redis, in the memory of a namespace.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::COARSE_PART;
use crate::ear::Listened;
use crate::id::SensorId;
use crate::limits::DURABLE_PART;

/// More are not kept: then Redis is told that it does not know all.
const KEPT_MAX: usize = 2_000_000;
/// How long the word holds that Redis took what it was brought.
const HEALTHY_MS: u64 = 5_000;
/// How long the word holds that its use is written down.
const USED_MS: u64 = 180_000;

/// Signs of life of a namespace.
#[derive(Default)]
pub(crate) struct Signs(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    signs: HashMap<SensorId, Listened>,
    /// The listening time of the last judgement: all that was heard before it is here or in Redis.
    settled: Option<Listened>,
    healthy_until_ms: u64,
    used_until_ms: u64,
    /// Whether Redis was told that this process began; before, it may lack what the one before it heard.
    greeted: bool,
    /// Whether something is on its way.
    busy: bool,
    /// Under which name Redis knows the namespace.
    key: Option<String>,
}

/// What is to be brought to Redis.
pub(super) struct Load {
    pub(super) key: String,
    pub(super) signs: Vec<(SensorId, Listened)>,
    /// All that was heard up to here is in it, or was brought before.
    pub(super) until: Listened,
    /// Whether what was heard before may be missing.
    pub(super) anew: bool,
}

impl Signs {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Into which part of the silence a sign of life has to be durable in the row.
    pub(crate) fn part(&self, ran_ms: u64) -> i64 {
        let inner = self.lock();
        if ran_ms < inner.healthy_until_ms && ran_ms < inner.used_until_ms { COARSE_PART } else { DURABLE_PART }
    }

    /// These spoke.
    pub(crate) fn add(&self, now: Listened, sensors: impl Iterator<Item = SensorId>) {
        let mut inner = self.lock();
        inner.settled = inner.settled.max(Some(now));
        inner.signs.extend(sensors.map(|sensor| (sensor, now)));
        inner.bound();
    }

    /// Begins to bring what is there; `None` while something is on its way. The namespace's name is asked for at the first time.
    pub(super) fn begin(&self) -> Option<Option<String>> {
        let mut inner = self.lock();
        if std::mem::replace(&mut inner.busy, true) { None } else { Some(inner.key.clone()) }
    }

    /// Under which name Redis knows the namespace, once that is known.
    pub(crate) fn key(&self) -> Option<String> {
        self.lock().key.clone()
    }

    pub(super) fn name(&self, key: String) {
        self.lock().key = Some(key);
    }

    /// What is there now. `idle_at`: the listening time, if nothing is being judged.
    pub(super) fn take(&self, idle_at: Option<Listened>) -> Option<Load> {
        let mut inner = self.lock();
        let until = idle_at.max(inner.settled);
        let (Some(key), Some(until)) = (inner.key.clone(), until) else {
            inner.busy = false;
            return None;
        };
        let anew = !inner.greeted;
        Some(Load { key, signs: std::mem::take(&mut inner.signs).into_iter().collect(), until, anew })
    }

    /// It is there.
    pub(super) fn brought(&self, ran_ms: u64) {
        let mut inner = self.lock();
        (inner.busy, inner.greeted, inner.healthy_until_ms) = (false, true, ran_ms + HEALTHY_MS);
    }

    /// It may not be there, and is brought again.
    pub(super) fn failed(&self, signs: Vec<(SensorId, Listened)>) {
        let mut inner = self.lock();
        (inner.busy, inner.healthy_until_ms) = (false, 0);
        for (sensor, at) in signs {
            let known = inner.signs.entry(sensor).or_insert(at);
            *known = (*known).max(at);
        }
        inner.bound();
    }

    /// That Redis is used is written down.
    pub(super) fn used(&self, ran_ms: u64) {
        self.lock().used_until_ms = ran_ms + USED_MS;
    }
}

impl Inner {
    fn bound(&mut self) {
        if self.signs.len() > KEPT_MAX {
            self.signs.clear();
            (self.greeted, self.healthy_until_ms) = (false, 0);
        }
    }
}
