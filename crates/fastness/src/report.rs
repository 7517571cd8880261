//! What the commands print for people, and the same for programs.

use std::fmt::Write;
use std::path::Path;

use kernel::namespaces::word_of;
use serde_json::{Value, json};
use web::{ShownKey, ShownSection, ShownSource};

use crate::backup::{Elsewhere, NamespaceBackup, Written};
use crate::change_engine::Changed;
use crate::restore::Restored;

/// After a backup.
pub(crate) fn backup(written: &Written) -> String {
    let mut text = format!("{}\n", written.folder.display());
    written.manifest.namespaces.iter().for_each(|namespace| text += &line(namespace));
    for blob in &written.damaged {
        let _ = writeln!(text, "  DAMAGED   {blob} is not what its name says, or missing, and is not in the backup");
    }
    for Elsewhere { name, why, last, .. } in &written.elsewhere {
        let (what, mend) = why.words();
        let _ = writeln!(text, "  NOT IN IT {name} {what}: {mend}");
        if let Some(last) = last {
            let _ = writeln!(text, "            the last backup that has it is kept: {}", last.display());
        }
    }
    for old in &written.removed {
        let _ = writeln!(text, "  removed   {}", old.display());
    }
    for why in &written.unreadable {
        let _ = writeln!(text, "  KEPT      {why}");
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

/// After a change of the engine.
pub(crate) fn change_engine(changed: &Changed) -> String {
    let Changed { admin, engine, rows, aside } = changed;
    let engine = word_of(*engine);
    let rows = rows.map(|rows| format!(" with {rows} rows, the same on both sides")).unwrap_or_default();
    format!(
        "`{admin}` is on {engine}{rows}; the old copy is kept: {aside}\n\
         Set store.engine to {engine} and start the server. The other namespaces are where they were;\n\
         `fastness namespace move NAME --to {engine}` carries each while the server runs.\n"
    )
}

/// The same for programs.
pub(crate) fn change_engine_json(changed: &Changed) -> Value {
    json!({ "namespace": changed.admin, "engine": word_of(changed.engine), "rows": changed.rows, "aside": changed.aside })
}

/// After a backup, for programs.
pub(crate) fn backup_json(written: &Written) -> Value {
    json!({
        "folder": written.folder.display().to_string(),
        "backup": written.manifest.stamp,
        "namespaces": namespaces_json(&written.manifest.namespaces),
        "damaged": written.damaged,
        "not_in_it": written.elsewhere,
        "removed": written.removed.iter().map(|old| old.display().to_string()).collect::<Vec<_>>(),
        "unreadable": written.unreadable,
    })
}

/// After a restore, for programs.
pub(crate) fn restore_json(restored: &Restored, data: &Path) -> Value {
    json!({
        "data": data.display().to_string(),
        "backup": restored.manifest.stamp,
        "namespaces": namespaces_json(&restored.manifest.namespaces),
        "aside": restored.aside,
    })
}

/// The configuration in use, for programs: a list of keys. A secret that is set has no value.
pub(crate) fn config_json(sections: &[ShownSection]) -> Value {
    let key = |key: &ShownKey| {
        let source = match &key.source {
            ShownSource::Default => "default".to_owned(),
            ShownSource::File(place) => place.clone(),
            ShownSource::Environment(name) => format!("environment {name}"),
            ShownSource::Flag => "flag".to_owned(),
        };
        json!({ "key": key.path, "value": key.value, "hidden": key.value.is_none(), "source": source })
    };
    sections.iter().flat_map(|section| &section.keys).map(key).collect()
}

fn namespaces_json(namespaces: &[NamespaceBackup]) -> Value {
    let one = |namespace: &NamespaceBackup| {
        let rows: u64 = namespace.tables.iter().map(|table| table.rows).sum();
        let NamespaceBackup { name, engine, tables, blobs, .. } = namespace;
        json!({ "name": name, "engine": engine, "tables": tables.len(), "rows": rows, "blobs": blobs })
    };
    namespaces.iter().map(one).collect()
}

fn line(namespace: &NamespaceBackup) -> String {
    let rows: u64 = namespace.tables.iter().map(|table| table.rows).sum();
    let NamespaceBackup { name, engine, tables, blobs, .. } = namespace;
    format!("  {name:<16}  {engine}, {} tables, {rows} rows, {blobs} blobs\n", tables.len())
}
