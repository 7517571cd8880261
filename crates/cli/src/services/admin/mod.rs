//! `fastness admin`: whoever runs the server.

mod accounts;
mod alerts;
mod keys;
mod namespaces;
mod watch;

use clap::Subcommand;

use super::Nouns;
use crate::failure::Done;
use crate::session::Session;

/// Nouns of administration.
#[derive(Debug, Subcommand)]
pub(crate) enum Admin {
    /// Namespaces: each has its own data
    #[command(subcommand)]
    Namespace(namespaces::NamespaceVerb),
    /// Grants: a namespace reads documents of another
    #[command(subcommand)]
    Grant(namespaces::GrantVerb),
    /// Files of a namespace that everybody may read
    #[command(subcommand)]
    Resource(namespaces::ResourceVerb),
    /// How everything stands
    #[command(subcommand)]
    Overview(watch::OverviewVerb),
    /// Accounts of people
    #[command(subcommand)]
    Account(accounts::AccountVerb),
    /// Access keys of programs
    #[command(subcommand)]
    Key(keys::KeyVerb),
    /// What is wrong and a person should know
    #[command(subcommand)]
    Alert(alerts::AlertVerb),
    /// Where alerts are sent
    #[command(subcommand)]
    Channel(alerts::ChannelVerb),
    /// Messages that told of alerts
    #[command(subcommand)]
    Message(alerts::MessageVerb),
    /// Who did what, and when
    #[command(subcommand)]
    Journal(watch::JournalVerb),
    /// How often what was done
    #[command(subcommand)]
    Counter(watch::CounterVerb),
    /// Who I am
    #[command(subcommand)]
    Session(accounts::SessionVerb),
    /// The secret that signs calls to targets
    #[command(subcommand)]
    Secret(keys::SecretVerb),
}

impl Nouns for Admin {
    async fn run(self, session: &Session) -> Done {
        match self {
            Self::Namespace(verb) => verb.run(session).await,
            Self::Grant(verb) => verb.run(session).await,
            Self::Resource(verb) => verb.run(session).await,
            Self::Overview(verb) => verb.run(session).await,
            Self::Account(verb) => verb.run(session).await,
            Self::Key(verb) => verb.run(session).await,
            Self::Alert(verb) => verb.run(session).await,
            Self::Channel(verb) => verb.run(session).await,
            Self::Message(verb) => verb.run(session).await,
            Self::Journal(verb) => verb.run(session).await,
            Self::Counter(verb) => verb.run(session).await,
            Self::Session(verb) => verb.run(session).await,
            Self::Secret(verb) => verb.run(session).await,
        }
    }
}
