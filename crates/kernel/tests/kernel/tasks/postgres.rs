//! The dispatcher on PostgreSQL, where the planner has a say in what a claim takes.

use std::sync::Arc;

use base::{Call, CallResult, Outbound};
use kernel::tasks::{Dispatcher, LIST, Search, Task};
use kernel::{NewTask, Op};

use crate::nodes::{LONG, Node};

/// Far more than there are workers, and enough that the planner repeats a subquery rather than keep its rows.
const TASKS: u32 = 600;

/// Tasks that nobody knows how to do: each try fails and is counted.
static INSCRIBE: Op<u32, ()> = Op::new("test.inscribe", |_, cx, count| {
    for _ in 0..*count {
        let id = cx.id();
        cx.fx.task(NewTask::new(id, "test.unknown"));
    }
    Ok(())
});

struct Nobody;

impl Outbound for Nobody {
    fn perform(&self, _: Call, done: Box<dyn FnOnce(CallResult) + Send>) {
        done(CallResult::NotMade("nobody is there".into()));
    }
}

fn tried(node: &Node) -> Vec<Task> {
    let op = Some("test.unknown".to_owned());
    let search = Search { op, retry_min: 1, limit: TASKS + 1, ..Search::default() };
    node.read(&LIST, search).unwrap()
}

#[test]
fn ker_16_ker_18_a_claim_takes_no_more_tasks_than_there_are_workers() {
    let node = Node::postgres(1).remove(0);
    node.call(&INSCRIBE, TASKS).unwrap();
    let dispatcher = Dispatcher::start(&node.kernel, Arc::new(Nobody));
    let ran_ms = || u128::from(node.kernel.env().clock.ran_ms());
    let until = ran_ms() + LONG.as_millis();
    while tried(&node).len() < TASKS as usize {
        assert!(ran_ms() < until, "{} of {TASKS} tasks were tried", tried(&node).len());
        assert!(dispatcher.busy() <= 7, "more than 4, 2 and 1 workers");
    }
    dispatcher.stop();
    assert!(tried(&node).iter().all(|task| task.attempt == 1 && task.retry == 1), "each was tried once");
}
