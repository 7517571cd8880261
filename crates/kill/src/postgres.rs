//! The PostgreSQL of a test run: schemas of one's own in it, and its end and return.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, ensure};

use crate::server::{Launch, send_signal};

/// The server that nobody stops.
pub const SHARED: &str = "FASTNESS_TEST_POSTGRES";
/// The server that is stopped and killed.
pub const FAULTY: &str = "FASTNESS_TEST_POSTGRES_FAULTS";

/// Schemas of one's own on a PostgreSQL of the test run.
#[derive(Debug, Clone)]
pub struct Database {
    /// How to reach it.
    pub url: String,
    /// Start of the schemas' names.
    pub prefix: String,
    variable: String,
}

impl Database {
    /// Fresh schemas on the server that `variable` names.
    ///
    /// # Errors
    /// Nobody told where it is.
    pub fn new(variable: &str, prefix: &str) -> Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let url =
            std::env::var(variable).with_context(|| format!("{variable} is not set: run this by `cargo xtask`"))?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let prefix = format!("{prefix}_{}_{number}_", std::process::id());
        Ok(Self { url, prefix, variable: variable.to_owned() })
    }

    /// A server on it.
    #[must_use]
    pub fn launch(&self, launch: Launch) -> Launch {
        let launch = launch.env("FASTNESS_STORE__ENGINE", "postgres").env("FASTNESS_STORE__URL", &self.url);
        launch.env("FASTNESS_STORE__SCHEMA_PREFIX", &self.prefix).env("FASTNESS_STORE__WORKERS", "4")
    }

    /// The schema of the namespace that everybody uses.
    #[must_use]
    pub fn schema(&self) -> String {
        format!("{}main", self.prefix)
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The address is not written as expected.
    pub fn address(&self) -> Result<SocketAddr> {
        let part = |name: &str| self.url.split(' ').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
        let (host, port) = (part("host").context("no host")?, part("port").context("no port")?);
        Ok(format!("{host}:{port}").parse()?)
    }

    /// The same through a proxy.
    ///
    /// # Errors
    /// The address is not written as expected.
    pub fn through(&self, proxy: SocketAddr) -> Result<Self> {
        let old = self.address()?.port();
        let url = self.url.replace(&format!("port={old}"), &format!("port={}", proxy.port()));
        Ok(Self { url, ..self.clone() })
    }

    /// Tells its control script `start`, `stop` or `kill`, and waits until that is done.
    ///
    /// # Errors
    /// It fails.
    pub fn control(&self, word: &str) -> Result<()> {
        let told = Command::new(self.script()?).arg(word).stdin(Stdio::null()).status();
        ensure!(told.context("no control script")?.success(), "PostgreSQL: {word} failed");
        Ok(())
    }

    /// The server's process and all its children.
    ///
    /// # Errors
    /// It does not run.
    pub fn processes(&self) -> Result<Vec<u32>> {
        let folder = self.script()?.parent().context("a folder")?.to_owned();
        let note = fs::read_to_string(folder.join("data/postmaster.pid")).context("PostgreSQL does not run")?;
        let postmaster: u32 = note.lines().next().unwrap_or_default().trim().parse()?;
        Ok([postmaster].into_iter().chain(children_of(postmaster)?).collect())
    }

    /// Stops all its processes in their tracks, the first one first, so that it makes no further ones.
    ///
    /// # Errors
    /// It does not run.
    pub fn freeze(&self) -> Result<Frozen> {
        let postmaster = self.processes()?[0];
        send_signal(&[postmaster], "STOP")?;
        let mut frozen = Frozen(vec![postmaster]);
        for pid in self.processes()?.into_iter().skip(1) {
            // A child may end between the look and the signal.
            if send_signal(&[pid], "STOP").is_ok() {
                frozen.0.push(pid);
            }
        }
        Ok(frozen)
    }

    fn script(&self) -> Result<PathBuf> {
        let variable = format!("{}_CTL", self.variable);
        Ok(std::env::var_os(&variable).with_context(|| format!("{variable} is not set"))?.into())
    }
}

/// Processes that stand still until this is dropped.
pub struct Frozen(Vec<u32>);

impl Frozen {
    /// How many.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        // Some may be gone.
        self.0.iter().for_each(|pid| drop(send_signal(&[*pid], "CONT")));
    }
}

fn children_of(parent: u32) -> Result<Vec<u32>> {
    let mut children = vec![];
    for entry in fs::read_dir("/proc")?.flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // The name in brackets may hold blanks: count from its end.
        let of = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        children.extend((of == Some(parent)).then_some(pid));
    }
    Ok(children)
}
