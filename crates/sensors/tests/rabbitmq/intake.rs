//! Signals from the queue.

use base::{Sink, Sql, Taken};
use kernel::namespaces::{Standing, State};
use sensors::SilenceWatch;
use sensors::broker::Intake;
use sensors::limits::WAITING_MAX;
use testbed::{NOON, World};

use crate::kit::{amqp, consume, control, publish, queue, states, wait_until, world};

/// Signal number `number` of a sensor: each is another state, and each has its time.
fn signal(sensor: &str, number: i64) -> String {
    let at = base::Wall(NOON - 3_600_000 + number).rfc3339();
    format!(r#"{{"sensor_id":"{sensor}","data":{},"at":"{at}","id":"{sensor}{number}"}}"#, number % 2)
}

fn is(id: &str, data: i64, changes: i64) -> (String, Option<i64>, i64) {
    (id.to_owned(), Some(data), changes)
}

#[test]
fn sen_2_rabbitmq_signals_become_states_and_what_is_none_is_listed_with_the_reason() {
    let (world, amqp, queue) = (world(&["a", "b"]), amqp(), queue("signals"));
    let odd = [
        r#"{"sensor_id":"a","data":2}"#,
        "broken",
        "",
        r#"{"sensor_id":"a-b","data":1}"#,
        r#"{"sensor_id":"new","data":1}"#,
    ];
    let mut bodies: Vec<String> = odd.map(str::to_owned).into();
    bodies.extend((1..=7).flat_map(|number| [signal("a", number), signal("b", number)]));
    bodies.push(signal("a", 7));
    publish(&amqp, &queue, &bodies);
    let watch = amqp.consume(consume(&queue), Intake::start(&world.kernel, "main", "one"));
    wait_until("all is done", || watch.state().done == bodies.len() as u64);
    assert_eq!(states(&world), [is("a", 1, 7), is("b", 1, 7)]);
    static REJECTED: Sql =
        Sql::new("test.rejected", "SELECT source, reason, body FROM sensor_rejected ORDER BY number");
    let rejected = world.rows(&REJECTED);
    assert_eq!(rejected.len(), 4);
    let reasons = ["not 2", "not a signal", "not a signal", "not 1 to 16 letters"];
    for ((row, reason), body) in rejected.iter().zip(reasons).zip(odd) {
        assert!(row.text(1).contains(reason), "{}", row.text(1));
        assert_eq!((row.text(0), row.text(2)), ("amqp", body));
    }
    static UNKNOWN: Sql = Sql::new("test.unknown", "SELECT COUNT(*) FROM sensor_unknown WHERE id = 'new'");
    assert_eq!(world.count(&UNKNOWN), 1);
    amqp.close();
    assert_eq!(crate::kit::amqp().probe(&queue), Ok(Some(0)));
    world.check_invariants();
}

#[test]
fn sen_2_rabbitmq_the_broker_killed_under_load_loses_nothing_and_doubles_nothing() {
    let (world, queue) = (world(&["a", "b", "c"]), queue("killed"));
    // All of them before: a sender that is cut off sends some again behind newer ones, which then are late.
    for portion in 0..20 {
        let numbers = portion * 50 + 1..=(portion + 1) * 50;
        let bodies: Vec<String> =
            numbers.flat_map(|number| ["a", "b", "c"].map(|sensor| signal(sensor, number))).collect();
        publish(&amqp(), &queue, &bodies);
    }
    // The broker writes a new queue's name down a few seconds late, whatever it confirmed: a queue of some age is meant here.
    control("stop");
    control("start");
    let amqp = amqp();
    let watch = amqp.consume(consume(&queue), Intake::start(&world.kernel, "main", "one"));
    wait_until("load", || watch.state().done > 500);
    control("kill");
    wait_until("noticed", || !watch.state().connected);
    control("start");
    let all = [is("a", 0, 1_000), is("b", 0, 1_000), is("c", 0, 1_000)];
    wait_until("all is judged once", || states(&world) == all);
    // What was judged, and whose acknowledgement died with the broker, comes again.
    let other = crate::kit::amqp();
    wait_until("all comes again", || other.probe(&queue) == Ok(Some(0)) && watch.state().in_flight == 0);
    amqp.close();
    assert_eq!(other.probe(&queue), Ok(Some(0)));
    assert_eq!(states(&world), all);
}

#[test]
fn sen_2_rabbitmq_a_namespace_that_takes_nothing_gets_its_signals_later() {
    let (world, amqp, queue) = (world(&["a"]), amqp(), queue("later"));
    world.main().set_standing(Standing { state: State::ReadOnly, ..Standing::OPEN });
    publish(&amqp, &queue, &[signal("a", 1), signal("a", 2)]);
    let watch = amqp.consume(consume(&queue), Intake::start(&world.kernel, "main", "one"));
    // They come and go back in turns, not always together.
    wait_until("they came", || watch.state().in_flight > 0);
    assert_eq!((states(&world)[0].2, watch.state().done), (0, 0));
    world.main().set_standing(Standing::OPEN);
    wait_until("all is done", || watch.state().done == 2);
    assert_eq!(states(&world), [is("a", 0, 2)]);
}

#[test]
fn sen_2_signals_for_which_there_is_no_room_come_again() {
    let world = world(&["a"]);
    let intake = Intake::start(&world.kernel, "main", "one");
    let delivery = base::Delivery { body: signal("a", 1).into(), id: None, redelivered: false };
    let take = |many: usize| {
        let (tell, told) = std::sync::mpsc::channel();
        intake.take(vec![delivery.clone(); many].into(), Box::new(move |taken| tell.send(taken).unwrap()));
        told.try_recv().unwrap()
    };
    assert_eq!(take(WAITING_MAX + 1), vec![Taken::Again; WAITING_MAX + 1]);
    assert_eq!(take(1), [Taken::Done]);
    assert_eq!(states(&world), [is("a", 1, 1)]);
}

/// Two hours in small steps, telling that the queue is drained or not.
fn two_hours(world: &World, intake: &Intake, drained: bool) {
    for _ in 0..7_200 / 5 {
        world.pass_ms(5_000);
        if drained {
            intake.level();
        }
    }
}

#[test]
fn sen_6_nobody_is_lost_while_the_queue_is_not_drained() {
    static LOST: Sql = Sql::new("test.lost", "SELECT COUNT(*) FROM sensor WHERE lost_since IS NOT NULL");
    let world = world(&["a"]);
    let _watch = SilenceWatch::start(&world.kernel);
    let intake = Intake::start(&world.kernel, "main", "one");
    two_hours(&world, &intake, false);
    assert_eq!(world.count(&LOST), 0, "a backlog is not silence");
    two_hours(&world, &intake, true);
    assert_eq!(world.count(&LOST), 1);
}
