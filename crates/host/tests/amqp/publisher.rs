//! What a publisher says of its messages.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use base::Publisher;
use host::{AmqpPublisher, PublisherSettings};

use crate::basket::{Basket, PATIENCE};
use crate::broker::{Queue, amqp, consume, control, numbers, wait_until};

fn send(publisher: &AmqpPublisher, queue: &Queue, bodies: &[String]) -> Receiver<Result<(), String>> {
    let (tell, told) = channel();
    for body in bodies {
        let tell = tell.clone();
        publisher.send(&queue.name, body.clone().into_bytes(), Box::new(move |result| drop(tell.send(result))));
    }
    told
}

fn all(told: &Receiver<Result<(), String>>, count: usize) -> Vec<Result<(), String>> {
    (0..count).map(|_| told.recv_timeout(PATIENCE).unwrap()).collect()
}

#[test]
fn sen_12_rabbitmq_what_is_confirmed_arrives() {
    let (queue, amqp, basket) = (Queue::named("confirmed"), amqp(), Basket::new());
    let publisher = amqp.publisher(PublisherSettings::default());
    let told = send(&publisher, &queue, &numbers(0..1_000));
    assert_eq!(all(&told, 1_000), vec![Ok(()); 1_000]);
    assert_eq!(publisher.watch().state().done, 1_000);
    assert_eq!(queue.count(), 1_000);
    amqp.consume(consume(&queue.name), basket.clone());
    basket.wait_for(1_000);
    assert_eq!(basket.bodies(), numbers(0..1_000));
    amqp.close();
    assert!(all(&send(&publisher, &queue, &numbers(0..1)), 1)[0].is_err(), "it has ended");
}

#[test]
fn sen_12_rabbitmq_a_publisher_without_a_broker_says_so_and_comes_back() {
    let (queue, amqp) = (Queue::new("away"), amqp());
    let settings = PublisherSettings { buffer: 5, keep: Duration::from_secs(1), expire: None };
    let publisher = amqp.publisher(settings);
    control("kill");
    wait_until("noticed", || publisher.watch().state().last_error.is_some());
    let told = send(&publisher, &queue, &numbers(0..8));
    let results = all(&told, 8);
    assert!(results.iter().all(Result::is_err), "{results:?}");
    assert_eq!(
        results.iter().filter(|said| said.as_ref().is_err_and(|why| why.contains("5 messages wait"))).count(),
        3
    );
    control("start");
    wait_until("sent", || all(&send(&publisher, &queue, &numbers(8..9)), 1)[0].is_ok());
}

#[test]
fn sen_12_rabbitmq_a_message_outlives_the_broker() {
    let (queue, basket) = (Queue::new("kept"), Basket::new());
    assert!(all(&send(&amqp().publisher(PublisherSettings::default()), &queue, &numbers(0..1)), 1)[0].is_ok());
    let (queue, amqp) = (queue.age(), amqp());
    let publisher = amqp.publisher(PublisherSettings::default());
    assert!(all(&send(&publisher, &queue, &numbers(1..100)), 99).iter().all(Result::is_ok));
    control("kill");
    control("start");
    amqp.consume(consume(&queue.name), basket.clone());
    basket.wait_for_all(numbers(0..100));
}
