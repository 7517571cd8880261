//! Stands between us and a server and swallows answers when it is told to: what was asked is done, and nobody hears of it.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// One connection at a time.
pub struct Proxy {
    pub addr: SocketAddr,
    swallow: Arc<AtomicU32>,
}

impl Proxy {
    /// In front of `server`, as `host:port`.
    #[expect(clippy::disallowed_methods, reason = "a proxy of a test, which ends with it")]
    pub fn before(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (addr, swallow) = (listener.local_addr().unwrap(), Arc::new(AtomicU32::new(0)));
        let (server, left) = (server.to_owned(), swallow.clone());
        std::thread::spawn(move || listener.incoming().flatten().for_each(|client| pass(client, &server, &left)));
        Self { addr, swallow }
    }

    /// The answers to the next inserts are lost.
    pub fn swallow(&self, answers: u32) {
        self.swallow.store(answers, Ordering::SeqCst);
    }

    /// How many are still to be lost.
    pub fn left(&self) -> u32 {
        self.swallow.load(Ordering::SeqCst)
    }
}

/// The request goes on whole; the answer comes back, unless it is that of an insert and is to be lost.
fn pass(mut client: TcpStream, server: &str, left: &AtomicU32) {
    let request = read_request(&mut client);
    let Ok(mut server) = TcpStream::connect(server) else { return };
    server.write_all(&request).unwrap();
    let mut answer = Vec::new();
    // We ask for the connection to be closed after each answer.
    server.read_to_end(&mut answer).unwrap();
    let inserts = request.windows(6).any(|window| window == b"INSERT");
    let lost = inserts && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
    if !lost {
        let _ = client.write_all(&answer);
    }
    let _ = client.shutdown(Shutdown::Both);
}

fn read_request(client: &mut TcpStream) -> Vec<u8> {
    let (mut request, mut piece) = (Vec::new(), [0; 65_536]);
    loop {
        let read = client.read(&mut piece).unwrap();
        request.extend_from_slice(&piece[..read]);
        if read == 0 || is_whole(&request) {
            return request;
        }
    }
}

fn is_whole(request: &[u8]) -> bool {
    let Some(head) = request.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let text = String::from_utf8_lossy(&request[..head]).to_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    request.len() >= head + 4 + length.unwrap_or(0_usize)
}
