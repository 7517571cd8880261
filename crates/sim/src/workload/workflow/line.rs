//! Somebody's line to the server: one question at a time, until there is an answer or patience ends.

use base::OpError;
use kernel::Op;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::known::Known;
use crate::run::act;
use crate::sim::{Asker, News, Sim};

/// Whoever hears nothing for so long takes the answer for lost.
const PATIENCE_US: u64 = 4_000_000;

/// What became of a question.
pub(super) enum Heard {
    /// The answer.
    Said(Value),
    /// It was refused.
    Refused(OpError),
    /// Nobody knows.
    Nothing,
}

/// A line.
pub(super) struct Line {
    asker: Asker,
    is_open: bool,
}

impl Line {
    pub(super) fn new(workload: usize, client: usize) -> Self {
        Self { asker: Asker { workload, client, token: 0 }, is_open: false }
    }

    /// Whether this is about the question that is open, or the pause that goes on.
    pub(super) fn is_now(&self, asker: Asker) -> bool {
        self.asker == asker
    }

    /// Asks.
    pub(super) fn ask<I, O>(&mut self, op: &'static Op<I, O>, input: I, once: Option<&str>, sim: &mut Sim)
    where
        I: Clone + Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        self.asker.token += 1;
        self.is_open = true;
        sim.ask(self.asker, op, input, once);
        act(sim, self.asker, PATIENCE_US);
    }

    /// Nothing for a while.
    pub(super) fn rest(&mut self, after_us: u64, sim: &mut Sim) {
        self.asker.token += 1;
        self.is_open = false;
        act(sim, self.asker, after_us);
    }

    /// Takes in what is heard of the question that is open; `None`: it is about another one.
    pub(super) fn heard(&mut self, asker: Asker, news: News, known: &mut Known) -> Option<Heard> {
        if !self.is_now(asker) || !std::mem::take(&mut self.is_open) {
            return None;
        }
        Some(match news {
            News::Answer(Ok(answer)) => {
                known.answers += 1;
                Heard::Said(answer.out)
            }
            News::Answer(Err(error)) if matches!(error.code.letter(), 'A' | 'N' | 'S') => Heard::Refused(error),
            News::Answer(Err(error)) if error.code.letter() == 'B' => {
                known.wrong(format!("a bug is told: {error:?}"));
                Heard::Nothing
            }
            News::Answer(Err(_)) | News::Cut | News::Message(_) => Heard::Nothing,
        })
    }
}
