//! Notification tasks through a queue.

use std::sync::Arc;
use std::sync::mpsc::channel;

use base::{Call, CallResult, HttpReply};
use host::PublisherSettings;
use sensors::announce::{Announcer, HEAD_START_MS, Starter};
use sensors::signal::Signal;
use sensors::{CREATE_CLIENT, Item, LINK, Link, NewClient};
use testbed::World;

use crate::kit::{amqp, consume, control, queue, wait_until, world};

/// A world in which a client is told of door `a`.
fn told_world() -> World {
    let world = world(&["a"]);
    let new = NewClient { name: "c".into(), url: "https://c.example/doors".into(), group_lost: 0 };
    let client = world.call(&CREATE_CLIENT, new).unwrap().out.id;
    world.call(&LINK, Link { client, sensor: "a".parse().unwrap() }).unwrap();
    world
}

fn change(world: &World, closed: bool) {
    let signal = Signal { sensor: "a".parse().unwrap(), closed, at: None, key: None };
    let (tell, told) = channel();
    let items = vec![Item::Signal { signal, known: None }];
    sensors::take(&world.kernel, &world.main(), items, Box::new(move |all| tell.send(all).unwrap()));
    told.recv().unwrap()[0].as_ref().unwrap();
}

/// Answers the client's call, if one is made.
fn called(world: &World) -> bool {
    let Some((Call::Http(_), done)) = world.partner.next() else { return false };
    done(CallResult::Http(HttpReply { status: 200, headers: vec![], body: vec![] }));
    true
}

#[test]
fn sen_12_rabbitmq_a_notification_begins_when_its_id_comes() {
    let (world, amqp, queue) = (told_world(), amqp(), queue("notify"));
    let publisher = amqp.publisher(PublisherSettings::default());
    world.kernel.common::<Announcer>().publish_to(&queue, Arc::new(publisher));
    change(&world, true);
    assert!(!called(&world), "it waits for a node that is told of it");
    let watch = amqp.consume(consume(&queue), Starter::new(world.dispatcher.clone()));
    // No time passes in this world.
    wait_until("the client is told", || called(&world));
    change(&world, false);
    wait_until("and again", || called(&world));
    wait_until("both ids are done with", || watch.state().done == 2);
    world.pass_ms(60_000);
    assert!(!called(&world), "told once each");
    world.check_invariants();
}

#[test]
fn sen_12_rabbitmq_without_the_broker_a_notification_begins_a_little_later() {
    let (world, amqp, queue) = (told_world(), amqp(), queue("away"));
    let publisher = amqp.publisher(PublisherSettings::default());
    control("kill");
    world.kernel.common::<Announcer>().publish_to(&queue, Arc::new(publisher));
    change(&world, true);
    world.pass_ms(HEAD_START_MS.unsigned_abs() - 1);
    assert!(!called(&world));
    world.pass_ms(1_000);
    assert!(called(&world));
    control("start");
    world.check_invariants();
}
