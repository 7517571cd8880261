//! Small contents of one client are kept together: those that came while others were being made durable.

use std::sync::Arc;

use base::OpResult;
use serde_json::Value;
use tokio::sync::{Mutex, mpsc};

use super::bytes::BytesPlace;

/// What is larger is kept by itself: it takes its time, and others need not wait for it. Chunks of large files are smaller.
pub(super) const SMALL_BYTES: usize = 512 << 10;
/// While one waits for the disk the other gathers.
const KEEPERS: usize = 2;
/// Contents that are kept at once.
const TOGETHER_MAX: usize = 256;

type End = Box<dyn FnOnce(OpResult<Value>) + Send>;
type Jobs = Arc<Mutex<mpsc::UnboundedReceiver<(Vec<u8>, End)>>>;

/// Keeps until it is dropped, and then what it was given before.
pub(super) struct Keeper(mpsc::UnboundedSender<(Vec<u8>, End)>);

impl Keeper {
    pub(super) fn new(place: &BytesPlace) -> Self {
        let (to, jobs) = mpsc::unbounded_channel();
        let jobs: Jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..KEEPERS {
            tokio::spawn(keep(place.clone(), jobs.clone()));
        }
        Self(to)
    }

    /// Tells the end when they are durable and have their row.
    pub(super) fn keep(&self, bytes: Vec<u8>, end: impl FnOnce(OpResult<Value>) + Send + 'static) {
        // Those who keep end after this does.
        let _ = self.0.send((bytes, Box::new(end)));
    }
}

async fn keep(place: BytesPlace, jobs: Jobs) {
    loop {
        let mut some = vec![];
        if jobs.lock().await.recv_many(&mut some, TOGETHER_MAX).await == 0 {
            return;
        }
        let (contents, ends): (Vec<_>, Vec<_>) = some.into_iter().unzip();
        for (end, kept) in ends.into_iter().zip(place.clone().keep_all(contents).await) {
            end(kept.map(|kept| serde_json::to_value(kept).unwrap_or_default()));
        }
    }
}
