//! Where the blobs of each namespace are (`kernel.common::<Packs>()`).

use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use base::{BlobPlaces, Blobs};
use kernel::Namespace;

/// The places of blobs, as the program says them at its start.
#[derive(Debug, Default)]
pub struct Packs(RwLock<Option<Arc<dyn BlobPlaces>>>);

impl Packs {
    /// Sets them.
    pub fn set(&self, places: Arc<dyn BlobPlaces>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(places);
    }

    /// That of a namespace.
    ///
    /// # Errors
    /// There is none, or it cannot be opened now.
    pub fn of(&self, namespace: &Namespace) -> io::Result<Arc<dyn Blobs>> {
        let places = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        places.ok_or_else(|| io::Error::other("there is no place for blobs"))?.place(&namespace.place())
    }
}
