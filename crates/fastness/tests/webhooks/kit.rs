//! A server with sensors and clients, and a look into its file.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Instant;

use kill::server::{KEY, Launch, Server};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::receiver::PATIENCE;

/// A server.
pub struct Kit {
    pub server: Server,
    folder: TempDir,
}

/// What the server said.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub body: Value,
}

/// A try to tell a client, as it ended.
#[derive(Debug, PartialEq)]
pub struct Try {
    pub status: Option<i64>,
    pub error: String,
}

impl Kit {
    /// One that may call loopback.
    pub fn start() -> Self {
        Self::start_with(&[("FASTNESS_OUTBOUND__ALLOW_PRIVATE", "true")])
    }

    pub fn start_with(env: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let launch = Launch::new(Path::new(env!("CARGO_BIN_EXE_fastness")), &folder.path().join("data"));
        let launch = env.iter().fold(launch, |launch, (name, value)| launch.env(name, value));
        let server = launch.start().expect("a server");
        Self { server, folder }
    }

    /// What the server says to a request; one without a body if that is null.
    pub fn ask(&mut self, method: &str, path: &str, body: &Value) -> Answer {
        let mut stream = TcpStream::connect(self.server.address).unwrap();
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!(
            "{method} /v1/main/{path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {KEY}\r\nconnection: close\r\n"
        );
        let typed = if body.is_empty() { "" } else { "content-type: application/json\r\n" };
        write!(stream, "{head}{typed}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, body: serde_json::from_str(body).unwrap_or_default() }
    }

    pub fn good(&mut self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.ask(method, path, body);
        assert!((200..300).contains(&answer.status), "{path}: {answer:?}");
        answer.body
    }

    /// A client at this URL that is told of these sensors: its id and its secret.
    pub fn client(&mut self, name: &str, url: &str, sensors: &[String]) -> (String, String) {
        let made = self.good("POST", "sensor-clients", &json!({ "name": name, "url": url }));
        let text = |field: &str| made[field].as_str().unwrap().to_owned();
        let (id, secret) = (text("id"), text("secret"));
        for sensor in sensors {
            self.good("PUT", &format!("sensors/{sensor}"), &json!({ "address": "Room 1" }));
            self.good("PUT", &format!("sensor-clients/{id}/sensors/{sensor}"), &Value::Null);
        }
        (id, secret)
    }

    /// Sensors say that their doors are closed (1) or open (0).
    pub fn signal(&mut self, sensors: &[String], data: i64) {
        let signals: Vec<Value> = sensors.iter().map(|id| json!({ "sensor_id": id, "data": data })).collect();
        let taken = self.good("POST", "signals", &Value::from(signals));
        assert_eq!(taken["accepted"], sensors.len(), "{taken}");
    }

    /// Tries that ended, of a client's first event, once there are so many.
    pub fn tries(&self, client: &str, many: usize) -> Vec<Try> {
        let found = || {
            let file = self.file();
            let sql = "SELECT status, error FROM sensor_attempt WHERE client_id = ?1 AND seq = 1 \
                       AND (status IS NOT NULL OR error IS NOT NULL) ORDER BY number";
            let mut tries = file.prepare(sql).unwrap();
            let row = |row: &rusqlite::Row<'_>| {
                Ok(Try { status: row.get(0)?, error: row.get::<_, Option<String>>(1)?.unwrap_or_default() })
            };
            let found: Result<Vec<Try>, _> = tries.query_map([client], row).unwrap().collect();
            found.ok().filter(|found| found.len() >= many)
        };
        until(found)
    }

    /// Until a client's first event has ended like this.
    pub fn ended(&self, client: &str, how: &str) {
        let sql = "SELECT 1 FROM sensor_event WHERE client_id = ?1 AND seq = 1 AND state = ?2";
        until(|| self.file().query_row(sql, [client, how], |_| Ok(())).ok());
    }

    fn file(&self) -> Connection {
        let path = self.folder.path().join("data/namespaces/main/store.db");
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
    }
}

/// Looks again and again, bounded.
pub fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(found) = look() {
            return found;
        }
        std::thread::yield_now();
    }
    panic!("it did not come to that")
}

/// Ids of sensors that begin so.
pub fn sensors(prefix: &str, many: usize) -> Vec<String> {
    (0..many).map(|number| format!("{prefix}{number}")).collect()
}
