//! What lies beside the store of sensors, as configured: their history in ClickHouse, their last signs of life in Redis.

use std::sync::Arc;

use anyhow::{Context, Result};
use host::{HostOutbound, RedisServer};
use kernel::Kernel;
use sensors::history::{Archives, ClickHouse};
use sensors::life::{LastSeen, LifeWriter, Lives};
use sensors::outbox::Exporter;

use crate::config::Config;
use crate::outbound;

/// The way of history to ClickHouse, if one is configured.
pub(crate) struct Export {
    calls: Arc<HostOutbound>,
    exporter: Exporter,
}

impl Export {
    pub(crate) fn start(config: &Config, kernel: &Kernel) -> Result<Option<Self>> {
        let Some(url) = &config.sensors.clickhouse_url else { return Ok(None) };
        let calls = outbound::to_own_servers(config)?;
        let clickhouse = ClickHouse::new(url.expose(), calls.clone()).context("sensors.clickhouse_url")?;
        kernel.common::<Archives>().set(Arc::new(clickhouse));
        Ok(Some(Self { calls, exporter: Exporter::start(kernel) }))
    }

    /// Ends it, before the stores are closed.
    pub(crate) fn stop(self) {
        drop(self.exporter);
        self.calls.close();
    }
}

/// The way of signs of life to Redis, if one is configured; ends when it is dropped.
pub(crate) fn keep_life(config: &Config, kernel: &Kernel) -> Result<Option<LifeWriter>> {
    let Some(url) = &config.sensors.redis_url else { return Ok(None) };
    let redis = RedisServer::new(url.expose()).context("sensors.redis_url")?;
    let last_seen = LastSeen::new(Arc::new(redis), &kernel.task_config().node);
    kernel.common::<Lives>().set(Arc::new(last_seen));
    Ok(Some(LifeWriter::start(kernel)))
}
