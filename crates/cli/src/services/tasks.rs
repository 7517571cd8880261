//! `fastness tasks`: tasks, queues, and what is stuck (KER-22, KER-40).

use clap::Subcommand;
use client::Request;
use serde_json::Value;

use super::Nouns;
use crate::failure::Done;
use crate::flags::{Paging, Sure};
use crate::input::{Body, Param, moment};
use crate::output::{Column, flag, json, moment as time, number, state, text};
use crate::page::{List, unseen_in, whole_without};
use crate::session::Session;

/// Nouns of tasks.
#[derive(Debug, Subcommand)]
pub(crate) enum Tasks {
    /// Work that the server does later, again and again, or by calling a URL
    #[command(subcommand)]
    Task(TaskVerb),
    /// Queues that tasks wait in
    #[command(subcommand)]
    Queue(QueueVerb),
    /// What should have gone on and has not
    #[command(subcommand)]
    Stuck(StuckVerb),
}

impl Nouns for Tasks {
    async fn run(self, session: &Session) -> Done {
        match self {
            Self::Task(verb) => verb.run(session).await,
            Self::Queue(verb) => verb.run(session).await,
            Self::Stuck(StuckVerb::List) => STUCK.whole(session, Request::get(&["stuck"])).await,
        }
    }
}

/// What can be done with tasks.
#[derive(Debug, Subcommand)]
pub(crate) enum TaskVerb {
    /// List tasks in the order of their creation; with `--namespace z` those of all namespaces
    #[command(
        after_help = "Examples:\n  fastness tasks task list --state parked\n  fastness tasks task list --op report.nightly --json\n  fastness tasks task list --state parked -q | xargs -n 1 fastness tasks task run"
    )]
    List(ListTasks),
    /// Show a task with all that is known of its last failure
    #[command(after_help = "Examples:\n  fastness tasks task show 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Show {
        /// Id of the task
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Create a task
    #[command(
        after_help = "Examples:\n  fastness tasks task create report.nightly --cron D0425 --target https://erp.example/hooks/nightly\n  fastness tasks task create report.once --target https://erp.example/hook --param '{\"region\":\"north\"}' --start-at +10m"
    )]
    Create(CreateTask),
    /// Run a task now; one that was parked begins anew, with all its tries
    #[command(after_help = "Examples:\n  fastness tasks task run 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Run {
        /// Id of the task
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Move a task earlier or later
    #[command(
        after_help = "Examples:\n  fastness tasks task move 01KA2B3C4D5E6F7G8H9JKMNPQR --start-at +2h\n  fastness tasks task move 01KA2B3C4D5E6F7G8H9JKMNPQR --start-at 2026-11-16T06:00:00Z"
    )]
    Move {
        /// Id of the task
        #[arg(value_name = "ID")]
        id: String,
        /// When it may start: 2026-11-15T12:00:00Z, 2026-11-15, now, or from now: +10m
        #[arg(long, value_name = "MOMENT", value_parser = moment)]
        start_at: String,
    },
    /// Delete a task, also one that runs: its run is then refused whole when it ends
    #[command(after_help = "Examples:\n  fastness tasks task delete 01KA2B3C4D5E6F7G8H9JKMNPQR --yes")]
    Delete {
        /// Id of the task
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        sure: Sure,
    },
    /// Report that a target did a task, where its answer got lost
    #[command(after_help = "Examples:\n  fastness tasks task done 01KA2B3C4D5E6F7G8H9JKMNPQR --attempt 3")]
    Done {
        /// Id of the task
        #[arg(value_name = "ID")]
        id: String,
        /// The attempt that the target was told
        #[arg(long, value_name = "N")]
        attempt: i64,
    },
}

/// Which tasks.
#[derive(Debug, clap::Args)]
pub(crate) struct ListTasks {
    /// Of this operation
    #[arg(long, value_name = "OP")]
    op: Option<String>,
    /// With exactly this info
    #[arg(long, value_name = "TEXT")]
    info: Option<String>,
    /// Only in this state
    #[arg(long, value_name = "STATE", value_parser = ["waiting", "behind", "running", "parked"])]
    state: Option<String>,
    /// Of this queue
    #[arg(long, value_name = "N")]
    queue: Option<i64>,
    /// With at least so many failed or lost runs
    #[arg(long, value_name = "N")]
    retry: Option<i64>,
    /// That start at or after this moment
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    from: Option<String>,
    /// That start before this moment
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    to: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

/// A task to create.
#[derive(Debug, clap::Args)]
pub(crate) struct CreateTask {
    /// The operation; with --target any name that tells it what to do
    #[arg(value_name = "OP")]
    op: String,
    #[command(flatten)]
    param: Param,
    /// Text that people find it by
    #[arg(long, value_name = "TEXT")]
    info: Option<String>,
    /// When to start [default: at once, or at the next due moment of --cron]
    #[arg(long, value_name = "MOMENT", value_parser = moment)]
    start_at: Option<String>,
    /// Its queue [default: the one of the operation]
    #[arg(long, value_name = "N")]
    queue: Option<i64>,
    /// Tasks of one lane run one at a time, oldest first
    #[arg(long, value_name = "NAME")]
    lane: Option<String>,
    /// When to run again and again, in UTC: H25, D0425, W30425 (1 is Monday), M100425, Y11100425, or five fields of cron
    #[arg(long, value_name = "CRON")]
    cron: Option<String>,
    /// A URL that is called in place of a built-in operation
    #[arg(long, value_name = "URL")]
    target: Option<String>,
}

/// What can be done with queues.
#[derive(Debug, Subcommand)]
pub(crate) enum QueueVerb {
    /// Show the queues; with `--namespace z` those of all namespaces
    #[command(after_help = "Examples:\n  fastness tasks queue list")]
    List,
    /// Start nothing more of a queue; what runs goes on
    #[command(after_help = "Examples:\n  fastness tasks queue suspend 2\n  fastness tasks queue suspend all")]
    Suspend {
        /// Number of the queue, or `all`
        #[arg(value_name = "QUEUE", value_parser = queue)]
        queue: String,
    },
    /// Let a queue go on
    #[command(after_help = "Examples:\n  fastness tasks queue resume 2\n  fastness tasks queue resume all")]
    Resume {
        /// Number of the queue, or `all`: those suspended by their number stay so
        #[arg(value_name = "QUEUE", value_parser = queue)]
        queue: String,
    },
}

/// What can be done with what is stuck.
#[derive(Debug, Subcommand)]
pub(crate) enum StuckVerb {
    /// List everything whose wake-up is overdue, with the reason
    #[command(after_help = "Examples:\n  fastness tasks stuck list\n  fastness tasks stuck list --namespace z")]
    List,
}

fn queue(text: &str) -> Result<String, String> {
    let good = text == "all" || text.parse::<u32>().is_ok();
    good.then(|| text.to_owned()).ok_or_else(|| "a number or `all`".to_owned())
}

const TASKS: List<'_> = List {
    what: "tasks",
    id: "/id",
    // All but the namespace.
    columns: TASKS_OF_ALL.split_at(1).1,
};

/// With the namespace, where they are of several.
const TASKS_OF_ALL: &[Column] = &[
    text("NAMESPACE", "/namespace"),
    text("ID", "/id"),
    state("STATE", "/state"),
    text("OPERATION", "/op"),
    number("QUEUE", "/queue"),
    time("START", "/start_at"),
    number("RETRY", "/retry"),
    text("ERROR", "/exc"),
    text("INFO", "/info"),
];

const TASK: &[Column] = &[
    text("id", "/id"),
    text("namespace", "/namespace"),
    text("operation", "/op"),
    state("state", "/state"),
    text("info", "/info"),
    json("param", "/param"),
    number("queue", "/queue"),
    text("lane", "/lane"),
    text("cron", "/cron"),
    text("target", "/target"),
    time("created", "/created_at"),
    time("start", "/start_at"),
    time("running since", "/start_time"),
    text("node", "/node"),
    number("attempt", "/attempt"),
    number("retry", "/retry"),
    json("checkpoint", "/checkpoint"),
    text("error", "/exc"),
    text("report", "/report"),
];

const QUEUES: List<'_> = List {
    what: "queues",
    id: "/queue",
    columns: &[
        text("NAMESPACE", "/namespace"),
        number("QUEUE", "/queue"),
        number("WORKERS", "/workers"),
        flag("SUSPENDED", "/suspended"),
        number("DUE", "/due"),
        number("LATER", "/later"),
        number("PARKED", "/parked"),
        number("RUNNING", "/running"),
        time("NEXT", "/next_at"),
    ],
};

const STUCK: List<'_> = List {
    what: "stuck work: everything goes on",
    id: "/subject",
    columns: &[
        text("NAMESPACE", "/namespace"),
        text("WHAT", "/what"),
        text("SUBJECT", "/subject"),
        number("OVERDUE MS", "/overdue_ms"),
        text("REASON", "/reason"),
    ],
};

impl TaskVerb {
    async fn run(self, session: &Session) -> Done {
        match self {
            Self::List(which) => which.list(session).await,
            Self::Show { id } => {
                let task = session.get(Request::get(&["tasks", &id])).await?;
                session.out.show(&task, TASK, "/id")
            }
            Self::Create(new) => new.create(session).await,
            Self::Run { id } => {
                let done = session.change(Request::new("POST", &["tasks", &id, "run"])).await?;
                session.out.done(&done, &format!("task {id} runs now"), None)
            }
            Self::Move { id, start_at } => move_task(session, &id, &start_at).await,
            Self::Delete { id, sure } => {
                session.confirm(sure, &format!("delete task {id}"))?;
                let done = session.change(Request::new("DELETE", &["tasks", &id])).await?;
                session.out.done(&done, &format!("task {id} is deleted"), None)
            }
            Self::Done { id, attempt } => {
                let body = Body::default().with("attempt", Some(attempt)).value();
                let done = session.change(Request::new("POST", &["tasks", &id, "done"]).json(&body)).await?;
                session.out.done(&done, &format!("task {id} is done"), None)
            }
        }
    }
}

async fn move_task(session: &Session, id: &str, start_at: &str) -> Done {
    let body = Body::default().with("start_at", Some(start_at)).value();
    let done = session.change(Request::new("POST", &["tasks", id, "move"]).json(&body)).await?;
    session.out.done(&done, &format!("task {id} starts at {start_at}"), None)
}

impl ListTasks {
    async fn list(self, session: &Session) -> Done {
        let number = |number: Option<i64>| number.map(|number| number.to_string());
        let filters = [
            ("op", self.op),
            ("info", self.info),
            ("state", self.state),
            ("queue", number(self.queue)),
            ("retry", number(self.retry)),
            ("from", self.from),
            ("to", self.to),
        ];
        let request = super::filtered(Request::get(&["tasks"]), filters);
        let of_all = session.namespace == crate::session::ADMINISTRATION;
        let list = if of_all { List { columns: TASKS_OF_ALL, ..TASKS } } else { TASKS };
        list.paged(session, request, &self.paging).await
    }
}

impl CreateTask {
    async fn create(self, session: &Session) -> Done {
        let body = Body::default()
            .with("op", Some(self.op))
            .with("param", self.param.read()?)
            .with("info", self.info)
            .with("start_at", self.start_at)
            .with("queue", self.queue)
            .with("lane", self.lane)
            .with("cron", self.cron)
            .with("target", self.target);
        let made = session.change(Request::new("POST", &["tasks"]).json(&body.value())).await?;
        let id = made["id"].as_str().unwrap_or_default();
        session.out.done(&made, &format!("task {id} is created"), Some("/id"))
    }
}

impl QueueVerb {
    async fn run(self, session: &Session) -> Done {
        match self {
            Self::List => {
                let given = session.get(Request::get(&["queues"])).await?;
                // All of it, since it tells more than the list: what runs on this node.
                if session.out.json {
                    session.out.document(&given)?;
                    return whole_without(unseen_in(&given));
                }
                QUEUES.show_page(session, &given)
            }
            Self::Suspend { queue } => switch(session, &queue, "suspend").await,
            Self::Resume { queue } => switch(session, &queue, "resume").await,
        }
    }
}

async fn switch(session: &Session, queue: &str, verb: &str) -> Done {
    let one = ["queues", queue, verb];
    let steps: &[&str] = if queue == "all" { &["queues", verb] } else { &one };
    let done = session.change(Request::new("POST", steps)).await?;
    let which = if queue == "all" { "all queues are".to_owned() } else { format!("queue {queue} is") };
    let busy = match (&done["busy_here"], verb) {
        (Value::Number(busy), "suspend") if busy.as_u64() != Some(0) => {
            format!("; {busy} tasks still run on this node")
        }
        _ => String::new(),
    };
    session.out.done(&done, &format!("{which} {}{busy}", if verb == "suspend" { "suspended" } else { "resumed" }), None)
}
