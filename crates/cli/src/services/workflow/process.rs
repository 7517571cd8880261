//! Processes: started, found, shown, changed.

use clap::Subcommand;
use client::Request;
use serde_json::{Value, json};

use super::find::Find;
use super::tree;
use crate::failure::{Done, Failure};
use crate::flags::{Paging, Sure};
use crate::input::{Body, json as json_of, moment};
use crate::output::{Column, json, moment as time, number, state, text};
use crate::page::{List, items_of};
use crate::session::Session;

/// How long one look at a process waits for its end.
const LOOK_MS: &str = "10000";

/// What can be done with processes.
#[derive(Debug, Subcommand)]
pub(crate) enum ProcessVerb {
    /// Start a process; it begins with one task
    #[command(
        after_help = "Examples:\n  fastness workflow process start order 'order#1' begin '{\"lines\":[2,5]}' --custom-id order-17\n  fastness workflow process start order 'order#1' begin 2 --key order-17 --wait"
    )]
    Start(StartProcess),
    /// Search for processes, newest first
    #[command(
        after_help = "Examples:\n  fastness workflow process list --state broken --type order\n  fastness workflow process list --error-class Timeout --started-from -1d --json\n  fastness workflow process list --custom-id order-17 -q"
    )]
    List {
        #[command(flatten)]
        find: Box<Find>,
        /// The oldest first
        #[arg(long)]
        oldest: bool,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show a process, why it does not go on, and its tasks as a tree
    #[command(after_help = "Examples:\n  fastness workflow process show 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Show {
        /// Id of the process
        #[arg(value_name = "ID")]
        id: String,
    },
    /// List the tasks of a process with what became of each
    #[command(
        after_help = "Examples:\n  fastness workflow process tasks 01KA2B3C4D5E6F7G8H9JKMNPQR\n  fastness workflow process tasks 01KA2B3C4D5E6F7G8H9JKMNPQR --json"
    )]
    Tasks {
        /// Id of the process
        #[arg(value_name = "ID")]
        id: String,
    },
    /// List what happened to a process beyond the usual, newest first
    #[command(after_help = "Examples:\n  fastness workflow process history 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    History {
        /// Id of the process
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Bring a signal to a process; one that comes before somebody waits for it is kept
    #[command(
        after_help = "Examples:\n  fastness workflow process signal 01KA2B3C4D5E6F7G8H9JKMNPQR approved true\n  fastness workflow process signal 01KA2B3C4D5E6F7G8H9JKMNPQR paid '{\"amount\":7}'"
    )]
    Signal {
        /// Id of the process
        #[arg(value_name = "ID")]
        id: String,
        /// Name of the signal
        #[arg(value_name = "NAME")]
        name: String,
        /// What it says, JSON [default: null]
        #[arg(value_name = "JSON", value_parser = json_of)]
        value: Option<Value>,
    },
    /// Abort a process: what waits is not given out, what is brought does not count
    #[command(
        after_help = "Examples:\n  fastness workflow process abort 01KA2B3C4D5E6F7G8H9JKMNPQR --reason 'ordered twice' --yes"
    )]
    Abort {
        /// Id of the process
        #[arg(value_name = "ID")]
        id: String,
        /// For people
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
        #[command(flatten)]
        sure: Sure,
    },
    /// Begin a process anew, from its start or from a task
    #[command(
        after_help = "Examples:\n  fastness workflow process restart 01KA2B3C4D5E6F7G8H9JKMNPQR --yes\n  fastness workflow process restart 01KA2B3C4D5E6F7G8H9JKMNPQR --from 01KA2B3C4D5E6F7G8H9JKMNPQR.3 --yes"
    )]
    Restart {
        /// Id of the process
        #[arg(value_name = "ID")]
        id: String,
        /// From this task: its result and all that came of it are dropped, earlier ones kept
        #[arg(long, value_name = "TASK")]
        from: Option<String>,
        #[command(flatten)]
        sure: Sure,
    },
    /// Start a process like another one
    #[command(after_help = "Examples:\n  fastness workflow process clone 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Clone {
        /// Id of the process
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// A process to start.
#[derive(Debug, clap::Args)]
pub(crate) struct StartProcess {
    /// Its type
    #[arg(value_name = "TYPE")]
    kind: String,
    /// Who does its first task: name#version
    #[arg(value_name = "ACTOR")]
    actor: String,
    /// What is done
    #[arg(value_name = "METHOD", default_value = "")]
    method: String,
    /// Arguments of the first task, each JSON
    #[arg(value_name = "JSON", value_parser = json_of)]
    args: Vec<Value>,
    /// An id of yours, by which it is found
    #[arg(long, value_name = "ID")]
    custom_id: Option<String>,
    /// At most one process of the type is started with this key
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// A queue of its own beside the actor's
    #[arg(long, value_name = "LIST")]
    task_list: Option<String>,
    /// Not before this moment
    #[arg(long, value_name = "MOMENT", value_parser = moment)]
    start_at: Option<String>,
    /// What happens after an error of the first task, JSON
    #[arg(long, value_name = "JSON", value_parser = json_of)]
    retry: Option<Value>,
    /// Wait until it is not active any more, and show it
    #[arg(long)]
    wait: bool,
}

const PROCESSES: List<'_> = List {
    what: "such processes",
    id: "/process_id",
    columns: &[
        text("ID", "/process_id"),
        text("TYPE", "/type"),
        state("STATE", "/state"),
        text("CUSTOM ID", "/custom_id"),
        time("STARTED", "/started_at"),
        time("ENDED", "/ended_at"),
        text("ERROR", "/error_class"),
        text("MESSAGE", "/error"),
    ],
};

const PROCESS: &[Column] = &[
    text("id", "/process_id"),
    text("type", "/type"),
    text("custom id", "/custom_id"),
    state("state", "/state"),
    json("value", "/value"),
    text("error", "/error/class"),
    text("message", "/error/message"),
    text("trace", "/error/trace"),
    time("started", "/started_at"),
    time("ended", "/ended_at"),
    text("part of", "/parent"),
    text("verdict", "/verdict/verdict"),
    text("why", "/verdict/text"),
];

const TASKS: List<'_> = List {
    what: "tasks",
    id: "/task_id",
    columns: &[
        text("ID", "/task_id"),
        text("ACTOR", "/actor"),
        text("METHOD", "/method"),
        state("STATE", "/state"),
        number("ATTEMPT", "/attempt"),
        number("FAILURES", "/failures"),
        text("WORKER", "/worker"),
        time("FINISHED", "/finished_at"),
        json("VALUE", "/value"),
        text("ERROR", "/error/class"),
        text("MESSAGE", "/error/message"),
    ],
};

const HISTORY: List<'_> = List {
    what: "history: nothing but the usual happened",
    id: "/task_id",
    columns: &[
        time("AT", "/at"),
        text("KIND", "/kind"),
        text("TASK", "/task_id"),
        number("ATTEMPT", "/attempt"),
        text("SOURCE", "/source"),
        text("TEXT", "/text"),
    ],
};

fn at(id: &str) -> [&str; 3] {
    ["workflow", "processes", id]
}

fn step<'a>(id: &'a str, step: &'a str) -> [&'a str; 4] {
    ["workflow", "processes", id, step]
}

impl ProcessVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::Start(start) => start.start(session).await,
            Self::List { find, oldest, paging } => {
                let request = find.ask(Request::get(&["workflow", "processes"]));
                let request = if oldest { request.query("order", "oldest") } else { request };
                PROCESSES.paged(session, request, &paging).await
            }
            Self::Show { id } => show(session, &id).await,
            Self::Tasks { id } => TASKS.whole(session, Request::get(&step(&id, "tasks"))).await,
            Self::History { id } => HISTORY.whole(session, Request::get(&step(&id, "history"))).await,
            Self::Signal { id, name, value } => {
                let body = json!({ "name": name, "value": value });
                let done = session.change(Request::new("POST", &step(&id, "signal")).json(&body)).await?;
                session.out.done(&done, &format!("process {id} has the signal {name}"), None)
            }
            Self::Abort { id, reason, sure } => {
                session.confirm(sure, &format!("abort process {id}"))?;
                let body = json!({ "reason": reason });
                let done = session.change(Request::new("POST", &step(&id, "abort")).json(&body)).await?;
                session.out.done(&done, &format!("process {id} is aborted"), None)
            }
            Self::Restart { id, from, sure } => restart(session, &id, from, sure).await,
            Self::Clone { id } => {
                let made = session.change(Request::new("POST", &step(&id, "clone")).json(&json!({}))).await?;
                started(session, &made)
            }
        }
    }
}

async fn restart(session: &Session, id: &str, from: Option<String>, sure: Sure) -> Done {
    let whence = from.as_deref().map_or_else(|| "its start".to_owned(), |task| format!("task {task}"));
    session.confirm(sure, &format!("begin process {id} anew from {whence}"))?;
    let body = Body::default().with("task", from).value();
    let done = session.change(Request::new("POST", &step(id, "restart")).json(&body)).await?;
    session.out.done(&done, &format!("process {id} begins anew from {whence}"), None)
}

fn started(session: &Session, made: &Value) -> Done {
    let id = made["process_id"].as_str().unwrap_or_default();
    session.out.done(made, &format!("process {id} is started"), Some("/process_id"))
}

/// The process on a sheet, and its tasks below it; as JSON the process alone.
async fn show(session: &Session, id: &str) -> Done {
    let process = session.get(Request::get(&at(id))).await?;
    session.out.show(&process, PROCESS, "/process_id")?;
    if session.out.json || session.out.quiet {
        return Ok(());
    }
    let tasks = session.get(Request::get(&step(id, "tasks"))).await?;
    session.out.print(&format!("\n{}", tree::of(items_of(&tasks)?)))
}

impl StartProcess {
    async fn start(self, session: &Session) -> Done {
        let args: Vec<Value> = self.args.into_iter().map(|value| json!({ "value": value })).collect();
        let task = Body::default()
            .with("actor", Some(self.actor))
            .with("method", Some(self.method))
            .with("args", Some(args))
            .with("task_list", self.task_list)
            .with("start_at", self.start_at)
            .with("retry", self.retry);
        let body = Body::default()
            .with("type", Some(self.kind))
            .with("custom_id", self.custom_id)
            .with("key", self.key)
            .with("start", Some(task.value()));
        let made = session.change(Request::new("POST", &["workflow", "processes"]).json(&body.value())).await?;
        if !self.wait {
            return started(session, &made);
        }
        let id = made["process_id"].as_str().unwrap_or_default();
        session.out.remark(&format!("process {id} is started"));
        wait(session, id).await
    }
}

/// The exit code tells whether it finished.
async fn wait(session: &Session, id: &str) -> Done {
    loop {
        let process = session.get(Request::get(&at(id)).query("wait_ms", LOOK_MS)).await?;
        let state = process["state"].as_str().unwrap_or("unknown");
        if state != "ACTIVE" {
            session.out.show(&process, PROCESS, "/process_id")?;
            return if state == "FINISHED" { Ok(()) } else { Err(Failure::here(format!("process {id} is {state}"))) };
        }
    }
}
