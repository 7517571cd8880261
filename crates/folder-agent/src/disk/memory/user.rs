//! What the user of a machine does with a folder in memory. All of it is durable at once, as if each program had synced its files; a journal then has
//! what came before, too.

use std::io;
use std::sync::Arc;

use super::MemoryDisk;
use super::world::{Data, Entry, Place};

/// The user's side of a [`MemoryDisk`].
#[derive(Debug)]
pub struct User<'a> {
    disk: &'a mut MemoryDisk,
}

impl<'a> User<'a> {
    pub(super) fn new(disk: &'a mut MemoryDisk) -> Self {
        Self { disk }
    }

    /// Writes a file in place: it stays the same inode. Made if it is not there.
    ///
    /// # Errors
    /// Its folder is not there, it is no file, or the disk is full.
    pub fn write(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let place = self.disk.world.place(path)?;
        match self.disk.world.at(&place).map(|(inode, data)| (inode, data.bytes().is_some())) {
            Some((_, false)) => Err(io::ErrorKind::IsADirectory.into()),
            Some((inode, true)) => {
                self.disk.world.set_bytes(inode, Arc::new(bytes.to_vec()));
                self.done()
            }
            None => self.make(path, Data::File(Arc::new(bytes.to_vec()))),
        }
    }

    /// Adds bytes to a file.
    ///
    /// # Errors
    /// It is not there.
    pub fn append(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let was = self.disk.bytes(path).ok_or(io::ErrorKind::NotFound)?;
        self.write(path, &[&was, bytes].concat())
    }

    /// Saves as editors do: a new file is renamed over the old one.
    ///
    /// # Errors
    /// Its folder is not there, or a folder lies there.
    pub fn save_by_rename(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let temporary = format!("{path}~saving");
        let _ = self.remove(&temporary);
        self.write(&temporary, bytes)?;
        self.rename(&temporary, path)
    }

    /// Renames; a file that lies at the new path is replaced, an empty folder by a folder too.
    ///
    /// # Errors
    /// As of `rename(2)`.
    pub fn rename(&mut self, from: &str, to: &str) -> io::Result<()> {
        let (source, target) = (self.disk.world.place(from)?, self.disk.world.place(to)?);
        if self.disk.world.at(&source).is_none() {
            return Err(io::ErrorKind::NotFound.into());
        }
        if to.starts_with(&format!("{from}/")) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        if source != target && self.disk.world.at(&target).is_some() {
            self.clear_for(&source, &target)?;
        }
        let name = to.rsplit('/').next().unwrap_or(to);
        self.disk.world.move_entry(&source, target, name);
        self.done()
    }

    fn clear_for(&mut self, source: &Place, target: &Place) -> io::Result<()> {
        let is_folder = |place: &Place| self.disk.world.at(place).is_some_and(|(_, inode)| inode.data == Data::Folder);
        match (is_folder(source), is_folder(target)) {
            (true, false) => return Err(io::ErrorKind::NotADirectory.into()),
            (false, true) => return Err(io::ErrorKind::IsADirectory.into()),
            (true, true) => {
                let folder = self.disk.world.at(target).map_or(0, |(inode, _)| inode);
                if self.disk.world.children(folder).next().is_some() {
                    return Err(io::ErrorKind::DirectoryNotEmpty.into());
                }
            }
            (false, false) => {}
        }
        self.disk.world.forget(target);
        Ok(())
    }

    /// Removes a file, or a folder with all that is in it.
    ///
    /// # Errors
    /// It is not there.
    pub fn remove(&mut self, path: &str) -> io::Result<()> {
        let place = self.disk.world.place(path)?;
        let (inode, _) = self.disk.world.at(&place).ok_or(io::ErrorKind::NotFound)?;
        let mut doomed = vec![place];
        let mut folders = vec![inode];
        while let Some(folder) = folders.pop() {
            for (place, entry) in self.disk.world.children(folder) {
                doomed.push(place.clone());
                folders.push(entry.inode);
            }
        }
        for place in doomed {
            self.disk.world.forget(&place);
        }
        self.done()
    }

    /// Makes a folder.
    ///
    /// # Errors
    /// Its folder is not there, or something lies there.
    pub fn mkdir(&mut self, path: &str) -> io::Result<()> {
        self.make(path, Data::Folder)
    }

    /// Makes a symbolic link.
    ///
    /// # Errors
    /// Its folder is not there, or something lies there.
    pub fn symlink(&mut self, target: &str, path: &str) -> io::Result<()> {
        self.make(path, Data::Link(target.to_owned()))
    }

    /// Makes a FIFO: nothing that can be kept in step.
    ///
    /// # Errors
    /// Its folder is not there, or something lies there.
    pub fn fifo(&mut self, path: &str) -> io::Result<()> {
        self.make(path, Data::Odd("a FIFO"))
    }

    /// Sets or clears the executable bit.
    ///
    /// # Errors
    /// It is not there.
    pub fn set_executable(&mut self, path: &str, executable: bool) -> io::Result<()> {
        let (inode, _) = self.disk.world.at(&self.disk.world.place(path)?).ok_or(io::ErrorKind::NotFound)?;
        self.disk.world.change(inode, |inode| inode.executable = executable);
        self.done()
    }

    /// Sets the time of modification, as some programs do.
    ///
    /// # Errors
    /// It is not there.
    pub fn set_mtime(&mut self, path: &str, mtime_ns: i64) -> io::Result<()> {
        let (inode, _) = self.disk.world.at(&self.disk.world.place(path)?).ok_or(io::ErrorKind::NotFound)?;
        self.disk.world.change(inode, |inode| inode.mtime_ns = mtime_ns);
        self.done()
    }

    /// Removes all of the daemon's own: stages, backups and the marker.
    pub fn remove_own(&mut self) {
        let stages = self.disk.world.stages().map(Place::Stage);
        let backups = self.disk.world.backups().map(|(number, _)| Place::Backup(number));
        let doomed: Vec<Place> = stages.chain(backups).collect();
        for place in doomed {
            self.disk.world.forget(&place);
        }
        self.disk.marker = None;
        self.disk.world.settle();
    }

    fn make(&mut self, path: &str, data: Data) -> io::Result<()> {
        let place = self.disk.world.place(path)?;
        if self.disk.world.entry(&place).is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let inode = self.disk.world.make(data);
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        self.disk.world.set_entry(place, Some(Entry { name, inode, since_ns: 0 }));
        self.done()
    }

    fn done(&mut self) -> io::Result<()> {
        self.disk.world.settle();
        Ok(())
    }
}
