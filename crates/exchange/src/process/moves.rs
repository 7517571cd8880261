//! What the steps of a process do to its messages: each a few statements over all of them, with the ledger in the same commit.
//!
//! Files follow (`folders`): a message that changes its place is due for the clerk. What a commit moves stays with its process until its
//! file lies where it belongs; what has no file yet, or needs no move, is let go at once.

use base::mutants::{self, Mutant};
use base::{Heard, OpResult, Sql, Tx, args};
use kernel::OpCx;

use super::prepare::REPLIES_MAX;
use crate::arrivals;
use crate::folders::URGENT;
use crate::ledger::Moves;
use crate::rules::Rules;

pub(crate) static FREE: Sql = Sql::new(
    "exc_message.free",
    "UPDATE exc_message SET process = NULL, result = NULL, error_code = NULL, error_text = NULL \
     WHERE process = ?1 AND draft = 0 AND place = 'messages'",
);
pub(crate) static DROP_BODIES: Sql = Sql::new(
    "exc_body.drop_drafts",
    "DELETE FROM exc_body WHERE number IN (SELECT number FROM exc_message WHERE process = ?1 AND draft = 1)",
);
pub(crate) static DROP_DRAFTS: Sql =
    Sql::new("exc_message.drop_drafts", "DELETE FROM exc_message WHERE process = ?1 AND draft = 1");
pub(crate) static GIVE_UP_DRAFTS: Sql = Sql::new(
    "exc_message.give_up_drafts",
    "UPDATE exc_message SET place = 'gone', void = number, process = NULL, heard = ?2, due = ?3 WHERE process = ?1 AND draft = 1",
);
pub(crate) static LAY_DRAFTS: Sql = Sql::new(
    "exc_message.lay_drafts",
    "UPDATE exc_message SET place = ?2, heard = ?3, due = ?4 WHERE process = ?1 AND draft = 1",
);
/// What is not simply processed, or has a file that must be moved, or is a reply.
pub(crate) static UNUSUAL: Sql = Sql::new(
    "exc_message.unusual",
    "SELECT number FROM exc_message WHERE process = ?1 AND (draft = 1 OR COALESCE(result, '') <> 'PROCESSED' OR on_disk IS NOT NULL) \
     ORDER BY number LIMIT 1",
);
/// All that a process holds is done and let go: files follow.
pub(crate) static FINISH: Sql = Sql::new(
    "exc_message.finish",
    "UPDATE exc_message SET place = 'log', heard = ?2, due = ?3, process = NULL WHERE process = ?1",
);
/// Those of one result in one place go to another, and stay held.
pub(crate) static LAY: Sql = Sql::new(
    "exc_message.lay",
    "UPDATE exc_message SET place = ?4, heard = ?5, due = ?6 WHERE process = ?1 AND draft = 0 AND place = ?2 AND result = ?3",
);
/// Lets those in a place go, unless their files have to be moved first.
pub(crate) static LET_GO: Sql = Sql::new(
    "exc_message.let_go",
    "UPDATE exc_message SET process = NULL WHERE process = ?1 AND draft = 0 AND place = ?2 \
     AND (?3 = 1 OR due IS NULL OR on_disk IS NULL OR on_disk = place)",
);
pub(crate) static SEND_DRAFTS: Sql = Sql::new(
    "exc_message.send_drafts",
    "UPDATE exc_message SET process = NULL, draft = 0 WHERE process = ?1 AND draft = 1 AND place = 'messages' \
     AND (?2 = 1 OR due IS NULL OR on_disk IS NULL OR on_disk = place) RETURNING receiver",
);
pub(crate) static DROP_HELD_BODIES: Sql = Sql::new(
    "exc_body.drop_held",
    "DELETE FROM exc_body WHERE number IN (SELECT number FROM exc_message WHERE process = ?1)",
);
pub(crate) static DROP_GIVEN: Sql =
    Sql::new("exc_message.drop_given", "DELETE FROM exc_message WHERE process = ?1 AND draft = 0 AND place = ?2");
pub(crate) static GIVE_UP_GIVEN: Sql = Sql::new(
    "exc_message.give_up_given",
    "UPDATE exc_message SET place = 'gone', void = number, process = NULL, heard = ?3, due = ?4 WHERE process = ?1 AND draft = 0 AND place = ?2",
);
pub(crate) static HOLDS: Sql =
    Sql::new("exc_message.holds", "SELECT number FROM exc_message WHERE process = ?1 ORDER BY number LIMIT 1");

const DONE: &str = "PROCESSED";
const WRONG: &str = "PROCESSED_INCORRECT";

/// The messages of a process of a database, at a moment.
pub(crate) struct Held<'a> {
    process: &'a str,
    db: &'a str,
    heard: Heard,
    /// When the clerk shall look, where there are folders.
    due: Option<Heard>,
    /// When somebody shall look at what comes to rest.
    due_at_rest: Option<Heard>,
}

impl<'a> Held<'a> {
    pub(crate) fn new(cx: &OpCx<'_>, process: &'a str, db: &'a str) -> Self {
        let rules = cx.home.common::<Rules>();
        let (due, due_at_rest) = (rules.due(cx.heard), rules.due_at_rest(cx.heard));
        Self { process, db, heard: cx.heard, due, due_at_rest }
    }

    /// The database committed: results count, replies go out. Whether all of it is where it belongs.
    pub(crate) fn commit(&self, tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<bool> {
        if tx.query_one(&UNUSUAL, args![self.process])?.is_none() {
            return self.finish(tx).map(|()| true);
        }
        // Its database waits for these files: before all others.
        let urgent = self.due.map(|_| URGENT);
        let first = Self { due: urgent, due_at_rest: urgent.or(self.due_at_rest), ..*self };
        first.lay(tx, DONE, "messages", "log")?;
        first.lay(tx, WRONG, "messages", "error")?;
        if mutants::on(Mutant::ExchangeDeadlockDone) {
            first.lay(tx, "PROCESSED_DEADLOCK", "messages", "log")?;
        }
        first.lay_drafts(tx, "messages")?;
        first.let_go(tx, cx)
    }

    /// Everything was processed, and nothing waits for a file: one statement for all.
    fn finish(&self, tx: &mut dyn Tx) -> OpResult<()> {
        let log = count(tx.execute(&FINISH, args![self.process, self.heard, self.due_in("log")])?);
        if mutants::on(Mutant::ExchangeLedgerSkipped) {
            return Ok(());
        }
        Moves { in_process: -log, log, ..Moves::default() }.count(tx, self.db)
    }

    /// When somebody shall look at what comes to this place.
    fn due_in(&self, place: &str) -> Option<Heard> {
        let due = if matches!(place, "log" | "error") { self.due_at_rest } else { self.due };
        due.filter(|_| !mutants::on(Mutant::ExchangeFileForgotten))
    }

    /// Lets go what waits for no file any more. Whether nothing is held.
    pub(crate) fn let_go(&self, tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<bool> {
        // Without folders nothing waits for a file, though one may have been there before.
        let waits = self.due.is_some();
        let [log, error, again] = self.let_go_of(tx, ["log", "error", "messages"], !waits)?;
        let sent = self.send_drafts(tx, cx, !waits)?;
        let in_process = -(log + error + again);
        if mutants::on(Mutant::ExchangeLedgerSkipped) {
            return Ok(tx.query_one(&HOLDS, args![self.process])?.is_none());
        }
        Moves { received: sent, queued: again + sent, in_process, log, error, ..Moves::default() }
            .count(tx, self.db)?;
        Ok(tx.query_one(&HOLDS, args![self.process])?.is_none())
    }

    /// Nothing of it happened.
    pub(crate) fn undo(&self, tx: &mut dyn Tx) -> OpResult<()> {
        self.drop_drafts(tx)?;
        let free = count(tx.execute(&FREE, args![self.process])?);
        Moves { queued: free, in_process: -free, ..Moves::default() }.count(tx, self.db)
    }

    /// Nobody knows: what was given and prepared is set aside, and stays held by the process until somebody does.
    pub(crate) fn set_aside(&self, tx: &mut dyn Tx) -> OpResult<()> {
        let unknown = self.lay(tx, DONE, "messages", "unknown")?;
        let error = self.lay(tx, WRONG, "messages", "error")?;
        let [again] = self.let_go_of(tx, ["messages"], true)?;
        self.lay_drafts(tx, "unknown")?;
        let in_process = -(unknown + error + again);
        Moves { queued: again, in_process, unknown, error, ..Moves::default() }.count(tx, self.db)
    }

    /// What was set aside turns out to be committed. Nobody waits for its files: they follow.
    pub(crate) fn commit_aside(&self, tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<()> {
        let log = self.lay(tx, DONE, "unknown", "log")?;
        self.lay(tx, WRONG, "error", "error")?;
        self.let_go_of(tx, ["log", "error"], true)?;
        self.lay_drafts(tx, "messages")?;
        let sent = self.send_drafts(tx, cx, true)?;
        Moves { received: sent, queued: sent, log, unknown: -log, ..Moves::default() }.count(tx, self.db)
    }

    /// What was set aside turns out not to have happened: results are void, also those of errors.
    pub(crate) fn undo_aside(&self, tx: &mut dyn Tx) -> OpResult<()> {
        let unknown = self.lay(tx, DONE, "unknown", "messages")?;
        if mutants::on(Mutant::ExchangeErrorsKept) {
            self.let_go_of(tx, ["error"], true)?;
        }
        let error = self.lay(tx, WRONG, "error", "messages")?;
        tx.execute(&FREE, args![self.process])?;
        self.drop_drafts(tx)?;
        Moves { queued: unknown + error, unknown: -unknown, error: -error, ..Moves::default() }.count(tx, self.db)
    }

    /// Nobody will ever know what became of what was set aside: all of it is removed.
    pub(crate) fn forget_aside(&self, tx: &mut dyn Tx) -> OpResult<()> {
        self.drop_drafts(tx)?;
        tx.write(&DROP_HELD_BODIES, args![self.process])?;
        let (unknown, error) = (self.remove_given(tx, "unknown")?, self.remove_given(tx, "error")?);
        let removed = unknown + error;
        Moves { unknown: -unknown, error: -error, removed, ..Moves::default() }.count(tx, self.db)
    }

    /// Without folders they are gone; else their files go first.
    fn remove_given(&self, tx: &mut dyn Tx, place: &str) -> OpResult<i64> {
        let removed = match self.due {
            None => tx.execute(&DROP_GIVEN, args![self.process, place])?,
            Some(due) => tx.execute(&GIVE_UP_GIVEN, args![self.process, place, self.heard, due])?,
        };
        Ok(count(removed))
    }

    fn lay(&self, tx: &mut dyn Tx, result: &str, from: &str, to: &str) -> OpResult<i64> {
        Ok(count(tx.execute(&LAY, args![self.process, from, result, to, self.heard, self.due_in(to)])?))
    }

    fn lay_drafts(&self, tx: &mut dyn Tx, to: &str) -> OpResult<()> {
        Ok(tx.write(&LAY_DRAFTS, args![self.process, to, self.heard, self.due])?)
    }

    fn let_go_of<const N: usize>(&self, tx: &mut dyn Tx, places: [&str; N], also_moving: bool) -> OpResult<[i64; N]> {
        let mut counts = [0; N];
        for (place, sum) in places.iter().zip(&mut counts) {
            *sum = count(tx.execute(&LET_GO, args![self.process, *place, also_moving])?);
        }
        Ok(counts)
    }

    /// Sends what was replied, and tells whom it is for.
    fn send_drafts(&self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, also_moving: bool) -> OpResult<i64> {
        let sent = tx.query(&SEND_DRAFTS, args![self.process, also_moving], REPLIES_MAX)?;
        sent.iter().for_each(|row| arrivals::tell(cx, row.text(0)));
        Ok(i64::try_from(sent.len()).unwrap_or(i64::MAX))
    }

    /// Without folders they are gone; else their files go first.
    fn drop_drafts(&self, tx: &mut dyn Tx) -> OpResult<()> {
        if mutants::on(Mutant::ExchangeDraftsKept) {
            return Ok(());
        }
        tx.write(&DROP_BODIES, args![self.process])?;
        match self.due {
            None => tx.write(&DROP_DRAFTS, args![self.process])?,
            Some(due) => tx.write(&GIVE_UP_DRAFTS, args![self.process, self.heard, due])?,
        }
        Ok(())
    }
}

fn count(rows: u64) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
