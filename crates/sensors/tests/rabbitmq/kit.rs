//! A world with doors, and the broker beside it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use base::{Publisher, Sql};
use host::{Amqp, AmqpSettings, ConsumerSettings, PublisherSettings};
use sensors::{PUT_SENSOR, PutSensor, SERVICE};
use testbed::World;

const PATIENCE: Duration = Duration::from_secs(60);

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: run by `cargo xtask services run -- …`"))
}

pub(crate) fn amqp() -> Amqp {
    let pause = (Duration::from_millis(20), Duration::from_millis(500));
    Amqp::new(AmqpSettings { pause, ..AmqpSettings::new(&variable("FASTNESS_TEST_RABBITMQ")) }).unwrap()
}

/// `start`, `kill`.
pub(crate) fn control(word: &str) {
    let control = variable("FASTNESS_TEST_RABBITMQ_CTL");
    assert!(std::process::Command::new(control).arg(word).status().unwrap().success(), "{word}");
}

/// A queue that no other test has.
pub(crate) fn queue(name: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{name}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Looks often.
pub(crate) fn consume(queue: &str) -> ConsumerSettings {
    ConsumerSettings { look_every: Duration::from_millis(50), ..ConsumerSettings::new(queue) }
}

/// Until the broker has all of them; those that it did not confirm are sent again.
pub(crate) fn publish(amqp: &Amqp, queue: &str, bodies: &[String]) {
    let publisher = amqp.publisher(PublisherSettings::default());
    let mut left = bodies.to_vec();
    while !left.is_empty() {
        let (tell, told) = channel();
        for (place, body) in left.iter().enumerate() {
            let tell = tell.clone();
            let confirm =
                Box::new(move |sent: Result<(), String>| tell.send((place, sent.is_ok())).unwrap_or_default());
            publisher.send(queue, body.clone().into_bytes(), confirm);
        }
        drop(tell);
        let failed: Vec<usize> = told.iter().filter(|(_, sent)| !sent).map(|(place, _)| place).collect();
        left = failed.into_iter().map(|place| left[place].clone()).collect();
    }
}

pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(10)); // tidy: sleep — another process changes, and tells nobody
    }
}

pub(crate) fn world(sensors: &[&str]) -> World {
    let world = World::of(&[&SERVICE]);
    for sensor in sensors {
        let (id, address) = (sensor.parse().unwrap(), format!("Paris, rue {sensor}"));
        world.call(&PUT_SENSOR, PutSensor { id, address, silence_s: None }).unwrap();
    }
    world
}

/// Sensor, data and how often it changed.
pub(crate) fn states(world: &World) -> Vec<(String, Option<i64>, i64)> {
    static STATES: Sql = Sql::new("test.states", "SELECT id, data, changes FROM sensor ORDER BY id");
    world.rows(&STATES).iter().map(|row| (row.text(0).to_owned(), row.opt_int(1), row.int(2))).collect()
}
