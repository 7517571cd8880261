//! A machine that takes connections and says nothing, and one that is not there. Needs no broker.

use std::net::TcpListener;
use std::time::Duration;

use host::{Amqp, AmqpSettings, ConsumerSettings};

use crate::basket::Basket;
use crate::broker::wait_until;

fn settings(port: u16) -> AmqpSettings {
    AmqpSettings {
        connect_timeout: Duration::from_millis(50),
        pause: (Duration::from_millis(1), Duration::from_millis(5)),
        ..AmqpSettings::new(&format!("amqp://guest:very-secret@127.0.0.1:{port}"))
    }
}

/// Threads of `lapin` that read sockets.
fn reading_threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.trim() == "lapin-io-loop").count()
}

#[test]
fn sen_2_a_broker_that_says_nothing_is_given_up_with_its_thread() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let amqp = Amqp::new(settings(listener.local_addr().unwrap().port())).unwrap();
    let watch = amqp.consume(ConsumerSettings::new("q"), Basket::new());
    for _ in 0..5 {
        // Kept open, never answered.
        std::mem::forget(listener.accept().unwrap());
    }
    wait_until("noticed", || watch.state().last_error.is_some());
    let (_, why) = watch.state().last_error.unwrap();
    assert!(why.contains("no connection within") && !why.contains("very-secret"), "{why}");
    amqp.close();
    wait_until("no thread is left", || reading_threads() == 0);
}

#[test]
fn sen_2_a_broker_that_is_not_there_is_tried_for_ever() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let amqp = Amqp::new(settings(port)).unwrap();
    let watch = amqp.consume(ConsumerSettings::new("q"), Basket::new());
    wait_until("noticed", || watch.state().last_error.is_some());
    let (_, why) = watch.state().last_error.unwrap();
    assert!(!why.contains("very-secret"), "{why}");
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let came = listener.accept();
    assert!(came.is_ok(), "it still tries");
}
