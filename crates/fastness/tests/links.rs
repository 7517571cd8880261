//! Every link of every page that a new server shows leads to a page, and to the very place on it (CON-1): walked from the first one on.
#![expect(clippy::unwrap_used, reason = "tests end by panicking")]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use kill::client::Client;
use kill::server::{KEY, Launch, Server};
use serde_json::{Value, json};

/// Sights of one page, by what stands behind its `?`: filters of lists multiply.
const SIGHTS_MAX: usize = 5;

/// A person of the administrators' namespace, who may see everything.
fn person(server: &Server) -> Client {
    let ask = |client: &mut Client, method: &str, path: &str, body: &Value| {
        let answer = client.ask(method, path, body, "").unwrap();
        assert!((200..300).contains(&answer.status), "{method} {path}: {answer:?}");
        answer
    };
    let mut desk = Client::new(server.address, KEY);
    let made = ask(&mut desk, "POST", "/v1/z/accounts", &json!({ "name": "anna", "role": "admin" }));
    let (first, own) = (made.body["password"].as_str().unwrap(), "a password of my own");
    let login = ask(&mut desk, "POST", "/v1/z/sessions", &json!({ "account": "anna", "password": first }));
    let mut person = Client::with_session(server.address, &login);
    ask(&mut person, "PUT", "/v1/z/sessions/password", &json!({ "old": first, "new": own }));
    let login = ask(&mut desk, "POST", "/v1/z/sessions", &json!({ "account": "anna", "password": own }));
    Client::with_session(server.address, &login)
}

/// Values of an attribute, with the few characters back that templates escape.
fn values<'a>(page: &'a str, name: &'a str) -> impl Iterator<Item = String> + 'a {
    let all = page.split(name).skip(1).filter_map(|rest| rest.strip_prefix("=\"")?.split('"').next());
    all.map(|value| value.replace("&amp;", "&").replace("&quot;", "\"").replace("&#39;", "'"))
}

/// What a link means on a page.
fn target(page: &str, link: &str) -> String {
    let (path, _) = page.split_once('?').unwrap_or((page, ""));
    match link.chars().next() {
        Some('/') => link.to_owned(),
        Some('?') => format!("{path}{link}"),
        Some('#') => format!("{page}{link}"),
        _ => format!("{}/{link}", path.rsplit_once('/').map_or("", |(above, _)| above)),
    }
}

#[test]
fn con_1_every_link_of_every_page_leads_to_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let launch = Launch::new(Path::new(env!("CARGO_BIN_EXE_fastness")), &folder.path().join("data"));
    let server = launch.start().unwrap();
    let mut person = person(&server);
    let (mut ahead, mut seen) = (VecDeque::from(["/".to_owned(), "/console".to_owned()]), BTreeSet::new());
    // The anchors of each page, and who links to which of them.
    let (mut anchors, mut wanted, mut sights) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::<String, usize>::new());
    while let Some(path) = ahead.pop_front() {
        let sight = sights.entry(path.split('?').next().unwrap_or_default().to_owned()).or_default();
        // Downloads are no pages.
        if *sight == SIGHTS_MAX || path.starts_with("/v1/") || !seen.insert(path.clone()) {
            continue;
        }
        *sight += 1;
        let (answer, bytes) = person.download(&path).unwrap_or_else(|cut| panic!("{path}: {cut:?}"));
        assert!([200, 302, 303, 307, 308].contains(&answer.status), "{path}: {answer:?}");
        ahead.extend(answer.header("location").map(|to| target(&path, to)));
        if !answer.header("content-type").is_some_and(|kind| kind.starts_with("text/html")) {
            continue;
        }
        let page = String::from_utf8(bytes).unwrap();
        anchors.insert(path.clone(), values(&page, " id").collect::<BTreeSet<_>>());
        for link in values(&page, " href").filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            let target = target(&path, &link);
            let (to, anchor) = target.split_once('#').unwrap_or((&target, ""));
            wanted.insert((path.clone(), to.to_owned(), anchor.to_owned()));
            ahead.push_back(to.to_owned());
        }
    }
    assert!(sights.len() > 40, "{} pages", sights.len());
    for (from, to, anchor) in wanted.iter().filter(|(_, _, anchor)| !anchor.is_empty()) {
        // A sight that was passed over is not known.
        let is_there = anchors.get(to).is_none_or(|ids| ids.contains(anchor));
        assert!(is_there, "{from} links to `{anchor}` of {to}, which is not there");
    }
    let of_administrators = "/v1/z/namespaces/z/export";
    assert!(!wanted.iter().any(|(_, to, _)| to == of_administrators), "what is always refused is not offered");
    assert!(
        wanted.iter().any(|(_, to, anchor)| to == "/docs" && anchor == "exchange"),
        "the console names what the API offers"
    );
    server.end("TERM").unwrap();
}
