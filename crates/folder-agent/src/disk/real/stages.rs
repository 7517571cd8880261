//! Bytes of our own: what is downloaded, and what is set aside.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use rustix::fs::{self, FileType, Mode, OFlags};
use rustix::io::Errno;
use sha2::Digest as _;

use super::follow::Follower;
use super::tree::{self, Seen, Spot};
use super::{RealDisk, own};
use crate::chunks::{Chunk, Cutter};
use crate::disk::{Aside, Stage, checked};
use crate::model::Hash;

/// So much is read at once.
const PIECE_BYTES: usize = 1 << 20;
/// And so much copied.
const COPY_BYTES: usize = 16 << 20;
/// Pieces that wait to be hashed.
const PIECES_AHEAD: usize = 8;

impl RealDisk {
    pub(super) fn open_stage(&self, stage: Stage, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(fs::openat(&self.own.stages, stage.0.to_string(), flags, Mode::RUSR | Mode::WUSR)?)
    }

    pub(super) fn stage_spot(&self, stage: Stage) -> io::Result<Spot> {
        Ok(Spot { folder: self.own.stages.try_clone()?, name: stage.0.to_string() })
    }

    fn note_stage(&mut self, stage: Stage) -> io::Result<()> {
        if self.unflushed.stages.insert(stage) {
            self.unflushed.note(&self.own.stages)?;
        }
        Ok(())
    }

    /// It is not followed any more: it is gone, or what was read is another now.
    fn unfollow(&mut self, stage: Stage) {
        self.follower.take_if(|(followed, _)| *followed == stage);
    }

    fn follow(&mut self, stage: Stage, from: u64, end: u64) -> io::Result<()> {
        let (_, follower) = match self.follower.take().filter(|(followed, _)| *followed == stage) {
            Some(followed) => self.follower.insert(followed),
            None => {
                let file = File::from(self.open_stage(stage, OFlags::RDONLY)?);
                self.follower.insert((stage, Follower::of(file)?))
            }
        };
        if !follower.goes_to(from, end) {
            self.unfollow(stage);
        }
        Ok(())
    }

    /// What was found by whoever followed it.
    fn followed(&mut self, stage: Stage, size: u64) -> io::Result<Option<Hash>> {
        let Some((_, follower)) = self.follower.take_if(|(followed, _)| *followed == stage) else { return Ok(None) };
        match follower.end(size) {
            Err(error) => self.after_flush(Err(error)).map(|()| None),
            hash => hash,
        }
    }

    pub(super) fn forget_stage(&mut self, stage: Stage) -> io::Result<()> {
        self.unfollow(stage);
        own::remove_if_there(&self.own.stages, &stage.0.to_string())?;
        self.unflushed.stages.remove(&stage);
        self.unflushed.note(&self.own.stages)
    }

    pub(super) fn write_to_stage(&mut self, stage: Stage, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.unfollow(stage);
        self.note_stage(stage)?;
        let file = File::from(self.open_stage(stage, OFlags::WRONLY | OFlags::CREATE)?);
        file.write_all_at(bytes, offset)
    }

    pub(super) fn end_stage(&mut self, stage: Stage, size: u64) -> io::Result<Hash> {
        let flags = if size == 0 { OFlags::RDWR | OFlags::CREATE } else { OFlags::RDWR };
        let file = match self.open_stage(stage, flags) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            opened => File::from(opened?),
        };
        let there = tree::seen(&file)?.stat.size;
        if there < size {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("a stage has {there} bytes of {size}")));
        }
        self.note_stage(stage)?;
        if there > size {
            file.set_len(size)?;
        }
        self.followed(stage, size)?.map_or_else(|| hash(&file), Ok)
    }

    pub(super) fn all_stages(&self) -> io::Result<Vec<Stage>> {
        let names = tree::names_in(&self.own.stages)?;
        let number = |name: &std::ffi::CString| name.to_str().ok()?.parse().ok().map(Stage);
        let mut stages: Vec<Stage> = names.iter().filter_map(number).collect();
        stages.sort_unstable();
        Ok(stages)
    }

    pub(super) fn copy_aside(&mut self, path: &str, stage: Stage) -> io::Result<Option<Aside>> {
        let read = |file: &File, copy: &File, size| Ok(copy_and_hash(file, copy, size)?.map(|hash| (hash, ())));
        Ok(self.read_aside(path, stage, read)?.map(|(aside, ())| aside))
    }

    pub(super) fn cut_aside(
        &mut self,
        path: &str,
        stage: Stage,
        known: &BTreeSet<Hash>,
    ) -> io::Result<Option<(Aside, Vec<Chunk>)>> {
        self.read_aside(path, stage, |file, copy, size| copy_and_cut(file, copy, size, known))
    }

    /// Reads a file into a stage; `None` if it changed meanwhile or was read otherwise than it is.
    fn read_aside<T>(
        &mut self,
        path: &str,
        stage: Stage,
        read: impl FnOnce(&File, &File, u64) -> io::Result<Option<(Hash, T)>>,
    ) -> io::Result<Option<(Aside, T)>> {
        let Some(spot) = self.tree.spot(&checked(path)?)? else { return Ok(None) };
        let Some((file, before)) = open_file(&spot)? else { return Ok(None) };
        self.forget_stage(stage)?;
        self.note_stage(stage)?;
        let copy = File::from(self.open_stage(stage, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL)?);
        let read = read(&file, &copy, before.stat.size)?;
        let is_same = |seen: &Seen| seen.stat == before.stat && seen.mode == before.mode;
        let is_unchanged = is_same(&tree::seen(&file)?) && spot.look()?.as_ref().is_some_and(is_same);
        let Some((hash, more)) = read.filter(|_| is_unchanged) else {
            return self.forget_stage(stage).map(|()| None);
        };
        let mtime_us = before.stat.mtime_ns.div_euclid(1_000);
        let executable = is_executable(before.mode);
        Ok(Some((Aside { stat: before.stat, hash, size: before.stat.size, executable, mtime_us }, more)))
    }

    pub(super) fn copy_of_file(&mut self, path: &str, from: u64, stage: Stage, to: u64, bytes: u64) -> io::Result<u64> {
        let spot = self.tree.spot(&checked(path)?)?;
        let Some((file, _)) = spot.map_or(Ok(None), |spot| open_file(&spot))? else { return Ok(0) };
        self.note_stage(stage)?;
        let copy = File::from(self.open_stage(stage, OFlags::WRONLY | OFlags::CREATE)?);
        let copied = copy_range(&file, from, &copy, to, bytes)?;
        if copied == bytes {
            self.follow(stage, to, to + bytes)?;
        } else {
            self.unfollow(stage);
        }
        Ok(copied)
    }

    pub(super) fn read_of_file(&self, path: &str, offset: u64, bytes_max: usize) -> io::Result<Vec<u8>> {
        let spot = self.tree.spot(&checked(path)?)?;
        let opened = spot.map_or(Ok(None), |spot| open_file(&spot))?;
        let (file, _) = opened.ok_or(io::ErrorKind::NotFound)?;
        read_piece(&file, offset, bytes_max)
    }
}

pub(super) fn is_executable(mode: u32) -> bool {
    mode & 0o100 != 0
}

/// Opens a file; `None` if it is none (any more). Devices are not even opened: some do something then.
pub(super) fn open_file(spot: &Spot) -> io::Result<Option<(File, Seen)>> {
    let Some(named) = spot.look()?.filter(|seen| seen.kind == FileType::RegularFile) else { return Ok(None) };
    let file = match spot.open() {
        Err(error) if tree::is_stale(&error) => return Ok(None),
        opened => File::from(opened?),
    };
    let seen = tree::seen(&file)?;
    Ok((seen.stat == named.stat && seen.device == named.device).then_some((file, seen)))
}

/// By reference where the file system can, else one pass that copies and hashes. `None` if it was not so long.
fn copy_and_hash(file: &File, copy: &File, size: u64) -> io::Result<Option<Hash>> {
    if fs::ioctl_ficlone(copy, file).is_ok() {
        return (tree::seen(copy)?.stat.size == size).then(|| hash(copy)).transpose();
    }
    let mut hasher = sha2::Sha256::new();
    let copied = each_piece(file, size, |offset, piece| {
        hasher.update(piece);
        copy.write_all_at(piece, offset)
    })?;
    Ok((copied == size).then(|| hasher.finalize().into()))
}

/// One pass that cuts, hashes and copies what is not known. The hash of the whole is made by another thread: both cost about the same.
fn copy_and_cut(file: &File, copy: &File, size: u64, known: &BTreeSet<Hash>) -> io::Result<Option<(Hash, Vec<Chunk>)>> {
    let is_cloned = fs::ioctl_ficlone(copy, file).is_ok();
    let source = if is_cloned { copy } else { file };
    let (sender, receiver) = std::sync::mpsc::sync_channel::<Arc<[u8]>>(PIECES_AHEAD);
    std::thread::scope(|scope| {
        let hasher = scope.spawn(move || {
            let hash = |hasher: sha2::Sha256, piece: Arc<[u8]>| hasher.chain_update(&*piece);
            Hash::from(receiver.into_iter().fold(sha2::Sha256::new(), hash).finalize())
        });
        let (mut cutter, mut chunks, mut failed) = (Cutter::default(), vec![], None);
        let mut keep = |chunk: &Chunk, bytes: &[u8]| {
            if !is_cloned && failed.is_none() && !known.contains(&chunk.digest) {
                failed = copy.write_all_at(bytes, chunk.offset).err();
            }
        };
        let read = each_piece(source, size, |_, piece| {
            let _ = sender.send(piece.into());
            chunks.extend(cutter.push_each(piece, &mut keep));
            Ok(())
        })?;
        chunks.extend(cutter.end_each(&mut keep));
        drop(sender);
        let hash = hasher.join().map_err(|_| io::Error::other("a file could not be hashed"))?;
        failed.map_or(Ok((read == size).then_some((hash, chunks))), Err)
    })
}

/// In the kernel where it can; how many bytes there were.
fn copy_range(file: &File, mut from: u64, copy: &File, mut to: u64, bytes: u64) -> io::Result<u64> {
    let (begun, end) = (from, from + bytes);
    while from < end {
        let most = usize::try_from(end - from).unwrap_or(usize::MAX).min(COPY_BYTES);
        let (mut read_at, mut write_at) = (from, to);
        let count = match fs::copy_file_range(file, Some(&mut read_at), copy, Some(&mut write_at), most) {
            Ok(count) => count,
            Err(Errno::INTR) => continue,
            Err(Errno::XDEV | Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {
                let piece = read_piece(file, from, most.min(PIECE_BYTES))?;
                copy.write_all_at(&piece, to)?;
                piece.len()
            }
            Err(error) => return Err(error.into()),
        };
        if count == 0 {
            break;
        }
        (from, to) = (from + count as u64, to + count as u64);
    }
    Ok(from - begun)
}

fn hash(file: &File) -> io::Result<Hash> {
    let mut hasher = sha2::Sha256::new();
    each_piece(file, u64::MAX - 1, |_, piece| {
        hasher.update(piece);
        Ok(())
    })?;
    Ok(hasher.finalize().into())
}

/// Reads to the end, or until there is more than should be: a file that grows all the time has no end. How many bytes there were.
fn each_piece(file: &File, size: u64, mut take: impl FnMut(u64, &[u8]) -> io::Result<()>) -> io::Result<u64> {
    let mut piece = vec![0; PIECE_BYTES.min(usize::try_from(size).unwrap_or(PIECE_BYTES).saturating_add(1))];
    let mut offset = 0;
    while offset <= size {
        match file.read_at(&mut piece, offset) {
            Ok(0) => break,
            Ok(count) => {
                take(offset, &piece[..count])?;
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(offset)
}

pub(super) fn read_piece(file: &File, offset: u64, bytes_max: usize) -> io::Result<Vec<u8>> {
    let there = tree::seen(file.as_fd())?.stat.size.saturating_sub(offset);
    let mut bytes = vec![0; bytes_max.min(usize::try_from(there).unwrap_or(bytes_max))];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.raw_os_error() == Some(Errno::INTR.raw_os_error()) => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}
