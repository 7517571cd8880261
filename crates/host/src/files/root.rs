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
    fn the_directory_above_a_bare_name_is_the_current_one() {
        assert_eq!(above(Path::new("fastness-data")), Path::new("."));
        assert_eq!(above(Path::new("a/b")), Path::new("a"));
        assert_eq!(above(Path::new("/a")), Path::new("/"));
    }
}
