//! Sensors in memory: as they are written, with what came since and changed nothing. Small, because there may be a million.
//!
//! They lie one behind the other, and a table of places finds them: a table that held them itself would be half empty after each growth,
//! and nearly all of its empty places would be in pages that are in use.

use std::hash::{BuildHasher as _, RandomState};

use base::Wall;
use hashbrown::HashTable;

use crate::ear::Listened;
use crate::id::SensorId;
use crate::judging::{Known, Outcome, SensorRow, is_due};
use crate::limits::DURABLE_PART;
use crate::signal::{Recent, Signal, State, Verdict, judge};

/// More are not kept; those beyond are judged by the operation, which needs no memory.
const KEPT_MAX: usize = 5_000_000;

/// No time.
const NEVER: i64 = i64::MIN;

/// One sensor: 64 bytes, and what its keys take.
struct Kept {
    id: SensorId,
    at: i64,
    seen: i64,
    /// The durable sign of life.
    written: i64,
    silence_s: u32,
    closed: bool,
    at_bits: u8,
    /// Ids of signals that are not written: few, because they are written with each durable sign of life.
    recent: Box<[u64]>,
}

/// All that are kept.
#[derive(Default)]
pub(super) struct Sensors {
    kept: Vec<Kept>,
    /// The place of each in `kept`.
    places: HashTable<u32>,
    hasher: RandomState,
}

impl Sensors {
    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    fn place(&self, sensor: SensorId) -> Option<usize> {
        let is_it = |place: &u32| self.kept[*place as usize].id == sensor;
        self.places.find(self.hasher.hash_one(sensor), is_it).map(|place| *place as usize)
    }

    fn get(&self, sensor: SensorId) -> Option<&Kept> {
        self.place(sensor).map(|place| &self.kept[place])
    }

    fn put(&mut self, kept: Kept) {
        if let Some(place) = self.place(kept.id) {
            self.kept[place] = kept;
            return;
        }
        let Self { kept: all, places, hasher } = self;
        let place = u32::try_from(all.len()).expect("fewer than KEPT_MAX");
        places.insert_unique(hasher.hash_one(kept.id), place, |place| hasher.hash_one(all[*place as usize].id));
        all.push(kept);
    }

    /// Settles a signal, if it changes nothing and needs no commit of its own.
    pub(super) fn settle(&mut self, signal: &Signal, now: Listened) -> Option<Outcome> {
        let place = self.place(signal.sensor)?;
        let kept = &mut self.kept[place];
        if is_due(now, Some(Listened(kept.written)), i64::from(kept.silence_s) * 1_000, DURABLE_PART) {
            return None;
        }
        let mut state = kept.state();
        let verdict = judge(&state, signal);
        match verdict {
            Verdict::Changed => return None,
            Verdict::Same => {
                state.take(signal);
                kept.learn(&state);
            }
            Verdict::Repeat | Verdict::Stale => {}
        }
        kept.seen = kept.seen.max(now.0);
        Some(verdict.into())
    }

    /// What only memory knows of a sensor's signals.
    pub(super) fn beyond_written(&self, sensor: SensorId) -> Option<Known> {
        let kept = self.get(sensor)?;
        let State { at, at_bits, recent, .. } = kept.state();
        Some(Known { at, at_bits, recent })
    }

    /// The last sign of life that memory knows of.
    pub(super) fn seen(&self, sensor: SensorId) -> Option<Listened> {
        self.get(sensor).map(|kept| Listened(kept.seen))
    }

    /// What COMMIT confirmed of a sensor. One that is lost or never spoke is not kept: its next signal is news.
    pub(super) fn know(&mut self, sensor: &SensorRow, now: Listened) {
        let (Some(closed), Some(seen), Some(_)) = (sensor.state.closed, sensor.seen, sensor.lost_at) else {
            return self.forget(sensor.id);
        };
        if self.len() >= KEPT_MAX && self.place(sensor.id).is_none() {
            return;
        }
        // What is not written yet stays known here.
        let recent = if sensor.dirty { Recent::default() } else { sensor.state.recent };
        self.put(Kept {
            id: sensor.id,
            at: sensor.state.at.map_or(NEVER, |at| at.0),
            seen: now.0,
            written: seen.0,
            silence_s: u32::try_from(sensor.silence_ms / 1_000).unwrap_or(u32::MAX),
            closed,
            at_bits: sensor.state.at_bits,
            recent: recent.keys().into(),
        });
    }

    /// The last one takes its place.
    pub(super) fn forget(&mut self, sensor: SensorId) {
        let Self { kept: all, places, hasher } = self;
        let is_it = |place: &u32| all[*place as usize].id == sensor;
        let Ok(found) = places.find_entry(hasher.hash_one(sensor), is_it) else { return };
        let (place, _) = found.remove();
        all.swap_remove(place as usize);
        let Some(moved) = all.get(place as usize) else { return };
        let last = all.len();
        let was_last = places.find_mut(hasher.hash_one(moved.id), |place| *place as usize == last);
        *was_last.expect("each has a place") = place;
    }
}

impl Kept {
    fn state(&self) -> State {
        State {
            closed: Some(self.closed),
            at: (self.at != NEVER).then_some(Wall(self.at)),
            at_bits: self.at_bits,
            recent: Recent::of(&self.recent),
        }
    }

    fn learn(&mut self, state: &State) {
        self.at = state.at.map_or(NEVER, |at| at.0);
        self.at_bits = state.at_bits;
        if *self.recent != *state.recent.keys() {
            self.recent = state.recent.keys().into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u32) -> SensorId {
        format!("door{number}").parse().unwrap()
    }

    fn kept(number: u32, seen: i64) -> Kept {
        Kept { id: id(number), at: NEVER, seen, written: 0, silence_s: 60, closed: true, at_bits: 0, recent: [].into() }
    }

    #[test]
    fn sen_15_a_sensor_takes_64_bytes() {
        assert_eq!(size_of::<Kept>(), 64);
    }

    /// Whoever moves into the place of one that is forgotten is found there.
    #[test]
    fn sen_3_each_is_found_whoever_was_forgotten() {
        let mut sensors = Sensors::default();
        (0..100).for_each(|number| sensors.put(kept(number, 0)));
        (0..100).filter(|number| number % 3 == 0).for_each(|number| sensors.forget(id(number)));
        (0..100).filter(|number| number % 2 == 0).for_each(|number| sensors.put(kept(number, i64::from(number))));
        sensors.forget(id(1_000));
        for number in 0..100 {
            let expected = match (number % 2, number % 3) {
                (0, _) => Some(i64::from(number)),
                (_, 0) => None,
                _ => Some(0),
            };
            assert_eq!(sensors.seen(id(number)).map(|seen| seen.0), expected, "{number}");
        }
        assert_eq!(sensors.len(), 83);
        (0..100).for_each(|number| sensors.forget(id(number)));
        assert_eq!((sensors.len(), sensors.places.len()), (0, 0));
    }
}
