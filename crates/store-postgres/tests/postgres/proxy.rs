//! A way to the server that can be cut at a chosen moment.

#![expect(clippy::disallowed_methods, reason = "a proxy needs threads that outlive the call")]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What the proxy does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// Cuts the connection when a COMMIT comes by, before the server gets it.
    CutBeforeCommit,
    /// Lets the server commit, and cuts the connection before the answer.
    CutAfterCommit,
    /// Cuts the connection when this text comes by.
    Cut(&'static str),
    /// Swallows everything from this text on, and says nothing.
    Swallow(&'static str),
    /// Cuts all connections and every new one.
    Refuse,
}

/// A proxy in front of the server under test.
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    fault: Mutex<Fault>,
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    /// In front of `url`, which must name its `host` and `port`.
    pub fn new(url: &str) -> Self {
        let target = format!("{}:{}", part(url, "host"), part(url, "port"));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared { fault: Mutex::new(Fault::None), open: Mutex::new(Vec::new()) });
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || listener.incoming().flatten().for_each(|client| serving.serve(client, &target)));
        Self { port, shared }
    }

    /// The connection string that goes through it.
    pub fn url(&self, url: &str) -> String {
        let others = url.split_whitespace().filter(|word| !word.starts_with("host=") && !word.starts_with("port="));
        format!("host=127.0.0.1 port={} {}", self.port, others.collect::<Vec<_>>().join(" "))
    }

    /// Changes what it does.
    pub fn set(&self, fault: Fault) {
        *self.shared.fault.lock().expect("a lock") = fault;
        if fault == Fault::Refuse {
            let open = std::mem::take(&mut *self.shared.open.lock().expect("a lock"));
            open.iter().for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
        }
    }
}

fn part(url: &str, name: &str) -> String {
    let value = url.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    value.unwrap_or_else(|| panic!("FASTNESS_TEST_POSTGRES must name its {name}")).to_owned()
}

impl Shared {
    fn fault(&self) -> Fault {
        *self.fault.lock().expect("a lock")
    }

    fn serve(self: &Arc<Self>, client: TcpStream, target: &str) {
        if self.fault() == Fault::Refuse {
            return;
        }
        let Ok(server) = TcpStream::connect(target) else { return };
        let copies = [&client, &server].map(|stream| stream.try_clone().expect("a copy"));
        self.open.lock().expect("a lock").extend(copies);
        let (answers, questions) = (server.try_clone().expect("a copy"), client.try_clone().expect("a copy"));
        let there = Arc::clone(self);
        std::thread::spawn(move || there.pump(client, server, Self::ask));
        let back = Arc::clone(self);
        std::thread::spawn(move || back.pump(answers, questions, Self::answer));
    }

    /// Copies bytes until one end is closed or `pass` says so.
    fn pump(&self, mut from: TcpStream, mut to: TcpStream, pass: fn(&Self, &[u8]) -> Pass) {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            match pass(self, &buffer[..length]) {
                Pass::On if to.write_all(&buffer[..length]).is_ok() => {}
                Pass::Swallow => {}
                Pass::On | Pass::Cut => break,
            }
        }
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    }

    /// What becomes of bytes on their way to the server.
    fn ask(&self, bytes: &[u8]) -> Pass {
        match self.fault() {
            Fault::CutBeforeCommit if holds(bytes, "COMMIT") => Pass::Cut,
            Fault::Cut(text) if holds(bytes, text) => Pass::Cut,
            Fault::Swallow(text) if holds(bytes, text) => Pass::Swallow,
            Fault::Refuse => Pass::Cut,
            _ => Pass::On,
        }
    }

    /// What becomes of bytes on their way back.
    fn answer(&self, bytes: &[u8]) -> Pass {
        match self.fault() {
            Fault::CutAfterCommit if holds(bytes, "COMMIT") => Pass::Cut,
            Fault::Refuse => Pass::Cut,
            _ => Pass::On,
        }
    }
}

enum Pass {
    On,
    Swallow,
    Cut,
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}
