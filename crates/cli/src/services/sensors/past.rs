//! What all sensors said and what all clients were told, by address and time (SEN-14), and how the addresses stand.

use ::client::Request;
use clap::Subcommand;

use crate::failure::Done;
use crate::flags::Paging;
use crate::input::moment;
use crate::output::{flag, moment as time, number, text};
use crate::page::List;
use crate::services::filtered;
use crate::session::Session;

use super::client::NOTIFICATIONS;

/// What can be asked of addresses.
#[derive(Debug, Subcommand)]
pub(crate) enum AddressVerb {
    /// Count sensors by the next part of their address
    #[command(
        after_help = "Examples:\n  fastness sensors address list\n  fastness sensors address list --prefix 'Moscow, Russia'"
    )]
    List {
        /// Only below this address
        #[arg(long, value_name = "TEXT")]
        prefix: Option<String>,
        #[command(flatten)]
        paging: Paging,
    },
}

/// What can be asked of history.
#[derive(Debug, Subcommand)]
pub(crate) enum HistoryVerb {
    /// List what sensors said, newest first
    #[command(
        after_help = "Examples:\n  fastness sensors history list --from -2h\n  fastness sensors history list --address 'Moscow, Russia' --from 2026-11-15 --to 2026-11-16 --all --json"
    )]
    List(Search),
}

/// What can be asked of notifications.
#[derive(Debug, Subcommand)]
pub(crate) enum NotificationVerb {
    /// List what clients were told, newest first
    #[command(
        after_help = "Examples:\n  fastness sensors notification list --from -2h\n  fastness sensors notification list --sensor xa7v9Dfadr7H"
    )]
    List(Search),
}

/// Which of them.
#[derive(Debug, clap::Args)]
pub(crate) struct Search {
    /// Only of this sensor
    #[arg(long, value_name = "ID")]
    sensor: Option<String>,
    /// Only of this client
    #[arg(long, value_name = "ID")]
    client: Option<String>,
    /// Only of addresses that start with this
    #[arg(long, value_name = "TEXT")]
    address: Option<String>,
    /// From this moment on: 2026-11-15T12:00:00Z, 2026-11-15, now, or from now: -2h
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    from: Option<String>,
    /// Before this moment
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    to: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

const ADDRESSES: List<'_> = List {
    what: "addresses",
    id: "/address",
    columns: &[
        text("ADDRESS", "/address"),
        number("OPEN", "/open"),
        number("CLOSED", "/closed"),
        number("LOST", "/lost"),
        number("NEVER", "/never"),
    ],
};

const HISTORY: List<'_> = List {
    what: "signals",
    id: "/id",
    columns: &[
        text("SENSOR", "/sensor_id"),
        time("AT", "/at"),
        number("DATA", "/data"),
        number("BEFORE", "/previous"),
        flag("CHANGED", "/changed"),
        text("ADDRESS", "/address"),
    ],
};

impl AddressVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List { prefix, paging } => {
                let request = filtered(Request::get(&["sensors", "addresses"]), [("prefix", prefix)]);
                ADDRESSES.paged(session, request, &paging).await
            }
        }
    }
}

impl HistoryVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List(search) => search.show(session, &HISTORY, "sensor-history").await,
        }
    }
}

impl NotificationVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::List(search) => search.show(session, &NOTIFICATIONS, "sensor-notifications").await,
        }
    }
}

impl Search {
    async fn show(self, session: &Session, list: &List<'_>, path: &str) -> Done {
        let of = [("sensor", self.sensor), ("client", self.client), ("address", self.address)];
        let when = [("from", self.from), ("to", self.to)];
        list.paged(session, filtered(Request::get(&[path]), of.into_iter().chain(when)), &self.paging).await
    }
}
