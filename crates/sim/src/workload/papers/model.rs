//! What clients were told, against what is committed: nothing acknowledged is lost, nothing comes back, nobody overwrites what
//! it had not seen.

use std::collections::{BTreeMap, BTreeSet};

use documents::{Commit, DocChange, Expected};
use replica::ItemKey;

use super::classes::{Committed, DocName, GROUPS, Stored, source};

/// A commit that was done, or may have been.
#[derive(Debug, Clone)]
pub(super) struct Told {
    /// What its contents are marked with.
    pub(super) marker: String,
    pub(super) commit: Commit,
    /// `None` while nobody can tell whether it was done.
    pub(super) version: Option<i64>,
}

impl Told {
    fn changes(&self, doc: &DocName) -> impl Iterator<Item = &DocChange> {
        self.commit.changes.iter().filter(move |change| change.c == doc.0 && change.id == doc.1)
    }

    fn puts(&self, doc: &DocName, at: &ItemKey) -> bool {
        self.changes(doc)
            .flat_map(|change| change.items.iter().flatten())
            .any(|item| !item.delete && item.c == at.c && item.k.as_deref().unwrap_or("") == at.k)
    }

    fn ends(&self, doc: &DocName, at: &ItemKey) -> bool {
        self.changes(doc).any(|change| {
            let deletes =
                |item: &documents::ItemChange| item.delete && item.c == at.c && item.k.as_deref().unwrap_or("") == at.k;
            change.delete || change.recreate || change.items.iter().flatten().any(deletes)
        })
    }
}

/// What happened to one item, as far as it was told.
#[derive(Debug, Default)]
struct Past<'a> {
    put: Option<(i64, &'a str)>,
    ended: Option<i64>,
    may_be_put: bool,
    may_be_ended: bool,
}

/// All that was told.
#[derive(Debug, Default)]
pub(super) struct Model {
    told: BTreeMap<String, Told>,
    versions: BTreeMap<DocName, i64>,
    /// Whether stamps are in the order of events: not if the calendar jumps.
    in_order: bool,
}

impl Model {
    /// Nothing yet.
    pub(super) fn new(in_order: bool) -> Self {
        Self { in_order, ..Self::default() }
    }

    /// A commit is asked for: from now on it may be done.
    pub(super) fn asked(&mut self, marker: &str, commit: Commit) {
        self.told.insert(marker.to_owned(), Told { marker: marker.to_owned(), commit, version: None });
    }

    /// It was not done, and changed nothing.
    pub(super) fn not_done(&mut self, marker: &str) {
        self.told.remove(marker);
    }

    /// It was done.
    pub(super) fn done(&mut self, marker: &str, version: i64) {
        self.told.get_mut(marker).into_iter().for_each(|told| told.version = Some(version));
    }

    /// Whether a client put this item with that version, as far as can be told.
    pub(super) fn may_have_put(&self, doc: &DocName, at: &ItemKey, version: i64) -> bool {
        self.told.values().any(|told| told.version.is_none_or(|own| own == version) && told.puts(doc, at))
    }

    /// Compares.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn check(&mut self, now: &Committed) -> Result<(), String> {
        for (doc, version) in &now.heads {
            let known = self.versions.entry(doc.clone()).or_default();
            if version < known {
                return Err(format!("{doc:?} went from version {known} back to {version}"));
            }
            *known = *version;
        }
        self.check_expected()?;
        let named = self.told.values().flat_map(|told| &told.commit.changes).flat_map(items_of);
        let named: BTreeSet<(DocName, ItemKey)> = named.chain(now.items.keys().cloned()).collect();
        named.iter().try_for_each(|(doc, at)| self.check_item(doc, at, now.items.get(&(doc.clone(), at.clone()))))
    }

    fn check_item(&self, doc: &DocName, at: &ItemKey, stored: Option<&Stored>) -> Result<(), String> {
        let past = self.past(doc, at);
        let is_copy = doc.0 == GROUPS;
        let wrong = |text: &str| Err(format!("{doc:?} {at:?} {text}: {stored:?}, told {past:?}"));
        match stored.and_then(|stored| Some((stored.version, stored.content.as_deref()?))) {
            Some((_, content)) => {
                let version = stored.map_or(0, |stored| stored.version);
                let put = past.put.map_or(0, |(version, _)| version);
                if past.ended.is_some_and(|ended| version < ended) {
                    return wrong("was deleted and is there");
                }
                if past.ended.is_some_and(|ended| ended > put) && !past.may_be_put {
                    return wrong("was deleted and came back");
                }
                if version < put {
                    return wrong("lost what was put last");
                }
                let is_other = past.put.is_some_and(|(_, marker)| version == put && !content.contains(marker));
                if !is_copy && (is_other || (version > put && !past.may_be_put)) {
                    return wrong("holds what nobody put");
                }
                Ok(())
            }
            None => {
                let Some((put, _)) = past.put else { return Ok(()) };
                let ended = past.may_be_ended || past.ended.is_some_and(|ended| ended > put);
                if ended || (is_copy && (!self.in_order || self.source_ended(at, put))) {
                    return Ok(());
                }
                wrong("was put and is not there")
            }
        }
    }

    fn past(&self, doc: &DocName, at: &ItemKey) -> Past<'_> {
        let mut past = Past::default();
        for told in self.told.values() {
            let (puts, ends) = (told.puts(doc, at), told.ends(doc, at));
            match told.version {
                None => {
                    past.may_be_put |= puts;
                    past.may_be_ended |= ends;
                }
                Some(version) => {
                    past.put = past.put.max(puts.then_some((version, told.marker.as_str())));
                    past.ended = past.ended.max(ends.then_some(version));
                }
            }
        }
        past
    }

    /// Whether the source of a copy may have been deleted after the copy was put.
    fn source_ended(&self, at: &ItemKey, put: i64) -> bool {
        let (doc, item) = source(at);
        let ends = |told: &&Told| told.ends(&doc, &item);
        self.told.values().filter(ends).any(|told| told.version.is_none_or(|version| version > put))
    }

    /// Whoever expected a version and was told that it was there: nobody changed the document in between.
    fn check_expected(&self) -> Result<(), String> {
        let done = |told: &'_ Told| told.version.map(|version| (version, told.commit.changes.clone()));
        let done: Vec<(i64, Vec<DocChange>)> = self.told.values().filter_map(done).collect();
        for (version, changes) in &done {
            for change in changes {
                let Some(Expected::Version(expected)) = change.expect else { continue };
                let between = |(other, others): &&(i64, Vec<DocChange>)| {
                    let same = |other: &DocChange| (&other.c, &other.id) == (&change.c, &change.id) && puts_any(other);
                    expected < *other && other < version && others.iter().any(same)
                };
                if let Some((other, _)) = done.iter().find(between) {
                    let text = format!("{other} came between {expected}, which was expected, and {version}");
                    return Err(format!("{}/{}: {text}", change.c, change.id));
                }
            }
        }
        Ok(())
    }
}

fn puts_any(change: &DocChange) -> bool {
    change.items.iter().flatten().any(|item| !item.delete)
}

fn items_of(change: &DocChange) -> Vec<(DocName, ItemKey)> {
    let doc = (change.c.clone(), change.id.clone());
    let items = change.items.iter().flatten();
    items.map(|item| (doc.clone(), ItemKey::new(&item.c, item.k.as_deref().unwrap_or("")))).collect()
}
