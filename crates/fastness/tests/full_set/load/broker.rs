//! Signals through RabbitMQ: each is published until the broker has it, by the next node of the cluster if one does not take it, and
//! the next signal of a sensor comes when it was judged.

use std::sync::mpsc::channel;
use std::time::Duration;

use base::Publisher;
use host::{Amqp, AmqpPublisher, PublisherSettings};

use super::signals::{BY_BROKER, Said, signal};
use super::{Load, Work};
use crate::queues;
use crate::site::{Site, wait_until};

/// A gateway that knows all nodes of the cluster.
struct Gateway {
    brokers: Vec<(Amqp, AmqpPublisher)>,
    turn: usize,
}

impl Gateway {
    fn new(site: &Site) -> Self {
        let open = |url: &str| {
            let amqp = queues::amqp(url);
            let settings = PublisherSettings { keep: Duration::from_secs(2), ..PublisherSettings::default() };
            let publisher = amqp.publisher(settings);
            (amqp, publisher)
        };
        Self { brokers: site.parts.brokers.iter().map(|broker| open(&broker.url())).collect(), turn: 0 }
    }

    /// Until one of them says that it is kept.
    fn publish(&mut self, body: &str) {
        wait_until(&format!("{body} is published"), || {
            let (tell, told) = channel();
            let (_, publisher) = &self.brokers[self.turn % self.brokers.len()];
            publisher.send(queues::SIGNALS, body.as_bytes().to_vec(), Box::new(move |sent| tell.send(sent).unwrap()));
            self.turn += 1;
            told.recv().unwrap().is_ok()
        });
    }
}

pub fn publish(site: &Site, load: &Load) -> Said {
    let (mut gateway, mut caller, mut number) = (Gateway::new(site), site.caller(), 0);
    while load.goes_on() {
        number += 1;
        BY_BROKER.iter().for_each(|sensor| gateway.publish(&signal(sensor, number).to_string()));
        for sensor in BY_BROKER {
            let path = format!("/v1/main/sensors/{sensor}");
            wait_until(&format!("signal {number} of {sensor} is judged"), || {
                caller.get(&path)["changes"].as_u64() >= Some(number)
            });
        }
        load.count(Work::Broker);
    }
    gateway.brokers.iter().for_each(|(amqp, _)| amqp.close());
    BY_BROKER.iter().map(|sensor| ((*sensor).to_owned(), number)).collect()
}
