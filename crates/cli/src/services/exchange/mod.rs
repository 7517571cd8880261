//! `fastness exchange`: the side of business databases (EXC-25).

mod connect;

use clap::Subcommand;

use super::Nouns;
use crate::failure::Done;
use crate::session::Session;

/// Nouns of the exchange.
#[derive(Debug, Subcommand)]
pub(crate) enum Exchange {
    /// Connect a database of Firebird, PostgreSQL or SQLite: takes its messages, processes them by SQL, brings replies, exactly once
    #[command(
        after_help = "Examples:\n  fastness exchange connect --config erp.toml\n  FASTNESS_KEY=… fastness exchange connect --config erp.toml --server https://exchange.example --json\n  fastness exchange connect --config erp.toml --once    one process, then ends"
    )]
    Connect(connect::Connect),
}

impl Nouns for Exchange {
    async fn run(self, session: &Session) -> Done {
        match self {
            Self::Connect(connect) => connect.run(session).await,
        }
    }
}
