//! Our server, the program as it is shipped.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::drive::{ask_all, ask_json, request};
use super::process::Process;
use super::side::{Contact, PAGE, Side};

const KEY: &str = "a-key-for-this-benchmark-only";
/// Documents that one commit may change.
const COMMIT_MAX: usize = 32;

/// Our server.
pub struct Ours {
    process: Process,
}

impl Ours {
    /// Starts it in a folder of its own, with the class of documents.
    pub fn start(home: &Path) -> Result<Self> {
        Self::start_with(home, &[])
    }

    /// The same with more of the configuration, as variables.
    pub fn start_with(home: &Path, configuration: &[(&str, String)]) -> Result<Self> {
        std::fs::create_dir(home)?;
        // Built together with this program.
        let program = std::env::current_exe()?.with_file_name("fastness");
        let process = Process::start(&home.join("log"), |address| {
            let mut command = Command::new(&program);
            command.args(["serve", "--listen", &address.to_string(), "--data"]).arg(home.join("data"));
            command.env("FASTNESS_ADMIN_KEY", KEY).envs(configuration.iter().map(|(name, value)| (name, value)));
            command
        });
        let ours = Self { process: process.context("cargo build --release -p fastness makes it")? };
        ours.declare()?;
        Ok(ours)
    }

    fn declare(&self) -> Result<()> {
        let class = r#"{"class":"Contact","items":{"Card":{"singleton":true,"index":{"city":"string"}}}}"#;
        let book = r#"{"class":"Book","items":{"Card":{}}}"#;
        for class in [class, book] {
            ask_json(self.process.address, &self.post("doc-classes", class))?;
        }
        Ok(())
    }

    pub fn key(&self) -> &'static str {
        KEY
    }

    fn post(&self, path: &str, body: &str) -> Vec<u8> {
        request("POST", &format!("/v1/main/{path}"), &format!("Bearer {KEY}"), body)
    }

    /// A request that runs a named operation.
    pub fn operation(&self, name: &str, body: &str) -> Vec<u8> {
        self.post(&format!("op/{name}"), body)
    }

    /// The request that makes or changes several documents at once.
    pub fn commit(&self, contacts: impl Iterator<Item = Contact>) -> Vec<u8> {
        let change = |contact: Contact| {
            let (id, json) = (contact.id(), contact.json());
            format!(r#"{{"c":"Contact","id":"{id}","items":[{{"c":"Card","j":{json}}}]}}"#)
        };
        let changes: Vec<String> = contacts.map(change).collect();
        self.operation("doc.commit", &format!(r#"{{"param":{{"changes":[{}]}}}}"#, changes.join(",")))
    }

    /// Makes documents, 32 with a commit.
    pub fn load_many(&self, from: usize, count: usize) -> Result<()> {
        let numbers: Vec<usize> = (from..from + count).collect();
        let commit = |some: &[usize]| self.commit(some.iter().map(|number| Contact { number: *number, turn: 0 }));
        let requests: Vec<_> = numbers.chunks(COMMIT_MAX).map(commit).collect();
        ask_all(self.process.address, &requests).map(drop)
    }
}

impl Side for Ours {
    fn name(&self) -> String {
        "ours, FULL".into()
    }

    fn process(&self) -> &Process {
        &self.process
    }

    fn create(&self, contact: &Contact) -> Vec<u8> {
        self.change(contact)
    }

    fn change(&self, contact: &Contact) -> Vec<u8> {
        self.commit(std::iter::once(Contact { ..*contact }))
    }

    fn read(&self, contact: &Contact) -> Vec<u8> {
        self.operation("doc.get", &format!(r#"{{"param":{{"c":"Contact","id":"{}"}}}}"#, contact.id()))
    }

    fn search(&self, city: &str) -> Vec<u8> {
        let condition = format!(r#"{{"field":"city","cond":"EQ","v1":"{city}"}}"#);
        let search = format!(r#""c":"Contact","item":"Card","where":[{condition}],"items":true,"limit":{PAGE}"#);
        self.operation("doc.search", &format!(r#"{{"param":{{{search}}}}}"#))
    }

    fn load(&self, count: usize) -> Result<()> {
        self.load_many(0, count)
    }
}
