//! Backups and checks of data whose `z` knows of more than is there.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;

use base::{OpResult, Sql, args};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::{Caller, Env, Kernel, KernelConfig, Op, Reply};
use store_sqlite::InlineStore;

use super::*;
use crate::check;

static INSERT: Sql = Sql::new(
    "namespace.test_moved",
    "INSERT INTO namespace (name, label, engine, place, home, url, state, message, reopens_at, limits, created_at, version, temporary) \
     VALUES ('shop', '', ?1, 'shop-0123456789abc', 'node', NULL, 'open', '', NULL, '{}', 1, 1, 0)",
);
static LIST_SHOP: Op<String, bool> =
    Op::new("backup.test_move", |tx, _, engine| Ok(tx.execute(&INSERT, args![engine])? == 1));

/// A data directory whose `z` says that `shop` is on PostgreSQL, by the server's own address: a move left it so.
fn moved(data: &Path) -> Config {
    listed(data, "postgres")
}

/// A store with the kernel's tables at a place, of which it is the administrators' namespace.
fn kernel(data: &Path, place: &str) -> Kernel {
    let place = data.join("namespaces").join(place);
    disk::make_folder(&place).unwrap();
    let clock = Arc::new(RealClock::new());
    let store = Arc::new(InlineStore::open(&place.join(source::STORE), clock.clone()).unwrap());
    let env = Env { clock, entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
    Kernel::open(env, KernelConfig::default(), &[], vec![("z".into(), store)]).unwrap()
}

/// A data directory whose `z` lists `shop`.
fn listed(data: &Path, engine: &str) -> Config {
    let kernel = kernel(data, "z");
    let (tell, told) = channel();
    let done = Box::new(move |reply: OpResult<Reply<bool>>| drop(tell.send(reply)));
    let request = kernel.request(Caller::server("test"));
    kernel.call(&kernel.admin_namespace(), &LIST_SHOP, request, engine.to_owned(), done);
    assert!(told.recv().unwrap().unwrap().out);
    let mut config = Config::default();
    config.data.dir = data.to_owned();
    config
}

#[test]
fn ker_37_a_backup_without_a_namespace_that_was_moved_to_postgresql_is_not_called_whole() {
    let folder = tempfile::tempdir().unwrap();
    let config = moved(&folder.path().join("data"));
    let wish = |namespace: Option<&str>| Wish {
        to: folder.path().join("backups"),
        namespace: namespace.map(str::to_owned),
        keep: None,
    };
    let written = write(&config, &wish(None), &Progress::none()).unwrap();
    let told: Vec<_> = written.elsewhere.iter().map(|it| (it.name.as_str(), it.why, it.last.as_ref())).collect();
    assert_eq!(told, [("shop", Why::NoUrl, None)]);
    let refused = write(&config, &wish(Some("shop")), &Progress::none()).unwrap_err();
    assert!(refused.to_string().contains("store.url is not set here"), "{refused}");
}

#[test]
fn ker_37_the_last_backup_with_a_namespace_whose_file_is_gone_is_named_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (data, to) = (folder.path().join("data"), folder.path().join("backups"));
    let config = listed(&data, "sqlite");
    drop(kernel(&data, "shop-0123456789abc"));
    let wish = Wish { to: to.clone(), namespace: None, keep: Some(1) };
    let whole = write(&config, &wish, &Progress::none()).unwrap();
    assert_eq!(whole.elsewhere, []);
    let shop = whole.manifest.namespaces.iter().find(|it| it.title() == "shop").expect("by the name that people know");
    assert_eq!((shop.name.as_str(), shop.namespace.as_deref()), ("shop-0123456789abc", Some("shop")));
    assert_eq!(Manifest::read(&whole.folder).unwrap(), whole.manifest);
    disk::remove_tree(&data.join("namespaces/shop-0123456789abc")).unwrap();
    for nights in 1..=3 {
        let written = write(&config, &wish, &Progress::none()).unwrap();
        let told: Vec<_> = written.elsewhere.iter().map(|it| (it.why, it.last.as_ref())).collect();
        assert_eq!(told, [(Why::NoFile, Some(&whole.folder))], "after {nights} nights");
        assert_eq!(finished(&to).unwrap(), [whole.folder.clone(), written.folder]);
    }
}

#[test]
fn ker_37_a_check_that_cannot_look_at_a_moved_namespace_finds_that() {
    let folder = tempfile::tempdir().unwrap();
    let config = moved(folder.path());
    let report = check::data(&config, &[], &Progress::none()).unwrap();
    let found: Vec<_> = report.findings.iter().map(|it| (it.place.as_str(), it.what.as_str())).collect();
    assert_eq!(found, [("namespace shop", "it is on PostgreSQL, and store.url is not set here")]);
}
