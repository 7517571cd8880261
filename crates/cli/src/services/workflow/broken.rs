//! Tasks that failed for good.

use clap::{Args, Subcommand};
use client::Request;

use crate::failure::Done;
use crate::flags::Paging;
use crate::input::moment;
use crate::output::{moment as time, number, text};
use crate::page::List;
use crate::services::filtered;
use crate::session::Session;

/// Broken tasks of a page at most: they come with their traces.
const PAGE_MAX: u64 = 100;

/// What can be done with broken tasks.
#[derive(Debug, Subcommand)]
pub(crate) enum BrokenVerb {
    /// Count broken tasks by the class of their error, by their actor, or by the actor that their process began with
    #[command(
        after_help = "Examples:\n  fastness workflow broken list\n  fastness workflow broken list --group actor --from -1d"
    )]
    List {
        #[command(flatten)]
        which: Which,
    },
    /// List broken tasks, newest first, with their messages
    #[command(
        after_help = "Examples:\n  fastness workflow broken tasks --name Timeout\n  fastness workflow broken tasks --group actor --name 'pay#1' --json\n  fastness workflow broken tasks --name Timeout -q | xargs -n 1 fastness workflow broken retry"
    )]
    Tasks {
        #[command(flatten)]
        which: Which,
        /// Only of this group
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        #[command(flatten)]
        paging: Paging,
    },
    /// Try a broken task again
    #[command(after_help = "Examples:\n  fastness workflow broken retry 01KA2B3C4D5E6F7G8H9JKMNPQR.3")]
    Retry {
        /// Id of the task
        #[arg(value_name = "TASK")]
        task: String,
    },
}

/// Which of them, and how they are grouped.
#[derive(Debug, Args)]
pub(crate) struct Which {
    /// By the actor that their process began with, by their actor, or by the class of their error
    #[arg(long, value_name = "GROUP", value_parser = ["starter", "actor", "error"], default_value = "error")]
    group: String,
    /// Broken at or after this moment
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    from: Option<String>,
    /// Broken before this moment
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    to: Option<String>,
}

impl Which {
    fn ask(self, request: Request) -> Request {
        filtered(request, [("group", Some(self.group)), ("from", self.from), ("to", self.to)])
    }
}

const GROUPS: List<'_> = List {
    what: "broken tasks",
    id: "/group",
    columns: &[
        text("GROUP", "/group"),
        number("TASKS", "/count"),
        time("FIRST", "/first_at"),
        time("LAST", "/last_at"),
        text("LAST TASK", "/task_id"),
        text("MESSAGE", "/example"),
    ],
};

const TASKS: List<'_> = List {
    what: "broken tasks",
    id: "/task_id",
    columns: &[
        text("ID", "/task_id"),
        text("TYPE", "/type"),
        text("ACTOR", "/actor"),
        text("METHOD", "/method"),
        number("ATTEMPT", "/attempt"),
        time("BROKEN", "/broken_at"),
        text("ERROR", "/error/class"),
        text("MESSAGE", "/error/message"),
    ],
};

impl BrokenVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List { which } => GROUPS.whole(session, which.ask(Request::get(&["workflow", "broken"]))).await,
            Self::Tasks { which, name, paging } => {
                let request = filtered(which.ask(Request::get(&["workflow", "broken", "tasks"])), [("name", name)]);
                TASKS.paged_by(session, request, &paging, PAGE_MAX).await
            }
            Self::Retry { task } => {
                let done = session.change(Request::new("POST", &["workflow", "broken", &task, "retry"])).await?;
                session.out.done(&done, &format!("task {task} is tried again"), None)
            }
        }
    }
}
