//! Blobs below a directory: `ab/cd/<sha256>.<upload>`, and beside them `staging`, whose files are nobody's.
//!
//! Invariants: a name appears only after its content is synced, and is reported only after its directory is; names are
//! written once, so nothing that was shown ever changes; a handle whose sync failed is not used again (KER-41): its file is
//! thrown away. What an earlier server left in `staging` goes when the place is opened.

use std::collections::HashSet;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base::mutants::{self, Mutant};
use base::{BlobName, Blobs, StagedBlob};

use crate::files::{Directory, EntryKind, Folder, OpenFile, discard, found, heeded, make_root, sync};

const STAGING: &str = "staging";
/// Room on the disk that uploads leave to others: a store that cannot write its log serves nobody.
const ROOM_KEPT: u64 = 32 << 20;
/// From here on it is quicker to flush all of the disk than each file and directory.
const TOGETHER_MIN: usize = 8;

/// Blobs below a directory: of this machine, or of a simulated disk.
#[derive(Debug)]
pub struct DiskBlobs<F: Folder = Directory>(Arc<Inner<F>>);

#[derive(Debug)]
struct Inner<F> {
    root: F,
    staging: F,
    /// Directories that are known to be durable in their parents; there are at most 65,792 of them.
    settled: Mutex<HashSet<String>>,
    uploads: AtomicU64,
}

impl DiskBlobs {
    /// Opens the place below `root`, which is made if it is missing.
    ///
    /// # Errors
    /// The directory cannot be made, read or written.
    pub fn open(root: &Path) -> io::Result<Self> {
        make_root(root)?;
        Self::below(Directory::open(root)?)
    }
}

impl<F: Folder> DiskBlobs<F> {
    /// The place below an open directory; removes what earlier uploads left unfinished.
    ///
    /// # Errors
    /// The directory cannot be read or written.
    pub fn below(root: F) -> io::Result<Self> {
        root.make(STAGING)?;
        let staging = root.enter(STAGING)?;
        for (name, kind) in staging.entries()? {
            if kind == EntryKind::Regular {
                staging.remove(&name)?;
            }
        }
        let (settled, uploads) = (Mutex::default(), AtomicU64::new(0));
        Ok(Self(Arc::new(Inner { root, staging, settled, uploads })))
    }

    fn open_file(&self, name: &BlobName) -> io::Result<F::File> {
        let (first, second, last) = name.steps();
        self.0.root.enter(&first)?.enter(&second)?.open_regular(&last)
    }

    fn remove_durably(&self, name: &BlobName) -> io::Result<()> {
        let (first, second, last) = name.steps();
        let Some(folder) = found(self.0.root.enter(&first).and_then(|above| above.enter(&second)))? else {
            return Ok(());
        };
        // Synced also when it is gone already: the sync of the removal before may have failed.
        found(folder.remove(&last))?;
        sync(&folder)
    }
}

impl<F: Folder> Inner<F> {
    fn check_room(&self, bytes: u64) -> io::Result<()> {
        let room = self.root.room()?;
        if bytes.saturating_add(ROOM_KEPT) <= room {
            return Ok(());
        }
        let text = format!("{bytes} bytes do not fit: {room} are left, {ROOM_KEPT} of them are kept for others");
        Err(io::Error::new(ErrorKind::StorageFull, text))
    }

    fn begun(self: &Arc<Self>) -> io::Result<Staged<F>> {
        let name = format!("{}-{}", std::process::id(), self.uploads.fetch_add(1, Ordering::Relaxed));
        let file = self.staging.create(&name)?;
        Ok(Staged { place: self.clone(), file: Some(file), name })
    }

    fn staged(self: &Arc<Self>, bytes: &[u8]) -> io::Result<Staged<F>> {
        let mut staged = self.begun()?;
        staged.write(bytes)?;
        Ok(staged)
    }

    /// Many at once: one flush of the disk makes all contents durable, another one all names. What is named when it fails is found by a
    /// list.
    fn put_together(self: &Arc<Self>, blobs: &[(BlobName, Vec<u8>)]) -> io::Result<()> {
        // Of its own: another one would be told of our failures in our place.
        let root = self.root.reopen()?;
        let staged: Vec<Staged<F>> = blobs.iter().map(|(_, bytes)| self.staged(bytes)).collect::<io::Result<_>>()?;
        if !mutants::on(Mutant::RenameBeforeSync) {
            heeded(root.sync_disk())?;
        }
        for (mut staged, (name, _)) in staged.into_iter().zip(blobs) {
            staged.move_to(&self.found_folder(name)?, name)?;
        }
        if !mutants::on(Mutant::DirectoryNotSynced) {
            heeded(root.sync_disk())?;
        }
        let mut settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        settled.extend(
            blobs
                .iter()
                .map(|(name, _)| name.steps())
                .flat_map(|(first, second, _)| [format!("{first}/{second}"), first]),
        );
        Ok(())
    }

    /// The directory of a name, made where missing.
    fn found_folder(&self, name: &BlobName) -> io::Result<F> {
        let (first, second, _) = name.steps();
        self.root.make(&first)?;
        let above = self.root.enter(&first)?;
        above.make(&second)?;
        above.enter(&second)
    }

    /// The directory of a name, made where missing, durable with all above it.
    fn made_folder(&self, name: &BlobName) -> io::Result<F> {
        let (first, second, _) = name.steps();
        let above = self.made(&self.root, &first, &first)?;
        self.made(&above, &second, &format!("{first}/{second}"))
    }

    fn made(&self, above: &F, step: &str, path: &str) -> io::Result<F> {
        let made = above.make(step)?;
        let below = above.enter(step)?;
        if made || !self.settled.lock().unwrap_or_else(PoisonError::into_inner).contains(path) {
            sync(above)?;
            self.settled.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        }
        Ok(below)
    }
}

impl<F: Folder> Blobs for DiskBlobs<F> {
    fn stage(&self, _: Option<&BlobName>, length: Option<u64>) -> io::Result<Box<dyn StagedBlob>> {
        self.0.check_room(length.unwrap_or(0))?;
        Ok(Box::new(self.0.begun()?))
    }

    fn put_all(&self, blobs: &[(BlobName, Vec<u8>)]) -> Vec<io::Result<()>> {
        if blobs.len() < TOGETHER_MIN {
            return blobs.iter().map(|(name, bytes)| self.0.staged(bytes)?.put(name)).collect();
        }
        let put = self.0.put_together(blobs);
        blobs
            .iter()
            .map(|_| put.as_ref().copied().map_err(|error| io::Error::new(error.kind(), error.to_string())))
            .collect()
    }

    fn read(&self, name: &BlobName, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let mut file = self.open_file(name)?;
        file.go_to(offset)?;
        file.read_exact(bytes)
    }

    fn size(&self, name: &BlobName) -> io::Result<Option<u64>> {
        found(self.open_file(name))?.map(|file| file.size()).transpose()
    }

    fn remove(&self, name: &BlobName) -> io::Result<()> {
        self.remove_durably(name)
    }

    fn list(&self, after: Option<&BlobName>, limit: usize) -> io::Result<Vec<BlobName>> {
        let start = after.map(BlobName::steps).unwrap_or_default();
        let mut names = vec![];
        for first in directories(&self.0.root, &start.0)? {
            let folder = self.0.root.enter(&first)?;
            let from = if first == start.0 { start.1.as_str() } else { "" };
            for second in directories(&folder, from)? {
                names.extend(files(&folder.enter(&second)?, &first, &second)?.filter(|name| Some(name) > after));
                if names.len() >= limit {
                    names.truncate(limit);
                    return Ok(names);
                }
            }
        }
        Ok(names)
    }
}

/// The directories with names of two digits, from `from` on, in order.
fn directories<F: Folder>(folder: &F, from: &str) -> io::Result<Vec<String>> {
    let wanted = |(name, kind): &(String, EntryKind)| *kind == EntryKind::Directory && name.len() == 2;
    let mut names: Vec<String> = folder.entries()?.into_iter().filter(wanted).map(|(name, _)| name).collect();
    names.retain(|name| name.as_str() >= from);
    names.sort_unstable();
    Ok(names)
}

/// The names of ours in a directory, in order; what others put there is not touched.
fn files<F: Folder>(folder: &F, first: &str, second: &str) -> io::Result<impl Iterator<Item = BlobName>> {
    let regular = folder.entries()?.into_iter().filter(|(_, kind)| *kind == EntryKind::Regular);
    let in_place = |name: &BlobName| name.steps().0 == first && name.steps().1 == second;
    let mut names: Vec<BlobName> = regular.filter_map(|(name, _)| BlobName::of_file(&name)).filter(in_place).collect();
    names.sort_unstable();
    Ok(names.into_iter())
}

/// An upload in `staging`.
struct Staged<F: Folder> {
    place: Arc<Inner<F>>,
    file: Option<F::File>,
    name: String,
}

impl<F: Folder> Staged<F> {
    fn put(mut self, name: &BlobName) -> io::Result<()> {
        let file = self.file.take().ok_or_else(|| io::Error::other("an earlier write failed"))?;
        self.place_durably(&file, name)
    }

    fn move_to(&mut self, folder: &F, name: &BlobName) -> io::Result<()> {
        self.place.staging.rename(&self.name, folder, &name.steps().2)?;
        self.name.clear();
        Ok(())
    }

    fn place_durably(&mut self, file: &F::File, name: &BlobName) -> io::Result<()> {
        if !mutants::on(Mutant::RenameBeforeSync) {
            heeded(file.sync())?;
        }
        let folder = self.place.made_folder(name)?;
        self.move_to(&folder, name)?;
        if mutants::on(Mutant::RenameBeforeSync) {
            heeded(file.sync())?;
        }
        sync(&folder)
    }
}

impl<F: Folder> StagedBlob for Staged<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.place.check_room(bytes.len() as u64)?;
        let file = self.file.as_mut().ok_or_else(|| io::Error::other("an earlier write failed"))?;
        let written = file.write_all(bytes);
        if written.is_err() {
            self.file = None;
        }
        written
    }

    fn finish(self: Box<Self>, name: &BlobName) -> io::Result<()> {
        self.put(name)
    }
}

impl<F: Folder> Drop for Staged<F> {
    fn drop(&mut self) {
        if !self.name.is_empty()
            && !matches!(self.place.staging.kind(&self.name), Err(error) if error.kind() == ErrorKind::NotFound)
        {
            discard(&self.place.staging, &self.name);
        }
    }
}
