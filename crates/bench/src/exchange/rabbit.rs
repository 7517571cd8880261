//! RabbitMQ with a quorum queue: confirms to publishers, acknowledgements by consumers.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use futures_util::StreamExt;
use futures_util::future::try_join_all;
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicPublishOptions, BasicQosOptions, ConfirmSelectOptions,
    QueueDeclareOptions, QueueDeleteOptions,
};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties};
use tokio::runtime::Runtime;

use super::Side;
use super::message::Message;

const QUEUE: &str = "bench-exchange";
/// As many as a process of ours has.
const BATCH: u16 = 10;

pub struct Rabbit {
    runtime: Runtime,
    connection: Connection,
}

impl Rabbit {
    pub fn start() -> Result<Option<Self>> {
        let Ok(url) = std::env::var("FASTNESS_TEST_RABBITMQ") else { return Ok(None) };
        let runtime = Runtime::new()?;
        let connection = runtime.block_on(async {
            let connection = Connection::connect(&url, ConnectionProperties::default()).await?;
            let channel = connection.create_channel().await?;
            channel.queue_delete(QUEUE.into(), QueueDeleteOptions::default()).await?;
            let mut quorum = FieldTable::default();
            quorum.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
            let durable = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
            channel.queue_declare(QUEUE.into(), durable, quorum).await?;
            anyhow::Ok(connection)
        })?;
        Ok(Some(Self { runtime, connection }))
    }
}

impl Side for Rabbit {
    fn name(&self) -> &'static str {
        "RabbitMQ, quorum queue"
    }

    fn send(&mut self, senders: usize, messages: &[Message]) -> Result<f64> {
        self.runtime.block_on(async {
            let channels = try_join_all((0..senders).map(|_| self.connection.create_channel())).await?;
            try_join_all(channels.iter().map(|channel| channel.confirm_select(ConfirmSelectOptions::default())))
                .await?;
            let begun = Instant::now();
            let all = channels.iter().enumerate().map(|(sender, channel)| say(channel, sender, messages));
            try_join_all(all).await?;
            Ok(begun.elapsed().as_secs_f64())
        })
    }

    fn take(&mut self, takers: usize, count: usize) -> Result<f64> {
        self.runtime.block_on(async {
            let channels = try_join_all((0..takers).map(|_| self.connection.create_channel())).await?;
            let begun = Instant::now();
            let left = std::sync::atomic::AtomicUsize::new(count);
            let ended = tokio::sync::Notify::new();
            try_join_all(channels.iter().map(|channel| take(channel, &left, &ended))).await?;
            Ok(begun.elapsed().as_secs_f64())
        })
    }
}

async fn say(channel: &Channel, sender: usize, messages: &[Message]) -> Result<()> {
    let kept = BasicProperties::default().with_delivery_mode(2);
    for message in messages.iter().filter(|message| message.sender == sender) {
        let options = BasicPublishOptions::default();
        let sent = channel.basic_publish("".into(), QUEUE.into(), options, message.text.as_bytes(), kept.clone());
        ensure!(sent.await?.await?.is_ack(), "not confirmed");
    }
    Ok(())
}

/// Ten at a time, until somebody took the last.
async fn take(channel: &Channel, left: &std::sync::atomic::AtomicUsize, ended: &tokio::sync::Notify) -> Result<()> {
    use std::sync::atomic::Ordering::SeqCst;
    channel.basic_qos(BATCH, BasicQosOptions::default()).await?;
    let options = BasicConsumeOptions::default();
    let mut consumer = channel.basic_consume(QUEUE.into(), "".into(), options, FieldTable::default()).await?;
    let mut open = 0;
    loop {
        let delivery = tokio::select! {
            delivery = consumer.next() => delivery.context("the broker closed")??,
            () = ended.notified() => return Ok(()),
        };
        open += 1;
        let is_last = left.fetch_sub(1, SeqCst) == 1;
        // The rest of a batch may have gone to others.
        if open == BATCH || is_last || left.load(SeqCst) < usize::from(BATCH) * 16 {
            channel.basic_ack(delivery.delivery_tag, BasicAckOptions { multiple: true }).await?;
            open = 0;
        }
        if is_last {
            (0..64).for_each(|_| ended.notify_one());
            ended.notify_waiters();
            return Ok(());
        }
    }
}
