//! Logging in, being slowed, logging out (KER-32, KER-33), with real passwords.

use kernel::accounts::begin_login::{BEGIN_LOGIN, BeginLogin};
use kernel::accounts::change_account::{CHANGE_ACCOUNT, ChangeAccount};
use serde_json::{Value, json};
use web::AppConfig;

use crate::client::Answer;
use crate::world::{ADMIN, Setup, World};

/// Makes an account and gives its one-time password.
fn account(world: &World, name: &str, role: &str) -> String {
    let made = world.post("/v1/main/accounts", ADMIN, &json!({ "name": name, "role": role }));
    assert_eq!(made.status, 201, "{}", made.text());
    made.json()["password"].as_str().unwrap().to_owned()
}

fn login_with(world: &World, headers: &[(&str, &str)], account: &str, password: &str) -> Answer {
    let body = json!({ "account": account, "password": password }).to_string();
    world.ask("POST", "/v1/main/sessions", headers, Some(&body))
}

fn login(world: &World, account: &str, password: &str) -> Answer {
    login_with(world, &[], account, password)
}

/// The cookie and the token of a login.
fn held(login: &Answer) -> (String, String) {
    assert_eq!(login.status, 201, "{}", login.text());
    let cookie = login.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    (cookie, login.json()["csrf"].as_str().unwrap().to_owned())
}

#[test]
fn ker_33_a_login_sets_a_cookie_that_scripts_and_other_sites_do_not_get() {
    let world = World::new();
    let password = account(&world, "anna", "operator");
    let answer = login(&world, "anna", &password);
    let cookie = answer.header("set-cookie").unwrap();
    let (pair, rest) = cookie.split_once("; ").unwrap();
    assert!(pair.starts_with("fastness_session=") && pair.len() == 17 + 64, "{pair}");
    assert_eq!(rest, "Path=/; HttpOnly; SameSite=Strict", "{cookie}");
    let body = answer.json();
    assert_eq!(
        (&body["account"], &body["role"], &body["must_change"]),
        (&json!("anna"), &json!("operator"), &json!(true))
    );
    assert!(!answer.text().contains(&pair[17..]), "the token is in the cookie only");
    let again = login(&world, "anna", &password);
    assert_ne!(again.header("set-cookie"), Some(cookie), "every login has a token of its own");
}

#[test]
fn ker_33_behind_tls_the_cookie_is_secure_and_only_the_own_origin_is_ours() {
    let app = AppConfig { own_origin: Some("https://f.example".into()), secure_cookies: true, ..AppConfig::default() };
    let world = World::with(Setup { app, ..Setup::default() });
    let password = account(&world, "anna", "operator");
    let from = |origin: &str| login_with(&world, &[("origin", origin)], "anna", &password);
    assert!(from("https://f.example").header("set-cookie").unwrap().ends_with("; Secure"));
    from("http://test").check(403, "SCSRF");
}

#[test]
fn ker_33_a_session_shows_who_it_is_and_ends_with_logout() {
    let world = World::new();
    let password = account(&world, "anna", "operator");
    let (cookie, csrf) = held(&login(&world, "anna", &password));
    let who = || world.ask("GET", "/v1/main/sessions", &[("cookie", &cookie)], None);
    assert_eq!(
        who().json(),
        json!({ "caller": "account.main.anna", "role": "operator", "namespace": "main", "account": "anna", "csrf": csrf })
    );
    let out = world.ask("DELETE", "/v1/main/sessions", &[("cookie", &cookie), ("x-csrf-token", &csrf)], None);
    assert_eq!(out.status, 204, "{}", out.text());
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    who().check(401, "SKEY");
    let by_key = world.get("/v1/main/sessions", ADMIN).json();
    assert_eq!((&by_key["role"], &by_key["csrf"]), (&json!("admin"), &Value::Null));
    world.delete("/v1/main/sessions", ADMIN).check(400, "ABODY");
}

#[test]
fn ker_32_an_unknown_account_a_blocked_one_and_a_wrong_password_have_one_answer() {
    let world = World::new();
    let password = account(&world, "anna", "operator");
    account(&world, "bert", "operator");
    let block = json!({ "blocked": true }).to_string();
    let key = format!("Bearer {ADMIN}");
    assert_eq!(world.ask("PATCH", "/v1/main/accounts/bert", &[("authorization", &key)], Some(&block)).status, 200);
    let answers = [
        login(&world, "anna", "a wrong password"),
        login(&world, "bert", &password),
        login(&world, "nobody", &password),
        login(&world, "anna", ""),
        login(&world, "anna", &"x".repeat(1_000)),
    ];
    for answer in &answers {
        answer.check(401, "SLOGIN");
        assert_eq!(answer.text(), answers[0].text());
        assert_eq!(answer.header("set-cookie"), None);
    }
    login(&world, "Not A Name", &password).check(400, "ABODY");
    login(&world, "anna", &"x".repeat(10_000)).check(413, "ATOOBIG");
}

/// Tries that fail, without their hashes: a slow machine must not take longer for them than the wait that they earn.
fn fail_quickly(world: &World, account: &str, address: &str) {
    for _ in 0..5 {
        let try_once = BeginLogin { account: account.into(), address: address.into() };
        world.run("main", &BEGIN_LOGIN, try_once).unwrap();
    }
}

#[test]
fn ker_32_failed_logins_are_slowed_and_the_right_password_does_not_help_before_its_time() {
    let world = World::new();
    let password = account(&world, "anna", "operator");
    fail_quickly(&world, "anna", "127.0.0.1");
    let slowed = login(&world, "anna", &password);
    slowed.check(429, "SSLOW");
    assert_eq!(slowed.header("retry-after"), Some("1"));
}

#[test]
fn ker_32_a_flood_of_guesses_at_once_is_counted_one_by_one() {
    let world = World::new();
    account(&world, "anna", "operator");
    let codes: Vec<String> = std::thread::scope(|scope| {
        let guess = || login(&world, "anna", "a wrong password").code();
        let guesses: Vec<_> = (0..20).map(|_| scope.spawn(guess)).collect();
        guesses.into_iter().map(|guess| guess.join().unwrap()).collect()
    });
    let looked_at = codes.iter().filter(|code| *code == "SLOGIN").count();
    let slowed = codes.iter().filter(|code| *code == "SSLOW").count();
    // A slow machine may let some seconds pass meanwhile, and with them a few guesses more.
    assert!((5..=8).contains(&looked_at) && looked_at + slowed == 20, "{codes:?}");
}

#[test]
fn ker_33_only_a_trusted_proxys_word_for_the_address_counts() {
    let ask = |trusted_proxies, failed_at| {
        let app = AppConfig { trusted_proxies, ..AppConfig::default() };
        let world = World::with(Setup { app, ..Setup::default() });
        fail_quickly(&world, "nobody", failed_at);
        login_with(&world, &[("x-forwarded-for", "203.0.113.2")], "nobody", "a wrong password").code()
    };
    let proxy = || vec!["127.0.0.1".parse().unwrap()];
    assert_eq!(ask(proxy(), "203.0.113.2"), "SSLOW");
    assert_eq!(ask(proxy(), "127.0.0.1"), "SLOGIN");
    assert_eq!(ask(vec![], "203.0.113.2"), "SLOGIN");
    assert_eq!(ask(vec![], "127.0.0.1"), "SSLOW");
}

#[test]
fn ker_32_a_person_changes_their_own_password_and_all_their_sessions_end() {
    let world = World::new();
    let old = account(&world, "anna", "reader");
    let (cookie, csrf) = held(&login(&world, "anna", &old));
    let (other, _) = held(&login(&world, "anna", &old));
    let change = |body: Value| {
        let headers = [("cookie", cookie.as_str()), ("x-csrf-token", csrf.as_str())];
        world.ask("PUT", "/v1/main/sessions/password", &headers, Some(&body.to_string()))
    };
    change(json!({ "old": "a wrong password", "new": "a new password of mine" })).check(401, "SLOGIN");
    change(json!({ "old": old, "new": "too short" })).check(422, "ALIMIT");
    let changed = change(json!({ "old": old, "new": "a new password of mine" }));
    assert_eq!(changed.status, 204, "{}", changed.text());
    for ended in [&cookie, &other] {
        world.ask("GET", "/v1/main/sessions", &[("cookie", ended)], None).check(401, "SKEY");
    }
    login(&world, "anna", &old).check(401, "SLOGIN");
    assert_eq!(login(&world, "anna", "a new password of mine").json()["must_change"], false);
}

#[test]
fn ker_32_a_session_of_z_works_everywhere_and_makes_keys_whose_secret_it_is_shown_again() {
    let world = World::new();
    let made = world.post("/v1/z/accounts", ADMIN, &json!({ "name": "root", "role": "admin" })).json();
    let body = json!({ "account": "root", "password": made["password"] }).to_string();
    let (cookie, csrf) = held(&world.ask("POST", "/v1/z/sessions", &[], Some(&body)));
    let headers = [("cookie", cookie.as_str()), ("x-csrf-token", csrf.as_str()), ("idempotency-key", "k1")];
    let make = || world.ask("POST", "/v1/main/keys", &headers, Some(r#"{"role":"reader"}"#));
    let key = make().json()["key"].as_str().unwrap().to_owned();
    assert_eq!(make().json()["key"], json!(key));
    assert_eq!(world.get("/v1/main/probe/x", &key).status, 200);
    let (cookie, csrf) = held(&world.ask("POST", "/v1/z/sessions", &[], Some(&body)));
    let headers = [("cookie", cookie.as_str()), ("x-csrf-token", csrf.as_str()), ("idempotency-key", "k1")];
    let elsewhere = world.ask("POST", "/v1/main/keys", &headers, Some(r#"{"role":"reader"}"#));
    elsewhere.check(422, "AKEYREUSED");
    let out = [("cookie", cookie.as_str()), ("x-csrf-token", csrf.as_str())];
    assert_eq!(world.ask("DELETE", "/v1/main/sessions", &out, None).status, 204);
    world.ask("GET", "/v1/z/sessions", &[("cookie", &cookie)], None).check(401, "SKEY");
}

#[test]
fn ker_33_of_two_cookies_none_is_believed() {
    let world = World::new();
    let session = world.session("main", kernel::Role::Admin);
    let planted = format!("{}; fastness_session={}", session.cookie, "0".repeat(64));
    for cookie in [planted.as_str(), "fastness_session=", "fastness_session=x", "other=1"] {
        world.ask("GET", "/v1/main/keys", &[("cookie", cookie)], None).check(401, "SKEY");
    }
    let among_others = format!("a=b; {}; c=d", session.cookie);
    assert_eq!(world.ask("GET", "/v1/main/keys", &[("cookie", &among_others)], None).status, 200);
}

#[test]
fn ker_33_a_session_that_was_planted_before_the_login_is_nobodys() {
    let world = World::new();
    let password = account(&world, "anna", "operator");
    let planted = format!("fastness_session={}", "a".repeat(64));
    let (cookie, _) = held(&login_with(&world, &[("cookie", &planted)], "anna", &password));
    assert_ne!(cookie, planted);
    world.ask("GET", "/v1/main/sessions", &[("cookie", &planted)], None).check(401, "SKEY");
    // One of somebody else is not made hers either.
    let other = world.session("main", kernel::Role::Reader);
    let (hers, _) = held(&login_with(&world, &[("cookie", &other.cookie)], "anna", &password));
    assert_ne!(hers, other.cookie);
    let who = world.ask("GET", "/v1/main/sessions", &[("cookie", &other.cookie)], None);
    assert_eq!(who.json()["account"], "reader");
}

#[test]
fn ker_33_a_session_that_was_ended_elsewhere_is_nobodys_once_it_is_looked_up_again() {
    let world = World::new();
    let session = world.session("main", kernel::Role::Reader);
    let status = || world.ask("GET", "/v1/main/sessions", &[("cookie", &session.cookie)], None).status;
    assert_eq!(status(), 200);
    let (name, blocked) = ("reader".to_owned(), Some(true));
    let block = ChangeAccount { name, role: None, blocked, password: None, last_admin_stays: false };
    world.run("main", &CHANGE_ACCOUNT, block).unwrap();
    world.kernel.namespace("main").unwrap().forget_keys();
    assert_eq!(status(), 401);
}
