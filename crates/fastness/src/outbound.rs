//! Calls to the outside as configured.

use std::sync::Arc;

use anyhow::{Context, Result};
use host::{HostOutbound, MailSettings, OutboundSettings};

use crate::config::Config;

/// Performs calls to the outside; to be closed before the stores.
pub(crate) fn outbound(config: &Config) -> Result<Arc<HostOutbound>> {
    Ok(Arc::new(HostOutbound::new(settings(config)?)?))
}

/// Performs calls to servers that the operator named: these may be where they like, also on this machine.
pub(crate) fn to_own_servers(config: &Config) -> Result<Arc<HostOutbound>> {
    let settings = OutboundSettings { allow_private: true, mail: None, works_max: 1, ..settings(config)? };
    Ok(Arc::new(HostOutbound::new(settings)?))
}

fn settings(config: &Config) -> Result<OutboundSettings> {
    let mail = config.mail.url.as_ref();
    let mail = mail.map(|url| MailSettings { url: url.expose().to_owned(), from: config.mail.from.clone() });
    Ok(OutboundSettings {
        allow_private: config.outbound.allow_private,
        connect_timeout: config.outbound.connect_timeout,
        certificates: certificates(config)?,
        mail,
        ..OutboundSettings::default()
    })
}

#[expect(clippy::disallowed_methods, reason = "read once at start, like the configuration that names it")]
pub(crate) fn certificates(config: &Config) -> Result<Vec<u8>> {
    let Some(path) = &config.outbound.certificates else { return Ok(vec![]) };
    let pem = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    anyhow::ensure!(!pem.is_empty(), "{} is empty", path.display());
    Ok(pem)
}
