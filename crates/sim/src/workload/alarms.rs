//! Alerts that come and go, told by mail and webhook to a partner that loses, doubles and hangs; and counters beside them.

use std::collections::BTreeMap;

use base::Wall;
use kernel::counters::Field;

use super::Workload;
use crate::run::act;
use crate::sim::{Asker, News, Sim};
use crate::sirens::{self, ACKNOWLEDGE, CLOSE, OPEN, PACE_MS, Seen};

/// One client.
pub(super) struct Alarms {
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
        act(sim, Asker { workload, client: 0, token: 0 }, 900_000);
        Self { acknowledged: 0, sent_at: BTreeMap::new(), counted: BTreeMap::new(), untold: vec![], calm: false }
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
        self.change(asker, sim);
    }

    fn hear(&mut self, _: Asker, news: News, _: &mut Sim) {
        self.acknowledged += u64::from(matches!(news, News::Answer(Ok(_))));
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
        self.untold.is_empty()
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
