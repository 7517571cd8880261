//! The places of all namespaces on the disk of this machine.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use base::{BlobPlaces, Blobs};

use super::disk::DiskBlobs;

/// Places below a data directory: `namespaces/<name>/blobs`. One per directory and time, see [`crate::DirLock`].
#[derive(Debug)]
pub struct DiskPlaces {
    data: PathBuf,
    open: Mutex<BTreeMap<String, Arc<dyn Blobs>>>,
}

impl DiskPlaces {
    /// The places below this data directory; each is opened when it is first asked for.
    #[must_use]
    pub fn below(data: &Path) -> Self {
        Self { data: data.to_owned(), open: Mutex::default() }
    }
}

impl BlobPlaces for DiskPlaces {
    fn place(&self, namespace: &str) -> io::Result<Arc<dyn Blobs>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = open.get(namespace) {
            return Ok(place.clone());
        }
        let place: Arc<dyn Blobs> =
            Arc::new(DiskBlobs::open(&self.data.join("namespaces").join(namespace).join("blobs"))?);
        open.insert(namespace.to_owned(), place.clone());
        Ok(place)
    }
}
