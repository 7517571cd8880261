//! Signals from RabbitMQ: ours, acknowledged after the commit that holds their outcome, and beside it a bare consumer that only
//! acknowledges. Same queue, same prefetch, same library; what is consumed was published before the clock runs.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures_util::StreamExt;
use host::{Amqp, AmqpSettings, ConsumerSettings};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::{Env, Kernel, KernelConfig};
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicPublishOptions, BasicQosOptions, ConfirmSelectOptions,
    QueueDeclareOptions, QueueDeleteOptions,
};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties};
use sensors::broker::Intake;
use serde_json::json;
use store_sqlite::{SqliteConfig, SqliteStore};
use tokio::runtime::Runtime;

use super::server::{put_sensors, signal};
use super::tell;
use crate::contest::{Effort, median};
use crate::report::{Figure, Unit};

pub const TITLE: &str = "signals from RabbitMQ";
const QUEUE: &str = "bench-sensors";
const MESSAGES: usize = 200_000;
const SENSORS: usize = 20_000;
/// So many a bare consumer acknowledges at once, in the second of its ways.
const MANY: usize = 100;
/// One in so many is a change.
const CHANGES: usize = 100;
const PATIENCE: Duration = Duration::from_secs(60);

/// Ours and the bare one in turn.
pub fn run(effort: &Effort, folder: &Path) -> Result<()> {
    let Ok(url) = std::env::var("FASTNESS_TEST_RABBITMQ") else {
        println!("  not run, FASTNESS_TEST_RABBITMQ is not set (cargo xtask services run -- …)");
        return Ok(());
    };
    let runtime = Runtime::new()?;
    let home = Home::open(&folder.join("rabbit.db"))?;
    let (mut ours, mut single, mut many) = (vec![], vec![], vec![]);
    let mut turn = 0;
    for round in 0..effort.rounds {
        for side in 0..3 {
            runtime.block_on(publish(&url, turn))?;
            turn += 1;
            match (side + round) % 3 {
                0 => ours.push(home.consume(&url)?),
                1 => single.push(runtime.block_on(acknowledge(&url, 1))?),
                _ => many.push(runtime.block_on(acknowledge(&url, MANY))?),
            }
        }
    }
    let rate = median(&ours);
    println!("  {rate:>8.0}/s ours, acknowledged after commit");
    for (how, bare) in [("each alone", &single), ("a hundred at once", &many)] {
        let peer = median(bare);
        println!("  {peer:>8.0}/s a bare consumer that acknowledges {how}: ours is {:.2} of it", rate / peer);
    }
    let told = Figure::new("signals from RabbitMQ", Unit::PerSecond).side("ours, acknowledged after commit", &ours);
    told.side("a bare consumer, each alone", &single)
        .side("a bare consumer, a hundred at once", &many)
        .goal(20_000.0)
        .tell();
    tell(TITLE, &json!({ "ours_per_s": ours, "bare_each_per_s": single, "bare_many_per_s": many }));
    Ok(())
}

async fn channel(url: &str) -> Result<(Connection, Channel)> {
    let connection = Connection::connect(url, ConnectionProperties::default()).await?;
    let channel = connection.create_channel().await?;
    Ok((connection, channel))
}

/// Makes the queue anew and fills it; every turn changes other doors.
async fn publish(url: &str, turn: usize) -> Result<()> {
    let (connection, channel) = channel(url).await?;
    channel.queue_delete(QUEUE.into(), QueueDeleteOptions::default()).await?;
    let durable = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
    channel.queue_declare(QUEUE.into(), durable, FieldTable::default()).await?;
    channel.confirm_select(ConfirmSelectOptions::default()).await?;
    let kept = BasicProperties::default().with_delivery_mode(2);
    for number in 0..MESSAGES {
        // Doors that are multiples of the turn's own hundredth are open in every second pass over the sensors.
        let (door, pass) = (number % SENSORS, number / SENSORS);
        let closed = !(door % CHANGES == turn % CHANGES && pass % 2 == 0);
        let body = signal(door, closed);
        let sent = channel.basic_publish(
            "".into(),
            QUEUE.into(),
            BasicPublishOptions::default(),
            body.as_bytes(),
            kept.clone(),
        );
        let confirm = sent.await?;
        if number % 1_000 == 999 {
            confirm.await?;
        }
    }
    channel.wait_for_confirms().await?;
    connection.close(200, "done".into()).await?;
    Ok(())
}

/// Only acknowledges, so many at once.
async fn acknowledge(url: &str, many: usize) -> Result<f64> {
    let (connection, channel) = channel(url).await?;
    channel.basic_qos(ConsumerSettings::new(QUEUE).prefetch, BasicQosOptions::default()).await?;
    let begun = Instant::now();
    let mut consumer = channel
        .basic_consume(QUEUE.into(), "bare".into(), BasicConsumeOptions::default(), FieldTable::default())
        .await?;
    for number in 1..=MESSAGES {
        let delivery = consumer.next().await.context("the broker closed")??;
        if number % many == 0 {
            channel.basic_ack(delivery.delivery_tag, BasicAckOptions { multiple: many > 1 }).await?;
        }
    }
    let rate = MESSAGES as f64 / begun.elapsed().as_secs_f64();
    connection.close(200, "done".into()).await?;
    Ok(rate)
}

/// A kernel with sensors over a real store.
struct Home {
    kernel: Kernel,
}

impl Home {
    fn open(file: &Path) -> Result<Self> {
        let clock = Arc::new(RealClock::new());
        let open = || -> Result<Self> {
            let store = Arc::new(SqliteStore::open(file, SqliteConfig::default(), clock.clone())?);
            let env = Env { clock: clock.clone(), entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
            let config = KernelConfig { admin_namespace: "main".into(), ..KernelConfig::default() };
            let kernel = Kernel::open(env, config, &[&sensors::SERVICE], vec![("main".into(), store)])?;
            Ok(Self { kernel })
        };
        let home = open()?;
        let mut database = rusqlite::Connection::open(file)?;
        let transaction = database.transaction()?;
        put_sensors(&transaction, SENSORS)?;
        transaction.commit()?;
        Ok(home)
    }

    /// Everything that waits in the queue.
    fn consume(&self, url: &str) -> Result<f64> {
        let amqp = Amqp::new(AmqpSettings::new(url))?;
        let sink = Intake::start(&self.kernel, "main", "bench");
        let begun = Instant::now();
        let watch = amqp.consume(ConsumerSettings::new(QUEUE), sink);
        while watch.state().done < MESSAGES as u64 {
            ensure!(begun.elapsed() < PATIENCE, "only so many are done: {:?}", watch.state());
            std::thread::sleep(Duration::from_millis(2));
        }
        let rate = MESSAGES as f64 / begun.elapsed().as_secs_f64();
        amqp.close();
        Ok(rate)
    }
}
