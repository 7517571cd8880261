//! Paths, and who may take a place (FLD-14 to FLD-18).

use base::OpResult;

use super::change::{is_equal, judge_content, maybe_equal};
use super::mutants::{Mutant, on};
use super::{CHANGES_MAX, Entry, Judged, Landing, Planner, Verdict, denied, refused, there};
use crate::form::Kind;
use crate::names;

impl Planner<'_> {
    /// Folders before what is in them; who has an id before who is new.
    pub(super) fn land_all(&mut self) -> OpResult<()> {
        let mut order: Vec<(usize, bool, usize)> = vec![];
        for (place, landing) in &self.landing {
            let depth = self.asked(*place).path.split('/').count();
            order.push((depth, matches!(landing, Landing::New), *place));
        }
        order.sort_unstable();
        for (_, _, place) in order {
            let said = match self.landing.remove(&place) {
                Some(Landing::Moved { id, parent, name }) => self.land_moved(place, &id, (&parent, &name))?,
                Some(Landing::New) => self.land_new(place)?,
                None => Ok(()),
            };
            if let Err(verdict) = said {
                self.verdicts[place] = Some(verdict);
            }
        }
        Ok(())
    }

    fn land_moved(&mut self, place: usize, id: &str, before: (&str, &str)) -> Judged<()> {
        let Some(mut entry) = self.draft.now(id)? else { return Ok(Ok(())) };
        let (folders, name) = split(&self.asked(place).path);
        let parent = match self.folder(&folders, entry.kind == Kind::Folder)? {
            Ok(parent) => parent,
            Err(verdict) => return Ok(Err(verdict)),
        };
        let policy = self.draft.policy;
        let is_same = |one: (&str, &str)| one.0 == parent && names::is_same(policy, one.1, name);
        let was_elsewhere = before != (entry.parent.as_str(), entry.name.as_str());
        // In the end it is where the client knew it: folders above it were renamed, or somebody else renamed it.
        let is_left = is_same(before);
        // Somebody moved it into a folder that this group removes without knowing that: it stays where the client has it.
        let is_lost = entry.deleted || self.is_orphan(&entry)?;
        let is_moved = is_lost || !(is_left || is_same((&entry.parent, &entry.name)));
        if is_moved && !is_lost && was_elsewhere && !on(Mutant::RenamesUnseen) {
            return Ok(Err(denied(id, format!("it was renamed to `{}` since", entry.name))));
        }
        if is_moved {
            (entry.parent, entry.name, entry.deleted) = (parent, name.to_owned(), false);
        }
        if on(Mutant::RenamesEach) {
            self.content.insert(entry.id.clone());
        }
        if let Err(verdict) = self.make_room(&entry)? {
            return Ok(Err(verdict));
        }
        self.land(place, entry)?;
        Ok(Ok(()))
    }

    fn is_orphan(&mut self, entry: &Entry) -> OpResult<bool> {
        Ok(self.draft.now(&entry.parent)?.is_some_and(|folder| folder.deleted))
    }

    fn land(&mut self, place: usize, entry: Entry) -> OpResult<()> {
        self.landed.insert(entry.id.clone());
        self.ids[place] = Some(entry.id.clone());
        if entry.kind == Kind::Folder {
            self.claimed.insert(self.asked(place).path.clone(), entry.id.clone());
        }
        self.draft.put(entry)
    }

    /// Whoever is in the way goes, if it may (FLD-16).
    fn make_room(&mut self, entry: &Entry) -> Judged<()> {
        let there = self.draft.at(&entry.parent, &entry.name)?.filter(|there| there.id != entry.id);
        let Some(there) = there else { return Ok(Ok(())) };
        let in_the_way = denied(&there.id, format!("`{}` is taken by another file", entry.name));
        if self.doomed.contains_key(&there.id) {
            let gone = self.remove(&there)?;
            return Ok(gone.and_then(|gone| if gone { Ok(()) } else { Err(in_the_way) }));
        }
        let is_known = self.is_as_told(&there)? || on(Mutant::OverwritesUnseen);
        let (is_folder, was_folder) = (entry.kind == Kind::Folder, there.kind == Kind::Folder);
        let is_ours = self.landed.contains(&there.id);
        if is_ours || !is_known || is_folder != was_folder || !self.empties(&there)? {
            return Ok(Err(in_the_way));
        }
        self.bury(there)?;
        Ok(Ok(()))
    }

    /// Whether nothing is left in a folder once the group has deleted what it deletes.
    fn empties(&mut self, folder: &Entry) -> OpResult<bool> {
        let (children, is_all) = self.draft.children(&folder.id, CHANGES_MAX)?;
        for child in &children {
            if !self.doomed.contains_key(&child.id) || self.remove(child)? != Ok(true) {
                return Ok(false);
            }
        }
        Ok(is_all)
    }

    fn land_new(&mut self, place: usize) -> Judged<()> {
        let (folders, name) = split(&self.asked(place).path);
        let parent = match self.folder(&folders, false)? {
            Ok(parent) => parent,
            Err(verdict) => return Ok(Err(verdict)),
        };
        let Some(there) = self.draft.at(&parent, name)? else { return self.create(place, parent, name) };
        if !self.doomed.contains_key(&there.id) {
            return self.meet(place, &there);
        }
        let is_save = there.kind == Kind::File && self.asked(place).kind == Kind::File;
        if is_save && !on(Mutant::SavesAsNew) {
            self.save_over(place, there, name)?;
            return Ok(Ok(()));
        }
        match self.remove(&there)? {
            Err(verdict) => Ok(Err(verdict)),
            Ok(true) => self.create(place, parent, name),
            Ok(false) => self.meet(place, &there),
        }
    }

    /// An editor wrote a new file and put it in the place of the old one (FLD-17).
    fn save_over(&mut self, place: usize, mut there: Entry, name: &str) -> OpResult<()> {
        self.doomed.remove(&there.id);
        let before = there.clone();
        self.edit(place, &mut there, Some(&before));
        there.name = name.to_owned();
        self.land(place, there)
    }

    /// Something is there where something new is to be (FLD-14).
    fn meet(&mut self, place: usize, there_now: &Entry) -> Judged<()> {
        let wanted = &self.group[place];
        let asked = &wanted.asked;
        self.ids[place] = Some(there_now.id.clone());
        if on(Mutant::NewOverOld) {
            let mut entry = there_now.clone();
            self.edit(place, &mut entry, None);
            self.draft.amend(entry);
            return Ok(Ok(()));
        }
        let taken = denied(&there_now.id, format!("`{}` is taken by another file", there_now.name));
        if asked.kind != there_now.kind {
            return Ok(Err(taken));
        }
        if self.landed.contains(&there_now.id) {
            return Ok(self.meet_of_group(place, there_now).ok_or(taken).map(|verdict| self.say(place, verdict)));
        }
        if is_equal(there_now, wanted) {
            return Ok(Err(there(there_now)));
        }
        let known = self.known(there_now, asked.base.or(Some(0)))?;
        if let Some(verdict) = self.brought_before(place, there_now, &known)? {
            return Ok(Err(verdict));
        }
        let against = match known.entry.is_none() {
            true => Some(maybe_equal(there_now, wanted, taken)),
            false => judge_content(there_now, &known, wanted),
        };
        if let Some(verdict) = against {
            // A second one of the group at this path is compared with this one.
            self.landed.extend(matches!(verdict, Verdict::Made { .. }).then(|| there_now.id.clone()));
            return Ok(Err(verdict));
        }
        let mut entry = there_now.clone();
        self.edit(place, &mut entry, known.entry.as_ref());
        self.landed.insert(entry.id.clone());
        self.draft.amend(entry);
        Ok(Ok(()))
    }

    fn say(&mut self, place: usize, verdict: Verdict) {
        self.verdicts[place] = Some(verdict);
    }

    /// Two of one group at one path: the same content is one file.
    fn meet_of_group(&mut self, place: usize, other: &Entry) -> Option<Verdict> {
        let wanted = &self.group[place];
        let is_sibling = |at: &usize| *at != place && self.ids[*at].as_deref() == Some(&*other.id);
        let sibling = (0..self.group.len()).find(is_sibling).map(|at| &self.group[at]);
        let is_twin = sibling.is_some_and(|sibling| {
            sibling.asked.hash.is_some()
                && sibling.asked.hash == wanted.asked.hash
                && sibling.asked.size == wanted.asked.size
        });
        let is_one = is_equal(other, wanted) || is_twin;
        is_one.then(|| Verdict::There { id: other.id.clone(), version: other.version.max(1) })
    }

    fn create(&mut self, place: usize, parent: String, name: &str) -> Judged<()> {
        let wanted = &self.group[place];
        let given = wanted.asked.id.clone().or_else(|| wanted.given_id.clone());
        let id = given.unwrap_or_else(|| self.draft.tree.new_id());
        let mut entry = fresh(id, parent, name, wanted.asked.kind);
        // What is not there is wanted, whatever the change says of its content.
        entry.deleted = true;
        self.edit(place, &mut entry, None);
        entry.deleted = false;
        self.land(place, entry)?;
        Ok(Ok(()))
    }

    /// The folder of this path as the client has it; those that are missing are made (FLD-17).
    fn folder(&mut self, folders: &[&str], for_folder: bool) -> Judged<String> {
        let (mut parent, begin) = self.claimed_folder(folders)?;
        for end in begin..folders.len() {
            let path = folders[..=end].join("/");
            parent = match self.draft.at(&parent, folders[end])? {
                Some(there) if there.kind == Kind::Folder => there.id,
                Some(there) if !self.doomed.contains_key(&there.id) => {
                    return Ok(Err(denied(&there.id, format!("`{path}` is no folder"))));
                }
                _ if for_folder && self.vacated.contains(&path) && !on(Mutant::CyclesTaken) => {
                    return Ok(Err(refused(format!("a folder cannot be moved into itself: `{path}` is on its way"))));
                }
                there => {
                    there.map_or(Ok(()), |file| self.bury(file))?;
                    self.missing_folder(&path, parent, folders[end])?
                }
            };
        }
        Ok(Ok(parent))
    }

    /// The folder that the client has under the longest part of a path, and how long that is.
    fn claimed_folder(&mut self, folders: &[&str]) -> OpResult<(String, usize)> {
        for end in (1..=folders.len()).rev() {
            let Some(id) = self.claimed.get(&folders[..end].join("/")).cloned() else { continue };
            if self.draft.now(&id)?.is_some_and(|folder| !folder.deleted) {
                return Ok((id, end));
            }
        }
        Ok((String::new(), 0))
    }

    /// The one that was deleted comes back, if the client had it there.
    fn missing_folder(&mut self, path: &str, parent: String, name: &str) -> OpResult<String> {
        let dead = match self.claimed.get(path).cloned() {
            Some(id) => self.draft.was(&id)?.filter(|folder| folder.deleted),
            None => None,
        };
        let entry = match dead {
            Some(dead) => Entry { parent, name: name.to_owned(), deleted: false, ..dead },
            None => fresh(self.draft.tree.new_id(), parent, name, Kind::Folder),
        };
        let id = entry.id.clone();
        self.landed.insert(id.clone());
        self.draft.put(entry)?;
        Ok(id)
    }

    /// No folder is in itself: one that was moved into another, which somebody moved into the first meanwhile, stays out.
    pub(super) fn refuse_cycles(&mut self) -> OpResult<()> {
        for place in 0..self.group.len() {
            let Some(id) = self.ids[place].clone() else { continue };
            if self.asked(place).kind == Kind::Folder && self.is_within_itself(&id)? && !on(Mutant::CyclesTaken) {
                self.verdicts[place] = Some(denied(&id, "its new folder was moved into it since"));
            }
        }
        Ok(())
    }

    fn is_within_itself(&mut self, id: &str) -> OpResult<bool> {
        let mut seen = std::collections::BTreeSet::new();
        let mut folder = self.draft.now(id)?.map(|entry| entry.parent);
        while let Some(parent) = folder.filter(|parent| !parent.is_empty()) {
            if parent == id || !seen.insert(parent.clone()) {
                return Ok(true);
            }
            folder = self.draft.now(&parent)?.map(|entry| entry.parent);
        }
        Ok(false)
    }
}

/// The folders of a path, and its name.
fn split(path: &str) -> (Vec<&str>, &str) {
    let mut folders: Vec<&str> = path.split('/').collect();
    let name = folders.pop().unwrap_or_default();
    (folders, name)
}

fn fresh(id: String, parent: String, name: &str, kind: Kind) -> Entry {
    Entry {
        id,
        parent,
        name: name.to_owned(),
        kind,
        version: 0,
        content_version: 0,
        deleted: false,
        content: None,
        hash: None,
        author_hash: None,
        size: 0,
        mtime_us: None,
        executable: None,
        target: None,
        seq: 0,
    }
}
