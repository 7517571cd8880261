//! Stands between a connector and the server, knows requests from answers, and does one thing wrong once.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::thread;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The request does not arrive.
    CutBefore,
    /// It is answered, and the answer does not arrive.
    CutAfter,
    /// The connector is killed before its request arrives.
    KillBefore,
    /// It is killed before it hears the answer.
    KillAfter,
}

pub const FAULTS: [Fault; 4] = [Fault::CutBefore, Fault::CutAfter, Fault::KillBefore, Fault::KillAfter];

/// The connector, for whoever kills it.
pub type Victim = Arc<Mutex<Option<Child>>>;

/// What goes wrong, and with which request; once.
#[derive(Clone)]
pub struct Plan {
    /// How the path of the request ends.
    pub step: &'static str,
    pub fault: Fault,
    pub victim: Victim,
    pub done: Arc<Mutex<bool>>,
}

/// Begins; it ends with the test.
pub fn start(server: SocketAddr, plan: Plan) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let plan = plan.clone();
            thread::spawn(move || drop(serve(stream, server, &plan)));
        }
    });
    address
}

/// One request for each connection: both sides are told that it is the last one.
fn serve(mut near: TcpStream, server: SocketAddr, plan: &Plan) -> std::io::Result<()> {
    let (head, body) = request(&mut BufReader::new(near.try_clone()?))?;
    let fault = plan.meets(&head);
    match fault {
        Some(Fault::CutBefore) => return Ok(()),
        Some(Fault::KillBefore) => return plan.kill(),
        Some(Fault::CutAfter | Fault::KillAfter) | None => {}
    }
    let mut far = TcpStream::connect(server)?;
    far.write_all(head.replacen("\r\n", "\r\nconnection: close\r\n", 1).as_bytes())?;
    far.write_all(&body)?;
    let mut answer = vec![];
    far.read_to_end(&mut answer)?;
    match fault {
        Some(Fault::CutAfter) => Ok(()),
        Some(Fault::KillAfter) => plan.kill(),
        Some(Fault::CutBefore | Fault::KillBefore) | None => near.write_all(&answer),
    }
}

impl Plan {
    fn meets(&self, head: &str) -> Option<Fault> {
        let path = head.split(' ').nth(1).unwrap_or_default();
        let mut done = self.done.lock().unwrap();
        let now = head.starts_with("POST ") && path.ends_with(self.step) && !*done;
        *done |= now;
        now.then_some(self.fault)
    }

    fn kill(&self) -> std::io::Result<()> {
        if let Some(child) = self.victim.lock().unwrap().as_mut() {
            child.kill()?;
            child.wait()?;
        }
        Ok(())
    }
}

fn request(from: &mut BufReader<TcpStream>) -> std::io::Result<(String, Vec<u8>)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if from.read_line(&mut head)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    let length =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    from.read_exact(&mut body)?;
    Ok((head, body))
}
