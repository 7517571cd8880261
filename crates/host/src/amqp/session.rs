//! One connection of a consumer, from its opening to its loss.

use std::collections::VecDeque;
use std::time::Duration;

use base::Delivery;
use futures_util::{FutureExt as _, StreamExt as _};
use lapin::options::{BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicQosOptions};
use lapin::types::FieldTable;
use lapin::{Channel, message};
use tokio::sync::watch::Receiver;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep_until, timeout, timeout_at};

use super::consumer::Consumer;
use super::flights::{Batch, Flights, Settled};
use super::gather::Gather;
use super::link::{Link, Lost, look, text};
use super::pause::Pause;
use super::window::Window;
use super::{CLOSE_WAIT, DRAIN};

/// Pauses before deliveries that must come again are offered again.
const AGAIN: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));
/// A broker that does not answer a question for so long hangs.
const ANSWER: Duration = Duration::from_secs(15);

/// What a connection brought, and what became of it.
pub(super) struct Session<'a> {
    consumer: &'a Consumer,
    channel: Channel,
    deliveries: lapin::Consumer,
    window: Window,
    gather: Gather,
    flights: Flights,
    /// Batches that must come again, oldest first; nothing new is handed on while there are any.
    held: VecDeque<Batch>,
    held_since: Option<Instant>,
    again: Pause,
    again_at: Instant,
    /// The queue was empty when this one had come: all is level once it is done.
    level_at: Option<u64>,
    /// Deliveries that are done and not yet acknowledged.
    noted: u64,
    // Last, so that it is dropped last.
    link: Link,
}

impl<'a> Session<'a> {
    pub(super) async fn open(consumer: &'a Consumer) -> Result<Self, Lost> {
        let settings = &consumer.settings;
        let link = consumer.linker.open().await?;
        let (channel, backlog) = within(link.channel_with(&settings.queue)).await??;
        let deliveries = within(start(&channel, &settings.queue, settings.prefetch)).await?.map_err(|e| text(&e))?;
        consumer.watch.update(|state| (state.connected, state.backlog) = (true, Some(backlog)));
        Ok(Self {
            consumer,
            channel,
            deliveries,
            window: Window::default(),
            gather: Gather::new(settings.prefetch),
            flights: Flights::new(),
            held: VecDeque::new(),
            held_since: None,
            again: Pause::new(AGAIN.0, AGAIN.1),
            again_at: Instant::now(),
            level_at: None,
            noted: 0,
            link,
        })
    }

    /// Ends well only when it is told to stop.
    pub(super) async fn run(mut self, pause: &mut Pause, stop: &mut Receiver<bool>) -> Result<(), Lost> {
        let mut every = ticks(self.consumer.settings.look_every);
        loop {
            let (flush_at, again_at) = (self.gather.until(), self.again_at);
            let is_free = self.held.is_empty();
            tokio::select! {
                biased;
                _ = stop.changed() => return self.drain().await,
                settled = self.flights.settled() => {
                    self.settle(settled).await?;
                    pause.reset();
                }
                _ = every.tick() => {
                    self.look().await?;
                    pause.reset();
                }
                delivery = self.deliveries.next(), if is_free => self.gather(delivery)?,
                () = sleep_until(flush_at.unwrap_or(again_at)), if is_free && flush_at.is_some() => self.hand_on(),
                () = sleep_until(again_at), if !is_free && self.flights.is_empty() => self.offer_again()?,
            }
        }
    }

    // ---- deliveries -------------------------------------------------------------------------------------------------

    /// Takes what is there, and hands it on at once if the sink has nothing to do.
    fn gather(&mut self, delivery: Option<lapin::Result<message::Delivery>>) -> Result<(), Lost> {
        self.came(delivery)?;
        while !self.gather.is_full()
            && let Some(delivery) = self.deliveries.next().now_or_never()
        {
            self.came(delivery)?;
        }
        if self.gather.is_full() || self.flights.is_empty() {
            self.hand_on();
        }
        Ok(())
    }

    fn came(&mut self, delivery: Option<lapin::Result<message::Delivery>>) -> Result<(), Lost> {
        let delivery = delivery.ok_or("the broker ended the consumer: is the queue still there?")?;
        let delivery = delivery.map_err(|error| text(&error))?;
        let tag = self.window.delivered();
        if tag != delivery.delivery_tag {
            return Err(format!("the broker's delivery {} came as the {tag}th", delivery.delivery_tag));
        }
        let id = delivery.properties.message_id().as_ref().map(ToString::to_string);
        self.gather.add(tag, Delivery { body: delivery.data, id, redelivered: delivery.redelivered });
        Ok(())
    }

    /// Unless something before it must come again: also if we did not look yet at what was said of it.
    fn hand_on(&mut self) {
        while let Some(settled) = self.flights.settled_already() {
            self.noted += self.note(settled);
        }
        if self.held.is_empty()
            && let Some(batch) = self.gather.take()
        {
            self.flights.begin(&*self.consumer.sink, batch);
        }
    }

    // ---- answers ----------------------------------------------------------------------------------------------------

    async fn settle(&mut self, first: Settled) -> Result<(), Lost> {
        self.noted += self.note(first);
        while let Some(next) = self.flights.settled_already() {
            self.noted += self.note(next);
        }
        self.acknowledge().await?;
        self.tell_level();
        if self.flights.is_empty() {
            self.hand_on();
        }
        Ok(())
    }

    fn note(&mut self, settled: Settled) -> u64 {
        settled.done.iter().for_each(|tag| self.window.done(*tag));
        match settled.again {
            Some(batch) => self.hold(batch),
            // One that was held is done: the next one at once.
            None if self.flights.is_empty() => self.again_at = Instant::now(),
            None => {}
        }
        if self.held.is_empty() {
            self.held_since = None;
            self.again.reset();
        }
        settled.done.len() as u64
    }

    fn hold(&mut self, batch: Batch) {
        batch.tags.iter().for_each(|tag| self.window.hold(*tag));
        let place = self.held.partition_point(|other| other.tags < batch.tags);
        self.held.insert(place, batch);
        self.held_since.get_or_insert_with(Instant::now);
        self.again_at = Instant::now() + self.again.wait();
    }

    /// Offers the oldest again, alone: if that is done, the others follow. After a while they are given back with the connection.
    fn offer_again(&mut self) -> Result<(), Lost> {
        if self.held_since.is_some_and(|since| since.elapsed() > self.consumer.settings.hold_max) {
            return Err("deliveries could not be stored for long; they are given back".into());
        }
        if let Some(batch) = self.held.pop_front() {
            self.flights.begin(&*self.consumer.sink, batch);
        }
        Ok(())
    }

    async fn acknowledge(&mut self) -> Result<(), Lost> {
        for frame in self.window.acknowledge() {
            let options = BasicAckOptions { multiple: frame.multiple };
            within(self.channel.basic_ack(frame.tag, options)).await?.map_err(|error| text(&error))?;
        }
        let done = std::mem::take(&mut self.noted);
        self.consumer.watch.update(|state| state.done += done);
        Ok(())
    }

    // ---- level ------------------------------------------------------------------------------------------------------

    /// Looks at the length of the queue. If it is empty, what it delivered before is here after a second question on the same
    /// channel: the broker's answers and deliveries do not overtake each other there, but the first answer may have overtaken.
    async fn look(&mut self) -> Result<(), Lost> {
        let queue = &self.consumer.settings.queue;
        let backlog = within(look(&self.channel, queue)).await?.map_err(|error| text(&error))?;
        let in_flight = self.window.waiting() as u64;
        self.consumer.watch.update(|state| (state.backlog, state.in_flight) = (Some(backlog), in_flight));
        self.level_at = None;
        if backlog > 0 || !self.held.is_empty() {
            return Ok(());
        }
        within(look(&self.channel, queue)).await?.map_err(|error| text(&error))?;
        while let Some(delivery) = self.deliveries.next().now_or_never() {
            self.came(delivery)?;
            if self.gather.is_full() {
                self.hand_on();
            }
        }
        self.hand_on();
        self.acknowledge().await?;
        self.level_at = Some(self.window.last());
        self.tell_level();
        Ok(())
    }

    fn tell_level(&mut self) {
        if self.level_at.is_some_and(|tag| self.window.is_done_through(tag)) {
            self.level_at = None;
            self.consumer.sink.level();
        }
    }

    // ---- end --------------------------------------------------------------------------------------------------------

    /// Takes nothing more, and waits a moment for what is in flight. What was not handed on is the broker's again.
    async fn drain(mut self) -> Result<(), Lost> {
        let until = Instant::now() + DRAIN;
        let _ =
            timeout_at(until, self.channel.basic_cancel(self.deliveries.tag(), BasicCancelOptions::default())).await;
        while !self.flights.is_empty()
            && let Ok(settled) = timeout_at(until, self.flights.settled()).await
        {
            self.noted += self.note(settled);
            self.acknowledge().await?;
        }
        self.link.close(CLOSE_WAIT).await;
        Ok(())
    }
}

async fn start(channel: &Channel, queue: &str, prefetch: u16) -> lapin::Result<lapin::Consumer> {
    channel.basic_qos(prefetch, BasicQosOptions::default()).await?;
    channel.basic_consume(queue.into(), "".into(), BasicConsumeOptions::default(), FieldTable::default()).await
}

/// The first one after the time, not at once.
fn ticks(every: Duration) -> Interval {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

async fn within<T>(answer: impl Future<Output = T>) -> Result<T, Lost> {
    timeout(ANSWER, answer).await.map_err(|_| "the broker does not answer".into())
}
