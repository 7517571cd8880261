//! The scan (EXC-7, EXC-19): the files of a namespace compared with its rows, and what differs put right.
//!
//! It runs while it is the scan's turn, so that no clerk moves files meanwhile: at a start before the first request, when an administrator
//! asks for it, and after a while as long as something could not be looked at. After a batch that failed, or of which nobody knows what
//! came of it, only the messages that it can have touched are looked at (`again`): what is at rest costs nothing then. Rows are
//! read a page at a time and compared with names and sizes in memory (`judge`, pure); only what differs is looked at again and changed in
//! transactions (`settle`), which change ledgers along. Then surplus files are removed, and foreign ones moved to Error.

mod again;
mod flaw;
mod judge;
mod look;
mod run;
mod settle;
mod start;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use base::Sql;
use kernel::{Kernel, Namespace, OpCx};
use serde::{Deserialize, Serialize};

pub(super) use again::{look_again, look_at};
pub(crate) use flaw::close_unless_any as close_lost_unless_any;
pub(super) use run::scan;
pub use start::recover;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &look::DATABASES,
    &look::PAGE,
    &look::DUE,
    &look::ONE,
    &settle::SEEN,
    &settle::MOVED,
    &flaw::FLAWED,
    &flaw::WHOLE,
    &flaw::ANY_FLAWED,
    &settle::PUT_TEXT,
    &settle::DIGEST,
    &start::CLEANING,
    &start::UNMOVED,
];

/// Key and kind of the alert that files could not be looked at.
pub(crate) const ALERT: &str = "exchange-scan";
/// What could not be looked at is looked at again after so long, then after twice as long, and so on.
const AGAIN_MS: u64 = 60_000;
/// But not later than this.
const AGAIN_MS_MAX: u64 = 3_600_000;

/// A message as its row says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) number: i64,
    /// The name of its file.
    pub(crate) name: String,
    pub(crate) place: String,
    pub(crate) on_disk: Option<String>,
    pub(crate) is_held: bool,
    /// Its text is in the store.
    pub(crate) has_text: bool,
    /// Its text is in a pack.
    pub(crate) is_packed: bool,
    pub(crate) size: i64,
    pub(crate) is_due: bool,
    /// Its file is lost or damaged, which was told.
    pub(crate) is_flawed: bool,
}

impl Known {
    fn is_gone(&self) -> bool {
        self.place == "gone"
    }
}

/// What a scan found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scanned {
    /// Whether all files were looked at.
    pub is_whole: bool,
    /// Files that were looked at.
    pub files: u64,
    /// Messages whose rows or files were put right.
    pub mended: u64,
    /// Foreign files that were moved to Error.
    pub foreign: u64,
    /// What could not be looked at or put right, for people.
    pub problems: Vec<String>,
    /// What was left alone, told once.
    pub left_alone: Vec<String>,
}

/// Tells people what a scan found.
pub(super) fn tell(cx: &mut OpCx<'_>, scanned: &Scanned) {
    for left in &scanned.left_alone {
        cx.fx.journal("exchange.left_alone", "folders", left.clone());
    }
    if scanned.mended + scanned.foreign > 0 {
        let Scanned { files, mended, foreign, .. } = scanned;
        let text = format!("{files} files looked at: {mended} messages put right, {foreign} foreign files in Error");
        cx.fx.journal("exchange.scanned", "folders", text);
    }
    let Some(first) = scanned.problems.first() else {
        if scanned.is_whole {
            cx.fx.close_alert(ALERT);
        }
        return;
    };
    let (many, again) = (scanned.problems.len(), "which is tried again and again");
    let message = format!("{many} folders or files of messages could not be compared with the store, {again}: {first}");
    cx.fx.journal("exchange.scan_failed", "folders", message.clone());
    cx.fx.open_alert(ALERT, ALERT, message);
}

/// Which namespaces of this program want a scan (`kernel.common::<Scans>()`), and what people were told of already.
#[derive(Default)]
pub struct Scans(Mutex<State>);

#[derive(Default)]
struct State {
    /// When the next one is due, by namespace, in time that this program ran; `None`: none is wanted.
    next: BTreeMap<String, Option<u64>>,
    /// How long the last pause was, where something could not be looked at.
    pauses_ms: BTreeMap<String, u64>,
    told: BTreeSet<String>,
}

impl Scans {
    /// Whether a scan of this namespace is to be begun now; it is asked for once a minute until it is done.
    pub(crate) fn is_due(&self, kernel: &Kernel, ns: &Namespace) -> bool {
        let now = kernel.env().clock.ran_ms();
        let mut state = self.lock();
        let next = state.next.entry(ns.name.clone()).or_insert(Some(now));
        let is_due = next.is_some_and(|at| at <= now);
        if is_due {
            *next = Some(now + AGAIN_MS);
        }
        is_due
    }

    /// Whether one is wanted, now or in a while: files may lie where they do not belong.
    #[must_use]
    pub fn is_wanted(&self, namespace: &str) -> bool {
        self.lock().next.get(namespace).is_some_and(Option::is_some)
    }

    /// One is wanted in a while; one that is wanted already is not put off.
    pub(super) fn want(&self, kernel: &Kernel, ns: &Namespace) {
        let now = kernel.env().clock.ran_ms();
        let mut state = self.lock();
        let at = now + state.pauses_ms.get(&ns.name).copied().unwrap_or(AGAIN_MS);
        let next = state.next.get(&ns.name).copied().flatten().map_or(at, |next| next.min(at));
        state.next.insert(ns.name.clone(), Some(next));
    }

    /// One is done. Where something could not be looked at, the next pause is twice as long: all files are looked at for what may be one
    /// that nobody can read.
    fn done(&self, kernel: &Kernel, ns: &Namespace, scanned: &Scanned) {
        let now = kernel.env().clock.ran_ms();
        let mut state = self.lock();
        if scanned.problems.is_empty() {
            state.pauses_ms.remove(&ns.name);
            state.next.insert(ns.name.clone(), None);
            return;
        }
        let pause_ms = state.pauses_ms.get(&ns.name).map_or(AGAIN_MS, |ms| (ms * 2).min(AGAIN_MS_MAX));
        state.pauses_ms.insert(ns.name.clone(), pause_ms);
        state.next.insert(ns.name.clone(), Some(now + pause_ms));
    }

    /// Whether this is told for the first time.
    fn is_news(&self, ns: &Namespace, text: &str) -> bool {
        self.lock().told.insert(format!("{}/{text}", ns.name))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
