//! What tasks need from the configuration and the data directory.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use base::{Entropy, Files, RelPath};
use host::{DiskFiles, OsEntropy};

use crate::config::Config;

/// The file that holds the name of this node.
const NODE_FILE: &str = "node-name";

/// Queues by operation, from `mail.send=1, report.nightly=2`.
pub(crate) fn queues(text: &str) -> Result<BTreeMap<String, i64>> {
    let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let read = |entry: &str| {
        let (op, queue) = entry.split_once('=').with_context(|| format!("tasks.queues: `{entry}` has no `=`"))?;
        Ok((op.trim().to_owned(), queue.trim().parse().with_context(|| format!("tasks.queues: `{entry}`"))?))
    };
    entries.map(read).collect()
}

/// This node's name: the same over its starts, so that it finds what it left, and another on each node.
pub(crate) fn node_name(config: &Config) -> Result<String> {
    if !config.tasks.node.is_empty() {
        return Ok(config.tasks.node.clone());
    }
    let files = DiskFiles::open(&config.data.dir).context("the data directory cannot be opened")?;
    let path = RelPath::new(NODE_FILE).context("a file name of ours")?;
    if let Ok(name) = files.get(&path, 100) {
        return Ok(String::from_utf8_lossy(&name).trim().to_owned());
    }
    let mut chance = [0; 8];
    OsEntropy.fill(&mut chance);
    let name: String = chance.iter().map(|byte| format!("{byte:02x}")).collect();
    files.put(&path, name.as_bytes()).context("the node's name cannot be kept")?;
    Ok(name)
}
