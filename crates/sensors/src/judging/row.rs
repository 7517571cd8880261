//! The row of a sensor, as the judging operation works on it.

use base::{OpResult, Row, Sql, Tx, Wall, args};
use kernel::OpCx;

use super::is_due;
use crate::ear::Listened;
use crate::id::SensorId;
use crate::limits::DURABLE_PART;
use crate::signal::{Recent, Signal, State};

pub(crate) static GET: Sql = Sql::new(
    "sensor.get",
    "SELECT id, address, silence_ms, data, at, at_bits, recent, changes, seen, lost_at, changed_at FROM sensor WHERE id = ?1",
);
pub(crate) static UPDATE: Sql = Sql::new(
    "sensor.update",
    "UPDATE sensor SET data = ?2, changed_at = ?3, at = ?4, at_bits = ?5, recent = ?6, changes = ?7, seen = ?8, seen_at = ?9, \
     lost_at = ?10, lost_since = NULL WHERE id = ?1",
);

/// A sensor with what is known of it.
#[derive(Debug, Clone)]
pub(crate) struct SensorRow {
    pub(crate) id: SensorId,
    pub(crate) address: String,
    pub(crate) silence_ms: i64,
    pub(crate) state: State,
    /// How often it changed.
    pub(crate) changes: i64,
    pub(crate) changed_at: Option<Wall>,
    /// The durable sign of life.
    pub(crate) seen: Option<Listened>,
    pub(crate) lost_at: Option<Listened>,
    /// Whether it has to be written.
    pub(crate) dirty: bool,
}

/// When a sensor counts as lost that was last heard then. The durable sign of life may be that much older than the last one.
pub(crate) fn lost_at(seen: Listened, silence_ms: i64) -> Listened {
    seen.plus_ms(silence_ms + silence_ms / DURABLE_PART)
}

impl SensorRow {
    pub(crate) fn of(row: &Row) -> Self {
        let state = State {
            closed: row.opt_int(3).map(|data| data == 1),
            at: row.opt_int(4).map(Wall),
            at_bits: u8::try_from(row.int(5)).unwrap_or(0),
            recent: Recent::from_bytes(row.blob(6)),
        };
        Self {
            // The table holds ids only.
            id: row.text(0).parse().unwrap_or_else(|error| panic!("{error}")),
            address: row.text(1).to_owned(),
            silence_ms: row.int(2),
            state,
            changes: row.int(7),
            seen: row.opt_int(8).map(Listened),
            lost_at: row.opt_int(9).map(Listened),
            changed_at: row.opt_int(10).map(Wall),
            dirty: false,
        }
    }

    /// A sign of life, which has to be durable to within that part of the silence; `true` if it was lost before.
    pub(crate) fn hear(&mut self, now: Listened, part: i64) -> bool {
        let restored = self.lost_at.is_none();
        if restored || is_due(now, self.seen, self.silence_ms, part) {
            self.seen = Some(now);
            self.lost_at = Some(lost_at(now, self.silence_ms));
            self.dirty = true;
        }
        restored
    }

    /// The door is not as it was.
    pub(crate) fn change(&mut self, wall: Wall, signal: &Signal) {
        self.state.take(signal);
        self.changes += 1;
        self.changed_at = Some(wall);
        self.dirty = true;
    }

    /// Writes it. Whatever is written is a sign of life too, but one that is young enough stays as it is: an index is on when a sensor
    /// counts as lost, and on PostgreSQL whoever changes an index fights with all who read the same page of one, also on other nodes.
    pub(crate) fn save(&mut self, tx: &mut dyn Tx, cx: &OpCx<'_>, now: Listened) -> OpResult<()> {
        self.hear(now, DURABLE_PART);
        let State { closed, at, at_bits, recent } = &self.state;
        let (data, bits) = (closed.map(i64::from), i64::from(*at_bits));
        let row = args![
            self.id.as_str(),
            data,
            self.changed_at,
            *at,
            bits,
            recent.bytes(),
            self.changes,
            self.seen,
            cx.wall,
            self.lost_at
        ];
        Ok(tx.write(&UPDATE, row)?)
    }
}
