//! The server's certificate in its files (KER-33): read at start, looked at again every few seconds.
//!
//! Invariant: once the server runs, nothing that becomes of the files stops it. A pair that cannot be read or used is told
//! once, and the one before stays.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::time::{MissedTickBehavior, interval};
use web::Tls;

use crate::config::Config;

/// How often the files are looked at. By their content: a file that was put there with an old time counts too.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Most that is read of a file.
const FILE_MAX: u64 = 1 << 20;

/// A certificate and its key in files.
pub(crate) struct Certificate {
    certificate: PathBuf,
    key: PathBuf,
    tls: Tls,
    /// What the files held at the last look, good or bad, so that each change is told once.
    seen: Result<Pair, String>,
}

/// What the two files hold.
#[derive(PartialEq, Eq)]
struct Pair {
    certificate_pem: Vec<u8>,
    key_pem: Vec<u8>,
}

impl Certificate {
    /// `None` if none is configured.
    pub(crate) fn open(config: &Config) -> Result<Option<Self>> {
        let (Some(certificate), Some(key)) = (&config.server.tls_certificate, &config.server.tls_key) else {
            return Ok(None);
        };
        let (certificate, key) = (certificate.clone(), key.clone());
        let pair = read(&certificate, &key).map_err(anyhow::Error::msg)?;
        let tls = Tls::new(&pair.certificate_pem, &pair.key_pem);
        let tls = tls.with_context(|| format!("no TLS with {} and {}", certificate.display(), key.display()))?;
        Ok(Some(Self { certificate, key, tls, seen: Ok(pair) }))
    }

    /// For the edge. From now on the files are watched, until the runtime ends.
    pub(crate) fn watched(self) -> Tls {
        let tls = self.tls.clone();
        tokio::spawn(watch(self));
        tls
    }

    /// Takes up the files if they have changed and can be used.
    fn look(&mut self) {
        let found = read(&self.certificate, &self.key);
        if found == self.seen {
            return;
        }
        let renewed = match &found {
            Ok(pair) => self.tls.renew(&pair.certificate_pem, &pair.key_pem).map_err(|error| error.to_string()),
            Err(reason) => Err(reason.clone()),
        };
        let file = self.certificate.display();
        match renewed {
            Ok(()) => tracing::info!(%file, "new certificate"),
            Err(reason) => tracing::warn!(%file, reason, "the new certificate cannot be used; the old one stays"),
        }
        self.seen = found;
    }
}

async fn watch(mut certificate: Certificate) {
    let mut tick = interval(LOOK_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        // On a thread that may block: the files may lie on a disk that hangs.
        let looked = tokio::task::spawn_blocking(move || {
            certificate.look();
            certificate
        });
        match looked.await {
            Ok(back) => certificate = back,
            Err(_) => return,
        }
    }
}

/// What the two files hold, certificate and key, for whoever only looks.
pub(crate) fn pair(certificate: &Path, key: &Path) -> Result<(Vec<u8>, Vec<u8>), String> {
    read(certificate, key).map(|pair| (pair.certificate_pem, pair.key_pem))
}

fn read(certificate: &Path, key: &Path) -> Result<Pair, String> {
    Ok(Pair { certificate_pem: read_file(certificate)?, key_pem: read_file(key)? })
}

/// What lies behind the bound would be no certificate, and is left out: then the pair cannot be used.
#[expect(clippy::disallowed_methods, reason = "written by others, only read here: there is nothing to make durable")]
fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(FILE_MAX).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| format!("cannot read {}: {error}", path.display()))
}
