//! A second look, at some messages alone: its cost is theirs, however much lies at rest.
//!
//! Whatever a batch can have touched is due until its result is noted, and stays so if that never happens. So after a batch of which nobody
//! knows what came of it, a look at what is due is enough.

use std::collections::{BTreeMap, BTreeSet};

use base::{Files, Heard, OpResult};
use kernel::{Kernel, Namespace};

use super::look::{DUE_AFTER, Due, PAGE_ROWS, THESE};
use super::run::{Scan, scan};
use super::{Known, Scanned, Scans};
use crate::folders::generation;
use crate::folders::perform::ask;
use crate::folders::shelves::Shelves;

/// Looks where the files of all that is due lie; blocks. Folders that are not those of before are looked at as a whole.
///
/// # Errors
/// The folders cannot be looked at, or the store does not answer: why.
pub(in crate::folders) fn look_again(kernel: &Kernel, ns: &Namespace) -> Result<Scanned, String> {
    let files = kernel.common::<Shelves>().of(ns).map_err(|error| error.to_string())?;
    if !generation::is_current(kernel, ns, files.as_ref()).map_err(|error| error.to_string())? {
        return scan(kernel, ns, "");
    }
    let scanned = look_at_due(kernel, ns, files.as_ref()).map_err(|error| error.to_string())?;
    if !scanned.problems.is_empty() {
        kernel.common::<Scans>().want(kernel, ns);
    }
    Ok(scanned)
}

fn look_at_due(kernel: &Kernel, ns: &Namespace, files: &dyn Files) -> OpResult<Scanned> {
    let (mut scanned, mut seen) = (Scanned::default(), BTreeSet::new());
    let mut after = (Heard(i64::MIN), i64::MIN);
    loop {
        let page = ask(kernel, ns, &DUE_AFTER, after)?;
        after = page.last().map_or(after, |due| due.mark);
        let is_last = page.len() < PAGE_ROWS;
        // What is put right is due anew, and comes again.
        let news = page.into_iter().filter(|due| seen.insert(due.known.number));
        let mut of: BTreeMap<String, Vec<Known>> = BTreeMap::new();
        news.for_each(|Due { db, known, .. }| of.entry(db).or_default().push(known));
        for (db, messages) in of {
            Scan::new((kernel, ns, files), &db, &mut scanned, true).look_at(&messages)?;
        }
        if is_last {
            return Ok(scanned);
        }
    }
}

/// Looks where the files of these messages lie, by their databases; blocks.
pub(in crate::folders) fn look_at(
    kernel: &Kernel,
    ns: &Namespace,
    files: &dyn Files,
    messages: Vec<(String, i64)>,
) -> OpResult<Scanned> {
    let mut scanned = Scanned::default();
    if !generation::is_current(kernel, ns, files)? {
        scanned.problems.push("the folders are not those that were here before".into());
        return Ok(scanned);
    }
    let mut of: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    messages.into_iter().for_each(|(db, number)| of.entry(db).or_default().push(number));
    for (db, numbers) in of {
        let known = ask(kernel, ns, &THESE, (db.clone(), numbers))?;
        Scan::new((kernel, ns, files), &db, &mut scanned, true).look_at(&known)?;
    }
    Ok(scanned)
}
