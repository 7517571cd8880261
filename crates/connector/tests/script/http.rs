//! As much of HTTP as a test's server needs: one request on each connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A request as it came.
pub struct Request {
    pub head: String,
    pub body: String,
}

impl Request {
    pub fn read(stream: &TcpStream) -> std::io::Result<Self> {
        let mut from = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if from.read_line(&mut head)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        from.read_exact(&mut body)?;
        Ok(Self { head, body: String::from_utf8_lossy(&body).into_owned() })
    }

    /// Its parts, without the query.
    pub fn steps(&self) -> Vec<String> {
        let path = self.head.split(' ').nth(1).unwrap_or_default().split('?').next().unwrap_or_default();
        path.split('/').map(str::to_owned).collect()
    }

    pub fn key(&self) -> String {
        let key = self.head.lines().find_map(|line| line.strip_prefix("idempotency-key: "));
        key.unwrap_or_default().to_owned()
    }
}

pub fn answer(stream: &mut TcpStream, status: u16, body: &str) -> std::io::Result<()> {
    begin_answer(stream, status, body.len())?;
    stream.write_all(body.as_bytes())
}

/// The head of an answer of so many bytes.
pub fn begin_answer(stream: &mut TcpStream, status: u16, length: usize) -> std::io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )
}
