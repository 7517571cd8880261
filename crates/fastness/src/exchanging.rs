//! What the exchange needs beside the kernel, in a program that has it: its limits, its folders, its blobs, and who looks after it.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use base::{BlobPlaces, Engine, Files};
use exchange::folders::Shelves;
use exchange::packs::Packs;
use exchange::{Bodies, Rules, Settings, Watch};
use host::DiskFiles;
use kernel::Kernel;

use crate::config::{BodiesPlace, Config};

/// Begins, if the program has the exchange: before anything of it is served or runs, what the server before left is put right (EXC-19).
pub(crate) fn start(config: &Config, kernel: &Kernel, places: &Arc<dyn BlobPlaces>) -> Result<Option<Watch>> {
    if !kernel.services().iter().any(|service| service.name == exchange::SERVICE.name) {
        return Ok(None);
    }
    let settings = settings(config)?;
    if settings.bodies == Bodies::Folders {
        open_folders(kernel, folder(config));
    }
    // Also where bodies are elsewhere now: what was packed before stays there.
    kernel.common::<Packs>().set(places.clone());
    kernel.common::<Rules>().set(settings);
    kernel.namespaces().iter().filter(|ns| ns.works()).for_each(|ns| exchange::folders::recover(kernel, ns));
    Ok(Some(Watch::start(kernel)))
}

fn settings(config: &Config) -> Result<Settings> {
    let wanted = &config.exchange;
    let ms = |time: std::time::Duration| i64::try_from(time.as_millis());
    Ok(Settings {
        files_max: wanted.max_files as usize,
        bytes_max: i64::try_from(wanted.max_size)?,
        started_ms: ms(wanted.prepare_within)?,
        ready_ms: ms(wanted.commit_within)?,
        kept_ms: ms(wanted.kept)?,
        message_bytes: wanted.message_size,
        bodies: bodies(config),
        root_bytes: std::path::absolute(folder(config))?.as_os_str().len(),
        ..Settings::default()
    })
}

/// Several servers on one PostgreSQL have no folder in common.
pub(crate) fn bodies(config: &Config) -> Bodies {
    match config.exchange.bodies {
        BodiesPlace::Folders => Bodies::Folders,
        BodiesPlace::Store => Bodies::Store,
        BodiesPlace::Blobs => Bodies::Blobs,
        BodiesPlace::Auto if config.store.engine == Engine::Sqlite => Bodies::Folders,
        BodiesPlace::Auto => Bodies::Store,
    }
}

pub(crate) fn folder(config: &Config) -> PathBuf {
    config.exchange.folder.clone().unwrap_or_else(|| config.data.dir.join("exchange"))
}

/// Each namespace has a folder of its own, which is opened when it is needed first. One that cannot be opened keeps nobody from being
/// served: messages are in the store, and their files follow as soon as they can.
fn open_folders(kernel: &Kernel, root: PathBuf) {
    let open = move |namespace: &str| -> std::io::Result<Arc<dyn Files>> {
        Ok(Arc::new(DiskFiles::open(&root.join(namespace))?))
    };
    kernel.common::<Shelves>().set(open);
}
