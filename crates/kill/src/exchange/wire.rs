//! Calls of the exchange, and what goes wrong with them.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::Value;

use super::points::Fault;
use crate::check::violation;
use crate::client::Client;
use crate::machine::Front;

/// A server that is being started again is there within this time.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a caller hears.
pub(crate) enum Outcome {
    Answer(Value),
    /// Nothing: it may or may not have arrived.
    Nothing,
    /// The caller is dead.
    Died,
}

/// The way to the server of somebody with a key.
pub(crate) struct Wire<'a> {
    machine: &'a dyn Front,
    key: String,
}

impl<'a> Wire<'a> {
    pub(crate) fn new(machine: &'a dyn Front, key: &str) -> Self {
        Self { machine, key: key.to_owned() }
    }

    pub(crate) fn restart_server(&self) -> Result<()> {
        self.machine.restart()
    }

    /// Reads, until somebody answers.
    pub(crate) fn get(&self, path: &str) -> Result<Value> {
        let until = Instant::now() + PATIENCE;
        loop {
            let answer = Client::new(self.machine.address()?, &self.key).get(&whole(path));
            if let Ok(answer) = answer
                && !answer.is_for_later()
            {
                ensure!(answer.status == 200, violation(format!("{path}: {answer:?}")));
                return Ok(answer.body);
            }
            ensure!(Instant::now() < until, violation(format!("{path} is never answered")));
            std::thread::sleep(Duration::from_millis(20)); // tidy: sleep — the server is being started by somebody else
        }
    }

    /// Posts, with a fault.
    pub(crate) fn post(&self, fault: Option<Fault>, path: &str, body: &Value) -> Result<Outcome> {
        match fault {
            Some(Fault::ServerBefore) => self.machine.restart()?,
            Some(Fault::DiesBefore) => return Ok(Outcome::Died),
            Some(Fault::Unsent) => return Ok(Outcome::Nothing),
            Some(Fault::ServerAfter) => {
                self.send_only(path, body)?;
                self.machine.restart()?;
                return Ok(Outcome::Nothing);
            }
            _ => {}
        }
        let answer = Client::new(self.machine.address()?, &self.key).post(&whole(path), body, "");
        let outcome = match answer {
            Ok(answer) if !answer.is_for_later() => {
                let good = (200..300).contains(&answer.status);
                ensure!(good, violation(format!("{path} with {body} was answered {answer:?}")));
                Outcome::Answer(answer.body)
            }
            _ => Outcome::Nothing,
        };
        Ok(match fault {
            Some(Fault::AnswerLost) => Outcome::Nothing,
            Some(Fault::DiesAfter) => Outcome::Died,
            _ => outcome,
        })
    }

    /// Sends and does not wait.
    fn send_only(&self, path: &str, body: &Value) -> Result<()> {
        let body = body.to_string();
        let mut stream = TcpStream::connect(self.machine.address()?)?;
        let (path, key, length) = (whole(path), &self.key, body.len());
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: t\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n"
        );
        Ok(stream.write_all(format!("{head}content-length: {length}\r\n\r\n{body}").as_bytes())?)
    }
}

fn whole(path: &str) -> String {
    format!("/v1/main/exchange/{path}")
}
