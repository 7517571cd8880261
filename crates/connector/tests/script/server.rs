//! A server that answers what it is told to, in order, and remembers what it was asked.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::http::{Request, answer, begin_answer};

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
    /// 200 with this body, a part of it every now and then.
    Slowly(String),
    /// 200 with half of this body; then the connection breaks.
    Half(String),
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

/// A slow line: so many parts, with so long a pause before each.
const PARTS: usize = 16;
const PART_PAUSE: Duration = Duration::from_millis(300);

fn serve(mut stream: TcpStream, seen: &Mutex<Vec<Asked>>, says: &mut impl Iterator<Item = Say>) -> std::io::Result<()> {
    let request = Request::read(&stream)?;
    let step = request.steps().pop().unwrap_or_default();
    if step == "unresolved" {
        return answer(&mut stream, 200, r#"{"items":[],"next":null}"#);
    }
    seen.lock().unwrap().push(Asked { step, key: request.key(), body: request.body });
    match says.next().unwrap_or(Say::Nothing) {
        Say::Yes(body) => answer(&mut stream, 200, &body),
        Say::No(status) => answer(&mut stream, status, r#"{"code":"AEXCHANGE","major":1,"phase":1,"message":"no"}"#),
        Say::Slowly(body) => answer_slowly(&mut stream, body.as_bytes()),
        Say::Half(body) => {
            begin_answer(&mut stream, 200, body.len())?;
            stream.write_all(&body.as_bytes()[..body.len() / 2])
        }
        Say::Nothing => Ok(()),
    }
}

fn answer_slowly(stream: &mut TcpStream, body: &[u8]) -> std::io::Result<()> {
    begin_answer(stream, 200, body.len())?;
    for part in body.chunks(body.len().div_ceil(PARTS)) {
        thread::sleep(PART_PAUSE); // tidy: sleep — a slow line is what the test is about
        stream.write_all(part)?;
    }
    Ok(())
}
