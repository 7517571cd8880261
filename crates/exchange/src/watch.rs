//! Looks after what nobody calls about: processes that stand still (EXC-18), files that are due (EXC-6), ledgers (EXC-21). When it
//! begins it has what is too old let go (EXC-22).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernel::rounds::{Watcher, every};
use kernel::{Caller, Kernel, Namespace};

use crate::bodies::FOLLOW;
use crate::folders::{ANY_DUE_NOW, BEGIN, SCAN, Scans};
use crate::ledger::{ALARM, Alarm, LEDGER, LedgerView};
use crate::process::{LATE, TIMEOUT};
use crate::registry::{DATABASES, PartiesOf};
use crate::retention::FORGET_NOW;
use crate::rules::{Bodies, Rules};

/// How often files are looked for: they are laid out within a second.
const FILES_EVERY_MS: u64 = 500;
/// How often processes are looked at.
const PROCESSES_EVERY_MS: u64 = 10_000;
/// What lies between the end of one process and the next.
const PROCESS_PAUSE_MS: u64 = 1;
/// How often ledgers are compared with what is there.
const LEDGERS_EVERY_MS: u64 = 300_000;
/// What lies between one ledger and the next.
const LEDGER_PAUSE_MS: u64 = 10;
/// Databases of one look at their list.
const DATABASES_AT_ONCE: u32 = 100;

/// Keeps looking until it is dropped.
pub struct Watch {
    _looks: Arc<Looks>,
}

struct Looks {
    kernel: Kernel,
    /// What was last told of ledgers.
    told: Mutex<Told>,
    /// Places of namespaces whose rows are in line with where bodies are.
    followed: Mutex<BTreeSet<String>>,
}

/// Whether a ledger balances, by its namespace and the id of its database.
type Told = BTreeMap<(String, String), bool>;

impl Watch {
    /// Starts looking.
    #[must_use]
    pub fn start(kernel: &Kernel) -> Self {
        let looks = Arc::new(Looks { kernel: kernel.clone(), told: Mutex::default(), followed: Mutex::default() });
        kernel.namespaces().iter().filter(|ns| ns.works()).for_each(|ns| looks.forget_old(ns));
        every(&looks, PROCESSES_EVERY_MS, |looks, ns| looks.end_overdue(ns));
        every(&looks, FILES_EVERY_MS, |looks, ns| looks.lay_files(ns));
        every(&looks, LEDGERS_EVERY_MS, |looks, ns| looks.compare_ledgers(ns, String::new()));
        Self { _looks: looks }
    }
}

impl Watcher for Looks {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }
}

impl Looks {
    fn end_overdue(self: &Arc<Self>, ns: &Arc<Namespace>) {
        let (weak, namespace) = (Arc::downgrade(self), ns.clone());
        let told = move |late: base::OpResult<Vec<String>>| match late {
            Ok(late) => {
                if let Some(looks) = weak.upgrade() {
                    looks.end_next(&namespace, late.into());
                }
            }
            Err(error) => {
                tracing::warn!(%error, namespace = namespace.name, "processes that stand still were not looked for");
            }
        };
        self.kernel.read(ns, &LATE, (), Box::new(told));
    }

    /// One after the other. What fails is seen again with the next look.
    fn end_next(self: &Arc<Self>, ns: &Arc<Namespace>, mut late: VecDeque<String>) {
        let Some(id) = late.pop_front() else { return };
        let (weak, namespace) = (Arc::downgrade(self), ns.clone());
        let done = move |answer: base::OpResult<kernel::Reply<()>>| {
            if let Err(error) = answer {
                tracing::warn!(%error, namespace = namespace.name, "a process that stands still cannot be ended, and is looked at again");
            }
            let Some(looks) = weak.upgrade() else { return };
            let next = move || {
                if let Some(looks) = weak.upgrade() {
                    looks.end_next(&namespace, late);
                }
            };
            looks.kernel.env().timers.after(PROCESS_PAUSE_MS, Box::new(next));
        };
        let request = self.kernel.request(Caller::server("exchange"));
        self.kernel.call(ns, &TIMEOUT, request, id, Box::new(done));
    }

    fn forget_old(&self, ns: &Namespace) {
        let request = self.kernel.request(Caller::server("exchange"));
        self.kernel.call(ns, &FORGET_NOW, request, (), Box::new(|_| {}));
    }

    /// Those after this one, a portion at a time.
    fn compare_ledgers(self: &Arc<Self>, ns: &Arc<Namespace>, after: String) {
        let (weak, namespace) = (Arc::downgrade(self), ns.clone());
        let told = move |found: base::OpResult<Vec<crate::registry::DatabaseView>>| {
            let (Some(looks), Ok(found)) = (weak.upgrade(), found) else { return };
            let ids: Vec<String> = found.into_iter().map(|database| database.id).collect();
            looks.compare_next(&namespace, ids);
        };
        let wanted = PartiesOf { after, limit: DATABASES_AT_ONCE, ..PartiesOf::default() };
        self.kernel.read(ns, &DATABASES, wanted, Box::new(told));
    }

    /// One after the other, with a pause: each may be a long read.
    fn compare_next(self: &Arc<Self>, ns: &Arc<Namespace>, mut ids: Vec<String>) {
        if ids.is_empty() {
            return;
        }
        let (id, is_last) = (ids.remove(0), ids.is_empty());
        let (weak, namespace, after) = (Arc::downgrade(self), ns.clone(), id.clone());
        let told = move |found: base::OpResult<LedgerView>| {
            let Some(looks) = weak.upgrade() else { return };
            found.iter().for_each(|ledger| looks.tell(&namespace, ledger));
            let then = Arc::downgrade(&looks);
            let next = move || {
                let Some(looks) = then.upgrade() else { return };
                if is_last { looks.compare_ledgers(&namespace, after) } else { looks.compare_next(&namespace, ids) }
            };
            looks.kernel.env().timers.after(LEDGER_PAUSE_MS, Box::new(next));
        };
        self.kernel.read(ns, &LEDGER, id, Box::new(told));
    }

    /// Tells what changed since it was last told; at first, that it is well, because an alert may be open from before.
    fn tell(self: &Arc<Self>, ns: &Namespace, ledger: &LedgerView) {
        let key = (ns.name.clone(), ledger.db.clone());
        if self.told().insert(key.clone(), ledger.balances) == Some(ledger.balances) {
            return;
        }
        let wrong = (!ledger.balances).then(|| {
            let text = serde_json::to_string(ledger).unwrap_or_default();
            format!("The ledger of database {} does not balance: {text}", ledger.db)
        });
        let request = self.kernel.request(Caller::server("exchange"));
        let weak = Arc::downgrade(self);
        let done = move |answer: base::OpResult<kernel::Reply<()>>| {
            if let (Some(looks), Err(_)) = (weak.upgrade(), answer) {
                // Nobody was told: with the next look.
                looks.told().remove(&key);
            }
        };
        self.kernel.call(ns, &ALARM, request, Alarm { db: ledger.db.clone(), wrong }, Box::new(done));
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A namespace that came to this server, from a copy or from another one, may have had its bodies elsewhere.
    fn follow(self: &Arc<Self>, ns: &Arc<Namespace>) {
        let (weak, namespace) = (Arc::downgrade(self), ns.clone());
        let done = move |more: base::OpResult<kernel::Reply<bool>>| {
            let Some(looks) = weak.upgrade() else { return };
            match more {
                Ok(more) if more.out => looks.follow(&namespace),
                Ok(_) => {}
                // With the next look.
                Err(_) => drop(looks.followed().remove(&namespace.place())),
            }
        };
        let request = self.kernel.request(Caller::server("exchange"));
        self.kernel.call(ns, &FOLLOW, request, (), Box::new(done));
    }

    fn followed(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lay_files(self: &Arc<Self>, ns: &Arc<Namespace>) {
        if self.followed().insert(ns.place()) {
            self.follow(ns);
        }
        let bodies = self.kernel.common::<Rules>().get().bodies;
        if bodies == Bodies::Store {
            return;
        }
        if bodies == Bodies::Folders && self.kernel.common::<Scans>().is_due(&self.kernel, ns) {
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
