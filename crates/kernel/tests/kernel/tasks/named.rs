//! Tasks that are asked for by name, before their time (SEN-12).

use base::Id;
use kernel::tasks::{self, Dispatcher, State};

use super::moody::Mood;
use super::world::{World, status};

const LATER_MS: i64 = 5_000;

/// One that would begin in five seconds.
fn later(world: &World, op: &'static str) -> Id {
    world.create(|task| task.param("\"x\"").after_ms(LATER_MS), op)
}

fn ask(node: &Dispatcher, id: Id) {
    node.begin("main", "test.note", id);
}

#[test]
fn sen_12_a_task_asked_for_by_name_begins_before_its_time_and_once() {
    let world = World::new();
    let (node, other) = (world.node(), world.other_node());
    let id = later(&world, "test.note");
    assert!(world.notes().is_empty());
    ask(&other, id);
    assert_eq!(world.notes().len(), 1);
    ask(&node, id);
    ask(&other, id);
    world.pass(10_000);
    assert_eq!(world.notes().len(), 1, "it has ended");
    assert_eq!((node.busy(), other.busy()), (0, 0));
}

#[test]
fn sen_12_a_task_that_nobody_asks_for_begins_at_its_time() {
    let world = World::new();
    let _node = world.node();
    later(&world, "test.note");
    world.pass(4_999);
    assert!(world.notes().is_empty());
    world.pass(1);
    assert_eq!(world.notes().len(), 1);
}

#[test]
fn sen_12_one_that_failed_keeps_its_pause() {
    let world = World::new();
    let node = world.node();
    let id = world.create(|task| task, "test.fail");
    let failed = world.task(id);
    assert_eq!((failed.attempt, failed.state()), (1, State::Waiting));
    node.begin("main", "test.fail", id);
    assert_eq!(world.task(id).attempt, 1);
}

#[test]
fn sen_12_an_id_alone_begins_nothing() {
    let world = World::new();
    let node = world.node();
    let (other_kind, unknown) = (later(&world, "test.steps"), world.kernel.request(kernel::Caller::server("test")).id);
    ask(&node, other_kind);
    ask(&node, unknown);
    node.begin("elsewhere", "test.note", other_kind);
    assert!(world.notes().is_empty());
    assert_eq!(world.task(other_kind).attempt, 0);
}

#[test]
fn sen_12_a_suspended_queue_begins_nothing_by_name() {
    let world = World::new();
    let node = world.node();
    let id = later(&world, "test.note");
    world.call(&tasks::SUSPEND, 0).unwrap();
    ask(&node, id);
    assert!(world.notes().is_empty());
    world.call(&tasks::RESUME, 0).unwrap();
    world.pass(5_000);
    assert_eq!(world.notes().len(), 1);
}

#[test]
fn sen_12_more_are_asked_for_than_there_are_workers() {
    let world = World::new();
    let node = world.node();
    let ids: Vec<Id> = (0..50).map(|_| later(&world, "test.note")).collect();
    // Some come twice, and among those that are due.
    world.create(|task| task.param("\"due\""), "test.note");
    ids.iter().chain(&ids[..10]).for_each(|id| ask(&node, *id));
    assert_eq!(world.notes().len(), 51);
    assert_eq!(node.busy(), 0);
}

/// One by name and three that are due, of which a claim by size would find two: its four workers take all of them at once.
#[test]
fn sen_12_a_task_asked_for_by_name_leaves_no_worker_idle_while_others_are_due() {
    let world = World::new();
    let node = world.node();
    let id = later(&world, "test.note");
    world.store.feel(Mood::Slow);
    ask(&node, id);
    for _ in 0..3 {
        world.create(|task| task.param("\"due\""), "test.note");
    }
    node.stop();
    world.store.feel(Mood::Good);
    assert_eq!(world.notes().len(), 4, "by one claim: none follows");
}

#[test]
fn sen_12_one_that_calls_outside_is_not_begun_again_meanwhile() {
    let world = World::new();
    let node = world.node();
    let id = world.create(|task| task.param("\"http://a.example/x\"").after_ms(LATER_MS), "test.call");
    node.begin("main", "test.call", id);
    node.begin("main", "test.call", id);
    assert_eq!(world.partner.waiting(), 1);
    world.partner.answer(status(200));
    assert_eq!(world.notes(), ["settled 1"]);
}

#[test]
fn sen_12_a_task_asked_for_by_name_while_the_store_was_away_begins_as_soon_as_it_is_back() {
    let world = World::new();
    let node = world.node();
    let id = later(&world, "test.note");
    world.store.feel(Mood::Away);
    ask(&node, id);
    world.pass(1_500);
    world.store.feel(Mood::Good);
    world.pass(2_000);
    assert_eq!(world.notes().len(), 1);
}
