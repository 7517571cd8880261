//! Alerts, the channels they are sent by, and the messages that told of them (KER-27).

use std::path::PathBuf;

use clap::Subcommand;
use client::Request;
use serde_json::{Value, json};

use crate::failure::{Done, Failure};
use crate::flags::Paging;
use crate::input::json_file;
use crate::output::{flag, moment as time, state, text};
use crate::page::{List, items_of};
use crate::session::Session;

/// What can be done with alerts.
#[derive(Debug, Subcommand)]
pub(crate) enum AlertVerb {
    /// List alerts, newest first
    #[command(
        after_help = "Examples:\n  fastness admin alert list --state open\n  fastness admin alert list --kind task.parked --json"
    )]
    List {
        /// Only in this state
        #[arg(long, value_name = "STATE", value_parser = ["open", "acknowledged", "closed"])]
        state: Option<String>,
        /// Only of this kind
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
        #[command(flatten)]
        paging: Paging,
    },
    /// Acknowledge an alert: it is not said again until it opens anew
    #[command(after_help = "Examples:\n  fastness admin alert acknowledge 01KA2B3C4D5E6F7G8H9JKMNPQR")]
    Acknowledge {
        /// Id of the alert
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// What can be done with channels.
#[derive(Debug, Subcommand)]
pub(crate) enum ChannelVerb {
    /// List channels in the order in which they are tried
    #[command(after_help = "Examples:\n  fastness admin channel list")]
    List,
    /// Set all channels, in the order in which they are tried; none means those of the server
    #[command(
        after_help = "Examples:\n  fastness admin channel set --mail ops@example.org --webhook https://sms.example/send\n  fastness admin channel set --file channels.json\n  fastness admin channel set --none"
    )]
    Set(SetChannels),
}

/// Channels to be: mail first, then webhooks; another order comes from a file.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
pub(crate) struct SetChannels {
    /// Mail to these addresses, with commas between
    #[arg(long, value_name = "ADDRESSES")]
    mail: Vec<String>,
    /// Post to this URL
    #[arg(long, value_name = "URL")]
    webhook: Vec<String>,
    /// All channels as the API takes them, JSON: [{"kind": "webhook", "url": "…", "secret": "whsec_…"}]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mail", "webhook"])]
    file: Option<PathBuf>,
    /// No channels of its own
    #[arg(long, conflicts_with_all = ["mail", "webhook", "file"])]
    none: bool,
}

/// What can be done with messages.
#[derive(Debug, Subcommand)]
pub(crate) enum MessageVerb {
    /// List messages, newest first, with what became of them
    #[command(after_help = "Examples:\n  fastness admin message list\n  fastness admin message list --json")]
    List(Paging),
}

const ALERTS: List<'_> = List {
    what: "alerts",
    id: "/id",
    columns: &[
        text("ID", "/id"),
        state("ALERT", "/state"),
        text("KIND", "/kind"),
        time("OPENED", "/opened_at"),
        time("CLOSED", "/closed_at"),
        text("BY", "/acknowledged_by"),
        text("MESSAGE", "/message"),
    ],
};

const CHANNELS: List<'_> = List {
    what: "channels",
    id: "/label",
    columns: &[text("KIND", "/kind"), text("CHANNEL", "/label"), flag("SIGNED", "/signed")],
};

const MESSAGES: List<'_> = List {
    what: "messages",
    id: "/id",
    columns: &[
        text("ID", "/id"),
        state("OUTCOME", "/outcome"),
        text("KIND", "/kind"),
        time("MADE", "/made_at"),
        text("SUBJECT", "/subject"),
    ],
};

impl AlertVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List { state, kind, paging } => {
                let filters = [("state", state), ("kind", kind)];
                let request = super::super::filtered(Request::get(&["alerts"]), filters);
                ALERTS.paged(session, request, &paging).await?;
                banner(session).await
            }
            Self::Acknowledge { id } => {
                let done = session.change(Request::new("POST", &["alerts", &id, "acknowledge"])).await?;
                let state = done["state"].as_str().unwrap_or_default();
                session.out.done(&done, &format!("alert {id} is {state}"), None)
            }
        }
    }
}

/// What is wrong with the channels, for people: an alert that nobody gets is no alert.
async fn banner(session: &Session) -> Done {
    if session.out.json || session.out.quiet {
        return Ok(());
    }
    let given = session.get(Request::get(&["alerts"]).query("limit", "1")).await?;
    let lines = given["banner"].as_array().cloned().unwrap_or_default();
    lines.iter().filter_map(Value::as_str).for_each(|line| session.out.remark(line));
    Ok(())
}

impl ChannelVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List => {
                let given = session.get(Request::get(&["alert-channels"])).await?;
                if session.out.json {
                    return session.out.document(&given);
                }
                CHANNELS.show(session, items_of(&json!({ "items": given["channels"] }))?)?;
                if given["own"] == false {
                    session.out.remark("these are the server's: the namespace has none of its own");
                }
                Ok(())
            }
            Self::Set(channels) => channels.set(session).await,
        }
    }
}

impl SetChannels {
    async fn set(self, session: &Session) -> Done {
        let channels = self.channels()?;
        let count = channels.as_array().map_or(0, Vec::len);
        let request = Request::new("PUT", &["alert-channels"]).json(&json!({ "channels": channels }));
        let done = session.change(request).await?;
        let sentence = match count {
            0 => "alerts go by the channels of the server".to_owned(),
            1 => "alerts go by 1 channel".to_owned(),
            count => format!("alerts go by {count} channels"),
        };
        session.out.done(&done, &sentence, None)
    }

    fn channels(&self) -> Result<Value, Failure> {
        if let Some(path) = &self.file {
            return json_file(path);
        }
        let mail = self.mail.iter().map(|to| json!({ "kind": "mail", "to": to.split(',').collect::<Vec<_>>() }));
        let webhooks = self.webhook.iter().map(|url| json!({ "kind": "webhook", "url": url }));
        Ok(mail.chain(webhooks).collect())
    }
}

impl MessageVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List(paging) => MESSAGES.paged(session, Request::get(&["alert-messages"]), &paging).await,
        }
    }
}
