//! Gives a database the messages that wait for it (EXC-10).

use std::collections::{BTreeMap, BTreeSet};

use base::limits::PORTION_ROWS;
use base::{OpError, OpResult, Row, Sql, Tx, args, codes};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::row;
use crate::codes::NPARTY;
use crate::ledger::Moves;
use crate::ledger::together;
use crate::message::{DATABASE, DEVICE, MessageText, body_of};
use crate::rules::Rules;
use crate::statistics;
use crate::tens::tens;

/// Starts a process. A repeat of the request gives the same process with the same messages.
pub static START: Op<Start, Started> = Op::new("exchange.start", start).keyed(together).rebuilt(started_again).ending();

/// Names in a filter.
const FILTER_MAX: usize = 100;

/// What a database wants.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Its id.
    pub db: String,
    /// Only messages of these subsystems.
    pub subsystems: Option<Vec<String>>,
    /// Only messages of these senders.
    pub senders: Option<Vec<String>>,
    /// At most so many.
    pub max_files: Option<u32>,
    /// At most so many megabytes, but one message at least.
    pub max_mb: Option<f64>,
}

/// What a database is told when it wants to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum StartAnswer {
    /// Nothing waits.
    Idle,
    /// A process of this database is active.
    Busy,
    /// Here it is.
    Ok,
}

/// What it gets.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Started {
    /// Whether there is a process.
    pub status: StartAnswer,
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<String>,
    /// The messages, as they came, oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<MessageText>>,
}

pub(crate) static ACTIVE: Sql = Sql::new(
    "exc_process.active",
    "SELECT id FROM exc_process WHERE db = ?1 AND state IN ('STARTED', 'READY_TO_COMMIT', 'CLEANUP')",
);
macro_rules! queue {
    ($of:literal) => {
        concat!(
            "SELECT number, id, size, skipped, at, ord, sender FROM exc_message WHERE receiver = ?1 AND ",
            $of,
            "place = 'messages' AND process IS NULL ORDER BY skipped, at, ord, number LIMIT ?2"
        )
    };
}
pub(crate) static QUEUE: Sql = Sql::new("exc_message.queue", queue!(""));
pub(crate) static QUEUE_OF: Sql = Sql::new("exc_message.queue_of", queue!("subsystem = ?3 AND "));
pub(crate) static QUEUE_FROM: Sql = Sql::new("exc_message.queue_from", queue!("sender = ?3 AND "));
pub(crate) static HOLD: Sql = Sql::new(
    "exc_message.hold",
    "UPDATE exc_message SET process = ?1 WHERE number IN (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
);
pub(crate) static GIVE: Sql = Sql::new(
    "exc_given.insert",
    "INSERT INTO exc_given (process, number, id) SELECT process, number, id FROM exc_message WHERE process = ?1",
);
pub(crate) static GIVEN: Sql = Sql::new(
    "exc_given.of",
    "SELECT g.number FROM exc_given g JOIN exc_message m ON m.number = g.number WHERE g.process = ?1 AND g.reply = 0 AND m.process = ?1 \
     ORDER BY m.skipped, m.at, m.ord, m.number",
);

fn start(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &Start) -> OpResult<Started> {
    check(wanted)?;
    let rules = cx.home.common::<Rules>().get();
    let (files, bytes) = rules.within(wanted.max_files, wanted.max_mb)?;
    let absent = || OpError::new(NPARTY, format!("no database `{}`", wanted.db));
    tx.query_one(&DATABASE, args![&wanted.db])?.ok_or_else(absent)?;
    if tx.query_one(&ACTIVE, args![&wanted.db])?.is_some() {
        return Ok(Started { status: StartAnswer::Busy, process: None, messages: None });
    }
    statistics::database_spoke(tx, cx, &wanted.db)?;
    let chosen = within(candidates(tx, wanted, files)?, files, bytes);
    if chosen.is_empty() {
        return Ok(Started { status: StartAnswer::Idle, process: None, messages: None });
    }
    let process = cx.id().to_string();
    tx.write(&row::INSERT, args![&process, &wanted.db, cx.wall, cx.heard.plus_ms(rules.started_ms)])?;
    let numbers: Vec<i64> = chosen.iter().map(|message| message.number).collect();
    for ten in tens(args![&process], &numbers) {
        tx.write(&HOLD, &ten)?;
    }
    tx.write(&GIVE, args![&process])?;
    let many = i64::try_from(chosen.len()).unwrap_or(i64::MAX);
    Moves { queued: -many, in_process: many, ..Moves::default() }.count(tx, &wanted.db)?;
    answer(tx, process, &numbers)
}

/// The same again, for whoever did not hear the answer; without what the process has let go since.
fn started_again(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &Start) -> OpResult<Started> {
    let process = cx.id().to_string();
    if row::Process::find(tx, &process)?.is_none() {
        // Then nothing was given; what waits now is for a new request.
        let busy = tx.query_one(&ACTIVE, args![&wanted.db])?.is_some();
        return Ok(Started {
            status: if busy { StartAnswer::Busy } else { StartAnswer::Idle },
            process: None,
            messages: None,
        });
    }
    let rows = tx.query(&GIVEN, args![&process], usize::from(u16::MAX))?;
    let numbers: Vec<i64> = rows.iter().map(|row| row.int(0)).collect();
    answer(tx, process, &numbers)
}

fn answer(tx: &mut dyn Tx, process: String, numbers: &[i64]) -> OpResult<Started> {
    let messages = numbers.iter().map(|number| body_of(tx, *number)).collect::<OpResult<_>>()?;
    Ok(Started { status: StartAnswer::Ok, process: Some(process), messages: Some(messages) })
}

fn check(wanted: &Start) -> OpResult<()> {
    for names in [&wanted.subsystems, &wanted.senders].into_iter().flatten() {
        if names.len() > FILTER_MAX {
            return Err(OpError::new(
                codes::ALIMIT,
                format!("{} names in a filter, at most {FILTER_MAX}", names.len()),
            ));
        }
    }
    Ok(())
}

/// A message that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Waiting {
    number: i64,
    id: String,
    size: i64,
    sender: String,
    /// Never skipped ones first, then by time.
    order: (i64, i64, i64, i64),
}

impl Waiting {
    fn of(row: &Row) -> Self {
        let number = row.int(0);
        let order = (row.int(3), row.int(4), row.int(5), number);
        let word = |column: usize| row.text(column).to_owned();
        Self { number, id: word(1), size: row.int(2), sender: word(6), order }
    }
}

/// The first of those that are wanted, by an index whatever the filter is.
fn candidates(tx: &mut dyn Tx, wanted: &Start, files: usize) -> OpResult<Vec<Waiting>> {
    let limit = i64::try_from(files).unwrap_or(i64::MAX);
    match (&wanted.senders, &wanted.subsystems) {
        (Some(senders), Some(subsystems)) => {
            let senders = senders_of(tx, senders, subsystems)?;
            first_of(tx, &QUEUE_FROM, &wanted.db, &senders, files)
        }
        (Some(senders), None) => first_of(tx, &QUEUE_FROM, &wanted.db, senders, files),
        (None, Some(subsystems)) => first_of(tx, &QUEUE_OF, &wanted.db, subsystems, files),
        (None, None) => Ok(tx.query(&QUEUE, args![&wanted.db, limit], files)?.iter().map(Waiting::of).collect()),
    }
}

/// Those of these subsystems. What waits for a database is of devices, and all that a device sends is of its own subsystem, for ever: one of
/// another is no reason to look at its messages, which might be so many that those of others are never seen.
fn senders_of(tx: &mut dyn Tx, senders: &[String], subsystems: &[String]) -> OpResult<Vec<String>> {
    let mut of = vec![];
    for sender in senders {
        let device = tx.query_one(&DEVICE, args![sender])?;
        if device.is_some_and(|device| subsystems.iter().any(|subsystem| subsystem == device.text(1))) {
            of.push(sender.clone());
        }
    }
    Ok(of)
}

/// The first of those of all names. Each name gives a bounded number of rows, so that many names do not make too many: behind the last row
/// of a name that may have more, nothing is known to be next.
fn first_of(tx: &mut dyn Tx, sql: &'static Sql, db: &str, names: &[String], files: usize) -> OpResult<Vec<Waiting>> {
    let most = files.min(PORTION_ROWS / names.len().max(1));
    let limit = i64::try_from(most).unwrap_or(i64::MAX);
    let (mut found, mut known_until) = (BTreeMap::new(), None);
    for name in names {
        let rows = tx.query(sql, args![db, limit, name], most)?;
        let waiting: Vec<Waiting> = rows.iter().map(Waiting::of).collect();
        let last = waiting.last().filter(|_| waiting.len() == most).map(|last| last.order);
        known_until = known_until.into_iter().chain(last).min();
        found.extend(waiting.into_iter().map(|waiting| (waiting.order, waiting)));
    }
    found.retain(|order, _| known_until.is_none_or(|until| *order <= until));
    Ok(found.into_values().collect())
}

/// As many as fit, and one at least.
fn within(candidates: Vec<Waiting>, files: usize, bytes: i64) -> Vec<Waiting> {
    let mut sum = 0_i64;
    let fits = |(place, waiting): &(usize, Waiting)| {
        sum = sum.saturating_add(waiting.size);
        *place == 0 || sum <= bytes
    };
    let first = differing(candidates).into_iter().take(files).enumerate();
    first.take_while(fits).map(|(_, waiting)| waiting).collect()
}

/// Senders choose ids, and results name messages by them: the second of two that are called alike waits for the next process, and with it
/// what its sender sent after it.
fn differing(candidates: Vec<Waiting>) -> Vec<Waiting> {
    let (mut named, mut late) = (BTreeSet::new(), BTreeSet::new());
    let differs = |waiting: &Waiting| {
        let is_new = !late.contains(&waiting.sender) && named.insert(waiting.id.clone());
        if !is_new {
            late.insert(waiting.sender.clone());
        }
        is_new
    };
    candidates.into_iter().filter(differs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(number: i64, size: i64) -> Waiting {
        Waiting { number, id: number.to_string(), size, sender: "a".into(), order: (0, 0, 0, number) }
    }

    #[test]
    fn exc_10_as_many_as_fit_and_one_at_least() {
        let all = || vec![waiting(1, 30), waiting(2, 30), waiting(3, 50), waiting(4, 1)];
        let numbers = |files, bytes| -> Vec<i64> { within(all(), files, bytes).iter().map(|one| one.number).collect() };
        assert_eq!(numbers(10, 1_000), [1, 2, 3, 4]);
        assert_eq!(numbers(2, 1_000), [1, 2]);
        assert_eq!(numbers(10, 60), [1, 2], "the fourth would fit, but order is order");
        assert_eq!(numbers(10, 5), [1], "at least one, though it is too large");
    }

    #[test]
    fn exc_10_no_two_messages_of_one_id_are_given_together() {
        let of =
            |sender: &str, number, id: &str| Waiting { sender: sender.into(), id: id.into(), ..waiting(number, 30) };
        let all = vec![of("a", 1, "x"), of("b", 2, "x"), of("a", 3, "y"), of("b", 4, "z")];
        let given = within(all, 10, 1_000);
        assert_eq!(given.iter().map(|one| one.number).collect::<Vec<_>>(), [1, 3], "b's come in their order, later");
    }
}
