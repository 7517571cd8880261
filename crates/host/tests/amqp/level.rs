//! When the sink is told that all is level.

use crate::basket::Basket;
use crate::broker::{Queue, amqp, consume, numbers, wait_until};

#[test]
fn sen_6_rabbitmq_an_empty_queue_is_level_again_and_again() {
    let (queue, amqp, basket) = (Queue::new("level"), amqp(), Basket::new());
    amqp.consume(consume(&queue.name), basket.clone());
    basket.wait_for_levels(3);
}

#[test]
fn sen_6_rabbitmq_nothing_is_level_while_a_delivery_is_not_done() {
    let (queue, amqp) = (Queue::new("deaf"), amqp());
    queue.publish(&numbers(0..5));
    let basket = Basket::of(|_| None);
    let watch = amqp.consume(consume(&queue.name), basket.clone());
    basket.wait_for(5);
    // Several looks find the queue empty.
    wait_until("looked at", || watch.state().backlog == Some(0) && watch.state().in_flight == 5);
    assert_eq!(basket.levels(), 0);
    basket.settle();
    basket.wait_for_levels(2);
}

#[test]
fn sen_6_rabbitmq_nothing_is_level_while_a_backlog_waits_in_the_queue() {
    let (queue, amqp) = (Queue::new("backlog"), amqp());
    queue.publish(&numbers(0..100));
    let basket = Basket::of(|_| None);
    let mut settings = consume(&queue.name);
    settings.prefetch = 10;
    let watch = amqp.consume(settings, basket.clone());
    basket.wait_for(10);
    wait_until("looked at", || watch.state().backlog == Some(90));
    assert_eq!(basket.levels(), 0);
    basket.settle();
    basket.wait_for(100);
    basket.wait_for_levels(1);
}
