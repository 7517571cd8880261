//! Operations that open and close alerts, and what the store then says of them. The dispatchers of the nodes tell of them.

use base::{Row, Sql, StoreResult, Tx, args};
use kernel::Op;
use kernel::alerts::acknowledge::{ACKNOWLEDGE_ALERT, Acknowledge};
use kernel::alerts::{AlertSettings, Channel, Pace};
use kernel::watch::WatchConfig;

/// Time between two messages of one kind, in listening time.
pub const PACE_MS: i64 = 10_000;
/// The second channel.
pub const WEBHOOK: &str = "https://sms.example/x";

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
static OLDEST: Sql = Sql::new("siren.oldest", "SELECT id FROM alert WHERE closed_at IS NULL ORDER BY id LIMIT 1");

/// A quick pace, and a node of its own for each life, so that its counters can be told apart.
pub fn watch_config(life: u32) -> WatchConfig {
    let mail = Channel::Mail { to: vec!["ops@example.org".into()] };
    let webhook = Channel::Webhook { url: WEBHOOK.into(), secret: None };
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
