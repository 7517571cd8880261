//! Moves while two nodes serve over one PostgreSQL, where `z` is too: clients write through both, and either node is killed in the middle.
//!
//! One namespace has something of all services and stands still: it ends identical. Another one is written through both nodes
//! all the while: what either acknowledged is there.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use kill::client::{Answer, Client};
use kill::postgres::{Database, SHARED};
use kill::server::{KEY, Launch, Server};
use serde_json::{Value, json};

use crate::kit::{PATIENCE, Site, begin_move, create, dead, get, post, program, run, settled, until};
use crate::tenant::{check_same, epoch, fill, seen};

/// Stands still, and is written.
const STILL: &str = "still";
const BUSY: &str = "busy";

/// Both nodes, each on its address for all its lives.
struct Nodes {
    site: Site,
    launches: [Launch; 2],
}

impl Nodes {
    fn new() -> Self {
        let site = Site::new();
        let database = Database::new(SHARED, "move_nodes").expect("a database");
        let launch = |number: usize| {
            let launch = Launch::new(program(), &site.path(&format!("node-{number}")));
            let launch = database.launch(launch).listen_on(free_address());
            launch
                .env("FASTNESS_OUTBOUND__ALLOW_PRIVATE", "false")
                .env("FASTNESS_TASKS__NODE", &format!("node-{number}"))
        };
        let launches = [launch(0), launch(1)];
        Self { site, launches }
    }

    fn start(&self, number: usize) -> Server {
        self.launches[number].start().expect("a node")
    }

    /// One that ends itself when the work of this state is done and nobody knows it yet.
    fn start_to_crash(&self, number: usize, state: &str) -> Server {
        self.launches[number].clone().env("FASTNESS_TEST_CRASH_AT", state).start().expect("a node")
    }
}

fn free_address() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address")
}

/// Somebody who counts two documents up in one commit each, through one node. What is acknowledged only grows.
struct Writer {
    number: i64,
    address: SocketAddr,
    acknowledged: AtomicI64,
}

impl Writer {
    fn new(number: i64, address: SocketAddr) -> Self {
        Self { number, address, acknowledged: AtomicI64::new(0) }
    }

    fn write(&self, stop: &AtomicBool) {
        while !stop.load(Relaxed) {
            let next = self.acknowledged.load(Relaxed) + 1;
            let change = |side: &str| {
                let items = json!([{ "c": "Count", "j": { "n": next } }]);
                json!({ "c": "Pair", "id": format!("{side}{}", self.number), "items": items })
            };
            let body = json!({ "param": { "changes": [change("left"), change("right")] } });
            let answer = Client::new(self.address, KEY).post(&format!("/v1/{BUSY}/op/doc.commit"), &body, "");
            if answer.is_ok_and(|answer| is_acknowledged(&answer)) {
                self.acknowledged.store(next, Relaxed);
            } else {
                thread::sleep(Duration::from_millis(5)); // tidy: sleep — its node is away, or the namespace is
            }
        }
    }

    /// Until it was acknowledged something more.
    fn wait_more(&self) {
        let (end, before) = (Instant::now() + PATIENCE, self.acknowledged.load(Relaxed));
        while self.acknowledged.load(Relaxed) <= before {
            assert!(Instant::now() < end, "writer {} is not heard any more", self.number);
            thread::yield_now();
        }
    }
}

/// Else it is being moved, is on the disk of another node, or others were at it for too long.
fn is_acknowledged(answer: &Answer) -> bool {
    let is_for_later = answer.status == 503 || answer.code().starts_with('C');
    assert!(answer.status == 200 || is_for_later, "{answer:?}");
    answer.status == 200
}

/// Begins both moves at a node.
fn begin_both(server: &Server, engine: &str) {
    [STILL, BUSY].iter().for_each(|name| drop(begin_move(server, name, engine)));
}

/// Waits for the ends of both.
fn settled_both(server: &Server, engine: &str) {
    for name in [STILL, BUSY] {
        let moved = settled(server, name);
        assert_eq!((&moved["state"], &moved["to"]), (&json!("done"), &json!(engine)), "{moved}");
        assert_eq!(get(server, &format!("/v1/z/namespaces/{name}")).body["engine"], engine);
    }
}

/// Waits until a node serves both, or knows that another one does.
fn wait_noticed(server: &Server, serves: bool) {
    let begun = Instant::now();
    for name in [STILL, BUSY] {
        until(server, &format!("/v1/{name}/keys"), |answer| (answer.status == 200) == serves);
    }
    println!("{} noticed after {:?} that it serves: {serves}", server.address, begun.elapsed());
}

fn check_written(server: &Server, writers: &[Writer]) {
    for writer in writers {
        let written = writer.acknowledged.load(Relaxed);
        let [left, right] = pair(server, writer.number);
        let is_whole = left == right && left >= written;
        assert!(is_whole, "writer {}: {left} and {right}, {written} were acknowledged", writer.number);
    }
}

/// Both documents of a writer, at one moment: it may be at work.
fn pair(server: &Server, number: i64) -> [i64; 2] {
    let syncs = ["left", "right"].map(|side| json!({ "c": "Pair", "id": format!("{side}{number}") }));
    let synced = post(server, &format!("/v1/{BUSY}/op/doc.sync"), &json!({ "syncs": syncs })).body;
    [0, 1].map(|side| synced["syncs"][side]["items"][0]["j"]["n"].as_i64().expect("a number"))
}

struct Scene<'a> {
    nodes: &'a Nodes,
    writers: &'a [Writer],
    before: Value,
    epoch: String,
}

impl Scene<'_> {
    /// All is as it was, seen from this node.
    fn check(&self, server: &Server, when: &str) {
        check_same(server, STILL, &self.before, when);
        assert_eq!(epoch(server, STILL), self.epoch, "{when}");
        check_written(server, self.writers);
    }

    /// To the first node's disk; it dies when both sides are equal and the row does not know it.
    fn to_the_disk_of_one_that_dies(&self, one: Server, two: &Server) -> Server {
        drop(one);
        let one = self.nodes.start_to_crash(0, "closing");
        wait_noticed(&one, true);
        self.writers.iter().for_each(Writer::wait_more);
        begin_both(&one, "sqlite");
        dead(one);
        let one = self.nodes.start(0);
        settled_both(&one, "sqlite");
        wait_noticed(two, false);
        self.check(&one, "on the disk of the node that died");
        self.writers[0].wait_more();
        one
    }

    /// Back, by a command; the second node, which serves neither, is killed meanwhile and finds both when it is back.
    fn back_while_the_other_is_away(&self, one: &Server, two: Server) -> Server {
        two.kill().expect("a running node");
        begin_move(one, STILL, "postgres");
        let moved = run(one, &["namespace", "move", BUSY, "--to", "postgres"]);
        assert!(moved.code == 0 && moved.out.contains("the same on both sides"), "{moved:?}");
        settled_both(one, "postgres");
        let two = self.nodes.start(1);
        wait_noticed(&two, true);
        self.writers.iter().for_each(Writer::wait_more);
        self.check(&two, "seen from the node that was away");
        two
    }

    /// To the second node's disk; the first one, through which others write, is killed in the middle and comes back after it.
    fn to_the_disk_of_the_other(&self, one: Server, two: &Server) -> Server {
        begin_both(two, "sqlite");
        one.kill().expect("a running node");
        settled_both(two, "sqlite");
        let one = self.nodes.start(0);
        wait_noticed(&one, false);
        self.check(two, "on the disk of the other node");
        self.writers[1].wait_more();
        one
    }

    /// Back once more with both there: the one that was not asked notices by itself.
    fn back_with_both(&self, one: &Server, two: &Server) {
        begin_both(two, "postgres");
        settled_both(two, "postgres");
        wait_noticed(one, true);
        self.writers.iter().for_each(Writer::wait_more);
        self.check(one, "seen from the node that was not asked");
    }
}

#[test]
fn ker_3_ker_23_moves_while_two_nodes_serve_and_either_is_killed_lose_nothing() {
    let nodes = Nodes::new();
    let (one, two) = (nodes.start(0), nodes.start(1));
    create(&one, STILL);
    create(&one, BUSY);
    fill(&nodes.site, &one, STILL);
    post(
        &one,
        &format!("/v1/{BUSY}/doc-classes"),
        &json!({ "class": "Pair", "items": { "Count": { "singleton": true } } }),
    );
    wait_noticed(&two, true);
    let (before, epoch) = (seen(&one, STILL), epoch(&one, STILL));
    let (writers, stop) = ([Writer::new(0, one.address), Writer::new(1, two.address)], AtomicBool::new(false));
    thread::scope(|scope| {
        let stopped = Stop(&stop);
        writers.iter().for_each(|writer| drop(scope.spawn(|| writer.write(&stop))));
        let scene = Scene { nodes: &nodes, writers: &writers, before, epoch };
        let one = scene.to_the_disk_of_one_that_dies(one, &two);
        let two = scene.back_while_the_other_is_away(&one, two);
        let one = scene.to_the_disk_of_the_other(one, &two);
        scene.back_with_both(&one, &two);
        drop(stopped);
    });
}

/// Nobody writes any more when it goes, also in a panic.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Where a namespace is the file of another node, it is away; it is never "not there", also not in the moment in which it comes.
#[test]
fn ker_2_ker_3_a_node_that_learns_late_of_a_move_never_says_that_there_is_no_such_namespace() {
    let nodes = Nodes::new();
    let (one, two) = (nodes.start(0), nodes.start(1));
    let made = post(&one, "/v1/z/namespaces", &json!({ "name": STILL, "engine": "sqlite" }));
    assert_eq!(made.status, 201, "{made:?}");
    until(&two, &format!("/v1/{STILL}/keys"), |answer| answer.status == 503);
    begin_move(&one, STILL, "postgres");
    until(&two, &format!("/v1/{STILL}/keys"), |answer| {
        assert!([200, 503].contains(&answer.status), "{answer:?}");
        answer.status == 200
    });
}
