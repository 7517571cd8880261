//! Alerts that come and go, told by mail and webhook to a partner that loses, doubles and hangs; and counters beside them.

use std::collections::BTreeMap;

use base::{CallResult, Wall};
use kernel::counters::Field;

use super::Workload;
use crate::partner::Fate;
use crate::run::act;
use crate::sim::{Asker, Event, News, Sim};
use crate::sirens::{self, ACKNOWLEDGE, CLOSE, Made, OPEN, PACE_MS, PLAN, SETTLE, Seen};

/// How often the dispatcher looks.
const LOOK_US: u64 = 2_000_000;
/// Clients: the one that opens and closes, the dispatcher's looks, the ends of its calls.
const USER: usize = 0;
const LOOK: usize = 1;
const END: usize = 2;

/// One client and one dispatcher.
pub(super) struct Alarms {
    workload: usize,
    /// Calls under way, with the life in which they were made and what will be heard.
    calls: BTreeMap<u64, (u32, Made, CallResult)>,
    made: u64,
    acknowledged: u64,
    /// When the last message of a kind was made, in listening time.
    sent_at: BTreeMap<String, i64>,
    /// What was counted in each life.
    counted: BTreeMap<String, i64>,
    untold: Vec<String>,
    calm: bool,
}

impl Alarms {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        for (client, after_us) in [(USER, 900_000), (LOOK, LOOK_US)] {
            act(sim, Asker { workload, client, token: 0 }, after_us);
        }
        Self {
            workload,
            calls: BTreeMap::new(),
            made: 0,
            acknowledged: 0,
            sent_at: BTreeMap::new(),
            counted: BTreeMap::new(),
            untold: vec![],
            calm: false,
        }
    }

    /// Something opens or closes, and is counted.
    fn change(&mut self, asker: Asker, sim: &mut Sim) {
        if self.calm {
            return;
        }
        let number = sim.rng.below(6);
        let input = (format!("alarm {number}"), format!("kind {}", number % 2));
        let op = *sim.rng.pick(&[&OPEN, &OPEN, &CLOSE, &CLOSE, &ACKNOWLEDGE]);
        sim.ask(asker, op, input, None);
        self.count(sim);
        let pause_us = sim.rng.within(100_000, 6_000_000);
        act(sim, asker, pause_us);
    }

    fn count(&mut self, sim: &Sim) {
        let Some((_, main)) = sim.kernel() else { return };
        main.watched.counters.add("siren", "changes", Field::Sent, 1, Wall(0));
        *self.counted.entry(format!("life {}", sim.life())).or_default() += 1;
    }

    /// A call goes out and meets its fate.
    fn call(&mut self, made: Made, sim: &mut Sim) {
        let call = made.call();
        let fate = Fate::draw(&call, &sim.faults.clone(), &mut sim.rng);
        sim.say(&format!("alert message {} attempt {}: {:?}", made.id, made.attempt, fate.heard));
        for after_ms in fate.reaches_after_ms {
            sim.after(after_ms * 1000, Event::Reach(call.clone()));
        }
        self.made += 1;
        let heard = made.heard(fate.heard);
        self.calls.insert(self.made, (sim.life(), made, heard));
        act(sim, Asker { workload: self.workload, client: END, token: self.made }, fate.heard_after_ms * 1000);
    }

    /// The server hears of a call, unless it is another life that hears nothing.
    fn end(&mut self, asker: Asker, sim: &mut Sim) {
        let Some((life, made, heard)) = self.calls.remove(&asker.token) else { return };
        if life == sim.life() && sim.is_up() {
            sim.ask(Asker { client: LOOK, ..asker }, &SETTLE, (made, heard), None);
        }
    }

    fn check_kinds(&mut self, seen: &Seen) -> Result<(), String> {
        for (kind, sent_at, task_is_there) in &seen.kinds {
            if !task_is_there {
                return Err(format!("the task that tells of {kind} is gone"));
            }
            let Some(sent_at) = *sent_at else { continue };
            match self.sent_at.insert(kind.clone(), sent_at) {
                Some(before) if sent_at != before && sent_at - before < PACE_MS => {
                    return Err(format!("two messages of {kind} within {} ms", sent_at - before));
                }
                Some(_) | None => {}
            }
        }
        Ok(())
    }

    fn check_counted(&self, seen: &Seen) -> Result<(), String> {
        let truth = |node: &String| self.counted.get(node).copied().unwrap_or(0);
        match seen.counted.iter().find(|(node, sent)| *sent > truth(node)) {
            Some((node, sent)) => Err(format!("{node} counted {} and its counter says {sent}", truth(node))),
            None => Ok(()),
        }
    }
}

impl Workload for Alarms {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        match asker.client {
            USER => self.change(asker, sim),
            END => self.end(asker, sim),
            _ => {
                let life = sim.life();
                if !self.calls.values().any(|(of, ..)| *of == life) {
                    sim.ask(asker, &PLAN, (), None);
                }
                act(sim, asker, LOOK_US);
            }
        }
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        let News::Answer(Ok(answer)) = news else { return };
        if asker.client == USER {
            self.acknowledged += 1;
        }
        if let Ok(Some(made)) = serde_json::from_value::<Option<Made>>(answer.out) {
            self.call(made, sim);
        }
    }

    fn calm(&mut self) {
        self.calm = true;
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        let seen = sim.look(sirens::seen).ok_or("the server is down")?.map_err(|error| error.to_string())?;
        self.check_kinds(&seen)?;
        self.check_counted(&seen)?;
        if let Some(never) = seen.sent.iter().find(|id| !sim.partner.arrived.contains_key(*id)) {
            return Err(format!("alert message {never} counts as sent, but never reached anybody"));
        }
        self.untold = seen.untold;
        Ok(())
    }

    fn is_settled(&self) -> bool {
        self.untold.is_empty() && self.calls.is_empty()
    }

    fn stuck(&self) -> String {
        if self.untold.is_empty() { String::new() } else { format!("not told: {}", self.untold.join(", ")) }
    }

    fn check_settled(&mut self, _: &Sim) -> Result<(), String> {
        Ok(())
    }

    fn acknowledged(&self) -> u64 {
        self.acknowledged
    }
}
