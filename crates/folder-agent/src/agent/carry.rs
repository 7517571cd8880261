//! Steps of a plan on this disk. Each is logged before it is made, and checks what it finds.

use std::io;

use super::Agent;
use super::guard::Side;
use super::look::{folder_of, path_of};
use super::upload::{Wait, Why};
use super::work::{Trouble, paths};
use crate::disk::{Disk, Expected, Found, Outcome};
use crate::model::{Content, FileId, Local, Stat, Synced};
use crate::plan::Step;

/// A step that could not be made is tried again after this, growing.
const STUCK_MS: u64 = 250;
const STUCK_MAX_MS: u64 = 60_000;

impl<D: Disk> Agent<D> {
    /// Makes these steps, in their order; whether anything was done.
    pub(super) fn carry(&mut self, steps: &[Step]) -> Result<bool, Trouble> {
        let intents: Vec<String> = steps.iter().filter(|step| changes_disk(step)).filter_map(as_text).collect();
        if !intents.is_empty() {
            self.state.save_intents(&intents)?;
            self.has_intents = true;
        }
        let mut any = false;
        self.has_unsettled |= !intents.is_empty();
        for step in steps {
            let is_done = self.make(step)?;
            self.note_step(step, is_done);
            any |= is_done;
        }
        self.settle()?;
        self.save()?;
        if !intents.is_empty() {
            self.state.save_and_clear_intents()?;
            self.has_intents = false;
        }
        Ok(any)
    }

    fn make(&mut self, step: &Step) -> Result<bool, Trouble> {
        match step {
            Step::Adopt { id, path } => Ok(self.adopt(*id, path)),
            Step::Forget { id } => {
                self.state.drop_synced(*id);
                Ok(true)
            }
            Step::MakeFolder { id, path } => self.make_folder(*id, path),
            Step::MakeLink { id, path, target, expected } => self.make_link(*id, path, target, *expected),
            Step::SetExecutable { id, path, stat, executable } => self.set_executable(*id, path, *stat, *executable),
            Step::Move { id, from, stat, to, into } => self.move_file(*id, (from, *stat), to, *into),
            Step::Remove { id, path, stat } => self.remove(*id, path, *stat),
            Step::Copy { from, stat, to } => self.keep_copy(from, *stat, to),
        }
    }

    /// What cannot be done now (a folder that holds what is not kept in step cannot be removed) holds up nobody else: it is left out of plans for a
    /// while, longer each time.
    fn note_step(&mut self, step: &Step, is_done: bool) {
        for path in paths(step) {
            if is_done {
                self.stuck.remove(path);
                continue;
            }
            let tries = self.stuck.get(path).map_or(0, |wait| wait.tries);
            let until_ms = self.now.ran_ms + (STUCK_MS << tries.min(10)).min(STUCK_MAX_MS);
            self.stuck.insert(path.to_owned(), Wait { until_ms, tries: tries + 1, why: Why::Failed, alone: false });
            self.plan_at(until_ms);
        }
    }

    /// Both have the same.
    fn adopt(&mut self, id: FileId, path: &str) -> bool {
        let (Some(told), Some(local)) = (self.state.remote().get(&id), self.local.get(path)) else { return false };
        let known = self.state.synced().get(&id);
        let content = match (&local.content, known) {
            (Content::File { hash: None, .. }, Some(known)) => known.content.clone(),
            (content, _) => content.clone(),
        };
        let both = Synced { of: told.of.with(content), stat: local.stat };
        let is_new = known.is_none();
        self.state.put_synced(id, both);
        if is_new {
            self.tell("joined", path, "it was the same on both sides");
        }
        true
    }

    fn make_folder(&mut self, id: FileId, path: &str) -> Result<bool, Trouble> {
        let made = self.disk.make_folder(path);
        let Some(stat) = self.outcome(made, path)? else { return Ok(false) };
        self.local.insert(path.to_owned(), Local { stat, content: Content::Folder });
        Ok(self.synced_as_told(id, Content::Folder, stat))
    }

    fn make_link(&mut self, id: FileId, path: &str, target: &str, expected: Expected) -> Result<bool, Trouble> {
        let made = self.disk.install_link(target, path, expected);
        let Some(stat) = self.outcome(made, path)? else { return Ok(false) };
        let content = Content::Symlink(target.to_owned());
        self.local.insert(path.to_owned(), Local { stat, content: content.clone() });
        self.tell("fetched", path, "a symbolic link");
        Ok(self.synced_as_told(id, content, stat))
    }

    /// What the server told is on this disk.
    pub(super) fn synced_as_told(&mut self, id: FileId, content: Content, stat: Stat) -> bool {
        let Some(told) = self.state.remote().get(&id) else { return false };
        let both = Synced { of: told.of.with(content), stat };
        self.state.put_synced(id, both);
        true
    }

    fn set_executable(&mut self, id: FileId, path: &str, stat: Stat, executable: bool) -> Result<bool, Trouble> {
        let made = self.disk.set_executable(path, stat, executable);
        let Some(stat) = self.outcome(made, path)? else { return Ok(false) };
        if let Some(mut both) = self.state.synced().get(&id).cloned() {
            if let Content::File { executable: bit, .. } = &mut both.content {
                *bit = executable;
            }
            both.stat = stat;
            self.local.insert(path.to_owned(), Local { stat, content: both.content.clone() });
            self.state.put_synced(id, both);
        }
        Ok(true)
    }

    fn move_file(
        &mut self,
        id: FileId,
        (from, stat): (&str, Stat),
        to: &str,
        into: Option<FileId>,
    ) -> Result<bool, Trouble> {
        // A file's own time of change is another one after it was moved, on its way through a temporary name too.
        let stat = match self.disk.look(from) {
            Ok(Some(Found::File(local))) if local.stat.is_same_but_moved(&stat) => local.stat,
            Err(error) if !is_of_path(&error) => return Err(error.into()),
            Ok(Some(_) | None) | Err(_) => {
                self.dirty.insert(folder_of(from).to_owned());
                return Ok(false);
            }
        };
        let made = self.disk.rename(from, stat, to);
        let Some(stat) = self.outcome(made, to)? else { return Ok(false) };
        self.dirty.insert(folder_of(from).to_owned());
        self.dirty.insert(folder_of(to).to_owned());
        self.move_aside(from, to, stat);
        let Some(parent) = into else { return Ok(true) };
        if let Some(mut both) = self.state.synced().get(&id).cloned() {
            let name = to.rsplit('/').next().unwrap_or(to);
            (both.parent, both.name) = (parent, name.into());
            // Only if it was what is synced: what was changed here stays a change.
            if both.stat.is_same_but_moved(&stat) {
                both.stat = stat;
            }
            self.state.put_synced(id, both);
        }
        self.tell("moved", to, &format!("from {from}"));
        Ok(true)
    }

    fn remove(&mut self, id: FileId, path: &str, stat: Stat) -> Result<bool, Trouble> {
        let made = self.disk.remove(path, stat);
        if self.outcome(made, path)?.is_none() {
            return Ok(false);
        }
        if let Some(gone) = self.state.synced().get(&id).map(|gone| gone.content.clone()) {
            self.note_removal(Side::Here, &gone);
        }
        self.drop_local(path);
        self.state.drop_synced(id);
        self.tell("removed", path, "it was removed on the server; a copy is in the backups");
        Ok(true)
    }

    fn keep_copy(&mut self, from: &str, stat: Stat, to: &str) -> Result<bool, Trouble> {
        let made = self.disk.rename(from, stat, to);
        let Some(stat) = self.outcome(made, from)? else { return Ok(false) };
        self.dirty.insert(folder_of(from).to_owned());
        self.dirty.insert(folder_of(to).to_owned());
        self.move_aside(from, to, stat);
        self.tell("conflict", to, &format!("both sides changed {from}: this is what was here"));
        Ok(true)
    }

    /// What was set aside of a file goes with it.
    fn move_aside(&mut self, from: &str, to: &str, stat: Stat) {
        if let Some(mut put) = self.state.drop_aside(from)
            && put.aside.stat.is_same_but_moved(&stat)
        {
            put.aside.stat = stat;
            self.state.put_aside(to, put);
        }
    }

    /// `None`: this disk is not as it was planned on, and is looked at again.
    pub(super) fn outcome(&mut self, made: io::Result<Outcome>, path: &str) -> Result<Option<Stat>, Trouble> {
        match made {
            Ok(Outcome::Done(stat)) => return Ok(Some(stat)),
            Ok(Outcome::Changed) => {}
            Err(error) if is_of_path(&error) => self.tell("trouble", path, &error.to_string()),
            Err(error) => return Err(error.into()),
        }
        self.dirty.insert(folder_of(path).to_owned());
        self.look_at = self.now.ran_ms;
        Ok(None)
    }

    /// Whether the folder of a file is where it was when that was planned: another one of the same name is not it.
    pub(super) fn is_in_place(&mut self, parent: FileId, path: &str) -> Result<bool, Trouble> {
        let folder = folder_of(path);
        if parent == FileId::TOP {
            return Ok(folder.is_empty());
        }
        let Some(both) = self.state.synced().get(&parent) else { return Ok(false) };
        let inode = both.stat.inode;
        if path_of(self.state.synced(), parent).as_deref() != Some(folder) {
            return Ok(false);
        }
        Ok(matches!(self.disk.look(folder)?, Some(Found::File(local)) if local.stat.inode == inode))
    }
}

/// Whether the disk refuses this path, and not everything: others go on.
pub(super) fn is_of_path(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(
        error.kind(),
        Kind::PermissionDenied
            | Kind::NotFound
            | Kind::NotADirectory
            | Kind::IsADirectory
            | Kind::AlreadyExists
            | Kind::DirectoryNotEmpty
            | Kind::InvalidInput
            | Kind::InvalidFilename
            | Kind::ResourceBusy
            | Kind::TooManyLinks
    )
}

fn changes_disk(step: &Step) -> bool {
    match step {
        Step::Adopt { .. } | Step::Forget { .. } => false,
        Step::MakeFolder { .. }
        | Step::MakeLink { .. }
        | Step::SetExecutable { .. }
        | Step::Move { .. }
        | Step::Remove { .. }
        | Step::Copy { .. } => true,
    }
}

fn as_text(step: &Step) -> Option<String> {
    serde_json::to_string(step).ok()
}
