//! Tiny servers on loopback that do as they are told, well or badly.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

use crate::calls::LONG;

/// A server for one connection at a time.
pub struct Server {
    pub addr: SocketAddr,
    requests: Receiver<String>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// `answer` is given every connection whose request has been read.
    pub fn new(answer: impl Fn(TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let (tell, requests) = channel();
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                stream.set_read_timeout(Some(LONG)).unwrap();
                let request = read_request(&mut stream);
                if request.starts_with("end") {
                    return;
                }
                tell.send(request).unwrap();
                answer(stream);
            }
        });
        Self { addr, requests, thread: Some(thread) }
    }

    /// Sends this and closes.
    pub fn says(text: &'static str) -> Self {
        Self::new(move |mut stream| stream.write_all(text.as_bytes()).unwrap())
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook?token=1", self.addr)
    }

    /// The request as it came.
    pub fn request(&self) -> String {
        self.requests.recv_timeout(LONG).unwrap()
    }

    /// Whether nobody asked (again).
    pub fn is_untouched(&self) -> bool {
        self.requests.try_recv().is_err()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = TcpStream::connect(self.addr).map(|mut stream| stream.write_all(b"end\r\n\r\n"));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Head and, by its length, body; as much of it as comes.
fn read_request(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    let mut bytes = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return text;
            }
        }
        match stream.read(&mut bytes) {
            Ok(count) if count > 0 => request.extend_from_slice(&bytes[..count]),
            _ => return text,
        }
    }
}

/// Waits until the other side has closed, so that its closing is what is seen.
pub fn wait_for_close(stream: &mut TcpStream) {
    let mut bytes = [0; 4096];
    while stream.read(&mut bytes).is_ok_and(|count| count > 0) {}
}
