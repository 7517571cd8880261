//! A server that is not ours: the target of a task, or a page of another origin.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result};

/// Longest wait for a call, and for the rest of one.
const PATIENCE: Duration = Duration::from_secs(15);

/// Answers every call with one status and one page; ends when dropped.
pub struct Elsewhere {
    address: SocketAddr,
    status: Arc<AtomicU16>,
    calls: Receiver<String>,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Elsewhere {
    /// Answers with this status, and with this page.
    #[expect(clippy::disallowed_methods, reason = "the thread ends with its owner")]
    pub fn start(status: u16, page: &str) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let (status, ends) = (Arc::new(AtomicU16::new(status)), Arc::new(AtomicBool::new(false)));
        let (tell, calls) = channel();
        let (now, end, page) = (status.clone(), ends.clone(), page.to_owned());
        let serve = move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                // Who breaks off is not answered.
                let Ok((mut stream, call)) = read(stream) else { continue };
                let _ = tell.send(call);
                let _ = stream.write_all(answer(now.load(Ordering::SeqCst), &page).as_bytes());
            }
        };
        Ok(Self { address, status, calls, ends, thread: Some(thread::spawn(serve)) })
    }

    /// The address of a page there.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Answers with this status from now on.
    pub fn says(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// Forgets all calls so far.
    pub fn forget(&self) {
        self.calls.try_iter().for_each(drop);
    }

    /// Waits for the next call and gives its body.
    pub fn called(&self) -> Result<String> {
        self.calls.recv_timeout(PATIENCE).context("nobody called")
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        // Wakes it from waiting for somebody.
        let _ = TcpStream::connect(self.address);
        self.thread.take().map(JoinHandle::join);
    }
}

/// Reads a request; gives its body.
fn read(stream: TcpStream) -> std::io::Result<(TcpStream, String)> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line)? > 2 {
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((reader.into_inner(), String::from_utf8_lossy(&body).into_owned()))
}

fn answer(status: u16, page: &str) -> String {
    let size = page.len();
    let head = format!("HTTP/1.1 {status} as told\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {size}");
    format!("{head}\r\nconnection: close\r\n\r\n{page}")
}
