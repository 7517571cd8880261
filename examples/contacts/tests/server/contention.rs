//! 64 clients fight for one document (C2-D): what was acknowledged is what is there, refusals are told at once, and nobody starves.

use std::time::{Duration, Instant};

use client::{Change, Client, ClientError, Expect, Retry};
use kill::server::{KEY, Server};
use serde_json::json;
use tokio::task::JoinSet;

use crate::kit::{Site, at_server, client_of, content, done, op};

const CLIENTS: usize = 64;
/// Longest time that an operation may take, its refusals and repeats included.
const STARVED: Duration = Duration::from_secs(5);

/// What came of one try.
enum Tried {
    Done,
    /// Somebody else was first: status 409.
    Lost,
}

/// What a client met.
#[derive(Debug, Default)]
struct Tally {
    acknowledged: usize,
    lost: usize,
    slowest: Duration,
}

fn tried<T>(answer: Result<T, ClientError>) -> Tried {
    match answer {
        Ok(_) => Tried::Done,
        Err(ClientError::Api(error)) if error.status == 409 => Tried::Lost,
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

#[derive(Debug, Clone, Copy)]
enum Way {
    Operation,
    Commit,
}

/// Adds so often, each time until it is done.
async fn add(client: Client, way: Way, times: usize) -> Tally {
    let mut tally = Tally::default();
    while tally.acknowledged < times {
        let begun = Instant::now();
        loop {
            let tried = match way {
                Way::Operation => by_operation(&client).await,
                Way::Commit => by_commit(&client).await,
            };
            match tried {
                Tried::Done => break,
                Tried::Lost => tally.lost += 1,
            }
        }
        tally.acknowledged += 1;
        tally.slowest = tally.slowest.max(begun.elapsed());
    }
    tally
}

/// All clients at once, spread over the servers.
pub async fn fight(servers: &[Server]) {
    let once = Retry { attempts: 1, ..Retry::default() };
    done(&client_of(&servers[0], KEY), "contacts.add", json!({"id": "ada", "name": "Ada"})).await;
    let mut total = 0;
    for (way, times) in [(Way::Operation, 8), (Way::Commit, 1)] {
        let mut clients = JoinSet::new();
        for number in 0..CLIENTS {
            let client = client_of(&servers[number % servers.len()], KEY).with_retry(once);
            clients.spawn(add(client, way, times));
        }
        let tallies = clients.join_all().await;
        let (slowest, lost) =
            (tallies.iter().map(|tally| tally.slowest).max(), tallies.iter().map(|tally| tally.lost).sum());
        total += tallies.iter().map(|tally| tally.acknowledged).sum::<usize>();
        let (slowest, lost): (Duration, usize) = (slowest.unwrap_or_default(), lost);
        eprintln!("{way:?}: {lost} refusals, the slowest took {slowest:?}");
        assert!(slowest < STARVED, "{way:?}: a client waited for {slowest:?}, {lost} refusals");
        let count = content(&at_server(&client_of(&servers[0], KEY), "Contact", "ada").await, "Calls", "");
        assert_eq!(count, json!({"count": total}), "{way:?}: acknowledged is what is there");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_d_ker_7_64_clients_fight_for_one_document() {
    let site = Site::start();
    fight(&[site.server]).await;
}
