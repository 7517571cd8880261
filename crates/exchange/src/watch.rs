//! Looks after what nobody calls about: processes that stand still (EXC-18), and files that are due (EXC-6).

use std::sync::Arc;

use base::Health;
use kernel::{Caller, Kernel, Namespace};

use crate::folders::{ANY_DUE_NOW, BEGIN, SCAN, Scans};
use crate::process::TIMEOUTS;
use crate::rules::{Bodies, Rules};

/// How often files are looked for: they are laid out within a second.
const FILES_EVERY_MS: u64 = 500;
/// How often processes are looked at.
const PROCESSES_EVERY_MS: u64 = 10_000;

/// Keeps looking until it is dropped.
pub struct Watch {
    _looks: Arc<Looks>,
}

struct Looks {
    kernel: Kernel,
}

impl Watch {
    /// Starts looking.
    #[must_use]
    pub fn start(kernel: &Kernel) -> Self {
        let looks = Arc::new(Looks { kernel: kernel.clone() });
        every(&looks, PROCESSES_EVERY_MS, |looks, ns| looks.end_overdue(ns));
        every(&looks, FILES_EVERY_MS, |looks, ns| looks.lay_files(ns));
        Self { _looks: looks }
    }
}

/// Does this with all namespaces, those that came since included, and comes again.
fn every(looks: &Arc<Looks>, ms: u64, what: fn(&Arc<Looks>, &Arc<Namespace>)) {
    let all = looks.kernel.namespaces();
    all.iter().filter(|ns| ns.works() && ns.store.health() == Health::Good).for_each(|ns| what(looks, ns));
    let again = Arc::downgrade(looks);
    let then = move || again.upgrade().iter().for_each(|looks| every(looks, ms, what));
    looks.kernel.env().timers.after(ms, Box::new(then));
}

impl Looks {
    /// What fails is seen again with the next look.
    fn end_overdue(self: &Arc<Self>, ns: &Arc<Namespace>) {
        let (weak, namespace) = (Arc::downgrade(self), ns.clone());
        let request = self.kernel.request(Caller::server("exchange"));
        let done = move |more: base::OpResult<kernel::Reply<bool>>| {
            if let (Some(looks), Ok(more)) = (weak.upgrade(), more)
                && more.out
            {
                looks.end_overdue(&namespace);
            }
        };
        self.kernel.call(ns, &TIMEOUTS, request, (), Box::new(done));
    }

    fn lay_files(self: &Arc<Self>, ns: &Arc<Namespace>) {
        if self.kernel.common::<Rules>().get().bodies != Bodies::Folders {
            return;
        }
        if self.kernel.common::<Scans>().is_due(&self.kernel, ns) {
            let request = self.kernel.request(Caller::server("exchange"));
            self.kernel.call(ns, &SCAN, request, None, Box::new(|_| {}));
        }
        let (weak, namespace) = (Arc::downgrade(self), ns.clone());
        let told = move |due: base::OpResult<bool>| {
            if let (Some(looks), Ok(true)) = (weak.upgrade(), due) {
                let request = looks.kernel.request(Caller::server("exchange"));
                looks.kernel.call(&namespace, &BEGIN, request, (), Box::new(|_| {}));
            }
        };
        self.kernel.read(ns, &ANY_DUE_NOW, (), Box::new(told));
    }
}
