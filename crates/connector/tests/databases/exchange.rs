//! A server with a queue, and a connector that takes from it.

use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use client::Client;
use connector::{Connector, Ended};
use serde_json::{Value, json};

use crate::http::{Request, answer};
use crate::kit::{Site, message};

/// A message that waits.
#[derive(Debug, Clone)]
struct Waiting {
    id: String,
    kind: String,
    skipped: u32,
}

#[derive(Debug, Default)]
pub struct Books {
    queue: Vec<Waiting>,
    /// Ids of messages that the process has, if there is one.
    given: Option<Vec<String>>,
    results: Vec<Value>,
    processes: u32,
    /// Ids of messages that are done, with what became of them.
    pub done: Vec<(String, String)>,
    /// How often senders were to be told.
    pub told: u32,
}

impl Books {
    pub fn skipped(&self, id: &str) -> Option<u32> {
        self.queue.iter().find(|waiting| waiting.id == id).map(|waiting| waiting.skipped)
    }

    fn answer(&mut self, request: &Request) -> Value {
        let said: Value = serde_json::from_str(&request.body).unwrap_or_default();
        match request.steps().last().map(String::as_str) {
            _ if request.head.starts_with("GET ") => return json!({ "items": [], "next": null }),
            Some("processes") => return self.start(said["max_files"].as_u64().unwrap_or(10)),
            Some("narrow") => self.narrow(&said["messages"]),
            Some("prepare") => self.results = said["results"].as_array().cloned().unwrap_or_default(),
            Some("commit") => self.commit(),
            _ => {
                self.told += u32::from(said["tell_senders"] == true);
                self.given = None;
            }
        }
        json!({ "status": "OK" })
    }

    fn start(&mut self, most: u64) -> Value {
        self.queue.sort_by_key(|waiting| waiting.skipped);
        let taken: Vec<_> = self.queue.iter().take(usize::try_from(most).unwrap()).collect();
        if taken.is_empty() {
            return json!({ "status": "IDLE" });
        }
        let messages: Vec<_> = taken.iter().map(|waiting| message(&waiting.id, &waiting.kind, "x")).collect();
        self.given = Some(taken.iter().map(|waiting| waiting.id.clone()).collect());
        self.processes += 1;
        json!({ "status": "OK", "process": format!("p{}", self.processes), "messages": messages })
    }

    fn narrow(&mut self, kept: &Value) {
        let given = self.given.take().unwrap_or_default();
        let is_kept = |id: &str| kept.as_array().is_some_and(|kept| kept.iter().any(|kept| kept == id));
        for waiting in self.queue.iter_mut().filter(|waiting| given.contains(&waiting.id) && !is_kept(&waiting.id)) {
            waiting.skipped += 1;
        }
        self.given = Some(given.into_iter().filter(|id| is_kept(id)).collect());
    }

    fn commit(&mut self) {
        for result in std::mem::take(&mut self.results) {
            let [id, status] = ["id", "status"].map(|name| result[name].as_str().unwrap_or_default().to_owned());
            if status != "PROCESSED_DEADLOCK" {
                self.queue.retain(|waiting| waiting.id != id);
                self.done.push((id, status));
            }
        }
        self.given = None;
    }
}

/// What a server has after so many rounds of a connector at this database; the messages are by their ids and types, the oldest first.
pub fn after_rounds(site: &Site, lines: &str, messages: &[(&str, &str)], rounds: usize) -> (Books, Vec<Ended>) {
    let waiting = |(id, kind): &(&str, &str)| Waiting { id: (*id).into(), kind: (*kind).into(), skipped: 0 };
    let books = Books { queue: messages.iter().map(waiting).collect(), ..Books::default() };
    let (url, books) = serve(books);
    let client = Client::new(&url, "main", "key").unwrap();
    let mut connector = Connector::new(client, site.settings_with(lines));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ended = (0..rounds).map(|_| runtime.block_on(connector.round()).report.ended).collect();
    drop(connector);
    (std::mem::take(&mut books.lock().unwrap()), ended)
}

fn serve(books: Books) -> (String, Arc<Mutex<Books>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let books = Arc::new(Mutex::new(books));
    let shared = Arc::clone(&books);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A connection that breaks is no matter of the books.
            let _ = serve_one(stream, &shared);
        }
    });
    (url, books)
}

fn serve_one(mut stream: TcpStream, books: &Mutex<Books>) -> std::io::Result<()> {
    let request = Request::read(&stream)?;
    let told = books.lock().unwrap().answer(&request);
    answer(&mut stream, 200, &told.to_string())
}
