//! A client that sends what it is told, however malformed.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// One connection.
pub struct Client {
    stream: TcpStream,
    unread: Vec<u8>,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Client {
    pub fn connect(to: SocketAddr) -> Self {
        let stream = TcpStream::connect(to).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, unread: vec![] }
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.stream.write_all(bytes.as_ref()).unwrap();
        self
    }

    /// Sends as long as the other side takes it.
    pub fn try_send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// The next answer.
    pub fn answer(&mut self) -> Answer {
        let told = self.head_alone();
        let length = told.header("content-length").map_or(0, |length| length.parse().unwrap());
        let length = if told.status == 304 { 0 } else { length };
        Answer { body: self.read_exactly(length), ..told }
    }

    /// Everything until the connection ends.
    pub fn until_end(&mut self) -> Vec<u8> {
        while self.read_more() {}
        std::mem::take(&mut self.unread)
    }

    /// The head of the next answer.
    pub fn head_alone(&mut self) -> Answer {
        let head = self.read_head();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<_> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        Answer { status, headers, body: vec![] }
    }

    fn read_head(&mut self) -> String {
        loop {
            if let Some(at) = self.unread.windows(4).position(|window| window == b"\r\n\r\n") {
                let rest = self.unread.split_off(at + 4);
                let head = std::mem::replace(&mut self.unread, rest);
                return String::from_utf8(head).unwrap();
            }
            assert!(self.read_more(), "closed without an answer, after {:?}", String::from_utf8_lossy(&self.unread));
        }
    }

    fn read_exactly(&mut self, length: usize) -> Vec<u8> {
        while self.unread.len() < length {
            assert!(self.read_more(), "closed within a body");
        }
        let rest = self.unread.split_off(length);
        std::mem::replace(&mut self.unread, rest)
    }

    /// Whether something came before the end.
    fn read_more(&mut self) -> bool {
        let mut bytes = [0; 16 * 1024];
        let count = self.stream.read(&mut bytes).unwrap_or(0);
        self.unread.extend_from_slice(&bytes[..count]);
        count > 0
    }

    /// Looks for an answer for so long; true if something or the end is there.
    pub fn looks(&mut self, time: Duration) -> bool {
        self.stream.set_read_timeout(Some(time)).unwrap();
        let mut bytes = [0; 16 * 1024];
        let looked = self.stream.read(&mut bytes);
        self.stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        match looked {
            Ok(count) => {
                self.unread.extend_from_slice(&bytes[..count]);
                true
            }
            Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        }
    }

    /// Throws away what was read.
    pub fn forget(&mut self) {
        self.unread.clear();
    }

    /// Waits for the end of the connection; false if more answers came.
    pub fn is_closed(&mut self) -> bool {
        self.unread.is_empty() && !self.read_more()
    }
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text()))
    }

    /// The body is an error of ours; its code.
    pub fn code(&self) -> String {
        let json = self.json();
        let fields = ["code", "detail", "major", "message", "phase"];
        assert!(fields.iter().all(|field| json.get(field).is_some()), "{json}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        json["code"].as_str().unwrap().to_owned()
    }

    pub fn message(&self) -> String {
        self.json()["message"].as_str().unwrap().to_owned()
    }

    pub fn check(&self, status: u16, code: &str) -> &Self {
        assert_eq!((self.status, self.code().as_str()), (status, code), "{}", self.text());
        self
    }
}
