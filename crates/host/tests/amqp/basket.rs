//! A sink that keeps what it takes, and says of it what the test wants.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use base::{Delivery, Settle, Sink, Taken};

/// Longer than anything here takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

type Mood = Box<dyn Fn(&[Delivery]) -> Option<Vec<Taken>> + Send>;

#[derive(Default)]
struct Inside {
    taken: Vec<Delivery>,
    batches: Vec<usize>,
    /// What the mood said nothing of.
    open: Vec<(usize, Settle)>,
    levels: usize,
    mood: Option<Mood>,
}

/// What was taken.
#[derive(Default)]
pub struct Basket {
    inside: Mutex<Inside>,
    changed: Condvar,
}

impl Basket {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// One that says what `mood` says; `None` leaves a batch unsettled.
    pub fn of(mood: impl Fn(&[Delivery]) -> Option<Vec<Taken>> + Send + 'static) -> Arc<Self> {
        let basket = Self::new();
        basket.lock().mood = Some(Box::new(mood));
        basket
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap()
    }

    fn wait(&self, what: &str, mut until: impl FnMut(&Inside) -> bool) {
        let waited = self.changed.wait_timeout_while(self.lock(), PATIENCE, |inside| !until(inside)).unwrap();
        assert!(!waited.1.timed_out(), "{what}: {} taken, {} levels", waited.0.taken.len(), waited.0.levels);
    }

    pub fn wait_for(&self, count: usize) {
        self.wait("deliveries", |inside| inside.taken.len() >= count);
    }

    /// Until each of these bodies has come.
    pub fn wait_for_all(&self, bodies: impl IntoIterator<Item = String>) {
        let wanted: BTreeSet<String> = bodies.into_iter().collect();
        self.wait("bodies", |inside| {
            inside.taken.len() >= wanted.len() && inside.taken.iter().map(text).collect::<BTreeSet<_>>() == wanted
        });
    }

    pub fn wait_for_levels(&self, count: usize) {
        let begun = self.levels();
        self.wait("levels", |inside| inside.levels >= begun + count);
    }

    pub fn levels(&self) -> usize {
        self.lock().levels
    }

    pub fn taken(&self) -> Vec<Delivery> {
        self.lock().taken.clone()
    }

    pub fn bodies(&self) -> Vec<String> {
        self.lock().taken.iter().map(text).collect()
    }

    pub fn batches(&self) -> usize {
        self.lock().batches.len()
    }

    /// Settles everything that is open, and from now on all that comes.
    pub fn settle(&self) {
        let open = {
            let mut inside = self.lock();
            inside.mood = None;
            std::mem::take(&mut inside.open)
        };
        open.into_iter().for_each(|(count, settle)| settle(vec![Taken::Done; count]));
    }
}

pub fn text(delivery: &Delivery) -> String {
    String::from_utf8(delivery.body.clone()).unwrap()
}

impl Sink for Basket {
    fn take(&self, batch: Arc<[Delivery]>, settle: Settle) {
        let said = {
            let mut inside = self.lock();
            inside.batches.push(batch.len());
            inside.taken.extend(batch.iter().cloned());
            let said = inside.mood.as_ref().map_or_else(|| Some(vec![Taken::Done; batch.len()]), |mood| mood(&batch));
            match said {
                Some(said) => Some((said, settle)),
                None => {
                    inside.open.push((batch.len(), settle));
                    None
                }
            }
        };
        self.changed.notify_all();
        said.into_iter().for_each(|(said, settle)| settle(said));
    }

    fn level(&self) {
        self.lock().levels += 1;
        self.changed.notify_all();
    }
}
