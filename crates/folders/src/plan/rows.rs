//! What is to be written, and what is said.

use std::collections::{BTreeMap, BTreeSet};

use base::OpResult;

use super::mutants::{Mutant, on};
use super::{Entry, Plan, Planner, Row, Seated, Verdict};
use crate::form::Kind;
use crate::names;

impl Planner<'_> {
    pub(super) fn finish(mut self) -> OpResult<Plan> {
        let rows = self.rows()?;
        let changed: BTreeSet<&str> = rows.iter().map(|row| row.entry.id.as_str()).collect();
        let mut verdicts = vec![];
        for place in 0..self.group.len() {
            verdicts.push(match self.verdicts[place].take() {
                Some(said) => said,
                None => self.verdict(place, &changed)?,
            });
        }
        let is_void = verdicts.iter().any(|said| matches!(said, Verdict::Denied { .. } | Verdict::Refused { .. }));
        Ok(Plan { verdicts, rows: if is_void { vec![] } else { rows } })
    }

    fn verdict(&mut self, place: usize, changed: &BTreeSet<&str>) -> OpResult<Verdict> {
        let id = self.ids[place].clone().expect("a change that nothing was said of is about a file");
        let now = self.draft.now(&id)?.expect("and that file is here");
        if !changed.contains(id.as_str()) {
            return Ok(Verdict::There { id, version: now.version });
        }
        let seat = self.seat(&now)?;
        Ok(Verdict::Made { id, seat, wants_bytes: self.wants.contains(&place) })
    }

    /// A new file is written by whoever has the seat of its slot; in a folder that is new itself, of that folder's.
    fn seat(&mut self, entry: &Entry) -> OpResult<Seated> {
        if !self.draft.is_new(&entry.id) {
            return Ok(Seated::File(entry.id.clone()));
        }
        let mut top = entry.clone();
        while self.draft.is_new(&top.parent) {
            let Some(parent) = self.draft.now(&top.parent.clone())? else { break };
            top = parent;
        }
        Ok(Seated::Slot { slot: names::slot(self.draft.policy, &top.name), parent: top.parent })
    }

    fn rows(&mut self) -> OpResult<Vec<Row>> {
        let places = self.places();
        let mut rows = vec![];
        for now in self.draft.changed().cloned().collect::<Vec<Entry>>() {
            let was = self.draft.was(&now.id)?;
            if was.as_ref() != Some(&now) || self.content.contains(&now.id) {
                rows.push(self.row(was, now, &places));
            }
        }
        rows.sort_by_key(|row| (!row.entry.deleted, row.entry.kind != Kind::Folder));
        Ok(rows)
    }

    /// Which change each file is of; of a delete and what took its place, the latter.
    fn places(&self) -> BTreeMap<String, usize> {
        let mut places = BTreeMap::new();
        for is_delete in [true, false] {
            let mine = |place: &usize| self.verdicts[*place].is_none() && self.group[*place].asked.deleted == is_delete;
            let named = (0..self.group.len()).filter(mine).filter_map(|place| Some((self.ids[place].clone()?, place)));
            places.extend(named);
        }
        places
    }

    fn row(&self, was: Option<Entry>, now: Entry, places: &BTreeMap<String, usize>) -> Row {
        let version = was.as_ref().map_or(0, |was| was.version) + 1;
        let content_version = match self.content.contains(&now.id) {
            true => version,
            false => now.content_version,
        };
        let parked = self.is_parked(was.as_ref(), &now);
        let place = places.get(&now.id).copied();
        Row { is_new: was.is_none(), place, parked, entry: Entry { version, content_version, ..now } }
    }

    /// Somebody else gets the slot that it had.
    fn is_parked(&self, was: Option<&Entry>, now: &Entry) -> bool {
        let lives = |entry: &&Entry| !entry.deleted && !now.deleted && !on(Mutant::ParksNobody);
        let holder = was.filter(lives).and_then(|was| self.draft.holder_of_former_slot(was));
        holder.is_some_and(|holder| holder != now.id)
    }
}
