//! Nodes that end, and tasks that nobody knows of any more.

use base::{CallResult, Id};
use kernel::NewTask;
use kernel::tasks::{self, Dispatcher, Move, State};

use super::moody::Mood;
use super::world::{World, status};

const MINUTE: u64 = 60_000;

/// A node that is paused: its timers and answers come too late. Here it simply stops beating.
fn pause(node: &Dispatcher) {
    node.stop();
}

#[test]
fn ker_23_a_node_that_starts_anew_loses_the_tasks_of_its_life_before_at_once() {
    let world = World::new();
    let first = world.node();
    let id = world.create(|task| task.param("\"http://a.example/\""), "test.call");
    pause(&first);
    let _second = world.node();
    let task = world.task(id);
    assert_eq!((task.state(), task.attempt, task.retry), (State::Running, 2, 1), "taken over at once");
}

#[test]
fn ker_18_a_late_good_end_is_accepted_until_the_next_claim_and_then_refused_whole() {
    let world = World::new();
    let first = world.node();
    let id = world.create(|task| task.param("\"http://a.example/\""), "test.call");
    pause(&first);
    let _second = world.node();
    world.partner.answer(status(200));
    assert!(world.notes().is_empty(), "the first attempt settled nothing: another had begun");
    assert_eq!(world.task(id).state(), State::Running);
    world.partner.answer(status(200));
    assert_eq!(world.notes(), ["settled 2"]);
    assert!(world.tasks().is_empty());
}

#[test]
fn ker_18_a_late_bad_end_changes_nothing() {
    let world = World::new();
    let first = world.node();
    let id = world.create(|task| task.param("\"http://a.example/\""), "test.call");
    pause(&first);
    let _second = world.node();
    world.partner.answer(CallResult::Unknown("late".into()));
    let task = world.task(id);
    assert_eq!((task.state(), task.attempt, task.retry, task.exc), (State::Running, 2, 1, None));
}

#[test]
fn ker_23_the_tasks_of_a_node_whose_lease_ended_are_taken_over() {
    let world = World::new();
    let first = world.node();
    let id = world.create(|task| task.param("\"http://a.example/\""), "test.call");
    pause(&first);
    let watching = world.other_node();
    world.pass(20_000);
    assert_eq!(world.task(id).attempt, 1, "its lease is not over");
    world.pass(14_000);
    assert_eq!((world.task(id).attempt, world.task(id).retry), (2, 1));
    assert_eq!(watching.running("main"), [(id, 2)]);
}

#[test]
fn ker_43_a_clock_that_jumps_ends_no_lease() {
    let world = World::new();
    let _first = world.node();
    let id = world.create(|task| task.param("\"http://a.example/\""), "test.call");
    world.clock.wall_ms.fetch_add(400 * 86_400_000, std::sync::atomic::Ordering::Relaxed);
    world.pass(MINUTE);
    assert_eq!((world.task(id).state(), world.task(id).attempt), (State::Running, 1));
    world.clock.wall_ms.fetch_add(-800 * 86_400_000, std::sync::atomic::Ordering::Relaxed);
    world.pass(MINUTE);
    assert_eq!((world.task(id).state(), world.task(id).attempt), (State::Running, 1));
}

#[test]
fn ker_44_work_that_ends_the_process_is_parked_and_the_queue_goes_on() {
    let world = World::new();
    let id = world.create(|task| task.param("\"http://a.example/\""), "test.call");
    for _ in 0..5 {
        // Each life begins the work and ends in it.
        pause(&world.node());
    }
    assert_eq!(world.task(id).attempt, 5);
    let last = world.node();
    assert_eq!((world.task(id).state(), world.task(id).exc.as_deref()), (State::Parked, Some("LOST")));
    world.create(|task| task.param("1"), "test.note");
    assert_eq!(world.notes(), ["1 1"]);
    assert_eq!(last.running("main"), []);
    assert_eq!(super::runs::open_alerts(&world).len(), 1);
}

#[test]
fn ker_18_a_living_node_that_lost_track_of_a_task_gives_it_back() {
    let world = World::new();
    let node = world.node();
    let id = world.create(|task| task.param("\"http://a.example/\""), "test.call");
    // Its answer never comes: after the call's time and some more it is taken for lost.
    world.pass(29 * MINUTE);
    assert_eq!(world.task(id).attempt, 1);
    world.pass(2 * MINUTE);
    assert_eq!((world.task(id).attempt, world.task(id).retry), (2, 1));
    assert_eq!(node.calls(), 2);
    // The end of the first call comes after all: it says nothing of the second one, which goes on.
    world.partner.answer(status(200));
    world.pass(MINUTE);
    assert_eq!(world.task(id).attempt, 2);
    assert_eq!((node.running("main"), world.partner.waiting()), (vec![(id, 2)], 1));
}

#[test]
fn ker_18_a_run_that_is_wrongly_told_that_it_is_late_goes_back_at_once() {
    let world = World::new();
    let node = world.node();
    world.create(|task| task.param("1"), "test.unseen");
    assert_eq!(world.notes(), ["1 2"], "without waiting for a round");
    assert_eq!((node.busy(), node.running("main")), (0, vec![]));
}

/// One that is due a moment after its namespace was removed, and one whose failure could not be written any more.
#[test]
fn ker_2_ker_18_nothing_is_asked_of_a_store_whose_namespace_is_gone() {
    let world = World::new();
    let _node = world.node();
    world.create(|task| task.param("\"http://a.example/\""), "test.call");
    world.create(|task| task.param("1").after_ms(2_500), "test.note");
    world.store.feel(Mood::Away);
    world.partner.answer(status(500));
    world.kernel.remove_namespace("main");
    world.pass(10_000);
    let asked = world.store.asked();
    world.pass(MINUTE);
    assert_eq!(world.store.asked(), asked);
}

/// The store is away for longer than a lease; nobody was there to take anything over.
#[test]
fn ker_18_a_node_whose_store_comes_back_after_its_lease_goes_on_with_its_calls() {
    for rounds in 0..3 {
        let world = World::new();
        let node = world.node();
        let id = world.create(|task| task.param("\"http://a.example/\""), "test.call");
        world.pass(rounds * 3_000);
        world.store.feel(Mood::Down);
        world.pass(35_000);
        world.store.feel(Mood::Good);
        world.pass(12_000);
        assert_eq!((world.task(id).attempt, world.partner.waiting()), (1, 1), "after {rounds} rounds");
        let next = world.create(|task| task.param("1"), "test.note");
        assert_eq!((world.notes().len(), node.running("main")), (1, vec![(id, 1)]), "{next} ran: its lease is renewed");
    }
}

/// A task that was parked as lost, whose last call answers well after all.
fn parked_and_done_late(make: impl Fn(NewTask) -> NewTask + Send + 'static) -> (World, Dispatcher) {
    parked_then(make, |_, _| {})
}

/// The same; something is done with it before that answer.
fn parked_then(
    make: impl Fn(NewTask) -> NewTask + Send + 'static,
    meanwhile: impl FnOnce(&World, Id),
) -> (World, Dispatcher) {
    let world = World::new();
    let id = world.create(move |task| make(task.param("\"http://a.example/\"")), "test.call");
    // One with cron begins at its time.
    world.pass(10 * MINUTE);
    (0..5).for_each(|_| pause(&world.node()));
    let last = world.node();
    assert_eq!((world.partner.waiting(), world.task(id).exc.as_deref()), (5, Some("LOST")));
    meanwhile(&world, id);
    (0..5).for_each(|_| drop(world.partner.answer(status(200))));
    assert!(world.tasks().iter().all(|task| task.id != id), "the end of the last attempt is accepted");
    (world, last)
}

#[test]
fn ker_18_the_late_good_end_of_a_parked_task_closes_its_alert() {
    let (world, _node) = parked_and_done_late(|task| task);
    assert_eq!(super::runs::open_alerts(&world).len(), 0);
}

#[test]
fn ker_15_the_late_good_end_of_a_parked_task_does_not_leave_its_lane_again() {
    let world = World::new();
    let in_lane = |task: NewTask| task.param("\"http://a.example/\"").lane("l");
    let first = world.create(in_lane, "test.call");
    let behind = [world.create(in_lane, "test.call"), world.create(in_lane, "test.call")];
    (0..5).for_each(|_| pause(&world.node()));
    let _last = world.node();
    assert_eq!((world.task(first).exc.as_deref(), world.task(behind[0]).state()), (Some("LOST"), State::Running));
    (0..5).for_each(|_| drop(world.partner.answer(status(200))));
    assert_eq!(world.tasks().len(), 2, "the parked one is done");
    assert_eq!((world.task(behind[0]).state(), world.task(behind[1]).state()), (State::Running, State::Behind));
}

#[test]
fn ker_21_the_late_good_end_of_a_parked_task_inscribes_no_second_successor() {
    let (world, _node) = parked_and_done_late(|task| NewTask { cron: Some("D1205".parse().unwrap()), ..task });
    assert_eq!(world.tasks().len(), 1);
}

#[test]
fn ker_21_nor_does_that_of_one_that_was_moved_after_it_was_parked() {
    let nightly = |task| NewTask { cron: Some("D1205".parse().unwrap()), ..task };
    let (world, _node) = parked_then(nightly, |world, id| {
        let start_at = Some(base::Wall(crate::world::NOON + 7_200_000));
        world.call(&tasks::MOVE, Move { id, start_at }).unwrap();
    });
    assert_eq!(world.tasks().len(), 1);
}

#[test]
fn ker_43_a_calendar_that_ran_ahead_and_was_put_right_leaves_nothing_waiting() {
    let world = World::new();
    let year = 400 * 86_400_000;
    let jump = |ms: i64| world.clock.wall_ms.fetch_add(ms, std::sync::atomic::Ordering::Relaxed);
    let _node = world.node();
    let chosen = world.create(|task| task.at(base::Wall(crate::world::NOON + 2 * 400 * 86_400_000)), "test.note");
    jump(year);
    let failed = world.create(|task| task, "test.fail");
    let before = world.hourly_runs();
    world.pass(MINUTE / 2);
    jump(-year);
    world.pass(2 * MINUTE);
    assert_eq!(world.task(failed).attempt, 2, "a pause of a minute took a minute");
    world.pass(60 * MINUTE);
    assert!(world.hourly_runs() > before, "the hourly task goes on");
    assert_eq!(world.task(chosen).attempt, 0, "a moment that somebody chose is kept");
}

/// An operation takes its time: it may have read the calendar before that went back, and be committed after somebody looked for what
/// lies too far ahead.
#[test]
fn ker_43_what_is_committed_with_the_old_calendar_after_it_was_put_right_does_not_stay_either() {
    let world = World::new();
    let year = 400 * 86_400_000;
    let jump = |ms: i64| world.clock.wall_ms.fetch_add(ms, std::sync::atomic::Ordering::Relaxed);
    let _node = world.node();
    jump(year);
    world.pass(MINUTE / 2);
    jump(-year);
    // Long enough for one round of the node, not for many.
    world.pass(MINUTE / 20);
    jump(year);
    let late = world.create(|task| task.after_ms(60_000), "test.fail");
    jump(-year);
    world.pass(2 * MINUTE);
    assert_eq!(world.task(late).attempt, 1);
}

/// Between two looks at it the calendar may run ahead by much and go back by less: it shows more than before, and was still wrong.
#[test]
fn ker_43_a_calendar_that_ran_ahead_and_came_half_way_back_leaves_nothing_waiting() {
    let world = World::new();
    let jump = |ms: i64| world.clock.wall_ms.fetch_add(ms, std::sync::atomic::Ordering::Relaxed);
    let _node = world.node();
    world.pass(MINUTE);
    jump(400 * 86_400_000);
    let put = world.create(|task| task.after_ms(60_000), "test.fail");
    jump(-2 * 3_600_000);
    world.pass(2 * MINUTE);
    assert_eq!(world.task(put).attempt, 1, "a minute is a minute");
}

/// Whoever looks for tasks that lie too far ahead read its calendar a moment before others wrote theirs, and nodes differ by some moments.
#[test]
fn ker_43_a_calendar_that_is_a_second_behind_that_of_another_node_pulls_nothing_back() {
    let world = World::new();
    let _first = world.node();
    let put = world.create(|task| task.after_ms(60_000), "test.note");
    let before = world.task(put).start_at;
    world.clock.wall_ms.fetch_add(-1_000, std::sync::atomic::Ordering::Relaxed);
    let _second = world.other_node();
    assert_eq!(world.task(put).start_at, before);
}
