//! Calls that are cut off on their way.

use std::sync::{Arc, Mutex};

use client::workflow::{Event, Failure, Task, Worker};

use crate::kit::{Kit, beside, client_of};
use crate::proxy::{Fault, Plan, start};

async fn echo(text: String) -> Result<String, Failure> {
    Ok(text)
}

/// A worker behind a connection that fails once, at this step; whether it did, and what the worker said of it.
async fn behind(kit: &Kit, step: &'static str, fault: Fault) -> (Vec<String>, bool) {
    let done = Arc::new(Mutex::new(false));
    let plan = Plan { step, fault, victim: Arc::default(), done: done.clone() };
    let client = client_of(&format!("http://{}", start(kit.server.address, plan)));
    let heard = Arc::new(Mutex::new(vec![]));
    let hear = heard.clone();
    let worker = Worker::new(&client, "echo#1").on("echo", echo).tell(move |event| {
        if let Event::Away { .. } | Event::Refused { .. } | Event::Lost { .. } = event {
            hear.lock().unwrap().push(format!("{event:?}"));
        }
    });
    let process = kit.begin(Task::new("echo#1", "echo").arg(step)).await;
    let (served, ended) = beside(worker, kit.ended(&process)).await;
    assert_eq!(ended.result::<String>().as_deref(), Ok(step));
    assert_eq!((served.done, served.lost), (1, 0), "{step} {fault:?}");
    assert_eq!(kit.history(&process).await, Vec::<String>::new(), "nobody noticed anything: {step} {fault:?}");
    let (heard, done) = (heard.lock().unwrap().clone(), *done.lock().unwrap());
    (heard, done)
}

#[tokio::test]
async fn wfl_7_a_release_that_was_cut_off_is_repeated_and_counts_once() {
    for fault in [Fault::CutBefore, Fault::CutAfter] {
        // A server each: a poll of the first worker may still wait behind the relay, which tells nobody that it was given up.
        let kit = Kit::start();
        let (heard, done) = behind(&kit, "release", fault).await;
        assert!(done, "it was cut off");
        assert_eq!(heard, Vec::<String>::new(), "the same key got the same answer");
    }
}

#[tokio::test]
async fn wfl_1_a_worker_waits_for_a_server_that_is_away() {
    let kit = Kit::start();
    let (heard, done) = behind(&kit, "poll", Fault::CutBefore).await;
    assert!(done && heard.iter().any(|event| event.starts_with("Away")), "{heard:?}");
}

#[tokio::test]
async fn wfl_6_a_poll_whose_answer_was_cut_off_is_repeated_and_given_the_same_tasks() {
    let kit = Kit::start();
    let (heard, done) = behind(&kit, "poll", Fault::CutAfter).await;
    assert!(done && heard.iter().all(|event| event.starts_with("Away")), "{heard:?}");
}

#[tokio::test]
async fn wfl_1_a_worker_that_may_not_work_says_so() {
    let kit = Kit::start();
    let wrong =
        client::Client::new(&format!("http://{}", kit.server.address), "main", "not-a-key-of-this-server").unwrap();
    let refused = Worker::new(&wrong, "echo#1").on("echo", echo).run(std::future::pending()).await;
    assert!(matches!(&refused, Err(client::ClientError::Api(error)) if error.letter() == 'S'), "{refused:?}");
    let refused = Worker::new(&kit.client, "no version").run(std::future::pending()).await;
    assert!(matches!(&refused, Err(client::ClientError::Api(error)) if error.code == "AWORKFLOW"), "{refused:?}");
}
