//! An operator: sets what holds, has processes looked at, begun anew and aborted, by hand and by jobs, and tries broken tasks again.

use serde_json::{Value, json};
use workflow::actors::{ActorPatchOf, PATCH_ACTOR, PATCH_TYPE, TypePatchOf};
use workflow::broken::{RETRY, Retry};
use workflow::jobs::{CREATE_JOB, CreateJob};
use workflow::process::{ABORT, Abort, RESTART, Restart};
use workflow::recovery::RECOVER;

use super::judge;
use super::known::Known;
use super::line::{Heard, Line};
use super::plan::{BRITTLE, QUEUES, STRICT};
use crate::sim::{Asker, News, Sim};

/// Jobs of one run.
const JOBS_MAX: u64 = 3;

/// What it wants.
#[derive(Debug, Clone)]
enum Wish {
    Actor(Value),
    Type(Value),
    Recover { process: String, was_sound: bool },
    Restart { process: String, task: Option<String>, asked_us: u64 },
    Abort(String),
    Retry(String),
    Job(Value),
}

/// The operator.
pub(super) struct Operator {
    line: Line,
    open: Option<Wish>,
    wishes: u64,
    jobs: u64,
    /// What holds here, still to be set.
    settings: Vec<Wish>,
}

impl Operator {
    pub(super) fn new(line: Line, sim: &mut Sim) -> Self {
        let settings = settings(sim);
        Self { line, open: None, wishes: 0, jobs: 0, settings }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.open.is_none()
    }

    pub(super) fn act(&mut self, asker: Asker, known: &mut Known, sim: &mut Sim) {
        if !self.line.is_now(asker) {
            return;
        }
        if self.open.is_none() {
            self.wishes += 1;
            self.open = self.next(known, sim);
        }
        match self.open.clone() {
            Some(wish) => self.ask(wish, sim),
            None => {
                let pause_us = if known.calm { 2_000_000 } else { sim.rng.within(500_000, 6_000_000) };
                self.line.rest(pause_us, sim);
            }
        }
    }

    fn next(&mut self, known: &mut Known, sim: &mut Sim) -> Option<Wish> {
        if let Some(setting) = self.settings.last() {
            return Some(setting.clone());
        }
        known.is_ready = true;
        let broken = sim.look(judge::broken).and_then(Result::ok).unwrap_or_default();
        if known.calm || sim.rng.once_in(3) {
            let task = broken.first()?.clone();
            return Some(Wish::Retry(task));
        }
        let processes = sim.look(judge::ids).and_then(Result::ok).unwrap_or_default();
        match sim.rng.below(8) {
            0..=3 if !processes.is_empty() => {
                let process = sim.rng.pick(&processes).clone();
                let was_sound = known.is_sound(&process);
                Some(Wish::Recover { process, was_sound })
            }
            4 => Self::restart(known, sim),
            5 => abort(known, sim),
            6 => self.job(sim),
            _ => None,
        }
    }

    /// Begins a process anew that nobody has to tell anything again.
    fn restart(known: &mut Known, sim: &mut Sim) -> Option<Wish> {
        let fits = known.cases.iter().filter(|case| !case.abort_asked && case.plan.signals().is_empty());
        let processes: Vec<String> = fits.filter_map(|case| case.process.clone()).collect();
        let process = (!processes.is_empty()).then(|| sim.rng.pick(&processes).clone())?;
        let decided = sim.look(|tx| judge::decided(tx, &process)).and_then(Result::ok).unwrap_or_default();
        let task = (!decided.is_empty() && sim.rng.once_in(2)).then(|| sim.rng.pick(&decided).clone());
        if task.is_some() {
            known.reworked.insert(process.clone());
        }
        Some(Wish::Restart { process, task, asked_us: sim.now_us() })
    }

    fn job(&mut self, sim: &mut Sim) -> Option<Wish> {
        if self.jobs >= JOBS_MAX {
            return None;
        }
        self.jobs += 1;
        let action = *sim.rng.pick(&["recover", "restart", "retry_broken", "analyse"]);
        let mut job = json!({ "action": action, "priority": sim.rng.below(2), "rate": sim.rng.within(1, 50) });
        if action == "restart" {
            job["search"] = json!({ "type": "again" });
        }
        Some(Wish::Job(job))
    }

    fn ask(&mut self, wish: Wish, sim: &mut Sim) {
        let once = format!("wish {}", self.wishes);
        let once = Some(once.as_str());
        let own = || Some("operator".to_owned());
        match wish {
            Wish::Actor(patch) => {
                let Ok(input) = serde_json::from_value::<ActorPatchOf>(patch) else { return };
                self.line.ask(&PATCH_ACTOR, input, once, sim);
            }
            Wish::Type(patch) => {
                let Ok(input) = serde_json::from_value::<TypePatchOf>(patch) else { return };
                self.line.ask(&PATCH_TYPE, input, once, sim);
            }
            Wish::Recover { process, .. } => self.line.ask(&RECOVER, process, once, sim),
            Wish::Restart { process, task, .. } => {
                self.line.ask(&RESTART, Restart { process, task, source: own() }, once, sim);
            }
            Wish::Abort(process) => {
                self.line.ask(&ABORT, Abort { process, reason: "not wanted".into(), source: own() }, once, sim);
            }
            Wish::Retry(task_id) => self.line.ask(&RETRY, Retry { task_id, source: own() }, once, sim),
            Wish::Job(job) => {
                let Ok(input) = serde_json::from_value::<CreateJob>(job) else { return };
                self.line.ask(&CREATE_JOB, input, once, sim);
            }
        }
    }

    pub(super) fn hear(&mut self, asker: Asker, news: News, known: &mut Known, sim: &mut Sim) {
        let Some(heard) = self.line.heard(asker, news, known) else { return };
        match heard {
            Heard::Said(answer) => {
                if let Some(wish) = self.open.take() {
                    self.heard(wish, &answer, known, sim);
                }
            }
            Heard::Refused(error) => self.refused(&error, known),
            Heard::Nothing => {}
        }
        let pause_us = sim.rng.within(50_000, 3_000_000);
        self.line.rest(pause_us, sim);
    }

    fn heard(&mut self, wish: Wish, answer: &Value, known: &mut Known, sim: &Sim) {
        match wish {
            Wish::Actor(_) | Wish::Type(_) => drop(self.settings.pop()),
            Wish::Recover { process, was_sound } => {
                let repaired = answer["repaired"].as_array().is_some_and(|repaired| !repaired.is_empty());
                if repaired && was_sound && known.is_sound(&process) && !known.timed.contains(&process) {
                    known.wrong(format!("a process that is well was repaired: {process} {answer}"));
                }
            }
            Wish::Restart { process, task: None, asked_us } => {
                known.restarts.entry(process).or_default().push((asked_us, sim.now_us()));
            }
            Wish::Restart { task: Some(task), asked_us, .. } => {
                known.restarts_from.insert(task, (asked_us, sim.now_us()));
            }
            Wish::Abort(process) => drop(known.aborts.insert(process, sim.now_us())),
            Wish::Retry(_) | Wish::Job(_) => {}
        }
    }

    /// What came too late is refused; all else is wrong.
    fn refused(&mut self, error: &base::OpError, known: &mut Known) {
        match self.open.take() {
            Some(Wish::Restart { .. } | Wish::Abort(_) | Wish::Retry(_)) => {}
            wish => known.wrong(format!("{wish:?} was refused: {error:?}")),
        }
    }
}

/// Ends a process of which nobody waits for the value.
fn abort(known: &mut Known, sim: &mut Sim) -> Option<Wish> {
    let fits = |case: &&mut super::known::Case| case.kind == "once" && case.process.is_some();
    let mut cases: Vec<_> = known.cases.iter_mut().filter(fits).collect();
    let place = usize::try_from(sim.rng.below(cases.len().max(3) as u64)).unwrap_or(0);
    let case = cases.get_mut(place)?;
    case.abort_asked = true;
    case.process.clone().map(Wish::Abort)
}

/// Times so short that much happens.
fn settings(sim: &mut Sim) -> Vec<Wish> {
    let mut rng = sim.rng.fork();
    let actors = QUEUES.iter().filter(|(_, list)| list.is_none()).map(|(actor, _)| *actor);
    let mut wishes: Vec<Wish> = actors
        .map(|actor| {
            let mut patch = json!({ "work_timeout_ms": rng.within(5_000, 20_000) });
            match actor {
                STRICT => patch["accept_first"] = json!(false),
                BRITTLE => patch["restart_after_work_timeout"] = json!(false),
                _ => {}
            }
            Wish::Actor(json!({ "actor": actor, "patch": patch }))
        })
        .collect();
    for (kind, policy) in [("once", "broken"), ("again", "restart")] {
        let idle_ms = rng.within(5_000, 30_000);
        let patch =
            json!({ "idle_timeout_ms": idle_ms, "process_timeout_ms": 3 * idle_ms, "on_inconsistency": policy });
        wishes.push(Wish::Type(json!({ "kind": kind, "patch": patch })));
    }
    wishes
}
