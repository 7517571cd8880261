//! Deletes (FLD-12, FLD-17): exactly what the client knew of.

use base::OpResult;

use super::mutants::{Mutant, on};
use super::{CHANGES_MAX, Entry, Judged, Planner, refused};
use crate::form::Kind;

/// A file below a folder that is to go.
struct Node {
    entry: Entry,
    /// The place of its folder in the list.
    parent: usize,
    /// It stays, or something in it does.
    stays: bool,
}

impl Planner<'_> {
    /// Whatever is to be deleted and is still there.
    pub(super) fn remove_all(&mut self) -> OpResult<()> {
        for (id, place) in self.doomed.clone() {
            let Some(entry) = self.draft.now(&id)?.filter(|entry| !entry.deleted) else { continue };
            if let Err(verdict) = self.remove(&entry)? {
                self.verdicts[place] = Some(verdict);
            }
        }
        Ok(())
    }

    /// Deletes a file, or a folder with what is known in it. Whether it is gone: what is not known keeps its folders.
    pub(super) fn remove(&mut self, entry: &Entry) -> Judged<bool> {
        if entry.kind != Kind::Folder {
            self.bury(entry.clone())?;
            return Ok(Ok(true));
        }
        let mut nodes = match self.below(entry)? {
            Ok(nodes) => nodes,
            Err(verdict) => return Ok(Err(verdict)),
        };
        for place in (0..nodes.len()).rev() {
            if nodes[place].stays {
                let parent = nodes[place].parent;
                nodes[parent].stays = true;
            } else {
                self.bury(nodes[place].entry.clone())?;
            }
        }
        Ok(Ok(!nodes[0].stays))
    }

    /// A folder and all below it that may have to go, folders before what is in them.
    fn below(&mut self, root: &Entry) -> Judged<Vec<Node>> {
        let mut nodes = vec![Node { entry: root.clone(), parent: 0, stays: false }];
        let (mut next, mut is_few) = (0, true);
        while next < nodes.len() {
            let Node { entry, stays, .. } = &nodes[next];
            if entry.kind == Kind::Folder && !stays {
                let (children, is_all) = self.draft.children(&entry.id.clone(), CHANGES_MAX * 2)?;
                is_few &= is_all;
                for child in children {
                    let stays = !self.goes_along(&child)?;
                    nodes.push(Node { entry: child, parent: next, stays });
                }
            }
            if self.gone_along > CHANGES_MAX || !is_few {
                let name = &root.name;
                let why =
                    format!("folder `{name}` has more than {CHANGES_MAX} files in it: delete those first, in groups");
                return Ok(Err(refused(why)));
            }
            next += 1;
        }
        Ok(Ok(nodes))
    }

    /// Whether a file goes with its folder: it is deleted itself, or it is as the client was told.
    fn goes_along(&mut self, child: &Entry) -> OpResult<bool> {
        if self.doomed.contains_key(&child.id) {
            return Ok(true);
        }
        let goes = !self.landed.contains(&child.id) && (self.is_as_told(child)? || on(Mutant::FolderTakesAll));
        self.gone_along += usize::from(goes);
        Ok(goes)
    }

    /// It becomes its tombstone, where it was. Its content stays in its past.
    pub(super) fn bury(&mut self, entry: Entry) -> OpResult<()> {
        self.draft.put(Entry { deleted: true, content: None, hash: None, author_hash: None, size: 0, ..entry })
    }
}
