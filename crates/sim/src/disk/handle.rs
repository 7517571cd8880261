//! The disk as the protocol of files sees it: handles of directories and files.

use std::fmt;
use std::io::{self, Read, Write};

use host::{EntryKind, Folder, OpenFile};

use super::content::Content;
use super::tree::{Id, Names, Node};
use super::{DiskFault, SimDisk};

/// An open directory of a simulated disk.
pub struct SimFolder {
    disk: SimDisk,
    id: Id,
    process: u64,
}

impl SimFolder {
    pub(super) fn new(disk: SimDisk, id: Id, process: u64) -> Self {
        Self { disk, id, process }
    }

    fn file(&self, id: Id) -> SimFile {
        SimFile { disk: self.disk.clone(), id, process: self.process, at: 0 }
    }
}

impl fmt::Debug for SimFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SimFolder {}", self.id)
    }
}

impl Folder for SimFolder {
    type File = SimFile;

    fn reopen(&self) -> io::Result<Self> {
        self.disk.state().begin_look(self.process)?;
        Ok(Self::new(self.disk.clone(), self.id, self.process))
    }

    fn enter(&self, name: &str) -> io::Result<Self> {
        let mut state = self.disk.state();
        state.begin_look(self.process)?;
        let id = state.lookup(self.id, name)?;
        state.tree.names(id).ok_or(io::ErrorKind::NotADirectory)?;
        Ok(Self::new(self.disk.clone(), id, self.process))
    }

    fn make(&self, name: &str) -> io::Result<bool> {
        let mut state = self.disk.state();
        state.begin_change(self.process)?;
        if state.lookup(self.id, name).is_ok() {
            return Ok(false);
        }
        state.change_names(|tree| tree.add(self.id, name, Node::Directory(Names::default())))?;
        Ok(true)
    }

    fn create(&self, name: &str) -> io::Result<SimFile> {
        let mut state = self.disk.state();
        state.begin_change(self.process)?;
        if state.lookup(self.id, name).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let id = state.change_names(|tree| tree.add(self.id, name, Node::File(Content::default())))?;
        Ok(self.file(id))
    }

    fn open_regular(&self, name: &str) -> io::Result<SimFile> {
        self.must_be_regular(name)?;
        let mut state = self.disk.state();
        state.begin_look(self.process)?;
        Ok(self.file(state.lookup(self.id, name)?))
    }

    fn kind(&self, name: &str) -> io::Result<EntryKind> {
        let mut state = self.disk.state();
        state.begin_look(self.process)?;
        let id = state.lookup(self.id, name)?;
        Ok(if state.tree.names(id).is_some() { EntryKind::Directory } else { EntryKind::Regular })
    }

    fn are_twins(&self, name: &str, target: &Self, other: &str) -> io::Result<bool> {
        let mut state = self.disk.state();
        state.begin_look(self.process)?;
        match (state.lookup(self.id, name), state.lookup(target.id, other)) {
            (Ok(one), Ok(two)) => Ok(one != two && state.tree.are_twins(one, two)),
            _ => Ok(false),
        }
    }

    fn rename(&self, old: &str, target: &Self, new: &str) -> io::Result<()> {
        let mut state = self.disk.state();
        state.begin_change(self.process)?;
        let id = state.lookup(self.id, old)?;
        match state.lookup(target.id, new) {
            // As POSIX has it: two names of one file stay two names.
            Ok(same) if state.tree.are_twins(same, id) => return Ok(()),
            Ok(taken) if state.tree.names(taken).is_some() => return Err(io::ErrorKind::IsADirectory.into()),
            _ => {}
        }
        state.change_names(|tree| {
            tree.set(target.id, new, Some(id));
            tree.set(self.id, old, None);
        })
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut state = self.disk.state();
        state.begin_change(self.process)?;
        let id = state.lookup(self.id, name)?;
        if state.tree.names(id).is_some() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        state.change_names(|tree| tree.set(self.id, name, None))
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.disk.state();
        state.begin_change(self.process)?;
        state.sync_directory(self.id)
    }

    fn sync_disk(&self) -> io::Result<()> {
        let mut state = self.disk.state();
        state.begin_change(self.process)?;
        state.sync_all()
    }

    fn entries(&self) -> io::Result<Vec<(String, EntryKind)>> {
        let mut state = self.disk.state();
        state.begin_look(self.process)?;
        let names = state.tree.names(self.id).ok_or(io::ErrorKind::NotADirectory)?;
        let kind = |id: &Id| match state.tree.names(*id) {
            Some(_) => EntryKind::Directory,
            None => EntryKind::Regular,
        };
        Ok(names.shown.iter().map(|(name, id)| (name.clone(), kind(id))).collect())
    }

    fn sized_entries(&self) -> io::Result<Vec<(String, EntryKind, u64)>> {
        let mut state = self.disk.state();
        state.begin_look(self.process)?;
        let names = state.tree.names(self.id).ok_or(io::ErrorKind::NotADirectory)?;
        let sized = |id: &Id| match state.tree.node(*id) {
            Some(Node::File(content)) => (EntryKind::Regular, content.shown().len() as u64),
            Some(Node::Directory(_)) | None => (EntryKind::Directory, 0),
        };
        let entry = |(name, id): (&String, &Id)| {
            let (kind, size) = sized(id);
            (name.clone(), kind, size)
        };
        Ok(names.shown.iter().map(entry).collect())
    }
}

/// An open file of a simulated disk.
pub struct SimFile {
    disk: SimDisk,
    id: Id,
    process: u64,
    at: usize,
}

impl Read for SimFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut state = self.disk.state();
        state.begin_look(self.process)?;
        let count = usize::try_from(state.rng.within(1, bytes.len().max(1) as u64)).unwrap_or(1);
        let content = state.tree.content_mut(self.id).ok_or(io::ErrorKind::NotFound)?;
        let rest = content.shown().get(self.at..).unwrap_or_default();
        let count = count.min(rest.len()).min(bytes.len());
        bytes[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}

impl Write for SimFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.disk.state();
        state.begin_change(self.process)?;
        if bytes.is_empty() {
            return Ok(0);
        }
        let torn = state.strike(&[DiskFault::Full, DiskFault::WriteFailed]);
        state.write(self.id, bytes, torn)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl OpenFile for SimFile {
    fn size(&self) -> io::Result<u64> {
        let mut state = self.disk.state();
        state.begin_look(self.process)?;
        let content = state.tree.content_mut(self.id).ok_or(io::ErrorKind::NotFound)?;
        Ok(content.shown().len() as u64)
    }

    fn go_to(&mut self, offset: u64) -> io::Result<()> {
        self.at = usize::try_from(offset).unwrap_or(usize::MAX);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.disk.state();
        state.begin_change(self.process)?;
        state.sync_file(self.id)
    }
}
