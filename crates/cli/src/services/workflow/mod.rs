//! `fastness workflow`: processes, what is broken, jobs over many, actors, types and schedules (WFL-2, WFL-9, WFL-16 to WFL-23, WFL-29).

mod actor;
mod broken;
mod find;
mod job;
mod process;
mod schedule;
mod search;
mod tree;

use clap::Subcommand;
use serde_json::Value;

use super::Nouns;
use crate::failure::Done;
use crate::input::duration_ms;
use crate::session::Session;

/// Nouns of the workflow.
#[derive(Debug, Subcommand)]
pub(crate) enum Workflow {
    /// Processes: started, found, looked at, signalled, aborted, begun anew
    #[command(subcommand)]
    Process(process::ProcessVerb),
    /// Tasks that failed for good
    #[command(subcommand)]
    Broken(broken::BrokenVerb),
    /// Jobs that do one thing with many processes
    #[command(subcommand)]
    Job(job::JobVerb),
    /// Searches that are kept under a name
    #[command(subcommand)]
    Search(search::SearchVerb),
    /// Actors: who polls, what waits, and what holds for them
    #[command(subcommand)]
    Actor(actor::ActorVerb),
    /// Types of processes, and what holds for them
    #[command(subcommand)]
    Type(actor::TypeVerb),
    /// Processes that are started by the calendar
    #[command(subcommand)]
    Schedule(schedule::ScheduleVerb),
}

impl Nouns for Workflow {
    async fn run(self, session: &Session) -> Done {
        match self {
            Self::Process(verb) => verb.run(session).await,
            Self::Broken(verb) => verb.run(session).await,
            Self::Job(verb) => verb.run(session).await,
            Self::Search(verb) => verb.run(session).await,
            Self::Actor(verb) => verb.run(session).await,
            Self::Type(verb) => verb.run(session).await,
            Self::Schedule(verb) => verb.run(session).await,
        }
    }
}

/// A time, or `usual`.
fn time_or_usual(text: &str) -> Result<Value, String> {
    if text == "usual" { Ok(Value::Null) } else { duration_ms(text).map(Value::from) }
}

/// `yes`, `no` or `usual`.
fn flag_or_usual(text: &str) -> Result<Value, String> {
    match text {
        "usual" => Ok(Value::Null),
        "yes" => Ok(true.into()),
        "no" => Ok(false.into()),
        _ => Err("yes, no or usual".into()),
    }
}
