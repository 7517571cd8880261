//! Receivers of notifications on loopback: some answer at once, some never.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;

/// Receivers, each with an address of its own, on one thread.
pub struct Receivers {
    pub addresses: Vec<SocketAddr>,
    told: Arc<AtomicUsize>,
}

impl Receivers {
    /// So many that answer, or so many that do not.
    pub fn start(many: usize, answer: bool) -> Result<Self> {
        let told = Arc::new(AtomicUsize::new(0));
        let (say, said) = std::sync::mpsc::channel();
        let counted = told.clone();
        thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let mut addresses = vec![];
                for _ in 0..many {
                    let listener = TcpListener::bind("127.0.0.1:0").await?;
                    addresses.push(listener.local_addr()?);
                    tokio::spawn(accept(listener, answer, counted.clone()));
                }
                say.send(addresses)?;
                std::future::pending::<()>().await;
                anyhow::Ok(())
            })
        });
        let addresses = said.recv_timeout(Duration::from_secs(10)).context("receivers")?;
        Ok(Self { addresses, told })
    }

    /// Requests that came.
    pub fn told(&self) -> usize {
        self.told.load(Ordering::Relaxed)
    }

    /// Waits until so many came.
    pub fn wait(&self, many: usize, patience: Duration) -> Result<()> {
        let begun = Instant::now();
        while self.told() < many {
            ensure!(begun.elapsed() < patience, "only {} of {many} came", self.told());
            thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }
}

async fn accept(listener: TcpListener, answer: bool, told: Arc<AtomicUsize>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(receive(stream, answer, told.clone()));
    }
}

/// Counts each request when all of it is there.
async fn receive(mut stream: TcpStream, answer: bool, told: Arc<AtomicUsize>) {
    let mut buffer = Vec::with_capacity(4 << 10);
    while let Ok(1..) = stream.read_buf(&mut buffer).await {
        while let Some(length) = whole(&buffer) {
            buffer.drain(..length);
            told.fetch_add(1, Ordering::Relaxed);
            if answer && stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.is_err() {
                return;
            }
        }
    }
}

/// The length of a request that is there as a whole.
fn whole(buffer: &[u8]) -> Option<usize> {
    let head = buffer.windows(4).position(|window| window == b"\r\n\r\n")?;
    let text = std::str::from_utf8(&buffer[..head]).ok()?;
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(Ok(0), str::parse::<usize>);
    let whole = head + 4 + length.ok()?;
    (buffer.len() >= whole).then_some(whole)
}
