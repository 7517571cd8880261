//! An operator who makes, rotates and revokes access keys, and tries every secret that was ever shown: one that should work
//! always does, one that was ended never does again (KER-32).

use base::{OpError, Sql, Tx, args};
use kernel::Role;
use kernel::keys::hash;
use kernel::ops::create_key::{CREATE_KEY, CreateKey};
use kernel::ops::revoke_key::{REVOKE_KEY, RevokeKey};
use kernel::ops::rotate_key::{OVERLAP_MAX_S, ROTATE_KEY, RotateKey};
use serde_json::Value;

use super::Workload;
use crate::run::act;
use crate::sim::{Asker, News, Sim};

/// An operator who hears nothing for so long asks again.
const PATIENCE_US: u64 = 15_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    Create,
    /// Longer than any run: the older secrets must go on to work.
    RotateWithOverlap,
    RotateAtOnce,
    Revoke,
}

/// The operator.
pub(super) struct Operator {
    workload: usize,
    /// The key in use.
    key: Option<String>,
    /// Secrets that were shown and must work.
    work: Vec<String>,
    /// Secrets of which it is not known whether they were ended yet.
    doubtful: Vec<String>,
    /// Secrets that must never work again.
    ended: Vec<String>,
    open: Option<Question>,
    /// Number of the last question.
    asked: u64,
    acknowledged: u64,
    turn: u64,
    calm: bool,
}

impl Operator {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        act(sim, Asker { workload, client: 0, token: 0 }, 300_000);
        let (work, doubtful, ended) = (vec![], vec![], vec![]);
        let (key, open) = (None, None);
        Self { workload, key, work, doubtful, ended, open, asked: 0, acknowledged: 0, turn: 0, calm: false }
    }

    fn next_turn(&mut self, after_us: u64, sim: &mut Sim) {
        self.turn += 1;
        act(sim, Asker { workload: self.workload, client: 0, token: self.turn }, after_us);
    }

    fn draw(&mut self, sim: &mut Sim) -> Question {
        let question = match &self.key {
            None => Question::Create,
            Some(_) if sim.rng.once_in(6) => Question::Revoke,
            Some(_) if sim.rng.once_in(4) => Question::RotateAtOnce,
            Some(_) => Question::RotateWithOverlap,
        };
        if matches!(question, Question::RotateAtOnce | Question::Revoke) {
            // From now on until the answer nobody can say.
            self.doubtful.append(&mut self.work);
        }
        question
    }

    fn ask(&self, question: Question, sim: &mut Sim) {
        let asker = Asker { workload: self.workload, client: 0, token: self.asked };
        let once = format!("key {}", self.asked);
        let id = self.key.clone().unwrap_or_default();
        let rotate = |overlap_s| RotateKey { id: id.clone(), overlap_s };
        let copies = match question {
            Question::Create => {
                let input = CreateKey { role: Role::App, scope: serde_json::Map::new(), label: once.clone() };
                sim.ask(asker, &CREATE_KEY, input, Some(&once))
            }
            Question::RotateWithOverlap => sim.ask(asker, &ROTATE_KEY, rotate(OVERLAP_MAX_S), Some(&once)),
            Question::RotateAtOnce => sim.ask(asker, &ROTATE_KEY, rotate(0), Some(&once)),
            Question::Revoke => sim.ask(asker, &REVOKE_KEY, RevokeKey { id }, Some(&once)),
        };
        sim.say(&format!("operator asks {question:?}, {copies} copies"));
    }

    /// Takes in that a question was done.
    fn done(&mut self, question: Question, out: &Value) {
        let text = |field: &str| out[field].as_str().unwrap_or_default().to_owned();
        match question {
            Question::Create => {
                self.key = Some(text("id"));
                self.work.push(text("key"));
            }
            Question::RotateWithOverlap => self.work.push(text("key")),
            Question::RotateAtOnce => {
                self.ended.append(&mut self.doubtful);
                self.work.push(text("key"));
            }
            Question::Revoke => {
                self.ended.append(&mut self.doubtful);
                self.key = None;
            }
        }
        self.acknowledged += 1;
    }
}

impl Workload for Operator {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        if asker.token != self.turn || (self.calm && self.open.is_none()) {
            return;
        }
        let question = match self.open {
            Some(question) => question,
            None => {
                self.asked += 1;
                self.draw(sim)
            }
        };
        self.open = Some(question);
        self.ask(question, sim);
        self.next_turn(PATIENCE_US, sim);
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        let Some(question) = self.open.filter(|_| asker.token == self.asked) else { return };
        match news {
            News::Answer(Ok(answer)) => self.done(question, &answer.out),
            // Too many older secrets: nothing was done.
            News::Answer(Err(OpError { code, .. })) if code.letter() == 'A' => {}
            News::Answer(Err(_)) | News::Cut | News::Message(_) => {
                let pause_us = sim.rng.within(10_000, 2_000_000);
                return self.next_turn(pause_us, sim);
            }
        }
        self.open = None;
        let pause_us = sim.rng.below(3_000_000);
        self.next_turn(pause_us, sim);
    }

    fn calm(&mut self) {
        self.calm = true;
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        for (secrets, should, word) in [(&self.work, 1, "does not work"), (&self.ended, 0, "works though it was ended")]
        {
            for secret in secrets {
                if valid(sim, secret)? != should {
                    return Err(format!("a secret of key {:?} {word}", self.key));
                }
            }
        }
        Ok(())
    }

    fn is_settled(&self) -> bool {
        self.open.is_none()
    }

    fn stuck(&self) -> String {
        self.open.map(|question| format!("operator's {question:?}")).unwrap_or_default()
    }

    fn check_settled(&mut self, sim: &Sim) -> Result<(), String> {
        self.check(sim)
    }

    fn acknowledged(&self) -> u64 {
        self.acknowledged
    }
}

/// In the judge's own words, not in the kernel's.
static VALID: Sql = Sql::new(
    "sim.valid_secrets",
    "SELECT COUNT(*) FROM access_secret s, access_key k WHERE k.id = s.key_id AND k.revoked_at IS NULL AND s.hash = ?1 \
     AND COALESCE(s.valid_until > ?2, 1)",
);

fn valid(sim: &Sim, secret: &str) -> Result<i64, String> {
    let look = |tx: &mut dyn Tx| tx.query_one(&VALID, args![&hash(secret), tx.heard()]);
    let row = sim.look(look).ok_or("the server is down")?.map_err(|error| error.to_string())?;
    Ok(row.map_or(0, |row| row.int(0)))
}
