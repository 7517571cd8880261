//! Lanes: one in flight, oldest first.

use kernel::tasks::{self, Move, State};

use super::world::{World, status};

const MINUTE: u64 = 60_000;

#[test]
fn ker_15_one_of_a_lane_is_in_flight_and_the_oldest_goes_first() {
    let world = World::new();
    let _node = world.node();
    let ids: Vec<_> =
        (0..3).map(|_| world.create(|task| task.lane("l").param("\"http://a.example/\""), "test.call")).collect();
    let states = || ids.iter().map(|id| world.task(*id).state()).collect::<Vec<_>>();
    assert_eq!(states(), [State::Running, State::Behind, State::Behind]);
    world.pass(10 * MINUTE);
    assert_eq!(world.partner.waiting(), 1);
    world.partner.answer(status(200));
    assert_eq!(world.task(ids[1]).state(), State::Running);
    world.partner.answer(status(500));
    assert_eq!((world.task(ids[1]).state(), world.task(ids[2]).state()), (State::Waiting, State::Behind));
    world.pass(MINUTE);
    world.partner.answer(status(200));
    world.partner.answer(status(200));
    assert!(world.tasks().is_empty());
    let other = world.create(|task| task.lane("l").param("\"http://a.example/\""), "test.call");
    assert_eq!(world.task(other).state(), State::Running, "an empty lane is free");
}

#[test]
fn ker_15_a_lane_goes_on_without_a_task_that_was_parked_or_deleted() {
    let world = World::new();
    let _node = world.node();
    let parked = world.create(|task| task.lane("l"), "test.fail");
    let deleted = world.create(|task| task.lane("l").param("1"), "test.note");
    world.create(|task| task.lane("l").param("2"), "test.note");
    world.call(&tasks::DELETE, deleted).unwrap();
    assert!(world.notes().is_empty());
    world.pass(251 * MINUTE);
    assert_eq!(world.notes(), ["2 1"]);
    let behind = world.create(|task| task.lane("l").param("\"http://a.example/\""), "test.call");
    world.call(&tasks::MOVE, Move { id: parked, start_at: None }).unwrap();
    assert_eq!(world.task(parked).state(), State::Behind, "run again, it stands behind the one that is there");
    assert_eq!(world.task(behind).state(), State::Running);
    world.partner.answer(status(200));
    assert_eq!(world.task(parked).attempt, 6);
}
