//! The batch that is under way.

use base::{Heard, OpError, OpResult, Row, Sql, Tx, args, codes};

/// What is done with it next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// More rows may join it.
    Gather,
    /// Its rows are fixed, and are to be written.
    Write,
    /// It is written; its rows are to be deleted.
    Clear,
}

impl Phase {
    const ALL: [Self; 3] = [Self::Gather, Self::Write, Self::Clear];

    const fn word(self) -> &'static str {
        match self {
            Self::Gather => "gather",
            Self::Write => "write",
            Self::Clear => "clear",
        }
    }
}

/// A batch under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outbox {
    /// Its name, which no other batch ever has, also not after a backup was restored.
    pub(super) batch: String,
    pub(super) phase: Phase,
    /// Its rows so far.
    pub(super) rows: i64,
    /// When it last went on.
    pub(super) touched: Heard,
    /// Tries to write it that failed.
    pub(super) failures: i64,
    pub(super) failing_since: Option<Heard>,
}

pub(crate) static GET: Sql = Sql::new(
    "sensor_outbox.get",
    "SELECT batch, phase, row_count, touched, failures, failing_since FROM sensor_outbox WHERE one = 1",
);
pub(crate) static PUT: Sql = Sql::new(
    "sensor_outbox.put",
    "INSERT INTO sensor_outbox (one, batch, phase, row_count, touched, failures, failing_since) VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6) \
     ON CONFLICT (one) DO UPDATE SET batch = excluded.batch, phase = excluded.phase, row_count = excluded.row_count, \
     touched = excluded.touched, failures = excluded.failures, failing_since = excluded.failing_since",
);
pub(crate) static DROP: Sql = Sql::new("sensor_outbox.drop", "DELETE FROM sensor_outbox WHERE one = 1");

impl Outbox {
    pub(super) fn read(tx: &mut dyn Tx) -> OpResult<Option<Self>> {
        tx.query_one(&GET, args![])?.as_ref().map(Self::of).transpose()
    }

    fn of(row: &Row) -> OpResult<Self> {
        let phase = Phase::ALL.into_iter().find(|phase| phase.word() == row.text(1));
        let broken = || OpError::new(codes::BDETECTED, format!("a batch of history in phase {:?}", row.text(1)));
        Ok(Self {
            batch: row.text(0).to_owned(),
            phase: phase.ok_or_else(broken)?,
            rows: row.int(2),
            touched: Heard(row.int(3)),
            failures: row.int(4),
            failing_since: row.opt_int(5).map(Heard),
        })
    }

    pub(super) fn save(&self, tx: &mut dyn Tx) -> OpResult<()> {
        let Self { batch, phase, rows, touched, failures, failing_since } = self;
        Ok(tx.write(&PUT, args![batch, phase.word(), *rows, *touched, *failures, *failing_since])?)
    }

    pub(super) fn end(tx: &mut dyn Tx) -> OpResult<()> {
        Ok(tx.write(&DROP, args![])?)
    }
}
