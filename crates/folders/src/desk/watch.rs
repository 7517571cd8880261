//! Keeps looking for seats and uploads whose time is over.

use std::sync::Arc;

use base::OpResult;
use kernel::rounds::{Watcher, every};
use kernel::{Caller, Kernel, Namespace, Reply};

use super::lapse::{ANY_LAPSED, LAPSE};

/// How often it looks.
const EVERY_MS: u64 = 1_000;

/// Keeps looking until it is dropped.
pub struct Watch {
    _looks: Arc<Looks>,
}

struct Looks {
    kernel: Kernel,
}

impl Watcher for Looks {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }
}

impl Watch {
    /// Starts looking.
    #[must_use]
    pub fn start(kernel: &Kernel) -> Self {
        let looks = Arc::new(Looks { kernel: kernel.clone() });
        every(&looks, EVERY_MS, |looks, ns| looks.look(ns));
        Self { _looks: looks }
    }
}

impl Looks {
    /// What fails is seen again with the next look.
    fn look(self: &Arc<Self>, ns: &Arc<Namespace>) {
        let (weak, namespace) = (Arc::downgrade(self), ns.clone());
        let told = move |any: OpResult<bool>| {
            if let (Some(looks), Ok(true)) = (weak.upgrade(), any) {
                looks.lapse(&namespace);
            }
        };
        self.kernel.read(ns, &ANY_LAPSED, (), Box::new(told));
    }

    fn lapse(self: &Arc<Self>, ns: &Arc<Namespace>) {
        let (weak, namespace) = (Arc::downgrade(self), ns.clone());
        let done = move |more: OpResult<Reply<bool>>| {
            if let (Some(looks), Ok(more)) = (weak.upgrade(), more)
                && more.out
            {
                looks.lapse(&namespace);
            }
        };
        self.kernel.call(ns, &LAPSE, self.kernel.request(Caller::server("folders")), (), Box::new(done));
    }
}
