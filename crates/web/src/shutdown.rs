//! The one signal to stop: the accept loop, the readiness answer and everything that waits listen to the same token.

use tokio::sync::watch;

/// Tells that the server stops; cheap to clone, can only go from "runs" to "stops".
#[derive(Debug, Clone)]
pub struct Shutdown(watch::Sender<bool>);

impl Default for Shutdown {
    fn default() -> Self {
        Self::new()
    }
}

impl Shutdown {
    /// A server that runs.
    #[must_use]
    pub fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Begins to stop: no new connections, requests in flight are finished.
    pub fn begin(&self) {
        self.0.send_replace(true);
    }

    /// Whether the server stops.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the server stops.
    pub async fn begun(&self) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|begun| *begun).await;
    }
}
