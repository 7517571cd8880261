//! One commit on the way back: some files, each to what it was, with whatever has to make room.

use std::collections::{BTreeMap, BTreeSet};

use base::{OpResult, Tx};
use kernel::OpCx;

use super::{Progress, Work, is_meant};
use crate::desk::commit::Commit;
use crate::desk::directory::Directory;
use crate::desk::file;
use crate::desk::paths::Paths;
use crate::desk::tree::StoredTree;
use crate::form::Kind;
use crate::names::slot;
use crate::past::target::{Target, target};
use crate::plan::{Entry, Row, Tree};

/// Folders in folders.
const DEPTH_MAX: usize = 100;

/// Brings some files back, in one commit.
pub(super) fn bring(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    (directory, work): (&mut Directory, &Work),
    ids: &[String],
    progress: &mut Progress,
) -> OpResult<()> {
    let mut way = Way { directory, work, before: BTreeMap::new(), after: BTreeMap::new(), underway: BTreeSet::new() };
    for id in ids {
        way.one(tx, cx, id, progress)?;
    }
    let Way { before, after, .. } = way;
    let rows: Vec<Row> = after
        .into_values()
        .map(|entry| {
            let was_there = before.get(&entry.id).is_some_and(|old| !old.deleted);
            Row { entry, is_new: false, place: None, parked: was_there }
        })
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    let (who, brought) = (&work.rewind.who, BTreeMap::new());
    Commit { directory, who, before: &before, brought: &brought }.write(tx, cx, &rows, |_| 0)?;
    Ok(())
}

/// What changes in this commit, on top of what is there.
struct Way<'a> {
    directory: &'a Directory,
    work: &'a Work,
    before: BTreeMap<String, Entry>,
    after: BTreeMap<String, Entry>,
    /// Files that are being brought back at this moment, of which one waits for the other.
    underway: BTreeSet<String>,
}

impl Way<'_> {
    fn one(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &str, progress: &mut Progress) -> OpResult<()> {
        let Some(now) = self.now(tx, id)? else { return Ok(()) };
        if self.after.contains_key(id) || now.seq > self.work.until {
            return Ok(());
        }
        // Only folders that are to go are looked at again.
        let is_again = progress.round > 0;
        if is_again && now.kind != Kind::Folder {
            return Ok(());
        }
        let then = target(tx, id, &self.work.rewind.to)?;
        if !self.is_meant(tx, &now, &then)? {
            return Ok(());
        }
        match then {
            Target::Unknown => progress.unknown += u64::from(!is_again),
            Target::Nothing => progress.deleted += u64::from(self.remove(tx, cx, &now)?),
            Target::Version(then) if then.entry.deleted => progress.deleted += u64::from(self.remove(tx, cx, &now)?),
            Target::Version(_) if is_again => {}
            Target::Version(then) => match self.place(tx, cx, &now, &then.entry)? {
                Some(true) => progress.changed += 1,
                Some(false) => {}
                None => progress.failed += 1,
            },
        }
        Ok(())
    }

    fn is_meant(&self, tx: &mut dyn Tx, now: &Entry, then: &Target) -> OpResult<bool> {
        let mut paths = Paths::default();
        let is = paths.of(tx, &now.parent, &now.name)?;
        let was = match then {
            Target::Version(then) => paths.of(tx, &then.entry.parent, &then.entry.name)?,
            Target::Nothing | Target::Unknown => is.clone(),
        };
        let moment = &self.work.rewind.to;
        Ok(is_meant(moment, &is) || is_meant(moment, &was))
    }

    /// A file as it is by now.
    fn now(&mut self, tx: &mut dyn Tx, id: &str) -> OpResult<Option<Entry>> {
        if let Some(entry) = self.after.get(id).or_else(|| self.before.get(id)) {
            return Ok(Some(entry.clone()));
        }
        let found = file::find(tx, id)?.filter(|found| found.directory == self.directory.id);
        found.iter().for_each(|found| drop(self.before.insert(id.to_owned(), found.entry.clone())));
        Ok(found.map(|found| found.entry))
    }

    fn change(&mut self, entry: Entry) {
        self.after.insert(entry.id.clone(), entry);
    }

    /// The version that a change of a file makes: one for all that one commit does to it.
    fn version(&self, entry: &Entry) -> u64 {
        self.before.get(&entry.id).map_or(entry.version, |old| old.version) + 1
    }

    /// Deletes a file; a folder only when nothing is in it any more. Whether it went.
    fn remove(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, now: &Entry) -> OpResult<bool> {
        if now.deleted || now.kind == Kind::Folder && self.has_any(tx, cx, &now.id)? {
            return Ok(false);
        }
        self.change(Entry {
            version: self.version(now),
            deleted: true,
            content: None,
            hash: None,
            author_hash: None,
            size: 0,
            ..now.clone()
        });
        Ok(true)
    }

    fn has_any(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, folder: &str) -> OpResult<bool> {
        if self.after.values().any(|entry| entry.parent == folder && !entry.deleted) {
            return Ok(true);
        }
        // One more than could have left in this commit.
        let most = self.after.len() + 1;
        let children = StoredTree::new(tx, cx, self.directory, "").children(folder, most)?;
        Ok(children.iter().any(|child| !self.after.contains_key(&child.id)))
    }

    /// Makes a file what it was: whether it changed; none if that cannot be.
    fn place(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, now: &Entry, then: &Entry) -> OpResult<Option<bool>> {
        if self.underway.len() > DEPTH_MAX || !self.underway.insert(now.id.clone()) {
            return Ok(None);
        }
        let done = self.place_in(tx, cx, now, then);
        self.underway.remove(&now.id);
        done
    }

    fn place_in(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, now: &Entry, then: &Entry) -> OpResult<Option<bool>> {
        if !self.open(tx, cx, &then.parent)? || self.is_below(tx, &then.parent, &now.id)? {
            return Ok(None);
        }
        let version = self.version(now);
        let is_same = now.content == then.content && !now.deleted;
        let back = Entry {
            id: now.id.clone(),
            seq: now.seq,
            version,
            content_version: if is_same || now.kind != Kind::File { now.content_version } else { version },
            ..then.clone()
        };
        if (Entry { version: now.version, ..back.clone() }) == *now {
            return Ok(Some(false));
        }
        self.make_room(tx, cx, &back)?;
        self.change(back);
        Ok(Some(true))
    }

    /// Sees to it that a folder is there, and where it was; whether that could be.
    fn open(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, folder: &str) -> OpResult<bool> {
        if folder.is_empty() {
            return Ok(true);
        }
        let Some(now) = self.now(tx, folder)? else { return Ok(false) };
        let is_done = self.after.contains_key(folder) || now.seq > self.work.until;
        if is_done && !now.deleted {
            return Ok(true);
        }
        let then = match target(tx, folder, &self.work.rewind.to)? {
            Target::Version(then) if !then.entry.deleted => then.entry,
            Target::Version(_) | Target::Nothing | Target::Unknown => Entry { deleted: false, ..now.clone() },
        };
        Ok(self.place(tx, cx, &now, &then)?.is_some())
    }

    fn is_below(&mut self, tx: &mut dyn Tx, folder: &str, id: &str) -> OpResult<bool> {
        let mut at = folder.to_owned();
        for _ in 0..DEPTH_MAX {
            if at.is_empty() || at == id {
                return Ok(at == id);
            }
            at = self.now(tx, &at)?.map(|entry| entry.parent).unwrap_or_default();
        }
        Ok(true)
    }

    /// Whoever is where a file was steps aside, under a name that says so; if it was elsewhere itself, its own turn comes.
    fn make_room(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, back: &Entry) -> OpResult<()> {
        let wanted = slot(self.directory.names, &back.name);
        let there = StoredTree::new(tx, cx, self.directory, "").at(&back.parent, &wanted)?;
        let there = there.filter(|entry| entry.id != back.id && !self.after.contains_key(&entry.id));
        let names = self.directory.names;
        let moved = self.after.values().find(|entry| {
            !entry.deleted && entry.id != back.id && entry.parent == back.parent && slot(names, &entry.name) == wanted
        });
        let Some(other) = there.or_else(|| moved.cloned()) else { return Ok(()) };
        // One that is on its way back itself leaves by itself.
        if self.underway.contains(&other.id) || self.goes_back(tx, cx, &other)? {
            return Ok(());
        }
        let name = aside(&other);
        self.change(Entry { version: self.version(&other), name, ..other });
        Ok(())
    }

    /// Whether a file that is in the way goes where it was itself.
    fn goes_back(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, other: &Entry) -> OpResult<bool> {
        let Some(now) = self.now(tx, &other.id)? else { return Ok(false) };
        if self.after.contains_key(&other.id) || now.seq > self.work.until {
            return Ok(false);
        }
        let then = match target(tx, &other.id, &self.work.rewind.to)? {
            Target::Version(then) if !then.entry.deleted => then.entry,
            Target::Version(_) | Target::Nothing => return self.remove(tx, cx, &now),
            Target::Unknown => return Ok(false),
        };
        let is_elsewhere = then.parent != now.parent || then.name != now.name;
        Ok(is_elsewhere && self.place(tx, cx, &now, &then)? == Some(true))
    }
}

/// A name that nobody else has.
fn aside(entry: &Entry) -> String {
    let short: String = entry.name.chars().take(40).collect();
    format!("{short} (aside {})", entry.id)
}
