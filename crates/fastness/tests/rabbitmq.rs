//! The whole server with a real RabbitMQ of `cargo xtask services`: it is killed while signals come, and loses none.

#![expect(clippy::unwrap_used, reason = "tests end by panicking")]
#![expect(clippy::disallowed_methods, reason = "processes of the real world are waited for in real time")]

use std::path::Path;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use base::{Publisher, Wall};
use host::{Amqp, AmqpSettings, PublisherSettings};
use kill::server::{Launch, Server};
use serde_json::{Value, json};

const SIGNALS: i64 = 6_000;
const SENSORS: i64 = 3;
const KILLS: i64 = 4;

fn url() -> String {
    std::env::var("FASTNESS_TEST_RABBITMQ").expect("run by `cargo xtask services run -- …`")
}

fn launch(folder: &Path, queue: &str) -> Launch {
    Launch::new(Path::new(env!("CARGO_BIN_EXE_fastness")), &folder.join("data"))
        .env("FASTNESS_SENSORS__AMQP_URL", &url())
        .env("FASTNESS_SENSORS__QUEUE", queue)
        .env("FASTNESS_SENSORS__NOTIFY_QUEUE", "true")
}

/// Number `number` of a sensor: each is another state, and each has its time.
fn signal(number: i64) -> String {
    let (sensor, number) = (number % SENSORS, number / SENSORS + 1);
    let at = Wall(1_794_700_000_000 + number).rfc3339();
    format!(r#"{{"sensor_id":"s{sensor}","data":{},"at":"{at}"}}"#, number % 2)
}

fn publish(queue: &str) {
    let amqp = Amqp::new(AmqpSettings::new(&url())).unwrap();
    let publisher = amqp.publisher(PublisherSettings::default());
    let (tell, told) = channel();
    for number in 0..SIGNALS {
        let tell = tell.clone();
        publisher.send(queue, signal(number).into_bytes(), Box::new(move |sent| tell.send(sent).unwrap()));
    }
    drop(tell);
    assert!(told.iter().all(|sent| sent.is_ok()));
    amqp.close();
}

fn sensor(server: &Server, number: i64) -> Value {
    server.client().get(&format!("/v1/main/sensors/s{number}")).unwrap().body
}

fn changes(server: &Server) -> i64 {
    (0..SENSORS).map(|number| sensor(server, number)["changes"].as_i64().unwrap()).sum()
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(5)); // tidy: sleep — another process changes, and tells nobody
    }
}

/// Kills the server some times while it judges, and starts it anew.
fn under_kills(mut server: Server, launch: &Launch) -> Server {
    for kill in 1..=KILLS {
        wait_until("signals are judged", || changes(&server) >= SIGNALS * kill / (KILLS + 2));
        server.kill().unwrap();
        server = launch.start().unwrap();
    }
    wait_until("all are judged", || changes(&server) >= SIGNALS);
    server
}

#[test]
fn sen_2_rabbitmq_a_server_killed_under_load_loses_no_signal_and_judges_none_twice() {
    let folder = tempfile::tempdir().unwrap();
    let queue = format!("server-{}", std::process::id());
    let launch = launch(folder.path(), &queue);
    let server = launch.start().unwrap();
    for number in 0..SENSORS {
        let path = format!("/v1/main/sensors/s{number}");
        let made = server.client().ask("PUT", &path, &json!({ "address": "Paris" }), "").unwrap();
        assert_eq!(made.status, 201, "{made:?}");
    }
    let server = std::thread::scope(|scope| {
        scope.spawn(|| publish(&queue));
        under_kills(server, &launch)
    });
    assert_eq!(changes(&server), SIGNALS);
    wait_until("the queue is empty", || {
        let amqp = Amqp::new(AmqpSettings::new(&url())).unwrap();
        let empty = amqp.probe(&queue) == Ok(Some(0));
        amqp.close();
        empty
    });
    for number in 0..SENSORS {
        assert_eq!(sensor(&server, number)["data"], 0, "the last of an even number");
    }
    server.end("TERM").unwrap();
}

/// One that holds messages of others is neither used nor deleted; what comes another way is judged.
#[test]
fn sen_2_rabbitmq_a_queue_of_another_type_is_left_alone_and_signals_by_http_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let queue = format!("plain-{}", std::process::id());
    let amqp = Amqp::new(AmqpSettings::new(&url())).unwrap();
    let (tell, told) = channel();
    let sent = Box::new(move |sent| tell.send(sent).unwrap());
    let publisher = amqp.publisher(PublisherSettings::default());
    publisher.send(&queue, signal(0).into_bytes(), sent);
    told.recv().unwrap().unwrap();
    let launch = launch(folder.path(), &queue).env("FASTNESS_SENSORS__QUEUE_TYPE", "quorum");
    let launch = launch.env("FASTNESS_SENSORS__NOTIFY_QUEUE", "false");
    let server = launch.start().unwrap();
    wait_until("the log says what to do", || {
        server.log().lines().any(|line| line.contains(&queue) && line.contains("not as quorum"))
    });
    let doctor = launch.other_command(&["doctor"]).output().unwrap();
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(said.contains("not as quorum") && said.contains("sensors.queue_type"), "{said}");
    let mut client = server.client();
    assert_eq!(client.ask("PUT", "/v1/main/sensors/s0", &json!({ "address": "Paris" }), "").unwrap().status, 201);
    let answer = client.ask("POST", "/v1/main/signals", &json!({ "sensor_id": "s0", "data": 1 }), "").unwrap();
    assert_eq!((answer.status, sensor(&server, 0)["changes"].as_i64()), (200, Some(1)), "{answer:?}");
    assert_eq!(amqp.probe(&queue), Ok(Some(1)));
    server.end("TERM").unwrap();
    amqp.close();
}
