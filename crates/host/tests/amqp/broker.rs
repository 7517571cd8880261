//! The broker of the tests, reached by another client than ours: what it holds, and what others publish.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use host::{Amqp, AmqpSettings, ConsumerSettings};
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions, QueueDeclareOptions, QueueDeleteOptions};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::basket::PATIENCE;

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: run by `cargo xtask services run -- …`"))
}

pub fn url() -> String {
    variable("FASTNESS_TEST_RABBITMQ")
}

/// Quick to notice and to come back.
pub fn settings() -> AmqpSettings {
    AmqpSettings {
        heartbeat: Duration::from_secs(1),
        connect_timeout: Duration::from_secs(5),
        pause: (Duration::from_millis(20), Duration::from_millis(500)),
        ..AmqpSettings::new(&url())
    }
}

pub fn amqp() -> Amqp {
    Amqp::new(settings()).unwrap()
}

/// Looks often.
pub fn consume(queue: &str) -> ConsumerSettings {
    ConsumerSettings { look_every: Duration::from_millis(50), ..ConsumerSettings::new(queue) }
}

/// `start`, `stop`, `kill`.
pub fn control(word: &str) {
    assert!(Command::new(variable("FASTNESS_TEST_RABBITMQ_CTL")).arg(word).status().unwrap().success(), "{word}");
}

/// Sends a signal to the broker's process.
pub fn signal(name: &str) {
    let control = std::path::PathBuf::from(variable("FASTNESS_TEST_RABBITMQ_CTL"));
    let pid = std::fs::read_to_string(control.with_file_name("pid")).unwrap();
    let sent = Command::new("sh").args(["-c", &format!("kill -{name} {}", pid.trim())]).status().unwrap();
    assert!(sent.success());
}

pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(10)); // tidy: sleep — another process changes, and tells nobody
    }
}

/// A step of the library that takes longer hangs, which it does now and then.
const STEP: Duration = Duration::from_secs(10);

/// A connection with a channel: one that hangs is given up, and another one made.
async fn open() -> lapin::Result<(Connection, Channel)> {
    for _ in 0..3 {
        let opened = timeout(STEP, async {
            let connection = Connection::connect(&url(), ConnectionProperties::default()).await?;
            let channel = connection.create_channel().await?;
            Ok((connection, channel))
        });
        if let Ok(opened) = opened.await {
            return opened;
        }
    }
    panic!("no connection within {:?}", 3 * STEP)
}

/// A queue of the test's own, gone with it.
pub struct Queue {
    pub name: String,
    runtime: Runtime,
}

impl Queue {
    /// A name that no other test has; the queue is not made.
    pub fn named(name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        Self { name: format!("{name}-{}-{number}", std::process::id()), runtime }
    }

    pub fn new(name: &str) -> Self {
        let queue = Self::named(name);
        queue.declare(FieldTable::default());
        queue
    }

    /// Lets some age be on it: the broker writes a new queue's name down a few seconds late, whatever it confirmed, and one that is
    /// killed before takes confirmed messages with it.
    pub fn age(self) -> Self {
        control("stop");
        control("start");
        self
    }

    pub fn declare(&self, arguments: FieldTable) {
        let durable = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
        self.with(async |channel| channel.queue_declare(self.name.as_str().into(), durable, arguments).await.map(drop))
            .unwrap();
    }

    fn with<T>(&self, work: impl AsyncFnOnce(Channel) -> lapin::Result<T>) -> lapin::Result<T> {
        self.runtime.block_on(async {
            let (connection, channel) = open().await?;
            let done = work(channel).await?;
            // The channel is being closed already, which it may complain of, or not answer to.
            let _ = timeout(STEP, connection.close(200, "done".into())).await;
            Ok(done)
        })
    }

    /// Messages that wait for a consumer.
    pub fn count(&self) -> u32 {
        let passive = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
        let found = self.with(async |channel| {
            channel.queue_declare(self.name.as_str().into(), passive, FieldTable::default()).await
        });
        found.unwrap().message_count()
    }

    /// Publishes with confirms; each message has its text as id. Fails with the connection.
    pub fn try_publish(&self, bodies: &[String]) -> lapin::Result<()> {
        self.with(async |channel| {
            channel.confirm_select(ConfirmSelectOptions::default()).await?;
            let mut confirms = vec![];
            for body in bodies {
                let properties = BasicProperties::default().with_delivery_mode(2).with_message_id(body.as_str().into());
                let options = BasicPublishOptions::default();
                let queue = self.name.as_str().into();
                confirms.push(channel.basic_publish("".into(), queue, options, body.as_bytes(), properties).await?);
            }
            for confirm in confirms {
                assert!(confirm.await?.is_ack());
            }
            Ok(())
        })
    }

    /// Publishes one message with whatever properties.
    pub fn publish_with(&self, body: &str, properties: BasicProperties) {
        let sent = self.with(async |channel| {
            channel.confirm_select(ConfirmSelectOptions::default()).await?;
            let (queue, options) = (self.name.as_str().into(), BasicPublishOptions::default());
            channel.basic_publish("".into(), queue, options, body.as_bytes(), properties).await?.await
        });
        assert!(sent.unwrap().is_ack());
    }

    pub fn publish(&self, bodies: &[String]) {
        self.try_publish(bodies).unwrap();
    }

    pub fn delete(&self) -> lapin::Result<()> {
        let options = QueueDeleteOptions::default();
        self.with(async |channel| channel.queue_delete(self.name.as_str().into(), options).await.map(drop))
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let _ = self.delete();
    }
}

/// `0`, `1` …
pub fn numbers(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|number| number.to_string()).collect()
}
