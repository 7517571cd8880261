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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_21_ker_37_backups_are_scheduled_by_either_form_of_a_cron_text() {
        let stands = |cron: &str| {
            let set = [("FASTNESS_BACKUP__CRON".to_owned(), cron.to_owned())];
            Config::load(None, set, &[]).map(|loaded| scheduled(&loaded.config).unwrap())
        };
        for cron in ["D0425", "25 4 * * 1-5"] {
            assert_eq!(stands(cron).unwrap()[backup::task::WORK].to_string(), cron);
        }
        assert!(stands("").unwrap().is_empty());
        for never in ["D2460", "0 0 30 2 *"] {
            assert!(stands(never).is_err(), "{never} is told when the configuration is read");
        }
    }
}
