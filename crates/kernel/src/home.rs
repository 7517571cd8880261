//! What an operation finds around it in its namespace: the name, what services keep in memory there and for all namespaces
//! together, and what the program's services offer to each other.
//!
//! Memory is for caches only: it is gone with the process, and nothing in it may be the only copy of anything. It changes only
//! after COMMIT ([`crate::Effects::when_settled`]).

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::service::ServiceDef;
use crate::tasks::Chores;

/// A value of a service that others find by its type.
pub type Offer = &'static (dyn Any + Send + Sync);

/// Values that services keep, one of each type.
#[derive(Default)]
pub struct Memory(RwLock<BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Memory {
    /// What is kept under a type, made when it is first asked for.
    pub fn get<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&TypeId::of::<T>()).cloned();
        let made = known.unwrap_or_else(|| {
            let mut memory = self.0.write().unwrap_or_else(PoisonError::into_inner);
            memory.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default())).clone()
        });
        made.downcast().unwrap_or_else(|_| unreachable!("kept under its own type"))
    }
}

/// One namespace as its operations see it.
pub struct Home {
    /// Its name.
    pub namespace: String,
    /// Whether it is only there to try things in.
    pub temporary: bool,
    /// Whether it is the administrators' namespace.
    pub administers: bool,
    /// Which tasks are the server's own.
    pub(crate) chores: Arc<Chores>,
    offers: Arc<[Offer]>,
    memory: Memory,
    common: Arc<Memory>,
}

impl Home {
    pub(crate) fn new(namespace: &str, offers: Arc<[Offer]>, common: Arc<Memory>) -> Self {
        let (namespace, memory) = (namespace.to_owned(), Memory::default());
        Self { namespace, temporary: false, administers: false, chores: Arc::default(), offers, memory, common }
    }

    pub(crate) fn chores(self, chores: Arc<Chores>) -> Self {
        Self { chores, ..self }
    }

    pub(crate) fn temporary(self, temporary: bool) -> Self {
        Self { temporary, ..self }
    }

    pub(crate) fn administers(self, administers: bool) -> Self {
        Self { administers, ..self }
    }

    /// No namespace: for whoever runs something that looks at rows only.
    #[must_use]
    pub fn nowhere() -> Self {
        Self::new("", [].into(), Arc::default())
    }

    /// All that the program's services offer of a type, in their order.
    pub fn offered<T: Any>(&self) -> impl Iterator<Item = &'static T> {
        self.offers.iter().filter_map(|offer| offer.downcast_ref::<T>())
    }

    /// What is kept in memory under a type in this namespace, made when it is first asked for.
    pub fn memory<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        self.memory.get()
    }

    /// What is kept in memory under a type for all namespaces of the kernel together.
    pub fn common<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        self.common.get()
    }
}

/// What the services of a program offer.
pub(crate) fn offers(services: &[&'static ServiceDef]) -> Arc<[Offer]> {
    services.iter().flat_map(|service| service.offers.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn memory_is_one_per_type_and_offers_are_found_by_type() {
        let home = Home::new("main", Arc::from([&7_u32 as Offer, &"word", &8_u32]), Arc::default());
        home.memory::<AtomicU32>().store(5, Ordering::Relaxed);
        assert_eq!(home.memory::<AtomicU32>().load(Ordering::Relaxed), 5);
        assert_eq!(home.offered::<u32>().collect::<Vec<_>>(), [&7, &8]);
        let other = Home::new("other", Arc::from([]), home.common.clone());
        assert_eq!(other.memory::<AtomicU32>().load(Ordering::Relaxed), 0);
        home.common::<AtomicU32>().store(6, Ordering::Relaxed);
        assert_eq!(other.common::<AtomicU32>().load(Ordering::Relaxed), 6);
    }
}
