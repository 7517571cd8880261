//! `fastness exchange`: who takes part, what lies where, what a person must decide (EXC-1, EXC-2, EXC-5, EXC-20), and the side of business
//! databases (EXC-25).

mod connect;
mod device;
mod message;
mod numbers;
mod party;
mod process;

use clap::Subcommand;

use super::Nouns;
use crate::failure::Done;
use crate::session::Session;

/// The first part of its paths.
const EXCHANGE: &str = "exchange";

/// Nouns of the exchange.
#[derive(Debug, Subcommand)]
pub(crate) enum Exchange {
    /// Companies, to which everything belongs
    #[command(subcommand)]
    Company(party::CompanyVerb),
    /// Subsystems: mobile solutions of a company
    #[command(subcommand)]
    Subsystem(party::SubsystemVerb),
    /// Databases of companies, which take messages and answer them
    #[command(subcommand)]
    Database(party::DatabaseVerb),
    /// Devices: registered, activated, shut out
    #[command(subcommand)]
    Device(device::DeviceVerb),
    /// Messages in the folders of a database
    #[command(subcommand)]
    Message(message::MessageVerb),
    /// Processes of databases, and what became of them
    #[command(subcommand)]
    Process(process::ProcessVerb),
    /// Where all messages of a database are
    #[command(subcommand)]
    Ledger(numbers::LedgerVerb),
    /// What devices and databases did
    #[command(subcommand)]
    Statistics(numbers::StatisticsVerb),
    /// Connect a database of Firebird, PostgreSQL or SQLite: takes its messages, processes them by SQL, brings replies, exactly once
    #[command(
        after_help = "Examples:\n  fastness exchange connect --config erp.toml\n  FASTNESS_KEY=… fastness exchange connect --config erp.toml --server https://exchange.example --json\n  fastness exchange connect --config erp.toml --once    one process, then ends"
    )]
    Connect(connect::Connect),
}

impl Nouns for Exchange {
    async fn run(self, session: &Session) -> Done {
        match self {
            Self::Company(verb) => verb.run(session).await,
            Self::Subsystem(verb) => verb.run(session).await,
            Self::Database(verb) => verb.run(session).await,
            Self::Device(verb) => verb.run(session).await,
            Self::Message(verb) => verb.run(session).await,
            Self::Process(verb) => verb.run(session).await,
            Self::Ledger(verb) => verb.run(session).await,
            Self::Statistics(verb) => verb.run(session).await,
            Self::Connect(connect) => connect.run(session).await,
        }
    }
}
