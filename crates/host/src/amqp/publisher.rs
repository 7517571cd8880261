//! A publisher with confirms: what it says was sent, the broker keeps.
//!
//! What waits for a connection waits in a bounded buffer and for a bounded time; what was sent and not confirmed when the connection
//! was lost is told as unknown and not sent again, since it may be there.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base::{BrokerWatch, Clock, Confirm, Publisher};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::{BasicProperties, Channel, Confirmation, Event};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch::Receiver;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::link::{Link, Linker, Lost, text};
use super::pause::Pause;
use super::{CLOSE_WAIT, DRAIN, PublisherSettings};
use crate::RealClock;

/// AMQP's word for "keep it on the disk".
const PERSISTENT: u8 = 2;

/// Sends messages to queues of the broker. Queues that are not there are made durable.
#[derive(Clone)]
pub struct AmqpPublisher {
    messages: UnboundedSender<Message>,
    buffered: Arc<AtomicUsize>,
    settings: PublisherSettings,
    watch: Arc<BrokerWatch>,
}

/// A message, until its sender was told of it.
struct Message {
    queue: String,
    body: Vec<u8>,
    until: Instant,
    confirm: Option<Confirm>,
    buffered: Arc<AtomicUsize>,
}

impl Message {
    fn tell(mut self, result: Result<(), String>) {
        self.confirm.take().into_iter().for_each(|confirm| confirm(result.clone()));
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        self.buffered.fetch_sub(1, Ordering::Relaxed);
        self.confirm.take().into_iter().for_each(|confirm| confirm(Err("whether it arrived is not known".into())));
    }
}

impl AmqpPublisher {
    /// How it stands with its connection.
    #[must_use]
    pub fn watch(&self) -> Arc<BrokerWatch> {
        self.watch.clone()
    }
}

impl Publisher for AmqpPublisher {
    fn send(&self, queue: &str, body: Vec<u8>, confirm: Confirm) {
        let full = self.buffered.fetch_add(1, Ordering::Relaxed) >= self.settings.buffer;
        let until = Instant::now() + self.settings.keep;
        let buffered = self.buffered.clone();
        let message = Message { queue: queue.to_owned(), body, until, confirm: Some(confirm), buffered };
        if full {
            return message.tell(Err(format!("{} messages wait already", self.settings.buffer)));
        }
        if let Err(refused) = self.messages.send(message) {
            refused.0.tell(Err("the publisher has ended".into()));
        }
    }
}

/// A publisher, and the work that somebody must run for it.
pub(super) fn make(
    linker: Arc<Linker>,
    settings: PublisherSettings,
    stop: Receiver<bool>,
) -> (AmqpPublisher, impl Future<Output = ()> + Send) {
    let (messages, wanted) = unbounded_channel();
    let watch = Arc::new(BrokerWatch::default());
    let expire = settings.expire;
    let publisher = AmqpPublisher { messages, buffered: Arc::default(), settings, watch: watch.clone() };
    (publisher, Desk { linker, wanted, next: None, watch, stop, expire }.run())
}

type Confirming = BoxFuture<'static, Result<Confirmation, Lost>>;

/// What sends.
struct Desk {
    linker: Arc<Linker>,
    wanted: UnboundedReceiver<Message>,
    /// The first that waits for a connection.
    next: Option<Message>,
    watch: Arc<BrokerWatch>,
    stop: Receiver<bool>,
    expire: Option<Duration>,
}

impl Desk {
    async fn run(mut self) {
        let (first, longest) = self.linker.settings.pause;
        let mut pause = Pause::new(first, longest);
        while !*self.stop.borrow() {
            let Err(why) = self.session(&mut pause).await else { break };
            tracing::warn!(why, "the message broker is away; nothing is published");
            self.watch.lost(RealClock::new().wall(), &why);
            self.wait(pause.wait(), &why).await;
        }
        self.watch.update(|state| state.connected = false);
    }

    /// Waits; what waited too long meanwhile is told so.
    async fn wait(&mut self, pause: Duration, why: &str) {
        let over = Instant::now() + pause;
        loop {
            let until = self.next.as_ref().map(|message| message.until);
            tokio::select! {
                _ = self.stop.changed() => return,
                () = sleep_until(over) => return,
                message = self.wanted.recv(), if self.next.is_none() => match message {
                    Some(message) => self.next = Some(message),
                    None => return sleep(pause).await,
                },
                () = sleep_until(until.unwrap_or(over)), if until.is_some() => {
                    self.next.take().into_iter().for_each(|message| message.tell(Err(why.to_owned())));
                }
            }
        }
    }

    /// Ends well only when it is told to stop.
    async fn session(&mut self, pause: &mut Pause) -> Result<(), Lost> {
        let linker = self.linker.clone();
        let mut stop = self.stop.clone();
        let link = tokio::select! {
            _ = stop.changed() => return Ok(()),
            link = linker.open() => link?,
        };
        self.watch.update(|state| state.connected = true);
        let mut events = link.connection.events_listener().boxed();
        let (mut channels, mut sent) = (BTreeMap::new(), Sent::default());
        loop {
            if let Some(message) = self.next.take() {
                self.publish(&link, &mut channels, &mut sent, message).await?;
                continue;
            }
            tokio::select! {
                biased;
                _ = stop.changed() => {
                    sent.drain(&self.watch).await;
                    link.close(CLOSE_WAIT).await;
                    return Ok(());
                }
                confirmed = sent.next(), if !sent.is_empty() => {
                    confirmed.tell(&self.watch)?;
                    pause.reset();
                }
                event = events.next() => self.heard(&link, event)?,
                message = self.wanted.recv() => match message {
                    Some(message) => self.next = Some(message),
                    None => return Ok(()),
                },
            }
        }
    }

    fn properties(&self) -> BasicProperties {
        let kept = BasicProperties::default().with_delivery_mode(PERSISTENT);
        match self.expire {
            Some(time) => kept.with_expiration(time.as_millis().to_string().as_str().into()),
            None => kept,
        }
    }

    fn heard(&self, link: &Link, event: Option<Event>) -> Result<(), Lost> {
        match event {
            // A channel that was refused something is told of here too.
            Some(Event::Error(error)) if !link.connection.status().connected() => Err(text(&error)),
            None => Err("the connection has ended".into()),
            Some(Event::ConnectionBlocked(why)) => {
                tracing::warn!(why, "the message broker takes nothing for now");
                let now = RealClock::new().wall();
                self.watch.update(|state| state.last_error = Some((now, format!("blocked by the broker: {why}"))));
                Ok(())
            }
            Some(_) => Ok(()),
        }
    }

    async fn publish(
        &mut self,
        link: &Link,
        channels: &mut BTreeMap<String, Channel>,
        sent: &mut Sent,
        message: Message,
    ) -> Result<(), Lost> {
        if message.until <= Instant::now() {
            message.tell(Err("it waited too long for a connection".into()));
            return Ok(());
        }
        if !channels.contains_key(&message.queue) {
            match timeout_at(message.until, channel(link, &message.queue)).await {
                Ok(Ok(channel)) => drop(channels.insert(message.queue.clone(), channel)),
                failed => {
                    self.next = Some(message);
                    return Err(failed
                        .map_or_else(|_| "the broker does not answer".into(), |made| made.err().unwrap_or_default()));
                }
            }
        }
        let Some(channel) = channels.get(&message.queue) else { return Ok(()) };
        let properties = self.properties();
        let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
        let written =
            channel.basic_publish("".into(), message.queue.as_str().into(), options, &message.body, properties);
        match timeout_at(message.until, written).await {
            Ok(Ok(confirm)) => sent.add(message, Box::pin(async { confirm.await.map_err(|error| text(&error)) })),
            Ok(Err(error)) => return fail(message, text(&error)),
            Err(_) => return fail(message, "the broker takes nothing".into()),
        }
        Ok(())
    }
}

fn fail(message: Message, why: String) -> Result<(), Lost> {
    message.tell(Err(why.clone()));
    Err(why)
}

async fn channel(link: &Link, queue: &str) -> Result<Channel, Lost> {
    let (channel, _) = link.channel_with(queue).await?;
    channel.confirm_select(ConfirmSelectOptions::default()).await.map_err(|error| text(&error))?;
    Ok(channel)
}

/// Messages that are not confirmed yet. Dropped with their connection they are told as unknown.
#[derive(Default)]
struct Sent(FuturesUnordered<BoxFuture<'static, Confirmed>>);

/// A message and what the broker said of it.
struct Confirmed {
    message: Message,
    result: Result<Confirmation, Lost>,
}

impl Sent {
    fn add(&mut self, message: Message, confirming: Confirming) {
        self.0.push(Box::pin(async move {
            let until = message.until;
            let result = timeout_at(until, confirming).await;
            Confirmed { message, result: result.unwrap_or_else(|_| Err("the broker does not confirm".into())) }
        }));
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Waits for ever when there is none.
    async fn next(&mut self) -> Confirmed {
        match self.0.next().await {
            Some(confirmed) => confirmed,
            None => std::future::pending().await,
        }
    }

    async fn drain(&mut self, watch: &BrokerWatch) {
        let until = Instant::now() + DRAIN;
        while let Ok(Some(confirmed)) = timeout_at(until, self.0.next()).await {
            let _ = confirmed.tell(watch);
        }
    }
}

impl Confirmed {
    /// A connection that fails one message is given up; a refusal by the broker is not its fault.
    fn tell(self, watch: &BrokerWatch) -> Result<(), Lost> {
        match self.result {
            Ok(Confirmation::Ack(None)) => {
                watch.update(|state| state.done += 1);
                self.message.tell(Ok(()));
                Ok(())
            }
            Ok(Confirmation::Ack(Some(_))) => fail(self.message, "the queue is gone".into()),
            Ok(Confirmation::Nack(_) | Confirmation::NotRequested) => {
                self.message.tell(Err("the broker refused it".into()));
                Ok(())
            }
            Err(why) => fail(self.message, why),
        }
    }
}
