//! Sensors: listed, shown, registered, deleted, and what they said.

use ::client::Request;
use clap::Subcommand;
use serde_json::Value;

use crate::failure::Done;
use crate::flags::{Paging, Sure};
use crate::input::{Body, moment, seconds};
use crate::output::{Column, flag, moment as time, number, state, text};
use crate::page::List;
use crate::services::filtered;
use crate::session::Session;

/// What can be done with sensors.
#[derive(Debug, Subcommand)]
pub(crate) enum SensorVerb {
    /// List sensors by id; by address if one is given; lost ones by when they were lost
    #[command(
        after_help = "Examples:\n  fastness sensors sensor list --state lost\n  fastness sensors sensor list --address 'Moscow, Russia' --all -q"
    )]
    List {
        /// Only ids that start with this
        #[arg(long, value_name = "TEXT")]
        prefix: Option<String>,
        /// Only addresses that start with this
        #[arg(long, value_name = "TEXT")]
        address: Option<String>,
        /// Only in this state
        #[arg(long, value_name = "STATE", value_parser = ["open", "closed", "lost", "never"])]
        state: Option<String>,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show a sensor with who is told of it
    #[command(after_help = "Examples:\n  fastness sensors sensor show xa7v9Dfadr7H")]
    Show {
        /// Id of the sensor
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Register a sensor, or change its registration
    #[command(
        after_help = "Examples:\n  fastness sensors sensor put xa7v9Dfadr7H --address 'Moscow, Russia, Svobody st. 23 fl 1 room 16'\n  fastness sensors sensor put 0xA --address 'Lyon, France, Rue Bugeaud 4' --silence-s 600"
    )]
    Put {
        /// Id of the sensor: 1 to 16 letters and digits
        #[arg(value_name = "ID")]
        id: String,
        /// Address of its room; parts are separated by commas, the widest first
        #[arg(long, value_name = "TEXT")]
        address: String,
        /// How long it may be silent before it is lost [default: as it is, for a new one an hour]
        #[arg(long, value_name = "TIME", value_parser = seconds(10..=31_536_000))]
        silence_s: Option<u64>,
    },
    /// Delete a sensor with its links; its history is kept for its time
    #[command(after_help = "Examples:\n  fastness sensors sensor delete xa7v9Dfadr7H --yes")]
    Delete {
        /// Id of the sensor
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        sure: Sure,
    },
    /// List what a sensor said, newest first
    #[command(
        after_help = "Examples:\n  fastness sensors sensor history xa7v9Dfadr7H\n  fastness sensors sensor history xa7v9Dfadr7H --from -2d --json"
    )]
    History {
        /// Id of the sensor
        #[arg(value_name = "ID")]
        id: String,
        /// From this moment on: 2026-11-15T12:00:00Z, 2026-11-15, now, or from now: -2h
        #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
        from: Option<String>,
        /// Before this moment
        #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
        to: Option<String>,
        #[command(flatten)]
        paging: Paging,
    },
}

pub(super) const SENSORS: List<'_> = List {
    what: "sensors",
    id: "/id",
    columns: &[
        text("ID", "/id"),
        state("STATE", "/state"),
        time("CHANGED", "/changed_at"),
        time("HEARD", "/seen_at"),
        text("ADDRESS", "/address"),
    ],
};

const SENSOR: &[Column] = &[
    text("id", "/id"),
    text("address", "/address"),
    state("state", "/state"),
    number("data", "/data"),
    time("changed", "/changed_at"),
    time("heard", "/seen_at"),
    time("lost since", "/lost_since"),
    number("silence, s", "/silence_s"),
    number("changes", "/changes"),
    time("registered", "/registered_at"),
    text("told", "/told"),
];

const HISTORY: List<'_> = List {
    what: "history",
    id: "/id",
    columns: &[
        time("AT", "/at"),
        number("DATA", "/data"),
        number("BEFORE", "/previous"),
        flag("CHANGED", "/changed"),
        time("TAKEN", "/taken_at"),
        text("ADDRESS", "/address"),
    ],
};

impl SensorVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List { prefix, address, state, paging } => {
                let filters = [("prefix", prefix), ("address", address), ("state", state)];
                SENSORS.paged(session, filtered(Request::get(&["sensors"]), filters), &paging).await
            }
            Self::Show { id } => show(session, &id).await,
            Self::Put { id, address, silence_s } => {
                let body = Body::default().with("address", Some(address)).with("silence_s", silence_s);
                let put = session.change(Request::new("PUT", &["sensors", &id]).json(&body.value())).await?;
                session.out.done(&put, &format!("sensor {id} is registered"), Some("/id"))
            }
            Self::Delete { id, sure } => {
                session.confirm(sure, &format!("delete sensor {id}"))?;
                let done = session.change(Request::new("DELETE", &["sensors", &id])).await?;
                session.out.done(&done, &format!("sensor {id} is deleted"), None)
            }
            Self::History { id, from, to, paging } => {
                let request = Request::get(&["sensors", &id, "history"]);
                HISTORY.paged(session, filtered(request, [("from", from), ("to", to)]), &paging).await
            }
        }
    }
}

async fn show(session: &Session, id: &str) -> Done {
    let mut sensor = session.get(Request::get(&["sensors", id])).await?;
    let clients = session.get(Request::get(&["sensors", id, "clients"])).await?;
    let names = crate::page::items_of(&clients)?.iter().map(|link| link["name"].clone());
    sensor["told"] = Value::Array(names.collect());
    session.out.show(&sensor, SENSOR, "/id")
}
