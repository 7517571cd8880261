//! Runs that meet others or a store that does not work, chains that give way, tasks of which one waits.

use base::Wall;
use kernel::NewTask;
use kernel::tasks::State;

use super::moody::Mood;
use super::world::{World, status};
use crate::world::NOON;

const SECOND: u64 = 1_000;
const HOUR: u64 = 3_600 * SECOND;

#[test]
fn ker_17_contention_and_passing_faults_use_up_no_tries() {
    let world = World::new();
    let _node = world.node();
    let id = world.create(|task| task.param("20"), "test.fights");
    let waiting = world.task(id);
    assert_eq!((waiting.exc.as_deref(), waiting.retry, waiting.faults), (Some("XSTORE"), 0, 1), "it is seen");
    assert!(waiting.start_at.0 >= NOON + 500, "not at once: {}", waiting.start_at.0 - NOON);
    world.pass(10 * SECOND);
    let attempts = world.task(id).attempt;
    assert!((3..10).contains(&attempts), "{attempts} in ten seconds");
    world.pass(3 * HOUR);
    assert_eq!(world.notes(), ["won at 21, retry 0"]);
    assert!(world.tasks().is_empty());
}

#[test]
fn ker_31_on_a_full_disk_only_what_ends_work_is_begun_and_nothing_loses_tries() {
    let world = World::new();
    let _node = world.node();
    world.create(|task| task.param("1").at(Wall(NOON + 1_000)), "test.note");
    world.create(|task| task.param("2").at(Wall(NOON + 1_000)), "test.frees");
    world.store.feel(Mood::Full);
    world.pass(30 * SECOND);
    assert_eq!(world.notes(), ["2 1"]);
    assert_eq!(world.tasks()[0].attempt, 0, "what cannot run is not claimed");
    world.store.feel(Mood::Good);
    world.pass(2 * SECOND);
    assert_eq!(world.notes().len(), 2, "it goes on by itself");
}

#[test]
fn ker_31_a_run_that_the_store_refuses_is_taken_back_when_the_store_works_again() {
    let world = World::new();
    let _node = world.node();
    let id = world.create(|task| task.param("\"https://a.example/\""), "test.call");
    for fault in 1..10 {
        assert_eq!(world.partner.waiting(), 1, "call {fault}");
        world.store.feel(Mood::Down);
        world.partner.answer(status(200));
        world.pass(20 * SECOND);
        world.store.feel(Mood::Good);
        world.pass(5 * SECOND);
        let task = world.task(id);
        assert_eq!((task.retry, task.faults), (0, fault), "fault {fault}");
        world.pass(300 * SECOND);
    }
    world.partner.answer(status(200));
    assert!(world.tasks().is_empty());
    assert_eq!(world.notes(), ["settled 10"]);
}

#[test]
fn ker_20_a_long_chain_gives_way_to_others_of_its_queue() {
    let world = World::new();
    // The background queue has one worker.
    let chain = |task: NewTask| NewTask { queue: Some(2), ..task.param("150").at(Wall(NOON - 2_000)) };
    let other = |task: NewTask| NewTask { queue: Some(2), ..task.param("other").at(Wall(NOON - 1_000)) };
    world.create(chain, "test.chain");
    world.create(other, "test.note");
    let _node = world.node();
    assert_eq!(world.notes(), ["other 1", "chain of 150"]);
    assert!(world.tasks().is_empty(), "and ends all the same");
}

#[test]
fn ker_20_a_checkpoint_can_wait_for_its_time() {
    let world = World::new();
    let _node = world.node();
    let id = world.create(|task| task, "test.waits");
    let task = world.task(id);
    assert_eq!((task.checkpoint.as_deref(), task.start_at), (Some("7"), Wall(NOON + 600_000)));
    world.pass(600 * SECOND - 1);
    assert!(world.notes().is_empty());
    world.pass(1);
    assert_eq!(world.notes(), ["waited with 7"]);
}

fn later(seconds: i64) -> impl Fn(NewTask) -> NewTask + Send + Clone + 'static {
    move |task| task.param(seconds.to_string()).unique("k").at(Wall(NOON + seconds * 1_000))
}

#[test]
fn ker_15_of_unique_tasks_one_waits_and_the_earlier_start_counts() {
    let world = World::new();
    let _node = world.node();
    let first = world.create(later(50), "test.note");
    world.create(later(90), "test.note");
    world.create(later(30), "test.note");
    world.create(move |task| later(70)(task).unique("another"), "test.note");
    world.create(later(60), "test.frees");
    let mine: Vec<_> = world.tasks().into_iter().filter(|task| task.id == first).collect();
    assert_eq!((world.tasks().len(), mine[0].start_at), (3, Wall(NOON + 30_000)));
    world.pass(30 * SECOND);
    assert_eq!(world.notes(), ["50 1"], "the first one with its parameter, at the earliest start");
    world.create(later(40), "test.note");
    world.pass(60 * SECOND);
    assert_eq!(world.notes().len(), 4, "one that has ended does not stand in the way");
}

#[test]
fn ker_15_a_unique_task_that_runs_lets_another_wait_and_takes_its_place_when_it_goes_back() {
    let world = World::new();
    let _node = world.node();
    let call = |task: NewTask| task.param("\"https://a.example/\"").unique("k");
    let first = world.create(call, "test.call");
    assert_eq!(world.partner.waiting(), 1);
    world.create(move |task| call(task).at(Wall(NOON + 10_000)), "test.call");
    world.create(move |task| call(task).at(Wall(NOON + 20_000)), "test.call");
    assert_eq!(world.tasks().len(), 2, "one runs, one waits");
    world.partner.answer(status(500));
    let left = world.tasks();
    assert_eq!((left.len(), left[0].id, left[0].retry), (1, first, 1), "it knows how often it failed");
    world.create(call, "test.call");
    assert_eq!(world.tasks()[0].start_at, Wall(NOON + 60_000), "asking again does not shorten its pause");
    // Every failure until it is parked: then it holds up nobody.
    for wait in [60, 600, 3_600, 10_800] {
        world.pass(wait * SECOND);
        world.partner.answer(status(500));
    }
    assert_eq!(world.task(first).state(), State::Parked);
    world.create(call, "test.call");
    assert_eq!(world.tasks().len(), 2);
}

#[test]
fn ker_15_a_unique_task_that_is_given_back_twice_does_not_make_way_for_itself() {
    let world = World::new();
    let _node = world.node();
    for key in ["a", "b", "c"] {
        world.create(move |task| task.param("\"http://hangs.example/\"").unique(key), "test.call");
    }
    assert_eq!(world.partner.waiting(), 2, "there is no room for the third");
    world.store.feel(Mood::Vague);
    world.pass(4 * SECOND);
    world.store.feel(Mood::Good);
    world.pass(5 * SECOND);
    assert_eq!(world.tasks().len(), 3, "given back, again because nobody knew, and still there");
    for _ in 0..2 {
        world.partner.answer(status(200));
    }
    world.pass(HOUR / 6);
    world.partner.answer(status(200));
    assert_eq!(world.notes().len(), 3);
}

#[test]
fn ker_34_a_unique_task_in_a_lane_is_a_bug_that_is_told() {
    let world = World::new();
    let refused = world.try_create(|task| task.unique("k").lane("l"), "test.note").unwrap_err();
    assert_eq!(refused.code, base::codes::BDETECTED);
    let long = "k".repeat(10_000);
    let refused = world.try_create(move |task| task.unique(&*long), "test.note").unwrap_err();
    assert_eq!(refused.code, base::codes::ALIMIT);
}
