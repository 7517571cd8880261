//! Signals from a message broker's queue (SEN-2), and how the silence watch learns that none wait there (SEN-6).
//!
//! Every message ends: as a state, as one of an unknown sensor, or among the rejected with the reason. Only a store that does not take
//! it makes it come again.

use std::sync::{Arc, Mutex, PoisonError};

use base::{BrokerState, BrokerWatch, Delivery, OpResult, Settle, Sink, Taken, Wall};
use kernel::{Caller, Kernel, Namespace, Reply};

use crate::ahead;
use crate::desk;
use crate::ear::{LEVEL, Level, Word};
use crate::judging::{Item, Outcome};
use crate::limits::{REJECTED_BYTES_MAX, SIGNAL_BYTES_MAX};

/// The way on which these signals come.
const SOURCE: &str = "amqp";
/// Pause before the store is told again that there is a broker.
const AGAIN_MS: u64 = 60_000;
/// The same when the store did not take it.
const SOON_MS: u64 = 1_000;

/// Takes signals for one namespace.
pub struct Intake {
    kernel: Kernel,
    namespace: String,
    /// Of which node.
    node: String,
}

impl Intake {
    /// For this namespace; from now on nobody is silent there while its queue is not drained.
    #[must_use]
    pub fn start(kernel: &Kernel, namespace: &str, node: &str) -> Arc<Self> {
        let (namespace, node) = (namespace.to_owned(), node.to_owned());
        say(kernel, namespace.clone(), Word { by: node.clone(), how: Level::Watched });
        Arc::new(Self { kernel: kernel.clone(), namespace, node })
    }

    /// The namespace, unless it is closed or read-only.
    fn open(&self) -> Option<Arc<Namespace>> {
        self.kernel.namespace(&self.namespace).ok().filter(|ns| ns.works())
    }
}

/// The store decides by it who counts as silent.
fn say(kernel: &Kernel, namespace: String, word: Word) {
    let again = kernel.clone();
    let timers = kernel.env().timers.clone();
    let Ok(ns) = kernel.namespace(&namespace) else {
        // One that is to come.
        return timers.after(AGAIN_MS, Box::new(move || say(&again, namespace, word)));
    };
    let said = word.clone();
    let done = move |reply: OpResult<Reply<()>>| {
        let pause_ms = if let Err(error) = reply {
            tracing::warn!(namespace, %error, "the store does not know yet how signals come");
            SOON_MS
        } else {
            AGAIN_MS
        };
        timers.after(pause_ms, Box::new(move || say(&again, namespace, word)));
    };
    kernel.call(&ns, &LEVEL, kernel.request(Caller::server("sensors")), said, Box::new(done));
}

impl Sink for Intake {
    fn take(&self, batch: Arc<[Delivery]>, settle: Settle) {
        let Some(ns) = self.open() else {
            tracing::warn!(namespace = self.namespace, "signals of the broker wait: the namespace takes nothing");
            return settle(vec![Taken::Again; batch.len()]);
        };
        let now = self.kernel.env().clock.wall();
        let (items, are_ahead): (Vec<Item>, Vec<bool>) = batch.iter().map(|delivery| item(delivery, now)).unzip();
        ahead::count(&self.kernel, &ns, SOURCE, &are_ahead);
        desk::take(&self.kernel, &ns, items, Box::new(move |outcomes| settle(outcomes.iter().map(taken).collect())));
    }

    fn level(&self) {
        let Some(ns) = self.open() else { return };
        let done = |reply: OpResult<Reply<()>>| {
            if let Err(error) = reply {
                tracing::warn!(%error, "the store does not know that no signals wait");
            }
        };
        let request = self.kernel.request(Caller::server("sensors"));
        let word = Word { by: self.node.clone(), how: Level::Drained };
        self.kernel.call(&ns, &LEVEL, request, word, Box::new(done));
    }
}

/// What was not taken is offered again. What was done of it already changes nothing then, if it has an id or a time.
fn taken(outcome: &OpResult<Outcome>) -> Taken {
    match outcome {
        Ok(_) => Taken::Done,
        Err(_) => Taken::Again,
    }
}

/// A signal without an id of its own has the message's. Also whether its time is too far ahead to count.
fn item(delivery: &Delivery, now: Wall) -> (Item, bool) {
    if delivery.body.len() > SIGNAL_BYTES_MAX {
        let reason = format!("{} bytes, at most {SIGNAL_BYTES_MAX}", delivery.body.len());
        let body = String::from_utf8_lossy(&delivery.body[..REJECTED_BYTES_MAX]).replace('\0', "\u{FFFD}");
        return (Item::Rejected { source: SOURCE, reason, body }, false);
    }
    Item::read(&delivery.body, SOURCE, now, delivery.id.as_deref())
}

/// How it stands with the broker, for whoever shows it (`kernel.common::<Brokers>()`).
#[derive(Debug, Default)]
pub struct Brokers(Mutex<Vec<(String, Arc<BrokerWatch>)>>);

impl Brokers {
    /// Shows one more, under this name.
    pub fn show(&self, name: &str, watch: Arc<BrokerWatch>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((name.to_owned(), watch));
    }

    /// How each stands now; empty where none is configured.
    #[must_use]
    pub fn states(&self) -> Vec<(String, BrokerState)> {
        let shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.iter().map(|(name, watch)| (name.clone(), watch.state())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::key_of;

    const NOW: Wall = Wall(1_794_744_000_000);

    fn of(body: &str, id: Option<&str>) -> Item {
        item(&Delivery { body: body.into(), id: id.map(str::to_owned), redelivered: false }, NOW).0
    }

    fn key(item: Item) -> Option<u64> {
        let Item::Signal { signal, .. } = item else { panic!("{item:?}") };
        signal.key
    }

    #[test]
    fn sen_2_a_signal_has_its_own_id_or_the_one_of_its_message() {
        assert_eq!(key(of(r#"{"sensor_id":"a","data":1}"#, None)), None);
        assert_eq!(key(of(r#"{"sensor_id":"a","data":1}"#, Some("m"))), Some(key_of("m")));
        assert_eq!(key(of(r#"{"sensor_id":"a","data":1,"id":"s"}"#, Some("m"))), Some(key_of("s")));
    }

    #[test]
    fn sen_2_a_huge_message_is_rejected_unread() {
        let Item::Rejected { reason, body, source } = of(&"[".repeat(1_000_000), None) else { panic!("taken") };
        assert_eq!((source, body.len()), ("amqp", REJECTED_BYTES_MAX));
        assert!(reason.contains("1000000 bytes"), "{reason}");
    }
}
