//! Somebody who is told by webhook: a small HTTP server on loopback that can go down and come back at the same address.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::failure::Failure;

/// Largest body that is read.
const BODY_MAX: usize = 1 << 20;

/// One thing that it was told.
#[derive(Debug, Clone)]
pub(super) struct Told {
    /// The same for every try of one event.
    pub(super) id: String,
    pub(super) body: Value,
}

/// The receiver.
pub(super) struct Receiver {
    address: SocketAddr,
    told: Arc<Mutex<Vec<Told>>>,
    /// Nothing while it is down.
    listens: Option<JoinHandle<()>>,
}

impl Receiver {
    /// At any free port.
    pub(super) async fn start() -> Result<Self, Failure> {
        let mut receiver = Self { address: SocketAddr::from(([127, 0, 0, 1], 0)), told: Arc::default(), listens: None };
        receiver.come_up().await?;
        Ok(receiver)
    }

    /// Where it is.
    pub(super) fn url(&self) -> String {
        format!("http://{}/doors", self.address)
    }

    /// Nobody answers there any more.
    pub(super) async fn go_down(&mut self) {
        if let Some(listens) = self.listens.take() {
            listens.abort();
            // Its socket is closed when it has ended.
            let _ = listens.await;
        }
    }

    /// Answers again, at the same address.
    pub(super) async fn come_up(&mut self) -> Result<(), Failure> {
        let failed = |error: std::io::Error| Failure::here(format!("the receiver cannot listen: {error}"));
        let listener = TcpListener::bind(self.address).await.map_err(failed)?;
        self.address = listener.local_addr().map_err(failed)?;
        let told = self.told.clone();
        self.listens = Some(tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, told.clone()));
            }
        }));
        Ok(())
    }

    /// All that it was told, in this order.
    pub(super) fn told(&self) -> Vec<Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// One connection, one event: written down before it is answered.
async fn serve(stream: TcpStream, told: Arc<Mutex<Vec<Told>>>) {
    let mut stream = BufReader::new(stream);
    let Some(event) = read(&mut stream).await else { return };
    told.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    // Whoever did not hear it tells again.
    let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n").await;
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Told> {
    let (mut id, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let Some((name, value)) = line.trim_end().split_once(':') else {
            // The first line has none either.
            if line.trim_end().is_empty() { break } else { continue }
        };
        match name.to_ascii_lowercase().as_str() {
            "webhook-id" => value.trim().clone_into(&mut id),
            "content-length" => length = value.trim().parse().ok().filter(|length| *length <= BODY_MAX)?,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Told { id, body: serde_json::from_slice(&body).ok()? })
}
