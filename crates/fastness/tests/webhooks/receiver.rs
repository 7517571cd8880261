//! A receiver on loopback: tells the test what it got, and answers as the test wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver as Channel, Sender, channel};
use std::thread;
use std::time::Duration;

/// Nothing here takes as long.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A request as it came.
#[derive(Debug)]
pub struct Got {
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Got {
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(is, _)| is == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }
}

/// What it does with the connection of a request.
pub type Answer = fn(&mut TcpStream) -> std::io::Result<()>;

/// A receiver.
pub struct Receiver {
    pub address: SocketAddr,
    pub got: Channel<Got>,
}

impl Receiver {
    /// One that does this with every request.
    pub fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (tell, got) = channel();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let tell = tell.clone();
                thread::spawn(move || serve(stream, answer, &tell));
            }
        });
        Self { address, got }
    }

    /// One that answers 204.
    pub fn good() -> Self {
        Self::start(|stream| stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n"))
    }

    /// One that takes requests and never answers, until the other side goes.
    pub fn hanging() -> Self {
        Self::start(|stream| stream.read(&mut [0]).map(drop))
    }

    pub fn url(&self) -> String {
        format!("http://{}/doors", self.address)
    }

    /// The next request.
    pub fn next(&self) -> Got {
        self.got.recv_timeout(PATIENCE).expect("a request")
    }
}

fn serve(mut stream: TcpStream, answer: Answer, tell: &Sender<Got>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(got) = read(&mut reader) {
        let _ = tell.send(got);
        if answer(&mut stream).is_err() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Got> {
    let mut headers = vec![];
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").map_or("0", |(_, value)| value);
    let mut body = vec![0; length.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    Some(Got { headers, body })
}
