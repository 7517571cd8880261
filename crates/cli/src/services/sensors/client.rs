//! Clients: who is told, of what, and how each notification went.

use ::client::Request;
use clap::Subcommand;
use serde_json::Value;

use super::sensor::SENSORS;
use crate::failure::{Done, Failure};
use crate::flags::{Paging, Sure};
use crate::input::{Body, moment};
use crate::output::{Column, flag, json, moment as time, number, state, text, tries};
use crate::page::List;
use crate::services::filtered;
use crate::session::Session;

/// What can be done with clients.
#[derive(Debug, Subcommand)]
pub(crate) enum Client {
    /// List clients, oldest first
    #[command(after_help = "Examples:\n  fastness sensors client list\n  fastness sensors client list --json")]
    List {
        #[command(flatten)]
        paging: Paging,
    },
    /// Show a client
    #[command(after_help = "Examples:\n  fastness sensors client show 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Show(Id),
    /// Create a client; its secret is shown once
    #[command(
        after_help = "Examples:\n  fastness sensors client create 'Hotel Europa' --url https://hotel.example/doors"
    )]
    Create {
        /// Its name, of which there is one only
        #[arg(value_name = "NAME")]
        name: String,
        /// Where it is told
        #[arg(long, value_name = "URL")]
        url: String,
        /// From so many sensors lost at once on it is told of them together; 0: never
        #[arg(long, value_name = "N")]
        group_lost: Option<u32>,
    },
    /// Change a client: its name, its URL, whether it is told
    #[command(
        after_help = "Examples:\n  fastness sensors client change 01KA2B3C4D5E6F7G8H9JKMNPQR --url https://hotel.example/2\n  fastness sensors client change 01KA2B3C4D5E6F7G8H9JKMNPQR --state active"
    )]
    Change(Change),
    /// Give a client a new secret, shown once; the old one still signs for a day
    #[command(after_help = "Examples:\n  fastness sensors client rotate 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Rotate(Id),
    /// Delete a client with its links and notifications
    #[command(after_help = "Examples:\n  fastness sensors client delete 01KA2B3C4D5E6F7G8H9JKMNPQR --yes")]
    Delete {
        #[command(flatten)]
        of: Id,
        #[command(flatten)]
        sure: Sure,
    },
    /// List the sensors that a client is told of
    #[command(after_help = "Examples:\n  fastness sensors client sensors 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Sensors(Listed),
    /// List the events of a client in order: what it was told, or missed
    #[command(
        after_help = "Examples:\n  fastness sensors client events 01KA2B3C4D5E6F7G8H9JKMNPQR --after 1200 --json"
    )]
    Events(Listed),
    /// List what a client was told, newest first, with each try
    #[command(after_help = "Examples:\n  fastness sensors client notifications 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Notifications(Listed),
    /// Send the events of a time again
    #[command(
        after_help = "Examples:\n  fastness sensors client replay 01KA2B3C4D5E6F7G8H9JKMNPQR --from -2h\n  fastness sensors client replay 01KA2B3C4D5E6F7G8H9JKMNPQR --from 2026-11-15 --to 2026-11-16"
    )]
    Replay {
        #[command(flatten)]
        of: Id,
        /// Events from this moment on: 2026-11-15T12:00:00Z, 2026-11-15, now, or from now: -2h
        #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
        from: String,
        /// Events before this moment
        #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
        to: Option<String>,
    },
}

/// A client.
#[derive(Debug, clap::Args)]
pub(crate) struct Id {
    /// Id of the client
    #[arg(value_name = "ID")]
    id: String,
}

/// A list of a client.
#[derive(Debug, clap::Args)]
pub(crate) struct Listed {
    #[command(flatten)]
    of: Id,
    #[command(flatten)]
    paging: Paging,
}

/// What shall be otherwise.
#[derive(Debug, clap::Args)]
pub(crate) struct Change {
    #[command(flatten)]
    of: Id,
    /// Its name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Where it is told
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// From so many sensors lost at once on it is told of them together; 0: never
    #[arg(long, value_name = "N")]
    group_lost: Option<u32>,
    /// Whether it is told
    #[arg(long, value_name = "STATE", value_parser = ["active", "disabled"])]
    state: Option<String>,
}

/// What can be done with links.
#[derive(Debug, Subcommand)]
pub(crate) enum LinkVerb {
    /// Tell a client of a sensor, from its next change on
    #[command(after_help = "Examples:\n  fastness sensors link add 01KA2B3C4D5E6F7G8H9JKMNPQR xa7v9Dfadr7H")]
    Add(Link),
    /// Tell a client nothing of a sensor any more
    #[command(after_help = "Examples:\n  fastness sensors link remove 01KA2B3C4D5E6F7G8H9JKMNPQR xa7v9Dfadr7H --yes")]
    Remove {
        #[command(flatten)]
        link: Link,
        #[command(flatten)]
        sure: Sure,
    },
}

/// A client and a sensor.
#[derive(Debug, clap::Args)]
pub(crate) struct Link {
    /// Id of the client
    #[arg(value_name = "CLIENT")]
    client: String,
    /// Id of the sensor
    #[arg(value_name = "SENSOR")]
    sensor: String,
}

const CLIENTS: List<'_> = List {
    what: "clients",
    id: "/id",
    columns: &[
        text("ID", "/id"),
        text("NAME", "/name"),
        state("STATE", "/state"),
        number("SENSORS", "/sensors"),
        number("WAITING", "/waiting"),
        text("URL", "/url"),
    ],
};

const CLIENT: &[Column] = &[
    text("id", "/id"),
    text("name", "/name"),
    text("url", "/url"),
    state("state", "/state"),
    text("reason", "/reason"),
    number("last event", "/seq"),
    number("sensors", "/sensors"),
    number("waiting", "/waiting"),
    number("lost together from", "/group_lost"),
    flag("two secrets", "/rotating"),
    json("replay", "/replay"),
    time("created", "/created_at"),
];

const LINKED: &[Column] = &[
    text("ID", "/sensor/id"),
    state("STATE", "/sensor/state"),
    time("LINKED", "/linked_at"),
    text("ADDRESS", "/sensor/address"),
];

const EVENTS: List<'_> = List {
    what: "events",
    id: "/seq",
    columns: &[
        number("SEQ", "/seq"),
        text("ID", "/id"),
        time("AT", "/at"),
        state("STATE", "/state"),
        json("BODY", "/body"),
    ],
};

/// Of one client, or of all.
pub(super) const NOTIFICATIONS: List<'_> = List {
    what: "notifications",
    id: "/seq",
    columns: &[
        number("SEQ", "/seq"),
        text("TYPE", "/type"),
        text("SENSOR", "/sensor_id"),
        time("AT", "/at"),
        state("STATE", "/state"),
        tries("TRIES", "/tries"),
    ],
};

impl Client {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List { paging } => CLIENTS.paged(session, Request::get(&["sensor-clients"]), &paging).await,
            Self::Show(Id { id }) => {
                let client = session.get(Request::get(&["sensor-clients", &id])).await?;
                session.out.show(&client, CLIENT, "/id")
            }
            Self::Create { name, url, group_lost } => {
                let body = Body::default().with("name", Some(name.as_str())).with("url", Some(url));
                let body = body.with("group_lost", group_lost).value();
                let made = session.change(Request::new("POST", &["sensor-clients"]).json(&body)).await?;
                secret(
                    session,
                    &made,
                    &format!("client {name} is created: {}", made["id"].as_str().unwrap_or_default()),
                )
            }
            Self::Change(change) => change.run(session).await,
            Self::Rotate(Id { id }) => {
                let made = session.change(Request::new("POST", &["sensor-clients", &id, "rotate"])).await?;
                secret(session, &made, &format!("client {id} has a new secret"))
            }
            Self::Delete { of: Id { id }, sure } => {
                session.confirm(sure, &format!("delete client {id} with all its notifications"))?;
                let done = session.change(Request::new("DELETE", &["sensor-clients", &id])).await?;
                session.out.done(&done, &format!("client {id} is deleted"), None)
            }
            Self::Sensors(listed) => {
                let list = List { id: "/sensor/id", columns: LINKED, ..SENSORS };
                listed.show(session, &list, "sensors").await
            }
            Self::Events(listed) => listed.show(session, &EVENTS, "events").await,
            Self::Notifications(listed) => listed.show(session, &NOTIFICATIONS, "notifications").await,
            Self::Replay { of: Id { id }, from, to } => {
                let body = Body::default().with("from", Some(from)).with("to", to).value();
                let begun =
                    session.change(Request::new("POST", &["sensor-clients", &id, "replay"]).json(&body)).await?;
                session.out.done(&begun, &format!("events of client {id} are sent again"), None)
            }
        }
    }
}

/// A secret, which is shown this once.
fn secret(session: &Session, made: &Value, sentence: &str) -> Done {
    let secret = made["secret"].as_str().unwrap_or_default();
    session.out.done(made, &format!("{sentence}\nsecret, shown only now: {secret}"), Some("/id"))
}

impl Listed {
    async fn show(self, session: &Session, list: &List<'_>, what: &str) -> Done {
        list.paged(session, filtered(Request::get(&["sensor-clients", &self.of.id, what]), []), &self.paging).await
    }
}

impl Change {
    async fn run(self, session: &Session) -> Done {
        let body = Body::default().with("name", self.name).with("url", self.url).with("state", self.state);
        let body = body.with("group_lost", self.group_lost);
        if body.is_empty() {
            return Err(Failure::usage("nothing to change").hint("give --name, --url, --group-lost or --state"));
        }
        let id = &self.of.id;
        let changed = session.change(Request::new("PATCH", &["sensor-clients", id]).json(&body.value())).await?;
        session.out.done(&changed, &format!("client {id} is changed"), Some("/id"))
    }
}

impl LinkVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        let (method, Link { client, sensor }, done) = match self {
            Self::Add(link) => ("PUT", link, "is told of"),
            Self::Remove { link, sure } => {
                session.confirm(sure, &format!("tell client {} nothing more of {}", link.client, link.sensor))?;
                ("DELETE", link, "is told nothing any more of")
            }
        };
        let request = Request::new(method, &["sensor-clients", &client, "sensors", &sensor]);
        let answer = session.change(request).await?;
        session.out.done(&answer, &format!("client {client} {done} {sensor}"), None)
    }
}
