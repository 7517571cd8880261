//! PocketBase: records of a collection in SQLite, over HTTP.
//!
//! Its rules let everybody do everything, so that it has no keys to check; ours checks one with every request.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::drive::{ask_json, request};
use super::process::Process;
use super::side::{Contact, PAGE, Side};

const COLLECTION: &str = include_str!("../../peers/pocketbase.json");
const FULL: &str = include_str!("../../peers/pocketbase_full.pb.js");
const RECORDS: &str = "/api/collections/contacts/records";

/// What it promises when it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// As it comes, `synchronous=NORMAL`: a power cut takes what was acknowledged last.
    Default,
    /// `synchronous=FULL`, as ours.
    Full,
}

/// A PocketBase of our own.
pub struct PocketBase {
    process: Process,
    durability: Durability,
}

impl PocketBase {
    /// Starts a new one with the collection.
    pub fn start(program: &Path, home: &Path, durability: Durability) -> Result<Self> {
        let pocketbase = Self::open(program, home, durability)?;
        pocketbase.declare()?;
        Ok(pocketbase)
    }

    /// Starts one on what its folder holds.
    pub fn open(program: &Path, home: &Path, durability: Durability) -> Result<Self> {
        std::fs::create_dir_all(home.join("hooks"))?;
        if durability == Durability::Full {
            std::fs::write(home.join("hooks/full.pb.js"), FULL)?;
        }
        let command = || {
            let mut command = Command::new(program);
            command.arg("--dir").arg(home.join("data")).arg("--hooksDir").arg(home.join("hooks"));
            command
        };
        let made = command().args(["superuser", "upsert", "a@b.co", "secret12345"]).output()?;
        ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let process = Process::start(&home.join("log"), |address| {
            let mut command = command();
            command.args(["serve", "--http", &address.to_string()]);
            command
        })?;
        if durability == Durability::Full {
            let log = std::fs::read_to_string(home.join("log"))?;
            ensure!(log.contains("synchronous is 2"), "PocketBase does not sync: {log}");
        }
        Ok(Self { process, durability })
    }

    fn declare(&self) -> Result<()> {
        let login = r#"{"identity":"a@b.co","password":"secret12345"}"#;
        let login = request("POST", "/api/collections/_superusers/auth-with-password", "", login);
        let token = ask_json(self.process.address, &login)?;
        let token = token["token"].as_str().context("a token")?.to_owned();
        ask_json(self.process.address, &request("POST", "/api/collections", &token, COLLECTION)).map(drop)
    }
}

impl Side for PocketBase {
    fn name(&self) -> String {
        let synchronous = if self.durability == Durability::Full { "FULL" } else { "NORMAL (default)" };
        format!("PocketBase, {synchronous}")
    }

    fn process(&self) -> &Process {
        &self.process
    }

    fn create(&self, contact: &Contact) -> Vec<u8> {
        let json = contact.json();
        let properties = json.strip_prefix('{').unwrap_or(&json);
        request("POST", RECORDS, "", &format!(r#"{{"id":"{}",{properties}"#, contact.id()))
    }

    fn change(&self, contact: &Contact) -> Vec<u8> {
        request("PATCH", &format!("{RECORDS}/{}", contact.id()), "", &contact.json())
    }

    fn read(&self, contact: &Contact) -> Vec<u8> {
        request("GET", &format!("{RECORDS}/{}", contact.id()), "", "")
    }

    fn search(&self, city: &str) -> Vec<u8> {
        let path = format!("{RECORDS}?filter=(city%3D'{city}')&perPage={PAGE}&skipTotal=1");
        request("GET", &path, "", "")
    }
}
