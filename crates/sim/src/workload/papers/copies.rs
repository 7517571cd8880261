//! Deferred copies: none goes back to an older state of its source, and in the end all are level.

use std::collections::BTreeMap;

use replica::ItemKey;

use super::classes::{Committed, DocName, GROUPS, Stored, source};
use super::model::Model;

/// The copies at the last look.
#[derive(Debug, Default)]
pub(super) struct Copies(BTreeMap<(DocName, ItemKey), Stored>);

impl Copies {
    /// None goes back, and none is written again by a task without need. One that was put while it had no source may begin anew
    /// with one.
    ///
    /// # Errors
    /// One did.
    pub(super) fn check(&mut self, now: &Committed, model: &Model) -> Result<(), String> {
        for (at, copy) in now.items.iter().filter(|((doc, _), copy)| doc.0 == GROUPS && copy.content.is_some()) {
            let before = self.0.insert(at.clone(), copy.clone());
            let Some(before) = before.filter(|before| before.ord != before.version) else { continue };
            if before.ord > copy.ord {
                return Err(format!("the copy {at:?} went back from {before:?} to {copy:?}"));
            }
            let again = before.ord == copy.ord && before.version < copy.version;
            if again && !model.may_have_put(&at.0, &at.1, copy.version) {
                return Err(format!("the copy {at:?} was level as {before:?} and is written again as {copy:?}"));
            }
        }
        Ok(())
    }

    /// Every copy is level with its source.
    ///
    /// # Errors
    /// One is not.
    pub(super) fn check_level(now: &Committed) -> Result<(), String> {
        for ((doc, at), copy) in now.items.iter().filter(|((doc, _), _)| doc.0 == GROUPS) {
            let source = now.items.get(&source(at)).filter(|source| source.content.is_some());
            let level = match source {
                _ if copy.content.is_none() => true,
                Some(source) => (source.ord, &source.content) == (copy.ord, &copy.content),
                None => copy.ord == copy.version,
            };
            if !level {
                return Err(format!("the copy {doc:?} {at:?} is not level: {copy:?}, its source {source:?}"));
            }
        }
        Ok(())
    }
}
