//! The guides in the console (CON-13): all that are in docs/, as the server shows them.

use std::collections::{BTreeMap, BTreeSet};

use web::AppConfig;

use crate::world::{ADMIN, Setup, World, bearer};

fn world() -> World {
    World::with(Setup { app: AppConfig { guides: guides::PAGES, ..AppConfig::default() }, ..Setup::default() })
}

fn page(world: &World, path: &str) -> String {
    let answer = world.get(path, ADMIN);
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.text()
}

/// Values of an attribute, with what templates escape of them.
fn values<'a>(page: &'a str, before: &'a str) -> impl Iterator<Item = String> + 'a {
    let found = page.split(before).skip(1).filter_map(|rest| rest.split('"').next());
    found.map(|value| value.replace("&amp;", "&").replace("&#39;", "'"))
}

fn help(path: &str) -> String {
    let name = path.strip_suffix(".md").unwrap();
    let name = name.strip_suffix("/README").unwrap_or(name);
    let name = name.strip_prefix("errors/").unwrap_or(name).replace('/', "-");
    if name == "README" { "/console/main/help".into() } else { format!("/console/main/help/{name}") }
}

#[test]
fn con_13_every_guide_is_shown_and_every_link_in_it_leads_to_its_place() {
    let world = world();
    let pages: BTreeMap<String, String> =
        guides::PAGES.iter().map(|(path, _)| help(path)).map(|path| (path.clone(), page(&world, &path))).collect();
    assert!(pages.len() == guides::PAGES.len() && pages.len() > 100, "{} pages", pages.len());
    let ids: BTreeMap<&String, Vec<String>> =
        pages.iter().map(|(path, page)| (path, values(page, " id=\"").collect())).collect();
    let mut led = 0;
    for (path, page) in &pages {
        let (distinct, all): (BTreeSet<_>, _) = (ids[path].iter().collect(), ids[path].len());
        assert_eq!(distinct.len(), all, "{path}: an id twice");
        let article = page.split("<article").nth(1).unwrap_or_else(|| panic!("{path}: no guide"));
        for href in values(article.split("</article").next().unwrap(), "href=\"") {
            if href.starts_with("http") {
                continue;
            }
            let (to, place) = href.split_once('#').unwrap_or((&href, ""));
            let to = if to.is_empty() { path } else { to };
            let known = ids.get(&to.to_owned()).unwrap_or_else(|| panic!("{path}: no page {href}"));
            assert!(place.is_empty() || known.iter().any(|id| id == place), "{path}: no place {href}");
            led += 1;
        }
    }
    assert!(led > 500, "{led} links");
}

#[test]
fn con_13_each_page_leads_to_its_guide_and_the_contents_say_what_there_is() {
    let world = world();
    let contents = page(&world, "/console/main/help");
    for text in [
        "Documentation, by what you want to do",
        "href=\"/console/main/help/exchange\"",
        "href=\"/console/main/help/errors\"",
    ] {
        assert!(contents.contains(text), "{text}");
    }
    for (at, guide) in [
        ("", "help/console\""),
        ("start", "help/demos\""),
        ("tasks?state=parked", "help/tasks\""),
        ("queues", "help/tasks#queues\""),
        ("alerts", "help/operations#alerts-by-kind\""),
        ("counters", "help/operations#metrics-to-watch\""),
        ("keys", "help/namespaces\""),
        ("configuration", "help/reference-configuration\""),
        ("help/tasks", "help\""),
    ] {
        let ns = if at == "configuration" { "z" } else { "main" };
        let shown = page(&world, &format!("/console/{ns}/{at}"));
        assert!(shown.contains(&format!("href=\"/console/{ns}/{guide}")), "{at}: {guide}");
    }
}

/// Everything above the guide itself is in the person's language.
#[test]
fn con_1_con_13_the_help_is_in_english_and_says_so() {
    let world = world();
    let asked = |language| {
        let headers = [("authorization", bearer(ADMIN)), ("accept-language", String::from(language))];
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        world.ask("GET", "/console/main/help/tasks", &headers, None).text()
    };
    assert!(asked("ru").contains("Руководства есть только на английском.") && asked("ru").contains("Справка (англ.)"));
    assert!(asked("fr").contains("Les guides sont en anglais seulement."));
    assert!(asked("en").contains(">Help<") && !asked("en").contains("The guides are in English."));
}

#[test]
fn con_13_a_guide_that_is_not_there_is_a_clear_page_and_the_box_finds_those_that_are() {
    let world = world();
    let answer = world.get("/console/main/help/no%3Cb%3E", ADMIN);
    assert!(answer.status == 404 && answer.text().contains("no guide is called `no&lt;b&gt;`"), "{}", answer.text());
    let found = page(&world, "/console/main/search?q=atask");
    assert!(found.contains("href=\"/console/main/help/ATASK\"") && found.contains(">ATASK: "), "{found}");
    let offered = page(&world, "/console/main/_suggest?q=growing");
    assert!(offered.contains("/console/main/help/scaling"), "{offered}");
    assert_eq!(world.get("/console/main/help", "fst_nobody").status, 303, "to the login");
    let without = World::new();
    assert_eq!(without.get("/console/main/help", ADMIN).status, 404);
    assert!(!page(&without, "/console/main/").contains("/help"), "a server without guides offers none");
}
