//! A server, two tenants, and every route that the server says it has.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use kill::server::{KEY, Launch, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A running server.
pub struct Site {
    pub server: Server,
    _folder: TempDir,
}

/// What it said.
#[derive(Debug, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }
}

/// A route of the description.
#[derive(Debug)]
pub struct Route {
    pub method: String,
    pub path: String,
    pub query: Vec<String>,
    pub takes_json: bool,
}

impl Site {
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    pub fn start_with(env: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let launch = Launch::new(Path::new(env!("CARGO_BIN_EXE_fastness")), &folder.path().join("data"));
        let launch = env.iter().fold(launch, |launch, (name, value)| launch.env(name, value));
        Self { server: launch.start().unwrap(), _folder: folder }
    }

    /// Sends a request with whatever body, on a connection of its own, and gives what came of the answer within a while: live answers go on.
    pub fn send(&self, key: &str, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\nconnection: close\r\n{headers}\
             content-length: {}\r\n\r\n",
            body.len()
        );
        // Whoever is refused at once does not take the rest.
        let _ = stream.write_all(&[head.as_bytes(), body].concat());
        let (mut bytes, mut some) = (vec![], [0; 8192]);
        while let Ok(count @ 1..) = stream.read(&mut some) {
            bytes.extend_from_slice(&some[..count]);
        }
        let answer = String::from_utf8_lossy(&bytes).into_owned();
        let (head, text) = answer.split_once("\r\n\r\n").unwrap_or_default();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("{method} {path}: no answer but `{answer}`"));
        Answer { status, text: text.to_owned() }
    }

    pub fn ask_as(&self, key: &str, method: &str, path: &str, body: &Value) -> Answer {
        match body {
            Value::Null => self.send(key, method, path, "", b""),
            _ => self.send(key, method, path, "content-type: application/json\r\n", body.to_string().as_bytes()),
        }
    }

    pub fn ask(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.ask_as(KEY, method, path, body)
    }

    pub fn made(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.ask(method, path, body);
        assert!((200..300).contains(&answer.status), "{method} {path}: {answer:?}");
        answer.json()
    }

    /// A new key of a namespace.
    pub fn key(&self, ns: &str, role: &str) -> String {
        let made = self.made("POST", &format!("/v1/{ns}/keys"), &json!({ "role": role }));
        made["key"].as_str().unwrap().to_owned()
    }

    /// Every route of a namespace that the server describes.
    pub fn routes(&self) -> Vec<Route> {
        let described = self.ask("GET", "/openapi.json", &Value::Null).json();
        let mut routes = vec![];
        for (path, methods) in described["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                if path.starts_with("/v1/{ns}") && ["get", "post", "put", "patch", "delete"].contains(&method.as_str())
                {
                    routes.push(route(method, path, operation));
                }
            }
        }
        assert!(routes.len() > 100, "{} routes", routes.len());
        routes
    }
}

fn route(method: &str, path: &str, operation: &Value) -> Route {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let query = parameters.filter(|one| one["in"] == "query").filter_map(|one| one["name"].as_str());
    Route {
        method: method.to_uppercase(),
        path: path.to_owned(),
        query: query.map(str::to_owned).collect(),
        takes_json: operation["requestBody"]["content"].get("application/json").is_some(),
    }
}
