//! A word from outside to end: Ctrl-C, or SIGTERM. Whoever waits for it cleans up before the end.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

/// Hears both from its making on.
pub(crate) struct Stop {
    interrupt: Signal,
    terminate: Signal,
}

impl Stop {
    pub(crate) fn new() -> Result<Self, Failure> {
        let open = |kind| signal(kind).map_err(|error| Failure::here(format!("no signals: {error}")));
        Ok(Self { interrupt: open(SignalKind::interrupt())?, terminate: open(SignalKind::terminate())? })
    }

    pub(crate) async fn comes(&mut self) {
        tokio::select! { _ = self.interrupt.recv() => {}, _ = self.terminate.recv() => {} }
    }
}
