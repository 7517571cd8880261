//! Stands between a client and its server and counts what passes: bytes, and how often the talk turns from asking to answering.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::Result;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;

/// What passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passed {
    pub up_bytes: u64,
    pub down_bytes: u64,
    pub round_trips: u64,
}

#[derive(Default)]
struct Counts {
    up: AtomicU64,
    down: AtomicU64,
    turns: AtomicU64,
}

/// The proxy.
pub struct Proxy {
    pub address: SocketAddr,
    counts: Arc<Counts>,
}

impl Proxy {
    /// A proxy to `server`; it lives as long as the runtime.
    pub async fn start(server: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, counts) = (listener.local_addr()?, Arc::new(Counts::default()));
        let counted = counts.clone();
        Handle::current().spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, server, counted.clone()));
            }
        });
        Ok(Self { address, counts })
    }

    /// What passed since it was last asked.
    pub fn passed(&self) -> Passed {
        let take = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
        let Counts { up, down, turns } = self.counts.as_ref();
        Passed { up_bytes: take(up), down_bytes: take(down), round_trips: take(turns) }
    }
}

async fn pass(client: TcpStream, server: SocketAddr, counts: Arc<Counts>) -> Result<()> {
    let server = TcpStream::connect(server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let asked = AtomicBool::new(false);
    let up = copy(from_client, to_server, |bytes| {
        counts.up.fetch_add(bytes, Ordering::Relaxed);
        asked.store(true, Ordering::Relaxed);
    });
    let down = copy(from_server, to_client, |bytes| {
        counts.down.fetch_add(bytes, Ordering::Relaxed);
        counts.turns.fetch_add(u64::from(asked.swap(false, Ordering::Relaxed)), Ordering::Relaxed);
    });
    let _ = tokio::join!(up, down);
    Ok(())
}

async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    count: impl Fn(u64),
) -> std::io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = from.read(&mut buffer).await?;
        if read == 0 {
            return to.shutdown().await;
        }
        count(read as u64);
        to.write_all(&buffer[..read]).await?;
    }
}
