//! The round: once a second, what memory holds goes to the store; every few seconds, a look at how things stand.
//!
//! It asks and goes on; whatever fails is asked again in a later round.

use std::sync::{Arc, Weak};

use base::{Health, Id, OpResult};

use super::retention::Kept;
use super::setting::{CONFIGURE, Configure, Setting};
use crate::alerts::set_channels::OWN_CHANNELS;
use crate::alerts::summary::SUMMARY;
use crate::alerts::wake::WAKE_KINDS;
use crate::alerts::{self, AlertSettings, Channel};
use crate::call::Reply;
use crate::counters::FLUSH;
use crate::journal::{JOURNAL_LATE, LATE_MAX};
use crate::kernel::{Inner, Kernel, Namespace};
use crate::overview::{COUNT_STUCK, Look, StuckCounts};
use crate::request::Caller;
use crate::{counters, journal};

/// Rounds between two looks at settings and alerts.
const LOOK_EVERY: u64 = 5;
/// Rounds between two searches for kinds that are late; a multiple of the former.
const WAKE_EVERY: u64 = 60;

impl Kernel {
    /// Starts watching over all namespaces, those to come included, until the kernel is gone.
    pub fn watch_over(&self) {
        let mut chance = [0; 10];
        self.env().entropy.fill(&mut chance);
        let life = Id::new(self.env().clock.wall(), chance);
        round(self, life, 0);
    }

    /// Brings to the store what memory holds, once, before the stores are closed.
    pub fn flush_watched(&self) {
        let life = Id::new(self.env().clock.wall(), [0; 10]);
        self.namespaces().iter().for_each(|ns| bring(self, ns, life));
    }
}

fn round(kernel: &Kernel, life: Id, number: u64) {
    for ns in kernel.namespaces() {
        bring(kernel, &ns, life);
    }
    if number.is_multiple_of(LOOK_EVERY) {
        look(kernel, number);
    }
    let again: Weak<Inner> = kernel.downgrade();
    let then = move || {
        if let Some(kernel) = Kernel::upgrade(&again) {
            round(&kernel, life, number + 1);
        }
    };
    kernel.env().timers.after(kernel.config().watch.round_ms, Box::new(then));
}

/// Counters and late lines, unless the store would refuse them anyway. What charts show of the last minutes is not the store's.
fn bring(kernel: &Kernel, ns: &Arc<Namespace>, life: Id) {
    ns.watched.counters.gather(kernel.env().clock.wall());
    if ns.store.health() != Health::Good {
        return;
    }
    flush_counters(kernel, ns, life);
    if !ns.watched.later.is_empty() {
        journal_late(kernel, ns);
    }
}

fn flush_counters(kernel: &Kernel, ns: &Arc<Namespace>, life: Id) {
    let Some(batch) = ns.watched.counters.begin(&kernel.config().watch.node, life) else { return };
    let namespace = ns.clone();
    let done = Box::new(move |reply: OpResult<Reply<bool>>| {
        // A bug comes again however often it is tried; the next batch must not wait for it.
        let bug = reply.as_ref().err().filter(|error| error.code.letter() == 'B');
        if let Some(error) = bug {
            tracing::error!(namespace = namespace.name, %error, "a batch of counters is dropped");
        }
        namespace.watched.counters.end(reply.is_ok() || bug.is_some());
    });
    kernel.call(ns, &FLUSH, kernel.request(Caller::server("counters")), batch, done);
}

fn journal_late(kernel: &Kernel, ns: &Arc<Namespace>) {
    let env = (kernel.env().clock.as_ref(), kernel.env().entropy.as_ref());
    let lines = ns.watched.later.begin(env, LATE_MAX);
    if lines.is_empty() {
        return;
    }
    let namespace = ns.clone();
    let done = Box::new(move |reply: OpResult<Reply<()>>| namespace.watched.later.end(reply.is_ok()));
    kernel.call(ns, &JOURNAL_LATE, kernel.request(Caller::server("journal")), lines, done);
}

/// Looks at the administrators' channels, which are everybody's default, then at every namespace.
fn look(kernel: &Kernel, number: u64) {
    let again = kernel.clone();
    let done = Box::new(move |own: OpResult<Vec<Channel>>| {
        let Ok(own) = own else { return };
        for ns in again.namespaces() {
            configure(&again, &ns, &own);
            look_at_alerts(&again, &ns, number);
            count_stuck(&again, &ns);
        }
    });
    kernel.read(&kernel.admin_namespace(), &OWN_CHANNELS, (), done);
}

/// Tells a namespace's tasks what the configuration says, if that is not what they were told last.
fn configure(kernel: &Kernel, ns: &Arc<Namespace>, admin_channels: &[Channel]) {
    let settings = settings(kernel, &ns.name, admin_channels);
    if ns.watched.is_configured(&settings) || ns.store.health() != Health::Good {
        return;
    }
    let (namespace, told) = (ns.clone(), settings.clone());
    let done = Box::new(move |reply: OpResult<Reply<()>>| {
        if reply.is_ok() {
            namespace.watched.configured(told);
        }
    });
    kernel.call(ns, &CONFIGURE, kernel.request(Caller::server("settings")), Configure { settings }, done);
}

fn settings(kernel: &Kernel, namespace: &str, admin_channels: &[Channel]) -> Vec<Setting> {
    let config = &kernel.config().watch;
    let channels = if admin_channels.is_empty() { config.alerts.channels.clone() } else { admin_channels.to_vec() };
    let alerts = AlertSettings { namespace: namespace.to_owned(), channels, ..config.alerts.clone() };
    vec![
        Setting::of(alerts::SETTING, &alerts),
        Setting::of(journal::SETTING, &Kept { kept_ms: config.journal_kept_ms }),
        Setting::of(counters::SETTING, &Kept { kept_ms: config.counters_kept_ms }),
        Setting::of(counters::MINUTES_SETTING, &Kept { kept_ms: config.minutes_kept_ms }),
    ]
}

fn count_stuck(kernel: &Kernel, ns: &Arc<Namespace>) {
    let namespace = ns.clone();
    let done = Box::new(move |counts: OpResult<StuckCounts>| {
        counts.into_iter().for_each(|counts| namespace.watched.counted_stuck(counts));
    });
    kernel.read(ns, &COUNT_STUCK, Look::at(kernel), done);
}

fn look_at_alerts(kernel: &Kernel, ns: &Arc<Namespace>, number: u64) {
    let (again, namespace) = (kernel.clone(), ns.clone());
    let done = Box::new(move |summary: OpResult<alerts::summary::Summary>| {
        let Ok(summary) = summary else { return };
        if summary.late_kinds > 0 && number.is_multiple_of(WAKE_EVERY) {
            let request = again.request(Caller::server("alerts"));
            again.call(&namespace, &WAKE_KINDS, request, (), Box::new(|_| {}));
        }
        namespace.watched.looked(summary);
    });
    kernel.read(ns, &SUMMARY, (), done);
}
