//! Processes that are started by the calendar.

use clap::Subcommand;
use client::Request;
use serde_json::{Value, json};

use crate::failure::{Done, Failure};
use crate::flags::Sure;
use crate::input::{Body, json as json_of};
use crate::output::{Column, flag, json as json_column, moment as time, number, text};
use crate::page::List;
use crate::session::Session;

/// What can be done with schedules.
#[derive(Debug, Subcommand)]
pub(crate) enum ScheduleVerb {
    /// List schedules with their next dates
    #[command(after_help = "Examples:\n  fastness workflow schedule list")]
    List,
    /// Show a schedule with its next five dates
    #[command(after_help = "Examples:\n  fastness workflow schedule show 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Show {
        /// Id of the schedule
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Start processes by the calendar
    #[command(
        after_help = "Examples:\n  fastness workflow schedule create '30 2 * * *' night 'night#1' begin\n  fastness workflow schedule create D0230 night 'night#1' begin '{\"deep\":true}' --missed all --missed-max 5"
    )]
    Create(CreateSchedule),
    /// Change when a schedule starts processes, and what becomes of missed moments
    #[command(
        after_help = "Examples:\n  fastness workflow schedule change 01KA2B3C4D5E6F7G8H9JKMNPQR --cron '0 4 * * *'\n  fastness workflow schedule change 01KA2B3C4D5E6F7G8H9JKMNPQR --missed all --missed-max 5"
    )]
    Change(ChangeSchedule),
    /// Start nothing until it goes on; what lies between is not missed
    #[command(after_help = "Examples:\n  fastness workflow schedule pause 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Pause {
        /// Id of the schedule
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Go on with a schedule that was paused
    #[command(after_help = "Examples:\n  fastness workflow schedule resume 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Resume {
        /// Id of the schedule
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Delete a schedule; what it started goes on
    #[command(after_help = "Examples:\n  fastness workflow schedule delete 01KA2B3C4D5E6F7G8H9JKMNPQR --yes")]
    Delete {
        /// Id of the schedule
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        sure: Sure,
    },
}

/// A schedule to create.
#[derive(Debug, clap::Args)]
pub(crate) struct CreateSchedule {
    /// When, in UTC: five fields of cron, or H25, D0425, W30425, M100425, Y11100425
    #[arg(value_name = "CRON")]
    cron: String,
    /// Type of the processes
    #[arg(value_name = "TYPE")]
    kind: String,
    /// Who does their first task: name#version
    #[arg(value_name = "ACTOR")]
    actor: String,
    /// What is done
    #[arg(value_name = "METHOD", default_value = "")]
    method: String,
    /// Arguments of the first task, each JSON
    #[arg(value_name = "JSON", value_parser = json_of)]
    args: Vec<Value>,
    /// An id of yours, the same of all that are started
    #[arg(long, value_name = "ID")]
    custom_id: Option<String>,
    /// What becomes of moments at which the server was off
    #[arg(long, value_name = "WHAT", value_parser = ["skip", "once", "all"])]
    missed: Option<String>,
    /// How many are made up for, 1 to 100
    #[arg(long, value_name = "N")]
    missed_max: Option<i64>,
}

/// What shall be otherwise.
#[derive(Debug, clap::Args)]
pub(crate) struct ChangeSchedule {
    /// Id of the schedule
    #[arg(value_name = "ID")]
    id: String,
    /// When, in UTC: five fields of cron, or H25, D0425, W30425, M100425, Y11100425
    #[arg(long, value_name = "CRON")]
    cron: Option<String>,
    /// What becomes of moments at which the server was off
    #[arg(long, value_name = "WHAT", value_parser = ["skip", "once", "all"])]
    missed: Option<String>,
    /// How many are made up for, 1 to 100
    #[arg(long, value_name = "N")]
    missed_max: Option<i64>,
}

const SCHEDULES: List<'_> = List {
    what: "schedules",
    id: "/id",
    columns: &[
        text("ID", "/id"),
        text("CRON", "/cron"),
        text("TYPE", "/start/type"),
        text("ACTOR", "/start/start/actor"),
        flag("PAUSED", "/paused"),
        time("NEXT", "/next/0"),
        number("RUNS", "/runs"),
        time("LAST", "/last_at"),
    ],
};

const SCHEDULE: &[Column] = &[
    text("id", "/id"),
    text("cron", "/cron"),
    text("missed", "/missed"),
    number("missed at most", "/missed_max"),
    json_column("start", "/start"),
    flag("paused", "/paused"),
    text("next", "/next"),
    number("runs", "/runs"),
    number("left out", "/missed_times"),
    time("last", "/last_at"),
    text("last process", "/last_process"),
    time("created", "/created_at"),
    text("by", "/created_by"),
];

impl ScheduleVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List => SCHEDULES.whole(session, Request::get(&["workflow", "schedules"])).await,
            Self::Show { id } => {
                let schedule = session.get(Request::get(&["workflow", "schedules", &id])).await?;
                session.out.show(&schedule, SCHEDULE, "/id")
            }
            Self::Create(new) => new.create(session).await,
            Self::Change(change) => change.run(session).await,
            Self::Pause { id } => pause(session, &id, true).await,
            Self::Resume { id } => pause(session, &id, false).await,
            Self::Delete { id, sure } => {
                session.confirm(sure, &format!("delete schedule {id}"))?;
                let done = session.change(Request::new("DELETE", &["workflow", "schedules", &id])).await?;
                session.out.done(&done, &format!("schedule {id} is deleted"), None)
            }
        }
    }
}

async fn pause(session: &Session, id: &str, paused: bool) -> Done {
    let request = Request::new("PATCH", &["workflow", "schedules", id]).json(&json!({ "paused": paused }));
    let done = session.change(request).await?;
    session.out.done(&done, &format!("schedule {id} {}", if paused { "is paused" } else { "goes on" }), None)
}

impl ChangeSchedule {
    async fn run(self, session: &Session) -> Done {
        let body = Body::default().with("cron", self.cron).with("missed", self.missed);
        let body = body.with("missed_max", self.missed_max);
        if body.is_empty() {
            return Err(Failure::usage("nothing to change").hint("give --cron, --missed or --missed-max"));
        }
        let id = &self.id;
        let request = Request::new("PATCH", &["workflow", "schedules", id]).json(&body.value());
        let done = session.change(request).await?;
        session.out.done(&done, &format!("schedule {id} is changed"), None)
    }
}

impl CreateSchedule {
    async fn create(self, session: &Session) -> Done {
        let args: Vec<Value> = self.args.into_iter().map(|value| json!({ "value": value })).collect();
        let task = json!({ "actor": self.actor, "method": self.method, "args": args });
        let start = Body::default().with("type", Some(self.kind)).with("custom_id", self.custom_id);
        let body = Body::default()
            .with("cron", Some(self.cron))
            .with("missed", self.missed)
            .with("missed_max", self.missed_max)
            .with("start", Some(start.with("start", Some(task)).value()));
        let made = session.change(Request::new("POST", &["workflow", "schedules"]).json(&body.value())).await?;
        let id = made["id"].as_str().unwrap_or_default();
        session.out.done(&made, &format!("schedule {id} is created"), Some("/id"))
    }
}
