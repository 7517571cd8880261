//! The disk in memory as the daemon sees it.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use sha2::Digest as _;

use super::MemoryDisk;
use super::world::{self, Data, Entry, Inode, Place};
use crate::chunks::{Chunk, Cutter};
use crate::disk::{Aside, Disk, Expected, Found, Marker, Outcome, Stage, checked, join};
use crate::model::{Content, Hash, Local, Stat};

const NS_PER_US: i64 = 1_000;
const NS_PER_MS: i64 = 1_000_000;
/// Here holes take memory.
const STAGE_BYTES_MAX: usize = 1 << 30;

impl MemoryDisk {
    fn found(&self, number: u64, inode: &Inode) -> Found {
        let content = match &inode.data {
            Data::Odd(why) => return Found::Other((*why).to_owned()),
            Data::Folder => Content::Folder,
            Data::Link(target) => Content::Symlink(target.clone()),
            Data::File(_) => Content::File { hash: None, size: inode.size(), executable: inode.executable },
        };
        Found::File(Local { stat: world::stat(number, inode), content })
    }

    /// Where a path leads; `None` if its folder is not there.
    fn place_of(&self, path: &str) -> io::Result<Option<Place>> {
        checked(path)?;
        Ok(self.world.place(path).ok())
    }

    fn stat_at(&self, place: &Place) -> Option<Stat> {
        self.world.at(place).map(|(number, inode)| world::stat(number, inode))
    }

    fn is_folder(&self, place: &Place) -> bool {
        self.world.at(place).is_some_and(|(_, inode)| inode.data == Data::Folder)
    }

    fn stage_inode(&self, stage: Stage) -> io::Result<(u64, Arc<Vec<u8>>)> {
        let found = self.world.at(&Place::Stage(stage.0));
        let found = found.and_then(|(number, inode)| inode.bytes().map(|bytes| (number, bytes.clone())));
        found.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("there is no stage {}", stage.0)))
    }

    /// A stage with these bytes, not flushed; what a crash leaves at least is what was flushed before.
    fn put_stage(&mut self, stage: Stage, bytes: Vec<u8>) {
        let inode = match self.stage_inode(stage) {
            Ok((inode, was)) => {
                self.dirty.entry(inode).or_insert(was);
                inode
            }
            Err(_) => self.make_stage(stage),
        };
        self.world.set_bytes(inode, Arc::new(bytes));
    }

    fn make_stage(&mut self, stage: Stage) -> u64 {
        self.world.step();
        let inode = self.world.make(Data::File(Arc::default()));
        let entry = Entry { name: stage.0.to_string(), inode, since_ns: 0 };
        self.world.set_entry(Place::Stage(stage.0), Some(entry));
        self.dirty.insert(inode, Arc::default());
        inode
    }

    /// Puts what lies at one of our own places at a path.
    fn put(&mut self, own: &Place, path: &str, place: Place, expected: Expected) -> io::Result<Outcome> {
        let Some((inode, _)) = self.world.at(own) else { return Ok(Outcome::Changed) };
        match (self.stat_at(&place), expected) {
            (None, Expected::Nothing) => {
                self.world.step();
                self.world.move_entry(own, place, path.rsplit('/').next().unwrap_or(path));
            }
            (Some(stat), Expected::File(planned)) if stat == planned && !self.is_folder(&place) => {
                self.swap(own, path, &place)?;
            }
            _ => return Ok(Outcome::Changed),
        }
        Ok(self.world.inode(inode).map_or(Outcome::Changed, |data| Outcome::Done(world::stat(inode, data))))
    }

    /// As the real disk does: what is new goes to the place of the backup, and then both change places.
    fn swap(&mut self, own: &Place, path: &str, place: &Place) -> io::Result<()> {
        let backup = self.backup_place()?;
        self.world.step();
        self.world.move_entry(own, backup.clone(), path);
        self.world.step();
        self.world.exchange(&backup, place);
        self.note_backup(&backup);
        Ok(())
    }

    fn backup_place(&mut self) -> io::Result<Place> {
        self.may_back_up()?;
        self.backup_next += 1;
        Ok(Place::Backup(self.backup_next))
    }

    /// Whether one of the folders above a path is this one.
    fn is_below(&self, path: &str, folder: u64) -> bool {
        let mut above = path.match_indices('/').map(|(at, _)| self.world.folder(&path[..at]).ok());
        above.any(|inode| inode == Some(folder))
    }

    fn is_backup_doomed(&self, entry: &Entry, now_ms: i64, kept_ms: i64) -> bool {
        let is_old = entry.since_ns < now_ms.saturating_sub(kept_ms).saturating_mul(NS_PER_MS);
        let bytes = |entry: &Entry| self.world.inode(entry.inode).map_or(0, Inode::size);
        let used: u64 = self.world.backups().map(|(_, entry)| bytes(entry)).sum();
        is_old || self.size().is_some_and(|size| used > size / 10)
    }
}

/// A large content as it is set aside: nothing is where known chunks were.
fn without(bytes: &[u8], known: &BTreeSet<Hash>) -> Vec<u8> {
    let mut left = bytes.to_vec();
    for chunk in cut(bytes).iter().filter(|chunk| known.contains(&chunk.digest)) {
        let from = usize::try_from(chunk.offset).unwrap_or(left.len());
        left[from..from + chunk.size as usize].fill(0);
    }
    left
}

fn cut(bytes: &[u8]) -> Vec<Chunk> {
    let mut cutter = Cutter::default();
    let mut chunks = cutter.push(bytes);
    chunks.extend(cutter.end());
    chunks
}

impl MemoryDisk {
    /// What is set aside, and all that was read.
    fn read_aside(
        &mut self,
        path: &str,
        stage: Stage,
        kept: impl Fn(&[u8]) -> Vec<u8>,
    ) -> io::Result<Option<(Aside, Arc<Vec<u8>>)>> {
        self.call()?;
        let Some(place) = self.place_of(path)? else { return Ok(None) };
        let Some((number, inode)) = self.world.at(&place).map(|(number, inode)| (number, inode.clone())) else {
            return Ok(None);
        };
        let Some(bytes) = inode.bytes().cloned() else { return Ok(None) };
        self.world.step();
        self.world.forget(&Place::Stage(stage.0));
        let fitting = self.fitting(inode.size());
        let copied = usize::try_from(fitting).unwrap_or(bytes.len()).min(bytes.len());
        self.put_stage(stage, kept(&bytes)[..copied].to_vec());
        if fitting < inode.size() {
            return Err(super::Fault::NoSpace.error());
        }
        if let Some(meanwhile) = self.take_written_meanwhile(path) {
            self.user().write(path, &meanwhile)?;
            return Ok(None);
        }
        let aside = Aside {
            stat: world::stat(number, &inode),
            hash: sha2::Sha256::digest(&**bytes).into(),
            size: inode.size(),
            executable: inode.executable,
            mtime_us: inode.mtime_ns.div_euclid(NS_PER_US),
        };
        Ok(Some((aside, bytes)))
    }
}

impl Disk for MemoryDisk {
    fn list(&mut self, folder: &str) -> io::Result<Vec<(String, Found)>> {
        self.call()?;
        let number = self.world.folder(folder)?;
        let shown = |entry: &Entry| {
            let found = self.world.inode(entry.inode).map(|inode| self.found(entry.inode, inode))?;
            let refused = crate::disk::parts(&join(folder, &entry.name)).err();
            Some((entry.name.clone(), refused.map_or(found, Found::Other)))
        };
        let mut found: Vec<_> = self.world.children(number).filter_map(|(_, entry)| shown(entry)).collect();
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(found)
    }

    fn look(&mut self, path: &str) -> io::Result<Option<Found>> {
        self.call()?;
        let place = self.place_of(path)?;
        let found = place.as_ref().and_then(|place| self.world.at(place));
        Ok(found.map(|(number, inode)| self.found(number, inode)))
    }

    fn set_aside(&mut self, path: &str, stage: Stage) -> io::Result<Option<Aside>> {
        Ok(self.read_aside(path, stage, <[u8]>::to_vec)?.map(|(aside, _)| aside))
    }

    fn set_aside_chunks(
        &mut self,
        path: &str,
        stage: Stage,
        known: &BTreeSet<Hash>,
    ) -> io::Result<Option<(Aside, Vec<Chunk>)>> {
        let Some((aside, bytes)) = self.read_aside(path, stage, |bytes| without(bytes, known))? else {
            return Ok(None);
        };
        Ok(Some((aside, cut(&bytes))))
    }

    fn copy_to_stage(&mut self, path: &str, from: u64, stage: Stage, to: u64, bytes: u64) -> io::Result<u64> {
        let most = usize::try_from(bytes).unwrap_or(usize::MAX);
        let copied = match self.read_file(path, from, most) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            read => read?,
        };
        self.write_stage(stage, to, &copied)?;
        Ok(copied.len() as u64)
    }

    fn read_stage(&mut self, stage: Stage, offset: u64, bytes_max: usize) -> io::Result<Vec<u8>> {
        self.call()?;
        let (_, bytes) = self.stage_inode(stage)?;
        Ok(piece(&bytes, offset, bytes_max))
    }

    fn write_stage(&mut self, stage: Stage, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.call()?;
        let mut content = self.stage_inode(stage).map_or_else(|_| Vec::new(), |(_, bytes)| bytes.to_vec());
        let was = content.len();
        let start = usize::try_from(offset).ok().filter(|start| *start <= STAGE_BYTES_MAX);
        let start = start.ok_or_else(|| io::Error::from(io::ErrorKind::FileTooLarge))?;
        let end = start + bytes.len();
        let more = end.saturating_sub(was) as u64;
        let fitting = self.fitting(more);
        let end = end.min(was + usize::try_from(fitting).unwrap_or(0)).max(start);
        content.resize(was.max(if end > start { end } else { 0 }), 0);
        content.get_mut(start..end).unwrap_or_default().copy_from_slice(&bytes[..end - start]);
        self.put_stage(stage, content);
        if fitting < more { Err(super::Fault::NoSpace.error()) } else { Ok(()) }
    }

    fn stage_size(&mut self, stage: Stage) -> io::Result<Option<u64>> {
        self.call()?;
        Ok(self.stage_inode(stage).ok().map(|(_, bytes)| bytes.len() as u64))
    }

    fn sync_stage(&mut self, stage: Stage, size: u64) -> io::Result<Hash> {
        self.call()?;
        let mut bytes = self.stage_inode(stage).map_or_else(|_| Vec::new(), |(_, bytes)| bytes.to_vec());
        if (bytes.len() as u64) < size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.truncate(usize::try_from(size).unwrap_or(usize::MAX));
        let hash = sha2::Sha256::digest(&bytes).into();
        self.put_stage(stage, bytes);
        Ok(hash)
    }

    fn read_file(&mut self, path: &str, offset: u64, bytes_max: usize) -> io::Result<Vec<u8>> {
        self.call()?;
        let place = self.place_of(path)?;
        let found = place.and_then(|place| self.world.at(&place).and_then(|(_, inode)| inode.bytes().cloned()));
        found.map(|bytes| piece(&bytes, offset, bytes_max)).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn room(&mut self) -> io::Result<u64> {
        self.call()?;
        Ok(self.fitting(u64::MAX))
    }

    fn stages(&mut self) -> io::Result<Vec<Stage>> {
        self.call()?;
        Ok(self.world.stages().map(Stage).collect())
    }

    fn drop_stage(&mut self, stage: Stage) -> io::Result<()> {
        self.call()?;
        self.world.step();
        self.world.forget(&Place::Stage(stage.0));
        Ok(())
    }

    fn install(
        &mut self,
        stage: Stage,
        path: &str,
        expected: Expected,
        executable: bool,
        mtime_us: Option<i64>,
    ) -> io::Result<Outcome> {
        self.call()?;
        let place = self.place_of(path)?;
        let (inode, _) = self.stage_inode(stage)?;
        let Some(place) = place else { return Ok(Outcome::Changed) };
        self.dirty.remove(&inode);
        self.world.step();
        self.world.change(inode, |inode| {
            inode.executable = executable;
            inode.mtime_ns = mtime_us.map_or(inode.mtime_ns, |us| us.saturating_mul(NS_PER_US));
        });
        self.put(&Place::Stage(stage.0), path, place, expected)
    }

    fn install_link(&mut self, target: &str, path: &str, expected: Expected) -> io::Result<Outcome> {
        self.call()?;
        let Some(place) = self.place_of(path)? else { return Ok(Outcome::Changed) };
        if target.is_empty() || target.contains('\0') {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a link leads to no name"));
        }
        // A place of our own that no stage has.
        let own = self.backup_place()?;
        self.world.step();
        let inode = self.world.make(Data::Link(target.to_owned()));
        self.world.set_entry(own.clone(), Some(Entry { name: path.to_owned(), inode, since_ns: 0 }));
        let outcome = self.put(&own, path, place, expected);
        if !matches!(outcome, Ok(Outcome::Done(_))) {
            self.world.forget(&own);
        }
        outcome
    }

    fn make_folder(&mut self, path: &str) -> io::Result<Outcome> {
        self.call()?;
        let Some(place) = self.place_of(path)? else { return Ok(Outcome::Changed) };
        if self.world.at(&place).is_none() {
            self.world.step();
            let inode = self.world.make(Data::Folder);
            let name = path.rsplit('/').next().unwrap_or(path).to_owned();
            self.world.set_entry(place.clone(), Some(Entry { name, inode, since_ns: 0 }));
        }
        let stat = self.stat_at(&place).filter(|_| self.is_folder(&place));
        Ok(stat.map_or(Outcome::Changed, Outcome::Done))
    }

    fn rename(&mut self, from: &str, expected: Stat, to: &str) -> io::Result<Outcome> {
        self.call()?;
        let (Some(source), Some(target)) = (self.place_of(from)?, self.place_of(to)?) else {
            return Ok(Outcome::Changed);
        };
        let is_free = source == target || self.world.at(&target).is_none();
        let is_inside = self.is_below(to, expected.inode);
        if self.stat_at(&source) != Some(expected) || !is_free || is_inside {
            return Ok(Outcome::Changed);
        }
        self.world.step();
        self.world.move_entry(&source, target.clone(), to.rsplit('/').next().unwrap_or(to));
        Ok(self.stat_at(&target).map_or(Outcome::Changed, Outcome::Done))
    }

    fn remove(&mut self, path: &str, expected: Stat) -> io::Result<Outcome> {
        self.call()?;
        let place = self.place_of(path)?.filter(|place| self.stat_at(place) == Some(expected));
        let Some(place) = place else { return Ok(Outcome::Changed) };
        if !self.is_folder(&place) {
            let backup = self.backup_place()?;
            self.world.step();
            self.world.move_entry(&place, backup.clone(), path);
            self.note_backup(&backup);
            return Ok(self.stat_at(&backup).map_or(Outcome::Changed, Outcome::Done));
        }
        if self.world.children(expected.inode).next().is_some() {
            return Ok(Outcome::Changed);
        }
        self.world.step();
        self.world.forget(&place);
        Ok(Outcome::Done(expected))
    }

    fn set_executable(&mut self, path: &str, expected: Stat, executable: bool) -> io::Result<Outcome> {
        self.call()?;
        let place = self.place_of(path)?.filter(|place| self.stat_at(place) == Some(expected));
        let Some(place) = place.filter(|place| self.world.at(place).is_some_and(|(_, i)| i.bytes().is_some())) else {
            return Ok(Outcome::Changed);
        };
        self.world.step();
        self.world.change(expected.inode, |inode| inode.executable = executable);
        Ok(self.stat_at(&place).map_or(Outcome::Changed, Outcome::Done))
    }

    fn settle(&mut self) -> io::Result<()> {
        if let Err(error) = self.call() {
            let lost: Vec<Place> = self.world.stages().map(Place::Stage).collect();
            let is_dirty = |place: &Place| self.world.at(place).is_some_and(|(n, _)| self.dirty.contains_key(&n));
            let lost: Vec<Place> = lost.into_iter().filter(is_dirty).collect();
            self.world.step();
            lost.iter().for_each(|place| self.world.forget(place));
            return Err(error);
        }
        self.dirty.clear();
        self.world.settle();
        Ok(())
    }

    fn marker(&mut self) -> io::Result<Option<Marker>> {
        self.call()?;
        Ok(self.marker.clone())
    }

    fn put_marker(&mut self, marker: &Marker) -> io::Result<()> {
        self.call()?;
        self.marker = Some(marker.clone());
        Ok(())
    }

    fn prune_backups(&mut self, now_ms: i64, kept_ms: i64) -> io::Result<()> {
        self.call()?;
        loop {
            let oldest = self.world.backups().next().map(|(number, entry)| (number, entry.clone()));
            let doomed = oldest.filter(|(_, entry)| self.is_backup_doomed(entry, now_ms, kept_ms));
            let Some((number, _)) = doomed else { return Ok(()) };
            self.world.step();
            self.world.forget(&Place::Backup(number));
        }
    }

    fn now_ns(&mut self) -> io::Result<i64> {
        self.call()?;
        Ok(self.world.now())
    }
}

fn piece(bytes: &[u8], offset: u64, bytes_max: usize) -> Vec<u8> {
    let start = usize::try_from(offset).unwrap_or(bytes.len()).min(bytes.len());
    bytes[start..bytes.len().min(start.saturating_add(bytes_max))].to_vec()
}
