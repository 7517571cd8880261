//! What is kept in memory of documents (KER-12).

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use base::{OpResult, Store};
use documents::{COMMIT, Commit, DECLARE, FullDoc, Looks, READ_LOOKED, SYNC, Shelf, SyncOf, Synced, look};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::{Caller, Env, Kernel, KernelConfig, Namespace, Nodes, Op, Query, Reply};
use replica::Held;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use store_sqlite::{SqliteConfig, SqliteStore};

use crate::kit::{Desk, code};

/// One kernel, asked as requests ask it.
struct Node(Kernel);

impl Node {
    /// Another node on the data of a desk.
    fn beside(desk: &Desk, nodes: Nodes) -> Self {
        let stores = desk.0.kernel.namespaces().iter().map(|ns| (ns.name.clone(), ns.store.clone())).collect();
        let config = KernelConfig { nodes, ..KernelConfig::default() };
        Self(Kernel::open(desk.0.kernel.env().clone(), config, &[&documents::SERVICE], stores).unwrap())
    }

    fn main(&self) -> Arc<Namespace> {
        self.0.namespace("main").unwrap()
    }

    fn call<I, O>(&self, op: &'static Op<I, O>, input: I) -> OpResult<O>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let (tell, told) = channel();
        let done = Box::new(move |reply: OpResult<Reply<O>>| tell.send(reply).unwrap());
        self.0.call(&self.main(), op, self.0.request(Caller::server("test")), input, done);
        told.recv().unwrap().map(|reply| reply.out)
    }

    fn ask<I: Send + 'static, O: Send + 'static>(&self, query: &'static Query<I, O>, input: I) -> OpResult<O> {
        let (tell, told) = channel();
        self.0.read(&self.main(), query, input, Box::new(move |result| tell.send(result).unwrap()));
        told.recv().unwrap()
    }

    /// Puts the card of a contact; the version.
    fn put(&self, id: &str, name: &str) -> i64 {
        let card = json!({ "c": "Card", "j": { "name": name } });
        self.commit(json!([{ "c": "Contact", "id": id, "items": [card] }]))
    }

    fn put_raw(&self, id: &str, bytes: usize) -> i64 {
        let text = json!({ "c": "Raw", "k": "r", "s": "x".repeat(bytes) });
        self.commit(json!([{ "c": "Contact", "id": id, "items": [text] }]))
    }

    fn commit(&self, changes: Value) -> i64 {
        let commit: Commit = serde_json::from_value(json!({ "changes": changes })).unwrap();
        self.call(&COMMIT, commit).unwrap().version.map_or(0, |stamp| stamp.number())
    }

    /// Reads a contact as `doc.get` does; whether it was at hand.
    fn get(&self, id: &str, tolerance_s: u32) -> OpResult<(Arc<FullDoc>, bool)> {
        let look = look(&self.0, &self.main(), "Contact", id, tolerance_s);
        match look.at_hand() {
            Some(doc) => Ok((doc, true)),
            None => Ok((self.ask(&READ_LOOKED, look)?, false)),
        }
    }

    fn version(&self, id: &str, tolerance_s: u32) -> (i64, bool) {
        let (doc, at_hand) = self.get(id, tolerance_s).unwrap();
        (doc.copy.head.v, at_hand)
    }

    fn sync(&self, held: Vec<Held>) -> OpResult<Synced> {
        let looks = held.iter().map(|held| look(&self.0, &self.main(), &held.c, &held.id, 0)).collect();
        let (caller, properties, filters) = (Caller::public(), Default::default(), Default::default());
        self.ask(&SYNC, SyncOf { caller, properties, held, epoch: None, filters, looks: Looks(looks) })
    }

    fn shelf(&self) -> Arc<Shelf> {
        self.0.common()
    }
}

fn held(id: &str, v: i64, ct: i64) -> Held {
    Held { v, ct, dt: ct, ..Held::nothing("Contact", id) }
}

#[test]
fn ker_12_alone_a_node_trusts_what_it_keeps_and_a_commit_takes_it_out() {
    let desk = Desk::new();
    let node = Node::beside(&desk, Nodes::One);
    let first = node.put("a", "x");
    assert_eq!(node.version("a", 0), (first, false));
    assert_eq!(node.version("a", 0), (first, true));
    let second = node.put("a", "y");
    assert_eq!(node.version("a", 3_600), (second, false), "also with a tolerance");
    assert_eq!(node.version("a", 0), (second, true));
    node.commit(json!([{ "c": "Contact", "id": "a", "delete": true }]));
    assert_eq!(code(node.get("a", 3_600)).0, "NDOC");
    assert_eq!(code(node.get("a", 3_600)).0, "NDOC", "what is not there is not kept");
}

#[test]
fn ker_12_a_refused_operation_leaves_what_the_store_holds() {
    let desk = Desk::new();
    let node = Node::beside(&desk, Nodes::One);
    let version = node.put("a", "x");
    static REFUSED: Op<(), ()> = Op::new("test.refused", |tx, cx, ()| {
        let mut docs = documents::DocSet::new();
        docs.get(tx, cx, "Contact", "a")?.put_json("Card", "", json!({ "name": "never" }))?;
        docs.save(tx, cx)?;
        Err(base::OpError::new(base::codes::ALIMIT, "on second thoughts"))
    });
    node.version("a", 0);
    assert_eq!(code(node.call(&REFUSED, ())).0, "ALIMIT");
    assert_eq!(node.version("a", 0), (version, false), "it was taken out");
    assert_eq!(node.version("a", 0), (version, true), "and is kept again");
}

#[test]
fn ker_12_among_several_nodes_versions_are_compared_and_tolerance_is_kept() {
    let desk = Desk::new();
    let (one, two) = (Node::beside(&desk, Nodes::Several), Node::beside(&desk, Nodes::Several));
    let first = one.put("a", "x");
    assert_eq!(one.version("a", 0), (first, false));
    assert_eq!(one.version("a", 10), (first, true), "just read");
    let second = two.put("a", "y");
    assert_eq!(one.version("a", 0), (second, false), "the newest is asked for in the store");
    let third = two.put("a", "z");
    desk.0.pass_ms(10_000);
    assert_eq!(one.version("a", 10), (second, true), "ten seconds old is borne");
    desk.0.pass_ms(1);
    assert_eq!(one.version("a", 11), (second, true));
    assert_eq!(one.version("a", 10), (third, false), "more is not");
    assert_eq!(one.version("a", 0), (third, false));
    desk.0.pass_ms(9_000);
    one.version("a", 0);
    desk.0.pass_ms(9_000);
    assert_eq!(one.version("a", 10), (third, true), "a comparison counts as read");
}

#[test]
fn ker_12_what_two_nodes_keep_comes_from_the_store_only_where_versions_differ() {
    let desk = Desk::new();
    let (one, two) = (Node::beside(&desk, Nodes::Several), Node::beside(&desk, Nodes::Several));
    one.put("a", "x");
    let before = one.get("a", 0).unwrap().0;
    assert!(Arc::ptr_eq(&before, &one.get("a", 0).unwrap().0), "its items were not read again");
    two.put("a", "y");
    assert!(!Arc::ptr_eq(&before, &one.get("a", 0).unwrap().0));
}

#[test]
fn ker_12_what_is_kept_is_bounded_by_bytes_and_age() {
    let desk = Desk::new();
    let node = Node::beside(&desk, Nodes::One);
    let shelf = node.shelf();
    shelf.set_limits(20_000, 60_000_000);
    for n in 0..100 {
        node.put_raw(&n.to_string(), 1_000);
        node.version(&n.to_string(), 0);
        node.version("0", 0);
        assert!(shelf.bytes() <= 20_000, "{}", shelf.bytes());
    }
    assert!(node.version("0", 0).1 && node.version("99", 0).1, "used lately");
    assert!(!node.version("1", 0).1, "not used for long");
    desk.0.pass_ms(60_001);
    assert!(!node.version("0", 0).1, "too old, though alone");
    node.put_raw("large", 30_000);
    node.version("large", 0);
    assert!(!node.version("large", 0).1 && shelf.bytes() <= 20_000, "larger than all room");
    shelf.set_limits(0, 60_000_000);
    assert_eq!(shelf.bytes(), 0);
}

#[test]
fn doc_9_ker_12_synchronisation_from_memory_is_that_from_the_store() {
    let desk = Desk::new();
    let node = Node::beside(&desk, Nodes::One);
    let v1 = node.put("a", "x");
    assert!(node.sync(vec![held("a", v1, v1)]).unwrap().syncs.is_empty(), "the head was put back by the commit");
    let v2 = node.put("a", "y");
    for at_hand in [false, true] {
        assert_eq!(look(&node.0, &node.main(), "Contact", "a", 0).at_hand().is_some(), at_hand);
        for of in [held("a", v1, v1), held("a", v2, v1), Held::nothing("Contact", "a"), held("a", v2, 5)] {
            assert_eq!(node.sync(vec![of.clone()]), desk.sync(vec![of]));
        }
        assert_eq!(code(node.sync(vec![held("a", v2 + 1, v1)])).0, "AVERSION");
        node.version("a", 0);
    }
    node.commit(json!([{ "c": "Contact", "id": "a", "delete": true }]));
    assert_eq!(node.sync(vec![held("a", v2, v1)]).unwrap().syncs[0].v, 0);
    assert_eq!(code(node.sync(vec![Held::nothing("Nope", "a")])).0, "NCLASS");
}

#[test]
fn doc_9_a_caller_that_names_no_epoch_is_level_until_the_first_restore() {
    let desk = Desk::new();
    let node = Node::beside(&desk, Nodes::One);
    let version = node.put("a", "x");
    let (tell, told) = channel();
    node.0.epoch(&node.main(), Box::new(move |epoch| tell.send(epoch).unwrap()));
    let epoch = told.recv().unwrap().unwrap();
    let synced = node.sync(vec![held("a", version, version)]).unwrap();
    assert_eq!((synced.syncs, synced.epoch), (vec![], epoch));
}

#[test]
fn ker_12_another_life_of_a_namespace_finds_nothing_of_the_former() {
    let desk = Desk::new();
    let node = Node::beside(&desk, Nodes::One);
    node.put("a", "x");
    node.version("a", 0);
    let store = node.main().store.clone();
    node.0.add_namespace("main".into(), store).unwrap();
    assert!(!node.version("a", 0).1);
}

/// Writers acknowledge versions, readers must not see older ones; thousands of times, on real threads and the real engine.
#[test]
fn ker_12_no_reader_sees_less_than_what_was_acknowledged() {
    const DOCUMENTS: usize = 4;
    const COMMITS: usize = 1_000;
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(RealClock::new());
    let env = Env { clock: clock.clone(), entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
    let stores = ["main", "z"].map(|name| {
        let store = SqliteStore::open(&folder.path().join(name), SqliteConfig::default(), clock.clone()).unwrap();
        (name.to_owned(), Arc::new(store) as Arc<dyn Store>)
    });
    let node = Node(Kernel::open(env, KernelConfig::default(), &[&documents::SERVICE], stores.into()).unwrap());
    let class = json!({ "class": "Contact", "items": { "Card": { "singleton": true } } });
    node.call(&DECLARE, serde_json::from_value(class).unwrap()).unwrap();
    let acknowledged: [AtomicI64; DOCUMENTS] = std::array::from_fn(|n| AtomicI64::new(node.put(&n.to_string(), "0")));
    let (writing, at_hand) = (AtomicUsize::new(DOCUMENTS), AtomicUsize::new(0));
    let write = |n: usize| {
        for count in 0..COMMITS {
            acknowledged[n].store(node.put(&n.to_string(), &count.to_string()), Ordering::SeqCst);
        }
        writing.fetch_sub(1, Ordering::SeqCst);
    };
    let read = |first: usize| {
        for n in (first..).take_while(|_| writing.load(Ordering::SeqCst) > 0).map(|n| n % DOCUMENTS) {
            let least = acknowledged[n].load(Ordering::SeqCst);
            let (version, kept) = node.version(&n.to_string(), 0);
            assert!(version >= least, "{version} though {least} was acknowledged (kept: {kept})");
            at_hand.fetch_add(usize::from(kept), Ordering::Relaxed);
            let level = node.sync(vec![held(&n.to_string(), least, 1)]).unwrap().syncs;
            assert!(level.iter().all(|upgrade| upgrade.v >= least));
        }
    };
    std::thread::scope(|scope| {
        (0..DOCUMENTS).for_each(|n| drop(scope.spawn(move || write(n))));
        (0..3).for_each(|n| drop(scope.spawn(move || read(n))));
    });
    assert!(at_hand.into_inner() > 100, "hardly anything was ever kept: nothing was tested");
    node.0.namespaces().iter().for_each(|ns| ns.store.close());
}
