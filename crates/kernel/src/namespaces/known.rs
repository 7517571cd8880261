//! What this node knows of all namespaces, in memory: read from the administrators' store again and again, asked by everybody
//! else without a look into a store.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};

use base::{OpResult, Tx, args};

use super::grants::{GRANTS, GRANTS_MAX};
use super::row::{self, NamespaceRow};
use super::transfers::{Transfer, unfinished};
use crate::kernel::Kernel;
use crate::op::Query;

/// More rows than there can be namespaces.
const NAMESPACES_MAX: u32 = 1_000;

/// Reads everything that a node keeps in memory.
pub static READ_KNOWN: Query<(), Known> = Query::new("namespace.known", read_known);

/// The rows and the grants, as they were committed together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// The namespaces by name.
    pub rows: BTreeMap<String, NamespaceRow>,
    /// Owner, reader, class.
    pub grants: BTreeSet<(String, String, String)>,
    /// Transfers that have not ended, by the namespace's name.
    pub transfers: BTreeMap<String, Transfer>,
}

fn read_known(tx: &mut dyn Tx, (): &()) -> OpResult<Known> {
    let rows = tx.query(&row::ALL, args![NAMESPACES_MAX], NAMESPACES_MAX as usize)?;
    let rows = rows.iter().map(row::from_row).map(|row| (row.name.clone(), row)).collect();
    let grants = tx.query(&GRANTS, args![GRANTS_MAX], GRANTS_MAX as usize)?;
    let text = |row: &base::Row, column| row.text(column).to_owned();
    let grants = grants.iter().map(|row| (text(row, 0), text(row, 1), text(row, 2))).collect();
    let transfers = unfinished(tx)?.into_iter().map(|transfer| (transfer.name.clone(), transfer)).collect();
    Ok(Known { rows, grants, transfers })
}

type Ear = Box<dyn Fn() + Send + Sync>;

/// What a node knows, and who wants to hear when that changes.
#[derive(Default)]
pub struct Registry {
    known: RwLock<Arc<Known>>,
    /// Why a store is not open, by name.
    faults: RwLock<BTreeMap<String, String>>,
    /// Those who read the rows again when they were changed here.
    keepers: RwLock<Vec<Ear>>,
    /// Those who wait for something to come true.
    waiters: RwLock<Vec<Ear>>,
}

fn of<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    // What is behind these locks is whole between any two steps.
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn to<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

impl Registry {
    /// What was last read.
    #[must_use]
    pub fn known(&self) -> Arc<Known> {
        of(&self.known).clone()
    }

    /// Takes in what was read.
    pub fn learn(&self, known: Known) {
        *to(&self.known) = Arc::new(known);
        self.turned();
    }

    /// Why the store of a namespace is not open.
    #[must_use]
    pub fn fault(&self, name: &str) -> Option<String> {
        of(&self.faults).get(name).cloned()
    }

    /// Remembers why a store is not open, or that it is.
    pub fn set_fault(&self, name: &str, reason: Option<String>) {
        match reason {
            Some(reason) => to(&self.faults).insert(name.to_owned(), reason),
            None => to(&self.faults).remove(name),
        };
        self.turned();
    }

    /// Tells `ear` whenever rows were changed through this node; it must return at once.
    pub fn on_change(&self, ear: impl Fn() + Send + Sync + 'static) {
        to(&self.keepers).push(Box::new(ear));
    }

    /// Tells `ear` whenever what this node knows or has open may have changed; it must return at once.
    pub fn on_turn(&self, ear: impl Fn() + Send + Sync + 'static) {
        to(&self.waiters).push(Box::new(ear));
    }

    /// Rows were changed through this node.
    pub fn changed(&self) {
        of(&self.keepers).iter().for_each(|ear| ear());
    }

    /// Something may have come true.
    pub fn turned(&self) {
        of(&self.waiters).iter().for_each(|ear| ear());
    }
}

/// Whether `reader` may read documents of this class of `owner` (KER-1). From memory: a grant that was given or taken counts
/// within 5 seconds on every node.
#[must_use]
pub fn granted(kernel: &Kernel, reader: &str, owner: &str, class: &str) -> bool {
    let grant = (owner.to_owned(), reader.to_owned(), class.to_owned());
    kernel.registry().known().grants.contains(&grant)
}
