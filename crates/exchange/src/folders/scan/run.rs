//! Looks at all files of a namespace; blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;

use base::{FileChange, Files, Listed, OpResult, RelPath};
use kernel::{Kernel, Namespace};

use super::judge::{Found, Verdict, judge, kept};
use super::look::{DATABASES_AFTER, Mark, PAGE_OF, PAGE_ROWS, Page, THESE};
use super::settle::{Case, Cases, FOREIGN, Foreign, SETTLE, Surplus};
use super::{Known, Scanned, Scans};
use crate::folders::generation;
use crate::folders::layout::{FOLDERS, folder_of, path_of};
use crate::folders::perform::{ask, call};
use crate::folders::shelves::Shelves;
use crate::message::form::MESSAGE_BYTES;
use crate::message::name::number_of;
use crate::rules::Rules;

/// Messages that one transaction puts right, and foreign files of one line each.
const TOGETHER: usize = 100;
/// Places of rows; the last has no folder.
const PLACES: [&str; 6] = ["messages", "prepared", "log", "unknown", "error", "gone"];
/// Problems that are told of one scan.
const PROBLEMS_MAX: usize = 100;

/// Compares the files of a database, or of all where it is empty, with what the store says; blocks.
///
/// # Errors
/// The folders cannot be looked at, or the store does not answer: why.
pub(in crate::folders) fn scan(kernel: &Kernel, ns: &Namespace, only: &str) -> Result<Scanned, String> {
    let files = kernel.common::<Shelves>().of(ns).map_err(|error| error.to_string())?;
    let known = databases(kernel, ns).map_err(|error| error.to_string())?;
    let is_trusted = generation::is_current(kernel, ns, files.as_ref()).map_err(|error| error.to_string())?;
    let mut scanned = Scanned { is_whole: only.is_empty(), ..Scanned::default() };
    for db in known.iter().filter(|db| only.is_empty() || *db == only) {
        let mut scan = Scan::new((kernel, ns, files.as_ref()), db, &mut scanned, is_trusted);
        let looked = scan.look().unwrap_or_else(|error| Err(error.to_string()));
        if let Err(problem) = looked {
            scanned.problems.push(format!("{db}: {problem}"));
        }
    }
    if only.is_empty() {
        leave_alone(kernel, ns, files.as_ref(), &known, &mut scanned);
        if !is_trusted {
            renew(kernel, ns, files.as_ref(), &mut scanned);
        }
        kernel.common::<Scans>().done(kernel, ns, &scanned);
    } else if !scanned.problems.is_empty() {
        kernel.common::<Scans>().want(kernel, ns);
    }
    scanned.problems.truncate(PROBLEMS_MAX);
    Ok(scanned)
}

/// From now on these are the folders: others, wherever they are, are old.
pub(super) fn renew(kernel: &Kernel, ns: &Namespace, files: &dyn Files, scanned: &mut Scanned) {
    if let Err(problem) = generation::renew(kernel, ns, files) {
        scanned.problems.push(problem);
    }
}

fn databases(kernel: &Kernel, ns: &Namespace) -> OpResult<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    loop {
        let after = all.last().cloned().unwrap_or_default();
        let some = ask(kernel, ns, &DATABASES_AFTER, after)?;
        if some.is_empty() {
            return Ok(all);
        }
        all.extend(some);
    }
}

/// Folders of databases that nobody knows are not ours to touch.
fn leave_alone(kernel: &Kernel, ns: &Namespace, files: &dyn Files, known: &BTreeSet<String>, scanned: &mut Scanned) {
    let there = match files.directories() {
        Ok(there) => there,
        Err(error) => return scanned.problems.push(error.to_string()),
    };
    let foreign = there.into_iter().filter(|name| !known.contains(name));
    let lines = foreign.map(|name| format!("folder `{name}` is of no database that is known, and is left alone"));
    scanned.left_alone.extend(lines.filter(|line| kernel.common::<Scans>().is_news(ns, line)));
}

/// The look at one database.
pub(super) struct Scan<'a> {
    kernel: &'a Kernel,
    ns: &'a Namespace,
    files: &'a dyn Files,
    db: &'a str,
    /// Files by the numbers of their messages, with their names, as far as their rows were not seen yet.
    of: BTreeMap<i64, Vec<(String, Found)>>,
    /// Rows that were seen: one that changes its place meanwhile comes again.
    seen: BTreeSet<i64>,
    /// Folders and names of files that are not ours.
    foreign: Vec<(&'static str, String)>,
    scanned: &'a mut Scanned,
    is_trusted: bool,
}

impl<'a> Scan<'a> {
    pub(super) fn new(
        (kernel, ns, files): (&'a Kernel, &'a Namespace, &'a dyn Files),
        db: &'a str,
        scanned: &'a mut Scanned,
        is_trusted: bool,
    ) -> Self {
        let (of, seen, foreign) = (BTreeMap::new(), BTreeSet::new(), vec![]);
        Self { kernel, ns, files, db, of, seen, foreign, scanned, is_trusted }
    }

    /// Compares; the inner error is one of the disk.
    fn look(&mut self) -> OpResult<Result<(), String>> {
        if let Err(error) = self.kernel.common::<Rules>().check_path(&self.ns.place(), self.db) {
            self.scanned.problems.push(error.message);
        }
        if let Err(error) = self.list() {
            return Ok(Err(error.to_string()));
        }
        for place in PLACES {
            self.compare(place)?;
        }
        self.compare_rest()?;
        self.move_foreign()?;
        Ok(Ok(()))
    }

    /// Compares these messages alone.
    pub(super) fn look_at(&mut self, messages: &[Known]) -> OpResult<()> {
        let mut cases = vec![];
        for known in messages {
            match self.find(known) {
                Ok(found) => {
                    self.scanned.files += found.len() as u64;
                    self.of.insert(known.number, found);
                    cases.extend(self.case(known));
                }
                Err(error) => self.scanned.problems.push(error.to_string()),
            }
        }
        self.settle(cases)
    }

    /// The files of a message, in whichever folders they are.
    fn find(&self, known: &Known) -> std::io::Result<Vec<(String, Found)>> {
        let mut found = vec![];
        for (place, _) in FOLDERS {
            let Some(path) = path_of(self.db, place, &known.name) else { continue };
            match self.files.size(&path) {
                Ok(size) => {
                    let size = i64::try_from(size).unwrap_or(i64::MAX);
                    found.push((known.name.clone(), Found { place, size }));
                }
                // What is no file is none of ours.
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidInput) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// Names and sizes of all folders, which are made where they are missing.
    fn list(&mut self) -> std::io::Result<()> {
        for (place, folder) in FOLDERS {
            let path = RelPath::new(&format!("{}/{folder}", self.db)).ok_or(ErrorKind::InvalidInput)?;
            self.files.make(&path)?;
            let Listed { files, others } = self.files.list_sized(&path)?;
            self.scanned.files += files.len() as u64;
            for (name, size) in files {
                match number_of(&name) {
                    None => self.foreign.push((place, name)),
                    Some(number) => {
                        let size = i64::try_from(size).unwrap_or(i64::MAX);
                        self.of.entry(number).or_default().push((name, Found { place, size }));
                    }
                }
            }
            let lines =
                others.iter().map(|name| format!("`{}/{folder}/{name}` is no file, and is left alone", self.db));
            let news = lines.filter(|line| self.kernel.common::<Scans>().is_news(self.ns, line));
            self.scanned.left_alone.extend(news);
        }
        Ok(())
    }

    /// Compares the rows of a place, a page at a time.
    fn compare(&mut self, place: &'static str) -> OpResult<()> {
        let mut after: Mark = (i64::MIN, i64::MIN, i64::MIN);
        loop {
            let rows = ask(self.kernel, self.ns, &PAGE_OF, Page { db: self.db.to_owned(), place, after })?;
            after = rows.last().map_or(after, |(mark, _)| *mark);
            let full = rows.len() == PAGE_ROWS;
            let cases: Vec<Case> = rows.iter().filter_map(|(_, known)| self.case(known)).collect();
            self.settle(cases)?;
            if !full {
                return Ok(());
            }
        }
    }

    /// What a message's row and files come to, if they differ.
    fn case(&mut self, known: &Known) -> Option<Case> {
        if !self.seen.insert(known.number) {
            return None;
        }
        let files = self.of.remove(&known.number).unwrap_or_default();
        let (own, foreign): (Vec<_>, Vec<_>) = files.into_iter().partition(|(name, _)| *name == known.name);
        self.foreign.extend(foreign.into_iter().map(|(name, found)| (found.place, name)));
        let found: Vec<Found> = own.into_iter().map(|(_, found)| found).collect();
        let (verdict, surplus) = judge(known, &found, self.is_trusted);
        if verdict == Verdict::Fine && surplus.is_empty() && !known.is_flawed {
            return None;
        }
        match self.text(known, &found, verdict) {
            Ok(text) => Some(Case { number: known.number, found, text }),
            // What cannot be read now may be whole: it is looked at again.
            Err(error) => {
                self.scanned.problems.push(error.to_string());
                None
            }
        }
    }

    /// The text of a message that is wanted again, or that may have come back, from its file.
    fn text(&self, known: &Known, found: &[Found], verdict: Verdict) -> std::io::Result<Option<String>> {
        let is_wanted = matches!(verdict, Verdict::Moved("messages" | "unknown"));
        let lies = kept(known, found).filter(|_| !known.has_text && (is_wanted || known.is_flawed));
        let Some(path) = lies.and_then(|place| path_of(self.db, place, &known.name)) else { return Ok(None) };
        match self.files.get(&path, u64::try_from(known.size).unwrap_or(0)) {
            Ok(bytes) => Ok(String::from_utf8(bytes).ok()),
            Err(error) if is_wanted => Err(error),
            // What is damaged stays so; that was told.
            Err(_) => Ok(None),
        }
    }

    fn settle(&mut self, mut cases: Vec<Case>) -> OpResult<()> {
        self.scanned.mended += cases.len() as u64;
        while !cases.is_empty() {
            let rest = cases.split_off(together(&cases));
            let input = Cases { db: self.db.to_owned(), cases, is_trusted: self.is_trusted };
            let surplus = call(self.kernel, self.ns, &SETTLE, input)?;
            self.remove(&surplus);
            cases = rest;
        }
        Ok(())
    }

    fn remove(&mut self, surplus: &[Surplus]) {
        let path = |file: &Surplus| path_of(self.db, &file.place, &file.name);
        let changes: Vec<FileChange> = surplus.iter().filter_map(path).map(FileChange::Remove).collect();
        let failed = self.files.apply(&changes).into_iter().filter_map(Result::err);
        self.scanned.problems.extend(failed.map(|error| error.to_string()));
    }

    /// Files of messages that no page had: their rows changed their places meanwhile, or there are none.
    fn compare_rest(&mut self) -> OpResult<()> {
        let numbers: Vec<i64> = self.of.keys().copied().collect();
        for some in numbers.chunks(PAGE_ROWS) {
            let rows = ask(self.kernel, self.ns, &THESE, (self.db.to_owned(), some.to_vec()))?;
            let cases: Vec<Case> = rows.iter().filter_map(|known| self.case(known)).collect();
            self.settle(cases)?;
        }
        let rest = std::mem::take(&mut self.of).into_values().flatten();
        self.foreign.extend(rest.map(|(name, found)| (found.place, name)));
        Ok(())
    }

    /// Moves foreign files to Error; those that lie there already are left alone.
    fn move_foreign(&mut self) -> OpResult<()> {
        let foreign = std::mem::take(&mut self.foreign);
        let mut taken: BTreeSet<String> =
            foreign.iter().filter(|(place, _)| *place == "error").map(|(_, name)| name.clone()).collect();
        let moved: Vec<&(&'static str, String)> = foreign.iter().filter(|(place, _)| *place != "error").collect();
        for some in moved.chunks(TOGETHER) {
            let named: Vec<_> = some.iter().map(|(place, name)| (*place, name, free(name, &mut taken))).collect();
            let lines = self.move_to_error(&named);
            self.scanned.foreign += lines.len() as u64;
            call(self.kernel, self.ns, &FOREIGN, Foreign { db: self.db.to_owned(), lines })?;
        }
        Ok(())
    }

    fn move_to_error(&mut self, some: &[(&'static str, &String, String)]) -> Vec<String> {
        let change = |(place, name, new): &(&'static str, &String, String)| {
            Some(FileChange::Move(path_of(self.db, place, name)?, path_of(self.db, "error", new)?))
        };
        let changes: Vec<FileChange> = some.iter().filter_map(change).collect();
        let results = self.files.apply(&changes);
        let mut lines = vec![];
        for ((place, name, new), result) in some.iter().zip(results) {
            match result {
                Ok(()) => lines
                    .push(format!("foreign file `{}/{name}` is now `Error/{new}`", folder_of(place).unwrap_or(place))),
                Err(error) => self.scanned.problems.push(format!("a foreign file stays: {error}")),
            }
        }
        lines
    }
}

/// How many of these one transaction takes: texts may be large.
fn together(cases: &[Case]) -> usize {
    let mut bytes = 0;
    let small = |case: &&Case| {
        bytes += case.text.as_ref().map_or(0, String::len);
        bytes <= MESSAGE_BYTES
    };
    cases.iter().take(TOGETHER).take_while(small).count().max(1)
}

/// The name, or one like it that is not taken.
fn free(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut free = name.to_owned();
    let mut number = 1;
    while !taken.insert(free.clone()) {
        number += 1;
        let end = name.floor_char_boundary(name.len().min(240));
        free = format!("{}~{number}", &name[..end]);
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exc_7_a_foreign_file_keeps_its_name_or_gets_one_that_is_free() {
        let mut taken = BTreeSet::from(["a".to_owned(), "a~2".to_owned()]);
        assert_eq!((free("b", &mut taken), free("a", &mut taken)), ("b".to_owned(), "a~3".to_owned()));
        let long = "x".repeat(255);
        taken.insert(long.clone());
        assert_eq!(free(&long, &mut taken).len(), 242);
    }
}
