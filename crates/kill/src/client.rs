//! A small HTTP client over one kept-alive connection, so that a cut is seen as a cut.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Longest wait for an answer unless told otherwise: longer than any operation's time limit.
const PATIENCE: Duration = Duration::from_secs(30);

/// One client with its key or its session.
pub struct Client {
    address: SocketAddr,
    /// Header lines that say who it is.
    credentials: String,
    patience: Duration,
    connection: Option<BufReader<TcpStream>>,
}

/// What the server said.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The body, if it is JSON.
    pub body: Value,
}

impl Answer {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(held, _)| held.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Whether it is the stored answer of an earlier request.
    #[must_use]
    pub fn is_replayed(&self) -> bool {
        self.header("idempotency-replayed") == Some("true")
    }

    /// The error's code, or nothing.
    #[must_use]
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or("")
    }

    /// Whether the same may be asked again: nothing was refused for good.
    #[must_use]
    pub fn is_for_later(&self) -> bool {
        self.status >= 500 || self.status == 429 || self.code() == "CSERIAL"
    }

    /// Whether the server does not know itself.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.body["outcome"] == "unknown"
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Cut {
    /// There was no connection: nothing was sent.
    Unsent(io::Error),
    /// Some of the request may have arrived.
    Sent(io::Error),
}

impl From<Cut> for io::Error {
    fn from(cut: Cut) -> Self {
        match cut {
            Cut::Unsent(error) | Cut::Sent(error) => error,
        }
    }
}

impl Client {
    /// A client that connects when it is first used.
    #[must_use]
    pub fn new(address: SocketAddr, key: &str) -> Self {
        let credentials = format!("authorization: Bearer {key}\r\n");
        Self { address, credentials, patience: PATIENCE, connection: None }
    }

    /// One that holds what a login gave it, as a browser does.
    #[must_use]
    pub fn with_session(address: SocketAddr, login: &Answer) -> Self {
        let cookie = login.header("set-cookie").and_then(|cookie| cookie.split(';').next()).unwrap_or_default();
        let token = login.body["csrf"].as_str().unwrap_or_default();
        let credentials = format!("cookie: {cookie}\r\nx-csrf-token: {token}\r\n");
        Self { address, credentials, patience: PATIENCE, connection: None }
    }

    /// Its key.
    #[must_use]
    pub fn key(&self) -> &str {
        self.credentials.trim_end().strip_prefix("authorization: Bearer ").unwrap_or_default()
    }

    /// The same, giving up an answer after this time.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Reads.
    ///
    /// # Errors
    /// The connection broke.
    pub fn get(&mut self, path: &str) -> io::Result<Answer> {
        let head = format!("GET {path} HTTP/1.1\r\nhost: t\r\n{}\r\n", self.credentials);
        Ok(self.send(&head)?)
    }

    /// Deletes.
    ///
    /// # Errors
    /// The connection broke.
    pub fn delete(&mut self, path: &str) -> io::Result<Answer> {
        let head = format!("DELETE {path} HTTP/1.1\r\nhost: t\r\n{}\r\n", self.credentials);
        Ok(self.send(&head)?)
    }

    /// Posts JSON; with an Idempotency-Key unless it is empty.
    ///
    /// # Errors
    /// The connection broke.
    pub fn post(&mut self, path: &str, body: &Value, once: &str) -> Result<Answer, Cut> {
        self.ask("POST", path, body, once)
    }

    /// Sends JSON with any method, nothing for null; with an Idempotency-Key unless it is empty.
    ///
    /// # Errors
    /// The connection broke.
    pub fn ask(&mut self, method: &str, path: &str, body: &Value, once: &str) -> Result<Answer, Cut> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let once = if once.is_empty() { String::new() } else { format!("idempotency-key: {once}\r\n") };
        let (credentials, length) = (&self.credentials, body.len());
        self.send(&format!(
            "{method} {path} HTTP/1.1\r\nhost: t\r\n{credentials}content-type: application/json\r\n\
             content-length: {length}\r\n{once}\r\n{body}"
        ))
    }

    /// Puts bytes.
    ///
    /// # Errors
    /// The connection broke.
    pub fn upload(&mut self, path: &str, bytes: &[u8]) -> Result<Answer, Cut> {
        let (credentials, length) = (&self.credentials, bytes.len());
        let head = format!("PUT {path} HTTP/1.1\r\nhost: t\r\n{credentials}content-length: {length}\r\n\r\n");
        let (answer, _) = self.exchange(&head, bytes)?;
        Ok(answer)
    }

    /// Reads bytes, whatever they are.
    ///
    /// # Errors
    /// The connection broke.
    pub fn download(&mut self, path: &str) -> Result<(Answer, Vec<u8>), Cut> {
        let head = format!("GET {path} HTTP/1.1\r\nhost: t\r\n{}\r\n", self.credentials);
        self.exchange(&head, &[])
    }

    /// Sends a request as it is; any fault ends the connection.
    fn send(&mut self, request: &str) -> Result<Answer, Cut> {
        let (answer, _) = self.exchange(request, &[])?;
        Ok(answer)
    }

    fn exchange(&mut self, head: &str, body: &[u8]) -> Result<(Answer, Vec<u8>), Cut> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect().map_err(Cut::Unsent)?,
        };
        connection.get_mut().write_all(head.as_bytes()).map_err(Cut::Sent)?;
        connection.get_mut().write_all(body).map_err(Cut::Sent)?;
        let (answer, bytes) = read(&mut connection).map_err(Cut::Sent)?;
        if answer.header("connection") != Some("close") {
            self.connection = Some(connection);
        }
        Ok((answer, bytes))
    }

    fn connect(&self) -> io::Result<BufReader<TcpStream>> {
        let stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(self.patience))?;
        stream.set_nodelay(true)?;
        Ok(BufReader::new(stream))
    }
}

/// The answer, and its body as it came.
fn read(connection: &mut BufReader<TcpStream>) -> io::Result<(Answer, Vec<u8>)> {
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
    Ok((answer, body))
}

/// A whole line: one that is cut short is no line, or half of an answer would be taken for one.
fn line(connection: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    connection.read_line(&mut line)?;
    if !line.ends_with('\n') {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end().to_owned())
}
