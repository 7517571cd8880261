//! Brings a batch of files to where they belong, or compares all of them with rows: work of the program outside of any transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::channel;

use base::{FileChange, Files, OpError, OpResult, Sql, Tx, WorkCall, args, codes};
use kernel::{Caller, Kernel, Namespace, Op, Query};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::generation;
use super::layout::path_of;
use super::scan::{self, Scanned, Scans};
use super::shelves::Shelves;
use super::turn;
use crate::packs::{self, Packed, Unread};

/// Its name.
pub const FILES: &str = "exchange.files";
/// Texts that are read from the store at once.
const PORTION: usize = 50;
/// Bytes of texts that are written together: messages may be large.
const BYTES_TOGETHER: usize = 16 << 20;

/// What is to be done, and in which turn of the clerk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Work {
    pub(super) turn: i64,
    pub(super) job: Job,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Job {
    /// Bring these files to where they belong.
    Bring(Vec<Step>),
    /// Compare the files of this database with its rows; of all where it is empty.
    Scan(String),
    /// Look where the files of all that is due lie: nobody knows what came of the batch before.
    LookAgain,
}

/// What was done.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Did {
    Brought(Brought),
    Scanned(Scanned),
}

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
    /// Messages that have files now and had none, by where those lie.
    pub(super) laid: BTreeMap<String, Vec<i64>>,
    /// Messages whose files lie there now; `None`: there is none any more.
    pub(super) done: Vec<(i64, Option<String>)>,
    /// Messages whose files could not be brought to their places, which, and why.
    pub(super) failed: Vec<(i64, String, String)>,
}

impl Brought {
    /// Those whose files lie in the log now.
    pub(super) fn logged(&self) -> Vec<i64> {
        let moved = self.done.iter().filter(|(_, place)| place.as_deref() == Some("log")).map(|(number, _)| *number);
        self.laid.get("log").into_iter().flatten().copied().chain(moved).collect()
    }

    fn is_done(&mut self, step: &Step) {
        match (&step.from, step.to.as_str()) {
            (_, "gone") => self.done.push((step.number, None)),
            (None, to) => self.laid.entry(to.to_owned()).or_default().push(step.number),
            (Some(_), to) => self.done.push((step.number, Some(to.to_owned()))),
        }
    }
}

pub(super) static BODIES: Sql = Sql::new("exc_body.of", "SELECT body FROM exc_body WHERE number = ?1");
/// The turn that is under way.
static TURN: Query<(), Option<i64>> = Query::new("exchange.turn", |tx, ()| turn::number(tx));
static PACKED: Query<Vec<i64>, Vec<(i64, Packed)>> = Query::new("exchange.packed", packed);
/// Texts of messages, of those that have theirs in the store.
pub(crate) static TEXTS: Query<Vec<i64>, BTreeMap<i64, String>> = Query::new("exchange.texts", texts);

/// Does what the call says; blocks.
///
/// # Errors
/// Nobody knows what of it is done: why.
pub fn perform(kernel: &Kernel, call: &WorkCall) -> Result<String, String> {
    let Work { turn, job } = serde_json::from_str(&call.param).map_err(|error| error.to_string())?;
    let ns = kernel.namespace(&call.namespace).map_err(|error| error.to_string())?;
    let did = kernel.common::<Shelves>().alone(&ns, || work(kernel, &ns, turn, job))??;
    serde_json::to_string(&did).map_err(|error| error.to_string())
}

fn work(kernel: &Kernel, ns: &Namespace, turn: i64, job: Job) -> Result<Did, String> {
    let current = ask(kernel, ns, &TURN, ()).map_err(|error| error.to_string())?;
    if current != Some(turn) {
        return Err("it comes too late: others have brought files since".into());
    }
    Ok(match job {
        Job::Bring(steps) => Did::Brought(bring(kernel, ns, &steps).map_err(|error| error.to_string())?),
        Job::Scan(only) => Did::Scanned(scan::scan(kernel, ns, &only)?),
        Job::LookAgain => Did::Scanned(scan::look_again(kernel, ns)?),
    })
}

pub(super) fn bring(kernel: &Kernel, ns: &Namespace, steps: &[Step]) -> OpResult<Brought> {
    let mut brought = Brought::default();
    let files = match kernel.common::<Shelves>().of(ns) {
        Ok(files) => files,
        Err(error) => {
            let failed = |step: &Step| (step.number, step.to.clone(), error.to_string());
            return Ok(Brought { failed: steps.iter().map(failed).collect(), ..brought });
        }
    };
    if !generation::is_current(kernel, ns, files.as_ref())? {
        kernel.common::<Shelves>().close(ns);
        return Err(OpError::new(
            codes::XSTORE,
            "the folders are not those that were here before: they are looked at first",
        ));
    }
    let (mut changes, mut bytes) = (vec![], 0);
    for portion in steps.chunks(PORTION) {
        let texts = read(kernel, ns, portion)?;
        bytes += texts.values().map(String::len).sum::<usize>();
        changes.extend(portion.iter().map(|step| (step, change(step, &texts))));
        if bytes >= BYTES_TOGETHER {
            apply(files.as_ref(), std::mem::take(&mut changes), &mut brought);
            bytes = 0;
        }
    }
    apply(files.as_ref(), changes, &mut brought);
    if brought.laid.is_empty() && brought.done.is_empty() {
        // The folder may have been removed or exchanged under us: then it is another one now.
        kernel.common::<Shelves>().close(ns);
    }
    if !brought.failed.is_empty() {
        look_at_failed(kernel, ns, files.as_ref(), steps, &brought);
    }
    Ok(brought)
}

/// What failed may have been done in part, or be in vain because a file is not where it should be. Where that cannot be seen now, all
/// files are looked at later.
fn look_at_failed(kernel: &Kernel, ns: &Namespace, files: &dyn Files, steps: &[Step], brought: &Brought) {
    let failed: BTreeSet<i64> = brought.failed.iter().map(|(number, ..)| *number).collect();
    let steps = steps.iter().filter(|step| failed.contains(&step.number));
    let messages = steps.map(|step| (step.db.clone(), step.number)).collect();
    let looked = scan::look_at(kernel, ns, files, messages);
    if !looked.is_ok_and(|scanned| scanned.problems.is_empty()) {
        kernel.common::<Scans>().want(kernel, ns);
    }
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
            // Given up meanwhile, which the row says, or its pack cannot be read.
            None => return Err(format!("message {} has neither a text nor a file", step.number)),
        },
    })
}

fn apply(files: &dyn Files, changes: Vec<(&Step, Result<Option<FileChange>, String>)>, brought: &mut Brought) {
    let (mut wanted, mut of) = (vec![], vec![]);
    for (step, change) in changes {
        match change {
            Ok(None) => brought.is_done(step),
            Ok(Some(change)) => {
                wanted.push(change);
                of.push(step);
            }
            Err(why) => brought.failed.push((step.number, step.to.clone(), why)),
        }
    }
    for (step, result) in of.into_iter().zip(files.apply(&wanted)) {
        match result {
            Ok(()) => brought.is_done(step),
            Err(error) => brought.failed.push((step.number, step.to.clone(), error.to_string())),
        }
    }
}

/// The texts of messages that have no file yet, from the store or from their packs.
fn read(kernel: &Kernel, ns: &Namespace, steps: &[Step]) -> OpResult<BTreeMap<i64, String>> {
    let wanted: Vec<i64> = steps.iter().filter(|step| step.from.is_none()).map(|step| step.number).collect();
    if wanted.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut texts = ask(kernel, ns, &TEXTS, wanted.clone())?;
    let missing: Vec<i64> = wanted.into_iter().filter(|number| !texts.contains_key(number)).collect();
    if missing.is_empty() {
        return Ok(texts);
    }
    for (number, packed) in ask(kernel, ns, &PACKED, missing)? {
        match packed.read(kernel, ns) {
            Ok(text) => drop(texts.insert(number, text)),
            Err(Unread::Away(why) | Unread::Damaged(why)) => {
                tracing::warn!(number, why, "the text of a message cannot be read from its pack");
            }
        }
    }
    Ok(texts)
}

fn packed(tx: &mut dyn Tx, numbers: &Vec<i64>) -> OpResult<Vec<(i64, Packed)>> {
    let mut found = vec![];
    for number in numbers {
        found.extend(packs::find(tx, *number)?.map(|packed| (*number, packed)));
    }
    Ok(found)
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

/// Asks a query and waits for the answer.
pub(crate) fn ask<I, O>(kernel: &Kernel, ns: &Namespace, query: &'static Query<I, O>, input: I) -> OpResult<O>
where
    I: Send + 'static,
    O: Send + 'static,
{
    let (tell, told) = channel();
    kernel.read(ns, query, input, Box::new(move |result| drop(tell.send(result))));
    told.recv().unwrap_or_else(|_| Err(silent()))
}

/// Calls an operation as the server and waits for the answer.
pub(crate) fn call<I, O>(kernel: &Kernel, ns: &Namespace, op: &'static Op<I, O>, input: I) -> OpResult<O>
where
    I: Send + 'static,
    O: Serialize + DeserializeOwned + Send + 'static,
{
    let (tell, told) = channel();
    let request = kernel.request(Caller::server("exchange"));
    kernel.call(ns, op, request, input, Box::new(move |result| drop(tell.send(result))));
    told.recv().unwrap_or_else(|_| Err(silent())).map(|reply| reply.out)
}

fn silent() -> OpError {
    OpError::new(codes::XSTORE, "the store ended without an answer")
}
