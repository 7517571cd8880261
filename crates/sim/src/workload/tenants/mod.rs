//! An administrator who creates, turns and removes namespaces, gives grants and puts resources, and two nodes whose keepers make
//! it so. What was acknowledged is there, no life of a name goes back or meets another, and in the end both nodes serve the same
//! namespaces (KER-1, KER-2).

mod keeper;
mod known;
mod question;

use std::collections::BTreeMap;

use base::{Row, Sql, StoreResult, Tx, args};
use kernel::namespaces::State;

use super::Workload;
use crate::run::act;
use crate::sim::{Asker, News, Sim};
use keeper::{Keeper, Places};
use known::{Known, Seen, There};
use question::{Question, Thing};

/// An administrator who hears nothing for so long asks again; no copy of a question is on its way for longer.
const PATIENCE_US: u64 = 15_000_000;
/// Few, so that a name has many lives; one of them most.
const NAMES: [&str; 4] = ["a", "a", "a", "b"];

/// A question that waits for its answer.
struct Asked {
    question: Question,
    sent: u64,
}

/// The administrator and the nodes.
pub(super) struct Tenants {
    workload: usize,
    known: Known,
    asked: Option<Asked>,
    number: u64,
    turn: u64,
    keepers: Vec<Keeper>,
    places: Places,
    /// What the nodes do not serve as the rows say.
    behind: Vec<String>,
    acknowledged: u64,
    wrong: Option<String>,
    calm: bool,
}

impl Tenants {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        act(sim, Asker { workload, client: 0, token: 0 }, 200_000);
        let keepers = [1, 2].map(|client| Keeper::start(Asker { workload, client, token: 0 }, sim));
        Self {
            workload,
            known: Known::default(),
            asked: None,
            number: 0,
            turn: 0,
            keepers: keepers.into(),
            places: Places::default(),
            behind: vec![],
            acknowledged: 0,
            wrong: None,
            calm: false,
        }
    }

    fn next_turn(&mut self, after_us: u64, sim: &mut Sim) {
        self.turn += 1;
        act(sim, Asker { workload: self.workload, client: 0, token: self.turn }, after_us);
    }

    fn draw(&mut self, sim: &mut Sim) -> Question {
        if self.number == 0 {
            return Question::Seed;
        }
        let (name, there) = ((*sim.rng.pick(&NAMES)).to_owned(), self.known.there());
        let reader = (*sim.rng.pick(&["a", "b", "main"])).to_owned();
        let thing = match sim.rng.below(2) {
            0 => Thing::Grant(name.clone(), reader, "letters".into()),
            _ => Thing::Resource(name.clone(), (*sim.rng.pick(&["x", "y"])).to_owned()),
        };
        let is_there = there.contains(&name);
        match sim.rng.below(8) {
            0..=2 if is_there => Question::Remove { name },
            3 if is_there => {
                Question::Turn { name, state: *sim.rng.pick(&[State::Open, State::ReadOnly, State::Closed]) }
            }
            4 => Question::Put { text: text_of(&thing, self.number), thing },
            5 => Question::Take { thing },
            _ => Question::Create { name },
        }
    }

    fn administer(&mut self, sim: &mut Sim) {
        if self.asked.is_none() {
            let question = self.draw(sim);
            self.number += 1;
            self.known.ask(&question);
            self.asked = Some(Asked { question, sent: 0 });
        }
        let asker = Asker { workload: self.workload, client: 0, token: self.number };
        if let Some(asked) = &mut self.asked {
            asked.sent += asked.question.send(asker, sim);
            sim.say(&format!("administrator asks {:?}, {} copies so far", asked.question, asked.sent));
        }
        self.next_turn(PATIENCE_US, sim);
    }

    fn hear_answer(&mut self, news: &News, sim: &mut Sim) {
        let Some(Asked { question, sent }) = self.asked.take() else { return };
        sim.say(&format!("administrator hears {}", news.in_short()));
        let mut pause_us = if sim.rng.once_in(2) { sim.rng.below(10_000) } else { sim.rng.below(2_000_000) };
        match news {
            News::Answer(Ok(answer)) => {
                self.acknowledged += 1;
                let place = answer.out["place"].as_str().unwrap_or_default();
                self.wrong = self.wrong.take().or(self.known.done(&question, place).err());
            }
            News::Answer(Err(error)) if matches!(error.code.letter(), 'A' | 'N' | 'O') => {
                self.wrong = self.wrong.take().or(refusal_of(&question, error.code.name));
                if sent == 1 {
                    self.known.refused(&question);
                } else {
                    // Refusals are not kept: another copy may fare better, and is waited for.
                    pause_us = PATIENCE_US;
                }
            }
            News::Answer(Err(_)) | News::Cut | News::Message(_) => {
                pause_us = sim.rng.within(100_000, 8_000_000);
                self.asked = Some(Asked { question, sent });
            }
        }
        self.next_turn(pause_us, sim);
    }
}

/// A grant is there or not; a resource has what was put last.
fn text_of(thing: &Thing, number: u64) -> String {
    match thing {
        Thing::Grant(..) => String::new(),
        Thing::Resource(..) => format!("text {number}"),
    }
}

/// What cannot be refused: a repeat of a removal is answered as the first one was, and a thing can always be taken away.
fn refusal_of(question: &Question, code: &str) -> Option<String> {
    match question {
        Question::Seed | Question::Remove { .. } | Question::Take { .. } => {
            Some(format!("{question:?} was refused with {code}"))
        }
        Question::Create { .. } | Question::Turn { .. } | Question::Put { .. } => None,
    }
}

impl Workload for Tenants {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        match (asker.client, asker.token) {
            (0, turn) if turn != self.turn || (self.calm && self.asked.is_none()) => {}
            (0, _) => self.administer(sim),
            (node, 0) => self.keepers[node - 1].round(self.calm, sim),
            (node, job) => self.keepers[node - 1].end_job(job, &mut self.places, sim),
        }
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        match asker.client {
            0 if asker.token == self.number => self.hear_answer(&news, sim),
            0 => {}
            node => self.keepers[node - 1].told(asker.token, matches!(news, News::Answer(Ok(_))), sim),
        }
    }

    fn calm(&mut self) {
        self.calm = true;
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        self.wrong.take().map_or(Ok(()), Err)?;
        let look = |error: base::StoreError| error.to_string();
        let seen = sim.look(seen).ok_or("the server is down")?.map_err(look)?;
        let open = self.asked.as_ref().map(|asked| &asked.question);
        self.known.check(&seen, &self.places, open)?;
        let rows = sim.look(keeper::rows).ok_or("the server is down")?.map_err(look)?;
        self.behind = self.keepers.iter().flat_map(|keeper| keeper.behind(&rows)).collect();
        Ok(())
    }

    fn is_settled(&self) -> bool {
        self.asked.is_none() && self.behind.is_empty()
    }

    fn stuck(&self) -> String {
        let asked = self.asked.iter().map(|asked| format!("administrator's {:?}", asked.question));
        asked.chain(self.behind.iter().cloned()).collect::<Vec<_>>().join(", ")
    }

    fn check_settled(&mut self, sim: &Sim) -> Result<(), String> {
        self.check(sim)?;
        if self.behind.is_empty() { Ok(()) } else { Err(self.behind.join(", ")) }
    }

    fn acknowledged(&self) -> u64 {
        self.acknowledged
    }
}

static ROWS: Sql =
    Sql::new("sim.namespaces", "SELECT name, place, state, version FROM namespace ORDER BY name LIMIT 100");
static THINGS: Sql = Sql::new(
    "sim.namespace_things",
    "SELECT owner, reader, class, NULL FROM namespace_grant UNION ALL \
     SELECT namespace, path, NULL, bytes FROM namespace_resource ORDER BY 1, 2 LIMIT 100",
);
static CREATIONS: Sql =
    Sql::new("sim.namespace_creations", "SELECT COUNT(*) FROM journal WHERE kind = 'namespace.created'");

/// Everything that is there, in the judge's own words.
fn seen(tx: &mut dyn Tx) -> StoreResult<Seen> {
    let creations = tx.query_one(&CREATIONS, args![])?.map_or(0, |row| row.int(0));
    Ok(Seen {
        rows: tx.query(&ROWS, args![], 100)?.iter().map(there).collect::<BTreeMap<_, _>>(),
        things: tx.query(&THINGS, args![], 100)?.iter().map(thing).collect(),
        creations: u64::try_from(creations).unwrap_or(u64::MAX),
    })
}

fn there(row: &Row) -> (String, There) {
    let state = State::from_word(row.text(2)).unwrap_or(State::Removing);
    (row.text(0).to_owned(), There { place: row.text(1).to_owned(), state, version: row.int(3) })
}

fn thing(row: &Row) -> (Thing, String) {
    let text = |column: usize| row.text(column).to_owned();
    match row.opt_text(2) {
        Some(class) => (Thing::Grant(text(0), text(1), class.to_owned()), String::new()),
        None => (Thing::Resource(text(0), text(1)), String::from_utf8_lossy(row.blob(3)).into_owned()),
    }
}
