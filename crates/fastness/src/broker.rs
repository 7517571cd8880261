//! The message broker as configured: signals of sensors come from it, notification tasks are told through it.

use std::sync::{Arc, Weak};
use std::time::Duration;

use anyhow::{Context, Result};
use host::{Amqp, AmqpSettings, ConsumerSettings, PublisherSettings, QueueType};
use kernel::Kernel;
use kernel::tasks::Dispatcher;
use sensors::announce::{Announcer, Starter};
use sensors::broker::{Brokers, Intake};

use crate::config::{Config, QueueWish};
use crate::outbound;

/// The queue that carries ids of tasks.
const NOTIFY_QUEUE: &str = "fastness-notify";
/// How long it keeps an id: by then the task has begun by itself.
const NOTIFY_KEPT: Duration = Duration::from_secs(60);
/// How often the figures are renewed.
const FIGURES_EVERY_MS: u64 = 5_000;

/// The connections, if a broker is configured; to be closed before the stores.
#[derive(Clone)]
pub(crate) struct Broker(Option<Arc<Amqp>>);

impl Broker {
    /// Begins to consume. A broker that is away is no error: it is tried for ever.
    pub(crate) fn start(config: &Config, kernel: &Kernel, dispatcher: &Dispatcher) -> Result<Self> {
        let namespace = config.sensors.namespace.as_str();
        let Some(amqp) = amqp(config)? else { return Ok(Self(None)) };
        let amqp = Arc::new(amqp);
        let brokers = kernel.common::<Brokers>();
        let intake = Intake::start(kernel, namespace, dispatcher.node_name());
        brokers.show("signals", amqp.consume(intake_settings(config)?, intake));
        if config.sensors.notify_queue {
            announce(&amqp, kernel, dispatcher);
        }
        renew_figures(kernel, Arc::downgrade(&brokers));
        Ok(Self(Some(amqp)))
    }

    /// Takes nothing more; what is in flight may end.
    pub(crate) fn close(&self) {
        self.0.iter().for_each(|amqp| amqp.close());
    }
}

/// The broker, if one is configured. Connects to nothing yet.
pub(crate) fn amqp(config: &Config) -> Result<Option<Amqp>> {
    let Some(url) = &config.sensors.amqp_url else { return Ok(None) };
    let certificates = String::from_utf8(outbound::certificates(config)?).context("outbound.certificates is no PEM")?;
    let queue_type = queue_type(config.sensors.queue_type);
    let settings = AmqpSettings { certificates, queue_type, ..AmqpSettings::new(url.expose()) };
    Ok(Some(Amqp::new(settings)?))
}

fn queue_type(wish: QueueWish) -> QueueType {
    match wish {
        QueueWish::Auto => QueueType::AsItIs,
        QueueWish::Classic => QueueType::Classic,
        QueueWish::Quorum => QueueType::Quorum,
    }
}

fn intake_settings(config: &Config) -> Result<ConsumerSettings> {
    let prefetch = u16::try_from(config.sensors.prefetch)?;
    Ok(ConsumerSettings { prefetch, ..ConsumerSettings::new(&config.sensors.queue) })
}

fn announce(amqp: &Amqp, kernel: &Kernel, dispatcher: &Dispatcher) {
    let settings = PublisherSettings { expire: Some(NOTIFY_KEPT), ..PublisherSettings::default() };
    let publisher = amqp.publisher(settings);
    let brokers = kernel.common::<Brokers>();
    brokers.show("notifications-out", publisher.watch());
    let consumed = amqp.consume(ConsumerSettings::new(NOTIFY_QUEUE), Starter::new(dispatcher.clone()));
    brokers.show("notifications-in", consumed);
    kernel.common::<Announcer>().publish_to(NOTIFY_QUEUE, Arc::new(publisher));
}

/// As long as somebody has them.
fn renew_figures(kernel: &Kernel, brokers: Weak<Brokers>) {
    let Some(shown) = brokers.upgrade() else { return };
    for (queue, state) in shown.states() {
        #[expect(clippy::cast_precision_loss, reason = "a figure for a chart")]
        let number = |count: u64| count as f64;
        metrics::gauge!("fastness_broker_connected", "queue" => queue.clone())
            .set(f64::from(u8::from(state.connected)));
        metrics::gauge!("fastness_broker_backlog", "queue" => queue.clone()).set(number(state.backlog.unwrap_or(0)));
        metrics::counter!("fastness_broker_messages_total", "queue" => queue).absolute(state.done);
    }
    let (next, timers) = (kernel.clone(), kernel.env().timers.clone());
    timers.after(FIGURES_EVERY_MS, Box::new(move || renew_figures(&next, brokers)));
}
