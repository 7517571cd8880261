//! Operations that open and close alerts, and a small dispatcher for the task that tells of them: plan, call, settle, fenced by
//! the attempt.

use base::{Call, CallResult, HttpCall, OpResult, Row, Sql, StoreResult, Tx, Wall, args};
use kernel::alerts::acknowledge::{ACKNOWLEDGE_ALERT, Acknowledge};
use kernel::alerts::{self, AlertSettings, Channel, Pace};
use kernel::watch::WatchConfig;
use kernel::{Op, Plan, TaskRow};
use serde::{Deserialize, Serialize};

use crate::partner::ONCE;

/// Time between two messages of one kind, in listening time.
pub const PACE_MS: i64 = 10_000;

/// Opens the alert of a key.
pub static OPEN: Op<(String, String), ()> = Op::new("siren.open", |_, cx, (key, kind)| {
    cx.fx.open_alert(key, kind, format!("{key} is bad"));
    Ok(())
});
/// Closes it.
pub static CLOSE: Op<(String, String), ()> = Op::new("siren.close", |_, cx, (key, _)| {
    cx.fx.close_alert(key);
    Ok(())
});
/// Acknowledges the oldest open alert.
pub static ACKNOWLEDGE: Op<(String, String), ()> = Op::new("siren.acknowledge", |tx, cx, _| {
    if let Some(row) = tx.query_one(&OLDEST, args![])? {
        (ACKNOWLEDGE_ALERT.run)(tx, cx, &Acknowledge { id: row.text(0).to_owned() })?;
    }
    Ok(())
});
/// Plans the task that is due.
pub static PLAN: Op<(), Option<Made>> = Op::new("siren.plan", |tx, cx, ()| {
    let Some(row) = tx.query_one(&DUE, args![cx.wall])? else { return Ok(None) };
    let task = task(&row, row.int(4) + 1);
    tx.write(&CLAIM, args![task.id, task.attempt])?;
    let plan = (alerts::SERVICE.tasks[0].plan)(tx, cx, &task)?;
    apply(tx, &task, plan)
});
/// Settles a call, unless a later attempt has begun.
pub static SETTLE: Op<(Made, CallResult), Option<Made>> = Op::new("siren.settle", |tx, cx, (made, result)| {
    let Some(row) = tx.query_one(&GET, args![&made.task])? else { return Ok(None) };
    if row.int(4) != made.attempt {
        return Ok(None);
    }
    let task = task(&row, made.attempt);
    let plan = (alerts::SERVICE.tasks[0].settle)(tx, cx, &task, result)?;
    apply(tx, &task, plan)
});

/// A call to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// Whose.
    pub task: String,
    /// In which attempt.
    pub attempt: i64,
    /// Id of the message.
    pub id: String,
    /// Whether it is a mail.
    pub mail: bool,
}

impl Made {
    /// As the partner sees it.
    pub fn call(&self) -> HttpCall {
        let headers = vec![(ONCE.to_owned(), self.id.clone())];
        let url = "http://partner.example/alerts".to_owned();
        HttpCall { method: "POST", url, headers, body: vec![], timeout_ms: 30_000, reply_max: 1_024 }
    }

    /// What the server hears; a mail server has no status.
    pub fn heard(&self, result: CallResult) -> CallResult {
        match result {
            CallResult::Http(reply) if self.mail && reply.status < 300 => CallResult::Mailed,
            CallResult::Http(reply) if self.mail && reply.status < 500 => CallResult::NotMade("450 later".into()),
            CallResult::Http(_) if self.mail => CallResult::Unknown("cut off".into()),
            other => other,
        }
    }
}

static DUE: Sql = Sql::new(
    "siren.due",
    "SELECT id, op, param, start_at, attempt FROM task WHERE op = 'alert.send' AND start_at <= ?1 \
     ORDER BY start_at, id LIMIT 1",
);
static OLDEST: Sql = Sql::new("siren.oldest", "SELECT id FROM alert WHERE closed_at IS NULL ORDER BY id LIMIT 1");
static GET: Sql = Sql::new("siren.task", "SELECT id, op, param, start_at, attempt FROM task WHERE id = ?1");
static CLAIM: Sql = Sql::new("siren.claim", "UPDATE task SET attempt = ?2 WHERE id = ?1");
static DONE: Sql = Sql::new("siren.done", "DELETE FROM task WHERE id = ?1");
static LATER: Sql = Sql::new("siren.later", "UPDATE task SET start_at = ?2 WHERE id = ?1");

fn task(row: &Row, attempt: i64) -> TaskRow {
    TaskRow {
        id: row.id(0),
        op: row.text(1).to_owned(),
        param: row.text(2).to_owned(),
        attempt,
        retry: 0,
        start_time: Wall(row.int(3)),
        checkpoint: None,
    }
}

fn apply(tx: &mut dyn Tx, task: &TaskRow, plan: Plan) -> OpResult<Option<Made>> {
    match plan {
        Plan::Later(at) => tx.write(&LATER, args![task.id, at])?,
        Plan::Call(call) => return Ok(Some(made(task, &call))),
        Plan::Done | Plan::Checkpoint(_) | Plan::Park(_) => tx.write(&DONE, args![task.id])?,
    }
    Ok(None)
}

fn made(task: &TaskRow, call: &Call) -> Made {
    let (id, mail) = match call {
        Call::Mail(mail) => (mail.id.clone(), true),
        Call::Http(http) => {
            let id = http.headers.iter().find(|(name, _)| name == ONCE).map(|(_, id)| id.clone());
            (id.unwrap_or_default(), false)
        }
        Call::Work(_) => (String::new(), false),
    };
    Made { task: task.id.to_string(), attempt: task.attempt, id, mail }
}

/// A quick pace, and a node of its own for each life, so that its counters can be told apart.
pub fn watch_config(life: u32) -> WatchConfig {
    let mail = Channel::Mail { to: vec!["ops@example.org".into()] };
    let webhook = Channel::Webhook { url: "https://sms.example/x".into(), secret: None };
    let pace = Pace { gather_ms: 2_000, pace_ms: PACE_MS, repeat_ms: 60_000 };
    let alerts = AlertSettings { channels: vec![mail, webhook], pace, ..AlertSettings::default() };
    WatchConfig { node: format!("life {life}"), alerts, round_ms: 3_000, ..WatchConfig::default() }
}

static TOLD: Sql = Sql::new(
    "siren.told",
    "SELECT a.key, a.closed_at, o.id, o.done_at, c.id, c.done_at FROM alert a \
     LEFT JOIN alert_message o ON o.id = a.opening_message LEFT JOIN alert_message c ON c.id = a.closing_message \
     WHERE a.kind <> 'alerts.channel' ORDER BY a.id LIMIT 4000",
);
static KINDS: Sql = Sql::new(
    "siren.kinds",
    "SELECT k.kind, k.sent_at, k.task_id, t.id FROM alert_kind k LEFT JOIN task t ON t.id = k.task_id ORDER BY k.kind LIMIT 100",
);
static SENT: Sql =
    Sql::new("siren.sent", "SELECT id FROM alert_message WHERE done_at IS NOT NULL ORDER BY id LIMIT 4000");
static COUNTED: Sql =
    Sql::new("siren.counted", "SELECT node, sent FROM counter WHERE kind = 'siren' ORDER BY node LIMIT 4000");

/// What the store says.
pub struct Seen {
    /// Keys of alerts of which not everything was told.
    pub untold: Vec<String>,
    /// Kinds, when their last message was made, and whether the task that they name is there.
    pub kinds: Vec<(String, Option<i64>, bool)>,
    /// Messages that count as sent.
    pub sent: Vec<String>,
    /// Counters by node.
    pub counted: Vec<(String, i64)>,
}

/// Looks at everything.
///
/// # Errors
/// The store failed.
pub fn seen(tx: &mut dyn Tx) -> StoreResult<Seen> {
    let untold = |row: &&Row| row.opt_int(3).is_none() || (row.opt_int(1).is_some() && row.opt_int(5).is_none());
    let kind = |row: &Row| {
        let there = row.opt_text(2).is_none() || row.opt_text(3).is_some();
        (row.text(0).to_owned(), row.opt_int(1), there)
    };
    Ok(Seen {
        untold: tx.query(&TOLD, args![], 4000)?.iter().filter(untold).map(|row| row.text(0).to_owned()).collect(),
        kinds: tx.query(&KINDS, args![], 100)?.iter().map(kind).collect(),
        sent: tx.query(&SENT, args![], 4000)?.iter().map(|row| row.text(0).to_owned()).collect(),
        counted: tx.query(&COUNTED, args![], 4000)?.iter().map(|row| (row.text(0).to_owned(), row.int(1))).collect(),
    })
}
