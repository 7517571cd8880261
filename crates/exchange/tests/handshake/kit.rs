//! A world with a company, a database and devices.

use std::cell::Cell;

use base::{OpResult, Sql};
use exchange::message::{ACK, Ack, FETCH, Fetch, Letter, MessageText, SEND, STATUS, Send, Sent, StatusOf};
use exchange::process::{
    Answer, COMMIT, Finish, GIVE_UP, INTERRUPT, LATE, MessageResult, NARROW, Narrow, PREPARE, Prepare, Processed,
    RESOLVE, ROLLBACK, Resolve, START, Start, Started, TIMEOUT,
};
use exchange::registry::{
    ACTIVATE, Activate, CREATE_COMPANY, CREATE_DATABASE, CREATE_DEVICE, CREATE_SUBSYSTEM, NewCompany, NewDatabase,
    NewDevice, NewSubsystem,
};
use exchange::{SERVICE, process};
use serde_json::{Value, json};
use testbed::World;

use crate::shelf::Shelf;
use crate::vault::Vault;

/// Calls as somebody who showed a secret, from which others are made.
pub fn known<I, O>(world: &World, op: &'static kernel::Op<I, O>, input: I) -> OpResult<O>
where
    I: Clone + std::marker::Send + Sync + 'static,
    O: serde::Serialize + serde::de::DeserializeOwned + std::marker::Send + 'static,
{
    let mut request = world.request();
    request.caller.proof = Some([7; 32]);
    world.call_as(op, request, input).map(|reply| reply.out)
}

/// Ends all that stand still for too long.
pub fn end_late(world: &World) {
    for id in world.read(&LATE, ()).unwrap() {
        world.call(&TIMEOUT, id).unwrap();
    }
}

/// Opens an office of one of the variants (EXC-8).
pub type Open = fn() -> Office;

/// Makes three tests of each: with texts in the store alone, with files in folders, and with packs in blobs.
macro_rules! everywhere {
    ($($name:ident)*) => {
        mod in_the_store {
            $(#[test] fn $name() { super::$name(crate::kit::Office::in_the_store) })*
        }
        mod in_folders {
            $(#[test] fn $name() { super::$name(crate::kit::Office::in_folders) })*
        }
        mod in_blobs {
            $(#[test] fn $name() { super::$name(crate::kit::Office::in_blobs) })*
        }
    };
}
pub(crate) use everywhere;

pub struct Office {
    pub world: World,
    pub phone: String,
    /// Where its files are, if it has some.
    pub shelf: Option<Shelf>,
    /// Where its packs are, if it has some.
    pub vault: Option<Vault>,
    /// Whether the test has the clerk, or the packer, work itself.
    pub clerk_waits: Cell<bool>,
}

impl Office {
    pub fn in_the_store() -> Self {
        Self::open(World::of(&[&SERVICE]))
    }

    /// With folders, and a clerk who works after every step.
    pub fn in_folders() -> Self {
        let world = World::of(&[&SERVICE]);
        let shelf = Shelf::open(&world.kernel);
        let office = Self { shelf: Some(shelf), ..Self::open(world) };
        office.look_after();
        office
    }

    /// With blobs, and a packer who works after every step.
    pub fn in_blobs() -> Self {
        let world = World::of(&[&SERVICE]);
        let vault = Vault::open(&world.kernel);
        Self { vault: Some(vault), ..Self::open(world) }
    }

    fn open(world: World) -> Self {
        world.call(&CREATE_COMPANY, NewCompany { id: "acme".into(), name: "Acme".into() }).unwrap();
        let subsystem = NewSubsystem { id: "sales".into(), company: "acme".into(), name: "Sales".into() };
        world.call(&CREATE_SUBSYSTEM, subsystem).unwrap();
        known(&world, &CREATE_DATABASE, NewDatabase { id: "erp".into(), company: "acme".into() }).unwrap();
        let phone = Self::device(&world);
        Self { world, phone, shelf: None, vault: None, clerk_waits: Cell::new(false) }
    }

    /// Its folders.
    pub fn shelf(&self) -> &Shelf {
        self.shelf.as_ref().unwrap()
    }

    /// Its packs.
    pub fn vault(&self) -> &Vault {
        self.vault.as_ref().unwrap()
    }

    /// The lines of the journal of a kind.
    pub fn journal(&self, kind: &str) -> Vec<String> {
        static LINES: Sql = Sql::new("test.journal", "SELECT kind, text FROM journal ORDER BY id");
        let rows = self.world.rows(&LINES);
        rows.iter().filter(|row| row.text(0) == kind).map(|row| row.text(1).to_owned()).collect()
    }

    /// The kinds of alerts that are open.
    pub fn alerts(&self) -> Vec<String> {
        // Not the one that nobody is told: this world has no channel.
        static OPEN: Sql = Sql::new(
            "test.alerts",
            "SELECT kind FROM alert WHERE closed_at IS NULL AND kind <> 'alerts.channel' ORDER BY kind",
        );
        self.world.rows(&OPEN).iter().map(|row| row.text(0).to_owned()).collect()
    }

    /// What must hold after every step: all invariants; and where there are folders or packs, once the clerk or the packer was there, they
    /// and rows agree.
    pub fn look_after(&self) {
        self.world.check_invariants();
        if let Some(shelf) = self.shelf.as_ref().filter(|_| !self.clerk_waits.get()) {
            shelf.work(&self.world);
            self.world.check_invariants();
            shelf.check(&self.world);
        }
        if let Some(vault) = self.vault.as_ref().filter(|_| !self.clerk_waits.get()) {
            vault.work(&self.world);
            self.world.check_invariants();
            vault.check(&self.world);
        }
    }

    pub fn device(world: &World) -> String {
        Self::device_of(world, "sales")
    }

    pub fn device_of(world: &World, subsystem: &str) -> String {
        let new = NewDevice { company: "acme".into(), subsystem: subsystem.into(), name: "phone".into() };
        let made = known(world, &CREATE_DEVICE, new).unwrap();
        let active = world.call(&ACTIVATE, Activate { code: made.activation_code }).unwrap().out;
        assert_eq!(active.device, made.id);
        made.id
    }

    pub fn message(&self, id: &str, at_s: u32) -> Value {
        json!({
            "version": 1, "id": id,
            "head": { "company": "acme", "subsystem": "sales", "from": self.phone, "to": "erp",
                      "created_at": format!("2026-11-01T12:00:{at_s:02}Z") },
            "body": { "type": "order", "version": 1, "payload": { "n": id } },
        })
    }

    pub fn reply(&self, id: &str) -> Value {
        let mut reply = self.message(id, 30);
        reply["head"]["from"] = json!("erp");
        reply["head"]["to"] = json!(self.phone);
        reply
    }

    pub fn send(&self, message: &Value) -> OpResult<Sent> {
        let letter = Letter::read(message.to_string())?;
        let sent = self.world.call(&SEND, Send { sender: Some(self.phone.clone()), letter });
        self.look_after();
        sent.map(|reply| reply.out)
    }

    pub fn sent(&self, ids: &[&str]) {
        for (second, id) in (0..).zip(ids) {
            self.send(&self.message(id, second)).unwrap();
        }
    }

    pub fn start(&self) -> Started {
        self.start_with(Start { db: "erp".into(), ..Start::default() })
    }

    pub fn start_with(&self, wanted: Start) -> Started {
        let started = self.world.call(&START, wanted).unwrap().out;
        self.look_after();
        started
    }

    pub fn prepare(&self, process: &str, results: &[(&str, Processed)], replies: &[Value]) -> OpResult<Answer> {
        let result = |(id, status): &(&str, Processed)| MessageResult {
            id: (*id).into(),
            status: *status,
            error_code: Some(335_544_336),
            error_text: Some("why".into()),
        };
        let letter = |reply: &Value| Letter::read(reply.to_string()).unwrap();
        let input = Prepare {
            process: process.into(),
            db: Some("erp".into()),
            results: results.iter().map(result).collect(),
            replies: replies.iter().map(letter).collect(),
        };
        let answer = self.world.call(&PREPARE, input).map(|reply| reply.out.status);
        self.look_after();
        answer
    }

    fn finish(&self, op: &'static kernel::Op<Finish, process::Status>, process: &str) -> OpResult<Answer> {
        let input =
            Finish { process: process.into(), db: Some("erp".into()), message: "because".into(), tell_senders: false };
        let answer = self.world.call(op, input).map(|reply| reply.out.status);
        self.look_after();
        answer
    }

    pub fn commit(&self, process: &str) -> OpResult<Answer> {
        self.finish(&COMMIT, process)
    }

    pub fn rollback(&self, process: &str) -> OpResult<Answer> {
        self.finish(&ROLLBACK, process)
    }

    pub fn rollback_telling(&self, process: &str, error: &str) -> OpResult<Answer> {
        let input =
            Finish { process: process.into(), db: Some("erp".into()), message: error.into(), tell_senders: true };
        let answer = self.world.call(&ROLLBACK, input).map(|reply| reply.out.status);
        self.look_after();
        answer
    }

    /// A start with an Idempotency-Key.
    pub fn start_again(&self, key: &str) -> Started {
        let mut request = self.world.request();
        request.idempotency = Some(kernel::Idempotency { route: "start".into(), key: key.into(), body_hash: [1; 32] });
        let wanted = Start { db: "erp".into(), ..Start::default() };
        self.world.call_as(&START, request, wanted).unwrap().out
    }

    pub fn interrupt(&self, process: &str) -> OpResult<Answer> {
        self.finish(&INTERRUPT, process)
    }

    pub fn give_up(&self, process: &str) -> OpResult<Answer> {
        self.finish(&GIVE_UP, process)
    }

    pub fn resolve(&self, process: &str, committed: bool) -> OpResult<Answer> {
        let answer =
            self.world.call(&RESOLVE, Resolve { process: process.into(), committed }).map(|reply| reply.out.status);
        self.look_after();
        answer
    }

    /// Lets time pass, then looks for what stands still.
    pub fn look_after_ms(&self, ms: u64) {
        self.world.pass_ms(ms);
        end_late(&self.world);
        self.look_after();
    }

    pub fn narrow(&self, process: &str, ids: &[&str]) -> OpResult<Answer> {
        let messages = ids.iter().map(|id| (*id).to_owned()).collect();
        let input = Narrow { process: process.into(), db: Some("erp".into()), messages };
        let answer = self.world.call(&NARROW, input).map(|reply| reply.out.status);
        self.look_after();
        answer
    }

    /// Ids of what the phone can fetch.
    pub fn fetched(&self) -> Vec<String> {
        let wanted = Fetch { device: self.phone.clone(), files: 100, bytes: 1 << 30 };
        let fetched = self.world.read(&FETCH, wanted).unwrap();
        fetched.messages.iter().map(id_of).collect()
    }

    /// What the phone can fetch.
    pub fn fetched_whole(&self) -> Vec<Value> {
        let wanted = Fetch { device: self.phone.clone(), files: 100, bytes: 1 << 30 };
        let fetched = self.world.read(&FETCH, wanted).unwrap();
        fetched.messages.iter().map(|text| serde_json::from_str(text.get()).unwrap()).collect()
    }

    pub fn ack(&self, id: &str) -> OpResult<()> {
        let input = Ack { device: self.phone.clone(), id: id.into(), from: None };
        let acked = self.world.call(&ACK, input).map(drop);
        self.look_after();
        acked
    }

    pub fn state(&self, id: &str) -> String {
        let status = self.world.read(&STATUS, StatusOf { sender: self.phone.clone(), id: id.into() }).unwrap();
        json!(status.state).as_str().unwrap().to_owned()
    }

    /// received, queued, in process, log, error, unknown.
    pub fn ledger(&self) -> [i64; 6] {
        static LEDGER: Sql = Sql::new(
            "test.ledger",
            "SELECT received, queued, in_process, log, error, unknown FROM exc_database WHERE id = 'erp'",
        );
        let rows = self.world.rows(&LEDGER);
        [0, 1, 2, 3, 4, 5].map(|column| rows[0].int(column))
    }
}

pub fn id_of(text: &MessageText) -> String {
    serde_json::from_str::<Value>(text.get()).unwrap()["id"].as_str().unwrap().to_owned()
}

pub fn ids(started: &Started) -> Vec<String> {
    started.messages.iter().flatten().map(id_of).collect()
}
