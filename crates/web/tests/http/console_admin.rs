//! The console's pages of administration (CON-8): accounts, keys, namespaces, configuration.

use kernel::Role;
use kernel::namespaces::{SEED_NAMESPACES, SETTLE_NAMESPACE, SeedNamespaces, Settled, State};
use serde_json::json;
use web::{AppConfig, ShownKey, ShownSection, ShownSource};

use crate::console_watch::{EVIL, EVIL_SHOWN, link, page, page_in};
use crate::world::{ADMIN, Setup, World};

const PAGES: [&str; 5] = [
    "/console/main/accounts",
    "/console/main/keys",
    "/console/z/namespaces",
    "/console/z/namespaces/main",
    "/console/z/configuration",
];

fn shown_key(path: &str, value: Option<&str>, source: ShownSource) -> ShownKey {
    ShownKey { path: path.into(), value: value.map(str::to_owned), source, meaning: format!("Means {EVIL}.") }
}

/// A server with rows of namespaces and a configuration.
fn world() -> World {
    let keys = vec![
        shown_key("server.listen", Some("127.0.0.1:7400"), ShownSource::Default),
        shown_key("store.url", None, ShownSource::Environment("FASTNESS_STORE__URL".into())),
        shown_key("data.dir", Some(EVIL), ShownSource::File("f.toml:7".into())),
        shown_key("mail.url", Some(""), ShownSource::Flag),
    ];
    let section = ShownSection { name: "server".into(), about: "About it.".into(), keys };
    let app = AppConfig { shown_configuration: vec![section], ..AppConfig::default() };
    let world = World::with(Setup { app, ..Setup::default() });
    let input = SeedNamespaces { admin: "z".into(), engine: base::Engine::Sqlite, node: "n".into() };
    world.run("z", &SEED_NAMESPACES, input).unwrap();
    let rows = world.get("/v1/z/namespaces", ADMIN).json();
    let main = rows["items"].as_array().unwrap().iter().find(|row| row["name"] == "main").unwrap();
    let place = main["place"].as_str().unwrap().to_owned();
    world.run("z", &SETTLE_NAMESPACE, Settled { name: "main".into(), place, from: State::Creating }).unwrap();
    world
}

#[test]
fn con_8_accounts_are_listed_with_what_can_be_done() {
    let world = world();
    world.session("main", Role::Operator);
    let shown = page(&world, "/console/main/accounts", ADMIN);
    assert!(shown.contains("<strong>operator</strong>") && shown.contains("password to be changed"), "{shown}");
    assert!(shown.contains("data-show=\"password\"") && shown.contains("action=\"/v1/main/accounts\""), "{shown}");
    for value in [
        "name=\"blocked\" data-kind=\"json\" value=\"true\"",
        "name=\"new_password\" data-kind=\"json\" value=\"true\"",
    ] {
        assert!(shown.contains(value), "{value}: {shown}");
    }
    let bearer = format!("Bearer {ADMIN}");
    let blocked = json!({ "blocked": true }).to_string();
    let answer = world.ask("PATCH", "/v1/main/accounts/operator", &[("authorization", &bearer)], Some(&blocked));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let shown = page(&world, "/console/main/accounts?name=operator", ADMIN);
    assert!(shown.contains("badge warn\">blocked") && shown.contains(">Unblock<"), "{shown}");
    assert!(page(&world, "/console/z/accounts", ADMIN).contains("Create one for each person"));
    for name in ["nobody", "%3Cb%3E"] {
        let shown = page(&world, &format!("/console/main/accounts?name={name}"), ADMIN);
        assert!(shown.contains("No account fits") && !shown.contains("Create one for each"), "{shown}");
    }
    let shown = page(&world, "/console/main/keys?id=nothing", ADMIN);
    assert!(shown.contains("No key fits") && !shown.contains("Create one for each"), "{shown}");
}

/// A form that lacks what is there would take it away with the next change of something else.
#[test]
fn con_8_ker_2_the_form_of_a_namespace_holds_when_it_reopens() {
    let world = world();
    let page = || page(&world, "/console/z/namespaces/main", ADMIN);
    assert!(!page().contains("data-utc"));
    let body = json!({ "state": "closed", "message": "moving", "reopens_at": "2031-05-06T07:08:09.500Z" });
    let bearer = format!("Bearer {ADMIN}");
    let path = "/v1/z/namespaces/main";
    let answer = world.ask("PATCH", path, &[("authorization", &bearer)], Some(&body.to_string()));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let shown = page();
    assert!(
        shown.contains("name=\"reopens_at\"") && shown.contains("data-utc=\"2031-05-06T07:08:09.500Z\""),
        "{shown}"
    );
    assert!(
        shown.contains("2031-05-06 07:08:09 UTC</span>"),
        "the whole moment is read without pointing at it: {shown}"
    );
}

#[test]
fn con_8_one_knows_oneself_among_the_accounts() {
    let world = world();
    let session = world.session("main", Role::Admin);
    let own = world.ask("GET", "/console/main/accounts", &[("cookie", &session.cookie)], None).text();
    assert!(own.contains("<strong>admin</strong>") && own.contains(">you<"), "{own}");
}

#[test]
fn con_8_keys_are_listed_with_scope_and_state_and_paged() {
    let world = world();
    let body = json!({ "role": "app", "label": EVIL, "scope": { "device": ["till-7", EVIL], "company": "c" } });
    let made = world.post("/v1/main/keys", ADMIN, &body).json();
    let (id, secret) = (made["id"].as_str().unwrap(), made["key"].as_str().unwrap());
    let shown = page(&world, &format!("/console/main/keys?id={id}"), ADMIN);
    assert!(shown.contains(EVIL_SHOWN) && shown.contains("till-7") && !shown.contains("<img"), "{shown}");
    assert!(!shown.contains(secret) && shown.contains("name=\"scope.actor\" data-kind=\"words\""), "{shown}");
    let of_devices = "data-only=\"role\" data-for=\"device\" hidden><span class=\"field-label\">Device";
    assert!(
        shown.contains(of_devices) && shown.contains("Device: a device of the exchange"),
        "each role has its own fields: {shown}"
    );
    assert!(shown.contains(&format!("/v1/main/keys/{id}/rotate")) && shown.contains("value=\"86400\" selected"));
    let rename = format!("action=\"/v1/main/keys/{id}\"");
    assert_eq!(shown.matches(&rename).count(), 2, "it can be renamed and revoked: {shown}");
    world.post(&format!("/v1/main/keys/{id}/rotate"), ADMIN, &json!({ "overlap_s": 60 }));
    assert!(page(&world, "/console/main/keys", ADMIN).contains("two secrets"));
    world.delete(&format!("/v1/main/keys/{id}"), ADMIN);
    let revoked = page(&world, "/console/main/keys", ADMIN);
    assert!(revoked.contains(">revoked<") && !revoked.contains("/rotate\""), "{revoked}");
    assert_eq!(revoked.matches(&rename).count(), 1, "a revoked one can be renamed still: {revoked}");
    for number in 0..50 {
        world.post("/v1/main/keys", ADMIN, &json!({ "role": "app", "label": format!("key {number:02}") }));
    }
    let first = page(&world, "/console/main/keys", ADMIN);
    let second = page(&world, link(&first, "next").unwrap(), ADMIN);
    // Those of one millisecond stand in any order.
    let on = |page: &str| (0..50).filter(|number| page.contains(&format!("key {number:02}"))).collect::<Vec<_>>();
    assert_eq!((on(&first).len(), on(&second).len()), (49, 1), "{second}");
    assert!(on(&second).iter().all(|number| !on(&first).contains(number)));
    assert!(link(&second, "next").is_none() && link(&second, "first").is_some());
}

#[test]
fn con_8_namespaces_are_shown_with_state_grants_and_resources() {
    let world = world();
    let shown = page(&world, "/console/z/namespaces", ADMIN);
    assert!(
        shown.contains("href=\"/console/z/namespaces/main\"") && shown.contains("href=\"/console/main/\""),
        "{shown}"
    );
    assert!(shown.contains("badge good\">open") && shown.contains("lamp good"), "{shown}");
    let change = json!({ "label": EVIL, "state": "closed", "message": EVIL }).to_string();
    let bearer = format!("Bearer {ADMIN}");
    let changed = world.ask("PATCH", "/v1/z/namespaces/main", &[("authorization", &bearer)], Some(&change));
    assert_eq!(changed.status, 200, "{}", changed.text());
    assert_eq!(world.send("PUT", "/v1/z/namespaces/main/grants/z/orders", ADMIN).status, 204);
    for path in ["/console/z/namespaces", "/console/z/namespaces/main"] {
        let shown = page(&world, path, ADMIN);
        assert!(
            shown.contains("badge warn\">closed") && shown.contains(EVIL_SHOWN) && !shown.contains("<img"),
            "{shown}"
        );
    }
    let one = page(&world, "/console/z/namespaces/main", ADMIN);
    assert!(one.contains("/v1/z/namespaces/main/grants/z/orders\""), "the grant can be taken back: {one}");
    assert!(one.contains("pattern=\"main\""), "its name must be typed before it is removed: {one}");
    let own = page(&world, "/console/z/namespaces/z", ADMIN);
    assert!(!own.contains("pattern="), "the administrators' namespace is not removed: {own}");
    assert!(!own.contains("Open or close"), "nor closed, and no card is empty: {own}");
    assert_eq!(world.get("/console/z/namespaces/nothing", ADMIN).status, 404);
}

/// Whoever removes it must not think that its data is set aside.
#[test]
fn con_8_ker_1_a_temporary_namespace_says_so_and_what_its_removal_destroys() {
    let world = world();
    world.post("/v1/z/namespaces", ADMIN, &json!({ "name": "trial", "temporary": true }));
    let listed = page(&world, "/console/z/namespaces", ADMIN);
    assert_eq!(listed.matches("badge quiet\">temporary").count(), 1, "only that one: {listed}");
    let one = page(&world, "/console/z/namespaces/trial", ADMIN);
    assert!(one.contains("badge quiet\">temporary") && one.contains("all its data is destroyed"), "{one}");
    assert!(one.contains("data-confirm=\"All data of “trial” will be destroyed."), "{one}");
    assert!(!one.contains("set aside"), "{one}");
    let kept = page(&world, "/console/z/namespaces/main", ADMIN);
    assert!(kept.contains("set aside, not destroyed") && !kept.contains("temporary"), "{kept}");
}

#[test]
fn con_8_the_configuration_is_shown_with_secrets_hidden() {
    let world = world();
    let shown = page(&world, "/console/z/configuration", ADMIN);
    assert!(shown.contains("127.0.0.1:7400") && shown.contains("f.toml:7") && shown.contains("FASTNESS_STORE__URL"));
    assert!(shown.contains("badge warn\">hidden") && shown.contains("not set"), "{shown}");
    assert!(shown.contains(EVIL_SHOWN) && !shown.contains("<img"), "{shown}");
    let found = page(&world, "/console/z/configuration?q=STORE+environment", ADMIN);
    assert!(found.contains("store.url") && !found.contains("server.listen"), "{found}");
    assert!(page(&world, "/console/z/configuration?q=nothing", ADMIN).contains("No key fits"));
}

#[test]
fn con_1_what_is_about_the_whole_server_is_found_at_the_administrators_namespace_only() {
    let world = world();
    let (here, there) = (page(&world, "/console/z/journal", ADMIN), page(&world, "/console/main/journal", ADMIN));
    for name in ["namespaces", "configuration"] {
        assert!(here.contains(&format!("href=\"/console/z/{name}\"")), "{here}");
        assert!(!there.contains(&format!("href=\"/console/main/{name}\"")), "{there}");
        assert_eq!(world.get(&format!("/console/main/{name}"), ADMIN).status, 404);
    }
    assert!(there.contains("href=\"/console/main/accounts\"") && there.contains("href=\"/console/main/keys\""));
    let operator = page(&world, "/console/main/journal", &world.key("main", "operator"));
    for name in ["accounts", "keys", "namespaces", "configuration"] {
        assert!(!operator.contains(&format!("href=\"/console/main/{name}\"")), "{operator}");
    }
}

#[test]
fn con_1_pages_of_administration_are_for_administrators() {
    let world = world();
    for role in ["operator", "reader", "app"] {
        let (main, z) = (world.key("main", role), world.key("z", role));
        for path in PAGES {
            let refused = world.get(path, if path.starts_with("/console/z") { &z } else { &main });
            assert_eq!(refused.status, 403, "{path} as {role}");
            assert!(refused.text().contains("Not for your role"), "{path} as {role}");
        }
    }
}

#[test]
fn con_1_pages_of_administration_speak_three_languages() {
    let world = world();
    let titles = [
        ["Accounts", "Учётные записи", "Comptes"],
        ["Access keys", "Ключи доступа", "Clés d’accès"],
        ["Namespaces", "Пространства", "Espaces"],
        ["How it stands", "Состояние", "État"],
        ["Configuration", "Конфигурация", "Configuration"],
    ];
    for (path, titles) in PAGES.into_iter().zip(titles) {
        for (language, title) in ["en", "ru", "fr"].into_iter().zip(titles) {
            let shown = page_in(&world, path, language).text();
            assert!(shown.contains(title) && shown.contains(&format!("lang=\"{language}\"")), "{path}: {shown}");
        }
    }
}

#[test]
fn con_8_pages_of_administration_refuse_what_they_do_not_understand() {
    let world = world();
    for bad in ["main/accounts?x=1", "main/keys?after=x", "main/keys?y=1", "z/configuration?what=1"] {
        let refused = world.get(&format!("/console/{bad}"), ADMIN);
        assert_eq!(refused.status, 400, "{bad}");
        assert!(refused.text().contains("That cannot be shown"), "{bad}: {}", refused.text());
    }
}
