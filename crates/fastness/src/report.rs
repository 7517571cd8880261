//! What the commands print for people.

use std::fmt::Write;
use std::path::Path;

use crate::backup::{NamespaceBackup, Written};
use crate::restore::Restored;

/// After a backup.
pub(crate) fn backup(written: &Written) -> String {
    let mut text = format!("{}\n", written.folder.display());
    written.manifest.namespaces.iter().for_each(|namespace| text += &line(namespace));
    for blob in &written.damaged {
        let _ = writeln!(text, "  DAMAGED   {blob} is not what its name says and is not in the backup");
    }
    for name in &written.elsewhere {
        let _ = writeln!(text, "  NOT IN IT {name} has a PostgreSQL of its own: back it up there");
    }
    for old in &written.removed {
        let _ = writeln!(text, "  removed   {}", old.display());
    }
    text + "written, read back and compared\n"
}

/// After a restore.
pub(crate) fn restore(restored: &Restored, data: &Path) -> String {
    let mut text = format!("backup {} is in {}\n", restored.manifest.stamp, data.display());
    restored.manifest.namespaces.iter().for_each(|namespace| text += &line(namespace));
    for aside in &restored.aside {
        let _ = writeln!(text, "  the old data is kept: {aside}");
    }
    text + "verified and in place; start the server\n"
}

fn line(namespace: &NamespaceBackup) -> String {
    let rows: u64 = namespace.tables.iter().map(|table| table.rows).sum();
    let NamespaceBackup { name, engine, tables, blobs, .. } = namespace;
    format!("  {name:<16}  {engine}, {} tables, {rows} rows, {blobs} blobs\n", tables.len())
}
