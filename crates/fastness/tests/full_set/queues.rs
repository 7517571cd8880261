//! Queues as an operator declares them before the first start: kept by a majority of the cluster. The server takes them as they are.

use lapin::options::QueueDeclareOptions;
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Connection, ConnectionProperties};

/// Of the example, and of the server itself.
pub const SIGNALS: &str = "sensors-queue";
const NOTIFICATIONS: &str = "fastness-notify";

pub fn declare(url: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let connection = Connection::connect(url, ConnectionProperties::default()).await.unwrap();
        let channel = connection.create_channel().await.unwrap();
        for queue in [SIGNALS, NOTIFICATIONS] {
            let durable = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
            let mut quorum = FieldTable::default();
            quorum.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
            channel.queue_declare(queue.into(), durable, quorum).await.unwrap();
        }
        connection.close(200, "declared".into()).await.unwrap();
    });
}
