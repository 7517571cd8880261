//! FIRST_TRY_TIME: set when a change is first asked for, the same in every repeat, another one for another change (FLD-2, FLD-10).

use sha2::{Digest as _, Sha256};

use super::Agent;
use crate::disk::Disk;
use crate::model::Content;
use crate::plan::Ask;
use crate::state::Try;

/// What a change is about: the file, or the path of a new one.
pub(super) fn subject(ask: &Ask) -> String {
    ask.id.map_or_else(|| format!("/{}", ask.path), |id| id.to_string())
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
        self.state.put_try(&subject, Try { sign, try_us });
        try_us
    }
}
