//! An answer whose body is read as it comes, line by line: server-sent events, metrics.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::server::KEY;

/// The body of an answer.
pub(super) struct Stream {
    connection: BufReader<TcpStream>,
    is_chunked: bool,
    /// Bytes of the chunk that were not read yet.
    left: usize,
}

impl Stream {
    /// Asks for `path` and reads the head of the answer. A silence longer than `patience` is an error.
    pub(super) fn open(
        address: SocketAddr,
        path: &str,
        accept: &str,
        patience: Duration,
    ) -> io::Result<BufReader<Self>> {
        let stream = TcpStream::connect_timeout(&address, patience)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_nodelay(true)?;
        let mut connection = BufReader::new(stream);
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: t\r\nauthorization: Bearer {KEY}\r\naccept: {accept}\r\nconnection: close\r\n\r\n"
        );
        connection.get_mut().write_all(head.as_bytes())?;
        let status = line(&mut connection)?;
        if status.split(' ').nth(1) != Some("200") {
            return Err(io::Error::other(status));
        }
        let mut is_chunked = false;
        loop {
            let header = line(&mut connection)?.to_ascii_lowercase();
            if header.is_empty() {
                return Ok(BufReader::new(Self { connection, is_chunked, left: 0 }));
            }
            is_chunked |= header == "transfer-encoding: chunked";
        }
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !self.is_chunked {
            return self.connection.read(into);
        }
        if self.left == 0 {
            let size = line(&mut self.connection)?;
            self.left = usize::from_str_radix(&size, 16).map_err(|_| io::Error::other(size))?;
            if self.left == 0 {
                return Ok(0);
            }
        }
        let most = into.len().min(self.left);
        let count = self.connection.read(&mut into[..most])?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= count;
        if self.left == 0 {
            line(&mut self.connection)?;
        }
        Ok(count)
    }
}

/// A whole line without its end; what was cut short is no line.
pub(super) fn line(from: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    from.read_line(&mut line)?;
    match line.ends_with('\n') {
        true => Ok(line.trim_end().to_owned()),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
