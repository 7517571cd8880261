//! FIRST_TRY_TIME: set when a change is first asked for, the same in every repeat, another one for another change (FLD-2, FLD-10).

use sha2::{Digest as _, Sha256};

use super::Agent;
use crate::disk::Disk;
use crate::model::{Content, FileId, Remote, Synced};
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
        let hash = match &ask.content {
            Content::File { hash, .. } if ask.content_changed && !ask.deleted => *hash,
            Content::File { .. } | Content::Folder | Content::Symlink(_) => None,
        };
        self.state.put_try(&subject, Try { sign, try_us, hash });
        try_us
    }

    /// A version that this daemon brought, and of which it never heard: both had it, whatever was written here since. Otherwise the next change would be
    /// in conflict with one's own.
    pub(super) fn recognise(&mut self, id: FileId, told: &Remote, path: &str) {
        let Content::File { hash: Some(hash), .. } = &told.content else { return };
        let brought = |subject: &String| self.state.try_of(subject).is_some_and(|begun| begun.hash == Some(*hash));
        let Some(subject) = [id.to_string(), new_subject(path)].into_iter().find(brought) else { return };
        let before = self.state.synced().get(&id);
        if told.deleted || before.is_some_and(|before| before.content_version >= told.content_version) {
            return;
        }
        let both = Synced {
            parent: told.parent,
            name: told.name.clone(),
            version: told.version,
            content_version: told.content_version,
            content: told.content.clone(),
            // Not that of what lies here, which is looked at.
            stat: before.map(|before| before.stat).unwrap_or_default(),
        };
        self.state.put_synced(id, both);
        self.state.drop_try(&subject);
    }
}
