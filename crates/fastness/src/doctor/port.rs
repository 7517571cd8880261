//! Whether a server runs here, and who has its port.
#![expect(clippy::disallowed_methods, reason = "the system's own records of processes and sockets are files")]

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use host::{DirLock, DirLockError};

use super::Line;
use crate::config::Config;

const PATIENCE: Duration = Duration::from_secs(2);

/// Whether a server has the data directory.
pub(super) enum Server {
    Stopped,
    Running(Option<u32>),
}

pub(super) fn server(config: &Config) -> Server {
    // A directory that is not there must not be made by looking.
    if !config.data.dir.join("lock").exists() {
        return Server::Stopped;
    }
    match DirLock::acquire(&config.data.dir) {
        Err(DirLockError::Held { holder, .. }) => Server::Running(holder),
        Ok(_) | Err(DirLockError::Unusable { .. }) => Server::Stopped,
    }
}

pub(super) fn lines(config: &Config, server: &Server) -> Vec<Line> {
    let mut lines = vec![];
    let address = config.server.listen;
    match server {
        Server::Stopped => lines.push(Line::ok("no server is running on this data directory")),
        Server::Running(pid) => {
            let pid = pid.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string());
            lines.push(Line::ok(format!("a server is running on this data directory (pid {pid})")));
            lines.push(ready(address, config.server.tls_certificate.is_some()));
        }
    }
    let is_plain = config.server.tls_certificate.is_none();
    if is_plain && !address.ip().is_loopback() {
        let why = "keys and passwords cross the wire as they are";
        lines.push(Line::warn(format!("plain HTTP is served on {address}"), why, "put a proxy that does TLS in front"));
    }
    if let (Server::Stopped, Err(error)) = (server, TcpListener::bind(address)) {
        lines.push(taken(address, &error));
    }
    lines
}

fn taken(address: SocketAddr, error: &std::io::Error) -> Line {
    let why = "the server cannot listen there";
    if error.kind() != ErrorKind::AddrInUse {
        return Line::bad(
            format!("{address} cannot be listened on: {error}"),
            why,
            "choose another address (--listen)",
        );
    }
    let who = holder(address.port()).unwrap_or_else(|| "a process that we may not see".to_owned());
    Line::bad(format!("{address} is taken by {who}"), why, "stop that, or choose another port (--listen)")
}

/// What the running server says about itself.
fn ready(address: SocketAddr, by_tls: bool) -> Line {
    let why = "callers are refused meanwhile";
    // By TLS it answers to the names in its certificate, which are not ours to guess.
    if by_tls && TcpStream::connect_timeout(&address, PATIENCE).is_ok() {
        return Line::ok(format!("it listens on {address}, by TLS"));
    }
    match ask(address) {
        Ok(answer) if answer.starts_with("HTTP/1.1 200") => Line::ok(format!("it is ready on {address}")),
        Ok(answer) => {
            let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
            Line::bad(
                format!("it is not ready: {body}"),
                why,
                "its log says why; it goes on by itself when the cause is gone",
            )
        }
        Err(error) => {
            let mend = "use the same configuration as the server; if it is the same, read its log";
            Line::warn(format!("it does not answer on {address}: {error}"), why, mend)
        }
    }
}

fn ask(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(64 * 1024).read_to_string(&mut answer)?;
    Ok(answer)
}

/// The process that listens on a port: its socket's number, then whose socket that is.
fn holder(port: u16) -> Option<String> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| fs::read_to_string(path).unwrap_or_default());
    let inode = tables.iter().flat_map(|table| table.lines()).find_map(|line| listening(line, port))?;
    let wanted = format!("socket:[{inode}]");
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let pid = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()).find(|pid| {
        let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        open.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|link| link.as_os_str() == wanted.as_str())
    })?;
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    Some(format!("{} (pid {pid})", name.trim()))
}

/// The number of a socket that listens on this port, from a line of the system's table.
fn listening(line: &str, port: u16) -> Option<&str> {
    const LISTENS: &str = "0A";
    let mut words = line.split_whitespace().skip(1);
    let (local, state) = (words.next()?, words.nth(1)?);
    let (_, hex) = local.rsplit_once(':')?;
    let is_it = state == LISTENS && u16::from_str_radix(hex, 16) == Ok(port);
    is_it.then(|| words.nth(5)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_37_a_taken_port_is_told_with_its_holder() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let holder = holder(taken.local_addr().unwrap().port()).expect("we ourselves");
        assert!(holder.contains(&format!("pid {}", std::process::id())), "{holder}");
        assert_eq!(super::holder(1), None);
    }
}
