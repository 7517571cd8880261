//! A small HTTP client over one kept-alive connection, so that a cut is seen as a cut.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Longest wait for an answer: longer than any operation's time limit.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Client {
    address: SocketAddr,
    key: String,
    connection: Option<BufReader<TcpStream>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(held, _)| held.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub(crate) fn is_replayed(&self) -> bool {
        self.header("idempotency-replayed") == Some("true")
    }

    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or("")
    }
}

impl Client {
    pub(crate) fn new(address: SocketAddr, key: &str) -> Self {
        Self { address, key: key.to_owned(), connection: None }
    }

    pub(crate) fn get(&mut self, path: &str) -> io::Result<Answer> {
        self.send(&format!("GET {path} HTTP/1.1\r\nhost: t\r\nauthorization: Bearer {}\r\n\r\n", self.key))
    }

    pub(crate) fn delete(&mut self, path: &str) -> io::Result<Answer> {
        self.send(&format!("DELETE {path} HTTP/1.1\r\nhost: t\r\nauthorization: Bearer {}\r\n\r\n", self.key))
    }

    /// Posts JSON; with an Idempotency-Key unless it is empty.
    pub(crate) fn post(&mut self, path: &str, body: &Value, once: &str) -> io::Result<Answer> {
        let body = body.to_string();
        let once = if once.is_empty() { String::new() } else { format!("idempotency-key: {once}\r\n") };
        let (key, length) = (&self.key, body.len());
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nhost: t\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n{once}\r\n{body}"
        ))
    }

    /// Sends a request as it is; any fault ends the connection.
    fn send(&mut self, request: &str) -> io::Result<Answer> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect(self.address)?,
        };
        connection.get_mut().write_all(request.as_bytes())?;
        let answer = read(&mut connection)?;
        if answer.header("connection") != Some("close") {
            self.connection = Some(connection);
        }
        Ok(answer)
    }
}

fn connect(address: SocketAddr) -> io::Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(BufReader::new(stream))
}

fn read(connection: &mut BufReader<TcpStream>) -> io::Result<Answer> {
    let cut = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let status = line(connection)?.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(cut)?;
    let mut headers = vec![];
    loop {
        let line = line(connection)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(cut)?;
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut answer = Answer { status, headers, body: Value::Null };
    let length = answer.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    answer.body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(answer)
}

fn line(connection: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    if connection.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end().to_owned())
}
