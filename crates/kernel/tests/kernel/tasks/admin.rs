//! What an operator does (KER-22).

use base::{Wall, codes};
use kernel::NewTask;
use kernel::tasks::{self, Look, Move, Order, Search, State, Whose};

use super::world::{World, status};
use crate::world::NOON;

const MINUTE: u64 = 60_000;

#[test]
fn ker_22_a_parked_task_runs_again_with_all_its_tries() {
    let world = World::new();
    let _node = world.node();
    let id = world.create(|task| task, "test.fail");
    world.pass(251 * MINUTE);
    assert!(world.task(id).is_parked());
    world.call(&tasks::MOVE, Move { id, start_at: None }).unwrap();
    let task = world.task(id);
    assert_eq!((task.state(), task.attempt, task.retry), (State::Waiting, 6, 1));
    assert!(super::runs::open_alerts(&world).is_empty(), "the alert is closed");
    world.pass(251 * MINUTE);
    assert_eq!(world.task(id).attempt, 10);
    world.call(&tasks::DELETE, id).unwrap();
    assert!(world.tasks().is_empty() && super::runs::open_alerts(&world).is_empty());
}

#[test]
fn ker_22_tasks_are_moved_both_ways_but_not_while_they_run() {
    let world = World::new();
    let _node = world.node();
    let id = world.create(|task| task.at(Wall(NOON + 3_600_000)), "test.note");
    world.call(&tasks::MOVE, Move { id, start_at: Some(Wall(NOON + 7_200_000)) }).unwrap();
    world.pass(61 * MINUTE);
    assert!(world.notes().is_empty());
    world.call(&tasks::MOVE, Move { id, start_at: None }).unwrap();
    assert_eq!(world.notes().len(), 1);
    let id = world.create(|task| task.param("\"http://a.example/\""), "test.call");
    assert_eq!(world.call(&tasks::MOVE, Move { id, start_at: None }).unwrap_err().code, codes::ATASK);
    world.call(&tasks::DELETE, id).unwrap();
    assert_eq!(world.call(&tasks::DELETE, id).unwrap_err().code, codes::NTASK);
    world.partner.answer(status(200));
    assert_eq!(world.notes().len(), 1, "a run that ends after the task was deleted is refused whole");
}

/// Without its row, what it sees to would not be done again before the next start.
#[test]
fn ker_22_a_task_of_the_servers_own_is_deleted_only_when_it_is_parked() {
    let world = World::new();
    let _node = world.node();
    let all =
        world.read(&tasks::LIST, Search { op: Some("test.hourly".into()), limit: 1, ..Search::default() }).unwrap();
    let refused = world.call(&tasks::DELETE, all[0].id).unwrap_err();
    assert!(refused.code == codes::ATASK && refused.message.contains("`test.hourly`"), "{refused:?}");
    assert_eq!(world.task(all[0].id), all[0], "it is there as before");
    let parked = world.create(|task| task, "test.fail");
    assert_eq!(world.call(&tasks::DELETE, parked).unwrap_err().code, codes::ATASK);
    world.pass(251 * MINUTE);
    world.call(&tasks::DELETE, parked).unwrap();
    assert!(world.tasks().is_empty());
}

/// Parked ones wait for a person, whoever made them.
#[test]
fn ker_22_lists_tell_the_servers_own_tasks_from_those_of_people() {
    let world = World::new();
    let _node = world.node();
    let parked = world.create(|task| task, "test.fail");
    world.pass(251 * MINUTE);
    let later = |task: NewTask| task.at(Wall(NOON + 864_000_000));
    let kept = world.create(later, "test.steps");
    let made = world.create(later, "test.note");
    let unknown = world.create(later, "report.nightly");
    let named =
        world.create(move |task| NewTask { target: Some("http://a.example/".into()), ..later(task) }, "test.steps");
    let found = |whose: Whose, order: Order, state: Option<State>| {
        let search = Search { whose, order, state, limit: 100, ..Search::default() };
        let ids: Vec<_> = world.read(&tasks::LIST, search).unwrap().iter().map(|task| task.id).collect();
        ids
    };
    assert_eq!(found(Whose::People, Order::Oldest, None), [parked, made, unknown, named]);
    assert_eq!(found(Whose::People, Order::Newest, None), [named, unknown, made, parked]);
    assert_eq!(found(Whose::People, Order::Oldest, Some(State::Waiting)), [made, unknown, named]);
    assert_eq!(found(Whose::People, Order::Oldest, Some(State::Parked)), [parked]);
    let own = found(Whose::Server, Order::Oldest, None);
    assert!(own.contains(&kept) && !own.contains(&parked), "{own:?}");
    assert_eq!(own.len() + 4, found(Whose::All, Order::Oldest, None).len(), "each is either");
    let tally = |whose| world.read(&tasks::TALLY, Search { whose, ..Search::default() }).unwrap();
    let people = tally(Whose::People);
    assert_eq!((people.waiting, people.parked, people.all(), people.goes_on), (3, 1, 4, false));
    assert_eq!(tally(Whose::Server).all(), i64::try_from(own.len()).unwrap());
}

#[test]
fn ker_22_a_suspended_queue_starts_nothing_until_it_is_resumed() {
    let world = World::new();
    let _node = world.node();
    for suspended in [0, tasks::ALL] {
        world.call(&tasks::SUSPEND, suspended).unwrap();
        world.call(&tasks::SUSPEND, suspended).unwrap();
        let before = world.notes().len();
        world.create(|task| task, "test.note");
        world.pass(3 * MINUTE);
        assert_eq!(world.notes().len(), before);
        let look = || Look { queues: 3, now: Wall(NOON + 86_400_000) };
        let state = world.read(&tasks::STATE, look()).unwrap();
        assert_eq!((state[&0].suspended, state[&0].due, state[&1].suspended), (true, 2, suspended == tasks::ALL));
        world.call(&tasks::RESUME, suspended).unwrap();
        assert_eq!(world.notes().len(), before + 1);
        assert!(!world.read(&tasks::STATE, look()).unwrap()[&0].suspended);
    }
}

#[test]
fn ker_22_a_worker_is_given_no_next_task_of_a_queue_that_was_suspended_meanwhile() {
    let world = World::new();
    world.create(|task| task.param("0"), "queue.suspend");
    (0..10).for_each(|_| {
        world.create(|task| task, "test.note");
    });
    let _node = world.node();
    assert_eq!(world.notes().len(), 3, "those that were claimed with the one that suspends");
    world.pass(3 * MINUTE);
    assert_eq!((world.notes().len(), world.tasks().len()), (3, 7));
    world.call(&tasks::RESUME, 0).unwrap();
    assert_eq!((world.notes().len(), world.tasks().len()), (10, 0));
}

#[test]
fn ker_22_tasks_are_found_by_what_they_are_and_do() {
    let world = World::new();
    let node = world.node();
    world.create(|task| task.info("red").at(Wall(NOON + 3_600_000)), "test.note");
    world.create(|task| task.info("blue").at(Wall(NOON + 7_200_000)), "test.note");
    world.create(|task| task.info("red").param("\"http://a.example/\""), "test.call");
    world.create(|task| task.info("red"), "test.fail");
    node.stop();
    let found = |search: Search| -> Vec<String> {
        let all = world.read(&tasks::LIST, Search { limit: 100, ..search }).unwrap();
        all.iter().filter(|task| task.standing.is_none()).map(|task| format!("{} {}", task.op, task.info)).collect()
    };
    let any = Search::default;
    assert_eq!(found(any()).len(), 4);
    assert_eq!(found(Search { op: Some("test.note".into()), ..any() }), ["test.note red", "test.note blue"]);
    assert_eq!(found(Search { info: Some("red".into()), ..any() }).len(), 3);
    let both = Search { info: Some("red".into()), op: Some("test.fail".into()), ..any() };
    assert_eq!(found(both), ["test.fail red"]);
    assert_eq!(found(Search { state: Some(State::Running), ..any() }), ["test.call red"]);
    assert_eq!(found(Search { state: Some(State::Parked), ..any() }).len(), 0);
    assert_eq!(found(Search { retry_min: 1, ..any() }), ["test.fail red"]);
    assert_eq!(found(Search { from: Some(Wall(NOON + 7_200_000)), ..any() }), ["test.note blue"]);
    assert_eq!(found(Search { queue: Some(1), ..any() }).len(), 0);
}
