//! 64 clients fight for one document (C2-D): what was acknowledged is what is there, refusals are told at once, and nobody starves.

use std::time::{Duration, Instant};

use client::{Change, Client, ClientError, Expect, Retry};
use kill::server::{KEY, Server};
use serde_json::json;
use tokio::task::JoinSet;

use crate::kit::{Site, at_server, client_of, content, done, op};

const CLIENTS: usize = 64;
/// Longest wait that is no starvation.
const STARVED: Duration = Duration::from_secs(5);

/// What came of one try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tried {
    Done,
    /// Another one was done since the client looked (CVERSION).
    Overtaken,
    /// The server's own tries met others each time (CSERIAL).
    Collided,
}

/// What a client met.
#[derive(Debug, Default)]
struct Tally {
    acknowledged: usize,
    /// Most refusals of either kind before one was done.
    overtaken_max: usize,
    collided_max: usize,
    /// Slowest try.
    slowest_try: Duration,
    /// Slowest until it was done, with its refusals.
    slowest: Duration,
}

fn tried<T>(answer: Result<T, ClientError>) -> Tried {
    match answer {
        Ok(_) => Tried::Done,
        Err(ClientError::Api(error)) if error.status == 409 && error.code == "CVERSION" => Tried::Overtaken,
        Err(ClientError::Api(error)) if error.status == 409 && error.code == "CSERIAL" => Tried::Collided,
        Err(error) => panic!("neither done nor told that another was first: {error}"),
    }
}

/// The server's own tries decide: the operation reads the newest and adds to it.
async fn by_operation(client: &Client) -> Tried {
    tried(op(client, "contacts.called", json!({"id": "ada"})).await)
}

/// The client looks, and commits what it saw plus one.
async fn by_commit(client: &Client) -> Tried {
    let seen = at_server(client, "Contact", "ada").await;
    let count = content(&seen, "Calls", "")["count"].as_u64().unwrap_or_default();
    let version = seen.expect("it is there").0;
    let change = Change::of("Contact", "ada").expecting(Expect::Version(version));
    tried(client.commit(&[change.put("Calls", "", json!({"count": count + 1}))]).await)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Operation,
    Commit,
}

/// Adds so often, each time until it is done.
async fn add(client: Client, way: Way, times: usize) -> Tally {
    let mut tally = Tally::default();
    while tally.acknowledged < times {
        let (begun, mut overtaken, mut collided) = (Instant::now(), 0, 0);
        loop {
            let asked = Instant::now();
            let tried = match way {
                Way::Operation => by_operation(&client).await,
                Way::Commit => by_commit(&client).await,
            };
            tally.slowest_try = tally.slowest_try.max(asked.elapsed());
            match tried {
                Tried::Done => break,
                Tried::Overtaken => overtaken += 1,
                Tried::Collided => collided += 1,
            }
        }
        tally.acknowledged += 1;
        tally.slowest = tally.slowest.max(begun.elapsed());
        tally.overtaken_max = tally.overtaken_max.max(overtaken);
        tally.collided_max = tally.collided_max.max(collided);
    }
    tally
}

/// All clients at once, spread over the servers; gives what all of them met together.
async fn crowd(servers: &[Server], way: Way, times: usize) -> Tally {
    let once = Retry { attempts: 1, ..Retry::default() };
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let client = client_of(&servers[number % servers.len()], KEY).with_retry(once);
        clients.spawn(add(client, way, times));
    }
    clients.join_all().await.into_iter().fold(Tally::default(), |all, one| Tally {
        acknowledged: all.acknowledged + one.acknowledged,
        overtaken_max: all.overtaken_max.max(one.overtaken_max),
        collided_max: all.collided_max.max(one.collided_max),
        slowest_try: all.slowest_try.max(one.slowest_try),
        slowest: all.slowest.max(one.slowest),
    })
}

/// 64 clients at once, by an own operation and by `doc.commit`.
pub async fn fight(servers: &[Server]) {
    let client = client_of(&servers[0], KEY);
    done(&client, "contacts.add", json!({"id": "ada", "name": "Ada"})).await;
    let mut total = 0;
    for (way, times) in [(Way::Operation, 8), (Way::Commit, 1)] {
        let tally = crowd(servers, way, times).await;
        eprintln!("{way:?}: {tally:?}");
        total += tally.acknowledged;
        assert_eq!(tally.acknowledged, CLIENTS * times);
        let count = content(&at_server(&client, "Contact", "ada").await, "Calls", "");
        assert_eq!(count, json!({"count": total}), "{way:?}: acknowledged is what is there");
        assert!(tally.slowest_try < STARVED, "{way:?}: {tally:?}");
        // Whoever is overtaken was so by another one that was done: there are no more of them than that.
        assert!(tally.overtaken_max < CLIENTS * times, "{way:?}: {tally:?}");
        assert!(way == Way::Commit || tally.slowest < STARVED, "{way:?}: {tally:?}");
    }
}

/// Contacts that join, each both groups.
const JOINERS: usize = 16;

async fn join_both(client: Client, contact: String) -> Vec<u64> {
    let mut numbers = vec![];
    done(&client, "contacts.add", json!({"id": contact, "name": contact})).await;
    for group in ["chess", "math"] {
        let joined = done(&client, "groups.join", json!({"contact": contact, "group": group})).await;
        numbers.push(joined.out["number"].as_u64().expect("a number"));
    }
    numbers
}

/// Many join at once, different contacts to different groups: the register they all hold lets them number themselves one by one.
pub async fn join_at_once(servers: &[Server]) {
    for group in ["chess", "math"] {
        done(&client_of(&servers[0], KEY), "groups.create", json!({"id": group, "title": group})).await;
    }
    let mut joiners = JoinSet::new();
    for number in 0..JOINERS {
        joiners.spawn(join_both(client_of(&servers[number % servers.len()], KEY), format!("c{number}")));
    }
    let mut numbers = joiners.join_all().await.concat();
    numbers.sort_unstable();
    let expected: Vec<u64> = (1..).take(2 * JOINERS).collect();
    assert_eq!(numbers, expected, "each is given once, none is left out");
}

#[tokio::test(flavor = "multi_thread")]
async fn doc_15_a_lock_document_numbers_members_of_all_groups_one_after_the_other() {
    let site = Site::start();
    join_at_once(&[site.server]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_d_ker_7_64_clients_fight_for_one_document() {
    let site = Site::start();
    fight(&[site.server]).await;
}
