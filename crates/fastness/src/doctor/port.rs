//! Whether a server runs here, and who has its port.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use host::{DirLock, DirLockError};

use super::Line;
use crate::config::Config;
use crate::obstacle;

const PATIENCE: Duration = Duration::from_secs(2);

/// Whether a server has the data directory.
pub(super) enum Server {
    Stopped,
    Running(Option<u32>),
    /// We may not look.
    Hidden,
}

pub(super) fn server(config: &Config) -> Server {
    // A directory that is not there must not be made by looking.
    match fs::metadata(config.data.dir.join("lock")) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Server::Hidden,
        Err(_) => return Server::Stopped,
        Ok(_) => {}
    }
    match DirLock::acquire(&config.data.dir) {
        Err(DirLockError::Held { holder, .. }) => Server::Running(holder),
        Err(DirLockError::Unusable { source, .. }) if source.kind() == ErrorKind::PermissionDenied => Server::Hidden,
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
        Server::Hidden => lines.extend(hidden(config)),
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
    let told = obstacle::port(address, error);
    Line::bad(told.what, "the server cannot listen there", told.mend)
}

/// What can be said without the lock: whether anybody answers at the address.
fn hidden(config: &Config) -> Vec<Line> {
    let (what, why) = ("it cannot be seen whether a server is running on this data directory", "its lock lies there");
    let told = obstacle::forbidden(&config.data.dir);
    let mut lines = vec![Line::warn(format!("{what}: {}", told.what), why, told.mend)];
    let address = config.server.listen;
    let Err(error) = TcpListener::bind(address) else { return lines };
    lines.push(match ask(address) {
        Ok(answer) if answer.starts_with("HTTP/1.1 200") => Line::ok(format!(
            "a server answers on {address} that it is ready; whether it is the one of this data directory cannot be seen"
        )),
        _ => taken(address, &error),
    });
    lines
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
