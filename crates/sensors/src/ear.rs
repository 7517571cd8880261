//! The time during which we could hear sensors (SEN-6): the store's listening time, less the time in which our own intake was behind.
//!
//! The store's listening time stands still while we are down. With a broker that is not enough: signals may wait there while
//! we run. So every intake that sees the broker's queue drained, and has nothing in hand itself, says so every few seconds
//! ([`LEVEL`]), and the ear runs at most [`TRUST_MS`] beyond the last word of the one that is furthest behind: a backlog, a broker that
//! is away, or a node that stands still with signals in its hands make it stand still. What sensors last said and when they
//! count as lost is written in this time, so that nobody is lost because *we* did not listen.
//!
//! Invariant: it never goes back, and never runs faster than the store's listening time.

use base::mutants::{self, Mutant};
use base::{Heard, OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

/// How long the word that the intake is level holds.
pub const TRUST_MS: i64 = 10_000;
/// How often it is to be given.
pub const LEVEL_EVERY_MS: u64 = 5_000;

/// Milliseconds of listening to sensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Listened(pub i64);

impl Listened {
    /// The moment so many milliseconds of listening later.
    #[must_use]
    pub const fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }
}

impl From<Listened> for base::Value<'_> {
    fn from(time: Listened) -> Self {
        Self::Int(time.0)
    }
}

/// An intake that said nothing for so long is gone, and the broker has given its signals to others: it speaks every minute.
const SPEAKS_MS: i64 = 150_000;

/// Whether we listen, and how long we did not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ear {
    /// How long the store listened and we did not.
    pub deaf_ms: i64,
    /// When all intakes were last seen level; `None`: there is no intake that could be behind.
    pub level_at: Option<Heard>,
}

impl Ear {
    /// Our listening time at that moment of the store's.
    #[must_use]
    pub fn at(self, heard: Heard) -> Listened {
        let level_at = self.level_at.filter(|_| !mutants::on(Mutant::SensorDeafIgnored));
        let heard = level_at.map_or(heard, |level| heard.min(level.plus_ms(TRUST_MS)));
        Listened(heard.0 - self.deaf_ms)
    }

    /// The intake that is furthest behind was last level at that moment; `None`: there is none.
    #[must_use]
    pub fn following(self, furthest: Option<Heard>, heard: Heard) -> Self {
        let trusted = furthest.is_none_or(|level| heard <= level.plus_ms(TRUST_MS));
        if trusted && furthest != self.level_at { Self { level_at: furthest, ..self.caught_up(heard) } } else { self }
    }

    /// What it stood still for is counted as deaf.
    fn caught_up(self, heard: Heard) -> Self {
        Self { deaf_ms: heard.0 - self.at(heard).0, ..self }
    }
}

/// Says how an intake stands, or that there is none; answers whether that holds now.
pub static LEVEL: Op<Word, bool> = Op::new("sensor.level", level);

/// Who says how it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// The name of the intake: that of its node.
    pub by: String,
    /// How it stands.
    pub how: Level,
}

/// How an intake stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// A broker is configured: from now on the ear runs only while its queue is drained. To be said again every minute.
    Watched,
    /// Its queue is drained now, and nothing of it is in this node's hands.
    Drained,
    /// No broker is configured here: which holds once no other node has said for some minutes that it has one.
    Alone,
}

pub(crate) static GET: Sql = Sql::new("sensor_ear.get", "SELECT deaf_ms, level_at FROM sensor_ear WHERE one = 1");
pub(crate) static PUT: Sql = Sql::new(
    "sensor_ear.put",
    "INSERT INTO sensor_ear (one, deaf_ms, level_at) VALUES (1, ?1, ?2) \
     ON CONFLICT (one) DO UPDATE SET deaf_ms = ?1, level_at = ?2",
);
/// One that is new has nothing in its hands.
pub(crate) static WATCHED: Sql = Sql::new(
    "sensor_intake.watched",
    "INSERT INTO sensor_intake (name, level_at, said_at) VALUES (?1, ?2, ?2) ON CONFLICT (name) DO UPDATE SET said_at = ?2",
);
pub(crate) static DRAINED: Sql = Sql::new(
    "sensor_intake.drained",
    "INSERT INTO sensor_intake (name, level_at, said_at) VALUES (?1, ?2, ?2) \
     ON CONFLICT (name) DO UPDATE SET level_at = ?2, said_at = ?2",
);
pub(crate) static FORGET: Sql = Sql::new("sensor_intake.forget", "DELETE FROM sensor_intake WHERE said_at <= ?1");
pub(crate) static FURTHEST: Sql = Sql::new("sensor_intake.furthest", "SELECT MIN(level_at) FROM sensor_intake");

/// The ear as it stands.
pub(crate) fn read(tx: &mut dyn Tx) -> OpResult<Ear> {
    let row = tx.query_one(&GET, args![])?;
    let ear = |row: base::Row| Ear { deaf_ms: row.int(0), level_at: row.opt_int(1).map(Heard) };
    Ok(row.map_or_else(Ear::default, ear))
}

/// Our listening time now.
pub(crate) fn now(tx: &mut dyn Tx) -> OpResult<Listened> {
    let heard = tx.heard();
    Ok(read(tx)?.at(heard))
}

fn level(tx: &mut dyn Tx, cx: &mut OpCx<'_>, word: &Word) -> OpResult<bool> {
    tx.write(&FORGET, args![cx.heard.plus_ms(-SPEAKS_MS)])?;
    match word.how {
        Level::Watched => tx.write(&WATCHED, args![&word.by, cx.heard])?,
        Level::Drained => tx.write(&DRAINED, args![&word.by, cx.heard])?,
        Level::Alone => {}
    }
    let furthest = tx.query_one(&FURTHEST, args![])?.and_then(|row| row.opt_int(0)).map(Heard);
    let (ear, heard) = (read(tx)?, cx.heard);
    let next = ear.following(furthest, heard);
    if next != ear {
        tx.write(&PUT, args![next.deaf_ms, next.level_at])?;
    }
    Ok(word.how != Level::Alone || next.level_at.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sen_6_without_a_broker_it_is_the_stores_time() {
        assert_eq!(Ear::default().at(Heard(5)), Listened(5));
    }

    fn at(ms: i64) -> Option<Heard> {
        Some(Heard(ms))
    }

    #[test]
    fn sen_6_a_backlog_makes_it_stand_still() {
        let ear = Ear::default().following(at(1_000), Heard(1_000));
        assert_eq!(ear.at(Heard(1_500)), Listened(1_500));
        assert_eq!(ear.at(Heard(900_000)), Listened(11_000), "ten seconds on trust");
        let drained = ear.following(at(900_000), Heard(900_000));
        assert_eq!(drained.at(Heard(900_000)), Listened(11_000));
        assert_eq!(drained.at(Heard(900_500)), Listened(11_500));
        assert_eq!(drained.following(None, Heard(905_000)).at(Heard(990_000)), Listened(101_000));
    }

    #[test]
    fn sen_6_the_intake_that_is_furthest_behind_counts() {
        let ear = Ear::default().following(at(0), Heard(0)).following(at(4_000), Heard(5_000));
        assert_eq!(ear.at(Heard(60_000)), Listened(14_000));
        assert_eq!(ear.following(at(4_000), Heard(60_000)), ear, "one of them stands still");
        let moves = ear.following(at(58_000), Heard(60_000));
        assert_eq!((moves.at(Heard(60_000)), moves.at(Heard(70_000))), (Listened(14_000), Listened(22_000)));
    }

    proptest! {
        #[test]
        fn sen_6_it_never_goes_back_and_never_runs_ahead(steps in proptest::collection::vec((0_i64..40_000, 0_u8..4), 1..60)) {
            let (mut ear, mut heard) = (Ear::default(), Heard(0));
            for (passed, what) in steps {
                let before = ear.at(heard);
                heard = heard.plus_ms(passed);
                let now = ear.at(heard);
                prop_assert!(now >= before && now.0 - before.0 <= passed);
                let behind = heard.plus_ms(-passed.min(12_000));
                ear = match what { 0 => ear.following(Some(behind), heard), 1 => ear.following(None, heard), _ => ear };
                prop_assert_eq!(ear.at(heard), now, "no word makes it jump");
            }
        }
    }
}
