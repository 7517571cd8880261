//! Documents over two and three nodes on one PostgreSQL: whoever is asked, the answer is the same.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, channel};

use axum::body::{Body, BodyDataStream};
use base::{OpResult, Stamp};
use documents::DocSet;
use futures_util::StreamExt;
use futures_util::future::join_all;
use kernel::{Caller, Event, Kernel, Op};
use serde_json::{Value, json};
use testbed_web::{ADMIN, Edge, OnNodes, answered};
use tower::ServiceExt;

const ROOT: &str = "/v1/main";

fn over(name: &str, count: usize) -> OnNodes {
    let nodes = OnNodes::open(name, ROOT, count, documents::service);
    let class =
        json!({ "class": "Contact", "items": { "Card": { "singleton": true, "index": { "name": "string" } } } });
    let _ = nodes.edge.told(200, "POST", "/doc-classes", &class);
    nodes
}

fn on_two_and_three(name: &str, check: fn(&OnNodes)) {
    for count in [2, 3] {
        check(&over(&format!("{name}_{count}"), count));
    }
}

fn change(name: &str, expect: &Value) -> Value {
    let card = json!({ "c": "Card", "j": { "name": name } });
    json!({ "param": { "changes": [{ "c": "Contact", "id": "ada", "expect": expect, "items": [card] }] } })
}

/// Puts a name; its version.
fn put(edge: &Edge, name: &str) -> i64 {
    let answer = edge.told(200, "POST", "/op/doc.commit", &change(name, &json!("any")));
    answer["out"]["version"].as_i64().unwrap()
}

/// Which version is read, and the name in it.
fn get(edge: &Edge, tolerance_s: u32) -> (i64, String) {
    let param = json!({ "param": { "c": "Contact", "id": "ada", "tolerance_s": tolerance_s } });
    let out = edge.told(200, "POST", "/op/doc.get", &param)["out"].take();
    let name = out["items"][0]["j"]["name"].as_str().unwrap_or_else(|| panic!("{out}"));
    (out["v"].as_i64().unwrap(), name.to_owned())
}

#[test]
fn ker_12_ker_23_what_one_node_wrote_is_read_at_once_on_every_other() {
    on_two_and_three("doc_read", |nodes| {
        for round in 0..10 {
            for writer in &nodes.each {
                let name = format!("round {round}");
                let written = (put(writer, &name), name);
                nodes.each.iter().for_each(|reader| assert_eq!(get(reader, 0), written));
            }
        }
    });
}

#[test]
fn ker_12_ker_23_a_write_by_a_stale_version_is_refused_on_every_node() {
    on_two_and_three("doc_stale", |nodes| {
        let stale = put(&nodes.edge, "first");
        // Each node remembers what is about to be stale.
        nodes.each.iter().for_each(|node| assert_eq!(get(node, 0).0, stale));
        let newest = put(&nodes.each[0], "second");
        for node in &nodes.each {
            let refused = node.refused("POST", "/op/doc.commit", &change("late", &json!(stale)));
            assert_eq!(refused, (409, "CVERSION".to_owned()));
        }
        assert_eq!(get(&nodes.edge, 0), (newest, "second".to_owned()));
    });
}

#[test]
fn ker_12_ker_23_of_writers_on_all_nodes_who_expect_one_version_one_wins() {
    on_two_and_three("doc_race", |nodes| {
        let mut version = put(&nodes.edge, "start");
        for round in 0..20 {
            let asked = nodes.each.iter().enumerate().map(|(at, node)| {
                let body = change(&format!("{round} of {at}"), &json!(version)).to_string();
                answered(node.router.clone(), node.request(ADMIN, "POST", "/op/doc.commit", &[], body))
            });
            let answers = nodes.edge.runtime.block_on(join_all(asked));
            let answers: Vec<Value> = answers.iter().map(testbed_web::Reply::json).collect();
            let won: Vec<i64> = answers.iter().filter_map(|answer| answer["out"]["version"].as_i64()).collect();
            let lost = answers.iter().filter(|answer| answer["code"] == "CVERSION").count();
            assert_eq!((won.len(), lost), (1, nodes.each.len() - 1), "{answers:?}");
            version = won[0];
        }
    });
}

#[test]
fn ker_12_ker_23_within_its_tolerance_a_node_answers_from_what_it_remembers_and_beyond_it_does_not() {
    on_two_and_three("doc_tolerance", |nodes| {
        let [one, two] = [&nodes.each[0], &nodes.each[1]];
        let first = (put(one, "first"), "first".to_owned());
        assert_eq!(get(one, 0), first);
        let second = (put(two, "second"), "second".to_owned());
        assert_eq!(get(one, 3_600), first, "not older than an hour");
        assert_eq!(get(one, 0), second);
        assert_eq!(get(one, 3_600), second, "what it read last is what it remembers");
    });
}

/// A change of a document that tells of itself.
static TOLD: Op<String, ()> = Op::new("test.told", |tx, cx, name| {
    let mut docs = DocSet::new();
    docs.get_or_new(tx, cx, "Contact", name)?.put_json("Card", "", json!({ "name": name }))?;
    docs.save(tx, cx)?;
    let (topic, subject) = ("contact.changed".to_owned(), name.clone());
    cx.fx.event(Event { topic, subject, version: Stamp::MIN, data: "{}".into() });
    Ok(())
});

/// Does it; somebody will be told how it ended.
fn tell(kernel: &Kernel, name: String) -> Receiver<OpResult<()>> {
    let (heard, hear) = channel();
    let done = Box::new(move |reply: OpResult<kernel::Reply<()>>| heard.send(reply.map(|reply| reply.out)).unwrap());
    let ns = kernel.namespace("main").unwrap();
    kernel.call(&ns, &TOLD, kernel.request(Caller::server("test")), name, done);
    hear
}

/// What is in the feed, read through changing nodes from one cursor, until so many events came and no more do.
fn follow(edge: &Edge, count: usize) -> Vec<String> {
    let (mut seen, mut after) = (vec![], String::new());
    // Nobody tells this reader that something was numbered: it asks again, as readers of pages do.
    for _ in 0..2_000 {
        let page = edge.get(&format!("/events?topic=contact.changed&limit=7{after}"));
        let items = page["items"].as_array().unwrap();
        seen.extend(items.iter().map(|item| item["subject"].as_str().unwrap().to_owned()));
        after = format!("&after={}", page["next"].as_str().unwrap());
        if seen.len() >= count && items.is_empty() {
            break;
        }
    }
    seen
}

#[test]
fn ker_25_ker_23_the_feed_of_changes_read_through_changing_nodes_misses_and_doubles_nothing() {
    on_two_and_three("doc_feed", |nodes| {
        const EACH: usize = 40;
        let kernels = nodes.each.iter().enumerate();
        let writes = kernels.flat_map(|(at, node)| (0..EACH).map(move |n| (&node.kernel, format!("{at}-{n}"))));
        let names: BTreeSet<String> = writes.clone().map(|(_, name)| name).collect();
        let told: Vec<_> = writes.map(|(kernel, name)| tell(kernel, name)).collect();
        // The reader begins in their midst.
        told[0].recv().unwrap().unwrap();
        let seen = follow(&nodes.edge, names.len());
        told[1..].iter().for_each(|done| done.recv().unwrap().unwrap());
        assert_eq!(seen.len(), names.len(), "none twice: {seen:?}");
        assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), names, "none missed");
    });
}

/// Server-sent events of one subscriber.
struct Live<'a> {
    edge: &'a Edge,
    stream: BodyDataStream,
    text: String,
}

impl<'a> Live<'a> {
    fn of(edge: &'a Edge) -> Self {
        let body = json!({ "syncs": [{ "c": "Contact", "id": "ada" }] }).to_string();
        let request = edge.request(ADMIN, "POST", "/docs/live", &[], body);
        let answer = edge.runtime.block_on(edge.router.clone().oneshot(request)).unwrap();
        assert_eq!(answer.status(), 200);
        Self { edge, stream: Body::into_data_stream(answer.into_body()), text: String::new() }
    }

    /// Everything that comes until this does.
    fn until(&mut self, wanted: &str) -> String {
        while !self.text.contains(wanted) {
            let bytes = self.edge.runtime.block_on(self.stream.next()).expect("it goes on").unwrap();
            self.text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
        let until = self.text.find(wanted).unwrap() + wanted.len();
        self.text.drain(..until).collect()
    }
}

/// Behind each word of another node is a look with every heartbeat, each 15 s: who is told before one was told by a word.
#[test]
fn ker_25_ker_23_live_subscribers_on_every_node_hear_of_a_change_by_a_word_and_not_by_the_look_behind_it() {
    on_two_and_three("doc_live", |nodes| {
        put(&nodes.edge, "start");
        let mut live: Vec<Live<'_>> = nodes.each.iter().map(Live::of).collect();
        live.iter_mut().for_each(|live| drop(live.until("event: level")));
        // The connections for words are opened beside us, and a word before that is lost: each node has heard one of each other.
        for (writer, node) in nodes.each.iter().enumerate() {
            put(node, &format!("warm {writer}"));
            live.iter_mut().for_each(|live| drop(live.until(&format!("warm {writer}"))));
        }
        for round in 0..3 {
            for (writer, node) in nodes.each.iter().enumerate() {
                let name = format!("round {round} of {writer}");
                put(node, &name);
                for live in &mut live {
                    let before = live.until(&name);
                    assert!(!before.contains(": beat"), "{before}");
                }
            }
        }
    });
}
