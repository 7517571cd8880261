//! People with accounts, each from an address of their own: they log in, guess, change and forget passwords, end sessions, are
//! blocked and removed. What was replaced or ended is never accepted again, what was acknowledged survives (KER-32, KER-33).

mod known;
mod question;
mod tries;

use std::collections::{BTreeMap, BTreeSet};

use base::{Sql, StoreResult, Tx, args};
use kernel::Role;
use serde_json::Value;

use super::Workload;
use crate::run::act;
use crate::sim::{Asker, News, Sim};
use known::{Account, Known};
use question::Question;
use tries::Tries;

/// Somebody who hears nothing for so long asks again, or gives up.
const PATIENCE_US: u64 = 15_000_000;
/// A node may take a session or a role for what it was for so long (the ring of keys).
const FRESH_MS: u64 = kernel::keys::FRESH_MS;

/// A question that waits for its answer.
#[derive(Debug, Clone)]
struct Asked {
    question: Question,
    /// Listening time and running time when it was asked first.
    heard: i64,
    ran_ms: u64,
    /// Nobody knows whether an earlier try was done.
    in_doubt: bool,
}

/// One person.
#[derive(Default)]
struct Person {
    name: String,
    known: Known,
    tries: Tries,
    asked: Option<Asked>,
    /// The hash that the last try to log in was told to fit.
    look: Option<String>,
    /// Tries that this person still makes without a pause.
    guesses: u64,
    /// When the role was changed last, in running time.
    turned_ms: u64,
    /// Number of the last question.
    number: u64,
    turn: u64,
}

/// Some people.
pub(super) struct People {
    workload: usize,
    people: Vec<Person>,
    heard: i64,
    acknowledged: u64,
    wrong: Option<String>,
    calm: bool,
}

impl People {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        let count = usize::try_from(sim.rng.within(1, 3)).unwrap_or(1);
        let person = |client: usize| Person { name: format!("person{client}"), ..Person::default() };
        for client in 0..count {
            act(sim, Asker { workload, client, token: 0 }, 400_000);
        }
        let people = (0..count).map(person).collect();
        Self { workload, people, heard: 0, acknowledged: 0, wrong: None, calm: false }
    }

    fn next_turn(&mut self, client: usize, after_us: u64, sim: &mut Sim) {
        let person = &mut self.people[client];
        person.turn += 1;
        act(sim, Asker { workload: self.workload, client, token: person.turn }, after_us);
    }

    /// Asks what is open, for the first time or again.
    fn ask(&mut self, client: usize, sim: &mut Sim) {
        let person = &self.people[client];
        let Some(asked) = &person.asked else { return };
        let asker = Asker { workload: self.workload, client, token: person.number };
        asked.question.send(&person.name, asker, sim);
        self.next_turn(client, PATIENCE_US, sim);
    }

    /// The question is over, and the next one comes.
    fn go_on(&mut self, client: usize, sim: &mut Sim) {
        let person = &mut self.people[client];
        person.asked = None;
        person.guesses = person.guesses.saturating_sub(1);
        let pause_us = if person.guesses > 0 { sim.rng.below(100_000) } else { sim.rng.below(3_000_000) };
        self.next_turn(client, pause_us, sim);
    }
}

impl Person {
    /// The first is the administrator, who cannot be turned, blocked or removed.
    fn is_admin(&self) -> bool {
        self.name == "person0"
    }

    fn draw(&mut self, heard: i64, sim: &mut Sim) {
        self.number += 1;
        let question = self.wish(sim);
        match &question {
            Question::Begin => self.tries.ask(),
            Question::Open { token, .. } => {
                self.known.opens(token, heard);
                self.tries.may_succeed();
            }
            Question::ChangePassword { .. } => self.tries.may_succeed(),
            Question::End { token } => self.known.session(token).into_iter().for_each(known::Session::doubt),
            Question::Create { .. }
            | Question::Reset { .. }
            | Question::Turn { .. }
            | Question::Block { .. }
            | Question::Delete
            | Question::Use { .. } => {}
        }
        if !self.must_be_refused(&question) {
            question.wanted(self.known.account.as_ref()).into_iter().for_each(|wanted| self.known.want(wanted));
        }
        let ran_ms = base::Clock::ran_ms(&sim.clock);
        self.asked = Some(Asked { question, heard, ran_ms, in_doubt: false });
    }

    fn wish(&mut self, sim: &mut Sim) -> Question {
        let fresh = format!("{} {}", self.name, self.number);
        let Some(account) = &self.known.account else {
            return Question::Create {
                role: if self.is_admin() { Role::Admin } else { Role::Reader },
                password: fresh,
            };
        };
        if self.guesses > 0 {
            return Question::Begin;
        }
        if let Some(password) = self.look.take() {
            return Question::Open { password, token: fresh };
        }
        let tokens: Vec<String> = self.known.sessions.iter().map(|session| session.token.clone()).collect();
        match sim.rng.below(20) {
            0 | 1 => Question::ChangePassword { old: account.password.clone(), new: fresh },
            2 => Question::Reset { password: fresh },
            3 => Question::Turn { role: *sim.rng.pick(&[Role::Operator, Role::Reader]) },
            4 => Question::Block { blocked: !account.blocked },
            5 if sim.rng.once_in(3) => Question::Delete,
            5..=9 if account.blocked => Question::Block { blocked: false },
            6 if !tokens.is_empty() => Question::End { token: sim.rng.pick(&tokens).clone() },
            7 if !self.known.replaced.is_empty() => {
                // A login that began before the password was replaced.
                Question::Open { password: sim.rng.pick(&self.known.replaced).clone(), token: fresh }
            }
            8..=12 if !tokens.is_empty() => Question::Use { token: sim.rng.pick(&tokens).clone() },
            13 | 14 => {
                self.guesses = sim.rng.within(6, 10);
                Question::Begin
            }
            _ => Question::Begin,
        }
    }

    /// What would leave nobody to administer, and logins that do not show the password.
    fn must_be_refused(&self, question: &Question) -> bool {
        match question {
            Question::Turn { .. } | Question::Delete => self.is_admin(),
            Question::Block { blocked } => self.is_admin() && *blocked,
            Question::Open { password, .. } => self.known.password().as_ref() != Some(password),
            Question::Create { .. }
            | Question::Begin
            | Question::ChangePassword { .. }
            | Question::Reset { .. }
            | Question::End { .. }
            | Question::Use { .. } => false,
        }
    }

    /// Takes in that a question was done.
    fn done(&mut self, asked: &Asked, out: &Value, heard: i64, ran_ms: u64) -> Result<(), String> {
        if self.must_be_refused(&asked.question) {
            return Err(format!("{} was let do {:?}", self.name, asked.question));
        }
        match &asked.question {
            Question::Begin => return self.begun(asked, out, heard),
            Question::Use { token } => return self.recognised(asked, token, out, heard),
            Question::Open { token, .. } => {
                self.tries.succeed();
                self.known.session(token).into_iter().for_each(|session| session.opened(heard));
            }
            Question::End { token } => self.known.session(token).into_iter().for_each(|session| session.end(ran_ms)),
            Question::ChangePassword { .. } => self.tries.succeed(),
            Question::Turn { .. } => self.turned_ms = ran_ms,
            Question::Create { .. } | Question::Reset { .. } | Question::Block { .. } | Question::Delete => {}
        }
        self.known.became(ran_ms);
        Ok(())
    }

    /// A try was let in, with the hash of the password that counts and of no other; or it has to wait.
    fn begun(&mut self, asked: &Asked, out: &Value, heard: i64) -> Result<(), String> {
        if let Some(ms) = out["Wait"]["ms"].as_i64() {
            return self.tries.wait(ms, asked.heard, heard);
        }
        self.tries.let_in(asked.heard, heard)?;
        let hash = out["Look"]["hash"].as_str().map(str::to_owned);
        if hash != self.known.password() {
            return Err(format!("{} shall fit {hash:?}, and has {:?}", self.name, self.known.account));
        }
        self.look = hash.filter(|_| self.guesses == 0);
        Ok(())
    }

    fn recognised(&mut self, asked: &Asked, token: &str, out: &Value, heard: i64) -> Result<(), String> {
        let role = self.known.account.as_ref().map(|account| account.role);
        let role_is_known = self.turned_ms + FRESH_MS < asked.ran_ms;
        let Some(session) = self.known.session(token) else { return Ok(()) };
        session.used(heard);
        if out.is_null() && session.should_work(heard) == Some(true) {
            return Err(format!("nobody knows {session:?}"));
        }
        if !out.is_null() && session.ended_before(asked.ran_ms.saturating_sub(FRESH_MS)) {
            return Err(format!("{session:?} is taken for {out}"));
        }
        if !out.is_null() && role_is_known && role.is_some_and(|role| out["role"] != role.word()) {
            return Err(format!("{} is {role:?}, and taken for {out}", self.name));
        }
        Ok(())
    }

    /// Takes in a refusal.
    fn refused(&mut self, asked: &Asked, code: &str, ran_ms: u64) -> Result<(), String> {
        match &asked.question {
            question if self.must_be_refused(question) => Ok(()),
            // An earlier try was done: the old password is not the old one any more.
            Question::ChangePassword { .. } if asked.in_doubt && code == "SLOGIN" => {
                self.tries.succeed();
                self.known.became(ran_ms);
                Ok(())
            }
            question => Err(format!("{} was refused {question:?} with {code}", self.name)),
        }
    }

    /// Nobody knows what came of a question that cannot be asked again.
    fn lost(&mut self, question: &Question, heard: i64) {
        match question {
            Question::Begin => self.tries.lose(),
            Question::Use { token } => self.known.session(token).into_iter().for_each(|session| session.used(heard)),
            Question::Open { .. }
            | Question::Create { .. }
            | Question::ChangePassword { .. }
            | Question::Reset { .. }
            | Question::Turn { .. }
            | Question::Block { .. }
            | Question::Delete
            | Question::End { .. } => {}
        }
    }
}

impl Workload for People {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        self.heard = sim.listening_ms().unwrap_or(self.heard);
        let (calm, heard) = (self.calm, self.heard);
        let person = &mut self.people[asker.client];
        if asker.token != person.turn || (calm && person.asked.is_none()) {
            return;
        }
        match &mut person.asked {
            Some(asked) if !asked.question.can_be_repeated() => return self.hear_nothing(asker.client, sim),
            Some(asked) => asked.in_doubt = true,
            None => person.draw(heard, sim),
        }
        self.ask(asker.client, sim);
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        self.heard = sim.listening_ms().unwrap_or(self.heard);
        let (heard, ran_ms) = (self.heard, base::Clock::ran_ms(&sim.clock));
        let person = &mut self.people[asker.client];
        let Some(asked) = person.asked.clone().filter(|_| asker.token == person.number) else { return };
        sim.say(&format!("{} hears {}", person.name, news.in_short()));
        let took = match news {
            News::Answer(Ok(answer)) => {
                self.acknowledged += 1;
                person.done(&asked, &answer.out, heard, ran_ms)
            }
            News::Answer(Err(error)) if matches!(error.code.letter(), 'A' | 'N' | 'S') => {
                person.refused(&asked, error.code.name, ran_ms)
            }
            News::Answer(Err(_)) | News::Cut | News::Message(_) => return self.hear_nothing(asker.client, sim),
        };
        self.wrong = self.wrong.take().or(took.err());
        self.go_on(asker.client, sim);
    }

    fn calm(&mut self) {
        self.calm = true;
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        self.wrong.take().map_or(Ok(()), Err)?;
        let (accounts, sessions, heard) =
            sim.look(seen).ok_or("the server is down")?.map_err(|error| error.to_string())?;
        for person in &self.people {
            person.known.check_account(&person.name, accounts.get(&person.name))?;
            person.known.check_sessions(&person.name, &sessions, heard)?;
        }
        Ok(())
    }

    fn is_settled(&self) -> bool {
        self.people.iter().all(|person| person.asked.is_none())
    }

    fn stuck(&self) -> String {
        let open = self.people.iter().filter_map(|person| Some((&person.name, &person.asked.as_ref()?.question)));
        open.map(|(name, question)| format!("{name}: {question:?}")).collect::<Vec<_>>().join(", ")
    }

    fn check_settled(&mut self, sim: &Sim) -> Result<(), String> {
        self.check(sim)?;
        // Nobody uses a session any more: two hours later none works.
        sim.clock.advance_to(sim.now_us() + 7_200_000_000);
        self.check(sim)
    }

    fn acknowledged(&self) -> u64 {
        self.acknowledged
    }
}

impl People {
    /// No answer, or none that says whether it was done.
    fn hear_nothing(&mut self, client: usize, sim: &mut Sim) {
        let heard = self.heard;
        let person = &mut self.people[client];
        let Some(asked) = &mut person.asked else { return };
        if asked.question.can_be_repeated() {
            asked.in_doubt = true;
            let pause_us = sim.rng.within(100_000, 6_000_000);
            return self.next_turn(client, pause_us, sim);
        }
        let question = asked.question.clone();
        person.lost(&question, heard);
        self.go_on(client, sim);
    }
}

static ACCOUNTS: Sql =
    Sql::new("sim.accounts", "SELECT name, role, password, blocked_at FROM console_account ORDER BY name LIMIT 100");
/// In the judge's own words, not in the kernel's.
static VALID: Sql = Sql::new(
    "sim.valid_sessions",
    "SELECT s.hash FROM console_session s, console_account a WHERE a.name = s.account AND a.blocked_at IS NULL \
     AND s.idle_at > ?1 AND s.ends_at > ?1 ORDER BY s.hash LIMIT 4000",
);

type Seen = (BTreeMap<String, Account>, BTreeSet<Vec<u8>>, i64);

/// Accounts by name, valid sessions by hash, and the moment.
fn seen(tx: &mut dyn Tx) -> StoreResult<Seen> {
    let heard = tx.heard();
    let account = |row: &base::Row| Account {
        role: Role::from_word(row.text(1)).unwrap_or(Role::App),
        password: row.text(2).to_owned(),
        blocked: row.opt_int(3).is_some(),
    };
    let accounts =
        tx.query(&ACCOUNTS, args![], 100)?.iter().map(|row| (row.text(0).to_owned(), account(row))).collect();
    let sessions = tx.query(&VALID, args![heard], 4000)?.iter().map(|row| row.blob(0).to_vec()).collect();
    Ok((accounts, sessions, heard.0))
}
