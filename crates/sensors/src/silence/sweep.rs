//! Decides of sensors whose time is over.

use base::mutants::{self, Mutant};
use base::{OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::group::grouped;
use crate::desk::forget_when_settled;
use crate::ear::{self, Listened};
use crate::id::SensorId;
use crate::judging::{GET, SensorRow, lost_at};
use crate::life::{self, Fate, Silence, Span, decide};
use crate::telling::{Telling, tell};

/// Looks at sensors whose time is over.
pub static SWEEP: Op<Sweep, Swept> = Op::new("sensor.sweep", run);

/// Which, with the last sign of life that somebody knows of beyond what is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// The sensors.
    pub due: Vec<(SensorId, Option<Listened>)>,
    /// The time of which every sign of life is known, if there is such a one (see [`crate::life`]).
    pub known: Option<Span>,
}

/// What became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Swept {
    /// So many are lost now.
    pub lost: u32,
    /// So many had spoken.
    pub spoke: u32,
}

pub(crate) static LOSE: Sql =
    Sql::new("sensor.lose", "UPDATE sensor SET lost_at = NULL, lost_since = ?2 WHERE id = ?1");
pub(crate) static EXTEND: Sql = Sql::new("sensor.extend", "UPDATE sensor SET seen = ?2, lost_at = ?3 WHERE id = ?1");

fn run(tx: &mut dyn Tx, cx: &mut OpCx<'_>, Sweep { due, known }: &Sweep) -> OpResult<Swept> {
    let (now, used) = (ear::now(tx)?, life::used(tx)?);
    let (mut swept, mut tellings) = (Swept::default(), vec![]);
    let sets: Vec<_> = due.iter().map(|(id, _)| args![id.as_str()].to_vec()).collect();
    let rows = tx.query_each(&GET, &sets)?;
    for ((id, spoke), row) in due.iter().zip(rows) {
        let Some(sensor) = row.as_ref().map(SensorRow::of) else { continue };
        let is_due = sensor.lost_at.is_some_and(|lost_at| lost_at <= now);
        if !is_due && !mutants::on(Mutant::SensorLostAgain) {
            continue;
        }
        let silence_ms = sensor.silence_ms;
        let coarse = life::is_coarse(used, now, silence_ms);
        match decide(now, &Silence { row: sensor.seen, heard: *spoke, silence_ms, coarse }, *known) {
            Fate::Spoke(at) => {
                swept.spoke += 1;
                tx.write(&EXTEND, args![id.as_str(), at, lost_at(at, silence_ms)])?;
            }
            Fate::Wait(until) => tx.write(&EXTEND, args![id.as_str(), sensor.seen, until])?,
            Fate::Lost => {
                swept.lost += 1;
                forget_when_settled(cx, *id);
                tx.write(&LOSE, args![id.as_str(), cx.wall])?;
                tellings.push(Telling::lost(tx, cx, &sensor)?);
            }
        }
    }
    let tellings = grouped(cx, tellings);
    tell(tx, cx, &tellings)?;
    Ok(swept)
}
