//! What sensors need beside the kernel, in a program that has them: the broker, the watch over silence, ClickHouse and Redis.

use anyhow::Result;
use kernel::Kernel;
use kernel::tasks::Dispatcher;
use sensors::SilenceWatch;
use sensors::life::LifeWriter;

use crate::archive::{self, Export};
use crate::broker::Broker;
use crate::config::Config;

/// All of it, running.
pub(crate) struct Sensing {
    broker: Broker,
    silence: SilenceWatch,
    export: Option<Export>,
    life: Option<LifeWriter>,
}

impl Sensing {
    /// Begins, if the program has sensors.
    pub(crate) fn start(config: &Config, kernel: &Kernel, dispatcher: &Dispatcher) -> Result<Option<Self>> {
        if !kernel.services().iter().any(|service| service.name == sensors::SERVICE.name) {
            return Ok(None);
        }
        let broker = Broker::start(config, kernel, dispatcher)?;
        let silence = SilenceWatch::start(kernel);
        let (export, life) = (Export::start(config, kernel)?, archive::keep_life(config, kernel)?);
        Ok(Some(Self { broker, silence, export, life }))
    }

    /// Where signals come from beside HTTP: closed when a stop begins.
    pub(crate) fn intake(&self) -> Broker {
        self.broker.clone()
    }

    /// Ends the rest, before the stores are closed.
    pub(crate) fn stop(self) {
        self.silence.stop();
        self.export.into_iter().for_each(Export::stop);
        drop(self.life);
    }
}
