//! The kernel on PostgreSQL: every named statement prepares, and what is no simple row works there too.
//!
//! Here and not in the engine's crate, because engines know no kernel.

use std::sync::Arc;
use std::sync::mpsc::channel;

use base::{OpResult, Store};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::accounts::begin_login::{BEGIN_LOGIN, BeginLogin, LoginBegun};
use kernel::accounts::bootstrap_account::{BOOTSTRAP_ACCOUNT, BootstrapAccount, FirstAccount};
use kernel::accounts::open_session::{OPEN_SESSION, OpenSession};
use kernel::accounts::session::hash;
use kernel::ops::create_key::{CREATE_KEY, CreateKey};
use kernel::ops::list_keys::{KeyState, LIST_KEYS, Page};
use kernel::ops::rotate_key::{ROTATE_KEY, RotateKey};
use kernel::{Caller, Env, Kernel, KernelConfig, Op, Reply, Role};
use serde::Serialize;
use serde::de::DeserializeOwned;
use store_postgres::{PostgresConfig, PostgresStore};

fn store(name: &str) -> PostgresStore {
    let url = std::env::var("FASTNESS_TEST_POSTGRES").expect("FASTNESS_TEST_POSTGRES is not set: run `cargo xtask ci`");
    let config = PostgresConfig::new(url, format!("{name}_{}", std::process::id()));
    PostgresStore::open(config, Arc::new(RealClock::new()), Arc::new(OsEntropy)).expect("the store opens")
}

fn kernel(name: &str) -> Kernel {
    let (clock, timers) = (Arc::new(RealClock::new()), Arc::new(ThreadTimers::new()));
    let env = Env { clock, entropy: Arc::new(OsEntropy), timers };
    let stores = vec![("z".to_owned(), Arc::new(store(name)) as Arc<dyn Store>)];
    Kernel::open(env, KernelConfig::default(), &[], stores).expect("the kernel opens")
}

fn call<I, O>(kernel: &Kernel, op: &'static Op<I, O>, input: I) -> OpResult<O>
where
    I: Send + 'static,
    O: Serialize + DeserializeOwned + Send + 'static,
{
    let (tell, told) = channel();
    let request = kernel.request(Caller { proof: Some([7; 32]), ..Caller::server("test") });
    let done = Box::new(move |reply: OpResult<Reply<O>>| tell.send(reply).expect("somebody waits"));
    kernel.call(&kernel.admin_namespace(), op, request, input, done);
    told.recv().expect("an answer").map(|reply| reply.out)
}

/// Waits for what a kernel tells.
fn told<T: Send + 'static>(ask: impl FnOnce(Box<dyn FnOnce(OpResult<T>) + Send>)) -> T {
    let (tell, told) = channel();
    ask(Box::new(move |found| tell.send(found).expect("somebody waits")));
    told.recv().expect("an answer").expect("no fault")
}

#[test]
fn ker_32_accounts_sessions_and_slowed_logins_work_on_postgres() {
    let kernel = kernel("accounts");
    let first = || call(&kernel, &BOOTSTRAP_ACCOUNT, BootstrapAccount { password: "hash".into() });
    assert_eq!((first(), first()), (Ok(FirstAccount::Added), Ok(FirstAccount::NotNeeded)));
    let begin = || call(&kernel, &BEGIN_LOGIN, BeginLogin { account: "admin".into(), address: "192.0.2.1".into() });
    for _ in 0..5 {
        assert!(matches!(begin(), Ok(LoginBegun::Look { hash: Some(_) })));
    }
    assert!(matches!(begin(), Ok(LoginBegun::Wait { ms: 1..=1_000 })));
    let (account, password, address) = ("admin".to_owned(), "hash".to_owned(), "192.0.2.1".to_owned());
    call(&kernel, &OPEN_SESSION, OpenSession { account, password, hash: hash("token"), address }).expect("a session");
    assert!(matches!(begin(), Ok(LoginBegun::Look { .. })), "its failures are forgotten");
    let holder = told(|done| kernel.authenticate_session(&kernel.admin_namespace(), "token", done));
    assert_eq!(holder.map(|holder| holder.caller.name), Some("account.z.admin".to_owned()));
    kernel.admin_namespace().store.close();
}

#[test]
fn ker_32_a_key_is_rotated_on_postgres() {
    let kernel = kernel("rotation");
    let made = CreateKey { role: Role::App, scope: serde_json::Map::new(), label: String::new() };
    let old = call(&kernel, &CREATE_KEY, made).expect("a key");
    let rotate = |overlap_s| call(&kernel, &ROTATE_KEY, RotateKey { id: old.id.clone(), overlap_s }).expect("a secret");
    let new = rotate(60);
    let is_valid = |secret: &str| {
        kernel.admin_namespace().forget_keys();
        told(|done| kernel.authenticate(&kernel.admin_namespace(), secret, done)).is_some()
    };
    let page = || Page { after: String::new(), limit: 1 };
    let state = || told(|done| kernel.read(&kernel.admin_namespace(), &LIST_KEYS, page(), done))[0].state;
    assert!(is_valid(&old.key) && is_valid(&new.key) && state() == KeyState::Overlapping);
    let last = rotate(0);
    assert!(!is_valid(&old.key) && !is_valid(&new.key) && is_valid(&last.key) && state() == KeyState::Active);
    kernel.admin_namespace().store.close();
}

#[test]
fn every_kernel_statement_prepares_on_postgres() {
    let store = store("statements");
    let plan: Vec<_> = kernel::OWN.iter().flat_map(|service| service.migrations).copied().collect();
    store.migrate(&plan).expect("the schema");
    for sql in kernel::OWN.iter().flat_map(|service| service.statements) {
        store.prepare(sql).unwrap_or_else(|error| panic!("{}: {error}", sql.name));
    }
    store.close();
}
