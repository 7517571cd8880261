//! Signals: sent by hand; those that nobody knows, and those that are none.

use ::client::Request;
use clap::Subcommand;

use crate::failure::{Done, Failure};
use crate::flags::Paging;
use crate::input::{Body, moment};
use crate::output::{moment as time, number, text};
use crate::page::List;
use crate::session::Session;

/// What can be done with signals.
#[derive(Debug, Subcommand)]
pub(crate) enum SignalVerb {
    /// Send one signal, as its sensor would
    #[command(
        after_help = "Examples:\n  fastness sensors signal send xa7v9Dfadr7H closed\n  fastness sensors signal send xa7v9Dfadr7H open --at -10s --id 4711"
    )]
    Send {
        /// Id of the sensor
        #[arg(value_name = "SENSOR")]
        sensor: String,
        /// What it says
        #[arg(value_name = "STATE", value_parser = ["open", "closed"])]
        state: String,
        /// When it was so: 2026-11-15T12:00:00Z, now, or from now: -10s
        #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
        at: Option<String>,
        /// Its own id: the same signal sent again changes nothing
        #[arg(long, value_name = "ID")]
        id: Option<String>,
    },
}

/// What can be done with unknown sensors.
#[derive(Debug, Subcommand)]
pub(crate) enum UnknownVerb {
    /// List them, the last heard first
    #[command(after_help = "Examples:\n  fastness sensors unknown list")]
    List {
        #[command(flatten)]
        paging: Paging,
    },
}

/// What can be done with rejected signals.
#[derive(Debug, Subcommand)]
pub(crate) enum RejectedVerb {
    /// List them with the reason, newest first
    #[command(after_help = "Examples:\n  fastness sensors rejected list --limit 10")]
    List {
        #[command(flatten)]
        paging: Paging,
    },
}

const UNKNOWN: List<'_> = List {
    what: "unknown sensors",
    id: "/id",
    columns: &[
        text("ID", "/id"),
        number("DATA", "/data"),
        number("SIGNALS", "/count"),
        time("FIRST", "/first_at"),
        time("LAST", "/last_at"),
    ],
};

const REJECTED: List<'_> = List {
    what: "rejected signals",
    id: "/number",
    columns: &[
        number("NUMBER", "/number"),
        time("AT", "/at"),
        text("FROM", "/source"),
        text("REASON", "/reason"),
        text("BODY", "/body"),
    ],
};

impl SignalVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        let Self::Send { sensor, state, at, id } = self;
        let body =
            Body::default().with("sensor_id", Some(sensor.as_str())).with("data", Some(i64::from(state == "closed")));
        let body = body.with("at", at).with("id", id).value();
        let taken = session.change(Request::new("POST", &["signals"]).json(&body)).await?;
        if let Some(reason) = taken["rejected"][0]["reason"].as_str() {
            return Err(Failure::here(format!("the signal was rejected: {reason}")));
        }
        let done = if taken["changed"] == 1 { "is now" } else { "is still, or was newer already than" };
        session.out.done(&taken, &format!("sensor {sensor} {done} {state}"), None)
    }
}

impl UnknownVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        let Self::List { paging } = self;
        UNKNOWN.paged(session, Request::get(&["sensors", "unknown"]), &paging).await
    }
}

impl RejectedVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        let Self::List { paging } = self;
        REJECTED.paged(session, Request::get(&["signals", "rejected"]), &paging).await
    }
}
