//! A sensor's voice: what it said, what was told of that, and what must be known of it.

use std::collections::{BTreeMap, VecDeque};

use base::Wall;
use sensors::signal::{Signal, key_of};
use sensors::{Outcome, SensorId};

/// How its signals can be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// By their time: they may come twice and in another order.
    Timed,
    /// By their id: they may come twice.
    Named,
    /// Not at all: what is delivered again counts again, which is harmless only because the broker keeps the order.
    Plain,
}

/// A signal on its way.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) voice: usize,
    pub(super) number: u64,
    pub(super) signal: Signal,
    /// When it was said, in running time of the server.
    pub(super) up_ms: u64,
}

/// The voice.
pub(super) struct Voice {
    pub(super) sensor: SensorId,
    pub(super) silence_ms: i64,
    pub(super) manner: Manner,
    /// Whether it speaks to the broker, or to the server itself.
    pub(super) to_broker: bool,
    /// Whether it is registered, for all we know.
    pub(super) registered: bool,
    /// Whether somebody changes its registration, or removes it for a while, now and then.
    pub(super) passing: bool,
    /// Signals up to this number may have met another registration than the one that we know of; all: nobody knows of any.
    sure_from: u64,
    /// Its last signal before it was removed for certain.
    gone_from: Option<u64>,
    /// Signals since then that were told to be of nobody.
    pub(super) unknown: i64,
    pub(super) asleep_until_us: u64,
    closed: bool,
    numbers: u64,
    last_at: i64,
    /// Times and what was said at them.
    said: BTreeMap<i64, bool>,
    /// Numbers of signals of which not everything was told, with when they were said.
    open: VecDeque<(u64, u64)>,
    /// What the sensor's state must be when nothing is open.
    pub(super) expected: Option<bool>,
    newest: u64,
    /// The greatest time that was taken, and in which life memory alone may have known of it.
    taken: Option<(i64, Option<u32>)>,
    /// Signals that were told to have changed something.
    pub(super) changed: u64,
    pub(super) changed_at: Vec<i64>,
    /// When it was last said what was taken, and when that was told, in running time of the server.
    pub(super) heard_up_ms: u64,
    pub(super) told_up_ms: u64,
}

impl Voice {
    pub(super) fn new(sensor: SensorId, silence_ms: i64, manner: Manner, to_broker: bool) -> Self {
        Self {
            sensor,
            silence_ms,
            manner,
            to_broker,
            registered: false,
            passing: false,
            sure_from: 0,
            gone_from: None,
            unknown: 0,
            asleep_until_us: 0,
            closed: false,
            numbers: 0,
            last_at: 0,
            said: BTreeMap::new(),
            open: VecDeque::new(),
            expected: None,
            newest: 0,
            taken: None,
            changed: 0,
            changed_at: vec![],
            heard_up_ms: 0,
            told_up_ms: 0,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// How many signals are open.
    pub(super) fn open(&self) -> usize {
        self.open.len()
    }

    /// When the first signal was said of which not everything was told.
    pub(super) fn first_open_up_ms(&self) -> Option<u64> {
        self.open.iter().map(|(_, up_ms)| *up_ms).min()
    }

    /// Signals that it ever said.
    pub(super) fn numbers(&self) -> u64 {
        self.numbers
    }

    /// What was said at a time.
    pub(super) fn said_at(&self, at: i64) -> Option<bool> {
        self.said.get(&at).copied()
    }

    /// Says something: now in milliseconds, and how long the server ran.
    pub(super) fn say(&mut self, voice: usize, other: bool, now_ms: i64, up_ms: u64) -> Said {
        self.closed ^= other;
        self.numbers += 1;
        self.last_at = now_ms.max(self.last_at + 1);
        self.open.push_back((self.numbers, up_ms));
        let timed = self.manner == Manner::Timed;
        if timed {
            self.said.insert(self.last_at, self.closed);
        }
        let key = (self.manner == Manner::Named).then(|| key_of(&format!("{} {}", self.sensor, self.numbers)));
        let at = timed.then_some(Wall(self.last_at));
        let signal = Signal { sensor: self.sensor, closed: self.closed, at, key };
        Said { voice, number: self.numbers, signal, up_ms }
    }

    /// Somebody asks to change its registration: nobody knows what it will meet.
    pub(super) fn unsettle(&mut self) {
        (self.sure_from, self.gone_from, self.expected, self.taken) = (u64::MAX, None, None, None);
    }

    /// Its registration is known again.
    pub(super) fn settle(&mut self, silence_ms: i64, up_ms: u64) {
        self.unsettle();
        (self.registered, self.told_up_ms, self.silence_ms) = (true, up_ms, silence_ms);
        self.sure_from = self.numbers;
    }

    /// It is removed.
    pub(super) fn removed(&mut self) {
        self.unsettle();
        (self.gone_from, self.unknown) = (Some(self.numbers), 0);
    }

    /// Whether it may not be there.
    pub(super) fn may_be_gone(&self) -> bool {
        self.sure_from == u64::MAX
    }

    /// Whether it is not there.
    pub(super) fn is_gone(&self) -> bool {
        self.gone_from.is_some()
    }

    /// What became of a signal is told, in this life.
    ///
    /// # Errors
    /// That cannot be.
    pub(super) fn told(&mut self, said: &Said, outcome: Outcome, life: u32, up_ms: u64) -> Result<(), String> {
        self.open.retain(|(number, _)| *number != said.number);
        if said.number <= self.sure_from && self.passing {
            return self.told_unsure(said, outcome);
        }
        self.heard_up_ms = self.heard_up_ms.max(said.up_ms);
        self.told_up_ms = up_ms;
        if outcome == Outcome::Changed {
            self.changed += 1;
            self.changed_at.extend(said.signal.at.map(|at| at.0));
        }
        match (outcome, said.signal.at) {
            (Outcome::Unknown | Outcome::Rejected, _) => Err(format!("{said:?} was told to be {outcome:?}")),
            (_, Some(at)) => self.told_timed(said, at.0, outcome, life),
            (Outcome::Stale, None) => Err(format!("{said:?} has no time and was told to be stale")),
            (Outcome::Repeat, None) if self.manner == Manner::Plain => {
                Err(format!("{said:?} has neither time nor id and was told to be a repeat"))
            }
            (Outcome::Changed | Outcome::Same | Outcome::Repeat, None) => {
                if said.number >= self.newest {
                    (self.newest, self.expected) = (said.number, Some(said.signal.closed));
                }
                Ok(())
            }
        }
    }

    /// A signal of a sensor whose registration changed between its word and its answer. Of one that is removed it is nobody's.
    fn told_unsure(&mut self, said: &Said, outcome: Outcome) -> Result<(), String> {
        let is_nobodys = self.gone_from.is_some_and(|last| said.number > last);
        match outcome {
            Outcome::Rejected => Err(format!("{said:?} was told to be rejected")),
            Outcome::Unknown => {
                self.unknown += i64::from(is_nobodys);
                Ok(())
            }
            _ if is_nobodys => Err(format!("{said:?} was told to be {outcome:?}, its sensor is removed")),
            Outcome::Changed => {
                self.changed_at.extend(said.signal.at.map(|at| at.0));
                self.expected = None;
                Ok(())
            }
            Outcome::Same | Outcome::Repeat | Outcome::Stale => {
                self.expected = None;
                Ok(())
            }
        }
    }

    /// The time of a signal that changed nothing may be known to memory only, and a crash forgets it (SEN-5): then one that is late
    /// counts. Nothing else older does.
    fn told_timed(&mut self, said: &Said, at: i64, outcome: Outcome, life: u32) -> Result<(), String> {
        let taken = self.taken.map_or(i64::MIN, |(taken, _)| taken);
        let forgotten = self.taken.and_then(|(_, in_memory)| in_memory).is_some_and(|of| of != life);
        let late = at < taken;
        match outcome {
            Outcome::Stale if self.said.range(at + 1..).next().is_none() => {
                Err(format!("{said:?} is the newest and was told to be stale"))
            }
            Outcome::Stale => Ok(()),
            Outcome::Repeat if late => Ok(()),
            Outcome::Changed | Outcome::Same if late && !forgotten => {
                Err(format!("{said:?} was told to be {outcome:?} after {taken} was taken"))
            }
            Outcome::Same | Outcome::Changed | Outcome::Repeat | Outcome::Unknown | Outcome::Rejected => {
                let in_memory = (outcome == Outcome::Same).then_some(life);
                (self.taken, self.expected) = (Some((at, in_memory)), Some(said.signal.closed));
                Ok(())
            }
        }
    }
}
