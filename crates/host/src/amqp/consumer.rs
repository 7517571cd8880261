//! A consumer over all its connections: one session after the other, for ever.

use std::sync::Arc;

use base::{BrokerWatch, Clock, Sink};
use tokio::sync::watch::Receiver;
use tokio::time::sleep;

use super::ConsumerSettings;
use super::link::Linker;
use super::pause::Pause;
use super::session::Session;
use crate::RealClock;

/// What sessions have in common.
pub(super) struct Consumer {
    pub(super) linker: Arc<Linker>,
    pub(super) settings: ConsumerSettings,
    pub(super) sink: Arc<dyn Sink>,
    pub(super) watch: Arc<BrokerWatch>,
}

impl Consumer {
    /// Until it is told to stop.
    pub(super) async fn run(self, mut stop: Receiver<bool>) {
        let (first, longest) = self.linker.settings.pause;
        let mut pause = Pause::new(first, longest);
        while !*stop.borrow() {
            let Err(why) = self.session(&mut pause, &mut stop).await else { break };
            tracing::warn!(queue = self.settings.queue, why, "the message broker is away");
            self.watch.lost(RealClock::new().wall(), &why);
            tokio::select! {
                _ = stop.changed() => {}
                () = sleep(pause.wait()) => {}
            }
        }
        self.watch.update(|state| state.connected = false);
    }

    /// Ends well only when it is told to stop.
    async fn session(&self, pause: &mut Pause, stop: &mut Receiver<bool>) -> Result<(), String> {
        let opened = tokio::select! {
            _ = stop.changed() => return Ok(()),
            opened = Session::open(self) => opened?,
        };
        tracing::info!(queue = self.settings.queue, "consuming from the message broker");
        opened.run(pause, stop).await
    }
}
