//! Blobs on the disk of this machine.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use base::{BlobPlaces, Blobs};
use tempfile::TempDir;

use super::{check_contract, name};
use crate::blobs::{DiskBlobs, DiskPlaces};
use crate::files::watched::{Syncs, Watched};

fn put(blobs: &dyn Blobs, first: u8, bytes: &[u8]) -> std::io::Result<()> {
    let mut staged = blobs.stage(None, None)?;
    staged.write(bytes)?;
    staged.finish(&name(first))
}

#[test]
fn ker_26_the_disk_keeps_the_contract() {
    let directory = tempfile::tempdir().unwrap();
    let places = DiskPlaces::below(directory.path());
    check_contract(|at| places.place(&format!("n{at}")).unwrap());
}

#[test]
fn ker_26_a_place_is_opened_once_and_lies_in_its_namespace() {
    let directory = tempfile::tempdir().unwrap();
    let places = DiskPlaces::below(directory.path());
    let (one, again) = (places.place("main").unwrap(), places.place("main").unwrap());
    assert!(Arc::ptr_eq(&one, &again), "a second opening would sweep the first one's uploads");
    put(one.as_ref(), 0xab, b"x").unwrap();
    let file = directory.path().join("namespaces/main/blobs").join(name(0xab).to_string());
    assert_eq!(std::fs::read(file).unwrap(), b"x");
}

#[test]
fn ker_26_what_an_earlier_server_left_unfinished_goes_at_open() {
    let directory = tempfile::tempdir().unwrap();
    let blobs = DiskBlobs::open(directory.path()).unwrap();
    put(&blobs, 1, b"kept").unwrap();
    std::mem::forget(blobs.stage(None, None).unwrap());
    assert_eq!(staged(directory.path()), 1);
    let blobs = DiskBlobs::open(directory.path()).unwrap();
    assert_eq!(staged(directory.path()), 0);
    assert_eq!(blobs.list(None, 9).unwrap(), [name(1)]);
}

fn staged(root: &Path) -> usize {
    std::fs::read_dir(root.join("staging")).unwrap().count()
}

#[test]
fn ker_31_what_cannot_fit_is_refused_before_a_byte_of_it_is_taken() {
    let directory = tempfile::tempdir().unwrap();
    let blobs = DiskBlobs::open(directory.path()).unwrap();
    let refused = blobs.stage(None, Some(u64::MAX - 1)).err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::StorageFull);
    assert_eq!(staged(directory.path()), 0);
}

#[test]
fn ker_26_what_others_put_there_is_neither_listed_nor_touched() {
    let directory = tempfile::tempdir().unwrap();
    let blobs = DiskBlobs::open(directory.path()).unwrap();
    put(&blobs, 0xab, b"x").unwrap();
    let folder = directory.path().join("ab/ab");
    std::fs::write(folder.join("notes.txt"), "").unwrap();
    std::fs::write(folder.join(name(0xcd).steps().2), "in the wrong place").unwrap();
    std::fs::write(directory.path().join("ab/file"), "").unwrap();
    assert_eq!(blobs.list(None, 9).unwrap(), [name(0xab)]);
}

fn watched() -> (TempDir, DiskBlobs<Watched>, Syncs) {
    let (directory, syncs) = (tempfile::tempdir().unwrap(), Syncs::real());
    let blobs = DiskBlobs::below(Watched::open(directory.path(), &syncs)).unwrap();
    (directory, blobs, syncs)
}

#[test]
fn ker_41_a_failed_sync_of_the_bytes_is_an_error_and_leaves_nothing() {
    let (directory, blobs, syncs) = watched();
    syncs.fail(|is_directory| !is_directory);
    assert!(put(&blobs, 1, b"x").is_err());
    assert_eq!((blobs.list(None, 9).unwrap(), staged(directory.path())), (vec![], 0));
}

#[test]
fn ker_41_a_failed_sync_of_a_directory_is_an_error_of_an_upload_and_of_a_removal() {
    let (_directory, blobs, syncs) = watched();
    put(&blobs, 1, b"x").unwrap();
    syncs.fail(|is_directory| is_directory);
    assert!(put(&blobs, 2, b"x").is_err());
    assert!(blobs.remove(&name(1)).is_err());
    assert!(blobs.remove(&name(1)).is_err(), "its removal is still not durable");
}

#[test]
fn ker_26_bytes_are_synced_before_their_name_and_every_new_directory_above() {
    let (directory, blobs, syncs) = watched();
    let root = directory.path().canonicalize().unwrap();
    let record = Arc::new(std::sync::Mutex::new(vec![]));
    let (recorded, place) = (record.clone(), root.join(name(0xab).to_string()));
    syncs.replace(move |file| {
        use std::os::fd::AsRawFd;
        let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
        let below = path.strip_prefix(&root).unwrap().display().to_string();
        let what =
            if below.starts_with("staging") { format!("bytes, named {}", place.exists()) } else { format!("/{below}") };
        record.lock().unwrap().push(what);
        file.sync_all()
    });
    put(&blobs, 0xab, b"x").unwrap();
    assert_eq!(*recorded.lock().unwrap(), ["bytes, named false", "/", "/ab", "/ab/ab"]);
}
