//! The ledger of a database, and what devices and databases did (EXC-21, EXC-23).

use clap::Subcommand;
use client::Request;

use super::EXCHANGE;
use crate::failure::Done;
use crate::output::{Column, flag, moment as time, number, text};
use crate::services::filtered;
use crate::session::Session;

/// What can be asked of ledgers.
#[derive(Debug, Subcommand)]
pub(crate) enum LedgerVerb {
    /// Show where all messages that a database ever got are; the sum is what was received
    #[command(
        after_help = "Examples:\n  fastness exchange ledger show erp\n  fastness exchange ledger show erp --json"
    )]
    Show {
        /// Id of the database
        #[arg(value_name = "DATABASE")]
        database: String,
    },
}

/// What can be asked of counters.
#[derive(Debug, Subcommand)]
pub(crate) enum StatisticsVerb {
    /// Show what a device or a database sent and how that went
    #[command(
        after_help = "Examples:\n  fastness exchange statistics show --database erp\n  fastness exchange statistics show --device 01KA2B3C4D5E6F7G8H9JKMNPQR"
    )]
    Show {
        /// Id of the database
        #[arg(long, value_name = "ID", required_unless_present = "device")]
        database: Option<String>,
        /// Id of the device
        #[arg(long, value_name = "ID", conflicts_with = "database")]
        device: Option<String>,
    },
}

const LEDGER: &[Column] = &[
    text("database", "/db"),
    number("received", "/received"),
    number("queued", "/queued"),
    number("in process", "/in_process"),
    number("done", "/log"),
    number("wrong", "/error"),
    number("unknown", "/unknown"),
    number("removed", "/removed"),
    number("sum", "/sum"),
    flag("balances", "/balances"),
];

const STATISTICS: &[Column] = &[
    text("database", "/db"),
    text("device", "/device"),
    number("sent", "/sent"),
    number("processed", "/processed"),
    number("errors", "/errors"),
    number("deadlocks", "/deadlocks"),
    number("bytes", "/bytes"),
    time("heard", "/contact_at"),
];

impl LedgerVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::Show { database } => {
                let ledger = session.get(Request::get(&[EXCHANGE, "ledger"]).query("db", database)).await?;
                session.out.show(&ledger, LEDGER, "/sum")
            }
        }
    }
}

impl StatisticsVerb {
    pub(super) async fn run(self, session: &Session) -> Done {
        match self {
            Self::Show { database, device } => {
                let request = Request::get(&[EXCHANGE, "statistics"]);
                let given = session.get(filtered(request, [("db", database), ("device", device)])).await?;
                session.out.show(&given, STATISTICS, "/sent")
            }
        }
    }
}
