//! TLS handshakes in flight: a bound on their number that nobody can fill up.
//!
//! A handshake that is meant takes milliseconds, one that is meant to harm takes as long as we let it. So when there are
//! too many, the oldest is ended and the new one begins: whoever is quick always finds room. Handshakes may take up half
//! of the connections, so that they never keep a new one from being accepted.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot::{Receiver, Sender, channel};

/// The handshakes in flight, oldest first.
#[derive(Debug)]
pub(super) struct Handshakes {
    max: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    begun: u64,
    /// Dropping the sender ends the handshake.
    waiting: VecDeque<(u64, Sender<()>)>,
}

/// One handshake's place, given back when dropped.
#[derive(Debug)]
pub(super) struct Place {
    handshakes: Arc<Handshakes>,
    number: u64,
    ousted: Receiver<()>,
}

impl Handshakes {
    pub(super) fn new(connections_max: usize) -> Arc<Self> {
        Arc::new(Self { max: (connections_max / 2).max(1), state: Mutex::default() })
    }

    /// Begins one more; the oldest must go if there is no room.
    pub(super) fn begin(self: &Arc<Self>) -> Place {
        let mut state = self.lock();
        state.begun += 1;
        let (sender, ousted) = channel();
        let number = state.begun;
        state.waiting.push_back((number, sender));
        let oldest = (state.waiting.len() > self.max).then(|| state.waiting.pop_front());
        // Outside of the lock: it wakes the other's task.
        drop(state);
        drop(oldest);
        Place { handshakes: Arc::clone(self), number, ousted }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Returns when a newer handshake needs the place.
    pub(super) async fn ousted(&mut self) {
        let _ = (&mut self.ousted).await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.handshakes.lock();
        // Numbers rise, so that the row is sorted.
        if let Ok(index) = state.waiting.binary_search_by_key(&self.number, |(number, _)| *number) {
            state.waiting.remove(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot::error::TryRecvError;

    fn is_ousted(place: &mut Place) -> bool {
        place.ousted.try_recv() == Err(TryRecvError::Closed)
    }

    #[test]
    fn ker_33_the_oldest_handshake_makes_room() {
        let handshakes = Handshakes::new(4);
        let (mut first, mut second) = (handshakes.begin(), handshakes.begin());
        assert!(!is_ousted(&mut first) && !is_ousted(&mut second));
        let mut third = handshakes.begin();
        assert!(is_ousted(&mut first) && !is_ousted(&mut second) && !is_ousted(&mut third));
        drop(third);
        drop(first);
        let mut fourth = handshakes.begin();
        assert!(!is_ousted(&mut second) && !is_ousted(&mut fourth));
        assert_eq!(handshakes.lock().waiting.len(), 2);
    }
}
