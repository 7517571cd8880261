//! Signals from a message broker's queue (SEN-2), and how the silence watch learns that none wait there (SEN-6).
//!
//! Every message ends: as a state, as one of an unknown sensor, or among the rejected with the reason. Only a store that does not take
//! it makes it come again.

use std::sync::{Arc, Mutex, PoisonError};

use base::{BrokerState, BrokerWatch, Delivery, OpError, OpResult, Settle, Sink, Taken, Wall};
use kernel::{Caller, Kernel, Namespace, Reply};

use crate::desk;
use crate::ear::{LEVEL, Level};
use crate::judging::{Item, Outcome};
use crate::limits::{REJECTED_BYTES_MAX, SIGNAL_BYTES_MAX};
use crate::signal::key_of;

/// The way on which these signals come.
const SOURCE: &str = "amqp";
/// Pause before the store is told again that a broker is to be listened to.
const AGAIN_MS: u64 = 1_000;

/// Takes signals for one namespace.
pub struct Intake {
    kernel: Kernel,
    namespace: String,
}

impl Intake {
    /// For this namespace; from now on nobody is silent there while its queue is not drained.
    #[must_use]
    pub fn start(kernel: &Kernel, namespace: &str) -> Arc<Self> {
        let intake = Arc::new(Self { kernel: kernel.clone(), namespace: namespace.to_owned() });
        say(kernel, namespace.to_owned(), Level::Watched);
        intake
    }

    fn open(&self) -> OpResult<Arc<Namespace>> {
        let ns = self.kernel.namespace(&self.namespace)?;
        self.kernel.check_change(&ns, &Caller::server("sensors"))?;
        Ok(ns)
    }
}

/// In all namespaces but this one there is no broker that could be behind.
pub fn listen_alone_but(kernel: &Kernel, namespace: Option<&str>) {
    for ns in kernel.namespaces() {
        if namespace != Some(ns.name.as_str()) {
            say(kernel, ns.name.clone(), Level::Alone);
        }
    }
}

/// Until the store has taken it: it decides who counts as silent.
fn say(kernel: &Kernel, namespace: String, level: Level) {
    let again = {
        let kernel = kernel.clone();
        move |error: OpError, namespace: String| {
            tracing::warn!(namespace, %error, "the store does not know yet how signals come");
            let (timers, next) = (kernel.env().timers.clone(), kernel.clone());
            timers.after(AGAIN_MS, Box::new(move || say(&next, namespace, level)));
        }
    };
    match kernel.namespace(&namespace) {
        Err(error) => again(error, namespace),
        Ok(ns) => {
            let done =
                move |reply: OpResult<Reply<()>>| reply.map(drop).unwrap_or_else(|error| again(error, namespace));
            kernel.call(&ns, &LEVEL, kernel.request(Caller::server("sensors")), level, Box::new(done));
        }
    }
}

impl Sink for Intake {
    fn take(&self, batch: Arc<[Delivery]>, settle: Settle) {
        let ns = match self.open() {
            Ok(ns) => ns,
            Err(error) => {
                tracing::warn!(namespace = self.namespace, %error, "signals of the broker wait");
                return settle(vec![Taken::Again; batch.len()]);
            }
        };
        let now = self.kernel.env().clock.wall();
        let items = batch.iter().map(|delivery| item(delivery, now)).collect();
        desk::take(&self.kernel, &ns, items, Box::new(move |outcomes| settle(outcomes.iter().map(taken).collect())));
    }

    fn level(&self) {
        let Ok(ns) = self.open() else { return };
        let done = |reply: OpResult<Reply<()>>| {
            if let Err(error) = reply {
                tracing::warn!(%error, "the store does not know that no signals wait");
            }
        };
        let request = self.kernel.request(Caller::server("sensors"));
        self.kernel.call(&ns, &LEVEL, request, Level::Drained, Box::new(done));
    }
}

/// What was not taken is offered again; what was done of it already changes nothing then.
fn taken(outcome: &OpResult<Outcome>) -> Taken {
    match outcome {
        Ok(_) => Taken::Done,
        Err(_) => Taken::Again,
    }
}

/// A signal without an id of its own has the message's.
fn item(delivery: &Delivery, now: Wall) -> Item {
    if delivery.body.len() > SIGNAL_BYTES_MAX {
        let reason = format!("{} bytes, at most {SIGNAL_BYTES_MAX}", delivery.body.len());
        let body = String::from_utf8_lossy(&delivery.body[..REJECTED_BYTES_MAX]).replace('\0', "\u{FFFD}");
        return Item::Rejected { source: SOURCE, reason, body };
    }
    let mut item = Item::of(&delivery.body, SOURCE, now);
    if let (Item::Signal { signal, .. }, Some(id)) = (&mut item, &delivery.id) {
        signal.key = signal.key.or_else(|| Some(key_of(id)));
    }
    item
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

    const NOW: Wall = Wall(1_794_744_000_000);

    fn of(body: &str, id: Option<&str>) -> Item {
        item(&Delivery { body: body.into(), id: id.map(str::to_owned), redelivered: false }, NOW)
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
