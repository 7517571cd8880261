//! What may be under each path: what was acknowledged, and where an outcome is unknown, the old or the new.

use std::collections::{BTreeMap, BTreeSet};

use crate::rng::Rng;

/// Number of a content; its bytes follow from it, so no two puts are alike.
pub(super) type Number = u64;

/// The bytes of a content: often within a sector, sometimes over several, sometimes none.
pub(super) fn bytes(number: Number) -> Vec<u8> {
    let mut rng = Rng::new(number);
    let most = *rng.pick(&[0, 40, 40, 600, 600, 3_000]);
    if most == 0 {
        return vec![];
    }
    let length = 8 + usize::try_from(rng.below(most)).unwrap_or(0);
    let noise = rng.next().to_le_bytes().repeat(length / 8);
    let mut bytes = [number.to_le_bytes().to_vec(), noise].concat();
    bytes.truncate(length);
    bytes
}

/// A rename of unknown outcome: until one of its paths is used again, the content is under one of them at least.
#[derive(Debug, Clone)]
struct Move {
    from: String,
    to: String,
    content: Number,
}

/// What is known.
#[derive(Debug, Default)]
pub(super) struct Model {
    /// What may be there; `None` is no file. A path that is not here holds none.
    places: BTreeMap<String, BTreeSet<Option<Number>>>,
    moves: Vec<Move>,
}

impl Model {
    pub(super) fn paths(&self) -> Vec<String> {
        self.places.keys().cloned().collect()
    }

    fn may(&self, path: &str) -> BTreeSet<Option<Number>> {
        self.places.get(path).cloned().unwrap_or_else(|| BTreeSet::from([None]))
    }

    /// A path is used again: what was known of moves over it holds no more.
    fn touch(&mut self, path: &str) {
        self.moves.retain(|of| of.from != path && of.to != path);
    }

    /// It was acknowledged that this is there now.
    pub(super) fn is(&mut self, path: &str, content: Option<Number>) {
        self.touch(path);
        self.places.insert(path.to_owned(), BTreeSet::from([content]));
    }

    /// It is unknown whether this is there now.
    pub(super) fn may_be(&mut self, path: &str, content: Option<Number>) {
        self.touch(path);
        let mut may = self.may(path);
        may.insert(content);
        self.places.insert(path.to_owned(), may);
    }

    /// A rename was acknowledged.
    pub(super) fn moved(&mut self, from: &str, to: &str) -> Result<(), String> {
        let mut may = self.may(from);
        may.remove(&None);
        if may.is_empty() {
            return Err(format!("{from} was renamed to {to}, but there was no such file"));
        }
        self.touch(to);
        self.is(from, None);
        self.places.insert(to.to_owned(), may);
        Ok(())
    }

    /// A move was acknowledged that is no error when it was made before.
    pub(super) fn brought(&mut self, from: &str, to: &str) -> Result<(), String> {
        if from == to {
            return Ok(());
        }
        let source = self.may(from);
        let mut there: BTreeSet<Option<Number>> = source.iter().copied().filter(Option::is_some).collect();
        if source.contains(&None) {
            there.extend(self.may(to).into_iter().filter(Option::is_some));
        }
        if there.is_empty() {
            return Err(format!("{from} was brought to {to}, but neither was there"));
        }
        self.is(from, None);
        self.touch(to);
        self.places.insert(to.to_owned(), there);
        Ok(())
    }

    /// It is unknown whether a rename was done: old, new, or under both names.
    pub(super) fn may_have_moved(&mut self, from: &str, to: &str) {
        if from == to {
            return;
        }
        let may = self.may(from);
        let again = self.moves.iter().find(|of| of.from == from && of.to == to).cloned();
        may.iter().flatten().for_each(|content| self.may_be(to, Some(*content)));
        self.may_be(from, None);
        match may.first() {
            Some(Some(content)) if may.len() == 1 => {
                self.moves.push(Move { from: from.to_owned(), to: to.to_owned(), content: *content });
            }
            _ => self.moves.extend(again),
        }
    }

    /// What a read showed: it must be one of what may be there, and that is what is there from now on.
    pub(super) fn seen(&mut self, path: &str, shown: Option<&[u8]>) -> Result<(), String> {
        let mut may = self.may(path);
        may.retain(|content| content.map(bytes).as_deref() == shown);
        if may.is_empty() {
            return Err(self.describe(path, shown));
        }
        self.places.insert(path.to_owned(), may);
        self.follow_moves()
    }

    /// Where one side of a move has not got the content, the other has.
    fn follow_moves(&mut self) -> Result<(), String> {
        for of in self.moves.clone() {
            let has = |path: &str| self.may(path).contains(&Some(of.content));
            match (has(&of.from), has(&of.to)) {
                (false, false) => return Err(format!("content {} is lost: {of:?} left it nowhere", of.content)),
                (true, false) => drop(self.places.insert(of.from, BTreeSet::from([Some(of.content)]))),
                (false, true) => drop(self.places.insert(of.to, BTreeSet::from([Some(of.content)]))),
                (true, true) => {}
            }
        }
        Ok(())
    }

    /// What a list showed.
    pub(super) fn listed(&mut self, folder: &str, names: &[String]) -> Result<(), String> {
        let listed: BTreeSet<String> = names.iter().map(|name| format!("{folder}/{name}")).collect();
        if !names.is_sorted() || listed.len() != names.len() {
            return Err(format!("the list of {folder} is not sorted: {names:?}"));
        }
        if let Some(path) = listed.iter().find(|path| self.may(path).iter().all(Option::is_none)) {
            return Err(format!("{path} is listed, but there is no such file"));
        }
        for (path, may) in self.places.iter_mut().filter(|(path, _)| is_in(path, folder)) {
            may.retain(|content| content.is_some() == listed.contains(path));
            if may.is_empty() {
                return Err(format!("{path} is there, but not listed"));
            }
        }
        self.follow_moves()
    }

    /// Everything on the disk, temporaries included.
    pub(super) fn everything(&mut self, files: &BTreeMap<String, Vec<u8>>) -> Result<(), String> {
        let paths: BTreeSet<String> = files.keys().cloned().chain(self.paths()).collect();
        paths.iter().try_for_each(|path| self.seen(path, files.get(path).map(Vec::as_slice)))
    }

    /// What is shown and should not be, for people.
    fn describe(&self, path: &str, shown: Option<&[u8]>) -> String {
        let may: Vec<String> = self.may(path).iter().map(name).collect();
        let shown = match shown {
            None => "no file".to_owned(),
            Some(shown) => {
                let head =
                    shown.first_chunk().map(|head| format!(" that begin as content {}", Number::from_le_bytes(*head)));
                format!("{} bytes{}", shown.len(), head.unwrap_or_default())
            }
        };
        format!("{path} shows {shown}; it must be {}", may.join(" or "))
    }
}

fn name(content: &Option<Number>) -> String {
    content.map_or("no file".to_owned(), |number| format!("content {number} ({} bytes)", bytes(number).len()))
}

fn is_in(path: &str, folder: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(parent, _)| parent == folder)
}
