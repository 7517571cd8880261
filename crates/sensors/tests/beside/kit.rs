//! A world with rows of history, an archive, and somebody who reads both.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use base::{Call, CallResult, OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use sensors::history::{Archive, ArchiveError, Archived, Archives, Batch, HistoryRow, Question, Tries, TryRow};
use sensors::outbox::{Exporter, perform};
use sensors::{SERVICE, SensorId};
use testbed::World;

/// A world whose history moves to this archive.
pub struct Scene {
    pub world: World,
    _exporter: Exporter,
}

impl Scene {
    pub fn new(archive: Arc<dyn Archive>) -> Self {
        let world = World::of(&[&SERVICE]);
        world.kernel.common::<Archives>().set(archive);
        let exporter = Exporter::start(&world.kernel);
        Self { world, _exporter: exporter }
    }

    /// So many rows of history, and half as many tries of which every tenth has not ended.
    pub fn happen(&self, rows: i64) {
        for first in (0..rows).step_by(1_000) {
            self.world.call(&HAPPEN, (first, rows.min(first + 1_000))).unwrap();
        }
    }

    /// Further rows of history, without tries.
    pub fn happen_more(&self, rows: i64) {
        self.world.call(&ROWS_ONLY, rows).unwrap();
    }

    /// Lets a look come, and with it the task; performs what it asks for, if anything, and tells what came of it.
    pub fn move_on(&self, ms: u64) -> Option<CallResult> {
        self.world.pass_ms(ms);
        self.perform()
    }

    /// Performs the call that waits.
    pub fn perform(&self) -> Option<CallResult> {
        let (call, done) = self.world.partner.next()?;
        let Call::Work(work) = call else { panic!("{call:?}") };
        let result = perform(&self.world.kernel, &work).map_or_else(CallResult::Unknown, CallResult::Worked);
        done(result.clone());
        Some(result)
    }

    /// Moves on until nothing is left in the store but tries that have not ended.
    pub fn move_all(&self) {
        for _ in 0..200 {
            if self.waiting() == 0 {
                return;
            }
            while self.move_on(5_000).is_some() {}
        }
        panic!("{} rows still wait", self.waiting());
    }

    /// Rows that the archive has not got.
    pub fn waiting(&self) -> i64 {
        static ROWS: Sql = Sql::new("test.waiting", "SELECT COUNT(*) FROM sensor_history");
        static TRIES: Sql = Sql::new(
            "test.waiting_tries",
            "SELECT COUNT(*) FROM sensor_attempt WHERE status IS NOT NULL OR error IS NOT NULL",
        );
        self.world.count(&ROWS) + self.world.count(&TRIES)
    }
}

pub static HAPPEN: Op<(i64, i64), ()> = Op::new("test.happen", happen);
static PUT_ROW: Sql = Sql::new(
    "test.history",
    "INSERT INTO sensor_history (id, sensor_id, address, data, previous, changed, at, taken_at, heard) \
     VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, 0)",
);
static PUT_TRY: Sql = Sql::new(
    "test.attempt",
    "INSERT INTO sensor_attempt (client_id, seq, number, at, status, latency_ms, error) VALUES ('c''1', ?1, 1, ?2, ?3, ?4, ?5)",
);

/// So many rows of history and nothing else.
static ROWS_ONLY: Op<i64, ()> = Op::new("test.rows_only", |tx, cx, rows| {
    (0..*rows).try_for_each(|_| {
        let at = cx.wall.0;
        Ok(tx.write(&PUT_ROW, args![cx.id(), "s1", ADDRESS, 1, 0, at, at])?)
    })
});

/// An address that is not harmless in a statement.
pub const ADDRESS: &str = "it's \\ a \"room\"\n\t№ 5";

fn happen(tx: &mut dyn Tx, cx: &mut OpCx<'_>, (first, last): &(i64, i64)) -> OpResult<()> {
    for number in *first..*last {
        let at = cx.wall.0 + number / 3;
        let previous = (number > 0).then_some((number + 1) % 2);
        let sensor = format!("s{}", number % 7);
        tx.write(&PUT_ROW, args![cx.id(), sensor, ADDRESS, number % 2, previous, at, at + 5])?;
        if number % 2 == 0 {
            let ended = number % 20 != 0;
            let status = (ended && number % 4 == 0).then_some(200);
            let error = (ended && number % 4 != 0).then_some("it's gone");
            tx.write(&PUT_TRY, args![number, at, status, status.map(|_| 7), error])?;
        }
    }
    Ok(())
}

/// An archive in memory that keeps what it got, also doubles.
#[derive(Default)]
pub struct Shelf {
    pub rows: Mutex<Vec<HistoryRow>>,
    pub tries: Mutex<Vec<TryRow>>,
    /// Rows of each batch that came, by its name.
    pub batches: Mutex<BTreeMap<String, Vec<Batch>>>,
    /// What becomes of the next writes; all go well once there is none.
    pub fates: Mutex<Vec<Fate>>,
}

/// What becomes of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is not done.
    Refused,
    /// It is done and nobody hears of it.
    AnswerLost,
    /// It is done.
    Done,
}

impl Archive for Shelf {
    fn write(&self, place: &str, batch: Batch, done: Archived<()>) {
        assert_eq!(place, "main");
        let fate = self.fates.lock().unwrap().pop().unwrap_or(Fate::Done);
        if fate != Fate::Refused {
            self.rows.lock().unwrap().extend(batch.history.clone());
            self.tries.lock().unwrap().extend(batch.tries.clone());
        }
        self.batches.lock().unwrap().entry(batch.name.clone()).or_default().push(batch);
        done(if fate == Fate::Done { Ok(()) } else { Err(ArchiveError("away".into())) });
    }

    fn history(&self, _: &str, question: &Question, _: &[SensorId], done: Archived<Vec<HistoryRow>>) {
        let mut rows = self.rows.lock().unwrap().clone();
        rows.sort_by_key(|row| std::cmp::Reverse(row.place()));
        rows.dedup();
        rows.truncate(question.limit as usize);
        done(Ok(rows));
    }

    fn tries(&self, _: &str, _: &Tries, done: Archived<Vec<TryRow>>) {
        done(Ok(self.tries.lock().unwrap().clone()));
    }
}
