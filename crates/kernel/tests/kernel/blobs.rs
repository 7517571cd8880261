//! Blobs (KER-26): rows, references, the two passes of the collection, the sweep, damage. Bytes lie on a real disk.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use base::{Blobs, Call, CallResult, Heard, Id, OpResult, Sha, Sql, Wall, WorkCall};
use host::DiskBlobs;
use kernel::blobs::{
    COLLECT, Damaged, FIND_BLOB, MARK, NOW, Owner, PUT_BLOB, PutBlob, REPORT_DAMAGE, ReadFault, Rule, SET_RULE, SWEEP,
    Stored, USAGE, Upload, Usage, perform, refer, size, unrefer,
};
use kernel::{Op, Plan, TaskDef, TaskRow};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::world::{World, error_code};

const GRACE: i64 = 1_000;
const DELAY: i64 = 30_000;

/// A kernel with a place of blobs.
struct Shelf {
    world: World,
    blobs: Arc<DiskBlobs>,
    _directory: TempDir,
}

/// Name and parameter of the work that a task wants done outside.
type Work = Option<(String, String)>;
type Change = fn(&mut dyn base::Tx, &mut kernel::OpCx<'_>, Sha, &Owner<'_>) -> OpResult<()>;

static CHANGE: Op<(Change, Sha, &'static str), ()> =
    Op::new("test.change", |tx, cx, (change, sha, id)| change(tx, cx, *sha, &Owner { kind: "test", id }));
static SIZE: Op<Sha, i64> = Op::new("test.size", |tx, _, sha| size(tx, *sha));
/// Runs a task's plan, or its settling of what came of a call, until it calls outside or is done.
static RUN: Op<(&'static TaskDef, Option<CallResult>), Work> = Op::new("test.task", |tx, cx, (task, came)| {
    let row = TaskRow::first_attempt(cx.id(), task.op, "null", cx.wall);
    let mut plan = match came {
        Some(result) => (task.settle)(tx, cx, &row, result)?,
        None => (task.plan)(tx, cx, &row)?,
    };
    loop {
        plan = match plan {
            Plan::Checkpoint(_) => (task.plan)(tx, cx, &row)?,
            Plan::Call(Call::Work(call)) => return Ok(Some((call.name.to_owned(), call.param))),
            Plan::Done => return Ok(None),
            other => panic!("not expected: {other:?}"),
        };
    }
});

impl Shelf {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let blobs = Arc::new(DiskBlobs::open(directory.path()).unwrap());
        let shelf = Self { world: World::new(), blobs, _directory: directory };
        shelf.world.call(&SET_RULE, shelf.world.request(), Rule { grace_ms: GRACE, delay_ms: DELAY }).unwrap();
        shelf
    }

    fn upload(&self, upload: i64, bytes: &[u8]) -> Stored {
        let id = Id::new(Wall(upload), [0; 10]);
        let mut upload = Upload::begin(self.blobs.as_ref(), id, None, None, 1 << 30).unwrap();
        bytes.chunks(300_000).for_each(|chunk| upload.write(chunk).unwrap());
        upload.finish(self.world.read(&NOW, ()).unwrap()).unwrap()
    }

    fn put(&self, stored: Stored) -> OpResult<PutBlob> {
        self.world.call(&PUT_BLOB, self.world.request(), stored).map(|reply| reply.out)
    }

    /// Uploads and puts.
    fn store(&self, upload: i64, bytes: &[u8]) -> Sha {
        let stored = self.upload(upload, bytes);
        let sha = stored.name.sha;
        self.put(stored).unwrap();
        sha
    }

    fn change(&self, change: Change, sha: Sha, owner: &'static str) -> OpResult<()> {
        self.world.call(&CHANGE, self.world.request(), (change, sha, owner)).map(|_| ())
    }

    fn run(&self, task: &'static TaskDef) {
        let mut came = None;
        while let Some((name, param)) = self.world.call(&RUN, self.world.request(), (task, came)).unwrap().out {
            let name = if name == kernel::blobs::REMOVE { kernel::blobs::REMOVE } else { kernel::blobs::LIST };
            let call = WorkCall { name, namespace: "main".into(), param, timeout_ms: 1 };
            came = Some(perform(self.blobs.as_ref(), &call));
        }
        self.world.check_invariants();
    }

    fn pass(&self, ms: i64) {
        self.world.clock.ran_ms.fetch_add(ms.unsigned_abs(), Ordering::Relaxed);
    }

    fn is_stored(&self, sha: Sha) -> bool {
        self.world.read(&FIND_BLOB, sha).is_ok()
    }

    fn files(&self) -> usize {
        self.blobs.list(None, 100).unwrap().len()
    }

    fn read(&self, sha: Sha, offset: u64) -> Result<Vec<u8>, ReadFault> {
        self.world.read(&FIND_BLOB, sha).unwrap().read_piece(self.blobs.as_ref(), offset)
    }
}

static MARK_TASK: TaskDef = MARK;
static COLLECT_TASK: TaskDef = COLLECT;
static SWEEP_TASK: TaskDef = SWEEP;

fn sha_of(bytes: &[u8]) -> Sha {
    Sha(Sha256::digest(bytes).into())
}

#[test]
fn ker_26_bytes_are_stored_once_by_their_hash() {
    let shelf = Shelf::new();
    let sha = shelf.store(1, b"hello");
    assert_eq!(sha, sha_of(b"hello"));
    assert_eq!(shelf.world.call(&SIZE, shelf.world.request(), sha).unwrap().out, 5);
    let again = shelf.upload(2, b"hello");
    assert_eq!(shelf.put(again.clone()).unwrap(), PutBlob::Known);
    assert_eq!(shelf.files(), 2, "the second copy waits for its removal");
    shelf.run(&COLLECT_TASK);
    assert_eq!(shelf.blobs.size(&again.name).unwrap(), None);
    assert_eq!(shelf.read(sha, 0).unwrap(), b"hello");
    assert_eq!(shelf.world.read(&USAGE, ()).unwrap(), Usage { blobs: 1, bytes: 5 });
}

#[test]
fn ker_26_a_repeated_put_of_one_upload_is_the_same_put() {
    let shelf = Shelf::new();
    let stored = shelf.upload(1, b"x");
    for _ in 0..2 {
        assert_eq!(shelf.put(stored.clone()).unwrap(), PutBlob::New);
    }
    shelf.run(&COLLECT_TASK);
    assert_eq!((shelf.files(), shelf.world.read(&USAGE, ()).unwrap()), (1, Usage { blobs: 1, bytes: 1 }));
}

#[test]
fn ker_26_a_hash_that_is_not_stored_cannot_be_referred_to() {
    let shelf = Shelf::new();
    shelf.upload(1, b"bytes without a row");
    let sha = sha_of(b"bytes without a row");
    assert_eq!(error_code(shelf.change(refer, sha, "a")).0, "NBLOB");
    assert_eq!(error_code(shelf.world.call(&SIZE, shelf.world.request(), sha)).0, "NBLOB");
    assert_eq!(error_code(shelf.world.read(&FIND_BLOB, sha)).0, "NBLOB");
    shelf.change(unrefer, sha, "a").unwrap();
    shelf.world.check_invariants();
}

#[test]
fn ker_26_references_are_counted_once_per_owner() {
    let shelf = Shelf::new();
    let sha = shelf.store(1, b"x");
    for owner in ["a", "a", "b"] {
        shelf.change(refer, sha, owner).unwrap();
    }
    let gone_after = |owner| {
        shelf.change(unrefer, sha, owner).unwrap();
        shelf.pass(GRACE);
        shelf.run(&MARK_TASK);
        shelf.pass(DELAY);
        shelf.run(&COLLECT_TASK);
        !shelf.is_stored(sha)
    };
    assert!(!gone_after("a"), "b still refers");
    assert!(!gone_after("a"), "a does not count any more");
    assert!(gone_after("b"));
    assert_eq!((shelf.files(), shelf.world.read(&USAGE, ()).unwrap()), (0, Usage::default()));
}

#[test]
fn ker_26_a_blob_is_kept_for_its_grace_and_collected_in_two_passes() {
    let shelf = Shelf::new();
    let sha = shelf.store(1, b"x");
    let passes = |ms| {
        shelf.pass(ms);
        shelf.run(&MARK_TASK);
        shelf.run(&COLLECT_TASK);
        shelf.is_stored(sha)
    };
    assert!(passes(GRACE - 1), "the grace is not over");
    assert!(passes(1), "only marked");
    assert!(passes(DELAY - 1), "the second pass comes later");
    assert!(!passes(1));
    assert_eq!(shelf.files(), 0);
}

#[test]
fn ker_26_a_marked_blob_is_saved_by_a_reference_or_a_put() {
    for save in [
        (|shelf: &Shelf, sha| shelf.change(refer, sha, "a").unwrap()) as fn(&Shelf, Sha),
        |shelf, sha| assert_eq!(shelf.store(2, b"x"), sha),
        |shelf, sha| {
            shelf.change(refer, sha, "a").unwrap();
            shelf.change(unrefer, sha, "a").unwrap();
        },
    ] {
        let shelf = Shelf::new();
        let sha = shelf.store(1, b"x");
        shelf.pass(GRACE);
        shelf.run(&MARK_TASK);
        save(&shelf, sha);
        shelf.pass(DELAY);
        shelf.run(&COLLECT_TASK);
        assert_eq!(shelf.read(sha, 0).unwrap(), b"x");
    }
}

/// The put's bytes are there before the old row goes; its row comes after the old bytes went.
#[test]
fn ker_26_a_put_that_meets_a_collection_keeps_its_own_bytes() {
    let shelf = Shelf::new();
    let sha = shelf.store(1, b"x");
    shelf.pass(GRACE);
    shelf.run(&MARK_TASK);
    shelf.pass(DELAY);
    let late = shelf.upload(2, b"x");
    shelf.run(&COLLECT_TASK);
    assert!(!shelf.is_stored(sha));
    assert_eq!(shelf.put(late).unwrap(), PutBlob::New);
    shelf.run(&COLLECT_TASK);
    assert_eq!(shelf.read(sha, 0).unwrap(), b"x");
}

/// The server dies after the doom was committed and before the bytes were removed, or before that was settled.
#[test]
fn ker_26_a_removal_that_was_cut_off_is_done_by_the_next_run() {
    for removed_first in [false, true] {
        let shelf = Shelf::new();
        let sha = shelf.store(1, b"x");
        shelf.pass(GRACE);
        shelf.run(&MARK_TASK);
        shelf.pass(DELAY);
        let (_, param) = shelf.world.call(&RUN, shelf.world.request(), (&COLLECT_TASK, None)).unwrap().out.unwrap();
        if removed_first {
            let call = WorkCall { name: kernel::blobs::REMOVE, namespace: "main".into(), param, timeout_ms: 1 };
            assert!(matches!(perform(shelf.blobs.as_ref(), &call), CallResult::Worked(_)));
        }
        assert!(!shelf.is_stored(sha));
        shelf.run(&COLLECT_TASK);
        static GARBAGE: Sql = Sql::new("test.garbage", "SELECT COUNT(*) FROM blob_garbage");
        assert_eq!((shelf.files(), shelf.world.count(&GARBAGE)), (0, 0));
    }
}

#[test]
fn ker_26_a_failed_removal_fails_its_task_and_forgets_nothing() {
    let shelf = Shelf::new();
    shelf.store(1, b"x");
    shelf.store(2, b"x");
    for came in [CallResult::NotMade("away".into()), CallResult::Unknown("cut".into())] {
        assert!(shelf.world.call(&RUN, shelf.world.request(), (&COLLECT_TASK, Some(came))).is_err());
    }
    let none = CallResult::Worked(r#"{"names":[],"failed":"disk"}"#.into());
    assert!(shelf.world.call(&RUN, shelf.world.request(), (&COLLECT_TASK, Some(none))).is_err());
    shelf.run(&COLLECT_TASK);
    assert_eq!(shelf.files(), 1);
}

#[test]
fn ker_26_bytes_without_a_row_are_swept_after_a_time() {
    let shelf = Shelf::new();
    let kept = shelf.store(1, b"kept");
    shelf.upload(2, b"orphan");
    shelf.run(&SWEEP_TASK);
    shelf.pass(DELAY - 1);
    shelf.run(&SWEEP_TASK);
    shelf.run(&COLLECT_TASK);
    assert_eq!(shelf.files(), 2, "its put may still come");
    shelf.pass(1);
    shelf.run(&SWEEP_TASK);
    shelf.run(&COLLECT_TASK);
    assert_eq!(shelf.files(), 1);
    assert_eq!(shelf.read(kept, 0).unwrap(), b"kept");
}

#[test]
fn ker_26_a_put_that_comes_before_the_sweep_is_taken_and_one_that_comes_after_is_refused() {
    let shelf = Shelf::new();
    let (early, late) = (shelf.upload(1, b"early"), shelf.upload(2, b"late"));
    shelf.run(&SWEEP_TASK);
    let sha = early.name.sha;
    shelf.put(early).unwrap();
    shelf.pass(DELAY);
    // Refused by its age alone, also when its doom is forgotten already: found by the simulator.
    assert_eq!(error_code(shelf.put(late.clone())).0, "XBUSY");
    shelf.run(&SWEEP_TASK);
    assert_eq!(error_code(shelf.put(late.clone())).0, "XBUSY");
    shelf.run(&COLLECT_TASK);
    assert_eq!(error_code(shelf.put(late.clone())).0, "XBUSY");
    assert_eq!((shelf.is_stored(sha), shelf.is_stored(late.name.sha)), (true, false));
    assert_eq!(shelf.store(3, b"late"), late.name.sha, "uploaded again, it is stored");
    shelf.run(&COLLECT_TASK);
    assert_eq!(shelf.read(late.name.sha, 0).unwrap(), b"late");
}

#[test]
fn ker_26_an_upload_that_is_not_what_it_said_leaves_nothing() {
    let shelf = Shelf::new();
    let begin =
        |expected, length, max| Upload::begin(shelf.blobs.as_ref(), Id::new(Wall(1), [0; 10]), expected, length, max);
    let mut upload = begin(Some(sha_of(b"this")), None, 100).unwrap();
    upload.write(b"that").unwrap();
    assert_eq!(upload.finish(Heard(0)).unwrap_err().code.name, "ASHA");
    assert_eq!(begin(None, Some(11), 10).err().unwrap().code.name, "ATOOBIG");
    let mut upload = begin(None, None, 10).unwrap();
    upload.write(&[0; 10]).unwrap();
    assert_eq!(upload.write(&[0]).unwrap_err().code.name, "ATOOBIG");
    drop(upload);
    assert_eq!(shelf.files(), 0);
}

/// Sizes around the borders of pieces, of which digests are kept.
#[test]
fn ker_26_every_piece_is_read_and_known() {
    const PIECE: usize = base::limits::BLOB_PIECE;
    let shelf = Shelf::new();
    for (upload, size) in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE + 5].into_iter().enumerate() {
        let bytes: Vec<u8> = (0..size).map(|at| u8::try_from(at % 251).unwrap()).collect();
        let sha = shelf.store(i64::try_from(upload).unwrap() + 1, &bytes);
        let info = shelf.world.read(&FIND_BLOB, sha).unwrap();
        let mut read = vec![];
        while read.len() < size.max(1) {
            let piece = info.read_piece(shelf.blobs.as_ref(), read.len() as u64).unwrap();
            if piece.is_empty() {
                break;
            }
            read.extend(piece);
        }
        assert!(read == bytes, "{size} bytes");
    }
}

#[test]
fn d10_damaged_bytes_are_never_served_and_healed_by_an_upload() {
    let shelf = Shelf::new();
    let mut bytes = vec![7; 3 << 20];
    let sha = shelf.store(1, &bytes);
    shelf.change(refer, sha, "a").unwrap();
    let info = shelf.world.read(&FIND_BLOB, sha).unwrap();
    let path = shelf._directory.path().join(info.name.to_string());
    bytes[(1 << 20) + 5] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let part = |from: u64, to: u64| info.read_part(shelf.blobs.as_ref(), from..to);
    assert_eq!(part(10, 12).unwrap(), [7, 7], "other pieces are whole");
    let Err(ReadFault::Damaged(reason)) = part((1 << 20) + 100, (1 << 20) + 101) else { panic!("it was served") };
    let damaged = || Damaged { name: info.name, reason: reason.clone() };
    for first in [true, false] {
        assert_eq!(shelf.world.call(&REPORT_DAMAGE, shelf.world.request(), damaged()).unwrap().out, first);
    }
    assert!(shelf.world.read(&FIND_BLOB, sha).unwrap().is_damaged);
    assert_eq!(error_code(shelf.change(refer, sha, "b")).0, "NBLOB");
    static ALERTS: Sql = Sql::new("test.alerts", "SELECT COUNT(*) FROM alert WHERE closed_at IS NULL");
    assert_eq!(shelf.world.count(&ALERTS), 1);
    bytes[(1 << 20) + 5] ^= 1;
    assert_eq!(shelf.store(2, &bytes), sha);
    assert_eq!(shelf.world.count(&ALERTS), 0);
    shelf.run(&COLLECT_TASK);
    assert_eq!(shelf.files(), 1, "the damaged bytes are gone");
    assert_eq!(shelf.read(sha, 1 << 20).unwrap(), [7; 1 << 20]);
    let late = shelf.world.call(&REPORT_DAMAGE, shelf.world.request(), damaged()).unwrap();
    assert!(!late.out, "what was found then says nothing of the new bytes");
}

#[test]
fn d10_missing_and_cut_bytes_are_damage() {
    let shelf = Shelf::new();
    let sha = shelf.store(1, b"hello");
    let info = shelf.world.read(&FIND_BLOB, sha).unwrap();
    std::fs::write(shelf._directory.path().join(info.name.to_string()), b"hel").unwrap();
    assert!(matches!(shelf.read(sha, 0), Err(ReadFault::Damaged(_))));
    shelf.blobs.remove(&info.name).unwrap();
    assert!(matches!(shelf.read(sha, 0), Err(ReadFault::Damaged(_))));
}
