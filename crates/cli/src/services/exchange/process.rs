//! Processes of databases: what they have, and the word of a person where nobody knows (EXC-11, EXC-20).

use clap::Subcommand;
use client::Request;
use serde_json::json;

use super::EXCHANGE;
use crate::failure::{Done, Failure};
use crate::flags::{Paging, Sure};
use crate::output::{Column, json as json_column, moment as time, state, text};
use crate::page::List;
use crate::services::filtered;
use crate::session::Session;

/// What can be done with processes.
#[derive(Debug, Subcommand)]
pub(crate) enum ProcessVerb {
    /// List processes, newest first
    #[command(
        after_help = "Examples:\n  fastness exchange process list --database erp\n  fastness exchange process list --state FAILED\n  fastness exchange process list --unresolved"
    )]
    List {
        /// Only of this database
        #[arg(long, value_name = "ID")]
        database: Option<String>,
        /// Only in this state
        #[arg(long, value_name = "STATE")]
        #[arg(value_parser = ["STARTED", "READY_TO_COMMIT", "CLEANUP", "FAILED", "UNKNOWN", "ENDED"])]
        state: Option<String>,
        /// Only those whose outcome nobody knows: a person, or the database, must say it
        #[arg(long, conflicts_with = "state")]
        unresolved: bool,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show a process with its messages, what became of each, and its replies
    #[command(after_help = "Examples:\n  fastness exchange process show 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Show {
        /// Id of the process
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Say what became of a process whose outcome is unknown; look into the database first
    #[command(
        after_help = "Examples:\n  fastness exchange process resolve 01KA2B3C4D5E6F7G8H9JKMNPQR --committed --yes\n  fastness exchange process resolve 01KA2B3C4D5E6F7G8H9JKMNPQR --not-committed --yes"
    )]
    Resolve(Resolve),
    /// Try the files of a failed process again at once, not only at the next minute
    #[command(after_help = "Examples:\n  fastness exchange process resume 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Resume {
        /// Id of the process
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// What a person says.
#[derive(Debug, clap::Args)]
pub(crate) struct Resolve {
    /// Id of the process
    #[arg(value_name = "ID")]
    id: String,
    /// The database has what the process brought: its messages are done, its replies go out
    #[arg(long, required_unless_present = "not_committed")]
    committed: bool,
    /// The database has nothing of it: its messages wait again, its replies are dropped
    #[arg(long, conflicts_with = "committed")]
    not_committed: bool,
    #[command(flatten)]
    sure: Sure,
}

const PROCESSES: List<'_> = List {
    what: "processes",
    id: "/id",
    columns: &[
        text("ID", "/id"),
        text("DATABASE", "/db"),
        state("STATE", "/state"),
        text("OUTCOME", "/outcome"),
        time("STARTED", "/started_at"),
        time("READY", "/ready_at"),
        time("ENDED", "/ended_at"),
        text("TEXT", "/message"),
    ],
};

const PROCESS: &[Column] = &[
    text("id", "/id"),
    text("database", "/db"),
    state("state", "/state"),
    text("outcome", "/outcome"),
    text("text", "/message"),
    time("started", "/started_at"),
    time("ready", "/ready_at"),
    time("ended", "/ended_at"),
    json_column("given", "/given"),
    json_column("replies", "/replies"),
];

impl ProcessVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List { database, state, unresolved, paging } => {
                let path: &[&str] =
                    if unresolved { &[EXCHANGE, "processes", "unresolved"] } else { &[EXCHANGE, "processes"] };
                let request = filtered(Request::get(path), [("db", database), ("state", state)]);
                PROCESSES.paged(session, request, &paging).await
            }
            Self::Show { id } => {
                let process = session.get(Request::get(&[EXCHANGE, "processes", &id])).await?;
                session.out.show(&process, PROCESS, "/id")
            }
            Self::Resolve(resolve) => resolve.run(session).await,
            Self::Resume { id } => {
                let done = session.change(Request::new("POST", &[EXCHANGE, "processes", &id, "resume"])).await?;
                session.out.done(&done, &format!("files of process {id} are tried again"), None)
            }
        }
    }
}

impl Resolve {
    async fn run(self, session: &Session) -> Done {
        let id = &self.id;
        let words = if self.committed { "committed" } else { "not committed" };
        session.confirm(self.sure, &format!("have process {id} taken as {words}"))?;
        let request = Request::new("POST", &[EXCHANGE, "processes", id, "resolve"]);
        let said = session.change(request.json(&json!({ "committed": self.committed }))).await?;
        if said["status"] == "CANCELLED" {
            return Err(Failure::refused(format!("process {id} has no unknown outcome any more"))
                .hint(format!("fastness exchange process show {id}")));
        }
        session.out.done(&said, &format!("process {id} is taken as {words}"), None)
    }
}
