//! The same on PostgreSQL: every statement prepares, and searches find what the reference finds, in the order of bytes.

mod nodes;

use std::sync::Arc;
use std::sync::mpsc::channel;

use base::{OpResult, Outbound, Row, Sql, Store, Tx, args};
use documents::{
    CHANGES, CLASS_COUNTS, COMMIT, ChangeView, ClassCount, DECLARE, DocDetail, DocLines, Found, LIST, ListOf, SEARCH,
    SHOW, ViewOf, search_statements,
};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::tasks::Dispatcher;
use kernel::{Caller, Env, Kernel, KernelConfig, Op, Query, Reply};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use store_postgres::{PostgresConfig, PostgresStore};

use crate::kit::search_of;
use crate::search_model::{Ground, case, check};
use crate::who::{self, Scene};

/// Nothing here calls outside.
struct Nobody;

impl Outbound for Nobody {
    fn perform(&self, _: base::Call, _: Box<dyn FnOnce(base::CallResult) + Send>) {}
}

struct Postgres {
    kernel: Kernel,
    _dispatcher: Dispatcher,
}

impl Postgres {
    fn open(name: &str) -> Self {
        let url =
            std::env::var("FASTNESS_TEST_POSTGRES").expect("FASTNESS_TEST_POSTGRES is not set: run `cargo xtask ci`");
        let config = PostgresConfig::new(url, format!("{name}_{}", std::process::id()));
        let clock = Arc::new(RealClock::new());
        let store = PostgresStore::open(config, clock.clone(), Arc::new(OsEntropy)).expect("the store opens");
        let env = Env { clock, entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
        let stores = vec![("z".to_owned(), Arc::new(store) as Arc<dyn Store>)];
        let kernel =
            Kernel::open(env, KernelConfig::default(), &[&documents::SERVICE], stores).expect("the kernel opens");
        let dispatcher = Dispatcher::start(&kernel, Arc::new(Nobody));
        Self { kernel, _dispatcher: dispatcher }
    }

    fn read<I: Send + 'static, O: Send + 'static>(&self, query: &'static Query<I, O>, input: I) -> OpResult<O> {
        let (tell, told) = channel();
        let done = Box::new(move |found| tell.send(found).expect("somebody waits"));
        self.kernel.read(&self.kernel.admin_namespace(), query, input, done);
        told.recv().expect("an answer")
    }

    fn call<I, O>(&self, op: &'static Op<I, O>, input: I)
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        self.call_as(op, Caller::server("test"), input);
    }

    fn call_as<I, O>(&self, op: &'static Op<I, O>, caller: Caller, input: I) -> O
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let (tell, told) = channel();
        let request = self.kernel.request(caller);
        let done = Box::new(move |reply: OpResult<Reply<O>>| tell.send(reply).expect("somebody waits"));
        self.kernel.call(&self.kernel.admin_namespace(), op, request, input, done);
        told.recv().expect("an answer").expect("done").out
    }
}

/// Tasks that have not ended, for whoever looks for the reason.
static WAITING: Sql = Sql::new("test.waiting", "SELECT op, retry, exc FROM task WHERE op LIKE 'doc.%' ORDER BY id");

impl Postgres {
    fn waiting(&self) -> Vec<Row> {
        static ROWS: Query<(), Vec<Row>> = Query::new("test.rows", |tx, ()| Ok(tx.query(&WAITING, &[], 100)?));
        let (tell, told) = channel();
        let done = Box::new(move |rows| tell.send(rows).expect("somebody waits"));
        self.kernel.read(&self.kernel.admin_namespace(), &ROWS, (), done);
        told.recv().expect("an answer").expect("rows")
    }
}

impl Ground for Postgres {
    fn declare(&self, decl: Value) {
        self.call(&DECLARE, serde_json::from_value(decl).expect("a declaration"));
    }
    fn commit(&self, changes: Value) {
        self.call(&COMMIT, serde_json::from_value(json!({ "changes": changes })).expect("a commit"));
    }
    fn search(&self, search: Value) -> OpResult<Found> {
        // While an index is being filled, the search says so and is asked again.
        for _ in 0..20_000 {
            let (tell, told) = channel();
            let done = Box::new(move |found| tell.send(found).expect("somebody waits"));
            let ns = self.kernel.admin_namespace();
            self.kernel.read(&ns, &SEARCH, search_of(search.clone(), None), done);
            match told.recv().expect("an answer") {
                Err(error) if error.code.name == "CINDEX" => std::thread::yield_now(),
                found => return found,
            }
        }
        panic!("an index was not filled: {:?}", self.waiting())
    }
    fn settle(&self) {}
}

#[test]
fn doc_13_searches_find_the_same_on_postgres() {
    let postgres = Postgres::open("doc_search");
    let mut runner = TestRunner::deterministic();
    for at in 0..12 {
        let case = case().new_tree(&mut runner).expect("a case").current();
        check(&postgres, &format!("C{at}"), &case);
    }
    postgres.kernel.admin_namespace().store.close();
}

static BEHIND: Sql = Sql::new(
    "test.behind",
    "SELECT COUNT(*) FROM doc_item c, doc_item s WHERE c.class = 'GT' AND s.class = 'Asso' AND c.item = s.item \
     AND c.key = CASE WHEN s.key = '' THEN s.id ELSE s.key || '.' || s.id END AND c.content IS NOT NULL \
     AND (s.content IS NULL OR c.ord <> s.ord OR c.content <> s.content OR c.version <= c.ord)",
);

impl Postgres {
    /// How many copies are not level, and which invariants are broken.
    fn behind(&self) -> (i64, Vec<String>) {
        static LOOK: Query<(), (i64, Vec<String>)> = Query::new("test.behind", |tx, ()| {
            let mut broken = vec![];
            for invariant in documents::SERVICE.invariants {
                broken.extend((invariant.check)(tx)?.into_iter().map(|violation| violation.0));
            }
            Ok((tx.query_one(&BEHIND, &[])?.map_or(-1, |row| row.int(0)), broken))
        });
        let (tell, told) = channel();
        let done = Box::new(move |found| tell.send(found).expect("somebody waits"));
        self.kernel.read(&self.kernel.admin_namespace(), &LOOK, (), done);
        told.recv().expect("an answer").expect("found")
    }
}

#[test]
fn doc_14_copies_follow_their_sources_on_postgres() {
    let postgres = Postgres::open("doc_copies");
    postgres.declare(json!({ "class": "Asso", "items": {
        "Sta": { "singleton": true, "copy_to": ["GT"] }, "Adh": { "copy_to": ["GT"] } } }));
    postgres.declare(json!({ "class": "GT", "items": { "Sta": {}, "Adh": { "index": { "n": "int" } } } }));
    let put = |n: i64| {
        let items = json!([{ "c": "Sta", "j": { "n": n } }, { "c": "Adh", "k": "N1", "j": { "n": n.to_string() } }]);
        postgres.commit(json!([{ "c": "Asso", "id": "A1", "items": items }]));
    };
    put(0);
    for group in 0..40 {
        let items = json!([{ "c": "Sta", "k": "A1", "j": {} }, { "c": "Adh", "k": "N1.A1", "j": {} }]);
        postgres.commit(json!([{ "c": "GT", "id": format!("G{group}"), "items": items }]));
    }
    (1..4).for_each(put);
    postgres.commit(json!([{ "c": "Asso", "id": "A1", "items": [{ "c": "Adh", "k": "N1", "delete": true }] }]));
    let level = (0..20_000).any(|_| {
        std::thread::yield_now();
        postgres.behind().0 == 0
    });
    assert!(level, "{:?} {:?}", postgres.behind(), postgres.waiting());
    assert_eq!(postgres.behind().1, Vec::<String>::new());
    postgres.kernel.admin_namespace().store.close();
}

impl Scene for Postgres {
    fn declare_paper(&self, decl: Value) {
        Ground::declare(self, decl);
    }
    fn commit_as(&self, who: &str, changes: Value) -> i64 {
        let commit = serde_json::from_value(json!({ "changes": changes })).expect("a commit");
        let caller = Caller { name: who.to_owned(), ..Caller::server("test") };
        self.call_as(&COMMIT, caller, commit).version.map_or(0, |stamp| stamp.number())
    }
    fn list(&self, of: ListOf) -> OpResult<DocLines> {
        self.read(&LIST, of)
    }
    fn show(&self, of: ViewOf) -> OpResult<DocDetail> {
        self.read(&SHOW, of)
    }
    fn changes(&self, of: ViewOf) -> OpResult<Vec<ChangeView>> {
        self.read(&CHANGES, of)
    }
    fn counts(&self) -> Vec<ClassCount> {
        self.read(&CLASS_COUNTS, vec![]).expect("counted")
    }
}

#[test]
fn con_5_who_changed_what_is_told_on_postgres() {
    let postgres = Postgres::open("doc_who");
    who::check_items(&postgres);
    who::check_pages(&postgres);
    who::check_history(&postgres);
    assert_eq!(postgres.behind().1, Vec::<String>::new());
    postgres.kernel.admin_namespace().store.close();
}

#[test]
fn con_5_doc_2_a_store_made_before_opens_and_reads_on_postgres() {
    let url = std::env::var("FASTNESS_TEST_POSTGRES").expect("FASTNESS_TEST_POSTGRES is not set: run `cargo xtask ci`");
    let config = PostgresConfig::new(url, format!("doc_upgrade_{}", std::process::id()));
    let clock = Arc::new(RealClock::new());
    let store = PostgresStore::open(config, clock.clone(), Arc::new(OsEntropy)).expect("the store opens");
    let env = || Env { clock: clock.clone(), entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
    let store: Arc<dyn Store> = Arc::new(store);
    crate::upgrade::check(&env, &store);
    store.close();
}

static ANALYZE: Sql = Sql::new("test.analyze", "ANALYZE doc, doc_change");
/// How PostgreSQL forgets, by plans that it made of tables that it knows to be empty, and keeps.
static PLANS: Op<(), Vec<String>> = Op::new("test.plans", |tx, _, ()| {
    tx.execute(&ANALYZE, &[])?;
    ["doc.forget_deleted", "doc_change.drop_of_forgotten"].map(|name| plan(tx, name)).into_iter().collect()
});

fn plan(tx: &mut dyn Tx, name: &str) -> OpResult<String> {
    let known = documents::SERVICE.statements.iter().find(|sql| sql.name == name);
    let explain: &'static str = format!("EXPLAIN {}", known.expect("a statement").text).leak();
    let explain: &'static Sql = Box::leak(Box::new(Sql::new(format!("test.explain.{name}").leak(), explain)));
    let lines = tx.query(explain, args!["Past", "1"], 100)?;
    Ok(lines.iter().map(|line| line.text(0).to_owned() + "\n").collect())
}

#[test]
fn doc_1_documents_are_forgotten_by_their_keys_on_postgres() {
    let postgres = Postgres::open("doc_forget");
    let plans = postgres.call_as(&PLANS, Caller::server("test"), ());
    for (plan, index) in plans.iter().zip(["doc_pkey", "doc_change_pkey"]) {
        assert!(plan.contains(&format!("Index Scan using {index}")), "{plan}");
    }
    postgres.kernel.admin_namespace().store.close();
}

#[test]
fn every_statement_of_documents_prepares_on_postgres() {
    let postgres = Postgres::open("doc_statements");
    let store = postgres.kernel.admin_namespace().store.clone();
    for sql in documents::SERVICE.statements.iter().copied().chain(search_statements()) {
        store.prepare(sql).unwrap_or_else(|error| panic!("{}: {error}", sql.name));
    }
    store.close();
}
