//! What the configuration says of alerts, journal and counters.

use std::time::Duration;

use kernel::alerts::{AlertSettings, Channel, Pace};
use kernel::watch::WatchConfig;

use crate::config::{Config, addresses, webhook};

/// The kernel's part of the configuration.
pub(crate) fn config(config: &Config) -> WatchConfig {
    WatchConfig {
        alerts: alerts(config),
        journal_kept_ms: ms(config.journal.kept),
        counters_kept_ms: ms(config.counters.kept),
        minutes_kept_ms: ms(config.counters.minutes_kept),
        ..WatchConfig::default()
    }
}

fn alerts(config: &Config) -> AlertSettings {
    let alerts = &config.alerts;
    let mail = (!alerts.mail_to.is_empty()).then(|| Channel::Mail { to: addresses(&alerts.mail_to) });
    AlertSettings {
        channels: mail.into_iter().chain(webhook(config)).collect(),
        pace: Pace { gather_ms: ms(alerts.gather), pace_ms: ms(alerts.pace), repeat_ms: ms(alerts.repeat) },
        kept_ms: ms(alerts.kept),
        ..AlertSettings::default()
    }
}

fn ms(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
