//! The time during which we could hear sensors (SEN-6): the store's listening time, less the time in which our own intake was behind.
//!
//! The store's listening time is not enough: on PostgreSQL it runs on while all of us are down, everywhere while we refuse signals
//! (a full disk, a namespace that is read-only), and with a broker signals may wait there while we run. So those who take signals say
//! every few seconds that none wait, or at least that they are there ([`LEVEL`]): nodes that take them by HTTP in one name, for what one
//! does not take its sender brings to another; and each node that takes them from a broker in its own, once the queue is drained and
//! nothing of it is in its hands. The ear runs at most [`TRUST_MS`] beyond the last word of the one that is furthest behind. What sensors
//! last said and when they count as lost is written in this time, so that nobody is lost because *we* did not listen.
//!
//! Invariant: it never goes back, and never runs faster than the store's listening time.

use base::mutants::{self, Mutant};
use base::{Heard, OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

/// The name in which all nodes speak that take signals by HTTP.
pub const BY_HTTP: &str = "http";
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

/// An intake that said nothing for so long is gone, for it speaks every minute: if others have the broker, it gave them its signals.
const SPEAKS_MS: i64 = 150_000;
/// If nobody has the broker any more, signals may wait there for so long before we go on without it.
const MISSED_MS: i64 = 86_400_000;

/// Whether we listen, and how long we did not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ear {
    /// How long the store listened and we did not.
    pub deaf_ms: i64,
    /// When all intakes were last seen level; `None`: nobody ever said anything.
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

    /// The intake that is furthest behind was last level at that moment.
    #[must_use]
    pub fn following(self, furthest: Heard, heard: Heard) -> Self {
        if heard <= furthest.plus_ms(TRUST_MS) && Some(furthest) != self.level_at {
            Self { level_at: Some(furthest), ..self.caught_up(heard) }
        } else {
            self
        }
    }

    /// What it stood still for is counted as deaf.
    fn caught_up(self, heard: Heard) -> Self {
        Self { deaf_ms: heard.0 - self.at(heard).0, ..self }
    }
}

/// Says how an intake stands.
pub static LEVEL: Op<Word, ()> = Op::new("sensor.level", level);

/// Who says how it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// The name of the intake: that of its node, or [`BY_HTTP`].
    pub by: String,
    /// How it stands.
    pub how: Level,
}

/// How an intake stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// It is there, and may have signals that wait: from now on the ear runs only while it is drained. To be said again every minute.
    Watched,
    /// No signals wait there now, and none is in its hands.
    Drained,
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
pub(crate) static FORGET: Sql = Sql::new(
    "sensor_intake.forget",
    "DELETE FROM sensor_intake WHERE said_at <= ?2 OR (said_at <= ?1 AND (name = 'http' OR EXISTS \
     (SELECT 1 FROM sensor_intake other WHERE other.name <> 'http' AND other.said_at > ?1)))",
);
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

fn level(tx: &mut dyn Tx, cx: &mut OpCx<'_>, word: &Word) -> OpResult<()> {
    tx.write(&FORGET, args![cx.heard.plus_ms(-SPEAKS_MS), cx.heard.plus_ms(-MISSED_MS)])?;
    match word.how {
        Level::Watched => tx.write(&WATCHED, args![&word.by, cx.heard])?,
        Level::Drained => tx.write(&DRAINED, args![&word.by, cx.heard])?,
    }
    let furthest = tx.query_one(&FURTHEST, args![])?.and_then(|row| row.opt_int(0)).map_or(cx.heard, Heard);
    let ear = read(tx)?;
    let next = ear.following(furthest, cx.heard);
    if next != ear {
        tx.write(&PUT, args![next.deaf_ms, next.level_at])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sen_6_before_anybody_spoke_it_is_the_stores_time() {
        assert_eq!(Ear::default().at(Heard(5)), Listened(5));
    }

    #[test]
    fn sen_6_a_backlog_makes_it_stand_still() {
        let ear = Ear::default().following(Heard(1_000), Heard(1_000));
        assert_eq!(ear.at(Heard(1_500)), Listened(1_500));
        assert_eq!(ear.at(Heard(900_000)), Listened(11_000), "ten seconds on trust");
        let drained = ear.following(Heard(900_000), Heard(900_000));
        assert_eq!(drained.at(Heard(900_000)), Listened(11_000));
        assert_eq!(drained.at(Heard(900_500)), Listened(11_500));
    }

    #[test]
    fn sen_6_the_intake_that_is_furthest_behind_counts() {
        let ear = Ear::default().following(Heard(0), Heard(0)).following(Heard(4_000), Heard(5_000));
        assert_eq!(ear.at(Heard(60_000)), Listened(14_000));
        assert_eq!(ear.following(Heard(4_000), Heard(60_000)), ear, "one of them stands still");
        let moves = ear.following(Heard(58_000), Heard(60_000));
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
                ear = match what { 0 => ear.following(behind, heard), 1 => ear.following(heard, heard), _ => ear };
                prop_assert_eq!(ear.at(heard), now, "no word makes it jump");
            }
        }
    }
}
