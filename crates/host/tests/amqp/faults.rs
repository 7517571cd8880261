//! A broker that is killed, restarted or frozen.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::basket::Basket;
use crate::broker::{Queue, amqp, consume, control, numbers, signal, wait_until};

const PORTION: usize = 200;
const PORTIONS: usize = 40;

/// Publishes until all portions are confirmed; one that was cut off is published again as a whole.
fn publish_stubbornly(queue: &Queue, published: &AtomicUsize) {
    for portion in 0..PORTIONS {
        let bodies = numbers(portion * PORTION..(portion + 1) * PORTION);
        wait_until("the broker takes them", || queue.try_publish(&bodies).is_ok());
        published.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn sen_2_rabbitmq_nothing_is_lost_when_the_broker_is_killed_under_load() {
    let (queue, amqp, basket) = (Queue::new("killed").age(), amqp(), Basket::new());
    let watch = amqp.consume(consume(&queue.name), basket.clone());
    let (queue, published) = (Arc::new(queue), Arc::new(AtomicUsize::new(0)));
    let publisher = {
        let (queue, published) = (queue.clone(), published.clone());
        std::thread::spawn(move || publish_stubbornly(&queue, &published))
    };
    wait_until("load", || published.load(Ordering::Relaxed) >= PORTIONS / 4);
    control("kill");
    wait_until("noticed", || !watch.state().connected);
    control("start");
    publisher.join().unwrap();
    basket.wait_for_all(numbers(0..PORTION * PORTIONS));
    amqp.close();
    assert_eq!(queue.count(), 0, "what was taken is acknowledged");
}

#[test]
fn sen_2_rabbitmq_a_broker_that_hangs_is_noticed_and_taken_up_again() {
    let (queue, amqp, basket) = (Queue::new("frozen"), amqp(), Basket::new());
    let watch = amqp.consume(consume(&queue.name), basket.clone());
    queue.publish(&numbers(0..10));
    basket.wait_for(10);
    signal("STOP");
    wait_until("noticed", || !watch.state().connected);
    signal("CONT");
    wait_until("connected again", || watch.state().connected);
    queue.publish(&numbers(10..20));
    basket.wait_for_all(numbers(0..20));
}
