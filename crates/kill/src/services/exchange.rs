//! A phone that sends and a database that processes, by the handshake.

use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::caller::told;
use super::crew::{Crew, Trade};
use crate::check::violation;
use crate::client::Client;
use crate::exchange::erp::Erp;
use crate::exchange::wire::Wire;
use crate::machine::Front;

/// Between two messages.
const PACE: Duration = Duration::from_millis(100);
/// The database, by name.
const ERP: &str = "erp";

/// Who takes part.
pub(super) struct Office<'a> {
    front: &'a dyn Front,
    phone: String,
    key: String,
    pub(super) erp: Erp<'a>,
}

fn path(of: &str) -> String {
    format!("/v1/main/exchange/{of}")
}

impl<'a> Office<'a> {
    pub(super) fn open(front: &'a dyn Front, folder: &Path) -> Result<Self> {
        let post = |of: &str, body: Value| told(front, "POST", &path(of), &body);
        let text = |answer: &Value, name: &str| answer[name].as_str().map(str::to_owned).context(name.to_owned());
        post("companies", json!({ "id": "acme", "name": "Acme" }))?;
        post("subsystems", json!({ "id": "sales", "company": "acme", "name": "Sales" }))?;
        let made = post("databases", json!({ "id": ERP, "company": "acme" }))?;
        let erp = Erp::open(&folder.join("erp.db"), ERP, Wire::new(front, &text(&made, "key")?), true)?;
        let made = post("devices", json!({ "company": "acme", "subsystem": "sales", "name": "phone" }))?;
        let active = post("activate", json!({ "code": made["activation_code"] }))?;
        Ok(Self { front, phone: text(&active, "device")?, key: text(&active, "key")?, erp })
    }

    /// Who sends, beside whoever processes.
    pub(super) fn phone(&self) -> Phone<'a> {
        Phone { front: self.front, name: self.phone.clone(), key: self.key.clone(), sent: vec![] }
    }

    /// Processes until it is over and nothing waits.
    pub(super) fn work(mut self, crew: &Crew) -> Result<Self> {
        while !crew.is_over() {
            let before = self.erp.done_count()?;
            self.erp.step()?;
            if self.erp.done_count()? > before {
                crew.did(Trade::Exchange);
            }
        }
        Ok(self)
    }
}

/// Who sends.
pub(super) struct Phone<'a> {
    front: &'a dyn Front,
    name: String,
    key: String,
    sent: Vec<String>,
}

impl Phone<'_> {
    pub(super) fn work(mut self, crew: &Crew) -> Result<Self> {
        while !crew.is_over() {
            self.send()?;
            thread::sleep(PACE); // tidy: sleep — a person types
        }
        Ok(self)
    }

    fn send(&mut self) -> Result<()> {
        let id = format!("m-{:05}", self.sent.len());
        let message = json!({
            "version": 1, "id": id,
            "head": { "company": "acme", "subsystem": "sales", "from": self.name, "to": ERP,
                      "created_at": "2026-11-16T12:00:00Z", "order": self.sent.len() },
            "body": { "type": "order", "version": 1, "payload": null },
        });
        self.ask("POST", "messages", &message)?;
        self.sent.push(id);
        Ok(())
    }

    /// With the phone's own key, until somebody answers.
    fn ask(&self, method: &str, of: &str, body: &Value) -> Result<Value> {
        for _ in 0..3_000 {
            let answer = Client::new(self.front.address()?, &self.key).ask(method, &path(of), body, "");
            if let Ok(answer) = answer
                && !answer.is_for_later()
            {
                let good = (200..300).contains(&answer.status);
                ensure!(good, violation(format!("{of} with {body} was answered {answer:?}")));
                return Ok(answer.body);
            }
            thread::sleep(Duration::from_millis(20)); // tidy: sleep — a node that is out must not be asked in a tight loop
        }
        Err(violation(format!("{of} is never answered")))
    }

    /// Each message was processed once, and each reply came once; how many there were.
    pub(super) fn judge(&self, erp: &Erp<'_>) -> Result<usize> {
        for id in &self.sent {
            let times = erp.done(id)?;
            ensure!(times == 1, violation(format!("message {id} was done {times} times")));
        }
        let done = erp.done_count()?;
        ensure!(done == self.sent.len() as u64, violation(format!("{done} messages were done of {}", self.sent.len())));
        let mut replies = self.fetch_all()?;
        replies.sort();
        let expected: Vec<String> = self.sent.iter().map(|id| format!("r-{id}")).collect();
        ensure!(replies == expected, violation(format!("replies {replies:?}")));
        Ok(self.sent.len())
    }

    /// Fetches and acknowledges each.
    fn fetch_all(&self) -> Result<Vec<String>> {
        let mut all = vec![];
        loop {
            let fetched = self.ask("GET", "messages?max_files=50", &Value::Null)?;
            let messages = fetched["messages"].as_array().cloned().unwrap_or_default();
            if messages.is_empty() {
                return Ok(all);
            }
            for id in messages.iter().filter_map(|message| message["id"].as_str()) {
                self.ask("POST", &format!("messages/{id}/ack"), &Value::Null)?;
                all.push(id.to_owned());
            }
        }
    }
}
