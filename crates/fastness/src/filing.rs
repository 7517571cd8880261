//! Who looks after folders, in a program that has them.

use anyhow::Result;
use folders::desk::Watch;
use folders::past::Rules;
use kernel::Kernel;

use crate::config::Config;

/// Begins, if the program has folders: looks after them until it is dropped.
pub(crate) fn start(config: &Config, kernel: &Kernel) -> Result<Option<Watch>> {
    if !kernel.services().iter().any(|service| service.name == folders::SERVICE.name) {
        return Ok(None);
    }
    let kept_ms = i64::try_from(config.folders.history_kept.as_millis())?;
    kernel.common::<Rules>().keep(kept_ms);
    Ok(Some(Watch::start(kernel)))
}
