//! Real blobs in a directory of the test's, which can be away, and the work that the packer asks for.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use base::{BlobName, BlobPlaces, Blobs, Call, CallResult, Sha, Sql, StagedBlob, WorkCall};
use exchange::folders::{BEGIN, FILES};
use exchange::packs::{PACK, Packs, perform};
use exchange::{Bodies, Rules, Settings};
use host::DiskPlaces;
use kernel::Kernel;
use kernel::blobs::FIND_BLOB;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use testbed::World;

/// How the place of the blobs is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Mood {
    Well,
    /// Nobody answers.
    Away,
    /// What is put arrives, and nobody is told.
    Mute,
}

pub struct Vault {
    _directory: TempDir,
    doubtful: Arc<Doubtful>,
}

type Done = Box<dyn FnOnce(CallResult) + Send>;

impl Vault {
    pub fn open(kernel: &Kernel) -> Self {
        let directory = tempfile::tempdir().unwrap();
        host::make_root(directory.path()).unwrap();
        let below = DiskPlaces::below(directory.path());
        let doubtful = Arc::new(Doubtful { below, mood: Arc::default() });
        kernel.common::<Packs>().set(doubtful.clone());
        let vault = Self { _directory: directory, doubtful };
        vault.put_bodies(kernel, Bodies::Blobs);
        vault
    }

    /// Bodies are there from now on.
    pub fn put_bodies(&self, kernel: &Kernel, bodies: Bodies) {
        let rules = kernel.common::<Rules>();
        rules.set(Settings { bodies, gather_ms: 0, ..rules.get() });
    }

    pub fn be(&self, mood: Mood) {
        self.doubtful.mood.store(mood as u8, Ordering::Relaxed);
    }

    /// Names of all bytes that are there.
    pub fn names(&self) -> Vec<BlobName> {
        self.doubtful.below.place("main").unwrap().list(None, 1_000).unwrap()
    }

    /// The first work that is asked for, after the packer was told to look.
    pub fn next_call(&self, world: &World) -> Option<(WorkCall, Done)> {
        world.call(&BEGIN, ()).unwrap();
        (0..10).find_map(|_| {
            world.pass_ms(20);
            match world.partner.next()? {
                (Call::Work(call), done) => Some((call, done)),
                (other, _) => panic!("nobody asks for {other:?}"),
            }
        })
    }

    /// Lets the packer and the kernel's collection work until nothing is due any more.
    pub fn work(&self, world: &World) {
        for _ in 0..100 {
            let Some((call, done)) = self.next_call(world) else { return };
            done(self.answer(world, &call));
        }
        panic!("the packer comes to no end");
    }

    /// What comes of a call when it is performed.
    pub fn answer(&self, world: &World, call: &WorkCall) -> CallResult {
        match call.name {
            PACK => perform(&world.kernel, call).map_or_else(CallResult::Unknown, CallResult::Worked),
            FILES => crate::shelf::answer(world, call),
            _ => kernel::blobs::perform(self.doubtful.place(&call.namespace).unwrap().as_ref(), call),
        }
    }

    /// What is at rest is in a pack and is what was received; what is not is in the store.
    pub fn check(&self, world: &World) {
        static ROWS: Sql = Sql::new(
            "test.rows_and_packs",
            "SELECT m.number, m.digest, m.size, p.sha, p.begins, \
             (SELECT COUNT(*) FROM exc_body b WHERE b.number = m.number), \
             CASE WHEN m.place IN ('log', 'unknown', 'error') AND m.process IS NULL THEN 1 ELSE 0 END, m.due \
             FROM exc_message m LEFT JOIN exc_packed p ON p.number = m.number ORDER BY m.number",
        );
        for row in world.rows(&ROWS) {
            let (number, rests) = (row.int(0), row.int(6) == 1);
            assert_eq!((row.opt_text(3).is_some(), row.int(5) == 1), (rests, !rests), "message {number}");
            assert_eq!(row.opt_int(7), None, "message {number}");
            if let Some(sha) = row.opt_text(3) {
                let text = self.read(world, sha.parse().unwrap(), row.int(4), row.int(2));
                assert_eq!(Sha256::digest(text).as_slice(), row.blob(1), "message {number}");
            }
        }
    }

    fn read(&self, world: &World, pack: Sha, begins: i64, size: i64) -> Vec<u8> {
        let (place, info) = (self.doubtful.below.place("main").unwrap(), world.read(&FIND_BLOB, pack).unwrap());
        let range = begins.unsigned_abs()..(begins + size).unsigned_abs();
        info.read_part(place.as_ref(), range).unwrap()
    }
}

/// Places on a real disk that answer as they are told.
#[derive(Debug)]
struct Doubtful {
    below: DiskPlaces,
    mood: Arc<AtomicU8>,
}

impl BlobPlaces for Doubtful {
    fn place(&self, namespace: &str) -> io::Result<Arc<dyn Blobs>> {
        Ok(Arc::new(DoubtfulPlace { below: self.below.place(namespace)?, mood: self.mood.clone() }))
    }
}

#[derive(Debug)]
struct DoubtfulPlace {
    below: Arc<dyn Blobs>,
    mood: Arc<AtomicU8>,
}

impl DoubtfulPlace {
    fn is(&self, mood: Mood) -> bool {
        self.mood.load(Ordering::Relaxed) == mood as u8
    }

    fn reach(&self) -> io::Result<&dyn Blobs> {
        if self.is(Mood::Away) { Err(io::Error::other("nobody answers")) } else { Ok(self.below.as_ref()) }
    }
}

impl Blobs for DoubtfulPlace {
    fn stage(&self, expected: Option<&BlobName>, length: Option<u64>) -> io::Result<Box<dyn StagedBlob>> {
        let staged = self.reach()?.stage(expected, length)?;
        Ok(Box::new(DoubtfulUpload { staged, is_mute: self.is(Mood::Mute) }))
    }

    fn read(&self, name: &BlobName, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.reach()?.read(name, offset, bytes)
    }

    fn size(&self, name: &BlobName) -> io::Result<Option<u64>> {
        self.reach()?.size(name)
    }

    fn remove(&self, name: &BlobName) -> io::Result<()> {
        self.reach()?.remove(name)
    }

    fn list(&self, after: Option<&BlobName>, limit: usize) -> io::Result<Vec<BlobName>> {
        self.reach()?.list(after, limit)
    }
}

struct DoubtfulUpload {
    staged: Box<dyn StagedBlob>,
    is_mute: bool,
}

impl StagedBlob for DoubtfulUpload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.staged.write(bytes)
    }

    fn finish(self: Box<Self>, name: &BlobName) -> io::Result<()> {
        self.staged.finish(name)?;
        if self.is_mute { Err(io::Error::other("the answer was lost")) } else { Ok(()) }
    }
}
