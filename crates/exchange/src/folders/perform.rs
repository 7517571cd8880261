//! Brings a batch of files to where they belong: work of the program outside of any transaction.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::{FileChange, Files, OpError, OpResult, Sql, Tx, WorkCall, args, codes};
use kernel::{Kernel, Namespace, Query};
use serde::{Deserialize, Serialize};

use super::layout::path_of;

/// Its name.
pub const FILES: &str = "exchange.files";
/// Time for a batch.
pub(super) const WORK_MS: u64 = 240_000;
/// Texts that are read from the store at once.
const PORTION: usize = 50;

/// What is to be done with one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Step {
    pub(super) number: i64,
    pub(super) db: String,
    pub(super) name: String,
    /// Where it is known to lie.
    pub(super) from: Option<String>,
    /// Where it belongs.
    pub(super) to: String,
}

/// What became of a batch.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Brought {
    /// Messages whose files lie there now; `None`: there is none any more.
    pub(super) done: Vec<(i64, Option<String>)>,
    /// Messages whose files could not be brought to their places, and why.
    pub(super) failed: Vec<(i64, String)>,
}

pub(super) static BODIES: Sql = Sql::new("exc_body.of", "SELECT body FROM exc_body WHERE number = ?1");
static TEXTS: Query<Vec<i64>, BTreeMap<i64, String>> = Query::new("exchange.texts", texts);

/// The folders of each namespace, if there are any (`kernel.common::<Shelves>()`). Each is opened once, when it is needed first.
#[derive(Default)]
pub struct Shelves(Mutex<Open>);

#[derive(Default)]
struct Open {
    how: Option<Opener>,
    open: BTreeMap<String, Arc<dyn Files>>,
}

/// Opens the folders of a namespace, by its name.
type Opener = Box<dyn Fn(&str) -> io::Result<Arc<dyn Files>> + Send>;

impl Shelves {
    /// Sets how they are opened.
    pub fn set(&self, open: impl Fn(&str) -> io::Result<Arc<dyn Files>> + Send + 'static) {
        *self.lock() = Open { how: Some(Box::new(open)), open: BTreeMap::new() };
    }

    /// Those of a namespace.
    ///
    /// # Errors
    /// There are none, or they cannot be opened.
    pub fn of(&self, namespace: &str) -> io::Result<Arc<dyn Files>> {
        let mut shelves = self.lock();
        if let Some(open) = shelves.open.get(namespace) {
            return Ok(open.clone());
        }
        let how = shelves.how.as_ref().ok_or_else(|| io::Error::other("there are no folders"))?;
        let files = how(namespace)?;
        shelves.open.insert(namespace.to_owned(), files.clone());
        Ok(files)
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does what the call says; blocks.
///
/// # Errors
/// Nothing of it is known to be done: why.
pub fn perform(kernel: &Kernel, call: &WorkCall) -> Result<String, String> {
    let steps: Vec<Step> = serde_json::from_str(&call.param).map_err(|error| error.to_string())?;
    let ns = kernel.namespace(&call.namespace).map_err(|error| error.to_string())?;
    let files = kernel.common::<Shelves>().of(&call.namespace).map_err(|error| error.to_string())?;
    let mut brought = Brought::default();
    let mut changes = vec![];
    for portion in steps.chunks(PORTION) {
        let texts = read(kernel, &ns, portion).map_err(|error| error.to_string())?;
        changes.extend(portion.iter().map(|step| (step, change(step, &texts))));
    }
    bring(files.as_ref(), changes, &mut brought);
    serde_json::to_string(&brought).map_err(|error| error.to_string())
}

/// What a step does to a file: `None` is nothing at all.
fn change(step: &Step, texts: &BTreeMap<i64, String>) -> Result<Option<FileChange>, String> {
    let path = |place: &str| {
        path_of(&step.db, place, &step.name).ok_or_else(|| format!("`{}` in {place} is no file name", step.name))
    };
    Ok(match (&step.from, step.to.as_str()) {
        (Some(from), to) if from == to => None,
        (Some(from), "gone") => Some(FileChange::Remove(path(from)?)),
        // It may have been on its way to its first folder.
        (None, "gone") => Some(FileChange::Remove(path("prepared")?)),
        (Some(from), to) => Some(FileChange::Move(path(from)?, path(to)?)),
        (None, to) => match texts.get(&step.number) {
            Some(text) => Some(FileChange::Put(path(to)?, text.as_bytes().to_vec())),
            None => return Err(format!("message {} has neither a text nor a file", step.number)),
        },
    })
}

fn bring(files: &dyn Files, changes: Vec<(&Step, Result<Option<FileChange>, String>)>, brought: &mut Brought) {
    let place = |step: &Step| Some(step.to.clone()).filter(|to| to != "gone");
    let (mut wanted, mut of) = (vec![], vec![]);
    for (step, change) in changes {
        match change {
            Ok(None) => brought.done.push((step.number, place(step))),
            Ok(Some(change)) => {
                wanted.push(change);
                of.push(step);
            }
            Err(why) => brought.failed.push((step.number, why)),
        }
    }
    for (step, result) in of.into_iter().zip(files.apply(&wanted)) {
        match result {
            Ok(()) => brought.done.push((step.number, place(step))),
            Err(error) => brought.failed.push((step.number, format!("{}/{}: {error}", step.db, step.name))),
        }
    }
}

fn read(kernel: &Kernel, ns: &Namespace, steps: &[Step]) -> OpResult<BTreeMap<i64, String>> {
    let wanted: Vec<i64> = steps.iter().filter(|step| step.from.is_none()).map(|step| step.number).collect();
    if wanted.is_empty() {
        return Ok(BTreeMap::new());
    }
    let (tell, told) = channel();
    kernel.read(ns, &TEXTS, wanted, Box::new(move |result| drop(tell.send(result))));
    told.recv().unwrap_or_else(|_| Err(OpError::new(codes::XSTORE, "the store ended without an answer")))
}

fn texts(tx: &mut dyn Tx, numbers: &Vec<i64>) -> OpResult<BTreeMap<i64, String>> {
    let mut found = BTreeMap::new();
    for number in numbers {
        if let Some(row) = tx.query_one(&BODIES, args![*number])? {
            found.insert(*number, row.text(0).to_owned());
        }
    }
    Ok(found)
}
