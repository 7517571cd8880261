//! Messages as rows: what is said, and every try to say it.

use base::{Id, OpError, OpResult, Sql, StoreResult, Tx, args, codes};

use super::channel::Sent;
use crate::cx::OpCx;
use crate::service::Violation;

/// A message that is on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) id: Id,
    pub(crate) kind: String,
    pub(crate) subject: String,
    pub(crate) text: String,
    /// Which channel is tried now.
    pub(crate) place: i64,
    /// How often, without hearing what came of it.
    pub(crate) place_tries: i64,
    /// How often all channels failed.
    pub(crate) rounds: i64,
    /// Tries in all.
    pub(crate) tries: i64,
}

pub(crate) static INSERT: Sql = Sql::new(
    "alert_message.insert",
    "INSERT INTO alert_message (id, kind, subject, text, made_at, place, place_tries, rounds, tries, heard) \
     VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, 0, 0, ?6)",
);
pub(crate) static GET: Sql = Sql::new(
    "alert_message.get",
    "SELECT kind, subject, text, place, place_tries, rounds, tries FROM alert_message WHERE id = ?1",
);
pub(crate) static SAVE: Sql = Sql::new(
    "alert_message.save",
    "UPDATE alert_message SET place = ?2, place_tries = ?3, rounds = ?4, tries = ?5, done_at = ?6, heard = ?7 WHERE id = ?1",
);
pub(crate) static TRY: Sql = Sql::new(
    "alert_attempt.insert",
    "INSERT INTO alert_attempt (message_id, number, channel, at, outcome, reason) \
     VALUES (?1, ?2, ?3, ?4, 'unknown', 'nothing came of it yet')",
);
pub(crate) static CAME: Sql = Sql::new(
    "alert_attempt.came",
    "UPDATE alert_attempt SET outcome = ?3, reason = ?4 WHERE message_id = ?1 AND number = ?2",
);
pub(crate) static PRUNE: Sql =
    Sql::new("alert_attempt.prune", "DELETE FROM alert_attempt WHERE message_id = ?1 AND number <= ?2");

pub(crate) static ORPHANS: Sql = Sql::new(
    "alert_message.orphans",
    "SELECT m.id FROM alert_message m LEFT JOIN alert_kind k ON k.message_id = m.id \
     WHERE m.done_at IS NULL AND k.kind IS NULL ORDER BY m.id LIMIT 100",
);

/// Tries that are kept of one message.
const TRIES_KEPT: i64 = 100;

impl Message {
    /// A new message, not tried yet.
    pub(crate) fn create(
        tx: &mut dyn Tx,
        cx: &mut OpCx<'_>,
        id: Id,
        kind: &str,
        (subject, text): (String, String),
    ) -> OpResult<Self> {
        tx.write(&INSERT, args![id, kind, &subject, &text, cx.wall, cx.heard])?;
        Ok(Self { id, kind: kind.to_owned(), subject, text, place: 0, place_tries: 0, rounds: 0, tries: 0 })
    }

    pub(crate) fn get(tx: &mut dyn Tx, id: Id) -> OpResult<Self> {
        let row = tx.query_one(&GET, args![id])?;
        let row = row.ok_or_else(|| OpError::new(codes::BDETECTED, format!("alert message {id} is not there")))?;
        Ok(Self {
            id,
            kind: row.text(0).to_owned(),
            subject: row.text(1).to_owned(),
            text: row.text(2).to_owned(),
            place: row.int(3),
            place_tries: row.int(4),
            rounds: row.int(5),
            tries: row.int(6),
        })
    }

    pub(crate) fn save(&self, tx: &mut dyn Tx, cx: &OpCx<'_>, done: bool) -> OpResult<()> {
        let Self { id, place, place_tries, rounds, tries, .. } = self;
        let done_at = done.then_some(cx.wall);
        Ok(tx.write(&SAVE, args![*id, *place, *place_tries, *rounds, *tries, done_at, cx.heard])?)
    }

    /// Writes a try down before it is made.
    pub(crate) fn tried(&mut self, tx: &mut dyn Tx, cx: &OpCx<'_>, channel: &str) -> OpResult<()> {
        self.tries += 1;
        self.place_tries += 1;
        tx.write(&TRY, args![self.id, self.tries, channel, cx.wall])?;
        if self.tries > TRIES_KEPT {
            tx.write(&PRUNE, args![self.id, self.tries - TRIES_KEPT])?;
        }
        self.save(tx, cx, false)
    }

    /// Writes down what came of the last try.
    pub(crate) fn came(&mut self, tx: &mut dyn Tx, sent: &Sent) -> OpResult<()> {
        self.place_tries = 0;
        Ok(tx.write(&CAME, args![self.id, self.tries, sent.word(), sent.reason()])?)
    }
}

/// Messages that are neither out nor worked on.
pub(crate) fn orphans(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&ORPHANS, args![], 100)?;
    Ok(rows.iter().map(|row| Violation(format!("alert message {}", row.text(0)))).collect())
}
