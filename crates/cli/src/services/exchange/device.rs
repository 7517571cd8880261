//! Devices: registered, activated by a code, shut out and let in again (EXC-2).

use clap::Subcommand;
use client::Request;
use serde_json::{Value, json};

use super::EXCHANGE;
use crate::failure::Done;
use crate::flags::Paging;
use crate::output::{Column, flag, moment as time, state, text};
use crate::page::List;
use crate::services::filtered;
use crate::session::Session;

/// What can be done with devices.
#[derive(Debug, Subcommand)]
pub(crate) enum DeviceVerb {
    /// List devices, of all companies or of one
    #[command(
        after_help = "Examples:\n  fastness exchange device list --company acme\n  fastness exchange device list --company acme --subsystem sales --all -q"
    )]
    List {
        /// Only of this company
        #[arg(long, value_name = "ID")]
        company: Option<String>,
        /// Only of this subsystem of the company
        #[arg(long, value_name = "ID", requires = "company")]
        subsystem: Option<String>,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show a device
    #[command(after_help = "Examples:\n  fastness exchange device show 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Show(Id),
    /// Register a device; its activation code is what its user types in
    #[command(
        after_help = "Examples:\n  fastness exchange device create Anna --company acme --subsystem sales\n  fastness exchange device create Anna --company acme --subsystem sales -q    the code alone"
    )]
    Create {
        /// Its name, for people
        #[arg(value_name = "NAME")]
        name: String,
        /// Id of its company
        #[arg(long, value_name = "ID")]
        company: String,
        /// Id of its subsystem
        #[arg(long, value_name = "ID")]
        subsystem: String,
    },
    /// Change the name of a device; its id and its key stay
    #[command(after_help = "Examples:\n  fastness exchange device change 01KA2B3C4D5E6F7G8H9JKMNPQR --name 'Phone 12'")]
    Change {
        /// Id of the device
        #[arg(value_name = "ID")]
        id: String,
        /// Its name, for people
        #[arg(long, value_name = "NAME")]
        name: String,
    },
    /// Give a device a new activation code; its old code and its key end at once
    #[command(after_help = "Examples:\n  fastness exchange device code 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Code(Id),
    /// Shut a device out at once, on all nodes; what is sent to it waits
    #[command(after_help = "Examples:\n  fastness exchange device block 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Block(Id),
    /// Let a device in again, with the key that it had
    #[command(after_help = "Examples:\n  fastness exchange device unblock 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Unblock(Id),
}

/// A device.
#[derive(Debug, clap::Args)]
pub(crate) struct Id {
    /// Id of the device
    #[arg(value_name = "ID")]
    id: String,
}

const DEVICES: List<'_> = List {
    what: "devices",
    id: "/id",
    columns: &[
        text("ID", "/id"),
        text("NAME", "/name"),
        state("STATE", "/state"),
        text("COMPANY", "/company"),
        text("SUBSYSTEM", "/subsystem"),
        flag("CODE", "/has_code"),
        time("HEARD", "/contact_at"),
    ],
};

const DEVICE: &[Column] = &[
    text("id", "/id"),
    text("name", "/name"),
    state("state", "/state"),
    text("company", "/company"),
    text("subsystem", "/subsystem"),
    flag("code waits", "/has_code"),
    time("heard", "/contact_at"),
    time("created", "/created_at"),
];

impl DeviceVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List { company, subsystem, paging } => {
                let request = Request::get(&[EXCHANGE, "devices"]);
                let request = filtered(request, [("company", company), ("subsystem", subsystem)]);
                DEVICES.paged(session, request, &paging).await
            }
            Self::Show(Id { id }) => {
                let device = session.get(Request::get(&[EXCHANGE, "devices", &id])).await?;
                session.out.show(&device, DEVICE, "/id")
            }
            Self::Create { name, company, subsystem } => {
                let body = json!({ "company": company, "subsystem": subsystem, "name": name });
                let made = session.change(Request::new("POST", &[EXCHANGE, "devices"]).json(&body)).await?;
                code(session, &made, &format!("device {} is registered", made["id"].as_str().unwrap_or_default()))
            }
            Self::Change { id, name } => {
                let request = Request::new("PATCH", &[EXCHANGE, "devices", &id]);
                let done = session.change(request.json(&json!({ "name": name }))).await?;
                session.out.done(&done, &format!("device {id} is changed"), None)
            }
            Self::Code(Id { id }) => {
                let made = session.change(of(&id, "code")).await?;
                code(session, &made, &format!("device {id} has a new code"))
            }
            Self::Block(Id { id }) => {
                let done = session.change(of(&id, "block")).await?;
                session.out.done(&done, &format!("device {id} is shut out"), None)
            }
            Self::Unblock(Id { id }) => {
                let done = session.change(of(&id, "unblock")).await?;
                session.out.done(&done, &format!("device {id} is let in again"), None)
            }
        }
    }
}

fn of(id: &str, verb: &str) -> Request {
    Request::new("POST", &[EXCHANGE, "devices", id, verb])
}

fn code(session: &Session, made: &Value, sentence: &str) -> Done {
    let code = made["activation_code"].as_str().unwrap_or_default();
    let sentence = format!("{sentence}\nactivation code, good once and for seven days: {code}");
    session.out.done(made, &sentence, Some("/activation_code"))
}
