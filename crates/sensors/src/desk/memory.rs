//! Sensors in memory: as they are written, with what came since and changed nothing. Small, because there may be a million.

use std::collections::HashMap;

use base::Wall;

use crate::ear::Listened;
use crate::id::SensorId;
use crate::judging::{Known, Outcome, SensorRow, is_due};
use crate::limits::DURABLE_PART;
use crate::signal::{Recent, Signal, State, Verdict, judge};

/// More are not kept; those beyond are judged by the operation, which needs no memory.
const KEPT_MAX: usize = 5_000_000;

/// No time.
const NEVER: i64 = i64::MIN;

/// One sensor: 40 bytes beside its id.
struct Kept {
    at: i64,
    seen: i64,
    /// The durable sign of life.
    written: i64,
    silence_s: u32,
    closed: bool,
    at_bits: u8,
    /// Ids of signals that are not written.
    recent: Option<Box<Recent>>,
}

/// All that are kept.
#[derive(Default)]
pub(super) struct Sensors(HashMap<SensorId, Kept>);

impl Sensors {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Settles a signal, if it changes nothing and needs no commit of its own.
    pub(super) fn settle(&mut self, signal: &Signal, now: Listened) -> Option<Outcome> {
        let kept = self.0.get_mut(&signal.sensor)?;
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
        let kept = self.0.get(&sensor)?;
        let State { at, at_bits, recent, .. } = kept.state();
        Some(Known { at, at_bits, recent })
    }

    /// The last sign of life that memory knows of.
    pub(super) fn seen(&self, sensor: SensorId) -> Option<Listened> {
        self.0.get(&sensor).map(|kept| Listened(kept.seen))
    }

    /// What COMMIT confirmed of a sensor. One that is lost or never spoke is not kept: its next signal is news.
    pub(super) fn know(&mut self, sensor: &SensorRow, now: Listened) {
        let (Some(closed), Some(seen), Some(_)) = (sensor.state.closed, sensor.seen, sensor.lost_at) else {
            return self.forget(sensor.id);
        };
        if self.0.len() >= KEPT_MAX && !self.0.contains_key(&sensor.id) {
            return;
        }
        // What is not written yet stays known here.
        let recent = if sensor.dirty { Recent::default() } else { sensor.state.recent };
        let kept = Kept {
            at: sensor.state.at.map_or(NEVER, |at| at.0),
            seen: now.0,
            written: seen.0,
            silence_s: u32::try_from(sensor.silence_ms / 1_000).unwrap_or(u32::MAX),
            closed,
            at_bits: sensor.state.at_bits,
            recent: (!recent.is_empty()).then(|| Box::new(recent)),
        };
        self.0.insert(sensor.id, kept);
    }

    pub(super) fn forget(&mut self, sensor: SensorId) {
        self.0.remove(&sensor);
    }
}

impl Kept {
    fn state(&self) -> State {
        State {
            closed: Some(self.closed),
            at: (self.at != NEVER).then_some(Wall(self.at)),
            at_bits: self.at_bits,
            recent: self.recent.as_deref().copied().unwrap_or_default(),
        }
    }

    fn learn(&mut self, state: &State) {
        self.at = state.at.map_or(NEVER, |at| at.0);
        self.at_bits = state.at_bits;
        match &mut self.recent {
            Some(recent) => **recent = state.recent,
            None if state.recent.is_empty() => {}
            None => self.recent = Some(Box::new(state.recent)),
        }
    }
}
