//! A mail server that follows a script, with or without TLS, for one connection.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::calls::LONG;
use crate::tls::server_config;

/// What the server says when it hears a word, first match; an empty answer closes the connection, `hang` waits.
pub type Script = &'static [(&'static str, &'static str)];

/// What a good server says.
pub const GOOD: Script = &[
    ("EHLO", "250-test\r\n250 8BITMIME"),
    ("MAIL", "250 ok"),
    ("RCPT", "250 ok"),
    ("DATA", "354 go on"),
    (".", "250 taken"),
    ("QUIT", "221 bye"),
];

pub enum Protection {
    None,
    Wrapped,
    StartTls,
}

pub struct MailServer {
    pub addr: SocketAddr,
    pub certificate_pem: String,
    served: JoinHandle<Vec<String>>,
}

trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

impl MailServer {
    /// What `first` does not know, [`GOOD`] does.
    pub fn new(protection: Protection, first: Script) -> Self {
        let (config, certificate_pem) = server_config("localhost");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let served = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            stream.set_read_timeout(Some(LONG)).unwrap();
            serve(stream, &protection, &config, first)
        });
        Self { addr, certificate_pem, served }
    }

    /// All lines that it heard; `TLS` where it began.
    pub fn heard(self) -> Vec<String> {
        self.served.join().unwrap()
    }
}

fn serve(stream: TcpStream, protection: &Protection, config: &Arc<ServerConfig>, first: Script) -> Vec<String> {
    let mut heard = vec![];
    let secure = |stream: TcpStream| StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream);
    match protection {
        Protection::None => drop(converse(Box::new(stream), first, &mut heard, true)),
        Protection::Wrapped => drop(converse(Box::new(secure(stream)), first, &mut heard, true)),
        Protection::StartTls => {
            let again = stream.try_clone().unwrap();
            if converse(Box::new(stream), first, &mut heard, true) {
                heard.push("TLS".into());
                converse(Box::new(secure(again)), first, &mut heard, false);
            }
        }
    }
    heard
}

/// Whether it ended with STARTTLS.
fn converse(stream: Box<dyn Stream>, first: Script, heard: &mut Vec<String>, greet: bool) -> bool {
    let mut stream = BufReader::new(stream);
    if greet && stream.get_mut().write_all(b"220 test\r\n").is_err() {
        return false;
    }
    let mut in_text = false;
    loop {
        let mut line = String::new();
        if !stream.read_line(&mut line).is_ok_and(|count| count > 0) {
            return false;
        }
        let line = line.trim_end().to_owned();
        heard.push(line.clone());
        if in_text && line != "." {
            continue;
        }
        let answer =
            first.iter().chain(GOOD).find(|(word, _)| line.starts_with(word)).map_or("500 what", |(_, say)| say);
        if answer == "hang" {
            let _ = stream.read(&mut [0; 1]);
            return false;
        }
        if answer.is_empty() || stream.get_mut().write_all(format!("{answer}\r\n").as_bytes()).is_err() {
            return false;
        }
        let _ = stream.get_mut().flush();
        in_text = line == "DATA" && answer.starts_with('3');
        if line == "STARTTLS" {
            return true;
        }
    }
}
