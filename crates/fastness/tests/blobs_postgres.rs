//! KER-26 on PostgreSQL: put, refer, let go, mark, collect. The same operations as on SQLite, on the other engine.

use std::sync::{Arc, mpsc};

use base::{Call, CallResult, Id, OpResult, Sha, Sql, Store, Wall, args};
use host::{DiskBlobs, OsEntropy, RealClock, ThreadTimers};
use kernel::blobs::{COLLECT, FIND_BLOB, MARK, NOW, Owner, PUT_BLOB, PutBlob, USAGE, Upload, perform, refer, unrefer};
use kernel::{Caller, Env, Kernel, KernelConfig, Op, Plan, Query, TaskDef, TaskRow};
use serde::Serialize;
use serde::de::DeserializeOwned;
use store_postgres::{PostgresConfig, PostgresStore};

static TASKS: [TaskDef; 2] = [MARK, COLLECT];
static AT_ONCE: Sql = Sql::new("test.at_once", "INSERT INTO blob_rule (id, grace_ms, delay_ms) VALUES (1, 0, 0)");
static SET: Op<(), ()> = Op::new("test.set", |tx, _, ()| Ok(tx.write(&AT_ONCE, args![])?));
static TAKE: Op<Sha, ()> = Op::new("test.take", |tx, cx, sha| refer(tx, cx, *sha, &Owner { kind: "test", id: "a" }));
static LEAVE: Op<Sha, ()> =
    Op::new("test.leave", |tx, cx, sha| unrefer(tx, cx, *sha, &Owner { kind: "test", id: "a" }));
static STEP: Op<(usize, Option<CallResult>), Option<String>> = Op::new("test.step", |tx, cx, (task, came)| {
    let task = &TASKS[*task];
    let row = TaskRow::first_attempt(cx.id(), task.op, "null", cx.wall);
    let plan = match came {
        Some(result) => (task.settle)(tx, cx, &row, result)?,
        None => (task.plan)(tx, cx, &row)?,
    };
    Ok(match plan {
        Plan::Call(Call::Work(call)) => Some(call.param),
        _ => None,
    })
});

struct World(Kernel);

impl World {
    fn call<I, O>(&self, op: &'static Op<I, O>, input: I) -> OpResult<O>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let (tell, told) = mpsc::channel();
        let request = self.0.request(Caller::server("test"));
        let done = Box::new(move |reply: OpResult<kernel::Reply<O>>| drop(tell.send(reply)));
        self.0.call(&self.0.admin_namespace(), op, request, input, done);
        told.recv().expect("an answer").map(|reply| reply.out)
    }

    fn read<I: Send + 'static, O: Send + 'static>(&self, query: &'static Query<I, O>, input: I) -> OpResult<O> {
        let (tell, told) = mpsc::channel();
        self.0.read(&self.0.admin_namespace(), query, input, Box::new(move |out| drop(tell.send(out))));
        told.recv().expect("an answer")
    }
}

#[test]
fn ker_26_blobs_live_and_end_on_postgres() {
    let url = std::env::var("FASTNESS_TEST_POSTGRES").expect("FASTNESS_TEST_POSTGRES is not set: run `cargo xtask ci`");
    let (clock, entropy) = (Arc::new(RealClock::new()), Arc::new(OsEntropy));
    let config = PostgresConfig::new(url, format!("blobs_{}", std::process::id()));
    let store: Arc<dyn Store> = Arc::new(PostgresStore::open(config, clock.clone(), entropy.clone()).expect("a store"));
    let env = Env { clock, entropy, timers: Arc::new(ThreadTimers::new()) };
    let stores = vec![("z".to_owned(), store.clone())];
    let world = World(Kernel::open(env, KernelConfig::default(), &[], stores).expect("the schema"));
    let folder = tempfile::tempdir().expect("a folder");
    let blobs = DiskBlobs::open(folder.path()).expect("a place");
    world.call(&SET, ()).expect("a rule");
    let upload = |upload: i64| {
        let mut upload = Upload::begin(&blobs, Id::new(Wall(upload), [0; 10]), None, None, 100).expect("an upload");
        upload.write(b"hello").expect("room");
        upload.finish(world.read(&NOW, ()).expect("the time")).expect("durable bytes")
    };
    let stored = upload(1);
    let sha = stored.name.sha;
    assert_eq!(world.call(&TAKE, sha).expect_err("no row yet").code.name, "NBLOB");
    assert_eq!(world.call(&PUT_BLOB, stored), Ok(PutBlob::New));
    assert_eq!(world.call(&PUT_BLOB, upload(2)), Ok(PutBlob::Known));
    world.call(&TAKE, sha).expect("a reference");
    let collect = || {
        assert_eq!(world.call(&STEP, (0, None)), Ok(None));
        let mut came = None;
        while let Some(param) = world.call(&STEP, (1, came)).expect("a step") {
            let (name, namespace) = (kernel::blobs::REMOVE, "z".to_owned());
            came = Some(perform(&blobs, &base::WorkCall { name, namespace, param, timeout_ms: 1 }));
        }
        base::Blobs::list(&blobs, None, 9).expect("a list").len()
    };
    assert_eq!(collect(), 1, "the second copy is gone");
    assert_eq!(world.read(&FIND_BLOB, sha).expect("a row").read_piece(&blobs, 0).expect("whole"), b"hello");
    world.call(&LEAVE, sha).expect("no reference");
    assert_eq!(collect(), 0);
    assert_eq!(world.read(&USAGE, ()).expect("a sum").blobs, 0);
    store.close();
}
