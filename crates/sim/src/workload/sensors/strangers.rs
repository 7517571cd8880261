//! Whoever sends what is no signal, and signals of sensors that nobody registered: all of it is remembered, and changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use base::{Clock, Sql, StoreResult, Tx, args};
use sensors::{Item, Outcome};

use super::voice::Voice;
use super::{PATIENCE_US, outcomes};
use crate::run::act;
use crate::sim::{Asker, Event, News, Sim};

/// Things that are no signals.
const NONSENSE: [&str; 8] = [
    "not json",
    "",
    r#"{"sensor_id":"s1"}"#,
    r#"{"sensor_id":"s2","data":2}"#,
    r#"{"sensor_id":"s3","data":"1"}"#,
    r#"{"sensor_id":"","data":1}"#,
    r#"{"sensor_id":"s 4","data":0}"#,
    r#"{"sensor_id":"s5","data":0,"at":"9999-01-01T00:00:00Z"}"#,
];
/// Sensors that nobody registers.
const UNKNOWN: u64 = 4;

/// The stranger.
#[derive(Default)]
pub(super) struct Strangers {
    open: Option<Vec<String>>,
    token: u64,
    /// What was said how often: at least so often it came, and at most.
    told: BTreeMap<String, i64>,
    sent: BTreeMap<String, i64>,
}

/// What is remembered of them.
struct Remembered {
    unknown: BTreeMap<String, i64>,
    unknown_counted: i64,
    rejected: Vec<(i64, String)>,
    rejected_counted: i64,
}

static UNKNOWN_ROWS: Sql =
    Sql::new("sim.sensor_unknown", "SELECT id, count FROM sensor_unknown ORDER BY id LIMIT 10000");
static REJECTED_ROWS: Sql =
    Sql::new("sim.sensor_rejected", "SELECT number, body FROM sensor_rejected ORDER BY number LIMIT 10000");
static COUNTED: Sql = Sql::new("sim.sensor_counted", "SELECT value FROM sensor_count WHERE name = ?1");

fn remembered(tx: &mut dyn Tx) -> StoreResult<Remembered> {
    let mut counted = |name: &str| Ok(tx.query_one(&COUNTED, args![name])?.map_or(0, |row| row.int(0)));
    let (unknown_counted, rejected_counted) = (counted("unknown")?, counted("rejected")?);
    let unknown = tx.query(&UNKNOWN_ROWS, args![], 10_000)?;
    let rejected = tx.query(&REJECTED_ROWS, args![], 10_000)?;
    Ok(Remembered {
        unknown: unknown.iter().map(|row| (row.text(0).to_owned(), row.int(1))).collect(),
        unknown_counted,
        rejected: rejected.iter().map(|row| (row.int(0), row.text(1).to_owned())).collect(),
        rejected_counted,
    })
}

fn is_unknown(text: &str) -> bool {
    text.contains(r#""u"#)
}

impl Strangers {
    /// Whether it waits for an answer.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Says something, or the same again until there is an answer.
    pub(super) fn act(&mut self, asker: Asker, sim: &mut Sim, calm: bool) {
        if asker.token != self.token || (calm && self.open.is_none()) {
            return;
        }
        self.token += 1;
        let asker = Asker { token: self.token, ..asker };
        let texts = self.open.get_or_insert_with(|| draw(sim)).clone();
        let copies = match sim.rng.once_in(sim.faults.request_lost) {
            true => 0,
            false if sim.rng.once_in(sim.faults.request_doubled) => 2,
            false => 1,
        };
        for _ in 0..copies {
            texts.iter().for_each(|text| *self.sent.entry(text.clone()).or_default() += 1);
            let texts = texts.clone();
            let arrive = Box::new(move |sim: &mut Sim| {
                let now = sim.clock.wall();
                let items = texts.iter().map(|text| Item::of(text.as_bytes(), "http", now)).collect();
                sim.take_signals(asker, items);
            });
            let delay_us = sim.rng.within(100, 50_000);
            sim.after(delay_us, Event::Arrive(sim.life(), arrive));
        }
        act(sim, asker, PATIENCE_US);
    }

    /// Hears what became of it.
    ///
    /// # Errors
    /// That cannot be.
    pub(super) fn hear(&mut self, asker: Asker, news: &News, sim: &mut Sim) -> Result<(), String> {
        if asker.token != self.token {
            return Ok(());
        }
        self.token += 1;
        let pause_us = sim.rng.within(2_000_000, 20_000_000);
        act(sim, Asker { token: self.token, ..asker }, pause_us);
        let Some(outcomes) = outcomes(news) else { return Ok(()) };
        for (text, outcome) in self.open.take().unwrap_or_default().into_iter().zip(outcomes) {
            let good = if is_unknown(&text) { Outcome::Unknown } else { Outcome::Rejected };
            if outcome != good {
                return Err(format!("{text} was told to be {outcome:?}"));
            }
            *self.told.entry(text).or_default() += 1;
        }
        Ok(())
    }

    /// Compares what was said with what is remembered.
    ///
    /// # Errors
    /// They differ.
    pub(super) fn check(&self, voices: &[Voice], sim: &Sim) -> Result<(), String> {
        let now = sim.look(remembered).ok_or("the server is down")?.map_err(|error| error.to_string())?;
        if i64::try_from(now.unknown.len()).unwrap_or(0) != now.unknown_counted {
            return Err(format!("{} sensors are unknown, {} are counted", now.unknown.len(), now.unknown_counted));
        }
        let numbers = now.rejected.iter().map(|(number, _)| *number);
        if !numbers.eq(1..=now.rejected_counted) {
            return Err(format!("of {} rejected signals there are {:?}", now.rejected_counted, now.rejected));
        }
        for (text, sent) in &self.sent {
            let found = now.times(text);
            let told = self.told.get(text).copied().unwrap_or(0);
            if found < told || found > *sent {
                return Err(format!("{text} was sent {sent} times, told {told} times, and came {found} times"));
            }
        }
        let known: BTreeSet<&str> = self.sent.keys().map(String::as_str).collect();
        if let Some((_, body)) = now.rejected.iter().find(|(_, body)| !known.contains(body.as_str())) {
            return Err(format!("nobody sent {body}"));
        }
        check_removed(&now, voices)
    }
}

impl Remembered {
    /// How often that came.
    fn times(&self, text: &str) -> i64 {
        if is_unknown(text) {
            return self.unknown.iter().find(|(id, _)| text == signal(id)).map_or(0, |(_, count)| *count);
        }
        let same = self.rejected.iter().filter(|(_, body)| body == text).count();
        i64::try_from(same).unwrap_or(i64::MAX)
    }
}

/// Sensors that were removed and speak on are unknown; those that are registered are not.
fn check_removed(now: &Remembered, voices: &[Voice]) -> Result<(), String> {
    for voice in voices.iter().filter(|voice| voice.registered) {
        let heard = now.unknown.get(voice.sensor.as_str()).copied();
        if voice.is_gone() && heard.unwrap_or(0) < voice.unknown {
            return Err(format!("{} was unknown {} times, {heard:?} are counted", voice.sensor, voice.unknown));
        }
        if !voice.may_be_gone() && heard.is_some() {
            return Err(format!("{} is registered and unknown", voice.sensor));
        }
    }
    Ok(())
}

fn signal(id: &str) -> String {
    format!(r#"{{"sensor_id":"{id}","data":1}}"#)
}

fn draw(sim: &mut Sim) -> Vec<String> {
    let many = sim.rng.within(1, 3);
    let mut texts = vec![];
    for _ in 0..many {
        let unknown = signal(&format!("u{}", sim.rng.below(UNKNOWN)));
        let nonsense = (*sim.rng.pick(&NONSENSE)).to_owned();
        texts.push(if sim.rng.once_in(2) { unknown } else { nonsense });
    }
    texts
}
