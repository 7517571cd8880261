//! The time during which we could hear sensors (SEN-6): the store's listening time, less the time in which our own intake was behind.
//!
//! The store's listening time stands still while we are down. With a broker that is not enough: signals may wait there while
//! we run. So whoever sees the broker's queue drained says so every few seconds ([`LEVEL`]), and the ear runs at most
//! [`TRUST_MS`] beyond the last word: a backlog, or a broker that is away, makes it stand still. What sensors last said and when they
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

/// A broker of which nobody spoke for so long is none of anybody's any more.
const WATCHED_MS: i64 = 300_000;

/// Whether we listen, and how long we did not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ear {
    /// How long the store listened and we did not.
    pub deaf_ms: i64,
    /// When the intake was last seen level; `None`: there is no intake that could be behind.
    pub level_at: Option<Heard>,
    /// When somebody last said that there is an intake that could be behind.
    pub watched_at: Option<Heard>,
}

impl Ear {
    /// Our listening time at that moment of the store's.
    #[must_use]
    pub fn at(self, heard: Heard) -> Listened {
        let level_at = self.level_at.filter(|_| !mutants::on(Mutant::SensorDeafIgnored));
        let heard = level_at.map_or(heard, |level| heard.min(level.plus_ms(TRUST_MS)));
        Listened(heard.0 - self.deaf_ms)
    }

    /// The intake is level now.
    #[must_use]
    pub fn level(self, heard: Heard) -> Self {
        Self { level_at: Some(heard), ..self.caught_up(heard) }
    }

    /// There is no intake any more that could be behind.
    #[must_use]
    pub fn alone(self, heard: Heard) -> Self {
        Self { level_at: None, ..self.caught_up(heard) }
    }

    /// After what somebody said of the intake.
    #[must_use]
    pub fn said(self, how: Level, heard: Heard) -> Self {
        let watched = Self { watched_at: Some(heard), ..self };
        let is_watched = self.watched_at.is_some_and(|at| heard < at.plus_ms(WATCHED_MS));
        match how {
            Level::Drained => watched.level(heard),
            Level::Watched if self.level_at.is_none() => watched.level(heard),
            Level::Watched => watched,
            Level::Alone if is_watched => self,
            Level::Alone => Self { watched_at: None, ..self.alone(heard) },
        }
    }

    /// What it stood still for is counted as deaf.
    fn caught_up(self, heard: Heard) -> Self {
        Self { deaf_ms: heard.0 - self.at(heard).0, ..self }
    }
}

/// Says that the intake is level, or that there is none; answers whether that holds now.
pub static LEVEL: Op<Level, bool> = Op::new("sensor.level", level);

/// How the intake stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// A broker is configured: from now on the ear runs only while its queue is drained. To be said again every minute.
    Watched,
    /// Its queue is drained now.
    Drained,
    /// No broker is configured, here: which holds once no other node has said for some minutes that it has one.
    Alone,
}

pub(crate) static GET: Sql =
    Sql::new("sensor_ear.get", "SELECT deaf_ms, level_at, watched_at FROM sensor_ear WHERE one = 1");
pub(crate) static PUT: Sql = Sql::new(
    "sensor_ear.put",
    "INSERT INTO sensor_ear (one, deaf_ms, level_at, watched_at) VALUES (1, ?1, ?2, ?3) \
     ON CONFLICT (one) DO UPDATE SET deaf_ms = ?1, level_at = ?2, watched_at = ?3",
);

/// The ear as it stands.
pub(crate) fn read(tx: &mut dyn Tx) -> OpResult<Ear> {
    let row = tx.query_one(&GET, args![])?;
    let time = |row: &base::Row, column| row.opt_int(column).map(Heard);
    let ear = |row: base::Row| Ear { deaf_ms: row.int(0), level_at: time(&row, 1), watched_at: time(&row, 2) };
    Ok(row.map_or_else(Ear::default, ear))
}

/// Our listening time now.
pub(crate) fn now(tx: &mut dyn Tx) -> OpResult<Listened> {
    let heard = tx.heard();
    Ok(read(tx)?.at(heard))
}

fn level(tx: &mut dyn Tx, cx: &mut OpCx<'_>, how: &Level) -> OpResult<bool> {
    let ear = read(tx)?;
    let next = ear.said(*how, cx.heard);
    if next != ear {
        tx.write(&PUT, args![next.deaf_ms, next.level_at, next.watched_at])?;
    }
    Ok(*how != Level::Alone || next.level_at.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sen_6_without_a_broker_it_is_the_stores_time() {
        assert_eq!(Ear::default().at(Heard(5)), Listened(5));
    }

    #[test]
    fn sen_6_a_backlog_makes_it_stand_still() {
        let ear = Ear::default().level(Heard(1_000));
        assert_eq!(ear.at(Heard(1_500)), Listened(1_500));
        assert_eq!(ear.at(Heard(900_000)), Listened(11_000), "ten seconds on trust");
        let drained = ear.level(Heard(900_000));
        assert_eq!(drained.at(Heard(900_000)), Listened(11_000));
        assert_eq!(drained.at(Heard(900_500)), Listened(11_500));
        assert_eq!(drained.alone(Heard(905_000)).at(Heard(990_000)), Listened(101_000));
    }

    #[test]
    fn sen_6_a_node_without_a_broker_does_not_speak_for_those_that_have_one() {
        let ear = Ear::default().said(Level::Watched, Heard(0));
        assert_eq!(ear.said(Level::Alone, Heard(200_000)), ear, "a backlog, and somebody still has the broker");
        assert_eq!(
            ear.said(Level::Watched, Heard(100_000)).said(Level::Alone, Heard(301_000)).at(Heard(301_000)),
            ear.at(Heard(301_000))
        );
        let alone = ear.said(Level::Alone, Heard(300_000));
        assert_eq!((alone.level_at, alone.at(Heard(300_500))), (None, Listened(10_500)));
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
                ear = match what { 0 => ear.level(heard), 1 => ear.alone(heard), _ => ear };
                prop_assert_eq!(ear.at(heard), now, "no word makes it jump");
            }
        }
    }
}
