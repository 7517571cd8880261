//! Whoever starts processes, each until it is acknowledged, and signals to those that wait for some: early or late.

use serde_json::{json, value::to_raw_value};
use workflow::process::{SIGNAL, START, Signal};

use super::known::{Case, Known};
use super::line::{Heard, Line};
use super::plan::{Plan, Wish};
use crate::rng::Rng;
use crate::sim::{Asker, News, Sim};

/// Processes of one run.
const CASES_MAX: usize = 14;

/// What it waits for.
enum Question {
    Start(usize),
    Signal(usize),
}

/// A signal that is to be brought.
struct Wanted {
    case: usize,
    name: String,
    value: i64,
    from_us: u64,
}

/// The starter.
pub(super) struct Starter {
    line: Line,
    open: Option<Question>,
    signals: Vec<Option<Wanted>>,
    /// The widest plan.
    wide: u64,
}

impl Starter {
    pub(super) fn new(line: Line, wide: u64) -> Self {
        Self { line, open: None, signals: vec![], wide }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.open.is_none() && self.signals.iter().all(Option::is_none)
    }

    pub(super) fn act(&mut self, asker: Asker, known: &mut Known, sim: &mut Sim) {
        if !self.line.is_now(asker) {
            return;
        }
        if self.open.is_none() {
            self.open = self.next(known, sim);
        }
        match self.open {
            Some(Question::Start(number)) => self.start(number, known, sim),
            Some(Question::Signal(number)) => self.signal(number, known, sim),
            None => {
                let pause_us = sim.rng.within(500_000, 8_000_000);
                self.line.rest(pause_us, sim);
            }
        }
    }

    fn next(&mut self, known: &mut Known, sim: &mut Sim) -> Option<Question> {
        if !known.is_ready {
            return None;
        }
        let is_due = |wanted: &Option<Wanted>| {
            wanted.as_ref().is_some_and(|wanted| wanted.from_us <= sim.now_us() || known.calm)
        };
        if let Some(number) = self.signals.iter().position(is_due) {
            return Some(Question::Signal(number));
        }
        if known.calm || known.cases.len() >= CASES_MAX {
            return None;
        }
        let number = known.cases.len();
        let case = draw(number, self.wide, &mut sim.rng);
        if case.plan.width() > 20 {
            // One is enough: everything takes longer from here on.
            self.wide = 20;
        }
        known.cases.push(case);
        Some(Question::Start(number))
    }

    fn start(&mut self, number: usize, known: &Known, sim: &mut Sim) {
        let case = &known.cases[number];
        let key = format!("case {number}");
        let mut start = json!({ "type": case.kind, "custom_id": case.custom_id(number), "start": case.plan.task() });
        if case.keyed {
            start["key"] = json!(key);
        }
        let Ok(input) = serde_json::from_value(start) else { return };
        // A key of its own makes it one also where the request has none.
        let once = (!case.keyed || sim.rng.once_in(2)).then_some(key);
        self.line.ask(&START, input, once.as_deref(), sim);
    }

    fn signal(&mut self, number: usize, known: &Known, sim: &mut Sim) {
        let Some(Some(wanted)) = self.signals.get(number) else { return };
        let process = known.cases[wanted.case].process.clone().unwrap_or_default();
        let Ok(value) = to_raw_value(&wanted.value) else { return };
        let input = Signal { process, name: wanted.name.clone(), value };
        self.line.ask(&SIGNAL, input, Some(&format!("signal {number}")), sim);
    }

    pub(super) fn hear(&mut self, asker: Asker, news: News, known: &mut Known, sim: &mut Sim) {
        let Some(heard) = self.line.heard(asker, news, known) else { return };
        match (heard, &self.open) {
            (Heard::Said(answer), Some(Question::Start(number))) => {
                let process = answer["process_id"].as_str().unwrap_or_default().to_owned();
                self.started(*number, process, known, sim);
            }
            (Heard::Said(_), Some(Question::Signal(number))) => self.signals[*number] = None,
            (Heard::Refused(error), Some(Question::Signal(number))) => {
                let case = self.signals[*number].as_ref().map_or(0, |wanted| wanted.case);
                if !known.cases[case].abort_asked {
                    known.wrong(format!("a signal to case {case} was refused: {error:?}"));
                }
                self.signals[*number] = None;
            }
            (Heard::Refused(error), _) => known.wrong(format!("a start was refused: {error:?}")),
            (Heard::Nothing, _) | (Heard::Said(_), None) => {
                let pause_us = sim.rng.within(50_000, 2_000_000);
                return self.line.rest(pause_us, sim);
            }
        }
        self.open = None;
        let pause_us = sim.rng.within(50_000, 3_000_000);
        self.line.rest(pause_us, sim);
    }

    fn started(&mut self, number: usize, process: String, known: &mut Known, sim: &mut Sim) {
        for (name, value) in known.cases[number].plan.signals() {
            let from_us = sim.now_us() + sim.rng.below(60_000_000);
            self.signals.push(Some(Wanted { case: number, name, value, from_us }));
        }
        known.cases[number].process = Some(process);
    }
}

fn draw(number: usize, wide: u64, rng: &mut Rng) -> Case {
    let kind = *rng.pick(&["once", "again"]);
    let name = format!("signal-{number}");
    // Who begins anew would have to be told everything again.
    let signal = (kind == "once").then_some(name.as_str());
    let depth = rng.within(0, 4);
    let plan = Plan::draw(rng, Wish { kind, signal, wide }, depth);
    let value = plan.value();
    Case { plan, value, kind, keyed: rng.once_in(2), process: None, abort_asked: false }
}
