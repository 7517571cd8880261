//! What the tests share: a world with a few classes, and short ways to commit, get and sync.

use std::collections::BTreeMap;

use base::{OpError, OpResult};
use documents::{COMMIT, ClassDecl, Commit, DECLARE, FullDoc, Looks, READ, SYNC, SyncOf, Synced};
use kernel::{Caller, Properties};
use replica::Held;
use serde_json::{Value, json};
use testbed::World;

pub struct Desk(pub World);

impl Desk {
    /// With class `Contact`: a singleton `Card` (name indexed), keyed `Tel` and `Raw` (raw).
    pub fn new() -> Self {
        let desk = Self(World::of(&[&documents::SERVICE]));
        desk.declare(json!({ "class": "Contact", "items": {
            "Card": { "singleton": true, "index": { "name": "string" } },
            "Tel": { "index": { "number": "int", "tags": "string[]" } },
            "Raw": { "raw": true },
        } }))
        .unwrap();
        desk
    }

    pub fn declare(&self, decl: Value) -> OpResult<Vec<String>> {
        let decl: ClassDecl = serde_json::from_value(decl).unwrap();
        self.0.call(&DECLARE, decl).map(|reply| reply.out.filling)
    }

    /// Commits; the version, 0 if nothing changed.
    pub fn commit(&self, changes: Value) -> OpResult<i64> {
        let commit: Commit = serde_json::from_value(json!({ "changes": changes })).unwrap();
        self.0.call(&COMMIT, commit).map(|reply| reply.out.version.map_or(0, |stamp| stamp.number()))
    }

    /// Puts one item of a contact.
    pub fn put(&self, id: &str, item: &str, key: Option<&str>, value: Value) -> i64 {
        self.commit(json!([{ "c": "Contact", "id": id, "items": [{ "c": item, "k": key, "j": value }] }])).unwrap()
    }

    pub fn read(&self, class: &str, id: &str) -> OpResult<FullDoc> {
        self.0.read(&READ, (class.to_owned(), id.to_owned()))
    }

    pub fn sync(&self, held: Vec<Held>) -> OpResult<Synced> {
        self.sync_of(held, None)
    }

    pub fn sync_of(&self, held: Vec<Held>, epoch: Option<String>) -> OpResult<Synced> {
        let (caller, properties) = (Caller::public(), Properties::default());
        self.0
            .read(&SYNC, SyncOf { caller, properties, held, epoch, filters: BTreeMap::new(), looks: Looks::default() })
    }
}

pub fn code<T: std::fmt::Debug>(result: OpResult<T>) -> (&'static str, String) {
    let OpError { code, message, .. } = result.unwrap_err();
    (code.name, message)
}
