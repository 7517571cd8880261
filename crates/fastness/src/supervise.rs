//! `serve --supervise` (KER-47): a parent that does nothing but start the server again when it ended by itself.
//!
//! The pause between two starts grows from a tenth of a second to half a minute while starts fail, and is short again
//! after a minute of service. It gives up in two cases only: the server was asked to stop and did (0), or its use or
//! configuration is wrong (2), which no repetition mends. SIGTERM and SIGINT are passed on. The server stops when its
//! parent is gone, so that none is left behind with the data directory.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::Duration;

use anyhow::{Context, Result};
use base::Clock;
use host::RealClock;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::cli::USAGE;

/// The flag of the command line that starts this.
pub(crate) const FLAG: &str = "--supervise";
/// The hidden flag by which the server knows its parent.
pub(crate) const PARENT: &str = "--supervised-by";
const PAUSE_MS: u64 = 100;
const PAUSE_MS_MAX: u64 = 30_000;
/// A server that ran so long was well: the next pause is the shortest.
const WELL_MS: u64 = 60_000;

/// Runs the server below us until it has ended for good.
pub(crate) fn run() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = runtime.context("no runtime for signals").and_then(|runtime| runtime.block_on(watch()));
    ended.unwrap_or_else(|error| {
        eprintln!("fastness: {error:#}");
        ExitCode::FAILURE
    })
}

async fn watch() -> Result<ExitCode> {
    let mut signals = Signals::new()?;
    let clock = RealClock::new();
    let mut failures = 0;
    loop {
        let started_ms = clock.ran_ms();
        let mut child = start()?;
        let (status, stopping) = signals.wait_for(&mut child).await?;
        if let Some(code) = ends(status, stopping) {
            return Ok(code);
        }
        failures = if clock.ran_ms() - started_ms >= WELL_MS { 0 } else { failures + 1 };
        let pause = pause(failures);
        tracing::error!(%status, pause_ms = pause.as_millis(), "the server ended by itself; it is started again");
        if signals.come_within(pause).await {
            return Ok(ExitCode::SUCCESS);
        }
    }
}

/// The same command without the flag.
fn start() -> Result<Child> {
    let program = std::env::current_exe().context("our own program is not known")?;
    let words = std::env::args_os().skip(1).filter(|word| word != FLAG);
    let parent = [OsString::from(PARENT), std::process::id().to_string().into()];
    let mut command = Command::new(program);
    // In a group of its own: Ctrl-C reaches it through us alone, or it would count as the second one.
    command.args(words).args(parent).process_group(0);
    command.spawn().context("the server cannot be started")
}

/// With which code we end after the server ended so, or not at all.
fn ends(status: ExitStatus, stopping: bool) -> Option<ExitCode> {
    match status.code() {
        Some(0) => Some(ExitCode::SUCCESS),
        Some(code) if code == i32::from(USAGE) => Some(ExitCode::from(USAGE)),
        _ if stopping => Some(ExitCode::FAILURE),
        _ => None,
    }
}

/// The pause after so many failures in a row.
fn pause(failures: u32) -> Duration {
    let doublings = failures.saturating_sub(1).min(20);
    Duration::from_millis((PAUSE_MS << doublings).min(PAUSE_MS_MAX))
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
    child: Signal,
}

impl Signals {
    fn new() -> Result<Self> {
        let open = |kind| signal(kind).context("no signal handler");
        let (interrupt, terminate) = (open(SignalKind::interrupt())?, open(SignalKind::terminate())?);
        Ok(Self { interrupt, terminate, child: open(SignalKind::child())? })
    }

    /// Waits for the child's end and passes on what we are told. Says whether we were told to stop.
    async fn wait_for(&mut self, child: &mut Child) -> Result<(ExitStatus, bool)> {
        let mut stopping = false;
        loop {
            if let Some(status) = child.try_wait().context("the server's end is not known")? {
                return Ok((status, stopping));
            }
            tokio::select! {
                _ = self.child.recv() => continue,
                _ = self.interrupt.recv() => {}
                _ = self.terminate.recv() => {}
            }
            stopping = true;
            if let Err(error) = host::ask_to_stop(child.id()) {
                tracing::warn!(%error, "the server could not be asked to stop");
            }
        }
    }

    /// Whether we are told to stop within this time.
    async fn come_within(&mut self, time: Duration) -> bool {
        let told = async {
            tokio::select! { _ = self.interrupt.recv() => {}, _ = self.terminate.recv() => {} }
        };
        tokio::time::timeout(time, told).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn ker_47_pauses_grow_and_stay_bounded() {
        let ms: Vec<_> = (0..12).map(|failures| pause(failures).as_millis()).collect();
        assert_eq!(ms, [100, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
        assert_eq!(pause(u32::MAX).as_millis(), 30_000);
    }

    #[test]
    fn ker_47_only_a_stop_or_a_wrong_configuration_ends_the_supervisor() {
        let exited = |code: i32| ExitStatus::from_raw(code << 8);
        assert_eq!(ends(exited(0), false), Some(ExitCode::SUCCESS));
        assert_eq!(ends(exited(2), false), Some(ExitCode::from(2)));
        for status in [exited(1), exited(101), ExitStatus::from_raw(6), ExitStatus::from_raw(9)] {
            assert_eq!(ends(status, false), None, "{status}");
            assert_eq!(ends(status, true), Some(ExitCode::FAILURE), "{status}");
        }
    }
}
