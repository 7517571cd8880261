//! What the commands print for people, and the same for programs.

use std::fmt::Write;
use std::path::Path;

use ::cli::quoted;
use kernel::namespaces::word_of;
use serde_json::{Value, json};
use web::ui::Language;
use web::ui::moment::bytes;
use web::{ShownKey, ShownSection, ShownSource};

use crate::backup::{Elsewhere, NamespaceBackup, Written};
use crate::change_engine::{Changed, TakenBack};
use crate::restore::Restored;

/// After a backup: what is in it, where it lies, and how to get it back to where these flags say. One of a single namespace is no whole server.
pub(crate) fn backup(written: &Written, place: Option<&[(&str, &Path)]>) -> String {
    let mut text = String::new();
    let namespaces = &written.manifest.namespaces;
    let _ = writeln!(
        text,
        "Backed up: {}, {}, {}, {} in all",
        counted(namespaces.len() as u64, "namespace"),
        counted(namespaces.iter().map(rows).sum(), "row"),
        counted(namespaces.iter().map(|it| it.blobs).sum(), "blob"),
        bytes(Language::English, written.bytes),
    );
    namespaces.iter().for_each(|namespace| text += &line(namespace));
    text += &lacking(written);
    for old in &written.removed {
        let _ = writeln!(text, "Removed, as older than those that are kept: {}", old.display());
    }
    for why in &written.unreadable {
        let _ = writeln!(text, "KEPT, as nobody can tell what is in it: {why}");
    }
    let folder = whole(&written.folder);
    let _ = writeln!(text, "It lies in {folder}, was read back and is the same.");
    text + &way_back(&folder, place)
}

fn way_back(folder: &str, place: Option<&[(&str, &Path)]>) -> String {
    let Some(place) = place else {
        return "It holds one namespace and no server: docs/backup.md says how one is brought back beside the others.\n".to_owned();
    };
    let flags: String = place.iter().map(|(flag, path)| format!(" --{flag} {}", quoted(&whole(path)))).collect();
    format!(
        "To restore it, stop the server, and run (what is there now is moved aside):\n  \
         fastness restore --from {}{flags} --replace\n",
        quoted(folder),
    )
}

/// What ought to be in a backup and is not.
fn lacking(written: &Written) -> String {
    let mut text = String::new();
    for blob in &written.damaged {
        let _ = writeln!(text, "NOT IN IT: the blob {blob}, which is damaged or missing");
    }
    for Elsewhere { name, why, last, .. } in &written.elsewhere {
        let (what, mend) = why.words();
        let _ = writeln!(text, "NOT IN IT: the namespace {name}, which {what}: {mend}");
        if let Some(last) = last {
            let _ = writeln!(text, "  the last backup that has it is kept: {}", last.display());
        }
    }
    text
}

/// Where it lies, from wherever that is read.
fn whole(path: &Path) -> String {
    std::path::absolute(path).as_deref().unwrap_or(path).display().to_string()
}

fn counted(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
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

/// After a change of the engine was taken back.
pub(crate) fn taken_back(back: &TakenBack) -> String {
    let (admin, engine) = (&back.admin, word_of(back.engine));
    format!(
        "The change is taken back: `{admin}` is on {engine}, as it was. Start the server with store.engine = \"{engine}\".\n"
    )
}

/// The same for programs.
pub(crate) fn taken_back_json(back: &TakenBack) -> Value {
    json!({ "namespace": back.admin, "engine": word_of(back.engine), "taken_back": true })
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
        let NamespaceBackup { name, engine, tables, blobs, .. } = namespace;
        let (title, rows) = (namespace.title(), rows(namespace));
        json!({ "name": name, "namespace": title, "engine": engine, "tables": tables.len(), "rows": rows, "blobs": blobs })
    };
    namespaces.iter().map(one).collect()
}

fn rows(namespace: &NamespaceBackup) -> u64 {
    namespace.tables.iter().map(|table| table.rows).sum()
}

fn line(namespace: &NamespaceBackup) -> String {
    let NamespaceBackup { name, namespace: other, engine, tables, blobs, .. } = namespace;
    let place = other.as_ref().map(|_| format!(" (namespaces/{name})")).unwrap_or_default();
    let (title, tables, rows) = (namespace.title(), tables.len(), rows(namespace));
    format!("  {title:<16}  {engine}, {tables} tables, {rows} rows, {blobs} blobs{place}\n")
}
