//! Looks every few seconds whether a batch is full, or has waited for its time (SEN-11: 60 s or 10,000 rows).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use base::{Health, OpResult, Ran};
use kernel::{Caller, Kernel, Namespace};

use super::GATHER_MS;
use super::begin::{BEGIN, WAITING, Waiting};
use crate::history::Archives;

/// How often.
const LOOK_EVERY_MS: u64 = 5_000;

/// Keeps looking until it is dropped.
pub struct Exporter {
    _looks: Arc<Looks>,
}

struct Looks {
    kernel: Kernel,
    /// Since when something waits in each namespace, as far as this process knows.
    since: Mutex<BTreeMap<String, Ran>>,
}

impl Exporter {
    /// Starts looking, where an archive is configured.
    #[must_use]
    pub fn start(kernel: &Kernel) -> Self {
        let looks = Arc::new(Looks { kernel: kernel.clone(), since: Mutex::default() });
        look(&looks);
        Self { _looks: looks }
    }
}

/// Looks at all namespaces, those that came since included, and comes again.
fn look(looks: &Arc<Looks>) {
    if looks.kernel.common::<Archives>().get().is_some() {
        let all = looks.kernel.namespaces();
        all.iter().filter(|ns| ns.works() && ns.store.health() == Health::Good).for_each(|ns| ask(looks, ns));
    }
    let again = Arc::downgrade(looks);
    let then = move || again.upgrade().iter().for_each(look);
    looks.kernel.env().timers.after(LOOK_EVERY_MS, Box::new(then));
}

fn ask(looks: &Arc<Looks>, ns: &Arc<Namespace>) {
    let (weak, namespace): (Weak<Looks>, _) = (Arc::downgrade(looks), ns.clone());
    let told = move |waiting: OpResult<Waiting>| {
        let (Some(looks), Ok(waiting)) = (weak.upgrade(), waiting) else { return };
        if looks.is_due(&namespace.name, waiting) {
            let request = looks.kernel.request(Caller::server("sensors"));
            // What fails is seen again with the next look.
            looks.kernel.call(&namespace, &BEGIN, request, (), Box::new(|_| {}));
        }
    };
    looks.kernel.read(ns, &WAITING, (), Box::new(told));
}

impl Looks {
    fn is_due(&self, namespace: &str, waiting: Waiting) -> bool {
        let now = Ran(self.kernel.env().clock.ran_ms());
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        let due = match waiting {
            Waiting::Nothing | Waiting::Moving => {
                since.remove(namespace);
                return false;
            }
            Waiting::Some => {
                let first = *since.entry(namespace.to_owned()).or_insert(now);
                // The next look would come too late.
                now.since_ms(first) + LOOK_EVERY_MS > GATHER_MS
            }
            Waiting::Much => true,
        };
        if due {
            since.remove(namespace);
        }
        due
    }
}
