//! A server that answers what it is told to, in order, and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The last part of the path.
    pub step: String,
    pub key: String,
    pub body: String,
}

/// What a request is answered with.
#[derive(Debug, Clone)]
pub enum Say {
    /// 200 with this body.
    Yes(String),
    /// This status, with an error of the API.
    No(u16),
    /// The connection breaks.
    Nothing,
}

pub struct Script {
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Script {
    /// Lists of unresolved processes are empty; all else is answered by the script, and when it is over by silence.
    pub fn start(says: Vec<Say>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(vec![]));
        let seen = Arc::clone(&asked);
        thread::spawn(move || {
            let mut says = says.into_iter();
            for stream in listener.incoming().flatten() {
                // A connection that breaks is no matter of the script.
                let _ = serve(stream, &seen, &mut says);
            }
        });
        Self { url, asked }
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub fn steps(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.step).collect()
    }
}

fn serve(mut stream: TcpStream, seen: &Mutex<Vec<Asked>>, says: &mut impl Iterator<Item = Say>) -> std::io::Result<()> {
    let (head, body) = request(&stream)?;
    let path = head.split(' ').nth(1).unwrap_or_default().split('?').next().unwrap_or_default().to_owned();
    let step = path.rsplit('/').next().unwrap_or_default().to_owned();
    if step == "unresolved" {
        return answer(&mut stream, 200, r#"{"items":[],"next":null}"#);
    }
    let key = head.lines().find_map(|line| line.strip_prefix("idempotency-key: ")).unwrap_or_default().to_owned();
    seen.lock().unwrap().push(Asked { step, key, body });
    match says.next().unwrap_or(Say::Nothing) {
        Say::Yes(body) => answer(&mut stream, 200, &body),
        Say::No(status) => answer(&mut stream, status, r#"{"code":"AEXCHANGE","major":1,"phase":1,"message":"no"}"#),
        Say::Nothing => Ok(()),
    }
}

fn request(stream: &TcpStream) -> std::io::Result<(String, String)> {
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
    Ok((head, String::from_utf8_lossy(&body).into_owned()))
}

fn answer(stream: &mut TcpStream, status: u16, body: &str) -> std::io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}
