//! Backups for people: looked at and copied back whether or not a daemon keeps the folder in step (FLD-23).
//!
//! What is brought back is a copy, made beside everything and then put where nothing lies: to a daemon it is a file that its user made. The backup
//! stays. Names are those of this disk.

use std::io;
use std::path::{Path, PathBuf};

use base::Wall;
use synxpo::names::{NAME_BYTES_MAX, OWN_NAME};

use super::world::{self, Lying};

/// Names beside the wanted one that are tried.
const TRIES_MAX: u32 = 100;

/// Something in the backups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// What it is brought back by.
    pub id: String,
    /// Where it lay, below the root.
    pub path: String,
    /// When it was replaced or removed, in milliseconds since 1970.
    pub when_ms: i64,
    /// How many bytes it has.
    pub size: u64,
}

/// All that was kept at a path or below it, from the newest; `""` is the root.
///
/// # Errors
/// The disk refused.
pub fn kept(root: &Path, below: &str) -> io::Result<Vec<Kept>> {
    let (mut found, mut open) = (vec![], vec![String::new()]);
    let top = backups(root);
    while let Some(folder) = open.pop() {
        for (name, lying) in world::lying(&top.join(&folder))? {
            let id = crate::disk::join(&folder, &name);
            match lying {
                Lying::Folder => open.push(id),
                Lying::File { size } => found.extend(read(id, size)),
                Lying::Other => found.extend(read(id, 0)),
            }
        }
    }
    let is_below = |path: &str| {
        below.is_empty() || path.strip_prefix(below).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    found.retain(|kept: &Kept| is_below(&kept.path));
    found.sort_by(|a, b| (b.when_ms, &b.id).cmp(&(a.when_ms, &a.id)));
    Ok(found)
}

fn backups(root: &Path) -> PathBuf {
    root.join(OWN_NAME).join("backup")
}

/// Of the day, the batch and the path only the last two tell; what is not so called is not ours.
fn read(id: String, size: u64) -> Option<Kept> {
    let mut parts = id.splitn(3, '/').skip(1);
    let when_ms = parts.next()?.split_once('-')?.0.parse().ok()?;
    Some(Kept { path: parts.next()?.to_owned(), when_ms, size, id })
}

/// Copies a backup to a path below the root, or beside it if something lies there; missing folders are made. Where it lies then.
///
/// # Errors
/// The disk refused.
pub fn bring_back(root: &Path, kept: &Kept, to: &str) -> io::Result<String> {
    let wrong = |why| io::Error::new(io::ErrorKind::InvalidInput, why);
    let parts = synxpo::names::parts(to).map_err(wrong)?;
    let (name, above) = (parts.last().copied().unwrap_or_default(), to.rsplit_once('/').map_or("", |(above, _)| above));
    world::make_folder(&root.join(above))?;
    let beside = root.join(OWN_NAME).join(format!("restored-{}", std::process::id()));
    world::copy(&backups(root).join(&kept.id), &beside)?;
    for nth in 0..TRIES_MAX {
        let path = crate::disk::join(above, &restored(name, kept.when_ms, nth));
        match world::put_where_nothing_lies(&beside, &root.join(&path)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                world::remove_file(&beside);
                return Err(error);
            }
            Ok(()) => return Ok(path),
        }
    }
    world::remove_file(&beside);
    Err(io::ErrorKind::AlreadyExists.into())
}

/// The name itself, and then names beside it.
fn restored(name: &str, when_ms: i64, nth: u32) -> String {
    if nth == 0 {
        return name.to_owned();
    }
    let date: String = Wall(when_ms).rfc3339().replace('T', " ").replace(':', ".").chars().take(19).collect();
    let dot = name.rfind('.').filter(|dot| *dot > 0 && name.len() - dot <= 32).unwrap_or(name.len());
    let (stem, extension) = name.split_at(dot);
    let nth = if nth > 1 { format!(" {nth}") } else { String::new() };
    let mark = format!(" (restored, {date}{nth}){extension}");
    format!("{}{mark}", &stem[..stem.floor_char_boundary(NAME_BYTES_MAX.saturating_sub(mark.len()))])
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes files")]
mod tests {
    use std::fs;

    use super::*;
    use crate::disk::real::RealDisk;
    use crate::disk::{Disk as _, Found};

    #[test]
    fn fld_23_what_was_removed_is_found_and_copied_back_while_a_daemon_has_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let mut disk = RealDisk::open(root).unwrap();
        fs::create_dir(root.join("a")).unwrap();
        fs::write(root.join("a/b.txt"), "first").unwrap();
        let Some(Found::File(local)) = disk.look("a/b.txt").unwrap() else { panic!("a file") };
        disk.remove("a/b.txt", local.stat).unwrap();
        assert!(kept(root, "a/b").unwrap().is_empty(), "another name");
        let found = kept(root, "a").unwrap();
        assert_eq!((found.len(), found[0].path.as_str(), found[0].size), (1, "a/b.txt", 5));
        fs::remove_dir(root.join("a")).unwrap();
        assert_eq!(bring_back(root, &found[0], "a/b.txt").unwrap(), "a/b.txt");
        fs::write(root.join("a/b.txt"), "second").unwrap();
        let beside = bring_back(root, &found[0], "a/b.txt").unwrap();
        assert!(beside.starts_with("a/b (restored, ") && beside.ends_with(").txt"), "{beside}");
        assert_eq!(fs::read_to_string(root.join("a/b.txt")).unwrap(), "second");
        assert_eq!(fs::read_to_string(root.join(&beside)).unwrap(), "first");
        assert_eq!(kept(root, "").unwrap(), found, "the backup stays");
        assert!(bring_back(root, &found[0], "../out").is_err());
    }

    #[test]
    fn fld_23_a_folder_without_backups_has_none() {
        let folder = tempfile::tempdir().unwrap();
        assert!(kept(folder.path(), "").unwrap().is_empty());
    }
}
