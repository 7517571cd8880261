//! What the tests share: a world with a few classes, and short ways to commit, get and sync.

use std::collections::BTreeMap;

use base::{Id, OpError, OpResult, Wall, codes};
use documents::{
    COMMIT, ClassDecl, Commit, DECLARE, Found, FullDoc, Looks, READ, SEARCH, SYNC, SearchOf, SyncFilter, SyncFilterOf,
    SyncOf, Synced,
};
use kernel::tasks::Dispatcher;
use kernel::{Caller, Op, Plan, PlanFn, Properties, Request, TaskRow};
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

    /// Commits as somebody else.
    pub fn commit_as(&self, who: &str, changes: Value) -> OpResult<i64> {
        let commit: Commit = serde_json::from_value(json!({ "changes": changes })).unwrap();
        let request = self.0.request();
        let request = Request { caller: Caller { name: who.to_owned(), ..request.caller }, ..request };
        self.0.call_as(&COMMIT, request, commit).map(|reply| reply.out.version.map_or(0, |stamp| stamp.number()))
    }

    /// Puts one item of a contact.
    pub fn put(&self, id: &str, item: &str, key: Option<&str>, value: Value) -> i64 {
        self.commit(json!([{ "c": "Contact", "id": id, "items": [{ "c": item, "k": key, "j": value }] }])).unwrap()
    }

    pub fn read(&self, class: &str, id: &str) -> OpResult<FullDoc> {
        self.0.read(&READ, (class.to_owned(), id.to_owned()))
    }

    pub fn search(&self, search: Value) -> OpResult<Found> {
        self.0.read(&SEARCH, search_of(search, None))
    }

    pub fn search_seeing(&self, search: Value, filter: SyncFilter) -> OpResult<Found> {
        self.0.read(&SEARCH, search_of(search, Some(SyncFilterOf(filter))))
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

/// What becomes of a cycle of a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fate {
    Committed,
    /// Its work is undone, as if the process had been killed before the commit.
    Killed,
}

struct Cycle(PlanFn, TaskRow, Fate);

/// Runs a cycle; its result is the next checkpoint.
static CYCLE: Op<Cycle, Option<String>> = Op::new("test.cycle", |tx, cx, Cycle(plan, row, fate)| {
    let next = match plan(tx, cx, row)? {
        Plan::Checkpoint(text) => Some(text),
        Plan::Done => None,
        other => panic!("{other:?}"),
    };
    match fate {
        Fate::Committed => Ok(next),
        Fate::Killed => Err(OpError::new(codes::ATASK, serde_json::to_string(&next).unwrap())),
    }
});

impl Desk {
    /// Tasks stand until [`Self::work_on`].
    pub fn stop_tasks(&self) {
        self.0.dispatcher.stop();
    }

    /// Lets another dispatcher run what waits.
    pub fn work_on(&self) {
        let dispatcher = Dispatcher::start(&self.0.kernel, self.0.partner.clone());
        self.0.pass_ms(60_000);
        dispatcher.stop();
    }

    /// Runs one cycle of a task about an index, without its dispatcher; the next checkpoint.
    pub fn cycle(&self, op: &str, number: i64, checkpoint: Option<String>, fate: Fate) -> Option<String> {
        let plan = documents::SERVICE.tasks.iter().find(|task| task.op == op).unwrap().plan;
        let (id, start_time) = (Id::new(Wall(1), [0; 10]), Wall(1));
        let (op, param) = (op.to_owned(), number.to_string());
        let row = TaskRow { id, op, param, target: None, attempt: 1, retry: 0, start_time, checkpoint };
        match self.0.call(&CYCLE, Cycle(plan, row, fate)) {
            Ok(reply) => reply.out,
            Err(killed) if killed.code == codes::ATASK => serde_json::from_str(&killed.message).unwrap(),
            Err(error) => panic!("{error}"),
        }
    }
}

pub fn search_of(search: Value, filter: Option<SyncFilterOf>) -> SearchOf {
    let search = serde_json::from_value(search).unwrap();
    SearchOf { search, caller: Caller::public(), properties: Properties::default(), filter }
}

pub fn code<T: std::fmt::Debug>(result: OpResult<T>) -> (&'static str, String) {
    let OpError { code, message, .. } = result.unwrap_err();
    (code.name, message)
}
