//! FIRST_TRY_TIME: set when a change is first asked for, the same in every repeat, another one for another change (FLD-2, FLD-10).

use sha2::{Digest as _, Sha256};
use synxpo::wire::FileMetadata;

use super::Agent;
use crate::disk::Disk;
use crate::model::{Content, FileId, Kind, Remote};
use crate::plan::Ask;
use crate::state::Try;

/// What a change is about: the file, or the path of a new one.
pub(super) fn subject(ask: &Ask) -> String {
    ask.id.map_or_else(|| new_subject(&ask.path), |id| id.to_string())
}

/// A new file, which has no id yet.
fn new_subject(path: &str) -> String {
    format!("/{path}")
}

/// The same for the same change.
fn sign(ask: &Ask) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update(ask.path.as_bytes());
    digest.update([0, u8::from(ask.deleted), u8::from(ask.content_changed)]);
    digest.update(ask.base.to_be_bytes());
    match &ask.content {
        Content::Folder => digest.update(b"d"),
        Content::Symlink(target) => digest.update(target.as_bytes()),
        Content::File { hash, size, executable } => {
            digest.update(hash.unwrap_or_default());
            digest.update(size.to_be_bytes());
            digest.update([u8::from(*executable)]);
        }
    }
    digest.finalize().into()
}

impl<D: Disk> Agent<D> {
    /// Since when this change is asked for; a new one is later than all before it.
    pub(super) fn try_us(&mut self, ask: &Ask) -> i64 {
        let (subject, sign) = (subject(ask), sign(ask));
        if let Some(begun) = self.state.try_of(&subject).filter(|begun| begun.sign == sign) {
            return begun.try_us;
        }
        let last = i64::try_from(self.state.number("last_try")).unwrap_or(0);
        let try_us = self.now.wall_us.max(last + 1);
        self.state.set("last_try", Some(try_us.to_string()));
        self.state.put_try(&subject, Try { sign, try_us, ask: ask.clone() });
        try_us
    }

    /// A version that this daemon asked for, and whose answer it never heard: it was taken, whatever was done here since. Otherwise the next change would
    /// be in conflict with one's own, and a second rename be undone by the first.
    pub(super) fn recognise(&mut self, id: FileId, told: &Remote, meta: &FileMetadata) {
        let is_taken = |begun: &&Try| is_what_was_asked(&begun.ask, told, &meta.current_path);
        let subjects = [id.to_string(), new_subject(&meta.current_path)];
        let found = subjects.into_iter().find_map(|subject| {
            let begun = self.state.try_of(&subject).filter(is_taken)?;
            Some((subject, begun.ask.clone()))
        });
        let Some((subject, ask)) = found else { return };
        if self.state.synced().get(&id).is_none_or(|before| before.version < told.version) {
            self.state.drop_try(&subject);
            self.accepted(&ask, meta);
        }
    }
}

fn is_what_was_asked(ask: &Ask, told: &Remote, path: &str) -> bool {
    if ask.deleted || told.deleted {
        return ask.deleted && told.deleted;
    }
    let is_content =
        !ask.content_changed || ask.content.kind() != Kind::File || ask.content.is_same_bytes(&told.content);
    ask.path == path && ask.content.kind() == told.content.kind() && is_content
}
