//! `fastness folders history`: what a file was, on the server and in the backups of this machine (FLD-23, FLD-24).

use std::path::PathBuf;

use base::Wall;
use clap::Args;
use client::Request;
use folder_agent::run::{Kept, Link, kept};
use serde_json::{Value, json};

use super::place;
use super::standing::find_synced;
use super::tree::folder_of;
use crate::failure::{Done, Failure};
use crate::output::{Column, Table, flag, moment, number, text};
use crate::page::items_of;
use crate::session::Session;

/// Versions that are shown.
const VERSIONS: &str = "100";
/// Files that were deleted are asked for so many at a time.
const PAGE: &str = "1000";

const ON_SERVER: &[Column] = &[
    number("VERSION", "/version"),
    moment("CHANGED", "/changed_at"),
    text("DEVICE", "/device"),
    number("BYTES", "/size"),
    flag("DELETED", "/deleted"),
    text("PATH", "/path"),
];

const HERE: &[Column] =
    &[text("BACKUP", "/id"), moment("REPLACED", "/at"), number("BYTES", "/size"), text("PATH", "/path")];

/// Of which file.
#[derive(Debug, Args)]
pub(crate) struct History {
    /// The file; also one that is not there any more
    #[arg(value_name = "PATH")]
    pub(super) path: PathBuf,
}

impl History {
    /// What is here is shown also when the server is not reached, which is told then.
    pub(super) async fn run(self, session: &Session) -> Done {
        let (link, path) = place::link_of(&place::home()?, &self.path)?;
        let backups = backups(&link, &path)?;
        let at = place::session_of(session, &link)?;
        let versions = versions(&at, &link, &path).await;
        let told = json!({
            "folder": place::folder(&link), "path": path,
            "versions": versions.as_ref().ok(), "backups": backups,
        });
        if session.out.json {
            session.out.document(&told)?;
        } else {
            show(session, versions.as_deref().unwrap_or_default(), &backups)?;
        }
        versions.map(drop)
    }
}

fn show(session: &Session, versions: &[Value], backups: &[Value]) -> Done {
    let out = &session.out;
    if out.quiet {
        let ids = versions.iter().map(|version| version["version"].to_string());
        let ids = ids.chain(backups.iter().map(|backup| crate::output::id_of(backup, "/id")));
        return out.print(&ids.map(|id| id + "\n").collect::<String>());
    }
    if versions.is_empty() {
        out.remark("no versions on the server");
    } else {
        out.print(&Table::new(out, ON_SERVER).page(versions))?;
    }
    if backups.is_empty() {
        out.remark("no copies in the backups of this machine");
        return Ok(());
    }
    out.print(&format!("\n{}", Table::new(out, HERE).page(backups)))
}

/// Copies of a file, or of all below a folder, as JSON.
fn backups(link: &Link, path: &str) -> Result<Vec<Value>, Failure> {
    let as_json = |kept: &Kept| json!({ "id": kept.id, "path": kept.path, "at": Wall(kept.when_ms).rfc3339(), "size": kept.size });
    Ok(kept_at(link, path)?.iter().map(as_json).collect())
}

/// Copies of a file, or of all below a folder, from the newest.
pub(super) fn kept_at(link: &Link, path: &str) -> Result<Vec<Kept>, Failure> {
    kept(&link.root, path).map_err(|error| Failure::here(format!("{}: {error}", place::folder(link))))
}

/// The versions of a file on the server.
async fn versions(session: &Session, link: &Link, path: &str) -> Result<Vec<Value>, Failure> {
    let Some(id) = file_id(session, link, path).await? else { return Ok(vec![]) };
    let request = Request::get(&["folders", "files", &id, "history"]).query("limit", VERSIONS);
    Ok(items_of(&session.get(request).await?)?.clone())
}

/// The id of the file at a path: as it was synced here, or as the server knows it, also if it was deleted there.
pub(super) async fn file_id(session: &Session, link: &Link, path: &str) -> Result<Option<String>, Failure> {
    let state = place::home()?.state(link).map_err(place::failure)?;
    if let Some((id, _)) = find_synced(state.synced(), path) {
        return Ok(Some(id.to_string()));
    }
    let there = look_for(session, link, path, (folder_of(path), false)).await;
    match there {
        Ok(Some(id)) => Ok(Some(id)),
        // Its folder may be gone, too: then what was deleted anywhere is looked through.
        Ok(None) => look_for(session, link, path, ("", true)).await,
        Err(failure) if failure.code.as_deref() == Some("NFILE") => look_for(session, link, path, ("", true)).await,
        Err(failure) => Err(failure),
    }
}

async fn look_for(
    session: &Session,
    link: &Link,
    path: &str,
    (folder, deleted): (&str, bool),
) -> Result<Option<String>, Failure> {
    let mut after = None;
    loop {
        let request = Request::get(&["folders", "directories", &link.directory, "files"]);
        let request = request.query("path", folder).query("deleted", deleted.to_string()).query("limit", PAGE);
        let request = after.iter().fold(request, |request, after: &String| request.query("after", after.as_str()));
        let page = session.get(request).await?;
        let found = items_of(&page)?.iter().find(|file| file["path"] == path);
        if let Some(id) = found.and_then(|file| file["id"].as_str()) {
            return Ok(Some(id.to_owned()));
        }
        after = page["next"].as_str().map(str::to_owned);
        if after.is_none() {
            return Ok(None);
        }
    }
}
