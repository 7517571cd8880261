//! A worker: takes tasks, does them, and brings what came of them; late, twice, or not at all. Now and then it lies.

use base::Clock;
use serde_json::{Value, json};
use workflow::work::{HEARTBEAT, Heartbeat, POLL, POLL_ONCE, Poll, PollOnce, RELEASE, Release};

use super::known::{Known, Sent};
use super::line::{Heard, Line};
use super::plan::{QUEUES, STRICT, earliest, work};
use crate::sim::{Asker, News, Sim};

/// Results of one call.
const AT_ONCE: usize = 200;
/// How often it says that it is at something.
const BEAT_US: u64 = 3_000_000;

/// A task on its desk.
#[derive(Clone)]
struct Held {
    given: Value,
    actor: &'static str,
    given_us: u64,
    due_us: u64,
    /// When it says again that it is at it, if it does.
    beat_us: Option<u64>,
}

/// What it waits for.
enum Question {
    Poll(Wanted),
    Beat(Vec<(String, i64, bool)>),
    Release(Brought),
}

/// Tasks that it asks for, with a key or without: then what is given in an answer that it does not hear is lost to it.
#[derive(Clone)]
struct Wanted {
    number: u64,
    actor: &'static str,
    poll: Poll,
    keyed: bool,
}

/// Results on their way.
#[derive(Clone)]
struct Brought {
    results: Vec<Sent>,
    input: Value,
    once: Option<String>,
    tries: u32,
}

/// A worker.
pub(super) struct Worker {
    name: String,
    line: Line,
    desk: Vec<Held>,
    open: Option<Question>,
    /// What it brings once more.
    again: Option<Brought>,
    calls: u64,
    queue: usize,
}

impl Worker {
    pub(super) fn new(number: u64, line: Line) -> Self {
        let name = format!("worker {number}");
        Self { name, line, desk: vec![], open: None, again: None, calls: number * 1_000_000, queue: 0 }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.desk.is_empty() && self.again.is_none() && !matches!(self.open, Some(Question::Release(_)))
    }

    pub(super) fn act(&mut self, asker: Asker, known: &mut Known, sim: &mut Sim) {
        if !self.line.is_now(asker) {
            return;
        }
        if !known.is_ready {
            return self.line.rest(500_000, sim);
        }
        match self.open.take() {
            // Whoever heard nothing of its results brings them again, a few times.
            Some(Question::Release(brought)) => self.again = (brought.tries < 4 || known.calm).then_some(brought),
            Some(Question::Poll(wanted)) if wanted.keyed => return self.ask_for(wanted, sim),
            Some(Question::Poll(_) | Question::Beat(_)) | None => {}
        }
        if let Some(brought) = self.again.take() {
            return self.bring(brought, sim);
        }
        let now_us = sim.now_us();
        if let Some(brought) = self.done(known, sim) {
            return self.bring(brought, sim);
        }
        if self.desk.iter().any(|held| held.beat_us.is_some_and(|at| at <= now_us)) {
            return self.beat(known, sim);
        }
        self.poll(known, sim);
    }

    fn poll(&mut self, known: &Known, sim: &mut Sim) {
        self.queue = if known.calm { self.queue + 1 } else { usize::try_from(sim.rng.next() % 64).unwrap_or(0) };
        let (actor, list) = QUEUES[self.queue % QUEUES.len()];
        let max = if known.calm { 200 } else { *sim.rng.pick(&[1, 5, 50, 200]) };
        let poll =
            Poll { actor: actor.into(), task_list: list.map(str::to_owned), worker: Some(self.name.clone()), max };
        self.calls += 1;
        let keyed = sim.rng.once_in(2);
        self.ask_for(Wanted { number: self.calls, actor, poll, keyed }, sim);
    }

    fn ask_for(&mut self, wanted: Wanted, sim: &mut Sim) {
        self.open = Some(Question::Poll(wanted.clone()));
        if wanted.keyed {
            let once = PollOnce { poll: wanted.poll, key: format!("poll {}", wanted.number) };
            self.line.ask(&POLL_ONCE, once, None, sim);
        } else {
            self.line.ask(&POLL, wanted.poll, None, sim);
        }
    }

    fn beat(&mut self, known: &Known, sim: &mut Sim) {
        let now_us = sim.now_us();
        let (mut tasks, mut asked) = (vec![], vec![]);
        for held in self.desk.iter_mut().filter(|held| held.beat_us.is_some_and(|at| at <= now_us)) {
            held.beat_us = Some(now_us + BEAT_US);
            let (task, attempt) = (text(&held.given, "task_id"), held.given["attempt"].as_i64().unwrap_or_default());
            tasks.push(json!({ "task_id": task, "attempt": attempt, "checkpoint": { "at": now_us } }));
            let is_overtaken = known.is_overtaken(&task, attempt);
            asked.push((task, attempt, is_overtaken));
        }
        let Ok(input) = serde_json::from_value::<Heartbeat>(json!({ "tasks": tasks })) else { return };
        self.open = Some(Question::Beat(asked));
        self.line.ask(&HEARTBEAT, input, None, sim);
    }

    /// What is done, and some lies with it.
    fn done(&mut self, known: &mut Known, sim: &mut Sim) -> Option<Brought> {
        let now_us = sim.now_us();
        let (mut results, mut input) = (vec![], vec![]);
        self.calls += 1;
        let mut rest = vec![];
        for held in std::mem::take(&mut self.desk) {
            if (held.due_us > now_us && !known.calm) || results.len() >= AT_ONCE {
                rest.push(held);
                continue;
            }
            match work(held.actor, &held.given, sim.clock.wall()) {
                Ok(says) => {
                    let sent = sent(&held, self.calls, says.get("error").is_some(), now_us);
                    if !known.calm && sim.rng.once_in(12) {
                        let (lie, says) = lie(&held, &sent, sim);
                        results.push(lie);
                        input.push(says);
                    }
                    results.push(sent);
                    input.push(result(&held, &says, sim));
                }
                Err(wrong) => known.wrong(wrong),
            }
        }
        self.desk = rest;
        if results.is_empty() {
            return None;
        }
        let once = sim.rng.once_in(2).then(|| format!("release {}", self.calls));
        Some(Brought { results, input: json!({ "results": input }), once, tries: 0 })
    }

    fn bring(&mut self, mut brought: Brought, sim: &mut Sim) {
        brought.tries += 1;
        let Ok(input) = serde_json::from_value::<Release>(brought.input.clone()) else { return };
        let once = brought.once.clone();
        self.open = Some(Question::Release(brought));
        self.line.ask(&RELEASE, input, once.as_deref(), sim);
    }

    pub(super) fn hear(&mut self, asker: Asker, news: News, known: &mut Known, sim: &mut Sim) {
        let Some(heard) = self.line.heard(asker, news, known) else { return };
        let answer = match heard {
            Heard::Said(answer) => answer,
            Heard::Refused(error) => {
                known.wrong(format!("a worker was refused: {error:?}"));
                return self.pause(known, sim);
            }
            Heard::Nothing => return self.pause(known, sim),
        };
        let empty = vec![];
        match self.open.take() {
            Some(Question::Poll(wanted)) => {
                let tasks = answer["tasks"].as_array().unwrap_or(&empty);
                tasks.iter().for_each(|task| self.take(task, &wanted, known, sim));
            }
            Some(Question::Beat(asked)) => beaten(&asked, answer["tasks"].as_array().unwrap_or(&empty), known),
            Some(Question::Release(brought)) => {
                self.released(brought, answer["results"].as_array().unwrap_or(&empty), known, sim);
            }
            None => {}
        }
        self.pause(known, sim);
    }

    fn pause(&mut self, known: &Known, sim: &mut Sim) {
        let is_idle = self.desk.is_empty() && self.again.is_none();
        let pause_us = match (known.calm, is_idle) {
            (true, true) => 400_000,
            (true, false) => 20_000,
            (false, _) => sim.rng.within(20_000, 1_500_000),
        };
        self.line.rest(pause_us, sim);
    }

    /// A task lands on its desk; or it dies with it.
    fn take(&mut self, given: &Value, wanted: &Wanted, known: &mut Known, sim: &mut Sim) {
        let actor = wanted.actor;
        known.gave(given, wanted.number);
        let wall = sim.clock.wall();
        let is_early = earliest(given["key"].as_str()).is_some_and(|at| wall < at);
        if is_early && known.even_calendar {
            known.wrong(format!("{given} is given out before its time"));
        }
        let now_us = sim.now_us();
        let fate = if known.calm { 9 } else { sim.rng.below(10) };
        let (late_us, beats) = match fate {
            0 => return,
            1 => (sim.rng.within(5_000_000, 40_000_000), false),
            2 | 3 => (sim.rng.within(5_000_000, 60_000_000), true),
            _ => (sim.rng.below(1_500_000), false),
        };
        // Some say so too late: somebody else may have it by then.
        let beat_us = beats.then(|| now_us + sim.rng.pick(&[BEAT_US, 6 * BEAT_US]));
        self.desk.push(Held { given: given.clone(), actor, given_us: now_us, due_us: now_us + late_us, beat_us });
    }

    fn released(&mut self, brought: Brought, verdicts: &[Value], known: &mut Known, sim: &mut Sim) {
        for (sent, verdict) in brought.results.iter().zip(verdicts) {
            if verdict["accepted"] == true {
                known.accept(sent);
            }
        }
        if !known.calm && brought.once.is_none() && sim.rng.once_in(6) {
            // The same once more, as another call: nothing of it may count.
            self.calls += 1;
            let now_us = sim.now_us();
            let again = |sent: Sent| Sent { call: self.calls, sent_us: now_us, ..sent };
            let results = brought.results.into_iter().map(again).collect();
            self.again = Some(Brought { results, tries: 0, ..brought });
        }
    }
}

fn text(of: &Value, name: &str) -> String {
    of[name].as_str().unwrap_or_default().to_owned()
}

fn sent(held: &Held, call: u64, is_error: bool, sent_us: u64) -> Sent {
    Sent {
        call,
        task: text(&held.given, "task_id"),
        actor: held.actor,
        attempt: held.given["attempt"].as_i64().unwrap_or_default(),
        is_error,
        given_us: held.given_us,
        sent_us,
        is_lie: false,
    }
}

/// As it is brought, with the pass or, where that is allowed, without.
fn result(held: &Held, says: &Value, sim: &mut Sim) -> Value {
    let mut result = says.clone();
    result["task_id"] = held.given["task_id"].clone();
    result["attempt"] = held.given["attempt"].clone();
    if held.actor == STRICT || sim.rng.once_in(2) {
        result["pass"] = held.given["pass"].clone();
    }
    result
}

/// A result that nobody asked for: of an attempt that never was, of a task that never was, with a pass of its own.
fn lie(held: &Held, honest: &Sent, sim: &mut Sim) -> (Sent, Value) {
    let mut sent = Sent { is_lie: true, is_error: false, ..honest.clone() };
    let mut says = json!({ "value": 666_666 });
    match sim.rng.below(3) {
        0 if held.actor == STRICT => says["pass"] = json!("a pass of its own"),
        1 => sent.task = format!("{}999999", sent.task),
        _ => sent.attempt += 1_000,
    }
    says["task_id"] = json!(sent.task);
    says["attempt"] = json!(sent.attempt);
    (sent, says)
}

fn beaten(asked: &[(String, i64, bool)], answers: &[Value], known: &mut Known) {
    for ((task, attempt, was_overtaken), answer) in asked.iter().zip(answers) {
        let process = task.split('.').next().unwrap_or_default();
        if *was_overtaken && answer["ok"] == true && !known.is_damaged(process) {
            known.wrong(format!("attempt {attempt} of task {task} is kept though a later one was given out"));
        }
    }
}
