//! A store that was made before it was written down who changed what opens, reads, and is written from there on.

use std::sync::Arc;
use std::sync::mpsc::channel;

use base::{Sql, Store, args};
use documents::{CHANGES, COMMIT, DECLARE, READ, SHOW, ViewOf};
use kernel::{Caller, Env, Kernel, KernelConfig, Op, Query, ServiceDef};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use store_sqlite::InlineStore;
use testbed::ManualClock;

use crate::who::viewer;

static CLASS: Sql = Sql::new(
    "test.class",
    "INSERT INTO doc_class (class, compiled, version) VALUES ('Contact', \
     '{\"decl\":{\"class\":\"Contact\",\"items\":{\"Card\":{\"singleton\":true}}},\"fields\":[],\"sources\":{}}', 261115120000000)",
);
static HEAD: Sql = Sql::new(
    "test.head",
    "INSERT INTO doc (class, id, version, ctime, dtime, v1, v2, live, gone, op, who) VALUES ('Contact', 'a', 261115120000000, \
     261115120000000, 261115120000000, 14, 0, 1, 0, 'doc.commit', 'ada')",
);
static ITEM: Sql = Sql::new(
    "test.item",
    "INSERT INTO doc_item (class, id, item, key, version, ord, raw, content) VALUES ('Contact', 'a', 'Card', '', \
     261115120000000, 261115120000000, 0, '{\"name\":\"Ada\"}')",
);
/// Writes as the version before did.
static WRITE: Op<(), ()> = Op::new("test.write", |tx, _, ()| {
    [&CLASS, &HEAD, &ITEM].into_iter().try_for_each(|sql| tx.write(sql, args![]))?;
    Ok(())
});

fn call<I, O>(kernel: &Kernel, op: &'static Op<I, O>, who: &str, input: I) -> O
where
    I: Send + 'static,
    O: Serialize + DeserializeOwned + Send + 'static,
{
    let (tell, told) = channel();
    let request = kernel.request(Caller { name: who.to_owned(), ..Caller::server("test") });
    kernel.call(&kernel.admin_namespace(), op, request, input, Box::new(move |reply| tell.send(reply).unwrap()));
    told.recv().unwrap().unwrap().out
}

fn read<I: Send + 'static, O: Send + 'static>(kernel: &Kernel, query: &'static Query<I, O>, input: I) -> O {
    let (tell, told) = channel();
    kernel.read(&kernel.admin_namespace(), query, input, Box::new(move |reply| tell.send(reply).unwrap()));
    told.recv().unwrap().unwrap()
}

fn open(env: &dyn Fn() -> Env, store: &Arc<dyn Store>, service: &'static ServiceDef) -> Kernel {
    Kernel::open(env(), KernelConfig::default(), &[service], vec![("z".to_owned(), store.clone())]).unwrap()
}

/// What holds on every engine.
pub fn check(env: &dyn Fn() -> Env, store: &Arc<dyn Store>) {
    let migrations = &documents::SERVICE.migrations[..1];
    let before = ServiceDef { name: "documents", migrations, ..ServiceDef::EMPTY };
    call(&open(env, store, Box::leak(Box::new(before))), &WRITE, "ada", ());
    let kernel = open(env, store, &documents::SERVICE);
    let at = || ("Contact".to_owned(), "a".to_owned());
    let view = || ViewOf { class: "Contact".into(), id: "a".into(), viewer: viewer(None) };
    let item = |kernel: &Kernel| read(kernel, &SHOW, view()).items.remove(0);
    assert_eq!(read(&kernel, &READ, at()).copy.items.len(), 1);
    let card = item(&kernel);
    assert_eq!((card.who.as_str(), card.op.as_str(), card.bytes), ("", "", 14), "nobody wrote that down");
    assert_eq!(card.j, Some(json!({ "name": "Ada" })));
    let decl = json!({ "class": "Contact", "history": true, "items": { "Card": { "singleton": true } } });
    call(&kernel, &DECLARE, "ada", serde_json::from_value(decl).unwrap());
    let change =
        json!({ "changes": [{ "c": "Contact", "id": "a", "items": [{ "c": "Card", "j": { "name": "Bob" } }] }] });
    call(&kernel, &COMMIT, "bob", serde_json::from_value(change).unwrap());
    assert_eq!(item(&kernel).who, "bob");
    assert_eq!(read(&kernel, &CHANGES, view()).len(), 1);
}

#[test]
fn con_5_doc_2_a_store_made_before_opens_and_reads() {
    let clock = Arc::new(ManualClock::default());
    let store: Arc<dyn Store> = Arc::new(InlineStore::in_memory(clock).unwrap());
    let world = testbed::World::of(&[&documents::SERVICE]);
    let env = || world.kernel.env().clone();
    check(&env, &store);
}
