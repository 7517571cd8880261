//! What is taken, in which order, and when it is acknowledged.

use std::sync::atomic::{AtomicUsize, Ordering};

use base::Taken;
use host::{Amqp, AmqpSettings, QueueType};
use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable};

use crate::basket::Basket;
use crate::broker::{Queue, amqp, consume, numbers, settings, wait_until};

#[test]
fn sen_2_rabbitmq_what_was_published_is_taken_in_order_and_acknowledged() {
    let (queue, amqp, basket) = (Queue::new("order"), amqp(), Basket::new());
    let bodies = numbers(0..5_000);
    queue.publish(&bodies);
    let watch = amqp.consume(consume(&queue.name), basket.clone());
    basket.wait_for(bodies.len());
    assert_eq!(basket.bodies(), bodies);
    assert!(basket.taken().iter().all(|delivery| !delivery.redelivered && delivery.id.is_some()));
    assert!(basket.batches() < 1_000, "{} batches", basket.batches());
    wait_until("all is acknowledged", || watch.state().done == 5_000);
    let state = watch.state();
    assert!(state.connected && state.last_error.is_none(), "{state:?}");
    amqp.close();
    assert_eq!(queue.count(), 0);
    assert!(!watch.state().connected);
}

#[test]
fn sen_2_rabbitmq_nothing_is_acknowledged_before_it_is_done() {
    let (queue, amqp) = (Queue::new("undone"), amqp());
    queue.publish(&numbers(0..10));
    let basket = Basket::of(|_| None);
    amqp.consume(consume(&queue.name), basket.clone());
    basket.wait_for(10);
    // As a process that is killed: the last owner goes without a goodbye.
    drop(amqp);
    wait_until("the broker has all of them again", || queue.count() == 10);
    basket.settle();
    assert_eq!(queue.count(), 10, "the connection that brought them is gone");
}

#[test]
fn sen_2_rabbitmq_a_clean_stop_waits_for_what_is_in_flight() {
    let (queue, amqp) = (Queue::new("drain"), amqp());
    queue.publish(&numbers(0..10));
    let basket = Basket::of(|_| None);
    amqp.consume(consume(&queue.name), basket.clone());
    basket.wait_for(10);
    let settled = std::thread::spawn(move || basket.settle());
    amqp.close();
    settled.join().unwrap();
    assert_eq!(queue.count(), 0);
}

#[test]
fn sen_2_rabbitmq_what_must_come_again_is_offered_again_in_order() {
    let (queue, amqp) = (Queue::new("again"), amqp());
    let bodies = numbers(0..50);
    queue.publish(&bodies);
    let refusals = AtomicUsize::new(3);
    let basket = Basket::of(move |batch| {
        let refuse = refusals.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
        Some(vec![if refuse { Taken::Again } else { Taken::Done }; batch.len()])
    });
    let watch = amqp.consume(consume(&queue.name), basket.clone());
    wait_until("all is done", || watch.state().done == 50);
    assert!(basket.taken().iter().all(|delivery| !delivery.redelivered), "offered from memory");
    // The last time that each came.
    let mut last = basket.bodies();
    last.reverse();
    let mut seen = std::collections::BTreeSet::new();
    last.retain(|body| seen.insert(body.clone()));
    last.reverse();
    assert_eq!(last, bodies);
    amqp.close();
    assert_eq!(queue.count(), 0);
}

#[test]
fn sen_2_rabbitmq_what_cannot_be_stored_for_long_is_given_back() {
    let (queue, amqp) = (Queue::new("back"), amqp());
    queue.publish(&numbers(0..3));
    // Only what was given back and comes again is taken.
    let basket = Basket::of(|batch| {
        Some(batch.iter().map(|delivery| if delivery.redelivered { Taken::Done } else { Taken::Again }).collect())
    });
    let mut settings = consume(&queue.name);
    settings.hold_max = std::time::Duration::from_millis(200);
    let watch = amqp.consume(settings, basket);
    wait_until("all is done", || watch.state().done == 3);
    assert!(watch.state().last_error.unwrap().1.contains("given back"));
    amqp.close();
    assert_eq!(queue.count(), 0);
}

#[test]
fn sen_2_rabbitmq_one_that_waits_holds_up_only_what_is_behind_it_in_its_batch() {
    let (queue, amqp) = (Queue::new("part"), amqp());
    queue.publish(&numbers(0..9));
    let refusals = AtomicUsize::new(2);
    let basket = Basket::of(move |batch| {
        let refuse = refusals.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
        let say = |at: usize| if refuse && at == 0 { Taken::Again } else { Taken::Done };
        Some((0..batch.len()).map(say).collect())
    });
    let watch = amqp.consume(consume(&queue.name), basket.clone());
    wait_until("all is done", || watch.state().done == 9);
    let again = basket.bodies().iter().filter(|body| *body == "0").count();
    assert_eq!(again, 3);
    amqp.close();
    assert_eq!(queue.count(), 0);
}

#[test]
fn sen_2_rabbitmq_headers_of_every_kind_change_nothing() {
    let (queue, amqp, basket) = (Queue::new("headers"), amqp(), Basket::new());
    let watch = amqp.consume(consume(&queue.name), basket.clone());
    let nested = (0..50).fold(AMQPValue::LongString("deep".into()), |inner, _| {
        let mut table = FieldTable::default();
        table.insert("x-death".into(), inner);
        AMQPValue::FieldTable(table)
    });
    let mut headers = FieldTable::default();
    headers.insert("nested".into(), nested);
    headers.insert("large".into(), AMQPValue::LongString("x".repeat(50_000).into()));
    headers.insert("nothing".into(), AMQPValue::Void);
    let odd = BasicProperties::default().with_headers(headers).with_content_encoding("gzip".into());
    queue.publish_with(
        "odd",
        odd.with_content_type("a/b\n".into()).with_expiration("60000".into()).with_message_id("".into()),
    );
    queue.publish_with("bare", BasicProperties::default());
    wait_until("both are done", || watch.state().done == 2);
    assert_eq!(basket.bodies(), ["odd", "bare"]);
    amqp.close();
    assert_eq!(queue.count(), 0);
}

#[test]
fn sen_2_rabbitmq_a_queue_is_made_durable_or_taken_as_it_is() {
    let (fresh, odd, amqp) = (Queue::named("fresh"), Queue::named("odd"), amqp());
    let mut arguments = FieldTable::default();
    arguments.insert("x-max-length".into(), AMQPValue::LongInt(100));
    odd.declare(arguments);
    let watches = [&fresh, &odd].map(|queue| amqp.consume(consume(&queue.name), Basket::new()));
    wait_until("both are consumed", || watches.iter().all(|watch| watch.state().connected));
    fresh.declare(FieldTable::default());
    [&fresh, &odd].into_iter().for_each(|queue| queue.publish(&numbers(0..5)));
    wait_until("all is done", || watches.iter().all(|watch| watch.state().done == 5));
}

#[test]
fn sen_2_rabbitmq_a_queue_that_is_deleted_is_made_again() {
    let (queue, amqp, basket) = (Queue::new("gone"), amqp(), Basket::new());
    let watch = amqp.consume(consume(&queue.name), basket.clone());
    wait_until("connected", || watch.state().connected);
    queue.delete().unwrap();
    wait_until("noticed", || watch.state().last_error.is_some());
    wait_until("connected again", || watch.state().connected);
    queue.publish(&numbers(0..5));
    basket.wait_for_all(numbers(0..5));
}

fn of_type(queue_type: QueueType) -> Amqp {
    Amqp::new(AmqpSettings { queue_type, ..settings() }).unwrap()
}

/// What the broker calls a type.
fn named(word: &str) -> FieldTable {
    let mut arguments = FieldTable::default();
    arguments.insert("x-queue-type".into(), AMQPValue::LongString(word.into()));
    arguments
}

#[test]
fn sen_2_rabbitmq_a_queue_is_made_of_the_type_that_was_asked_for() {
    for (queue_type, word) in [(QueueType::Classic, "classic"), (QueueType::Quorum, "quorum")] {
        let (queue, amqp, basket) = (Queue::named(word), of_type(queue_type), Basket::new());
        assert_eq!(amqp.probe(&queue.name), Ok(None), "whoever looks makes none");
        amqp.consume(consume(&queue.name), basket.clone());
        wait_until("it is made", || matches!(amqp.probe(&queue.name), Ok(Some(_))));
        // Refused, if it were another type.
        queue.declare(named(word));
        queue.publish(&numbers(0..5));
        basket.wait_for_all(numbers(0..5));
        amqp.close();
        assert_eq!(queue.count(), 0);
    }
}

/// Declared without any word about its type, as we do too when nobody asks for one.
#[test]
fn sen_2_rabbitmq_a_plain_queue_is_a_classic_one() {
    let (queue, amqp, basket) = (Queue::new("plain"), of_type(QueueType::Classic), Basket::new());
    queue.publish(&numbers(0..5));
    amqp.consume(consume(&queue.name), basket.clone());
    basket.wait_for_all(numbers(0..5));
}

#[test]
fn sen_2_rabbitmq_a_queue_of_another_type_is_left_alone_and_taken_once_it_was_deleted() {
    let (queue, amqp, basket) = (Queue::new("other"), of_type(QueueType::Quorum), Basket::new());
    queue.publish(&numbers(0..5));
    let watch = amqp.consume(consume(&queue.name), basket.clone());
    wait_until("it is refused", || watch.state().last_error.is_some());
    let told = watch.state().last_error.unwrap().1;
    let says =
        [queue.name.as_str(), "not as quorum", "delete it", "x-queue-type"].iter().all(|part| told.contains(part));
    assert!(says && !watch.state().connected, "{told}");
    assert_eq!(amqp.probe(&queue.name), Err(told), "whoever looks hears the same");
    assert_eq!((queue.count(), basket.bodies().len()), (5, 0), "what waits there stays");
    queue.delete().unwrap();
    wait_until("it is made anew", || watch.state().connected);
    queue.declare(named("quorum"));
}
