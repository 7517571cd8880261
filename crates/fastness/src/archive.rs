//! Where the history of sensors goes, as configured.

use std::sync::Arc;

use anyhow::{Context, Result};
use host::HostOutbound;
use kernel::Kernel;
use sensors::history::{Archives, ClickHouse};
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
