//! The dispatcher on PostgreSQL, where the planner has a say in what a claim takes.

use std::sync::Arc;

use base::{Call, CallResult, OpResult, Outbound, Sql, Tx, Value, args};
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

static ANALYZE: Sql = Sql::new("test.analyze", "ANALYZE task");

/// The plans of what every task goes through, made on a table that PostgreSQL knows to be empty.
static PLANS: Op<(), Vec<String>> = Op::new("test.plans", |tx, _, ()| {
    tx.execute(&ANALYZE, args![])?;
    let find = ["task.find_due_1", "task.find_due_64"].map(|name| plan(tx, name, args![0, 1, "node", 1]));
    let named = [plan(tx, "task.find_named", args![0, "node", 1, "id", "test.unknown"])];
    let write = [plan(tx, "task.claim", args!["id", 1, "node", 1]), plan(tx, "task.end", args!["id", 1])];
    find.into_iter().chain(named).chain(write).collect()
});

/// How PostgreSQL would run a statement of the kernel.
fn plan(tx: &mut dyn Tx, name: &str, args: &[Value<'_>]) -> OpResult<String> {
    let mut known = kernel::OWN.iter().flat_map(|service| service.statements);
    let text = known.find(|sql| sql.name == name).expect("a statement").text;
    let explain: &'static str = format!("EXPLAIN {text}").leak();
    let explain: &'static Sql = Box::leak(Box::new(Sql::new(format!("test.explain.{name}").leak(), explain)));
    let lines = tx.query(explain, args, 100)?;
    Ok(lines.iter().map(|line| line.text(0).to_owned() + "\n").collect())
}

/// Such a plan is kept, and a million tasks may come before PostgreSQL looks at the table again.
#[test]
fn ker_18_a_plan_made_while_nothing_waits_fits_when_many_tasks_do() {
    let node = Node::postgres(1).remove(0);
    let plans = node.call(&PLANS, ()).unwrap();
    let wanted = ["task_waiting", "task_waiting", "task_pkey", "task_pkey", "task_pkey"];
    for (plan, index) in plans.iter().zip(wanted) {
        assert!(plan.contains(&format!("Index Scan using {index} on task ")) && !plan.contains("Sort"), "{plan}");
    }
}

static INSCRIBE_UNIQUE: Op<i64, ()> = Op::new("test.inscribe_unique", |_, cx, after_ms| {
    let id = cx.id();
    cx.fx.task(NewTask::new(id, "test.unknown").unique("k").after_ms(*after_ms));
    Ok(())
});

#[test]
fn ker_15_of_a_unique_task_one_waits_though_several_nodes_ask_for_it_at_once() {
    let nodes = Node::postgres(2);
    std::thread::scope(|scope| {
        for (node, thread) in nodes.iter().cycle().zip(1..=4) {
            scope.spawn(move || {
                for at in 0..25 {
                    node.call(&INSCRIBE_UNIQUE, 1_000_000 - at * 1_000 - thread).unwrap();
                }
            });
        }
    });
    let search = Search { op: Some("test.unknown".to_owned()), limit: 10, ..Search::default() };
    let waiting = nodes[0].read(&LIST, search.clone()).unwrap();
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    let left_ms = waiting[0].start_at.0 - nodes[0].kernel.env().clock.wall().0;
    assert!(left_ms <= 975_999, "the earliest start counts: {left_ms}");
    // Its run fails and goes back among those who wait.
    nodes[0].call(&INSCRIBE_UNIQUE, 0).unwrap();
    let dispatcher = Dispatcher::start(&nodes[0].kernel, Arc::new(Nobody));
    wait_until_tried(&nodes[0], 1);
    dispatcher.stop();
    nodes[1].call(&INSCRIBE_UNIQUE, 0).unwrap();
    assert_eq!(nodes[0].read(&LIST, search).unwrap().len(), 1);
}

static INSCRIBE_LATER: Op<u32, Vec<base::Id>> = Op::new("test.inscribe_later", |_, cx, count| {
    let ids: Vec<base::Id> = (0..*count).map(|_| cx.id()).collect();
    ids.iter().for_each(|id| cx.fx.task(NewTask::new(*id, "test.unknown").after_ms(600_000)));
    Ok(ids)
});

#[test]
fn sen_12_tasks_asked_for_by_name_begin_before_their_time_and_once() {
    let node = Node::postgres(1).remove(0);
    let ids = node.call(&INSCRIBE_LATER, 50).unwrap();
    // Who asks before the store knows of this node asks in vain.
    node.call(&INSCRIBE, 1).unwrap();
    let dispatcher = Dispatcher::start(&node.kernel, Arc::new(Nobody));
    wait_until_tried(&node, 1);
    ids.iter().for_each(|id| dispatcher.begin("z", "test.unknown", *id));
    wait_until_tried(&node, 51);
    // What failed keeps its pause.
    ids.iter().for_each(|id| dispatcher.begin("z", "test.unknown", *id));
    dispatcher.stop();
    assert!(tried(&node).iter().all(|task| task.attempt == 1 && task.retry == 1), "each was tried once");
}

fn wait_until_tried(node: &Node, count: usize) {
    let ran_ms = || u128::from(node.kernel.env().clock.ran_ms());
    let until = ran_ms() + LONG.as_millis();
    while tried(node).len() < count {
        assert!(ran_ms() < until, "{} of {count} tasks were tried", tried(node).len());
    }
}
