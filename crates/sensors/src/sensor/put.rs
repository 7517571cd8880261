//! Registers a sensor, or changes its registration (SEN-1). What it said is left alone.

use base::{ContentionKey, Keys, OpError, OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::address::check_address;
use super::list::show;
use super::view::SensorView;
use crate::codes::ASENSOR;
use crate::desk;
use crate::ear::{self, Listened};
use crate::id::SensorId;
use crate::judging::fewer_unknown;
use crate::life::{self, COARSE_PART};
use crate::limits::{DURABLE_PART, SILENCE_RANGE_S, SILENCE_S};

/// Registers a sensor or changes its registration.
pub static PUT_SENSOR: Op<PutSensor, SensorPut> = Op::new("sensor.put", put).keyed(|input| keys(input.id));

/// What a sensor shall be.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PutSensor {
    /// Its id.
    pub id: SensorId,
    /// Address of its room.
    pub address: String,
    /// Seconds of silence after which it is lost; not given: as it is, for a new one an hour.
    pub silence_s: Option<u32>,
}

/// What came of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SensorPut {
    /// The sensor as it is now.
    pub sensor: SensorView,
    /// What was done.
    pub change: Change,
}

/// What putting did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// It is new.
    Created,
    /// It was otherwise before.
    Changed,
    /// It was so already.
    None,
}

pub(super) static INSERT: Sql = Sql::new(
    "sensor.insert",
    "INSERT INTO sensor (id, address, silence_ms, registered_at, recent, lost_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
     ON CONFLICT (id) DO NOTHING",
);
pub(super) static GET: Sql =
    Sql::new("sensor.registration", "SELECT address, silence_ms, seen, lost_at FROM sensor WHERE id = ?1");
pub(super) static UPDATE: Sql =
    Sql::new("sensor.register_again", "UPDATE sensor SET address = ?2, silence_ms = ?3, lost_at = ?4 WHERE id = ?1");
pub(super) static KNOWN_NOW: Sql = Sql::new("sensor_unknown.known_now", "DELETE FROM sensor_unknown WHERE id = ?1");

pub(super) fn keys(id: SensorId) -> Keys {
    Keys::of(vec![ContentionKey::of("sensor", id.as_str())])
}

fn put(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &PutSensor) -> OpResult<SensorPut> {
    let change = register(tx, cx, input)?;
    Ok(SensorPut { sensor: show(tx, &input.id)?, change })
}

/// Registers a sensor or changes its registration, within an operation.
///
/// # Errors
/// `ASENSOR`: something of it cannot be.
pub(crate) fn register(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &PutSensor) -> OpResult<Change> {
    check_address(&input.address)?;
    check_silence(input.silence_s)?;
    if insert(tx, cx, input)? {
        forget_unknown(tx, input.id)?;
        desk::forget_when_settled(cx, input.id);
        return Ok(Change::Created);
    }
    change(tx, cx, input)
}

/// It is unknown no more.
fn forget_unknown(tx: &mut dyn Tx, id: SensorId) -> OpResult<()> {
    if tx.execute(&KNOWN_NOW, args![id.as_str()])? == 1 {
        fewer_unknown(tx, 1)?;
    }
    Ok(())
}

/// Tells whether it is new. One that never speaks is lost as soon as one that just spoke would be.
fn insert(tx: &mut dyn Tx, cx: &OpCx<'_>, input: &PutSensor) -> OpResult<bool> {
    let silence_ms = ms(input.silence_s.unwrap_or(SILENCE_S));
    let lost_at = lost_at(ear::now(tx)?, (silence_ms, DURABLE_PART), silence_ms);
    let recent: &[u8] = &[];
    let row = args![input.id.as_str(), &input.address, silence_ms, cx.wall, recent, lost_at];
    Ok(tx.execute(&INSERT, row)? == 1)
}

fn change(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &PutSensor) -> OpResult<Change> {
    let row = tx.query_one(&GET, args![input.id.as_str()])?.ok_or_else(|| super::absent(input.id))?;
    let before_ms = row.int(1);
    let silence_ms = input.silence_s.map_or(before_ms, ms);
    if row.text(0) == input.address && silence_ms == before_ms {
        return Ok(Change::None);
    }
    let due = row.opt_int(3).map(Listened);
    let seen = |due| row.opt_int(2).map_or_else(|| since(due, before_ms), Listened);
    let part = if life::is_coarse(life::used(tx)?, ear::now(tx)?, before_ms) { COARSE_PART } else { DURABLE_PART };
    let lost_at = |due| lost_at(seen(due), (before_ms, part), silence_ms);
    let due = due.map(|due| if silence_ms == before_ms { due } else { lost_at(due) });
    tx.write(&UPDATE, args![input.id.as_str(), &input.address, silence_ms, due])?;
    desk::forget_when_settled(cx, input.id);
    Ok(Change::Changed)
}

/// When a sensor counts as lost that was last durably seen at `seen`, while signs of life were durable to within a part of
/// `before_ms`: what it said since then, and nobody wrote down, is granted to it.
fn lost_at(seen: Listened, (before_ms, part): (i64, i64), silence_ms: i64) -> Listened {
    seen.plus_ms(silence_ms + (before_ms / part).max(silence_ms / DURABLE_PART))
}

/// Since when one that never spoke is waited for.
fn since(lost_at: Listened, silence_ms: i64) -> Listened {
    lost_at.plus_ms(-silence_ms - silence_ms / DURABLE_PART)
}

fn ms(silence_s: u32) -> i64 {
    i64::from(silence_s) * 1000
}

fn check_silence(silence_s: Option<u32>) -> OpResult<()> {
    match silence_s.filter(|silence| !SILENCE_RANGE_S.contains(silence)) {
        None => Ok(()),
        Some(silence) => {
            let (least, most) = (SILENCE_RANGE_S.start(), SILENCE_RANGE_S.end());
            Err(OpError::new(ASENSOR, format!("silence_s is {silence}, it must be {least} to {most}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_5_what_nobody_wrote_down_is_granted_to_a_sensor_whose_silence_is_shortened() {
        assert_eq!(lost_at(Listened(1_000), (60_000, 60), 60_000), Listened(62_000));
        assert_eq!(
            lost_at(Listened(1_000), (3_600_000, 60), 60_000),
            Listened(121_000),
            "an hour's signs are durable to a minute"
        );
        assert_eq!(lost_at(Listened(1_000), (60_000, 60), 3_600_000), Listened(3_661_000));
    }

    #[test]
    fn sen_6_silences_have_bounds() {
        assert_eq!(check_silence(None), Ok(()));
        assert_eq!(check_silence(Some(10)), Ok(()));
        for bad in [0, 9, 31_536_001, u32::MAX] {
            assert!(check_silence(Some(bad)).unwrap_err().message.contains("10 to 31536000"), "{bad}");
        }
    }
}
