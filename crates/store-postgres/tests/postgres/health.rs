//! KER-31: while the server is gone or full everybody is answered at once, and service resumes by itself.

use std::sync::Arc;

use base::{Health, Outcome, Sql, Store, StoreError, Verdict, args};
use store_suite::{Gate, work};

use crate::proxy::{Fault, Proxy};
use crate::sandbox::{ITEM_INSERT, Sandbox, WORD_INSERT, ids, insert, until, until_good, url};

static WORD_DELETE: Sql = Sql::new("word.delete", "DELETE FROM word WHERE word = ?1");

fn is_unavailable(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Failed(StoreError::Unavailable(_)))
}

#[test]
fn ker_31_a_server_that_is_gone_is_noticed_and_found_again() {
    let proxy = Proxy::new(&url());
    let sandbox = Sandbox::through(&proxy.url(&url()));
    let store: Arc<dyn Store> = sandbox.open();
    assert_eq!(insert(1).outcome(&*store), Outcome::Committed);
    proxy.set(Fault::Refuse);
    assert!(is_unavailable(&insert(2).outcome(&*store)));
    assert!(matches!(store.health(), Health::Down(_)), "{:?}", store.health());
    // At once: the answers are there when submit returns.
    let refused: Vec<_> = (10..200).map(|id| insert(id).submit(&*store)).collect();
    assert!(refused.iter().all(|answer| answer.now().as_ref().is_some_and(is_unavailable)));
    let read = work("read", |_| Ok(Verdict::Keep)).read(&*store);
    assert!(read.now().as_ref().is_some_and(is_unavailable));
    assert_eq!(store.waiting(), 0);
    proxy.set(Fault::None);
    until_good(&*store);
    assert_eq!(insert(3).outcome(&*store), Outcome::Committed);
    assert_eq!(ids(&*store), [1, 3]);
}

#[test]
fn ker_31_those_that_wait_are_told_when_the_server_goes() {
    let proxy = Proxy::new(&url());
    let sandbox = Sandbox::through(&proxy.url(&url()));
    let store: Arc<dyn Store> = sandbox.open();
    let gate = Gate::close(&store, 1);
    let waiting: Vec<_> = (0..50).map(|id| insert(id).keys(&[1]).submit(&*store)).collect();
    proxy.set(Fault::Refuse);
    let noticing = insert(99).keys(&[2]).outcome(&*store);
    assert!(is_unavailable(&noticing), "{noticing:?}");
    assert!(waiting.into_iter().all(|answer| is_unavailable(&answer.outcome())), "while the gate is still shut");
    drop(gate);
    proxy.set(Fault::None);
    until_good(&*store);
    assert_eq!(insert(1).keys(&[1]).outcome(&*store), Outcome::Committed, "the key is free");
}

#[test]
fn ker_30_an_idle_store_notices_that_its_server_went() {
    let proxy = Proxy::new(&url());
    let sandbox = Sandbox::through(&proxy.url(&url()));
    let store = sandbox.open();
    proxy.set(Fault::Refuse);
    until("an idle store notices", || matches!(store.health(), Health::Down(_)));
    proxy.set(Fault::None);
    until_good(&*store);
}

#[test]
fn a_store_does_not_open_without_its_server() {
    let proxy = Proxy::new(&url());
    proxy.set(Fault::Refuse);
    let config = store_postgres::PostgresConfig::new(proxy.url(&url()), "nowhere");
    let clock = Arc::new(host::RealClock::new());
    let opened = store_postgres::PostgresStore::open(config, clock, Arc::new(host::OsEntropy));
    assert!(matches!(opened.err(), Some(StoreError::Unavailable(_))));
}

#[test]
fn ker_31_a_full_disk_refuses_new_work_and_lets_work_end() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let admin = sandbox.admin();
    // The server's own answer to a full disk, without filling a disk.
    admin.run(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
         CREATE TRIGGER full_disk BEFORE INSERT ON word FOR EACH ROW EXECUTE FUNCTION full_disk()",
    );
    let grow = || work("grow", |tx| tx.write(&WORD_INSERT, args!["more"]).map(|()| Verdict::Keep));
    let end = || work("end", |tx| tx.write(&WORD_DELETE, args!["more"]).map(|()| Verdict::Keep)).ending();
    let outcome = grow().outcome(&*store);
    assert!(matches!(outcome, Outcome::Failed(StoreError::Full(_))), "{outcome:?}");
    if matches!(store.health(), Health::ReadOnly(_)) {
        // The probe may have found room already: then there is nothing to see.
        assert_eq!(end().outcome(&*store), Outcome::Committed);
        assert_eq!(ids(&*store), [0_i64; 0]);
    }
    until_good(&*store);
    admin.run("DROP TRIGGER full_disk ON word");
    assert_eq!(grow().outcome(&*store), Outcome::Committed);
    assert_eq!(admin.number("SELECT COUNT(*) FROM pg_tables WHERE tablename = 'store_probe'"), 0);
}

#[test]
fn ker_31_a_server_that_takes_no_writes_is_noticed_and_serves_reads() {
    let sandbox = Sandbox::new();
    let (admin, role) = (sandbox.admin(), sandbox.schema().to_owned());
    admin.run(&format!("CREATE ROLE {role} SUPERUSER LOGIN"));
    let others: Vec<String> =
        url().split_whitespace().filter(|word| !word.starts_with("user=")).map(Into::into).collect();
    let kill = format!("SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = '{role}'");
    {
        let store = sandbox.open_with(|config| config.url = format!("{} user={role}", others.join(" ")));
        assert_eq!(insert(1).outcome(&*store), Outcome::Committed);
        admin.run(&format!("ALTER ROLE {role} SET default_transaction_read_only = on"));
        admin.number(&kill);
        let outcome = work("write", |tx| tx.write(&ITEM_INSERT, args![2, 0]).map(|()| Verdict::Keep)).outcome(&*store);
        assert!(is_unavailable(&outcome), "{outcome:?}");
        assert!(matches!(store.health(), Health::ReadOnly(_)), "{:?}", store.health());
        assert!(insert(3).submit(&*store).now().as_ref().is_some_and(is_unavailable), "at once");
        assert_eq!(ids(&*store), [1]);
        admin.run(&format!("ALTER ROLE {role} RESET default_transaction_read_only"));
        admin.number(&kill);
        until_good(&*store);
        assert_eq!(insert(4).outcome(&*store), Outcome::Committed);
    }
    admin.run(&format!("REASSIGN OWNED BY {role} TO CURRENT_USER; DROP OWNED BY {role}; DROP ROLE {role}"));
}
