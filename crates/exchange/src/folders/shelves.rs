//! The folders of each namespace, where the program has some (`kernel.common::<Shelves>()`).

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::Files;
use kernel::Namespace;

/// Folders; each is opened once, when it is needed first, and again after nothing worked in it any more.
#[derive(Default)]
pub struct Shelves(Mutex<Open>);

#[derive(Default)]
struct Open {
    how: Option<Opener>,
    open: BTreeMap<String, Arc<dyn Files>>,
    /// Who is at work in each.
    turns: BTreeMap<String, Arc<Mutex<()>>>,
}

/// Opens the folders of a namespace, by the place of its files.
type Opener = Box<dyn Fn(&str) -> io::Result<Arc<dyn Files>> + Send>;

impl Shelves {
    /// Sets how they are opened.
    pub fn set(&self, open: impl Fn(&str) -> io::Result<Arc<dyn Files>> + Send + 'static) {
        *self.lock() = Open { how: Some(Box::new(open)), ..Open::default() };
    }

    /// Those of a namespace.
    ///
    /// # Errors
    /// There are none, or they cannot be opened.
    pub fn of(&self, namespace: &Namespace) -> io::Result<Arc<dyn Files>> {
        let place = namespace.place();
        let mut shelves = self.lock();
        if let Some(open) = shelves.open.get(&place) {
            return Ok(open.clone());
        }
        let how = shelves.how.as_ref().ok_or_else(|| io::Error::other("there are no folders"))?;
        let files = how(&place)?;
        shelves.open.insert(place, files.clone());
        Ok(files)
    }

    /// Works in them, unless somebody still does whom nobody waits for any more.
    ///
    /// # Errors
    /// Somebody does.
    pub(super) fn alone<T>(&self, namespace: &Namespace, work: impl FnOnce() -> T) -> Result<T, String> {
        let turn = self.lock().turns.entry(namespace.place()).or_default().clone();
        let held = turn.try_lock().map_err(|_| "an earlier batch of files is still under way".to_owned())?;
        let done = work();
        drop(held);
        Ok(done)
    }

    /// Nothing works there: perhaps the folder is another one by now. It is opened anew when it is needed next.
    pub(super) fn close(&self, namespace: &Namespace) {
        self.lock().open.remove(&namespace.place());
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
