//! What tasks need from the configuration.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use kernel::tasks::Cron;

use crate::backup;
use crate::config::Config;
use crate::stores::Opener;

/// Queues by operation, from `mail.send=1, report.nightly=2`.
pub(crate) fn queues(text: &str) -> Result<BTreeMap<String, i64>> {
    let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let read = |entry: &str| {
        let (op, queue) = entry.split_once('=').with_context(|| format!("tasks.queues: `{entry}` has no `=`"))?;
        Ok((op.trim().to_owned(), queue.trim().parse().with_context(|| format!("tasks.queues: `{entry}`"))?))
    };
    entries.map(read).collect()
}

/// What stands because the configuration says so: backups.
pub(crate) fn scheduled(config: &Config) -> Result<BTreeMap<String, Cron>> {
    let cron = &config.backup.cron;
    if cron.is_empty() {
        return Ok(BTreeMap::new());
    }
    Ok(BTreeMap::from([(backup::task::WORK.to_owned(), cron.parse().context("backup.cron")?)]))
}

/// This node's name: the same over its starts, so that it finds what it left, and another on each node.
pub(crate) fn node_name(config: &Config, opener: &Opener) -> String {
    let configured = &config.tasks.node;
    if configured.is_empty() { opener.node().to_owned() } else { configured.clone() }
}
