//! What the HTTP edge asks for: archives out and in.

use std::io::Write;
use std::sync::Arc;

use base::{BlobPlaces, Migration, OpError, OpResult, codes};
use kernel::namespaces::NamespaceRow;
use web::{Carrier, Receiving};

use super::spool::Upload;
use super::{export, import};
use crate::config::{BodiesPlace, Config};
use crate::stores::Opener;

/// Reads and writes archives of this node.
pub(crate) struct Desk {
    pub(crate) opener: Opener,
    pub(crate) places: Arc<dyn BlobPlaces>,
    pub(crate) plan: Arc<[Migration]>,
}

impl Carrier for Desk {
    fn export(&self, row: &NamespaceRow, to: &mut (dyn Write + Send)) -> OpResult<()> {
        let blobs = self.places.place(&row.place).map_err(|error| failed(&error.into()))?;
        let counts = export::export(&self.opener, row, &blobs, &super::new_id(&self.opener), to)
            .map_err(|error| failed(&error))?;
        tracing::info!(namespace = row.name, rows = counts.rows, blobs = counts.blobs, "exported");
        Ok(())
    }

    fn receive(&self, name: &str) -> OpResult<Box<dyn Receiving>> {
        let config = self.opener.config();
        let upload = Upload::begin(&config.data.dir, &super::new_id(&self.opener)).map_err(|error| failed(&error))?;
        Ok(Box::new(Arrival { upload, name: name.to_owned(), opener: self.opener.clone(), plan: self.plan.clone() }))
    }
}

struct Arrival {
    upload: Upload,
    name: String,
    opener: Opener,
    plan: Arc<[Migration]>,
}

impl Receiving for Arrival {
    fn write(&mut self, bytes: &[u8]) -> OpResult<()> {
        self.upload.write(bytes).map_err(|error| failed(&error.into()))
    }

    fn finish(mut self: Box<Self>) -> OpResult<(String, String)> {
        let config = self.opener.config();
        let path = self.upload.close().map_err(|error| failed(&error))?;
        let found = import::check(path, &self.plan, takes_files(config));
        let found = found.map_err(|wrong| OpError::before_start(codes::AARCHIVE, wrong))?;
        self.upload.keep(&config.data.dir, &self.name, &found.digest).map_err(|error| failed(&error))?;
        Ok((found.digest, found.head.label))
    }
}

fn takes_files(config: &Config) -> bool {
    match config.exchange.bodies {
        BodiesPlace::Folders => true,
        BodiesPlace::Store | BodiesPlace::Blobs => false,
        BodiesPlace::Auto => config.store.engine == base::Engine::Sqlite,
    }
}

fn failed(error: &anyhow::Error) -> OpError {
    let is_full = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    let is_full = is_full.into_iter().any(|cause| cause.kind() == std::io::ErrorKind::StorageFull);
    let code = if is_full { codes::XDISK } else { codes::XUNEXPECTED };
    OpError::before_start(code, format!("{error:#}"))
}
