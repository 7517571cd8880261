//! What the exchange needs beside the kernel, in a program that has it: its limits, its folders, and who looks after it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use base::{Engine, Files};
use exchange::folders::Shelves;
use exchange::{Bodies, Rules, Settings, Watch};
use host::DiskFiles;
use kernel::Kernel;

use crate::config::{BodiesPlace, Config};

/// Begins, if the program has the exchange.
pub(crate) fn start(config: &Config, kernel: &Kernel) -> Result<Option<Watch>> {
    if !kernel.services().iter().any(|service| service.name == exchange::SERVICE.name) {
        return Ok(None);
    }
    let settings = settings(config)?;
    if settings.bodies == Bodies::Folders {
        open_folders(kernel, &folder(config))?;
    }
    kernel.common::<Rules>().set(settings);
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
        bodies: bodies(config),
    })
}

/// Several servers on one PostgreSQL have no folder in common.
fn bodies(config: &Config) -> Bodies {
    match config.exchange.bodies {
        BodiesPlace::Folders => Bodies::Folders,
        BodiesPlace::Store => Bodies::Store,
        BodiesPlace::Auto if config.store.engine == Engine::Sqlite => Bodies::Folders,
        BodiesPlace::Auto => Bodies::Store,
    }
}

fn folder(config: &Config) -> PathBuf {
    config.exchange.folder.clone().unwrap_or_else(|| config.data.dir.join("exchange"))
}

/// Each namespace has a folder of its own, which is opened when it is needed first.
fn open_folders(kernel: &Kernel, root: &Path) -> Result<()> {
    let root = root.to_owned();
    host::make_root(&root).with_context(|| format!("the folder of messages, {}", root.display()))?;
    let open = move |namespace: &str| -> std::io::Result<Arc<dyn Files>> {
        Ok(Arc::new(DiskFiles::open(&root.join(namespace))?))
    };
    kernel.common::<Shelves>().set(open);
    Ok(())
}
