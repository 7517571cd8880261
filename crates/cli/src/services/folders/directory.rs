//! Directories, for whoever runs the server: who may what, how much, and bringing them back to what they were (FLD-24, FLD-25).

use clap::Subcommand;
use client::Request;
use serde_json::{Value, json};

use super::link::find_directory;
use crate::failure::{Done, Failure};
use crate::flags::{Paging, Sure};
use crate::input::{duration_ms, moment};
use crate::output::{Column, moment as time, number, text};
use crate::page::List;
use crate::session::Session;

/// What can be done with directories.
#[derive(Debug, Subcommand)]
pub(crate) enum DirectoryVerb {
    /// List the directories that this key may read
    #[command(after_help = "Examples:\n  fastness folders directory list\n  fastness folders directory list --json")]
    List {
        #[command(flatten)]
        paging: Paging,
    },
    /// Show a directory: who may what, how full it is
    #[command(after_help = "Examples:\n  fastness folders directory show 'Plans of 2026'")]
    Show(Which),
    /// Change a directory: its name, its quota, what everybody may, how long older versions are kept
    #[command(
        after_help = "Examples:\n  fastness folders directory change 'Plans of 2026' --quota-bytes 10737418240 --anyone read\n  fastness folders directory change 'Plans of 2026' --kept 30d\n  fastness folders directory change 'Plans of 2026' --no-quota --kept default"
    )]
    Change(Change),
    /// Delete a directory with all files and their past; copies on devices stay
    #[command(after_help = "Examples:\n  fastness folders directory delete 'Plans of 2025' --yes")]
    Delete {
        #[command(flatten)]
        of: Which,
        #[command(flatten)]
        sure: Sure,
    },
    /// Bring a directory, or a folder of it, back to what it was at a moment
    #[command(
        after_help = "Examples:\n  fastness folders directory restore 'Plans of 2026' --at -2h --yes\n  fastness folders directory restore 'Plans of 2026' --at 2026-11-16T12:00:00Z --path budget --yes"
    )]
    Restore {
        #[command(flatten)]
        of: Which,
        /// The moment: 2026-11-15T12:00:00Z, 2026-11-15, now, or from now: -2h
        #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
        at: String,
        /// Only this folder of it
        #[arg(long, value_name = "PATH")]
        path: Option<String>,
        #[command(flatten)]
        sure: Sure,
    },
    /// Undo what one device did since a moment; what others did after it stays
    #[command(
        after_help = "Examples:\n  fastness folders directory undo 'Plans of 2026' --device laptop --since -2h --yes"
    )]
    Undo {
        #[command(flatten)]
        of: Which,
        /// Name of the device
        #[arg(long, value_name = "NAME")]
        device: String,
        /// Since this moment: 2026-11-15T12:00:00Z, 2026-11-15, now, or from now: -2h
        #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
        since: String,
        #[command(flatten)]
        sure: Sure,
    },
}

/// A directory.
#[derive(Debug, clap::Args)]
pub(crate) struct Which {
    /// The directory: its id, or its name if no other has it
    #[arg(value_name = "DIRECTORY")]
    directory: String,
}

impl Which {
    /// As the server tells it.
    async fn found(&self, session: &Session) -> Result<Value, Failure> {
        find_directory(session, &self.directory).await
    }

    /// Its id.
    pub(super) async fn id(&self, session: &Session) -> Result<String, Failure> {
        Ok(self.found(session).await?["id"].as_str().unwrap_or_default().to_owned())
    }
}

/// What shall be otherwise.
#[derive(Debug, clap::Args)]
pub(crate) struct Change {
    #[command(flatten)]
    of: Which,
    /// Its name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// So many bytes at most, of what is there now
    #[arg(long, value_name = "BYTES")]
    quota_bytes: Option<u64>,
    /// As many bytes as there is room for
    #[arg(long, conflicts_with = "quota_bytes")]
    no_quota: bool,
    /// What everybody may who is no member
    #[arg(long, value_name = "ROLE", value_parser = ["none", "read", "write", "admin"])]
    anyone: Option<String>,
    /// How long older versions are kept: 90s, 10m, 2h, 30d, or `default` for the server's own rule
    #[arg(long, value_name = "TIME", value_parser = kept_ms)]
    kept: Option<Value>,
    /// Whether `A.txt` and `a.txt` are one name; only while it is empty
    #[arg(long, value_name = "HOW", value_parser = ["folded", "exact"])]
    names: Option<String>,
}

/// Milliseconds, or nothing for the server's own rule.
fn kept_ms(text: &str) -> Result<Value, String> {
    if text == "default" {
        return Ok(Value::Null);
    }
    duration_ms(text).map(Value::from).map_err(|wrong| format!("{wrong}, or `default`"))
}

const DIRECTORIES: List<'_> = List {
    what: "directories",
    id: "/id",
    columns: &[
        text("ID", "/id"),
        text("NAME", "/name"),
        text("MY ROLE", "/role"),
        text("ANYONE", "/anyone"),
        number("BYTES", "/bytes"),
        number("QUOTA", "/quota_bytes"),
        time("CREATED", "/created_at"),
    ],
};

const DIRECTORY: &[Column] = &[
    text("id", "/id"),
    text("name", "/name"),
    text("my role", "/role"),
    text("anyone", "/anyone"),
    text("names", "/names"),
    number("bytes", "/bytes"),
    number("quota", "/quota_bytes"),
    number("kept, ms", "/kept_ms"),
    number("last change", "/seq"),
    time("created", "/created_at"),
    text("by", "/created_by"),
];

impl DirectoryVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List { paging } => {
                session.access_key()?;
                DIRECTORIES.paged(session, Request::get(&["folders", "directories"]), &paging).await
            }
            Self::Show(of) => session.out.show(&of.found(session).await?, DIRECTORY, "/id"),
            Self::Change(change) => change.run(session).await,
            Self::Delete { of, sure } => delete(session, &of, sure).await,
            Self::Restore { of, at, path, sure } => {
                let body = match path {
                    Some(path) => json!({ "at": at, "path": path }),
                    None => json!({ "at": at }),
                };
                let what = format!("bring {} back to what it was at {at}", of.directory);
                begin(session, &of, sure, (&what, "restore"), &body).await
            }
            Self::Undo { of, device, since, sure } => {
                let what = format!("undo what {device} did in {} since {since}", of.directory);
                begin(session, &of, sure, (&what, "undo"), &json!({ "device": device, "since": since })).await
            }
        }
    }
}

async fn delete(session: &Session, of: &Which, sure: Sure) -> Done {
    let id = of.id(session).await?;
    session.confirm(sure, &format!("delete directory {} with all files and their past", of.directory))?;
    let done = session.change(Request::new("DELETE", &["folders", "directories", &id])).await?;
    session.out.done(&done, &format!("directory {id} is deleted"), None)
}

/// Begins what a task does in small commits.
async fn begin(session: &Session, of: &Which, sure: Sure, (what, verb): (&str, &str), body: &Value) -> Done {
    let id = of.id(session).await?;
    session.confirm(sure, what)?;
    let begun = session.change(Request::new("POST", &["folders", "directories", &id, verb]).json(body)).await?;
    let task = begun["task"].as_str().unwrap_or_default();
    session.out.done(
        &begun,
        &format!("task {task} does it; `fastness tasks task show {task}` until it is done"),
        Some("/task"),
    )
}

impl Change {
    async fn run(self, session: &Session) -> Done {
        let mut body = serde_json::Map::new();
        let quota = if self.no_quota { Some(Value::Null) } else { self.quota_bytes.map(Value::from) };
        let given = [
            ("name", self.name.map(Value::from)),
            ("quota_bytes", quota),
            ("anyone", self.anyone.map(Value::from)),
            ("kept_ms", self.kept),
            ("names", self.names.map(Value::from)),
        ];
        body.extend(given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        if body.is_empty() {
            return Err(Failure::usage("nothing to change")
                .hint("give --name, --quota-bytes, --no-quota, --anyone, --kept or --names"));
        }
        let id = self.of.id(session).await?;
        let request = Request::new("PATCH", &["folders", "directories", &id]).json(&Value::Object(body));
        let changed = session.change(request).await?;
        session.out.done(&changed, &format!("directory {id} is changed"), None)
    }
}
