//! `fastness sensors`: sensors, who is told of them, what they say (SEN-1, SEN-2, SEN-8, SEN-11, SEN-14), and doors that are only
//! played.

mod client;
mod import;
mod past;
mod play;
mod sensor;
mod signal;
mod simulate;

use clap::Subcommand;

use self::client::{Client, LinkVerb};
use super::Nouns;
use crate::failure::Done;
use crate::session::Session;

/// Nouns of sensors.
#[derive(Debug, Subcommand)]
pub(crate) enum Sensors {
    /// Sensors: where they are, how they are, what they said
    #[command(subcommand)]
    Sensor(sensor::SensorVerb),
    /// Clients: who is told, and how that went
    #[command(subcommand)]
    Client(Client),
    /// Which client is told of which sensor
    #[command(subcommand)]
    Link(LinkVerb),
    /// Many sensors or links from a file
    #[command(subcommand)]
    Import(import::ImportVerb),
    /// What sensors say
    #[command(subcommand)]
    Signal(signal::SignalVerb),
    /// Sensors that send signals and that nobody registered
    #[command(subcommand)]
    Unknown(signal::UnknownVerb),
    /// What came as a signal and is none
    #[command(subcommand)]
    Rejected(signal::RejectedVerb),
    /// How many sensors of each address are open, closed, lost
    #[command(subcommand)]
    Address(past::AddressVerb),
    /// What sensors said, of all of them
    #[command(subcommand)]
    History(past::HistoryVerb),
    /// What clients were told, of all of them
    #[command(subcommand)]
    Notification(past::NotificationVerb),
    /// Play doors against a running server: registers sensors, opens and closes their doors, lets some fall silent
    #[command(
        after_help = "Examples:\n  fastness sensors simulate\n  fastness sensors simulate --sensors 200 --rate 100 --minutes 10 --url https://hotel.example/doors\n  fastness sensors simulate --namespace trial --url http://127.0.0.1:9471/doors    a temporary namespace may call the server's own machine\n  fastness sensors simulate --minutes 0 --clean    takes out what an earlier run left"
    )]
    Simulate(simulate::Simulate),
}

impl Nouns for Sensors {
    async fn run(self, session: &Session) -> Done {
        match self {
            Self::Sensor(verb) => verb.run(session).await,
            Self::Client(verb) => verb.run(session).await,
            Self::Link(verb) => verb.run(session).await,
            Self::Import(verb) => verb.run(session).await,
            Self::Signal(verb) => verb.run(session).await,
            Self::Unknown(verb) => verb.run(session).await,
            Self::Rejected(verb) => verb.run(session).await,
            Self::Address(verb) => verb.run(session).await,
            Self::History(verb) => verb.run(session).await,
            Self::Notification(verb) => verb.run(session).await,
            Self::Simulate(simulate) => simulate.run(session).await,
        }
    }
}
