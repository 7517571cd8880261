//! The contract of places of blobs (`base::Blobs`), run on each: the disk, S3, the simulator's disk.
//!
//! Every contract is given an empty place. Deliberately not here: power cuts and failing disks (the simulator).

#![expect(clippy::unwrap_used, reason = "a contract fails by panicking")]

use std::io::ErrorKind;

use base::{BlobName, Blobs, Id, Sha, Wall};

/// One contract: its name and what it checks.
pub type Contract = (&'static str, fn(&dyn Blobs));

/// All of them.
pub const ALL: &[Contract] = &[
    ("what is finished is there and whole", finished_is_whole),
    ("an empty one is there too", empty),
    ("large ones are whole, and any range of them can be read", large),
    ("one whose name is known only at its end is whole", name_known_late),
    ("one that is dropped leaves nothing", dropped_leaves_nothing),
    ("what is missing or too short is told apart from a fault", missing_and_short),
    ("a removal is final and may be repeated", removed),
    ("names are listed in order, in pages", listed),
    ("two uploads of the same bytes are two", twins),
    ("many at once are all there and whole", many),
];

fn name(first: u8, upload: i64) -> BlobName {
    let mut sha = [first; 32];
    sha[31] = 7;
    BlobName { sha: Sha(sha), upload: Id::new(Wall(upload), [first; 10]) }
}

fn put(blobs: &dyn Blobs, name: &BlobName, bytes: &[u8]) {
    let mut staged = blobs.stage(Some(name), Some(bytes.len() as u64)).unwrap();
    bytes.chunks(100_000).for_each(|chunk| staged.write(chunk).unwrap());
    staged.finish(name).unwrap();
}

fn read(blobs: &dyn Blobs, name: &BlobName, offset: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blobs.read(name, offset, &mut bytes).unwrap();
    bytes
}

fn refusal(blobs: &dyn Blobs, name: &BlobName, offset: u64, length: usize) -> ErrorKind {
    blobs.read(name, offset, &mut vec![0; length]).unwrap_err().kind()
}

/// No two places of it are alike.
fn bytes(length: usize) -> Vec<u8> {
    (0..length.div_ceil(8)).flat_map(|at| (at as u64 ^ 0x5555).to_be_bytes()).take(length).collect()
}

fn finished_is_whole(blobs: &dyn Blobs) {
    put(blobs, &name(1, 1), b"hello");
    assert_eq!(blobs.size(&name(1, 1)).unwrap(), Some(5));
    assert_eq!(read(blobs, &name(1, 1), 0, 5), b"hello");
    assert_eq!(read(blobs, &name(1, 1), 1, 3), b"ell");
}

fn many(blobs: &dyn Blobs) {
    put(blobs, &name(7, 9), b"before");
    for count in [0, 1, 3, 40] {
        let all: Vec<(BlobName, Vec<u8>)> = (0..count).map(|at| (name(at, count.into()), bytes(at.into()))).collect();
        assert!(blobs.put_all(&all).into_iter().map(Result::unwrap).count() == all.len());
        for (name, bytes) in &all {
            assert_eq!(
                (blobs.size(name).unwrap(), read(blobs, name, 0, bytes.len())),
                (Some(bytes.len() as u64), bytes.clone())
            );
        }
    }
    assert_eq!(blobs.list(None, 100).unwrap().len(), 45);
}

fn empty(blobs: &dyn Blobs) {
    put(blobs, &name(2, 1), b"");
    assert_eq!(blobs.size(&name(2, 1)).unwrap(), Some(0));
    assert_eq!(read(blobs, &name(2, 1), 0, 0), b"");
    assert_eq!(blobs.list(None, 10).unwrap(), [name(2, 1)]);
}

fn large(blobs: &dyn Blobs) {
    let all = bytes(20_000_001);
    put(blobs, &name(3, 1), &all);
    assert_eq!(blobs.size(&name(3, 1)).unwrap(), Some(20_000_001));
    for (offset, length) in [(0, 1), (8_388_600, 16), (16_777_215, 100_000), (20_000_000, 1)] {
        let at = usize::try_from(offset).unwrap();
        assert!(read(blobs, &name(3, 1), offset, length) == all[at..at + length], "{length} bytes at {offset}");
    }
}

fn name_known_late(blobs: &dyn Blobs) {
    for (first, length) in [(4, 10), (5, 17_000_000)] {
        let all = bytes(length);
        let mut staged = blobs.stage(None, None).unwrap();
        all.chunks(70_000).for_each(|chunk| staged.write(chunk).unwrap());
        staged.finish(&name(first, 1)).unwrap();
        assert!(read(blobs, &name(first, 1), 0, length) == all);
    }
    assert_eq!(blobs.list(None, 10).unwrap(), [name(4, 1), name(5, 1)]);
}

fn dropped_leaves_nothing(blobs: &dyn Blobs) {
    for length in [10, 9_000_000] {
        let mut staged = blobs.stage(Some(&name(6, 1)), None).unwrap();
        staged.write(&bytes(length)).unwrap();
        drop(staged);
    }
    assert_eq!(blobs.list(None, 10).unwrap(), []);
    assert_eq!(blobs.size(&name(6, 1)).unwrap(), None);
}

fn missing_and_short(blobs: &dyn Blobs) {
    put(blobs, &name(7, 1), b"short");
    assert_eq!(refusal(blobs, &name(7, 2), 0, 1), ErrorKind::NotFound);
    assert_eq!(refusal(blobs, &name(8, 1), 0, 1), ErrorKind::NotFound);
    assert_eq!(refusal(blobs, &name(7, 1), 0, 6), ErrorKind::UnexpectedEof);
    assert_eq!(refusal(blobs, &name(7, 1), 100, 1), ErrorKind::UnexpectedEof);
}

fn removed(blobs: &dyn Blobs) {
    put(blobs, &name(9, 1), b"x");
    put(blobs, &name(9, 2), b"y");
    for _ in 0..2 {
        blobs.remove(&name(9, 1)).unwrap();
        assert_eq!(blobs.size(&name(9, 1)).unwrap(), None);
    }
    blobs.remove(&name(10, 1)).unwrap();
    assert_eq!(blobs.list(None, 10).unwrap(), [name(9, 2)]);
}

fn listed(blobs: &dyn Blobs) {
    let mut all: Vec<BlobName> = (0..7).map(|at| name(40 * at, 1)).chain((1..4).map(|at| name(1, at))).collect();
    all.iter().rev().for_each(|name| put(blobs, name, b"x"));
    all.sort_unstable();
    for page in [1, 3, 100] {
        let (mut seen, mut after) = (vec![], None);
        loop {
            let names = blobs.list(after.as_ref(), page).unwrap();
            assert!(names.len() <= page);
            let Some(last) = names.last() else { break };
            after = Some(*last);
            seen.extend(names);
        }
        assert_eq!(seen, all, "pages of {page}");
    }
}

fn twins(blobs: &dyn Blobs) {
    put(blobs, &name(11, 1), b"same");
    put(blobs, &name(11, 2), b"same");
    blobs.remove(&name(11, 1)).unwrap();
    assert_eq!(read(blobs, &name(11, 2), 0, 4), b"same");
}
