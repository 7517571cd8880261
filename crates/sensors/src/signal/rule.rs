//! What a signal means (SEN-3): the pure rule, the same for what is in memory and what is in the store.
//!
//! Repeats are told by the sensor's own id of the signal, or by its time together with its data: two signals of one moment may differ
//! (a clock that counts whole seconds), so that a time alone does not make a repeat. Where a signal has no time, it is as new as its
//! arrival.

use base::Wall;
use base::mutants::{self, Mutant};

use super::{Recent, Signal, key_of_time};

/// What is known of a sensor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    /// Whether the door is closed; `None` before the first signal.
    pub closed: Option<bool>,
    /// The greatest time that a signal brought.
    pub at: Option<Wall>,
    /// What came with that time: 1 open, 2 closed.
    pub at_bits: u8,
    /// The last ids.
    pub recent: Recent,
}

/// What a signal is, beside a sign of life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The door is not as it was.
    Changed,
    /// The door is as it was.
    Same,
    /// It came before.
    Repeat,
    /// A newer one came before it.
    Stale,
}

/// What a signal means.
#[must_use]
pub fn judge(state: &State, signal: &Signal) -> Verdict {
    if is_known(state, signal) && !mutants::on(Mutant::SensorRepeatsCount) {
        return Verdict::Repeat;
    }
    match (signal.at, state.at) {
        (Some(at), Some(last)) if at < last && !mutants::on(Mutant::SensorOrderIgnored) => Verdict::Stale,
        (Some(at), Some(last)) if at == last && signal.key.is_none() && state.at_bits & bit(signal.closed) != 0 => {
            Verdict::Repeat
        }
        _ if state.closed == Some(signal.closed) => Verdict::Same,
        _ => Verdict::Changed,
    }
}

/// Whether it came before under its id. One without any whose time was ahead of our calendar at first is known by that time, also once the
/// calendar has come so far that it is believed.
fn is_known(state: &State, signal: &Signal) -> bool {
    let by_time = || signal.at.map(|at| key_of_time(at, signal.closed));
    !state.recent.is_empty() && signal.key.or_else(by_time).is_some_and(|key| state.recent.has(key))
}

impl State {
    /// After a signal that was no repeat and not stale.
    pub fn take(&mut self, signal: &Signal) {
        self.closed = Some(signal.closed);
        signal.at.into_iter().for_each(|at| self.saw(at, bit(signal.closed)));
        signal.key.into_iter().for_each(|key| self.recent.push(key));
    }

    /// Knows of signals up to a time.
    pub fn saw(&mut self, at: Wall, bits: u8) {
        self.at_bits = if self.at == Some(at) { self.at_bits | bits } else { bits };
        self.at = Some(at);
    }

    /// Takes in what memory alone knew of later signals, which changed nothing.
    pub fn catch_up(&mut self, at: Option<Wall>, bits: u8, recent: &Recent) {
        at.filter(|at| self.at.is_none_or(|known| *at >= known)).into_iter().for_each(|at| self.saw(at, bits));
        self.recent.extend(recent);
    }
}

/// Which bit stands for some data.
pub(crate) fn bit(closed: bool) -> u8 {
    if closed { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(closed: bool, at: Option<i64>, key: Option<u64>) -> Signal {
        Signal { sensor: "a".parse().unwrap(), closed, at: at.map(Wall), key }
    }

    /// Verdicts of signals one after the other.
    fn run(signals: &[Signal]) -> (Vec<Verdict>, State) {
        let mut state = State::default();
        let each = |signal: &Signal| {
            let verdict = judge(&state, signal);
            if matches!(verdict, Verdict::Changed | Verdict::Same) {
                state.take(signal);
            }
            verdict
        };
        (signals.iter().map(each).collect(), state)
    }

    use Verdict::{Changed, Repeat, Same, Stale};

    #[test]
    fn sen_3_the_first_counts_as_a_change_and_the_same_again_does_not() {
        let (verdicts, state) = run(&[true, true, false].map(|closed| signal(closed, None, None)));
        assert_eq!((verdicts, state.closed), (vec![Changed, Same, Changed], Some(false)));
    }

    #[test]
    fn sen_3_what_comes_late_changes_nothing() {
        let at = |closed, at| signal(closed, Some(at), None);
        let (verdicts, state) = run(&[at(true, 10), at(false, 5), at(true, 10), at(false, 11)]);
        assert_eq!((verdicts, state.closed), (vec![Changed, Stale, Repeat, Changed], Some(false)));
    }

    #[test]
    fn sen_3_two_signals_of_one_moment_may_differ_and_come_again() {
        let at = |closed| signal(closed, Some(10), None);
        let (verdicts, state) = run(&[at(true), at(false), at(true), at(false)]);
        assert_eq!((verdicts, state.closed), (vec![Changed, Changed, Repeat, Repeat], Some(false)));
    }

    #[test]
    fn sen_3_a_repeat_is_known_by_its_id() {
        let with = |closed, key| signal(closed, None, Some(key));
        let (verdicts, state) = run(&[with(true, 1), with(false, 2), with(true, 1), with(false, 2), with(true, 3)]);
        assert_eq!((verdicts, state.closed), (vec![Changed, Changed, Repeat, Repeat, Changed], Some(true)));
    }

    #[test]
    fn sen_3_a_repeat_of_a_time_that_was_ahead_is_one_also_when_it_is_ahead_no_more() {
        let ahead = |closed, at| signal(closed, None, Some(key_of_time(Wall(at), closed)));
        let believed = |closed, at| signal(closed, Some(at), None);
        let (first, again) = ([ahead(true, 10), ahead(false, 20)], [believed(true, 10), believed(false, 20)]);
        let (verdicts, state) = run(&[first[0], first[1], again[0], again[1], believed(true, 20), believed(true, 30)]);
        assert_eq!((verdicts, state.closed), (vec![Changed, Changed, Repeat, Repeat, Changed, Same], Some(true)));
    }

    #[test]
    fn sen_3_what_memory_knew_counts() {
        let mut state = State { closed: Some(true), at: Some(Wall(5)), at_bits: 2, ..State::default() };
        let mut recent = Recent::default();
        recent.push(7);
        state.catch_up(Some(Wall(9)), 2, &recent);
        assert_eq!(judge(&state, &signal(false, Some(8), None)), Stale);
        assert_eq!(judge(&state, &signal(false, None, Some(7))), Repeat);
        state.catch_up(Some(Wall(3)), 1, &Recent::default());
        assert_eq!(state.at, Some(Wall(9)), "it never goes back");
    }
}
