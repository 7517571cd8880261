//! Somebody's line to the server: one question at a time, until there is an answer or patience ends.

use base::OpError;
use kernel::{Op, Query};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::cuts::{Cut, Step};
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
    life: u32,
    step: Option<Step>,
}

impl Line {
    pub(super) fn new(workload: usize, client: usize) -> Self {
        Self { asker: Asker { workload, client, token: 0 }, life: 0, step: None }
    }

    /// Whether somebody waits for an answer.
    pub(super) fn is_open(&self) -> bool {
        self.step.is_some()
    }

    /// Whether this is about the question that is open, or the pause that goes on.
    pub(super) fn is_now(&self, asker: Asker) -> bool {
        self.asker == asker
    }

    fn begin(&mut self, step: Option<Step>, sim: &Sim) {
        self.asker.token += 1;
        (self.life, self.step) = (sim.life(), step);
    }

    /// Asks, perhaps twice.
    pub(super) fn ask<I, O>(
        &mut self,
        step: Step,
        op: &'static Op<I, O>,
        input: I,
        once: Option<&str>,
        known: &mut Known,
        sim: &mut Sim,
    ) where
        I: Clone + Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        self.begin(Some(step), sim);
        if once.is_none() && step != Step::Start && sim.rng.once_in(sim.faults.request_doubled) {
            sim.ask(self.asker, op, input.clone(), None);
        }
        if sim.ask(self.asker, op, input, once) == 0 {
            known.cut(Cut::RequestLost(step));
        }
        act(sim, self.asker, PATIENCE_US);
    }

    /// Asks for what is only read.
    pub(super) fn read<I, O>(
        &mut self,
        step: Step,
        query: &'static Query<I, O>,
        input: I,
        known: &mut Known,
        sim: &mut Sim,
    ) where
        I: Send + 'static,
        O: Serialize + Send + 'static,
    {
        self.begin(Some(step), sim);
        if sim.ask_to_read(self.asker, query, input) == 0 {
            known.cut(Cut::RequestLost(step));
        }
        act(sim, self.asker, PATIENCE_US);
    }

    /// Nothing for a while.
    pub(super) fn rest(&mut self, after_us: u64, sim: &mut Sim) {
        self.begin(None, sim);
        act(sim, self.asker, after_us);
    }

    /// Takes in what is heard; the question is over.
    pub(super) fn heard(&mut self, news: News, known: &mut Known, sim: &Sim) -> Heard {
        let Some(step) = self.step.take() else { return Heard::Nothing };
        match news {
            News::Answer(Ok(answer)) => return Heard::Said(answer.out),
            News::Answer(Err(error)) if matches!(error.code.letter(), 'A' | 'N' | 'S') => return Heard::Refused(error),
            News::Answer(Err(error)) if error.code.letter() == 'B' => known.wrong(format!("{step:?}: {error:?}")),
            News::Answer(Err(_)) => known.cut(Cut::StoreFailed(step)),
            News::Cut if self.is_other_life(sim) => known.cut(Cut::ServerDied(step)),
            News::Cut | News::Message(_) => known.cut(Cut::AnswerLost(step)),
        }
        Heard::Nothing
    }

    /// Nobody waits any more.
    pub(super) fn give_up(&mut self, known: &mut Known, sim: &Sim) {
        if let Some(step) = self.step.take()
            && self.is_other_life(sim)
        {
            known.cut(Cut::ServerDied(step));
        }
    }

    fn is_other_life(&self, sim: &Sim) -> bool {
        !sim.is_up() || sim.life() != self.life
    }
}
