//! With the real Redis. Those who stop or empty it take turns.

use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::channel;

use base::{Redis, RedisCommand, RedisDone, Sql, args};
use host::RedisServer;
use kernel::{KernelConfig, Nodes, Op};
use sensors::life::{LastSeen, LifeWriter, Lives};
use sensors::signal::Signal;
use sensors::{Item, SERVICE, SilenceWatch};
use sensors::{PUT_SENSOR, PutSensor};
use testbed::World;

/// Time passes only when told, so whoever asks waits for the answer.
struct Waited(RedisServer);

impl Redis for Waited {
    fn ask(&self, commands: Vec<RedisCommand>, done: RedisDone) {
        let (tell, told) = channel();
        self.0.ask(commands, Box::new(move |answer| tell.send(answer).unwrap()));
        done(told.recv().unwrap());
    }
}

fn server() -> RedisServer {
    let url = std::env::var("FASTNESS_TEST_REDIS").expect("run by `cargo xtask services run`");
    RedisServer::new(&url).unwrap()
}

fn control(word: &str) {
    let control = std::env::var("FASTNESS_TEST_REDIS_CTL").expect("run by `cargo xtask services run`");
    assert!(Command::new(control).arg(word).status().unwrap().success(), "{word}");
}

fn empty() {
    let (tell, told) = channel();
    let redis = server();
    redis.ask(vec![vec![b"FLUSHALL".to_vec()]], Box::new(move |answer| tell.send(answer).unwrap()));
    told.recv().unwrap().unwrap();
}

/// Ten minutes; with what a row may be behind, and a quarter of it.
const SILENCE_S: u64 = 600;
const TIME_S: u64 = 610;
const QUARTER_S: u64 = 150;

/// One node of several.
struct Node {
    world: World,
    _watch: SilenceWatch,
    writer: Option<LifeWriter>,
}

impl Node {
    /// With these sensors, which all spoke now.
    fn of(sensors: &[&str]) -> Self {
        empty();
        let world = World::configured(&[&SERVICE], KernelConfig { nodes: Nodes::Several, ..KernelConfig::default() });
        world.kernel.common::<Lives>().set(Arc::new(LastSeen::new(Arc::new(Waited(server())), "one")));
        let watch = SilenceWatch::start(&world.kernel);
        let writer = Some(LifeWriter::start(&world.kernel));
        let node = Self { world, _watch: watch, writer };
        for sensor in sensors {
            let (id, address) = (sensor.parse().unwrap(), "here".to_owned());
            node.world.call(&PUT_SENSOR, PutSensor { id, address, silence_s: Some(600) }).unwrap();
        }
        // Redis has taken something by then.
        node.pass(5);
        sensors.iter().for_each(|sensor| node.hear(sensor));
        node
    }

    fn hear(&self, sensor: &str) {
        let signal = Signal { sensor: sensor.parse().unwrap(), closed: true, at: None, key: None };
        let (tell, told) = channel();
        let items = vec![Item::Signal { signal, known: None }];
        sensors::take(&self.world.kernel, &self.world.main(), items, Box::new(move |all| tell.send(all).unwrap()));
        assert!(told.try_recv().unwrap()[0].is_ok());
    }

    fn pass(&self, seconds: u64) {
        self.world.pass_ms(seconds * 1_000);
    }

    fn is_lost(&self, sensor: &str) -> bool {
        static LOST: Sql = Sql::new("test.lost", "SELECT id FROM sensor WHERE lost_since IS NOT NULL ORDER BY id");
        self.world.rows(&LOST).iter().any(|row| row.text(0) == sensor)
    }

    /// The durable sign of life of the sensor `a`.
    fn row(&self) -> i64 {
        static SEEN: Sql = Sql::new("test.seen", "SELECT seen FROM sensor WHERE id = 'a'");
        self.world.count(&SEEN)
    }

    /// What another life of the process, which knows nothing, finds in the rows.
    fn forget_redis_in_rows(&self) {
        static DROP: Sql = Sql::new("test.drop_life", "DELETE FROM sensor_life");
        static DROPPED: Op<(), ()> = Op::new("test.dropped_life", |tx, _, ()| Ok(tx.write(&DROP, args![])?));
        self.world.call(&DROPPED, ()).unwrap();
    }
}

#[test]
fn sen_12_redis_keeps_signs_of_life_so_that_rows_need_not() {
    let node = Node::of(&["a", "b"]);
    let mut rows = vec![node.row()];
    for _ in 0..40 {
        node.pass(15);
        node.hear("a");
        rows.push(node.row());
    }
    rows.dedup();
    assert!((4..=6).contains(&rows.len()), "every 150 s, not every 10: {rows:?}");
    node.pass(TIME_S - 600 + 5);
    assert!(node.is_lost("b") && !node.is_lost("a"), "to the time, not a quarter later");
    node.pass(TIME_S);
    assert!(node.is_lost("a"));
}

#[test]
fn sen_12_redis_knows_what_the_row_does_not() {
    let node = Node::of(&["a"]);
    node.pass(140);
    node.hear("a");
    let row = node.row();
    node.pass(2);
    node.pass(SILENCE_S - 12);
    assert!(!node.is_lost("a"), "its row is {} s old", SILENCE_S + 130);
    assert!(node.row() >= row, "and what Redis knew is in the row now");
    node.pass(30);
    assert!(node.is_lost("a"));
}

#[test]
fn sen_12_redis_emptied_makes_nobody_lost_and_forgets_nobody() {
    let node = Node::of(&["a", "b"]);
    node.pass(140);
    // Only Redis knows of this one.
    node.hear("a");
    node.pass(2);
    empty();
    // In time after its last sign of life, too late after that of its row.
    node.pass(SILENCE_S - 10);
    assert!(!node.is_lost("a") && !node.is_lost("b"), "nobody can tell yet");
    node.hear("a");
    node.pass(QUARTER_S + 10);
    assert!(!node.is_lost("a") && node.is_lost("b"), "at the latest then");
    node.pass(TIME_S + QUARTER_S);
    assert!(node.is_lost("a"));
}

#[test]
fn sen_12_redis_killed_and_started_again_makes_nobody_lost_and_forgets_nobody() {
    let node = Node::of(&["a", "b"]);
    node.pass(140);
    node.hear("a");
    node.pass(2);
    control("kill");
    node.pass(10);
    node.hear("a");
    let mut rows = vec![node.row()];
    for _ in 0..6 {
        node.pass(15);
        node.hear("a");
        rows.push(node.row());
    }
    rows.dedup();
    assert_eq!(rows.len(), 7, "without Redis rows are touched as ever");
    node.pass(TIME_S - 250 + QUARTER_S);
    assert!(!node.is_lost("a") && node.is_lost("b"), "and judged, if a quarter later");
    control("start");
    node.hear("a");
    node.pass(TIME_S + 10);
    assert!(node.is_lost("a"), "to the time again: Redis had kept everything");
}

#[test]
fn sen_12_redis_switched_off_leaves_rows_their_time() {
    let mut node = Node::of(&["a"]);
    node.pass(140);
    node.hear("a");
    node.writer = None;
    empty();
    // Another life without Redis finds the row, and that Redis was in use.
    node.pass(SILENCE_S - 10);
    assert!(!node.is_lost("a"), "its row may be a quarter behind");
    node.forget_redis_in_rows();
    node.pass(QUARTER_S + 30);
    assert!(node.is_lost("a"));
}
