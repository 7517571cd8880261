//! A small dispatcher for the task of alerts: claims what is due, keeps the call in memory, settles what came of it. Killing it
//! forgets the call, as a killed process would.

use std::sync::atomic::Ordering;

use base::{Call, CallResult, HttpReply, OpResult, Row, Sql, Tx, Wall, args};
use kernel::alerts::acknowledge::{ACKNOWLEDGE_ALERT, Acknowledge};
use kernel::alerts::set_channels::{SET_CHANNELS, SetChannels};
use kernel::alerts::{self, Channel};
use kernel::{Op, OpCx, Plan, TaskRow};
use serde::{Deserialize, Serialize};

use crate::world::World;

/// A call that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    pub task: String,
    pub channel: String,
    pub id: String,
    pub text: String,
}

/// What comes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Came {
    Good,
    Refused,
    Unknown,
}

impl Came {
    fn of(self, channel: &str) -> CallResult {
        let reply = |status| CallResult::Http(HttpReply { status, headers: vec![], body: vec![] });
        match (self, channel) {
            (Self::Good, "mail") => CallResult::Mailed,
            (Self::Good, _) => reply(200),
            (Self::Refused, "mail") => CallResult::NotMade("no route".into()),
            (Self::Refused, _) => reply(403),
            (Self::Unknown, _) => CallResult::Unknown("the connection broke".into()),
        }
    }
}

static DUE: Sql = Sql::new(
    "test.due",
    "SELECT id, op, param, start_at FROM task WHERE op = 'alert.send' AND start_at <= ?1 ORDER BY start_at, id LIMIT 1",
);
static GET: Sql = Sql::new("test.task", "SELECT id, op, param, start_at FROM task WHERE id = ?1");
static DELETE: Sql = Sql::new("test.task_done", "DELETE FROM task WHERE id = ?1");
static MOVE: Sql = Sql::new("test.task_later", "UPDATE task SET start_at = ?2 WHERE id = ?1");

fn task(row: &Row) -> TaskRow {
    TaskRow::first_attempt(row.id(0), row.text(1), row.text(2), Wall(row.int(3)))
}

/// Plans the task that is due.
static PLAN: Op<(), Option<Made>> = Op::new("test.plan", |tx, cx, ()| {
    let Some(row) = tx.query_one(&DUE, args![cx.wall])? else { return Ok(None) };
    let task = task(&row);
    let plan = (alerts::SERVICE.tasks[0].plan)(tx, cx, &task)?;
    apply(tx, &task, plan)
});

/// Settles a call; one whose task is gone settles nothing.
static SETTLE: Op<(Made, Came), Option<Made>> = Op::new("test.settle", |tx, cx: &mut OpCx<'_>, (made, came)| {
    let Some(row) = tx.query_one(&GET, args![&made.task])? else { return Ok(None) };
    let task = task(&row);
    let plan = (alerts::SERVICE.tasks[0].settle)(tx, cx, &task, &came.of(&made.channel))?;
    apply(tx, &task, plan)
});

fn apply(tx: &mut dyn Tx, task: &TaskRow, plan: Plan) -> OpResult<Option<Made>> {
    match plan {
        Plan::Done => tx.write(&DELETE, args![task.id])?,
        Plan::Later(at) => tx.write(&MOVE, args![task.id, at])?,
        Plan::Call(call) => return Ok(Some(made(task, call))),
        Plan::DoneUntil(_) | Plan::Checkpoint(_) | Plan::CheckpointAt(..) | Plan::Park(_) => {
            panic!("not a plan of this task: {plan:?}")
        }
    }
    Ok(None)
}

fn made(task: &TaskRow, call: Call) -> Made {
    let task = task.id.to_string();
    match call {
        Call::Mail(mail) => Made { task, channel: "mail".into(), id: mail.id, text: mail.subject + "\n" + &mail.text },
        Call::Http(http) => {
            let body: serde_json::Value = serde_json::from_slice(&http.body).unwrap();
            let text =
                format!("{}\n{}", body["data"]["subject"].as_str().unwrap(), body["data"]["text"].as_str().unwrap());
            Made { task, channel: "webhook".into(), id: body["id"].as_str().unwrap().into(), text }
        }
        Call::Work(_) => panic!("alerts have no work"),
    }
}

static OPEN: Op<(String, String), ()> = Op::new("test.open", |_, cx, (key, kind)| {
    cx.fx.open_alert(key, kind, format!("{key} is bad"));
    Ok(())
});
static CLOSE: Op<String, ()> = Op::new("test.close_alert", |_, cx, key| {
    cx.fx.close_alert(key);
    Ok(())
});

/// A world with a dispatcher.
pub struct Driver {
    pub world: World,
    pub in_flight: Option<Made>,
    /// Every call that was made, in order.
    pub calls: Vec<Made>,
}

impl Driver {
    /// With mail first and a webhook second.
    pub fn new() -> Self {
        let driver = Self { world: World::new(), in_flight: None, calls: vec![] };
        let mail = Channel::Mail { to: vec!["ops@example.org".into()] };
        driver.set_channels(vec![mail, Channel::Webhook { url: "https://sms.example/x".into(), secret: None }]);
        driver
    }

    pub fn set_channels(&self, channels: Vec<Channel>) {
        let channels = channels.into_iter().map(Into::into).collect();
        self.world.call(&SET_CHANNELS, self.world.request(), SetChannels { channels }).unwrap();
    }

    pub fn open(&self, key: &str, kind: &str) {
        self.world.call(&OPEN, self.world.request(), (key.into(), kind.into())).unwrap();
    }

    pub fn close(&self, key: &str) {
        self.world.call(&CLOSE, self.world.request(), key.into()).unwrap();
    }

    pub fn acknowledge(&self, id: &str) -> String {
        let input = Acknowledge { id: id.into() };
        self.world.call(&ACKNOWLEDGE_ALERT, self.world.request(), input).unwrap().out.state
    }

    /// Time passes, by the calendar and by listening.
    pub fn pass(&self, ms: i64) {
        self.world.clock.wall_ms.fetch_add(ms, Ordering::Relaxed);
        self.world.clock.ran_ms.fetch_add(ms.unsigned_abs(), Ordering::Relaxed);
    }

    /// Starts what is due, unless a call is under way.
    pub fn look(&mut self) -> Option<Made> {
        if self.in_flight.is_none() {
            self.in_flight = self.world.call(&PLAN, self.world.request(), ()).unwrap().out;
            self.calls.extend(self.in_flight.clone());
        }
        self.in_flight.clone()
    }

    /// The call under way ends like this.
    pub fn end(&mut self, came: Came) -> Option<Made> {
        let made = self.in_flight.take().expect("a call under way");
        self.in_flight = self.world.call(&SETTLE, self.world.request(), (made, came)).unwrap().out;
        self.calls.extend(self.in_flight.clone());
        self.in_flight.clone()
    }

    /// The process ends; nobody hears of the call.
    pub fn kill(&mut self) {
        self.in_flight = None;
    }
}
