//! Processes of random plans, done by workers that die, hang, answer late, twice or falsely, while servers crash anywhere, clocks jump and
//! the store cannot be read for a while (checker W); in some worlds rows get lost meanwhile.
//!
//! What always holds: what was acknowledged is there, and once; a process that ended has the value of a serial run of its plan; each task
//! has at most one accepted value, and that stays unless somebody begins anew; attempts only grow; nobody repairs what is well. When all
//! is calm every process ends.

mod damage;
mod judge;
mod known;
mod line;
mod operator;
mod plan;
mod starter;
mod worker;

use base::Clock;

use self::damage::Damage;
use self::known::Known;
use self::line::Line;
use self::operator::Operator;
use self::starter::Starter;
use self::worker::Worker;
use super::Workload;
use crate::run::act;
use crate::sim::{Asker, News, Sim};

const OPERATOR: usize = 0;
const STARTER: usize = 1;
const DAMAGE: usize = 2;
const WORKER: usize = 3;
const WORKERS: usize = 3;
/// How far the calendar is set ahead of all that was ever waited for, once it goes evenly again.
const CATCH_UP_MS: i64 = 120_000;

/// All of them.
pub(super) struct Workflow {
    known: Known,
    operator: Operator,
    starter: Starter,
    damage: Damage,
    workers: Vec<Worker>,
    looks: u64,
    /// A fan-out of a thousand has so many rows that a look at all of them takes a while.
    scale: u64,
    /// How many commits go by between two long looks.
    look_every: u64,
    /// What was open at the last look.
    open: Vec<String>,
    is_caught_up: bool,
    /// What is known of one of them, for people.
    detail: Vec<String>,
}

impl Workflow {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        let mut rng = sim.rng.fork();
        // The widest takes minutes in a build that is not optimised: nights run the other one.
        let widest = if cfg!(debug_assertions) { 120 } else { 1_000 };
        let wide = *rng.pick(&[3, 3, 3, 3, 3, 3, 3, 20, 20, 20, 20, 120, 120, widest]);
        let known = Known::new(rng.once_in(3), sim.faults.clock_jump == 0);
        sim.faults.unreadable = if rng.once_in(3) { rng.within(20, 400) } else { 0 };
        let clients = WORKER + WORKERS;
        (0..clients).for_each(|client| act(sim, Asker { workload, client, token: 0 }, 300_000));
        sim.say(&format!("workflow: wide {wide}, loses {}, unreadable {}", known.loses, sim.faults.unreadable));
        Self {
            known,
            operator: Operator::new(Line::new(workload, OPERATOR), sim),
            starter: Starter::new(Line::new(workload, STARTER), wide),
            damage: Damage::new(Line::new(workload, DAMAGE)),
            workers: (0..WORKERS)
                .map(|number| Worker::new(number as u64 + 1, Line::new(workload, WORKER + number)))
                .collect(),
            looks: 0,
            scale: if wide > 120 { 20 } else { 1 },
            look_every: if wide > 20 && wide <= 120 { 40 } else { 8 },
            open: vec!["nobody looked".to_owned()],
            is_caught_up: false,
            detail: vec![],
        }
    }

    /// What waits for a moment that a jump of the calendar took away would wait for months: somebody sets it right.
    fn catch_up(&mut self, sim: &mut Sim) {
        let wall = sim.clock.wall().0;
        self.known.latest = self.known.latest.max(wall);
        if self.known.calm && !self.is_caught_up {
            self.is_caught_up = true;
            sim.clock.jump((self.known.latest + CATCH_UP_MS - wall).max(0));
        }
    }

    fn check_store(&mut self, sim: &Sim, is_long: bool) -> Result<(), String> {
        let told = |error: base::StoreError| error.to_string();
        let down = "the server is down";
        let seen = sim.look(judge::seen).ok_or(down)?.map_err(told)?;
        seen.check(&self.known)?;
        self.known.timed.extend(sim.look(judge::timed).ok_or(down)?.map_err(told)?);
        if is_long {
            sim.look(|tx| judge::check_often(tx, &seen, &self.known)).ok_or(down)?.map_err(told)??;
            for invariant in workflow::check::SOUND.iter().filter(|_| !self.known.all_damaged) {
                sim.look(|tx| judge::check_sound(tx, &self.known, invariant)).ok_or(down)?.map_err(told)??;
            }
        }
        self.open = seen.open();
        if is_long && self.known.calm {
            self.detail = sim.look(judge::detail).ok_or(down)?.map_err(told)?;
        }
        self.open.extend(sim.look(|tx| judge::open_jobs(tx, &seen)).ok_or(down)?.map_err(told)??);
        Ok(())
    }
}

impl Workload for Workflow {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        self.catch_up(sim);
        let known = &mut self.known;
        match asker.client {
            OPERATOR => self.operator.act(asker, known, sim),
            STARTER => self.starter.act(asker, known, sim),
            DAMAGE => self.damage.act(asker, known, sim),
            worker => self.workers[worker - WORKER].act(asker, known, sim),
        }
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        self.catch_up(sim);
        let known = &mut self.known;
        match asker.client {
            OPERATOR => self.operator.hear(asker, news, known, sim),
            STARTER => self.starter.hear(asker, news, known, sim),
            DAMAGE => self.damage.hear(asker, news, known, sim),
            worker => self.workers[worker - WORKER].hear(asker, news, known, sim),
        }
    }

    fn calm(&mut self) {
        self.known.calm = true;
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        self.known.check()?;
        self.looks += 1;
        self.check_store(sim, self.looks.is_multiple_of(self.look_every))
    }

    fn is_settled(&self) -> bool {
        let done =
            self.operator.is_settled() && self.starter.is_settled() && self.workers.iter().all(Worker::is_settled);
        self.known.check().is_err() || (done && self.is_caught_up && self.open.is_empty())
    }

    fn stuck(&self) -> String {
        self.open.iter().chain(&self.detail).take(30).cloned().collect::<Vec<_>>().join(", ")
    }

    fn check_settled(&mut self, sim: &Sim) -> Result<(), String> {
        self.known.check()?;
        self.check_store(sim, true)
    }

    fn scale(&self) -> u64 {
        self.scale
    }

    fn acknowledged(&self) -> u64 {
        self.known.answers
    }
}
