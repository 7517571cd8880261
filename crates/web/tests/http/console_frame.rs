//! The way into the console, and what stands around every page (CON-1, CON-9).

use serde_json::json;

use crate::world::{ADMIN, World, bearer};

fn location(world: &World, path: &str, headers: &[(&str, &str)]) -> Option<String> {
    let answer = world.ask("GET", path, headers, None);
    (answer.status == 303).then(|| answer.header("location").unwrap_or_default().to_owned())
}

#[test]
fn con_1_a_stranger_is_led_to_the_login_and_back() {
    let world = World::new();
    assert_eq!(location(&world, "/console", &[]).as_deref(), Some("/console/main/"));
    let there = location(&world, "/console/main/tasks?state=parked", &[]);
    assert_eq!(there.as_deref(), Some("/console/_login?next=%2Fconsole%2Fmain%2Ftasks%3Fstate%3Dparked"));
    let login = world.ask("GET", &there.unwrap(), &[], None);
    assert_eq!(login.status, 200);
    assert!(login.text().contains("/v1/{namespace}/sessions") && login.text().contains("%2Ftasks%3Fstate%3Dparked"));
}

#[test]
fn con_1_a_link_from_elsewhere_is_asked_for_once_more_from_here() {
    let world = World::new();
    let from = |site: &str| world.ask("GET", "/console/main/", &[("sec-fetch-site", site)], None);
    let page = from("cross-site");
    assert_eq!(page.status, 200);
    assert!(page.text().contains("data-once-more") && !page.text().contains("Overview"), "nothing is shown");
    for site in ["same-origin", "same-site", "none"] {
        assert_eq!(from(site).status, 303, "{site}");
    }
}

#[test]
fn con_1_after_a_login_one_goes_where_one_wanted_or_home() {
    let world = World::new();
    for (query, to) in [
        ("namespace=z&next=%2Fconsole%2Fshop%2Ftasks", "/console/shop/tasks"),
        ("namespace=z", "/console/main/"),
        ("namespace=main&next=%2Fconsole%2Fmain%2Ftasks", "/console/main/tasks"),
        ("namespace=main&next=%2Fconsole%2Fz%2F", "/console/main/"),
        ("namespace=z&next=https%3A%2F%2Fevil.example%2F", "/console/main/"),
        ("namespace=z&next=%2F%2Fevil.example", "/console/main/"),
    ] {
        assert_eq!(location(&world, &format!("/console/_enter?{query}"), &[]).as_deref(), Some(to), "{query}");
    }
    let entered = world.ask("GET", "/console/_enter?namespace=main", &[], None);
    assert!(entered.header("set-cookie").is_some_and(|cookie| cookie.starts_with("fastness_namespace=main;")));
    let unknown = world.ask("GET", "/console/_enter?namespace=a%3B%20b", &[], None);
    assert_eq!(unknown.header("set-cookie"), None, "only what is a namespace is remembered");
    let back = location(&world, "/console", &[("cookie", "fastness_namespace=shop")]);
    assert_eq!(back.as_deref(), Some("/console/shop/"));
    assert_eq!(
        location(&world, "/console", &[("cookie", "fastness_namespace=../x")]).as_deref(),
        Some("/console/main/")
    );
}

#[test]
fn con_1_components_are_for_administrators_of_the_whole_server() {
    let world = World::new();
    let components = |key: &str| world.ask("GET", "/console/_components", &[("authorization", &bearer(key))], None);
    assert_eq!(components(ADMIN).status, 200);
    assert_eq!(components(&world.key("z", "operator")).status, 403);
    assert_ne!(components(&world.key("main", "admin")).status, 200);
}

#[test]
fn con_1_ker_1_an_operator_of_the_administrators_namespace_sees_no_other() {
    let world = World::new();
    let operator = world.key("z", "operator");
    world.post("/v1/main/tasks", ADMIN, &json!({ "op": "night", "target": "https://erp.example/" }));
    let page = |key: &str| world.ask("GET", "/console/z/", &[("authorization", &bearer(key))], None).text();
    assert!(page(ADMIN).contains("href=\"/console/main/\""));
    assert!(!page(&operator).contains("href=\"/console/main/\""), "nothing of main");
    let tasks = |key: &str| world.get("/v1/z/tasks", key).text();
    assert!(tasks(ADMIN).contains("\"namespace\":\"main\"") && !tasks(&operator).contains("\"namespace\":\"main\""));
}

#[test]
fn con_9_a_refusal_is_a_page_that_trusts_nothing() {
    let world = World::new();
    let ask = |path: &str| world.ask("GET", path, &[("authorization", &bearer(ADMIN))], None);
    let page = ask("/console/main/tasks?state=%3Cimg%20src=x%20onerror=alert(1)%3E");
    assert!((400..500).contains(&page.status) && page.header("content-type").unwrap().starts_with("text/html"));
    assert!(!page.text().contains("<img"), "{}", page.text());
    assert!(page.header("content-security-policy").unwrap().contains("script-src 'self'"));
    assert_eq!(ask("/console/nosuch/").status, 404);
    assert_eq!(ask("/console/main/nosuch").status, 404);
}

#[test]
fn con_11_what_is_offered_while_one_types_is_what_the_role_may_see() {
    let world = World::new();
    let offered = |key: &str, text: &str| {
        let path = format!("/console/main/_suggest?q={text}");
        world.ask("GET", &path, &[("authorization", &bearer(key)), ("fastness-again", "yes")], None)
    };
    world.post("/v1/main/keys", ADMIN, &json!({ "role": "app", "label": "access <b>7</b>" }));
    let told = offered(ADMIN, "access");
    assert_eq!((told.status, told.header("content-type")), (200, Some("application/json")));
    let groups = told.json()["groups"].clone();
    assert_eq!(groups[0]["items"][0]["name"], "Access keys", "pages first: {groups}");
    assert_eq!(groups[1]["items"][0]["name"], "access <b>7</b>", "as it came: {groups}");
    assert!(groups[1]["items"][0]["href"].as_str().is_some_and(|href| href.starts_with("/console/main/keys?id=")));
    // A reader may read the journal, and neither sees keys nor their page.
    let told = offered(&world.key("main", "reader"), "access");
    let titles: Vec<_> = told.json()["groups"].as_array().unwrap().iter().map(|group| group["title"].clone()).collect();
    assert_eq!((told.status, titles), (200, vec![json!("Journal")]));
    let nothing = json!({ "groups": [], "told": "Nothing in “main” fits" });
    assert_eq!(offered(ADMIN, "nothing-is-called-so").json(), nothing);
    offered(ADMIN, "").check(400, "ABODY");
    offered("no-key-of-ours", "access").check(401, "SKEY");
}

#[test]
fn con_11_nothing_found_says_where_it_was_sought() {
    let world = World::new();
    let found = |key: &str| {
        let page = "/console/main/search?q=nothing-is-called-so";
        world.ask("GET", page, &[("authorization", &bearer(key))], None).text()
    };
    let elsewhere = "Other namespaces were not searched";
    let everywhere = found(ADMIN);
    assert!(everywhere.contains("Nothing in “main” fits") && everywhere.contains(elsewhere), "{everywhere}");
    let own = found(&world.key("main", "reader"));
    assert!(own.contains("Nothing in “main” fits") && !own.contains(elsewhere), "there is no other for it: {own}");
}

/// A newcomer types a right password beside the namespace that stood there.
#[test]
fn con_1_the_login_says_that_the_namespace_is_part_of_it() {
    let page = World::new().ask("GET", "/console/_login", &[], None).text();
    assert!(page.contains("The account’s own; “z” is that of the administrators"), "{page}");
    assert!(
        page.contains("data-instead=\"SLOGIN\"") && page.contains("another namespace than “{namespace}”"),
        "{page}"
    );
}

#[test]
fn con_1_the_first_page_leads_to_the_console_and_to_a_first_key() {
    let page = World::new().ask("GET", "/", &[], None).text();
    assert!(page.contains("href=\"/console\"") && page.contains("href=\"/console/main/keys\""), "{page}");
    assert!(!page.contains("ADMIN_KEY"), "no first start prints a key: {page}");
}

/// Whoever speaks to the machine would press keys by speaking.
#[test]
fn con_10_keys_that_do_something_alone_can_be_switched_off() {
    let world = World::new();
    let page = |cookie: &str| {
        world.ask("GET", "/console/main/", &[("authorization", &bearer(ADMIN)), ("cookie", cookie)], None).text()
    };
    assert!(!page("a=b").contains("data-single-keys") && page("a=b").contains("single_keys=off"));
    assert!(page("fastness_single_keys=off").contains("<body class=\"console\" data-single-keys=\"off\">"));
    let chosen = world.ask("GET", "/console/_prefer?single_keys=off&back=%2Fconsole%2Fmain%2F", &[], None);
    assert!(chosen.header("set-cookie").is_some_and(|cookie| cookie.starts_with("fastness_single_keys=off;")));
    assert_eq!(chosen.header("location"), Some("/console/main/"));
    let odd = world.ask("GET", "/console/_prefer?single_keys=%3Cb%3E", &[], None);
    assert_eq!(odd.header("set-cookie"), None);
}
