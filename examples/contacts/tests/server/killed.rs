//! kill -9 in the middle: clients repeat with the same key, and nothing is lost or done twice (KER-10, KER-23).

use std::future::Future;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use client::{Client, Retry};
use kill::server::{KEY, Server};
use serde_json::json;

use crate::kit::{PATIENCE, client_at, client_of, content, done, in_replica, launch};

const WRITERS: usize = 6;
const CALLS: usize = 40;
const KILLS: usize = 3;

/// Starts it at an address that stays, as the server of real clients does.
fn start(data: &Path, listen: &str) -> Server {
    let launch = launch(data);
    let mut command = Command::new(env!("CARGO_BIN_EXE_contacts"));
    command.args(["serve", "--listen", listen, "--data"]).arg(data).env("FASTNESS_ADMIN_KEY", KEY);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    launch.start_as(command).expect("a server")
}

fn patient(url: &str) -> Client {
    let pause = Duration::from_millis(20);
    let pause_max = Duration::from_secs(1);
    client_at(url, KEY).with_retry(Retry { attempts: 200, first_pause: pause, pause_max, patience: PATIENCE })
}

/// Counts calls of everybody's contact, and adds contacts whose id the server chooses: a repeat would show as a second one.
async fn write(client: Client, writer: usize, told: Sender<()>) {
    for number in 0..CALLS {
        if number % 4 == 0 {
            done(&client, "contacts.add", json!({"name": format!("made-{writer}-{number}-")})).await;
        }
        done(&client, "contacts.called", json!({"id": "ada"})).await;
        told.send(()).expect("somebody listens");
    }
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

#[test]
fn ker_10_doc_7_killed_in_the_middle_every_operation_is_done_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let listen = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").to_string();
    let url = format!("http://{listen}");
    let server = start(&data, &listen);
    block_on(done(&patient(&url), "contacts.add", json!({"id": "ada", "name": "Ada"})));
    let (tell, told) = channel();
    let server = thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (client, tell) = (patient(&url), tell.clone());
            scope.spawn(move || block_on(write(client, writer, tell)));
        }
        (0..KILLS).fold(server, |server, _| {
            (0..WRITERS * CALLS / (KILLS + 2)).for_each(|_| told.recv_timeout(PATIENCE).expect("progress"));
            server.kill().expect("it ran");
            start(&data, &listen)
        })
    });
    block_on(check(&server, folder.path()));
}

async fn check(server: &Server, folder: &Path) {
    let client = client_of(server, KEY);
    for writer in 0..WRITERS {
        for number in (0..CALLS).step_by(4) {
            let found = done(&client, "contacts.find", json!({"part": format!("made-{writer}-{number}-")})).await;
            assert_eq!(found.out.as_array().map(Vec::len), Some(1), "{found:?}");
        }
    }
    let mut replica = client::Replica::open(folder.join("copy")).expect("a replica");
    replica.follow("Contact", "ada", None).expect("a shelf");
    client.sync(&mut replica).await.expect("an answer");
    let count = content(&in_replica(&replica, "Contact", "ada"), "Calls", "");
    assert_eq!(count, json!({"count": WRITERS * CALLS}), "none lost, none twice");
}
