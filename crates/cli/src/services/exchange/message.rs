//! Messages as they lie in the folders of a database: listed, read, put back into the queue (EXC-4, EXC-5).

use std::path::PathBuf;

use clap::Subcommand;
use client::Request;

use super::EXCHANGE;
use crate::failure::Done;
use crate::flags::{Paging, Sure};
use crate::output::{moment as time, number, state, text};
use crate::page::List;
use crate::services::files;
use crate::session::Session;

/// What can be done with messages.
#[derive(Debug, Subcommand)]
pub(crate) enum MessageVerb {
    /// List the messages in a folder of a database, in the order of messages
    #[command(
        after_help = "Examples:\n  fastness exchange message list erp\n  fastness exchange message list erp --folder Error\n  fastness exchange message list erp --folder Unknown --all -q"
    )]
    List {
        /// Id of the database
        #[arg(value_name = "DATABASE")]
        database: String,
        /// What waits, replies not confirmed yet, what is done, what is wrong, or what nobody knows
        #[arg(long, value_name = "FOLDER", default_value = "Messages")]
        #[arg(value_parser = ["Messages", "Prepared", "Log", "Error", "Unknown"])]
        folder: String,
        #[command(flatten)]
        paging: Paging,
    },
    /// Read a message as it came; its name is that of the list
    #[command(
        after_help = "Examples:\n  fastness exchange message get 001794830400000~000000000000001~m-1~01KA2B3C4D5E6F7G8H9JKMNPQR~erp~sales.json --output m-1.json\n  fastness exchange message get $(fastness exchange message list erp --folder Error --limit 1 -q) | less"
    )]
    Get {
        /// Name of its file
        #[arg(value_name = "NAME")]
        name: String,
        /// Where to; the standard output if it is no terminal
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Put a message from Log, Error or Unknown back into the queue: its database gets it again
    #[command(
        after_help = "Examples:\n  fastness exchange message requeue 001794830400000~000000000000001~m-1~01KA2B3C4D5E6F7G8H9JKMNPQR~erp~sales.json --yes"
    )]
    Requeue {
        /// Name of its file
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        sure: Sure,
    },
}

const MESSAGES: List<'_> = List {
    what: "messages",
    id: "/name",
    columns: &[
        text("ID", "/id"),
        text("FROM", "/from"),
        text("TO", "/to"),
        time("MADE", "/at"),
        time("RECEIVED", "/received_at"),
        number("BYTES", "/size"),
        state("RESULT", "/result"),
        number("ERROR", "/error_code"),
        text("TEXT", "/error_text"),
        text("PROCESS", "/process"),
        text("NAME", "/name"),
    ],
};

impl MessageVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List { database, folder, paging } => {
                let request = Request::get(&[EXCHANGE, "folders"]).query("db", database).query("folder", folder);
                MESSAGES.paged(session, request, &paging).await
            }
            Self::Get { name, output } => {
                let request = Request::get(&[EXCHANGE, "files", &name]);
                files::download(session, request, output.as_deref(), "the message").await
            }
            Self::Requeue { name, sure } => {
                session.confirm(sure, "have the message processed again")?;
                let done = session.change(Request::new("POST", &[EXCHANGE, "files", &name, "requeue"])).await?;
                session.out.done(&done, "the message waits again", None)
            }
        }
    }
}
