//! Takes signals in (SEN-3, SEN-4): one operation for a batch of them, judged one after the other in the order in which they came.
//!
//! A change writes in one transaction the new state, the history row, what is to be told, and with that the cancellation of
//! what was still to be told before. A signal that changes nothing writes nothing as long as the durable sign of life is young enough
//! (SEN-5); what it brought beside (its time, its id) is then known to memory, which brings it along with the sensor's next signal.
//! Where several nodes work on the data, no memory knows what the other nodes heard: there times and ids are always written.

mod row;
mod strangers;

pub(crate) use row::{GET, SensorRow, UPDATE, lost_at};
pub(crate) use strangers::{COUNT, DROP_OLDEST, NEW_UNKNOWN, PUT_COUNT, PUT_REJECTED, SAW_UNKNOWN, fewer_unknown};

use std::collections::{BTreeMap, BTreeSet};

use base::mutants::{self, Mutant};
use base::{OpResult, Sql, Tx, Wall, args};
use kernel::counters::Field;
use kernel::{Op, OpCx, Settled};
use serde::{Deserialize, Serialize};

use crate::desk::Desk;
use crate::ear::{self, Listened};
use crate::id::SensorId;
use crate::life::{Lives, Signs};
use crate::limits::{DURABLE_PART, REASON_MAX, REJECTED_BYTES_MAX, TOLD_MAX};
use crate::rules::Rules;
use crate::signal::{Recent, Signal, Verdict, judge, parse};
use crate::telling::{Telling, tell};

/// Judges a batch of signals.
pub static JUDGE: Op<Judge, Judged> = Op::new("sensor.judge", run);

/// The kind under which signals are counted.
pub const SIGNALS: &str = "signals";

/// Signals in the order in which they came.
#[derive(Debug, Clone)]
pub struct Judge {
    /// The signals, and what should have been some.
    pub items: Vec<Item>,
    /// Whether this node's memory knows all that is not written.
    pub alone: bool,
    /// How long the process ran when they were handed over: memory tells listening time by it.
    pub ran_ms: u64,
}

/// What came in.
#[derive(Debug, Clone)]
pub enum Item {
    /// A signal.
    Signal {
        /// The signal.
        signal: Signal,
        /// What only memory knows of its sensor.
        known: Option<Known>,
    },
    /// Something that is no signal.
    Rejected {
        /// The way on which it came.
        source: &'static str,
        /// Why it is none.
        reason: String,
        /// What it is, cut.
        body: String,
    },
}

impl Item {
    /// A signal, or something that should have been one, on this way.
    #[must_use]
    pub fn of(json: &[u8], source: &'static str, now: Wall) -> Self {
        Self::read(json, source, now, None).0
    }

    /// The same of a message that may have an id, and whether it brought a time that is too far ahead to count.
    pub(crate) fn read(json: &[u8], source: &'static str, now: Wall, message: Option<&str>) -> (Self, bool) {
        match parse(json, now) {
            Ok(read) => (Self::Signal { signal: read.named(message), known: None }, read.ahead.is_some()),
            Err(reason) => {
                let cut = String::from_utf8_lossy(&json[..json.len().min(REJECTED_BYTES_MAX)]);
                let (reason, body) = (clean(&reason, REASON_MAX), clean(&cut, REJECTED_BYTES_MAX));
                (Self::Rejected { source, reason, body }, false)
            }
        }
    }
}

/// A stranger's text as every engine can store it, cut.
pub(crate) fn clean(text: &str, max: usize) -> String {
    text.chars().take(max).map(|c| if c == '\0' { '\u{FFFD}' } else { c }).collect()
}

/// What memory knows of a sensor's signals beyond what is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The greatest time.
    pub at: Option<Wall>,
    /// What came with it.
    pub at_bits: u8,
    /// The last ids.
    pub recent: Recent,
}

/// What became of each, in order; those that are left out have to be given again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// What became of the first ones.
    pub outcomes: Vec<Outcome>,
}

/// What became of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// It changed the state of its sensor.
    Changed,
    /// It changed nothing.
    Same,
    /// It came before.
    Repeat,
    /// A newer one came before it.
    Stale,
    /// Nobody registered its sensor.
    Unknown,
    /// It was no signal.
    Rejected,
}

impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Changed => Self::Changed,
            Verdict::Same => Self::Same,
            Verdict::Repeat => Self::Repeat,
            Verdict::Stale => Self::Stale,
        }
    }
}

pub(crate) static PUT_HISTORY: Sql = Sql::new(
    "sensor_history.put",
    "INSERT INTO sensor_history (id, sensor_id, address, data, previous, changed, at, taken_at, heard) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
);

/// What the signals of a batch work on.
struct Batch {
    now: Listened,
    alone: bool,
    /// Into which part of its silence a sign of life has to be durable.
    part: i64,
    all_signals: bool,
    sensors: BTreeMap<SensorId, SensorRow>,
    tellings: Vec<Telling>,
}

fn run(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Judge) -> OpResult<Judged> {
    let mut batch = Batch {
        now: ear::now(tx)?,
        alone: input.alone,
        part: if input.alone { DURABLE_PART } else { cx.home.memory::<Signs>().part(input.ran_ms) },
        all_signals: cx.home.common::<Rules>().all_signals(),
        sensors: load(tx, &input.items)?,
        tellings: vec![],
    };
    let mut outcomes = vec![];
    for item in &input.items {
        outcomes.push(batch.take(tx, cx, item)?);
        // The rest would be more than one operation may write.
        if batch.tellings.iter().map(|telling| telling.clients).sum::<usize>() >= TOLD_MAX {
            break;
        }
    }
    for sensor in batch.sensors.values_mut().filter(|sensor| sensor.dirty) {
        sensor.save(tx, cx, batch.now)?;
    }
    tell(tx, cx, &batch.tellings)?;
    count(cx, &outcomes);
    batch.remember(cx, input, outcomes.len());
    Ok(Judged { outcomes })
}

fn load(tx: &mut dyn Tx, items: &[Item]) -> OpResult<BTreeMap<SensorId, SensorRow>> {
    let signal = |item: &Item| match item {
        Item::Signal { signal, .. } => Some(signal.sensor),
        Item::Rejected { .. } => None,
    };
    let mut ids: Vec<SensorId> = items.iter().filter_map(signal).collect();
    ids.sort_unstable();
    ids.dedup();
    let sets: Vec<_> = ids.iter().map(|id| args![id.as_str()].to_vec()).collect();
    let found = tx.query_each(&GET, &sets)?;
    Ok(ids.iter().zip(found).filter_map(|(id, row)| Some((*id, SensorRow::of(&row?)))).collect())
}

impl Batch {
    fn take(&mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, item: &Item) -> OpResult<Outcome> {
        match item {
            Item::Rejected { source, reason, body } => {
                strangers::reject(tx, cx, source, reason, body).map(|()| Outcome::Rejected)
            }
            Item::Signal { signal, known } if self.sensors.contains_key(&signal.sensor) => {
                self.judge(tx, cx, signal, known.as_ref())
            }
            Item::Signal { signal, .. } => strangers::saw_unknown(tx, cx, signal).map(|()| Outcome::Unknown),
        }
    }

    fn judge(
        &mut self,
        tx: &mut dyn Tx,
        cx: &mut OpCx<'_>,
        signal: &Signal,
        known: Option<&Known>,
    ) -> OpResult<Outcome> {
        let Some(sensor) = self.sensors.get_mut(&signal.sensor) else { return Ok(Outcome::Unknown) };
        known.into_iter().for_each(|known| sensor.state.catch_up(known.at, known.at_bits, &known.recent));
        let verdict = judge(&sensor.state, signal);
        let previous = sensor.state.closed;
        let restored = sensor.hear(self.now, self.part);
        let brought = signal.at.is_some() || signal.key.is_some();
        match verdict {
            Verdict::Changed => sensor.change(cx.wall, signal),
            Verdict::Same => {
                sensor.state.take(signal);
                // What memory keeps alone elsewhere: with every signal written down, it keeps nothing.
                sensor.dirty |= (!self.alone || self.all_signals) && brought;
            }
            Verdict::Repeat | Verdict::Stale => {}
        }
        let counts = verdict == Verdict::Changed || self.all_signals && verdict == Verdict::Same;
        if counts {
            let at = signal.at.unwrap_or(cx.wall);
            let (id, changed) = (cx.id(), verdict == Verdict::Changed);
            let (sensor_id, data) = (signal.sensor.as_str(), i64::from(signal.closed));
            let previous = previous.map(i64::from);
            let row = args![id, sensor_id, &sensor.address, data, previous, changed, at, cx.wall, cx.heard];
            tx.write(&PUT_HISTORY, row)?;
        }
        let sensor = &*sensor;
        if restored {
            self.tellings.push(Telling::restored(tx, cx, sensor)?);
        }
        if restored && mutants::on(Mutant::SensorRestoredTwice) {
            self.tellings.push(Telling::restored(tx, cx, sensor)?);
        }
        if verdict == Verdict::Changed {
            self.tellings.push(Telling::changed(tx, cx, sensor, signal, previous)?);
        }
        Ok(verdict.into())
    }

    /// Tells memory after COMMIT what is written now.
    fn remember(self, cx: &mut OpCx<'_>, input: &Judge, judged: usize) {
        let desk = cx.home.memory::<Desk>();
        let taken = input.items[..judged].iter().filter_map(|item| match item {
            Item::Signal { signal, .. } => Some(signal.sensor),
            Item::Rejected { .. } => None,
        });
        let seen: BTreeSet<SensorId> = taken.collect();
        let (now, believed) = ((self.now, input.ran_ms), self.alone && !self.all_signals);
        let spoke: Vec<SensorId> = seen.iter().copied().filter(|id| self.sensors.contains_key(id)).collect();
        let signs = (!self.alone && cx.home.common::<Lives>().get().is_some()).then(|| cx.home.memory::<Signs>());
        let mut sensors = self.sensors;
        sensors.retain(|id, _| believed && seen.contains(id));
        cx.fx.when_settled(move |how| {
            let signs = signs.filter(|_| how != Settled::Undone);
            signs.iter().for_each(|signs| signs.add(now.0, spoke.iter().copied()));
            match how {
                Settled::Committed => desk.know(now, &sensors),
                Settled::Undone => {}
                Settled::Unknown => desk.forget(sensors.keys()),
            }
        });
    }
}

/// Counts what became of the signals, in memory and after COMMIT.
fn count(cx: &mut OpCx<'_>, outcomes: &[Outcome]) {
    for (name, which) in [
        ("changed", Outcome::Changed),
        ("same", Outcome::Same),
        ("repeated", Outcome::Repeat),
        ("stale", Outcome::Stale),
        ("unknown", Outcome::Unknown),
        ("rejected", Outcome::Rejected),
    ] {
        let field =
            if matches!(which, Outcome::Unknown | Outcome::Rejected) { Field::Errors } else { Field::Processed };
        let many = outcomes.iter().filter(|outcome| **outcome == which).count();
        if many > 0 {
            cx.fx.count(SIGNALS, name, &[(field, i64::try_from(many).unwrap_or(i64::MAX))]);
        }
    }
}

/// Whether a durable sign of life is too old to leave a further one in memory (SEN-5).
pub(crate) fn is_due(now: Listened, seen: Option<Listened>, silence_ms: i64, part: i64) -> bool {
    if mutants::on(Mutant::SensorLifeNotKept) && seen.is_some() {
        return false;
    }
    seen.is_none_or(|seen| now.0 - seen.0 >= silence_ms / part)
}
