//! The worker in Python, as its example has it: real processes, one of which is killed.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use client::workflow::{Start, Task};
use kill::server::KEY;
use serde_json::{Value, json};

use crate::kit::Kit;

fn example() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/workflow-python")
}

/// A process of Python that ends with the test.
struct Python(Child);

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn python(kit: &Kit, words: &[&str]) -> Command {
    let mut command = Command::new("python3");
    command.arg("order.py").arg(format!("http://{}", kit.server.address)).args(words);
    command.current_dir(example()).env("FASTNESS_KEY", KEY).env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::null());
    command
}

fn worker(kit: &Kit) -> Python {
    Python(python(kit, &["work"]).spawn().expect("python3"))
}

async fn order(kit: &Kit, lines: Value) -> String {
    let task = Task::new("py-order#1", "begin").arg(lines);
    kit.client.workflow().start(&Start::new("py-order", task)).await.unwrap()
}

#[tokio::test]
async fn wfl_1_workers_in_python_bring_orders_to_their_end_though_one_is_killed() {
    let kit = Kit::start();
    kit.hasten("py-price#1").await;
    kit.hasten("py-order#1").await;
    let (mortal, _other) = (worker(&kit), worker(&kit));
    let first = order(&kit, json!([["lamp", 2], ["chair", 1], ["unicorn", 1]])).await;
    assert_eq!(kit.ended(&first).await.result::<Value>(), Ok(json!({"pay": 90, "unknown": 1})));
    let mut orders = vec![];
    for number in 0..10 {
        orders.push(order(&kit, json!([["lamp", 1], ["chair", number % 2]])).await);
    }
    drop(mortal);
    for (number, process) in orders.iter().enumerate() {
        let expected = json!({"pay": 25 + 40 * (number % 2), "unknown": 0});
        assert_eq!(kit.ended(process).await.result::<Value>(), Ok(expected));
    }
}

#[tokio::test]
async fn wfl_9_an_order_in_python_waits_for_its_approval() {
    let kit = Kit::start();
    let _worker = worker(&kit);
    let started = python(&kit, &["start", "desk:3"]).stdout(Stdio::piped()).spawn().expect("python3");
    let mut started = Python(started);
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(started.0.stdout.take().expect("a pipe")));
    let process = lines.next().expect("an id").expect("a line");
    let approved = python(&kit, &["approve", &process, "yes"]).status().expect("python3");
    assert!(approved.success());
    assert_eq!(lines.next().expect("an end").expect("a line"), "FINISHED {'pay': 600, 'unknown': 0}");
}
