//! Making a root directory that survives a power cut.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Makes `root` and what is missing above it, for ourselves alone, and syncs the directory above each new one.
///
/// # Errors
/// The disk refuses.
pub fn make_root(root: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = root.ancestors().take_while(|path| is_missing(path)).collect();
    DirBuilder::new().recursive(true).mode(0o700).create(root)?;
    missing.into_iter().try_for_each(|made| File::open(above(made))?.sync_all())
}

/// Renames a root directory, durably. False if there is none to rename, so that a repeat is harmless.
///
/// # Errors
/// The disk refuses, or there is something of the new name already.
pub fn rename_root(from: &Path, to: &Path) -> io::Result<bool> {
    match std::fs::rename(from, to) {
        Ok(()) => {}
        // Renamed before, perhaps, and not yet durably: the sync below is what was missing then.
        Err(error) if error.kind() == io::ErrorKind::NotFound && is_missing(from) => {
            if above(from).exists() {
                File::open(above(from))?.sync_all()?;
            }
            return Ok(false);
        }
        Err(error) => return Err(error),
    }
    [above(from), above(to)].iter().try_for_each(|directory| File::open(directory)?.sync_all())?;
    Ok(true)
}

/// Removes a root directory with all that is in it, durably. One that is not there is removed.
///
/// # Errors
/// The disk refuses.
pub fn remove_root(root: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(root) {
        Ok(()) => File::open(above(root))?.sync_all(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn is_missing(path: &Path) -> bool {
    !path.as_os_str().is_empty() && !path.exists()
}

/// The directory above a path; above a bare name it is the current one.
fn above(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.into(),
        Some(_) | None => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_directories_are_made_and_existing_ones_stay() {
        let directory = tempfile::tempdir().unwrap();
        let deep = directory.path().join("a/b/c");
        for _ in 0..2 {
            make_root(&deep).unwrap();
            assert!(deep.is_dir());
        }
    }

    #[test]
    fn ker_2_a_root_is_renamed_once_and_a_repeat_is_harmless() {
        let directory = tempfile::tempdir().unwrap();
        let (from, to) = (directory.path().join("a"), directory.path().join("b"));
        make_root(&from.join("inside")).unwrap();
        assert!(rename_root(&from, &to).unwrap());
        assert!(!rename_root(&from, &to).unwrap(), "nothing to rename any more");
        assert!(to.join("inside").is_dir() && !from.exists());
        make_root(&from).unwrap();
        assert!(rename_root(&from, &to).is_err(), "what is there is not overwritten");
    }

    #[test]
    fn the_directory_above_a_bare_name_is_the_current_one() {
        assert_eq!(above(Path::new("fastness-data")), Path::new("."));
        assert_eq!(above(Path::new("a/b")), Path::new("a"));
        assert_eq!(above(Path::new("/a")), Path::new("/"));
    }
}
