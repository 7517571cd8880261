//! KER-32 and KER-33: accounts, sessions and slowed logins, as operations.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use base::{OpResult, Sql};
use kernel::accounts::begin_login::{BEGIN_LOGIN, BeginLogin, LoginBegun};
use kernel::accounts::bootstrap_account::{BOOTSTRAP_ACCOUNT, BootstrapAccount, FirstAccount};
use kernel::accounts::change_account::{CHANGE_ACCOUNT, ChangeAccount};
use kernel::accounts::change_password::{CHANGE_PASSWORD, ChangePassword};
use kernel::accounts::create_account::{CREATE_ACCOUNT, CreateAccount, Made, NewPassword};
use kernel::accounts::delete_account::{DELETE_ACCOUNT, DeleteAccount};
use kernel::accounts::end_session::{END_SESSION, EndSession};
use kernel::accounts::list_accounts::{LIST_ACCOUNTS, Page, SHOW_ACCOUNT};
use kernel::accounts::open_session::{OPEN_SESSION, OpenSession, SESSIONS_MAX};
use kernel::accounts::password::Kept;
use kernel::accounts::session::{Holder, IDLE_MS, LONGEST_MS, hash};
use kernel::{Kernel, KernelConfig, Role};

use crate::world::{World, error_code};

static SESSIONS: Sql = Sql::new("test.sessions", "SELECT COUNT(*) FROM console_session");
static FAILURES: Sql = Sql::new("test.failures", "SELECT COUNT(*) FROM login_failure");
static JOURNAL: Sql = Sql::new("test.journal", "SELECT kind, subject, text FROM journal ORDER BY id");

fn password(hash: &str) -> NewPassword {
    NewPassword { hash: hash.into(), kept: Kept::new(&[1; 32], [2; 32]) }
}

fn create(world: &World, name: &str, role: Role) -> OpResult<Made> {
    let input = CreateAccount { name: name.into(), role, password: password("hash") };
    world.call(&CREATE_ACCOUNT, world.request(), input).map(|reply| reply.out)
}

/// Nothing changes but what is named.
fn change(name: &str) -> ChangeAccount {
    ChangeAccount { name: name.into(), role: None, blocked: None, password: None, last_admin_stays: true }
}

fn changed(world: &World, input: ChangeAccount) -> OpResult<Made> {
    world.call(&CHANGE_ACCOUNT, world.request(), input).map(|reply| reply.out)
}

fn delete(world: &World, name: &str, last_admin_stays: bool) -> OpResult<()> {
    let input = DeleteAccount { name: name.into(), last_admin_stays };
    world.call(&DELETE_ACCOUNT, world.request(), input).map(drop)
}

fn open(world: &World, account: &str, token: &str) -> OpResult<()> {
    let (account, password, address) = (account.to_owned(), "hash".to_owned(), "192.0.2.1".to_owned());
    let input = OpenSession { account, password, hash: hash(token), address };
    world.call(&OPEN_SESSION, world.request(), input).map(drop)
}

fn begin(world: &World, account: &str, address: &str) -> LoginBegun {
    let input = BeginLogin { account: account.into(), address: address.into() };
    world.call(&BEGIN_LOGIN, world.request(), input).unwrap().out
}

/// How long a login must wait, and 0 when it may go on.
fn wait_ms(world: &World, account: &str, address: &str) -> i64 {
    match begin(world, account, address) {
        LoginBegun::Wait { ms } => ms,
        LoginBegun::Look { .. } => 0,
    }
}

fn holder(world: &World, token: &str) -> Option<Holder> {
    world.main().forget_keys();
    let (tell, told) = std::sync::mpsc::channel();
    let done = Box::new(move |found| tell.send(found).unwrap());
    world.kernel.authenticate_session(&world.main(), token, done);
    told.try_recv().unwrap().unwrap()
}

fn pass(world: &World, ms: i64) {
    world.clock.ran_ms.fetch_add(ms.unsigned_abs(), Ordering::Relaxed);
}

#[test]
fn ker_32_an_account_is_made_once_listed_changed_and_removed() {
    let world = World::new();
    let made = create(&world, "anna", Role::Operator).unwrap();
    assert!(made.account.must_change && made.account.blocked_at.is_none());
    assert_eq!(error_code(create(&world, "anna", Role::Reader)), ("AACCOUNT", 1));
    assert_eq!(error_code(create(&world, "Anna", Role::Reader)).0, "ABODY");
    assert_eq!(error_code(create(&world, "till", Role::Device)).0, "ABODY");
    create(&world, "bert", Role::Reader).unwrap();
    let page = |after: &str| world.read(&LIST_ACCOUNTS, Page { after: after.into(), limit: 1 }).unwrap();
    assert_eq!((page("")[0].name.as_str(), page("anna")[0].name.as_str(), page("bert").len()), ("anna", "bert", 0));
    let after = changed(&world, ChangeAccount { role: Some(Role::Reader), ..change("anna") }).unwrap();
    assert_eq!((after.account.role, after.password), (Role::Reader, None));
    delete(&world, "anna", true).unwrap();
    assert_eq!(error_code(delete(&world, "anna", true)), ("NPERSON", 1));
    assert_eq!(error_code(world.read(&SHOW_ACCOUNT, "anna".into())), ("NPERSON", 1));
    world.check_invariants();
}

#[test]
fn ker_32_the_last_administrator_can_neither_be_removed_nor_blocked_nor_demoted() {
    let world = World::new();
    create(&world, "admin", Role::Admin).unwrap();
    create(&world, "second", Role::Admin).unwrap();
    create(&world, "anna", Role::Operator).unwrap();
    changed(&world, ChangeAccount { blocked: Some(true), ..change("second") }).unwrap();
    let demoted = ChangeAccount { role: Some(Role::Operator), ..change("admin") };
    let blocked = ChangeAccount { blocked: Some(true), ..change("admin") };
    for refused in [demoted.clone(), blocked] {
        assert_eq!(error_code(changed(&world, refused)).0, "ALASTADMIN", "a blocked one does not count");
    }
    assert_eq!(error_code(delete(&world, "admin", true)).0, "ALASTADMIN");
    assert!(changed(&world, ChangeAccount { role: Some(Role::Admin), ..change("admin") }).is_ok());
    assert!(delete(&world, "second", true).is_ok(), "it was none who can log in");
    changed(&world, ChangeAccount { role: Some(Role::Admin), ..change("anna") }).unwrap();
    assert!(changed(&world, demoted).is_ok(), "there is another one now");
    assert!(delete(&world, "anna", false).is_ok(), "other namespaces have the administrators of z");
}

#[test]
fn ker_35_the_first_account_is_added_once() {
    let world = World::new();
    let first = || {
        let input = BootstrapAccount { password: "hash".into() };
        world.call(&BOOTSTRAP_ACCOUNT, world.request(), input).unwrap().out
    };
    assert_eq!((first(), first()), (FirstAccount::Added, FirstAccount::NotNeeded));
    assert_eq!(world.read(&SHOW_ACCOUNT, "admin".into()).unwrap().role, Role::Admin);
}

#[test]
fn ker_33_a_session_belongs_to_its_account_and_ends_with_logout() {
    let world = World::new();
    create(&world, "anna", Role::Operator).unwrap();
    open(&world, "anna", "token").unwrap();
    let found = holder(&world, "token").unwrap();
    assert_eq!((found.account.as_str(), found.caller.name.as_str()), ("anna", "account.main.anna"));
    assert!(found.caller.role == Role::Operator && Arc::ptr_eq(&found.home, &world.main()));
    assert!(holder(&world, "another").is_none());
    world.call(&END_SESSION, world.request(), EndSession { hash: hash("token") }).unwrap();
    assert!(holder(&world, "token").is_none());
}

#[test]
fn ker_33_every_session_of_an_account_ends_with_a_new_password_a_block_and_its_removal() {
    let world = World::new();
    create(&world, "anna", Role::Operator).unwrap();
    create(&world, "bert", Role::Operator).unwrap();
    open(&world, "bert", "bert's").unwrap();
    let check_ended = |what: &str| {
        assert!(holder(&world, "one").is_none() && holder(&world, "two").is_none(), "{what}");
        assert!(holder(&world, "bert's").is_some(), "{what} ends no other's");
        world.check_invariants();
    };
    let open_two = || ["one", "two"].iter().for_each(|token| open(&world, "anna", token).unwrap());
    open_two();
    changed(&world, ChangeAccount { blocked: Some(true), ..change("anna") }).unwrap();
    check_ended("a block");
    assert_eq!(error_code(open(&world, "anna", "three")), ("SLOGIN", 1), "a blocked account has no login");
    changed(&world, ChangeAccount { blocked: Some(false), ..change("anna") }).unwrap();
    open_two();
    changed(&world, ChangeAccount { password: Some(password("hash")), ..change("anna") }).unwrap();
    check_ended("a new one-time password");
    open_two();
    let new = |old: &str| ChangePassword {
        account: "anna".into(),
        old: old.into(),
        new: "hash".into(),
        address: "192.0.2.1".into(),
    };
    assert_eq!(error_code(world.call(&CHANGE_PASSWORD, world.request(), new("other"))).0, "SLOGIN");
    world.call(&CHANGE_PASSWORD, world.request(), new("hash")).unwrap();
    check_ended("a new password of one's own");
    assert!(!world.read(&SHOW_ACCOUNT, "anna".into()).unwrap().must_change);
    open_two();
    delete(&world, "anna", true).unwrap();
    check_ended("removal");
}

#[test]
fn ker_33_a_login_whose_password_was_changed_meanwhile_opens_nothing() {
    let world = World::new();
    create(&world, "anna", Role::Operator).unwrap();
    changed(&world, ChangeAccount { password: Some(password("newer")), ..change("anna") }).unwrap();
    assert_eq!(error_code(open(&world, "anna", "token")), ("SLOGIN", 1));
    assert_eq!(world.count(&SESSIONS), 0);
}

#[test]
fn ker_33_a_session_ends_for_idleness_in_listening_time_and_use_puts_that_off() {
    let world = World::new();
    create(&world, "anna", Role::Operator).unwrap();
    open(&world, "anna", "used").unwrap();
    open(&world, "anna", "idle").unwrap();
    world.clock.wall_ms.fetch_add(10 * LONGEST_MS, Ordering::Relaxed);
    assert!(holder(&world, "used").is_some(), "the calendar ends nothing");
    pass(&world, IDLE_MS - 1);
    assert!(holder(&world, "used").is_some());
    pass(&world, IDLE_MS - 1);
    assert!(holder(&world, "used").is_some(), "its use was noted");
    assert!(holder(&world, "idle").is_none());
}

#[test]
fn ker_33_a_session_ends_in_the_end_however_much_it_is_used() {
    let world = World::new();
    create(&world, "anna", Role::Operator).unwrap();
    open(&world, "anna", "token").unwrap();
    let mut lasted_ms = 0;
    while holder(&world, "token").is_some() {
        pass(&world, IDLE_MS / 2);
        lasted_ms += IDLE_MS / 2;
    }
    assert_eq!(lasted_ms, LONGEST_MS);
}

#[test]
fn ker_34_sessions_of_an_account_are_bounded_and_ended_ones_are_forgotten() {
    let world = World::new();
    create(&world, "anna", Role::Operator).unwrap();
    for number in 0..SESSIONS_MAX + 5 {
        open(&world, "anna", &format!("token {number}")).unwrap();
        pass(&world, 10);
    }
    assert_eq!(world.count(&SESSIONS), SESSIONS_MAX);
    assert!(holder(&world, "token 0").is_none() && holder(&world, &format!("token {}", SESSIONS_MAX + 4)).is_some());
    pass(&world, LONGEST_MS);
    open(&world, "anna", "later").unwrap();
    assert_eq!(world.count(&SESSIONS), 1);
}

#[test]
fn ker_32_tries_are_counted_before_the_password_is_looked_at() {
    let world = World::new();
    create(&world, "anna", Role::Operator).unwrap();
    for _ in 0..5 {
        assert!(matches!(begin(&world, "anna", "192.0.2.1"), LoginBegun::Look { hash: Some(_) }));
    }
    assert_eq!(wait_ms(&world, "anna", "192.0.2.1"), 1_000, "nobody had to tell that they failed");
    assert_eq!(wait_ms(&world, "anna", "192.0.2.2"), 0, "from elsewhere");
    assert_eq!(wait_ms(&world, "bert", "192.0.2.1"), 0, "another account");
    world.clock.wall_ms.fetch_add(3_600_000, Ordering::Relaxed);
    assert_eq!(wait_ms(&world, "anna", "192.0.2.1"), 1_000, "the calendar does not help");
    pass(&world, 1_000);
    assert_eq!(wait_ms(&world, "anna", "192.0.2.1"), 0);
    assert_eq!(wait_ms(&world, "anna", "192.0.2.1"), 2_000);
}

#[test]
fn ker_32_a_restart_does_not_forget_failures() {
    let world = World::new();
    for _ in 0..5 {
        begin(&world, "anna", "192.0.2.1");
    }
    let stores = vec![("z".to_owned(), world.main().store.clone())];
    let env = world.kernel.env().clone();
    let restarted = World { kernel: Kernel::open(env, KernelConfig::default(), &[], stores).unwrap(), ..world };
    let (tell, told) = std::sync::mpsc::channel();
    let input = BeginLogin { account: "anna".into(), address: "192.0.2.1".into() };
    let done = Box::new(move |reply| tell.send(reply).unwrap());
    restarted.kernel.call(&restarted.kernel.admin_namespace(), &BEGIN_LOGIN, restarted.request(), input, done);
    assert!(matches!(told.try_recv().unwrap().unwrap().out, LoginBegun::Wait { ms: 1_000 }));
}

#[test]
fn ker_32_unknown_and_blocked_accounts_are_slowed_alike_and_have_no_hash() {
    let world = World::new();
    create(&world, "anna", Role::Operator).unwrap();
    changed(&world, ChangeAccount { blocked: Some(true), ..change("anna") }).unwrap();
    for account in ["anna", "nobody"] {
        for _ in 0..5 {
            assert!(matches!(begin(&world, account, "192.0.2.1"), LoginBegun::Look { hash: None }));
        }
        assert_eq!(wait_ms(&world, account, "192.0.2.1"), 1_000);
    }
}

#[test]
fn ker_32_a_login_forgets_the_failures_of_its_address_and_is_journaled() {
    let world = World::new();
    create(&world, "anna", Role::Operator).unwrap();
    for _ in 0..4 {
        begin(&world, "anna", "192.0.2.1");
    }
    open(&world, "anna", "token").unwrap();
    for _ in 0..5 {
        assert_eq!(wait_ms(&world, "anna", "192.0.2.1"), 0, "it has its free tries again");
    }
    let lines = world.rows(&JOURNAL);
    let done = lines.iter().find(|row| row.text(0) == "login.done").unwrap();
    assert_eq!((done.text(1), done.text(2)), ("anna", "from 192.0.2.1"));
}

#[test]
fn ker_32_strangers_cannot_shut_the_owner_out() {
    let world = World::new();
    create(&world, "anna", Role::Operator).unwrap();
    for stranger in 0..200 {
        begin(&world, "anna", &format!("198.51.100.{stranger}"));
    }
    assert_eq!(wait_ms(&world, "anna", "192.0.2.1"), 0, "the owner's first try goes through");
    assert_eq!(wait_ms(&world, "anna", "192.0.2.1"), 1_000, "but five are not free while the account is attacked");
}

#[test]
fn ker_32_one_address_that_tries_many_accounts_is_slowed_but_not_for_long() {
    let world = World::new();
    let waits: Vec<_> = (0..40).map(|number| wait_ms(&world, &format!("a{number}"), "192.0.2.1")).collect();
    assert!(waits[..30].iter().all(|ms| *ms == 0) && waits[30..].iter().all(|ms| *ms == 1_000), "{waits:?}");
    let mut longest = 0;
    for number in 0..200 {
        let ms = wait_ms(&world, &format!("b{number}"), "192.0.2.1");
        (longest, ()) = (longest.max(ms), pass(&world, ms));
    }
    assert_eq!(longest, 60_000);
}

#[test]
fn ker_34_rows_of_failures_are_forgotten_in_time() {
    let world = World::new();
    for number in 0..50 {
        begin(&world, "anna", &format!("2001:db8:0:{number:x}::/64"));
    }
    let before = world.count(&FAILURES);
    assert!(before > 50, "{before}");
    pass(&world, 25 * 3_600_000);
    // Each try tidies up by chance.
    for number in 0..500 {
        begin(&world, "bert", &format!("2001:db8:1:{number:x}::/64"));
    }
    static OLD: Sql = Sql::new("test.old", "SELECT COUNT(*) FROM login_failure WHERE subject = 'account anna'");
    assert_eq!(world.count(&OLD), 0);
}
