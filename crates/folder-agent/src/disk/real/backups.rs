//! Backups: what was replaced or removed, by day and batch, each under the path that it had (FLD-23).

use std::io;
use std::os::fd::OwnedFd;

use base::Wall;
use rustix::fs::{self, AtFlags, FileType};
use rustix::io::Errno;

use super::RealDisk;
use super::own::own_folder;
use super::tree::{self, Spot, Tree};
use crate::disk::{checked, join};

/// A batch is a folder; a path that is in it already begins another. More than this is no accident.
const BATCHES_MAX: u32 = 100;
/// The part of the disk that backups may take.
const DISK_PART: u64 = 10;
/// Names of files are no longer.
const NAME_BYTES_MAX: usize = synxpo::names::NAME_BYTES_MAX;

/// The backups since the last flush.
#[derive(Debug)]
pub(super) struct Batch {
    tree: Tree,
}

/// Something in the backups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// What it is restored by.
    pub id: String,
    /// Where it lay.
    pub path: String,
    /// When it was replaced or removed, in milliseconds.
    pub when_ms: i64,
    /// How many bytes it has.
    pub size: u64,
    /// What it takes of the disk.
    bytes: u64,
}

impl RealDisk {
    /// A free place in the backups for what lies at a path.
    pub(super) fn backup_spot(&mut self, parts: &[&str]) -> io::Result<Spot> {
        for _ in 0..BATCHES_MAX {
            let batch = match self.batch.take() {
                Some(batch) => batch,
                None => self.new_batch()?,
            };
            let found = self.spot_in(&batch.tree, parts)?;
            // Kept only while it is of use: what is taken in it stays taken.
            if found.is_some() {
                self.batch = Some(batch);
            }
            if let Some(spot) = found {
                return Ok(spot);
            }
        }
        Err(io::Error::other("there is no free place in the backups"))
    }

    fn new_batch(&mut self) -> io::Result<Batch> {
        let now_ms = self.own.now_ns()?.div_euclid(1_000_000);
        let day = own_folder(&self.own.backups, date(now_ms).get(..10).unwrap_or("day"))?;
        for nth in 0.. {
            let name = format!("{now_ms}-{nth}");
            match fs::mkdirat(&day, &name, fs::Mode::RWXU) {
                Ok(()) => {
                    let tree = Tree::new(own_folder(&day, &name)?, self.tree.names)?;
                    self.unflushed.note(&self.own.backups)?;
                    self.unflushed.note(&day)?;
                    return Ok(Batch { tree });
                }
                Err(Errno::EXIST) if nth < BATCHES_MAX => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// `None` if the path, or a part of it, is taken in this batch.
    fn spot_in(&mut self, batch: &Tree, parts: &[&str]) -> io::Result<Option<Spot>> {
        let (name, above) = parts.split_last().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = match batch.folder(above) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.make_folders(batch, above),
            opened => opened,
        };
        let folder = match folder {
            Err(error) if tree::is_stale(&error) => return Ok(None),
            opened => opened?,
        };
        self.unflushed.note(&folder)?;
        let spot = Spot { folder, name: self.tree.names.to_local(name).into_owned() };
        Ok(spot.look()?.is_none().then_some(spot))
    }

    fn make_folders(&mut self, batch: &Tree, parts: &[&str]) -> io::Result<OwnedFd> {
        let mut folder = batch.folder(&[])?;
        for part in parts {
            let below = own_folder(&folder, &self.tree.names.to_local(part))?;
            self.unflushed.note(std::mem::replace(&mut folder, below))?;
        }
        Ok(folder)
    }

    /// All backups, from the oldest.
    ///
    /// # Errors
    /// The disk refused.
    pub fn backups(&self) -> io::Result<Vec<Backup>> {
        Ok(self.walk_backups()?.0)
    }

    /// All backups, and all folders in which they lie, each after the one above it.
    fn walk_backups(&self) -> io::Result<(Vec<Backup>, Vec<String>)> {
        let tree = self.backups_tree()?;
        let (mut backups, mut folders) = (Vec::new(), Vec::new());
        let mut next = vec![String::new()];
        while let Some(folder) = next.pop() {
            let handle = tree.folder(&parts_of(&folder))?;
            for name in tree::names_in(&handle)? {
                let Some(name) = name.to_str().ok().and_then(|name| tree.names.from_local(name)) else { continue };
                let (id, seen) = (join(&folder, &name), tree::look(&handle, &*tree.names.to_local(&name))?);
                if seen.kind == FileType::Directory {
                    next.push(id);
                } else {
                    backups.extend(backup(id, &seen));
                }
            }
            folders.push(folder);
        }
        backups.sort_by(|a, b| (a.when_ms, &a.id).cmp(&(b.when_ms, &b.id)));
        folders.sort();
        Ok((backups, folders))
    }

    fn backups_tree(&self) -> io::Result<Tree> {
        Tree::new(self.own.backups.try_clone()?, self.tree.names)
    }

    pub(super) fn prune(&mut self, now_ms: i64, kept_ms: i64) -> io::Result<()> {
        self.batch = None;
        let (backups, folders) = self.walk_backups()?;
        let disk = fs::fstatvfs(&self.tree.root)?;
        let bytes_max = disk.f_blocks.saturating_mul(disk.f_frsize) / DISK_PART;
        let mut bytes: u64 = backups.iter().map(|backup| backup.bytes).sum();
        let tree = self.backups_tree()?;
        for backup in &backups {
            if backup.when_ms >= now_ms.saturating_sub(kept_ms) && bytes <= bytes_max {
                break;
            }
            if let Some(spot) = tree.spot(&parts_of(&backup.id))? {
                spot.unlink()?;
            }
            bytes -= backup.bytes;
        }
        remove_empty(&tree, &folders)?;
        self.unflushed.note(&self.own.backups)
    }

    /// Puts a backup at a path, or beside it if something lies there; missing folders are made. Where it lies then.
    ///
    /// # Errors
    /// The disk refused, or there is no such backup.
    pub fn restore_backup(&mut self, id: &str, to: &str) -> io::Result<String> {
        let parts = checked(to)?;
        let backups = self.backups()?;
        let backup = backups.iter().find(|backup| backup.id == id).ok_or(io::ErrorKind::NotFound)?;
        let from = self.backups_tree()?.spot(&parts_of(id))?.ok_or(io::ErrorKind::NotFound)?;
        let above = to.rsplit_once('/').map_or("", |(above, _)| above);
        self.make_all_folders(above)?;
        for nth in 0..BATCHES_MAX {
            let path = join(above, &restored(parts.last().unwrap_or(&""), backup.when_ms, nth));
            let spot = self.tree.spot(&checked(&path)?)?.ok_or(io::ErrorKind::NotFound)?;
            match self.moves.move_to_free(&from, &spot) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                moved => {
                    moved?;
                    self.unflushed.note(&spot.folder)?;
                    self.unflushed.note(&from.folder)?;
                    return self.settle_all().map(|()| path);
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    fn make_all_folders(&mut self, path: &str) -> io::Result<()> {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for end in ends.filter(|end| *end > 0) {
            if self.make_one_folder(&path[..end])? == crate::disk::Outcome::Changed {
                let why = format!("`{}` is no folder", &path[..end]);
                return Err(io::Error::new(io::ErrorKind::NotADirectory, why));
            }
        }
        Ok(())
    }
}

/// Of the day, the batch and the path only the last two tell; what is not so called is not ours.
fn backup(id: String, seen: &tree::Seen) -> Option<Backup> {
    let mut parts = id.splitn(3, '/').skip(1);
    let when_ms = parts.next()?.split_once('-')?.0.parse().ok()?;
    let path = parts.next()?.to_owned();
    Some(Backup { path, when_ms, size: seen.stat.size, bytes: seen.bytes, id })
}

fn remove_empty(tree: &Tree, folders: &[String]) -> io::Result<()> {
    for folder in folders.iter().rev().filter(|folder| !folder.is_empty()) {
        let Some(spot) = tree.spot(&parts_of(folder))? else { continue };
        match fs::unlinkat(&spot.folder, spot.name.as_str(), AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOENT) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

fn parts_of(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

/// `2026-11-18T01.55.45`, as it may be in a name.
fn date(when_ms: i64) -> String {
    let text = Wall(when_ms).rfc3339().replace(':', ".");
    text.chars().take(19).collect()
}

/// The name itself, and then names beside it.
fn restored(name: &str, when_ms: i64, nth: u32) -> String {
    if nth == 0 {
        return name.to_owned();
    }
    let dot = name.rfind('.').filter(|dot| *dot > 0 && name.len() - dot <= 32).unwrap_or(name.len());
    let (stem, extension) = name.split_at(dot);
    let nth = if nth > 1 { format!(" {nth}") } else { String::new() };
    let mark = format!(" (restored, {}{nth}){extension}", date(when_ms).replace('T', " "));
    format!("{}{mark}", &stem[..stem.floor_char_boundary(NAME_BYTES_MAX - mark.len())])
}
