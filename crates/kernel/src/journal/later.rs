//! Lines that could not be journaled when they happened: in the log at once, in memory until the store takes them.
//!
//! Bounded: the same news again only raises a number, and what finds no room is counted, never silently lost.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base::{Clock, Entropy, Id, Wall};
use serde::{Deserialize, Serialize};

use crate::watch::shown;

/// Lines that may wait.
const WAITING_MAX: usize = 1_000;

/// A line that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateLine {
    /// Its id, fixed when it happened: written twice, it is one line.
    pub id: Id,
    /// When it happened first.
    pub at: Wall,
    /// `login.undecided` …
    pub kind: String,
    /// What it is about.
    pub subject: String,
    /// For a person.
    pub text: String,
    /// How often it happened since.
    pub times: u64,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<LateLine>,
    /// Lines at the front that are being written: they are not raised any more.
    being_written: usize,
    lost: u64,
    lost_ever: u64,
}

/// What waits in one namespace.
#[derive(Default)]
pub struct Later(Mutex<State>);

impl Later {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the log at once and the journal later. The same kind and subject while it waits is one line, with how often.
    pub fn tell(&self, env: (&dyn Clock, &dyn Entropy), kind: &str, subject: &str, text: &str) {
        let mut state = self.state();
        let done = state.being_written;
        let same = |line: &&mut LateLine| line.kind == kind && line.subject == subject;
        if let Some(line) = state.waiting.iter_mut().skip(done).find(same) {
            line.times += 1;
            return;
        }
        tracing::warn!(kind, subject = shown(subject, 200), text = shown(text, 500), "journaled later");
        if state.waiting.len() >= WAITING_MAX {
            state.lost += 1;
            state.lost_ever += 1;
            return;
        }
        let line = new_line(env, kind, subject, text);
        state.waiting.push_back(line);
    }

    /// Some lines to write, the same again until they are; none while some are being written. What found no room becomes a line
    /// of its own.
    pub(crate) fn begin(&self, env: (&dyn Clock, &dyn Entropy), max: usize) -> Vec<LateLine> {
        let mut state = self.state();
        if state.being_written > 0 {
            return vec![];
        }
        let lost = std::mem::take(&mut state.lost);
        if lost > 0 {
            let text = format!("{lost} lines found no room while the store could not be written");
            state.waiting.push_back(new_line(env, "journal.lost", "journal", &text));
        }
        state.being_written = state.waiting.len().min(max);
        state.waiting.iter().take(state.being_written).cloned().collect()
    }

    /// What came of the lines of the last [`Later::begin`]: in the journal, or to be written again.
    pub(crate) fn end(&self, written: bool) {
        let mut state = self.state();
        let count = std::mem::take(&mut state.being_written);
        if written {
            state.waiting.drain(..count);
        }
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let state = self.state();
        state.waiting.is_empty() && state.lost == 0
    }

    /// Lines that wait, and lines that found no room since the start.
    #[must_use]
    pub fn counts(&self) -> (usize, u64) {
        let state = self.state();
        (state.waiting.len(), state.lost_ever)
    }
}

fn new_line((clock, entropy): (&dyn Clock, &dyn Entropy), kind: &str, subject: &str, text: &str) -> LateLine {
    let mut chance = [0; 10];
    entropy.fill(&mut chance);
    let at = clock.wall();
    let (subject, text) = (shown(subject, super::SUBJECT_MAX), shown(text, super::TEXT_MAX));
    LateLine { id: Id::new(at, chance), at, kind: kind.to_owned(), subject, text, times: 1 }
}
