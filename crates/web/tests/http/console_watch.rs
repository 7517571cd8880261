//! The console's pages of watching (CON-8): journal, alerts with messages and channels, counters.

use kernel::Op;
use serde_json::json;

use crate::client::Answer;
use crate::world::{ADMIN, World};

/// What must never reach a page as it is.
pub const EVIL: &str = "<img src=x onerror=alert(1)>";
pub const EVIL_SHOWN: &str = "&lt;img src=x onerror=alert(1)&gt;";

static SAY: Op<Vec<(String, String, String)>, ()> = Op::new("test.say", |_, cx, lines| {
    for (kind, subject, text) in lines {
        cx.fx.journal(kind, subject, text);
    }
    Ok(())
});

static OPEN: Op<Vec<(String, String)>, ()> = Op::new("test.open", |_, cx, alerts| {
    alerts.iter().for_each(|(key, message)| cx.fx.open_alert(key, "test", message.clone()));
    Ok(())
});

fn say(world: &World, lines: &[(&str, &str, &str)]) {
    let own = |(kind, subject, text): &(&str, &str, &str)| ((*kind).into(), (*subject).into(), (*text).into());
    world.run("main", &SAY, lines.iter().map(own).collect()).unwrap();
}

fn open(world: &World, alerts: &[(&str, &str)]) {
    let own = |(key, message): &(&str, &str)| ((*key).to_owned(), (*message).to_owned());
    world.run("main", &OPEN, alerts.iter().map(own).collect()).unwrap();
}

/// A page that must be there.
pub fn page(world: &World, path: &str, key: &str) -> String {
    let answer = world.get(path, key);
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.text()
}

/// The page in a language.
pub fn page_in(world: &World, path: &str, language: &str) -> Answer {
    let bearer = format!("Bearer {ADMIN}");
    world.ask("GET", path, &[("authorization", &bearer), ("accept-language", language)], None)
}

/// The address behind a link of this relation.
pub fn link<'a>(page: &'a str, rel: &str) -> Option<&'a str> {
    let before = page.split(&format!("\" rel=\"{rel}\"")).next()?;
    (before.len() < page.len()).then(|| before.rsplit("href=\"").next().unwrap_or_default())
}

fn unescaped(address: &str) -> String {
    address.replace("&amp;", "&")
}

#[test]
fn con_8_the_journal_shows_who_did_what_with_links_to_it() {
    let world = World::new();
    let id = "01KA2B3C4D5E6F7G8H9JKMNPQR";
    say(&world, &[("task.parked", id, "no answer"), ("login.failed", "anna", "from 192.0.2.1")]);
    world.key("main", "reader");
    let shown = page(&world, "/console/main/journal", ADMIN);
    assert!(shown.contains("id=\"journal\" data-live"), "new lines appear by themselves");
    assert!(shown.contains("href=\"/console/main/accounts?name=anna\""), "{shown}");
    assert!(shown.contains("<span class=\"badge bad\">login.failed</span>"), "{shown}");
    assert!(shown.contains("<span class=\"badge warn\">task.parked</span>") && shown.contains(id));
    assert!(shown.contains("server: test") || shown.contains("server</span>: test"), "{shown}");
    let newest = shown.find("key.created").unwrap();
    assert!(newest < shown.find("login.failed").unwrap(), "newest first");
    let operator = world.key("main", "operator");
    let shown = page(&world, "/console/main/journal?kind=login.", &operator);
    assert!(!shown.contains("accounts?name=anna") && shown.contains("anna"), "no link to what an operator may not see");
}

#[test]
fn con_8_the_journal_is_filtered_and_paged() {
    let world = World::new();
    let lines: Vec<_> = (0..120).map(|number| (format!("text.{}", number % 2), format!("line {number:03}"))).collect();
    say(&world, &lines.iter().map(|(kind, text)| (kind.as_str(), "x", text.as_str())).collect::<Vec<_>>());
    let key = world.key("main", "reader");
    let mut path = "/console/main/journal?kind=text.1&who=SERVER.TEST&q=line&from=&to=".to_owned();
    let mut seen = vec![];
    loop {
        let shown = page(&world, &path, &key);
        seen.extend((0..120).filter(|number| shown.contains(&format!("line {number:03}"))));
        let Some(next) = link(&shown, "next") else { break };
        path = unescaped(next);
        assert!(path.contains("kind=text.1") && path.contains("who=SERVER.TEST"), "{path}");
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..120).filter(|number| number % 2 == 1).collect::<Vec<_>>());
    let nobody = page(&world, "/console/main/journal?who=nobody", &key);
    assert!(nobody.contains("Nothing fits"), "{nobody}");
    let early = page(&world, "/console/main/journal?to=2020-01-01T00:00", &key);
    assert!(early.contains("Nothing fits") && early.contains("value=\"2020-01-01T00:00\""), "{early}");
}

#[test]
fn con_8_a_search_that_looked_at_enough_says_so_and_goes_on() {
    let world = World::new();
    say(&world, &[("rare.one", "x", "the needle")]);
    // The first of these may be of the needle's own millisecond, whose lines lie in no order: the others are enough.
    for _ in 0..6 {
        say(&world, &[("common.one", "x", "hay"); 450]);
    }
    let shown = page(&world, "/console/main/journal?kind=rare.", ADMIN);
    assert!(shown.contains("2,000 lines were searched") && !shown.contains("the needle"), "{shown}");
    let next = page(&world, &unescaped(link(&shown, "next").unwrap()), ADMIN);
    assert!(next.contains("the needle"), "{next}");
    assert!(!next.contains("id=\"journal\" data-live"), "only the first page moves");
}

#[test]
fn con_9_nothing_from_outside_reaches_a_page_of_watching_as_it_is() {
    let world = World::new();
    say(&world, &[(EVIL, EVIL, EVIL), ("task.parked", EVIL, EVIL)]);
    open(&world, &[(EVIL, EVIL)]);
    let channel = json!({ "channels": [{ "kind": "mail", "to": ["<b>@x"] }, { "kind": "mail", "to": ["\"@x"] }] });
    assert_eq!(world.put("/v1/main/alert-channels", ADMIN, &channel).status, 400);
    let evil_query = "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E";
    for path in [
        "/console/main/journal".to_owned(),
        "/console/main/alerts".to_owned(),
        "/console/main/counters".to_owned(),
        format!("/console/main/journal?kind={evil_query}&who={evil_query}&q={evil_query}"),
        format!("/console/main/alerts?kind={evil_query}"),
        format!("/console/main/counters?kind={evil_query}&name={evil_query}"),
    ] {
        let shown = page(&world, &path, ADMIN);
        assert!(!shown.contains("<img"), "{path}: {shown}");
        assert!(path.ends_with("counters") || shown.contains(EVIL_SHOWN), "{path}: {shown}");
    }
}

#[test]
fn con_8_alerts_are_shown_by_state_and_acknowledged_by_who_may() {
    let world = World::new();
    let (reader, operator) = (world.key("main", "reader"), world.key("main", "operator"));
    assert!(page(&world, "/console/main/alerts", &reader).contains("No open alert"));
    open(&world, &[("disk", "the disk is full"), ("clock", "the clock is wrong")]);
    let shown = page(&world, "/console/main/alerts", &operator);
    assert!(shown.contains("the disk is full") && shown.contains("Open · 2"), "{shown}");
    assert!(shown.contains("data-call=\"POST\"") && shown.contains("/acknowledge\""), "{shown}");
    assert!(!page(&world, "/console/main/alerts", &reader).contains("/acknowledge\""), "a reader only looks");
    let alerts = world.get("/v1/main/alerts?state=open", &operator).json();
    let id = alerts["items"][0]["id"].as_str().unwrap();
    world.send("POST", &format!("/v1/main/alerts/{id}/acknowledge"), &operator);
    let open_now = page(&world, "/console/main/alerts?kind=test", &operator);
    assert!(!open_now.contains("the clock is wrong") && open_now.contains("Acknowledged · 1"), "{open_now}");
    let known = page(&world, "/console/main/alerts?state=acknowledged", ADMIN);
    assert!(known.contains("the clock is wrong") && known.contains("/console/main/keys?id="), "who it was: {known}");
    assert!(page(&world, "/console/main/alerts?state=closed", &reader).contains("No alert is in this state"));
}

#[test]
fn con_8_messages_and_channels_of_alerts_are_shown_and_set() {
    let world = World::new();
    let reader = world.key("main", "reader");
    assert!(page(&world, "/console/main/alerts/messages", &reader).contains("No message yet"));
    let empty = page(&world, "/console/main/alerts/channels", ADMIN);
    assert!(empty.contains("Nobody is told of alerts") && empty.contains("name=\"channels.0.to\""), "{empty}");
    let channels = json!({ "channels": [
        { "kind": "mail", "to": ["ops@example.org"] },
        { "kind": "webhook", "url": "https://sms.example/token-123" },
    ] });
    assert_eq!(world.put("/v1/main/alert-channels", ADMIN, &channels).status, 204);
    let shown = page(&world, "/console/main/alerts/channels", ADMIN);
    assert!(shown.contains("mail to ops@example.org") && shown.contains("webhook https://sms.example"), "{shown}");
    assert!(!shown.contains("token-123"), "the path of a webhook often is its password");
    assert!(shown.contains("name=\"channels.2.url\""), "{shown}");
    let kept = json!({ "channels": [{ "kind": "webhook", "label": "webhook https://sms.example" }] });
    assert!(shown.contains(&kept["channels"].to_string().replace('"', "&quot;")), "to remove the other: {shown}");
    assert_eq!(world.put("/v1/main/alert-channels", ADMIN, &kept).status, 204);
    let left = world.get("/v1/main/alert-channels", ADMIN).json();
    assert_eq!((left["channels"].as_array().unwrap().len(), &left["channels"][0]["kind"]), (1, &json!("webhook")));
    world
        .put("/v1/main/alert-channels", ADMIN, &json!({ "channels": [{ "kind": "mail", "label": "x" }] }))
        .check(400, "ABODY");
    let looked = page(&world, "/console/main/alerts/channels", &reader);
    assert!(!looked.contains("data-call=\"PUT\""), "a reader only looks: {looked}");
}

#[test]
fn con_8_counters_tell_who_sends_and_who_fails() {
    let world = World::new();
    let reader = world.key("main", "reader");
    world.kernel.flush_watched();
    let found = (0..1_000).map(|_| page(&world, "/console/main/counters", &reader));
    let shown = { found }.find(|shown| shown.contains("key.create")).unwrap();
    assert!(shown.contains("href=\"/console/main/counters?kind=operation\""), "{shown}");
    let one = page(&world, "/console/main/counters?kind=operation&name=key.create", &reader);
    assert!(one.contains("key.create") && !one.contains("key.bootstrap"), "{one}");
    assert!(page(&world, "/console/main/counters?kind=nothing", &reader).contains("Nothing was counted"));
}

#[test]
fn con_2_what_needs_somebody_says_where_it_is_when_all_namespaces_are_seen() {
    let world = World::new();
    let keys: Vec<String> = (0..7).map(|number| format!("k{number}")).collect();
    open(&world, &keys.iter().map(|key| (key.as_str(), "b")).collect::<Vec<_>>());
    world.create_task("main", &json!({"op": "w", "target": "https://x/"}));
    world.send("POST", "/v1/main/queues/suspend", ADMIN);
    let all = page(&world, "/console/z/", ADMIN);
    assert!(all.contains("data-label=\"Namespace\"><div class=\"cell\"><a href=\"/console/main/\">main</a>"), "{all}");
    assert!(all.contains("<a href=\"/console/main/alerts\"><b>main</b> Show all open alerts: 7</a>"), "{all}");
    let own = page(&world, "/console/main/", ADMIN);
    assert!(own.contains(">Show all open alerts: 7</a>") && !own.contains("data-label=\"Namespace\""), "{own}");
}

#[test]
fn con_1_pages_of_watching_speak_three_languages() {
    let world = World::new();
    open(&world, &[("a", "b")]);
    for (path, texts) in [
        ("/console/main/journal", ["Journal</h1>", "Журнал</h1>", "Journal</h1>"]),
        ("/console/main/alerts", ["Acknowledge<", "Подтвердить<", "Acquitter<"]),
        ("/console/main/alerts/messages", ["No message yet", "Сообщений пока нет", "Aucun message"]),
        ("/console/main/alerts/channels", ["Add a webhook", "Добавить вебхук", "Ajouter un webhook"]),
        ("/console/main/counters", ["Counters</h1>", "Счётчики</h1>", "Compteurs</h1>"]),
    ] {
        for (language, text) in ["en", "ru", "fr"].into_iter().zip(texts) {
            let shown = page_in(&world, path, language).text();
            assert!(shown.contains(text) && shown.contains(&format!("lang=\"{language}\"")), "{path}: {shown}");
        }
    }
}

#[test]
fn con_8_pages_of_watching_refuse_what_they_do_not_understand() {
    let world = World::new();
    let app = world.key("main", "app");
    for path in ["journal", "alerts", "alerts/messages", "alerts/channels", "counters"] {
        let refused = world.get(&format!("/console/main/{path}"), &app);
        assert_eq!(refused.status, 403, "{path}");
        assert!(refused.text().contains("Not for your role"), "{path}: {}", refused.text());
    }
    for bad in [
        "journal?after=x",
        "journal?from=yesterday",
        "journal?what=1",
        "alerts?state=odd",
        "alerts?after=x",
        "alerts/messages?after=x",
        "alerts/messages?from=%27",
        "counters?x=1",
    ] {
        let refused = world.get(&format!("/console/main/{bad}"), ADMIN);
        assert_eq!(refused.status, 400, "{bad}");
        assert!(refused.text().contains("That cannot be shown"), "{bad}: {}", refused.text());
    }
}
