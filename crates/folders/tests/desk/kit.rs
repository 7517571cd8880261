//! Devices at a desk: on SQLite with time that passes when told, or on PostgreSQL.

use std::sync::mpsc::channel;

use base::{OpResult, Sha, Sql};
use folders::care::{Member, PUT_MEMBER};
use folders::desk::{ASK, CHANGES, CREATE, FINISH, Right, SEGMENT};
use folders::form::{
    Ask, Asked, Asking, Changes, ChangesOf, Create, FileMeta, FileStatus, Finish, Kind, NewSegment, Told, Who, Written,
};
use host::DiskBlobs;
use kernel::blobs::{NOW, PUT_BLOB, Upload};
use kernel::{Caller, Kernel, Op, Query, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use testbed::World;
use testbed_web::PostgresKernel;

enum Below {
    Sqlite(Box<World>),
    Postgres(PostgresKernel),
}

/// A desk, with a place for blobs.
pub struct Desk {
    below: Below,
    blobs: DiskBlobs,
    _place: TempDir,
}

impl Desk {
    pub fn new() -> Self {
        Self::of(Below::Sqlite(Box::new(World::of(&[&folders::SERVICE]))))
    }

    pub fn on_postgres(name: &str) -> Self {
        Self::of(Below::Postgres(PostgresKernel::open(name, &folders::SERVICE)))
    }

    fn of(below: Below) -> Self {
        let place = tempfile::tempdir().expect("a folder");
        let blobs = DiskBlobs::open(place.path()).expect("a place for blobs");
        Self { below, blobs, _place: place }
    }

    pub fn world(&self) -> &World {
        match &self.below {
            Below::Sqlite(world) => world,
            Below::Postgres(_) => panic!("on SQLite only"),
        }
    }

    pub fn kernel(&self) -> &Kernel {
        match &self.below {
            Below::Sqlite(world) => &world.kernel,
            Below::Postgres(postgres) => &postgres.kernel,
        }
    }

    fn request(&self) -> Request {
        self.kernel().request(Caller::server("test"))
    }

    pub fn call<I, O>(&self, op: &'static Op<I, O>, input: I) -> OpResult<O>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        if let Below::Sqlite(world) = &self.below {
            return world.call_as(op, self.request(), input).map(|reply| reply.out);
        }
        let (tell, told) = channel();
        let ns = self.kernel().namespace("main").expect("main");
        self.kernel().call(&ns, op, self.request(), input, Box::new(move |reply| tell.send(reply).expect("heard")));
        told.recv().expect("an answer").map(|reply| reply.out)
    }

    pub fn read<I: Send + 'static, O: Send + 'static>(&self, query: &'static Query<I, O>, input: I) -> OpResult<O> {
        let (tell, told) = channel();
        let ns = self.kernel().namespace("main").expect("main");
        self.kernel().read(&ns, query, input, Box::new(move |reply| tell.send(reply).expect("heard")));
        told.recv().expect("an answer")
    }

    /// The number that a statement of the test's gives.
    pub fn count(&self, sql: &'static Sql) -> i64 {
        static COUNT: Query<&'static Sql, i64> =
            Query::new("test.count", |tx, sql| Ok(tx.query_one(sql, base::args![])?.map_or(0, |row| row.int(0))));
        self.read(&COUNT, sql).expect("a number")
    }

    /// Every invariant of the service holds.
    pub fn check(&self) {
        static CHECK: Query<usize, Vec<String>> = Query::new("test.check", |tx, place| {
            let found = (folders::SERVICE.invariants[*place].check)(tx)?;
            Ok(found.into_iter().map(|violation| violation.0).collect())
        });
        for (place, invariant) in folders::SERVICE.invariants.iter().enumerate() {
            assert_eq!(self.read(&CHECK, place), Ok(vec![]), "{}", invariant.name);
        }
    }

    /// A directory of this device, in which anybody of `others` writes.
    pub fn directory(&self, owner: &Who, others: &[&Who]) -> String {
        let made = self.call(&CREATE, Create { who: owner.clone(), name: "work".into() }).expect("created");
        for other in others {
            self.member(owner, &made.directory, &other.key, Right::Write).expect("a member");
        }
        made.directory
    }

    pub fn member(&self, by: &Who, directory: &str, who: &str, role: Right) -> OpResult<()> {
        let member = Member { by: by.clone(), directory: directory.to_owned(), who: who.to_owned(), role };
        self.call(&PUT_MEMBER, member)
    }

    pub fn try_ask(&self, who: &Who, directory: &str, told: Told, files: Vec<Asked>) -> OpResult<Asking> {
        let ask = Ask { who: who.clone(), directory: directory.to_owned(), told, files, lease_ms: 30_000 };
        self.call(&ASK, ask)
    }

    /// Asks as somebody who was told everything.
    pub fn ask(&self, who: &Who, directory: &str, files: Vec<Asked>) -> Asking {
        let told = Told { seq: self.changes(who, directory, 0).seq, beyond: vec![] };
        self.try_ask(who, directory, told, files).expect("answered")
    }

    /// Keeps bytes as chunks of one segment; its id, or none if there are no bytes.
    pub fn keep(&self, bytes: &[u8]) -> Vec<String> {
        let chunks: Vec<(String, u64)> =
            bytes.chunks(1 << 20).map(|chunk| (self.blob(chunk), chunk.len() as u64)).collect();
        let digests: Vec<_> = chunks.iter().map(|(sha, _)| sha.parse::<base::Sha>().expect("a digest").0).collect();
        let keep = |of: std::ops::Range<usize>| self.call(&SEGMENT, NewSegment { chunks: chunks[of].to_vec() });
        synxpo::segments::cut(&digests).into_iter().map(|of| keep(of).expect("a segment")).collect()
    }

    pub fn blob(&self, bytes: &[u8]) -> String {
        let id = self.request().id;
        let mut upload = Upload::begin(&self.blobs, id, None, None, 1 << 30).expect("begun");
        upload.write(bytes).expect("written");
        let stored = upload.finish(self.read(&NOW, ()).expect("a time")).expect("finished");
        let sha = stored.name.sha.to_string();
        self.call(&PUT_BLOB, stored).expect("put");
        sha
    }

    pub fn try_finish(&self, who: &Who, directory: &str, upload: &str, files: &[(&str, &[u8])]) -> OpResult<Asking> {
        let told = Told { seq: self.changes(who, directory, 0).seq, beyond: vec![] };
        let written = |(id, bytes): &(&str, &[u8])| Written {
            id: (*id).to_owned(),
            segments: self.keep(bytes),
            hash: Some(hash(bytes)),
        };
        let files = files.iter().map(written).collect();
        self.call(&FINISH, Finish { upload: upload.to_owned(), told, files })
    }

    /// Writes one file from the asking to the commit.
    pub fn put(&self, who: &Who, directory: &str, asked: Asked, bytes: &[u8]) -> FileMeta {
        let (upload, wanted) = allowed(self.ask(who, directory, vec![asked]));
        let done = self.try_finish(who, directory, &upload, &[(&wanted[0].1, bytes)]).expect("finished");
        increased(done).remove(0)
    }

    /// What changed after a commit, in one page.
    pub fn changes(&self, who: &Who, directory: &str, after: u64) -> Changes {
        let mut all = Changes { files: vec![], seq: after, file: String::new(), more: true };
        while all.more {
            let page = self.page(who, directory, (all.seq, &all.file), 1_000, false);
            all = Changes { files: [all.files, page.files].concat(), ..page };
        }
        all
    }

    pub fn page(&self, who: &Who, directory: &str, from: (u64, &str), limit: usize, each: bool) -> Changes {
        let of = ChangesOf {
            who: who.clone(),
            directory: directory.to_owned(),
            after: from.0,
            after_file: from.1.to_owned(),
            limit,
            each,
        };
        self.read(&CHANGES, of).expect("a page")
    }

    /// Paths of what is there.
    pub fn paths(&self, who: &Who, directory: &str) -> Vec<String> {
        let files = self.changes(who, directory, 0).files;
        let mut paths: Vec<String> = files.into_iter().filter(|file| !file.deleted).map(|file| file.path).collect();
        paths.sort();
        paths
    }
}

/// A device with a key of its own.
pub fn device(name: &str) -> Who {
    Who { client: format!("client {name}"), device: name.to_owned(), key: format!("key {name}"), is_admin: false }
}

/// A change of content at a path.
pub fn edit(path: &str, try_us: i64) -> Asked {
    Asked {
        id: None,
        kind: Kind::File,
        path: path.to_owned(),
        deleted: false,
        content_changed: true,
        try_us,
        base: None,
        size: None,
        hash: None,
        mtime_us: None,
        executable: None,
        target: None,
    }
}

/// A change of a file that is there, without content.
pub fn rename(file: &FileMeta, path: &str, try_us: i64) -> Asked {
    Asked {
        id: Some(file.id.clone()),
        kind: file.kind,
        content_changed: false,
        base: Some(file.version),
        ..edit(path, try_us)
    }
}

pub fn delete(file: &FileMeta, try_us: i64) -> Asked {
    Asked { deleted: true, ..rename(file, &file.path, try_us) }
}

/// New content of a file that is there.
pub fn rewrite(file: &FileMeta, try_us: i64) -> Asked {
    Asked { content_changed: true, ..rename(file, &file.path, try_us) }
}

pub fn folder(path: &str) -> Asked {
    Asked { kind: Kind::Folder, content_changed: false, ..edit(path, 0) }
}

pub fn hash(bytes: &[u8]) -> String {
    Sha(Sha256::digest(bytes).into()).to_string()
}

pub fn allowed(asking: Asking) -> (String, Vec<(usize, String)>) {
    match asking {
        Asking::Allowed { upload, wanted } => (upload, wanted),
        other => panic!("not allowed: {other:?}"),
    }
}

pub fn increased(asking: Asking) -> Vec<FileMeta> {
    match asking {
        Asking::Increased { files, .. } => files,
        other => panic!("not increased: {other:?}"),
    }
}

pub fn denied(asking: Asking) -> (Vec<FileStatus>, i64) {
    match asking {
        Asking::Denied { files, look_ms } => (files, look_ms),
        other => panic!("not denied: {other:?}"),
    }
}
