//! The database's side (EXC-25): a real database in a file, whose transaction holds what messages did, replies, and the marker.
//!
//! The table of effects forbids nothing: what is done twice is there twice.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rusqlite::{Connection, OptionalExtension, Transaction};
use serde_json::{Value, json};

use super::points::{At, Fault, Point};
use super::wire::{Outcome, Wire};
use crate::check::violation;

/// Longer than the server waits, and looks every ten seconds.
const HANG: Duration = Duration::from_secs(14);
/// Everything ends within this time once faults are over.
const PATIENCE: Duration = Duration::from_secs(120);

/// Why a run ended early.
#[derive(Debug)]
pub(crate) enum End {
    /// Nothing waits.
    Idle,
    /// A process of this database is active.
    Busy,
    /// It gave up, as the rules say.
    Stopped,
    /// It died; its transaction with it.
    Died,
    /// It went through.
    Done,
}

pub(crate) struct Erp<'a> {
    pub(crate) wire: Wire<'a>,
    pub(crate) name: String,
    database: Connection,
    has_marker: bool,
    /// What goes wrong, once.
    pub(crate) fault: Option<Point>,
    pub(crate) saw_unknown: bool,
}

impl<'a> Erp<'a> {
    pub(crate) fn open(file: &Path, name: &str, wire: Wire<'a>, has_marker: bool) -> Result<Self> {
        let database = Connection::open(file)?;
        database.execute_batch(
            "CREATE TABLE effect (message TEXT NOT NULL, process TEXT NOT NULL);
             CREATE TABLE marker (process TEXT PRIMARY KEY);",
        )?;
        let name = name.to_owned();
        Ok(Self { wire, name, database, has_marker, fault: None, saw_unknown: false })
    }

    /// How often each message was done.
    pub(crate) fn done(&self, message: &str) -> Result<i64> {
        let sql = "SELECT COUNT(*) FROM effect WHERE message = ?1";
        Ok(self.database.query_row(sql, [message], |row| row.get(0))?)
    }

    /// How often any was.
    pub(crate) fn done_count(&self) -> Result<u64> {
        let count: i64 = self.database.query_row("SELECT COUNT(*) FROM effect", [], |row| row.get(0))?;
        Ok(u64::try_from(count)?)
    }

    /// Runs until nothing waits and nothing is unknown.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        loop {
            ensure!(Instant::now() < until, violation(format!("{} is not done after {PATIENCE:?}", self.name)));
            if self.step()? && self.fault.is_none() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50)); // tidy: sleep — the server's timeouts are waited for
        }
    }

    /// One process, and what became unknown; whether nothing waits and nothing is unknown.
    pub(crate) fn step(&mut self) -> Result<bool> {
        let ended = self.run()?;
        // After the start: what was active then may have become unknown since, and not the other way round.
        let unresolved = self.resolve_all()?;
        Ok(matches!(ended, End::Idle) && unresolved == 0)
    }

    // ---- the handshake ----------------------------------------------------------------------------------------------

    /// One process, with the fault if it is reached.
    pub(crate) fn run(&mut self) -> Result<End> {
        let body = json!({ "db": self.name });
        let Some(started) = self.once(At::Start, "processes", &body)? else { return Ok(End::Stopped) };
        match started["status"].as_str() {
            Some("IDLE") => return Ok(End::Idle),
            Some("BUSY") => return Ok(End::Busy),
            Some("OK") => {}
            other => return Err(violation(format!("start was answered {other:?}: {started}"))),
        }
        let process = started["process"].as_str().context("a process")?.to_owned();
        let mut messages: Vec<Value> = started["messages"].as_array().cloned().unwrap_or_default();
        if self.is_at(At::Interrupt) {
            return self.interrupt(&process);
        }
        if self.is_at(At::Narrow) {
            messages.truncate(1);
            let ids: Vec<&Value> = messages.iter().map(|message| &message["id"]).collect();
            let body = json!({ "messages": ids });
            let answer = self.once(At::Narrow, &format!("processes/{process}/narrow"), &body)?;
            if answer.is_none_or(|answer| answer["status"] != "OK") {
                return Ok(End::Stopped);
            }
        }
        self.work(&process, &messages)
    }

    fn interrupt(&mut self, process: &str) -> Result<End> {
        let path = format!("processes/{process}/interrupt");
        Ok(self
            .until_answered(At::Interrupt, &path, &json!({ "message": "enough" }))?
            .map_or(End::Died, |_| End::Stopped))
    }

    fn work(&mut self, process: &str, messages: &[Value]) -> Result<End> {
        // Out of the way while the transaction borrows it.
        let mut database = std::mem::replace(&mut self.database, Connection::open_in_memory()?);
        let ended = self.in_transaction(database.transaction()?, process, messages);
        self.database = database;
        ended
    }

    fn in_transaction(&mut self, transaction: Transaction<'_>, process: &str, messages: &[Value]) -> Result<End> {
        for message in messages {
            let id = message["id"].as_str().context("an id")?;
            transaction.execute("INSERT INTO effect (message, process) VALUES (?1, ?2)", [id, process])?;
        }
        if self.has_marker {
            transaction.execute("INSERT INTO marker (process) VALUES (?1)", [process])?;
        }
        match self.between(At::Work)? {
            Some(Fault::DatabaseFails) => return self.roll_back(transaction, process),
            Some(Fault::DiesBefore) => return Ok(End::Died),
            _ => {}
        }
        let result = |message: &Value| json!({ "id": message["id"], "status": "PROCESSED" });
        let replies: Vec<Value> = messages.iter().map(reply).collect();
        let body = json!({ "results": messages.iter().map(result).collect::<Vec<_>>(), "replies": replies });
        let path = format!("processes/{process}/prepare");
        let Some(answer) = self.until_answered(At::Prepare, &path, &body)? else { return Ok(End::Died) };
        if answer["status"] != "OK" {
            return self.roll_back(transaction, process);
        }
        self.commit(transaction, process)
    }

    fn commit(&mut self, transaction: Transaction<'_>, process: &str) -> Result<End> {
        let fails = self.between(At::BeforeCommit)?;
        match fails {
            Some(Fault::DatabaseFails) => return self.roll_back(transaction, process),
            Some(Fault::DiesBefore) => return Ok(End::Died),
            _ if self.is_at(At::Rollback) => return self.roll_back(transaction, process),
            _ => {}
        }
        transaction.commit()?;
        if let Some(Fault::DiesBefore) = self.between(At::AfterCommit)? {
            return Ok(End::Died);
        }
        // To have something to resolve: it commits, and nobody hears of it.
        if self.is_at(At::Resolve) {
            return Ok(End::Died);
        }
        let path = format!("processes/{process}/commit");
        let answer = self.until_answered(At::Commit, &path, &json!({}))?;
        let Some(answer) = answer else { return Ok(End::Died) };
        ensure!(answer["status"] == "OK", violation(format!("the commit of {process} was answered {answer}")));
        Ok(End::Done)
    }

    fn roll_back(&mut self, transaction: Transaction<'_>, process: &str) -> Result<End> {
        transaction.rollback()?;
        let path = format!("processes/{process}/rollback");
        let answer = self.until_answered(At::Rollback, &path, &json!({ "error": "no" }))?;
        Ok(answer.map_or(End::Died, |_| End::Stopped))
    }

    // ---- what is unknown --------------------------------------------------------------------------------------------

    /// Settles what the server does not know: by the marker, or as a person would who looks into the tables. How many there were.
    fn resolve_all(&mut self) -> Result<usize> {
        let list = self.wire.get(&format!("processes/unresolved?db={}", self.name))?;
        let open: Vec<Value> = list["items"].as_array().cloned().unwrap_or_default();
        for process in &open {
            self.saw_unknown = true;
            let id = process["id"].as_str().with_context(|| format!("an id: {process}"))?;
            let body = json!({ "committed": self.is_committed(id)? });
            self.until_answered(At::Resolve, &format!("processes/{id}/resolve"), &body)?;
        }
        Ok(open.len())
    }

    fn is_committed(&self, process: &str) -> Result<bool> {
        let sql = if self.has_marker {
            "SELECT 1 FROM marker WHERE process = ?1"
        } else {
            "SELECT 1 FROM effect WHERE process = ?1 LIMIT 1"
        };
        Ok(self.database.query_row(sql, [process], |_| Ok(())).optional()?.is_some())
    }

    // ---- faults -----------------------------------------------------------------------------------------------------

    fn is_at(&self, at: At) -> bool {
        self.fault.is_some_and(|point| point.at == at)
    }

    fn fault_at(&mut self, at: At) -> Option<Fault> {
        self.fault.take_if(|point| point.at == at).map(|point| point.fault)
    }

    /// What happens between calls.
    fn between(&mut self, at: At) -> Result<Option<Fault>> {
        let fault = self.fault_at(at);
        match fault {
            Some(Fault::ServerBefore) => self.wire.restart_server()?,
            Some(Fault::Hangs) => std::thread::sleep(HANG), // tidy: sleep — it hangs, as it is meant to
            _ => {}
        }
        Ok(fault)
    }

    /// A call that is not repeated: no answer means that it stops. `None`: it died, or heard nothing.
    fn once(&mut self, at: At, path: &str, body: &Value) -> Result<Option<Value>> {
        let fault = self.fault_at(at);
        Ok(match self.wire.post(fault, path, body)? {
            Outcome::Answer(answer) => Some(answer),
            Outcome::Nothing | Outcome::Died => None,
        })
    }

    /// A call that is repeated until it is answered. `None`: it died.
    fn until_answered(&mut self, at: At, path: &str, body: &Value) -> Result<Option<Value>> {
        let (mut fault, until) = (self.fault_at(at), Instant::now() + PATIENCE);
        loop {
            match self.wire.post(fault.take(), path, body)? {
                Outcome::Answer(answer) => return Ok(Some(answer)),
                Outcome::Died => return Ok(None),
                Outcome::Nothing => {}
            }
            ensure!(Instant::now() < until, violation(format!("{path} is never answered")));
            std::thread::sleep(Duration::from_millis(20)); // tidy: sleep — the server is being started by somebody else
        }
    }
}

/// The answer to a message, the same in every attempt.
fn reply(message: &Value) -> Value {
    let head = &message["head"];
    let id = format!("r-{}", message["id"].as_str().unwrap_or_default());
    json!({
        "version": 1, "id": id,
        "head": { "company": head["company"], "subsystem": head["subsystem"], "from": head["to"], "to": head["from"],
                  "created_at": head["created_at"], "reply_to": message["id"] },
        "body": { "type": "done", "version": 1, "payload": null },
    })
}
