//! Which versions a connection was told (FLD-5): all up to a commit, and single ones beyond it.

use std::collections::{BTreeMap, BTreeSet};

use super::limits::REMEMBERED_MAX;
use super::tries::Snapshot;
use crate::form::{FileMeta, Kind};

/// Which versions the client was told.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// All up to this commit.
    pub(super) seq: u64,
    /// Those beyond it, by their files, and the commits that made them in their order: there are thousands while many files come in.
    beyond: BTreeMap<String, Alone>,
    order: BTreeSet<(u64, String)>,
    /// Files whose new content was told by an event that may still be on its way: what was known of them before. It counts until
    /// the client fetches the content or asks for the version (FLD-5).
    unseen: BTreeMap<String, Snapshot>,
}

/// A version that was told alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Alone {
    version: u64,
    seq: u64,
    /// The client made it itself.
    is_own: bool,
}

impl Known {
    /// What counts as known of a file when a change of it is asked for.
    pub(super) fn snapshot(&self, id: &str) -> Snapshot {
        let now = Snapshot { seq: self.seq, version: self.version(id) };
        self.unseen.get(id).copied().unwrap_or(now)
    }

    /// New content is told by an event; whether there is room to remember that.
    pub(super) fn tell(&mut self, meta: &FileMeta) -> bool {
        let is_content = meta.kind == Kind::File && !meta.deleted && meta.content_version == meta.version;
        if is_content && self.unseen.len() < REMEMBERED_MAX {
            let before = self.snapshot(&meta.id);
            self.unseen.insert(meta.id.clone(), before);
        }
        !is_content || self.unseen.contains_key(&meta.id)
    }

    /// The client has the content, or asked for the version.
    pub(super) fn seen(&mut self, id: &str) {
        self.unseen.remove(id);
    }

    /// A version that was told alone.
    pub(super) fn add(&mut self, meta: &FileMeta, is_own: bool) {
        if meta.seq <= self.seq {
            return;
        }
        let alone = Alone { version: meta.version, seq: meta.seq, is_own };
        if let Some(before) = self.beyond.insert(meta.id.clone(), alone) {
            self.order.remove(&(before.seq, meta.id.clone()));
        }
        self.order.insert((meta.seq, meta.id.clone()));
        if self.order.len() > REMEMBERED_MAX
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.beyond.remove(&oldest);
        }
    }

    /// Everything up to a commit was told.
    pub(super) fn advance(&mut self, seq: u64) {
        self.seq = self.seq.max(seq);
        let later = self.order.split_off(&(self.seq + 1, String::new()));
        for (_, passed) in std::mem::replace(&mut self.order, later) {
            self.beyond.remove(&passed);
        }
    }

    /// The version of a file that was told alone.
    pub(super) fn version(&self, id: &str) -> Option<u64> {
        self.beyond.get(id).map(|alone| alone.version)
    }

    /// All that were told alone, or of these only what the client made itself: that it has, whatever is still on its way to it.
    pub(super) fn alone(&self, only_own: bool) -> impl Iterator<Item = (String, u64)> {
        let counts = move |alone: &Alone| alone.is_own || !only_own;
        self.beyond.iter().filter(move |(_, alone)| counts(alone)).map(|(id, alone)| (id.clone(), alone.version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta(id: &str, seq: u64) -> FileMeta {
        let text = || String::new();
        FileMeta {
            id: id.into(),
            directory: text(),
            version: seq,
            content_version: 1,
            kind: Kind::File,
            path: text(),
            deleted: false,
            size: 0,
            hash: None,
            author_hash: None,
            mtime_us: None,
            executable: None,
            target: None,
            seq,
            client: text(),
            parent: text(),
            name: text(),
        }
    }

    #[test]
    fn fld_5_what_was_told_alone_counts_until_all_is_told_and_is_bounded() {
        let mut known = Known::default();
        known.add(&meta("a", 3), false);
        known.add(&meta("b", 4), true);
        known.add(&meta("a", 5), false);
        assert_eq!((known.version("a"), known.version("b"), known.version("c")), (Some(5), Some(4), None));
        assert_eq!(known.alone(true).collect::<Vec<_>>(), [("b".to_owned(), 4)]);
        known.advance(4);
        assert_eq!(known.alone(false).collect::<Vec<_>>(), [("a".to_owned(), 5)]);
        known.add(&meta("b", 4), true);
        assert_eq!(known.version("b"), None, "it is told with all the rest");
        (0..2 * REMEMBERED_MAX as u64).for_each(|at| known.add(&meta(&at.to_string(), 10 + at), true));
        assert_eq!(known.alone(false).count(), REMEMBERED_MAX);
        known.advance(u64::MAX - 1);
        assert_eq!((known.alone(false).count(), known.order.len()), (0, 0));
    }
}
