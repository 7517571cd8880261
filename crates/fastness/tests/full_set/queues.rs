//! Queues as the servers made them: the example asks for such as a majority of the cluster keeps.

use host::{Amqp, AmqpSettings, QueueType};

/// Of the example, and of the server itself.
pub const SIGNALS: &str = "sensors-queue";
const NOTIFICATIONS: &str = "fastness-notify";

/// As somebody else reaches the cluster who asks for the same.
pub fn amqp(url: &str) -> Amqp {
    Amqp::new(AmqpSettings { queue_type: QueueType::Quorum, ..AmqpSettings::new(url) }).unwrap()
}

/// Both are there, and of no other type.
pub fn check(url: &str) {
    let amqp = amqp(url);
    for queue in [SIGNALS, NOTIFICATIONS] {
        let found = amqp.probe(queue);
        assert!(matches!(found, Ok(Some(_))), "{queue}: {found:?}");
    }
    amqp.close();
}
