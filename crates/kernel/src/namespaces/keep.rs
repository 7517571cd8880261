//! What a node's keeper does next about one namespace: functions of its row and of what this node has, without any store. The
//! keeper that does it is the server's; the simulator has two of its own.

use base::mutants::{self, Mutant};

use base::Engine;

use super::row::NamespaceRow;
use super::state::{Standing, State};

/// The first pause after a store could not be opened; it doubles.
const PAUSE_MS: u64 = 1_000;
/// The longest pause.
const PAUSE_MS_MAX: u64 = 60_000;

/// What this node has of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Which life of the name.
    pub place: String,
    /// On which engine.
    pub engine: Engine,
    /// How it was told to stand.
    pub standing: Standing,
    /// How far it is.
    pub phase: Phase,
    /// How often in a row it went wrong.
    pub tries: u32,
}

impl Slot {
    /// A job begins for a row, after what was there before.
    #[must_use]
    pub fn begun(row: &NamespaceRow, before: Option<&Self>) -> Self {
        let tries = before.map_or(0, |slot| slot.tries);
        Self { place: row.place.clone(), engine: row.engine, standing: row.standing(), phase: Phase::Busy, tries }
    }

    /// The job has ended; one that went wrong is begun again after a pause.
    pub fn end(&mut self, went_well: bool, now_ms: u64) {
        self.tries = if went_well { 0 } else { self.tries + 1 };
        self.phase = if went_well { Phase::Open } else { Phase::Failed { again_ms: now_ms + pause_ms(self.tries) } };
    }
}

/// How far a namespace is on this node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// A job is at work on it.
    Busy,
    /// Its store is open.
    Open,
    /// Its store was closed, because nobody may use it for now.
    Shut,
    /// The last job failed; the next may begin then (of the time that this process ran).
    Failed {
        /// When.
        again_ms: u64,
    },
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing now.
    Nothing,
    /// Open its store.
    Open,
    /// Tell it how it stands.
    Stand,
    /// Tell the row that it was created.
    Settle,
    /// Close its store, which stays where it is.
    Shut,
    /// Close its store and set its data aside.
    Remove,
    /// Close its store and forget it.
    LetGo,
}

/// What to do next.
#[must_use]
pub fn step(row: Option<&NamespaceRow>, slot: Option<&Slot>, now_ms: u64) -> Step {
    match (row, slot) {
        (None, None) => Step::Nothing,
        (_, Some(Slot { phase: Phase::Busy, .. })) => Step::Nothing,
        (None, Some(_)) => Step::LetGo,
        (Some(row), Some(slot)) if is_other(row, slot) => Step::LetGo,
        (Some(row), None) => begin(row),
        (Some(row), Some(slot)) => match slot.phase {
            Phase::Failed { again_ms } if again_ms <= now_ms => begin(row),
            Phase::Open | Phase::Shut if row.state == State::Removing => Step::Remove,
            Phase::Open if row.state == State::Moving => Step::Shut,
            Phase::Shut if row.state != State::Moving => begin(row),
            Phase::Open if row.state == State::Creating => Step::Settle,
            Phase::Busy | Phase::Open | Phase::Shut | Phase::Failed { .. } if row.standing() != slot.standing => {
                Step::Stand
            }
            Phase::Busy | Phase::Open | Phase::Shut | Phase::Failed { .. } => Step::Nothing,
        },
    }
}

/// Another life of the name, or the same one on the other engine.
fn is_other(row: &NamespaceRow, slot: &Slot) -> bool {
    let is_other_life = slot.place != row.place && !mutants::on(Mutant::OtherLifeKept);
    // What is shut has nothing open that would have to be closed first.
    is_other_life || (slot.engine != row.engine && slot.phase != Phase::Shut)
}

fn begin(row: &NamespaceRow) -> Step {
    match row.state {
        State::Moving => Step::Shut,
        State::Removing => Step::Remove,
        State::Creating | State::Open | State::ReadOnly | State::Closed => Step::Open,
    }
}

/// How long to wait after so many failures in a row.
fn pause_ms(tries: u32) -> u64 {
    (PAUSE_MS << tries.saturating_sub(1).min(16)).min(PAUSE_MS_MAX)
}

#[cfg(test)]
mod tests {
    use super::super::row::Limits;
    use super::*;

    fn row(state: State) -> NamespaceRow {
        NamespaceRow {
            name: "a".into(),
            label: String::new(),
            engine: Engine::Sqlite,
            place: "a-1".into(),
            home: String::new(),
            url: None,
            state,
            message: String::new(),
            reopens_at: None,
            limits: Limits::default(),
            temporary: false,
            created_at: 0,
            version: 0,
        }
    }

    fn slot(phase: Phase) -> Slot {
        Slot { place: "a-1".into(), engine: Engine::Sqlite, standing: row(State::Open).standing(), phase, tries: 0 }
    }

    fn check(state: State, phase: Phase, wanted: Step) {
        assert_eq!(step(Some(&row(state)), Some(&slot(phase)), 10), wanted, "{state:?} {phase:?}");
    }

    #[test]
    fn ker_2_a_row_is_made_true() {
        assert_eq!(step(Some(&row(State::Creating)), None, 0), Step::Open);
        assert_eq!(step(Some(&row(State::Closed)), None, 0), Step::Open, "administrators may enter");
        assert_eq!(step(Some(&row(State::Removing)), None, 0), Step::Remove, "a killed removal goes on");
        check(State::Creating, Phase::Open, Step::Settle);
        check(State::Open, Phase::Open, Step::Nothing);
        check(State::Closed, Phase::Open, Step::Stand);
        check(State::Removing, Phase::Open, Step::Remove);
        check(State::Removing, Phase::Busy, Step::Nothing);
    }

    #[test]
    fn ker_3_while_the_last_part_of_a_move_lasts_nobody_has_it_open() {
        check(State::Moving, Phase::Open, Step::Shut);
        assert_eq!(step(Some(&row(State::Moving)), None, 0), Step::Shut, "after a start too");
        check(State::Moving, Phase::Failed { again_ms: 10 }, Step::Shut);
        check(State::Moving, Phase::Shut, Step::Stand);
        check(State::Open, Phase::Shut, Step::Open);
        check(State::Removing, Phase::Shut, Step::Remove);
        let there = NamespaceRow { engine: Engine::Postgres, ..row(State::Open) };
        assert_eq!(step(Some(&there), Some(&slot(Phase::Shut)), 0), Step::Open, "it is opened on the other engine");
        assert_eq!(step(Some(&there), Some(&slot(Phase::Open)), 0), Step::LetGo);
    }

    #[test]
    fn ker_2_what_failed_waits_and_is_tried_again() {
        check(State::Open, Phase::Failed { again_ms: 11 }, Step::Nothing);
        check(State::Closed, Phase::Failed { again_ms: 11 }, Step::Stand);
        check(State::Open, Phase::Failed { again_ms: 10 }, Step::Open);
        check(State::Removing, Phase::Failed { again_ms: 10 }, Step::Remove);
        assert_eq!([1, 2, 3, 7, 99].map(pause_ms), [1_000, 2_000, 4_000, 60_000, 60_000]);
    }

    #[test]
    fn ker_2_another_life_of_the_name_is_another_namespace() {
        let old = Slot { place: "a-0".into(), ..slot(Phase::Open) };
        assert_eq!(step(Some(&row(State::Open)), Some(&old), 0), Step::LetGo);
        assert_eq!(step(None, Some(&old), 0), Step::LetGo);
        let busy = Slot { phase: Phase::Busy, ..old };
        assert_eq!(step(None, Some(&busy), 0), Step::Nothing);
        assert_eq!(step(None, None, 0), Step::Nothing);
    }
}
