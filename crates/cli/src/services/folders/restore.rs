//! `fastness folders restore`: brings back what a file was (FLD-23, FLD-24).

use std::path::PathBuf;

use clap::Args;
use client::Request;
use folder_agent::run::{Kept, Link, bring_back};
use serde_json::json;

use super::history::{History, file_id, kept_at};
use super::place;
use crate::failure::{Done, Failure};
use crate::session::Session;

/// What, and which.
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The file; also one that is not there any more
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// This version of the server, as its newest: all devices get it
    #[arg(long = "version", value_name = "N", conflicts_with_all = ["backup", "list"])]
    number: Option<u64>,
    /// This copy of the backups of this machine; `newest` for the newest of the file
    #[arg(long, value_name = "ID", conflicts_with = "list")]
    backup: Option<String>,
    /// Show what can be brought back: the same as `history`
    #[arg(long)]
    list: bool,
}

impl Restore {
    pub(super) async fn run(self, session: &Session) -> Done {
        if self.list {
            return History { path: self.path }.run(session).await;
        }
        let (link, path) = place::link_of(&place::home()?, &self.path)?;
        match (self.number, &self.backup) {
            (Some(version), _) => from_server(session, &link, &path, version).await,
            (None, Some(id)) => from_backups(session, &link, &path, id),
            (None, None) => Err(Failure::usage("which one: --version N or --backup ID")
                .hint("`fastness folders restore PATH --list` shows what there is")),
        }
    }
}

/// The server makes it the newest version, and the daemon brings it here like any other change.
async fn from_server(session: &Session, link: &Link, path: &str, version: u64) -> Done {
    let at = place::session_of(session, link)?;
    let id = file_id(&at, link, path).await?;
    let id = id.ok_or_else(|| Failure::usage(format!("the server knows of no file `{path}`")))?;
    let request = Request::new("POST", &["folders", "files", &id, "restore"]).json(&json!({ "version": version }));
    let restored = at.change(request).await?;
    let (newest, place) = (&restored["version"], restored["path"].as_str().unwrap_or(path));
    let sentence = format!("version {version} of {place} is the newest again, as version {newest}");
    session.out.done(&restored, &sentence, Some("/version"))
}

/// A copy of the backup, which stays; beside what lies there now.
fn from_backups(session: &Session, link: &Link, path: &str, id: &str) -> Done {
    let all = kept_at(link, "")?;
    let is_wanted = |kept: &&Kept| if id == "newest" { kept.path == path } else { kept.id == id };
    let kept = all.iter().find(is_wanted).ok_or_else(|| {
        Failure::usage(format!("there is no backup `{id}` for `{path}`"))
            .hint("`fastness folders restore PATH --list` shows what there is")
    })?;
    let wrong = |error| Failure::here(format!("{}: {error}", link.root.join(path).display()));
    let to = bring_back(&link.root, kept, path).map_err(wrong)?;
    let sentence = match to == path {
        true => format!("{} is back", link.root.join(&to).display()),
        false => format!("it is beside what lies there now: {}", link.root.join(&to).display()),
    };
    session.out.done(&json!({ "path": to, "backup": kept.id }), &sentence, Some("/path"))
}
