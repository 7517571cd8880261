//! A server that is killed and started again under the same data, while others talk to whichever there is.

use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, ensure};

use crate::check::violation;
use crate::server::{Launch, Server};

/// Where somebody who calls the server finds it.
pub(crate) trait Front: Sync {
    fn address(&self) -> Result<SocketAddr>;

    /// The server dies and is there again.
    fn restart(&self) -> Result<()>;
}

/// The server that there is now.
pub(crate) struct Machine {
    launch: Launch,
    server: Mutex<Option<Server>>,
    kills: Mutex<u32>,
}

impl Machine {
    pub(crate) fn start(launch: Launch) -> Result<Self> {
        let server = launch.start()?;
        Ok(Self { launch, server: Mutex::new(Some(server)), kills: Mutex::new(0) })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Server>> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it in order; how often it was killed, and its data.
    pub(crate) fn end(&self) -> Result<u32> {
        let server = self.lock().take().context("a server")?;
        let (status, _) = server.end("TERM")?;
        ensure!(status.success(), violation(format!("stopped with {status}")));
        Ok(*self.kills.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn data(&self) -> &std::path::Path {
        self.launch.data()
    }
}

impl Front for Machine {
    fn address(&self) -> Result<SocketAddr> {
        Ok(self.lock().as_ref().context("a server")?.address)
    }

    fn restart(&self) -> Result<()> {
        let mut held = self.lock();
        held.take().context("a server")?.kill()?;
        *held = Some(self.launch.start().map_err(|error| violation(format!("{error:#}")))?);
        *self.kills.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Ok(())
    }
}
