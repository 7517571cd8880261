//! Files of a directory as the server has them, whether or not this machine has a copy (FLD-24).

use std::path::PathBuf;

use clap::Subcommand;
use client::Request;
use serde_json::json;

use super::directory::Which;
use crate::failure::Done;
use crate::flags::Paging;
use crate::output::{Column, flag, moment as time, number, text};
use crate::page::List;
use crate::services::{files, filtered};
use crate::session::Session;

/// What can be done with files.
#[derive(Debug, Subcommand)]
pub(crate) enum FileVerb {
    /// List a folder of a directory, or what was deleted in it
    #[command(
        after_help = "Examples:\n  fastness folders file list 'Plans of 2026'\n  fastness folders file list 'Plans of 2026' --path budget\n  fastness folders file list 'Plans of 2026' --deleted"
    )]
    List {
        #[command(flatten)]
        of: Which,
        /// The folder
        #[arg(long, value_name = "PATH")]
        path: Option<String>,
        /// What was deleted, newest first
        #[arg(long)]
        deleted: bool,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show a file as the server has it
    #[command(after_help = "Examples:\n  fastness folders file show 3a7c9c1e-5d0b-4b7e-9d53-0d8f3a1b2c4d")]
    Show(Id),
    /// Download a file, or an older version of it
    #[command(
        after_help = "Examples:\n  fastness folders file get 3a7c9c1e-5d0b-4b7e-9d53-0d8f3a1b2c4d --output summary.ods\n  fastness folders file get 3a7c9c1e-5d0b-4b7e-9d53-0d8f3a1b2c4d --version 2 --output summary.ods"
    )]
    Get {
        #[command(flatten)]
        of: Id,
        /// An older version
        #[arg(long, value_name = "N")]
        version: Option<u64>,
        /// Where to; the standard output if it is no terminal
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// List the versions of a file, newest first
    #[command(after_help = "Examples:\n  fastness folders file history 3a7c9c1e-5d0b-4b7e-9d53-0d8f3a1b2c4d")]
    History {
        #[command(flatten)]
        of: Id,
        #[command(flatten)]
        paging: Paging,
    },
    /// Bring an older version of a file back, as a new one; also of a file that was deleted
    #[command(
        after_help = "Examples:\n  fastness folders file restore 3a7c9c1e-5d0b-4b7e-9d53-0d8f3a1b2c4d --version 2"
    )]
    Restore {
        #[command(flatten)]
        of: Id,
        /// Which version
        #[arg(long, value_name = "N")]
        version: u64,
    },
}

/// A file.
#[derive(Debug, clap::Args)]
pub(crate) struct Id {
    /// Id of the file
    #[arg(value_name = "ID")]
    id: String,
}

const FILES: List<'_> = List {
    what: "files",
    id: "/id",
    columns: &[
        text("ID", "/id"),
        text("KIND", "/kind"),
        text("PATH", "/path"),
        number("BYTES", "/size"),
        number("VERSION", "/version"),
        time("CHANGED", "/changed_at"),
    ],
};

const FILE: &[Column] = &[
    text("id", "/id"),
    text("path", "/path"),
    text("kind", "/kind"),
    flag("deleted", "/deleted"),
    number("size", "/size"),
    number("version", "/version"),
    text("sha256", "/sha256"),
    flag("executable", "/executable"),
    text("target", "/target"),
    time("changed", "/changed_at"),
];

const VERSIONS: List<'_> = List {
    what: "versions",
    id: "/version",
    columns: &[
        number("VERSION", "/version"),
        time("CHANGED", "/changed_at"),
        text("DEVICE", "/device"),
        number("BYTES", "/size"),
        flag("DELETED", "/deleted"),
        text("PATH", "/path"),
    ],
};

impl FileVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        session.access_key()?;
        match self {
            Self::List { of, path, deleted, paging } => {
                let request = Request::get(&["folders", "directories", &of.id(session).await?, "files"]);
                let deleted = deleted.then(|| "true".to_owned());
                FILES.paged(session, filtered(request, [("path", path), ("deleted", deleted)]), &paging).await
            }
            Self::Show(Id { id }) => {
                session.out.show(&session.get(Request::get(&["folders", "files", &id])).await?, FILE, "/id")
            }
            Self::Get { of: Id { id }, version, output } => {
                let request = Request::get(&["folders", "files", &id, "content"]);
                let request = filtered(request, [("version", version.map(|version| version.to_string()))]);
                files::download(session, request, output.as_deref(), &format!("file {id}")).await
            }
            Self::History { of: Id { id }, paging } => {
                VERSIONS.paged(session, Request::get(&["folders", "files", &id, "history"]), &paging).await
            }
            Self::Restore { of: Id { id }, version } => {
                let request = Request::new("POST", &["folders", "files", &id, "restore"]);
                let restored = session.change(request.json(&json!({ "version": version }))).await?;
                let now = &restored["version"];
                session.out.done(&restored, &format!("version {version} is back, as version {now}"), Some("/version"))
            }
        }
    }
}
