//! Actors and types of processes, and what holds for them.

use clap::{Args, Subcommand};
use client::Request;
use serde_json::{Value, json};

use super::{flag_or_usual, time_or_usual};
use crate::failure::{Done, Failure};
use crate::flags::Paging;
use crate::input::Body;
use crate::output::{Column, flag, moment as time, number, state, text};
use crate::page::List;
use crate::session::Session;

/// Actors of a page at most: each is looked at.
const PAGE_MAX: u64 = 100;

/// What can be done with actors.
#[derive(Debug, Subcommand)]
pub(crate) enum ActorVerb {
    /// List actors: whether somebody polls, what waits, how much is done
    #[command(after_help = "Examples:\n  fastness workflow actor list")]
    List {
        #[command(flatten)]
        paging: Paging,
    },
    /// Show an actor with what holds for it
    #[command(after_help = "Examples:\n  fastness workflow actor show 'pay#1'")]
    Show {
        /// The actor: name#version
        #[arg(value_name = "ACTOR")]
        actor: String,
    },
    /// Give nothing more to an actor; what is in work goes on
    #[command(after_help = "Examples:\n  fastness workflow actor block 'pay#1'")]
    Block {
        /// The actor: name#version
        #[arg(value_name = "ACTOR")]
        actor: String,
    },
    /// Let an actor work again
    #[command(after_help = "Examples:\n  fastness workflow actor unblock 'pay#1'")]
    Unblock {
        /// The actor: name#version
        #[arg(value_name = "ACTOR")]
        actor: String,
    },
    /// Set what holds for an actor; what is not said stays
    #[command(
        after_help = "Examples:\n  fastness workflow actor set 'pay#1' --work-timeout 5m\n  fastness workflow actor set 'pay#1' --accept-first no --work-timeout usual"
    )]
    Set {
        /// The actor: name#version
        #[arg(value_name = "ACTOR")]
        actor: String,
        #[command(flatten)]
        rules: ActorRules,
    },
}

/// What holds for an actor.
#[derive(Debug, Args)]
pub(crate) struct ActorRules {
    /// How long one may be silent: 90s, 5m, or usual (a minute)
    #[arg(long, value_name = "TIME", value_parser = time_or_usual)]
    work_timeout: Option<Value>,
    /// Whether somebody else tries after a silence; else it is an error. yes, no or usual (yes)
    #[arg(long, value_name = "FLAG", value_parser = flag_or_usual)]
    restart_after_work_timeout: Option<Value>,
    /// How long a task may take from its queueing; 0s or usual: for ever
    #[arg(long, value_name = "TIME", value_parser = time_or_usual)]
    task_timeout: Option<Value>,
    /// Whether it ends then also if somebody works on it; yes, no or usual (no)
    #[arg(long, value_name = "FLAG", value_parser = flag_or_usual)]
    force_finish_after_task_timeout: Option<Value>,
    /// Whether the first value counts, whoever brings it; yes, no or usual (yes)
    #[arg(long, value_name = "FLAG", value_parser = flag_or_usual)]
    accept_first: Option<Value>,
}

/// What can be done with types.
#[derive(Debug, Subcommand)]
pub(crate) enum TypeVerb {
    /// List types with what holds for them
    #[command(after_help = "Examples:\n  fastness workflow type list")]
    List,
    /// Set what holds for a type; what is not said stays
    #[command(
        after_help = "Examples:\n  fastness workflow type set order --on-inconsistency restart --kept 90d\n  fastness workflow type set order --idle-timeout usual"
    )]
    Set {
        /// The type
        #[arg(value_name = "TYPE")]
        kind: String,
        #[command(flatten)]
        rules: TypeRules,
    },
}

/// What holds for a type.
#[derive(Debug, Args)]
pub(crate) struct TypeRules {
    /// How long a process is thought to take, or usual (an hour)
    #[arg(long, value_name = "TIME", value_parser = time_or_usual)]
    process_timeout: Option<Value>,
    /// How long nothing may happen in one, or usual (5m)
    #[arg(long, value_name = "TIME", value_parser = time_or_usual)]
    idle_timeout: Option<Value>,
    /// What becomes of one of which something is lost
    #[arg(long, value_name = "WHAT", value_parser = ["broken", "restart", "usual"])]
    on_inconsistency: Option<String>,
    /// How long finished ones are kept, or usual (30d)
    #[arg(long, value_name = "TIME", value_parser = time_or_usual)]
    kept: Option<Value>,
}

const ACTORS: List<'_> = List {
    what: "actors",
    id: "/actor",
    columns: &[
        text("ACTOR", "/actor"),
        state("STATE", "/state"),
        number("WAITING", "/waiting"),
        number("OLDEST MS", "/oldest_waiting_ms"),
        time("POLLED", "/last_poll_at"),
        number("IN/H", "/hour/in"),
        number("OUT/H", "/hour/out"),
        number("ERRORS/H", "/hour/errors"),
        number("OUT/DAY", "/day/out"),
    ],
};

const ACTOR: &[Column] = &[
    text("actor", "/actor"),
    state("state", "/state"),
    number("waiting", "/waiting"),
    number("oldest waits, ms", "/oldest_waiting_ms"),
    time("polled", "/last_poll_at"),
    number("given in an hour", "/hour/in"),
    number("done in an hour", "/hour/out"),
    number("errors in an hour", "/hour/errors"),
    number("given in a day", "/day/in"),
    number("done in a day", "/day/out"),
    number("errors in a day", "/day/errors"),
    number("work timeout, ms", "/work_timeout_ms"),
    flag("restart after it", "/restart_after_work_timeout"),
    number("task timeout, ms", "/task_timeout_ms"),
    flag("force finish after it", "/force_finish_after_task_timeout"),
    flag("accept first", "/accept_first"),
];

const TYPES: List<'_> = List {
    what: "types",
    id: "/type",
    columns: &[
        text("TYPE", "/type"),
        number("PROCESS TIMEOUT MS", "/process_timeout_ms"),
        number("IDLE TIMEOUT MS", "/idle_timeout_ms"),
        text("ON INCONSISTENCY", "/on_inconsistency"),
        number("KEPT MS", "/kept_ms"),
    ],
};

impl ActorVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List { paging } => {
                ACTORS.paged_by(session, Request::get(&["workflow", "actors"]), &paging, PAGE_MAX).await
            }
            Self::Show { actor } => {
                let shown = session.get(Request::get(&["workflow", "actors", &actor])).await?;
                session.out.show(&shown, ACTOR, "/actor")
            }
            Self::Block { actor } => patch(session, &actor, json!({ "blocked": true }), "is blocked").await,
            Self::Unblock { actor } => patch(session, &actor, json!({ "blocked": false }), "works again").await,
            Self::Set { actor, rules } => patch(session, &actor, rules.value()?, "is set").await,
        }
    }
}

async fn patch(session: &Session, actor: &str, body: Value, said: &str) -> Done {
    let done = session.change(Request::new("PATCH", &["workflow", "actors", actor]).json(&body)).await?;
    session.out.done(&done, &format!("actor {actor} {said}"), Some("/actor"))
}

fn nothing() -> Failure {
    Failure::usage("nothing to set: --help lists what can be")
}

impl ActorRules {
    fn value(self) -> Result<Value, Failure> {
        let body = Body::default()
            .with("work_timeout_ms", self.work_timeout)
            .with("restart_after_work_timeout", self.restart_after_work_timeout)
            .with("task_timeout_ms", self.task_timeout)
            .with("force_finish_after_task_timeout", self.force_finish_after_task_timeout)
            .with("accept_first", self.accept_first);
        if body.is_empty() { Err(nothing()) } else { Ok(body.value()) }
    }
}

impl TypeVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List => TYPES.whole(session, Request::get(&["workflow", "types"])).await,
            Self::Set { kind, rules } => {
                let request = Request::new("PATCH", &["workflow", "types", &kind]).json(&rules.value()?);
                let done = session.change(request).await?;
                session.out.done(&done, &format!("type {kind} is set"), Some("/type"))
            }
        }
    }
}

impl TypeRules {
    fn value(self) -> Result<Value, Failure> {
        let usual = |word: String| if word == "usual" { Value::Null } else { word.into() };
        let body = Body::default()
            .with("process_timeout_ms", self.process_timeout)
            .with("idle_timeout_ms", self.idle_timeout)
            .with("on_inconsistency", self.on_inconsistency.map(usual))
            .with("kept_ms", self.kept);
        if body.is_empty() { Err(nothing()) } else { Ok(body.value()) }
    }
}
