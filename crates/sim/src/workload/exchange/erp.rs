//! A connector of a database (EXC-25): starts, perhaps narrows, works in a transaction of its database, prepares, commits there, tells
//! it; or rolls back and tells that. It dies and hangs at every moment, and its database fails.

use exchange::message::Letter;
use exchange::process::{
    COMMIT, Finish, INTERRUPT, NARROW, Narrow, PREPARE, Prepare, Processed, ROLLBACK, START, Start,
};
use serde_json::{Value, json};

use super::books::Transaction;
use super::cuts::{Cut, Late, Moment, Step, Trouble};
use super::known::{DATABASES, Key, Known, Way};
use super::line::{Heard, Line};
use crate::rng::Rng;
use crate::sim::{Asker, News, Sim};

/// Prepare is repeated for so long.
const PREPARE_US: u64 = 20_000_000;
/// A rollback that nobody answers is given up after so many tries.
const UNDO_TRIES: u32 = 4;

/// How hard life is for connectors and databases: each happens once in so many times.
#[derive(Debug, Clone, Default)]
pub(super) struct Hardship {
    dies: u64,
    hangs: u64,
    fails: u64,
}

impl Hardship {
    pub(super) fn draw(rng: &mut Rng) -> Self {
        let mut some = |often, rare| if rng.once_in(4) { 0 } else { rng.within(often, rare) };
        Self { dies: some(6, 30), hangs: some(4, 16), fails: some(3, 10) }
    }
}

/// What a connector was given.
#[derive(Debug, Clone, Default)]
struct Batch {
    process: String,
    messages: Vec<Key>,
}

/// How a process is undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Undo {
    Rollback,
    Interrupt,
}

#[derive(Debug, Clone)]
enum Phase {
    Resting,
    Starting { wanted: Start, key: Option<String> },
    Given(Batch),
    Narrowing { batch: Batch, kept: Batch },
    Working(Batch),
    Preparing { work: Transaction, until_us: u64 },
    Prepared(Transaction),
    Committed(String),
    Confirming(String),
    Undoing { process: String, how: Undo, tell: bool, tries: u32 },
}

/// A connector.
pub(super) struct Connector {
    database: usize,
    name: String,
    line: Line,
    phase: Phase,
    hardship: Hardship,
    starts: u64,
    hung_ms: (u64, u64),
}

impl Connector {
    /// A connector of this database; `hung_ms` is how long it hangs, so that a start and a prepare are over.
    pub(super) fn new(database: usize, name: String, line: Line, hardship: Hardship, hung_ms: (u64, u64)) -> Self {
        Self { database, name, line, phase: Phase::Resting, hardship, starts: 0, hung_ms }
    }

    /// Whether it has nothing open.
    pub(super) fn is_settled(&self) -> bool {
        matches!(self.phase, Phase::Resting | Phase::Starting { .. })
    }

    /// Whether it may still commit or tell the outcome of this process.
    pub(super) fn has(&self, process: &str) -> bool {
        match &self.phase {
            Phase::Resting | Phase::Starting { .. } => false,
            Phase::Given(batch) | Phase::Working(batch) | Phase::Narrowing { batch, .. } => batch.process == process,
            Phase::Preparing { work, .. } | Phase::Prepared(work) => work.process == process,
            Phase::Committed(of) | Phase::Confirming(of) | Phase::Undoing { process: of, .. } => of == process,
        }
    }

    /// What is still open, for people.
    pub(super) fn stuck(&self) -> String {
        format!("{}: {:?}", self.name, self.phase)
    }

    /// An easy life from now on.
    pub(super) fn calm(&mut self) {
        self.hardship = Hardship::default();
    }

    pub(super) fn act(&mut self, asker: Asker, known: &mut Known, sim: &mut Sim) {
        if !self.line.is_now(asker) {
            return;
        }
        if !known.is_ready() {
            return self.line.rest(300_000, sim);
        }
        if self.line.is_open() {
            self.line.give_up(known, sim);
            return self.unanswered(known, sim);
        }
        self.go_on(known, sim);
    }

    pub(super) fn hear(&mut self, asker: Asker, news: News, known: &mut Known, sim: &mut Sim) {
        if !self.line.is_now(asker) || !self.line.is_open() {
            return;
        }
        match self.line.heard(news, known, sim) {
            Heard::Said(out) => {
                known.answers += 1;
                self.answered(&out, known, sim);
            }
            Heard::Refused(error) => {
                known.wrong(format!("{}: {:?} was refused: {error:?}", self.name, self.phase));
                self.stop(sim);
            }
            Heard::Nothing => self.unanswered(known, sim),
        }
    }

    fn stop(&mut self, sim: &mut Sim) {
        self.phase = Phase::Resting;
        let pause_us = sim.rng.within(500_000, 3_000_000);
        self.line.rest(pause_us, sim);
    }

    fn soon(&mut self, phase: Phase, sim: &mut Sim) {
        self.phase = phase;
        let pause_us = sim.rng.within(1_000, 200_000);
        self.line.rest(pause_us, sim);
    }

    /// It may die here; its transaction is gone then.
    fn may_die(&mut self, moment: Moment, known: &mut Known, sim: &mut Sim) -> bool {
        let dies = sim.rng.once_in(self.hardship.dies);
        if dies {
            sim.say(&format!("{} dies: {moment:?}", self.name));
            known.cut(Cut::Died(moment));
            self.phase = Phase::Resting;
            let pause_us = sim.rng.within(1_000_000, 20_000_000);
            self.line.rest(pause_us, sim);
        }
        dies
    }

    /// Goes on, perhaps so late that the server gave it up.
    fn may_hang(&mut self, moment: Moment, phase: Phase, known: &mut Known, sim: &mut Sim) {
        if !sim.rng.once_in(self.hardship.hangs) {
            return self.soon(phase, sim);
        }
        known.cut(Cut::Hung(moment));
        self.phase = phase;
        let most_ms = if moment == Moment::Working { self.hung_ms.0 } else { self.hung_ms.1 };
        let hung_us = 1_000 * sim.rng.within(most_ms, most_ms + 40_000);
        sim.say(&format!("{} hangs for {hung_us} us: {moment:?}", self.name));
        self.line.rest(hung_us, sim);
    }

    /// What it does next by itself.
    fn go_on(&mut self, known: &mut Known, sim: &mut Sim) {
        match self.phase.clone() {
            Phase::Given(batch) => self.given(batch, known, sim),
            Phase::Working(batch) => self.worked(&batch, known, sim),
            Phase::Prepared(work) => self.commit(work, known, sim),
            Phase::Committed(process) => self.confirm(process, known, sim),
            _ => self.start(known, sim),
        }
    }

    fn start(&mut self, known: &mut Known, sim: &mut Sim) {
        self.starts += 1;
        let mut wanted = Start { db: DATABASES[self.database].0.to_owned(), ..Start::default() };
        if !known.calm {
            let rng = &mut sim.rng;
            wanted.subsystems = rng.once_in(6).then(|| vec!["sales".to_owned()]);
            wanted.senders = rng.once_in(6).then(|| known.devices[..2].to_vec());
            wanted.max_files = rng.once_in(4).then_some(2);
            wanted.max_mb = rng.once_in(6).then_some(0.002);
        }
        let key = sim.rng.once_in(2).then(|| format!("{} {}", self.name, self.starts));
        self.ask_start(wanted, key, known, sim);
    }

    fn ask_start(&mut self, wanted: Start, key: Option<String>, known: &mut Known, sim: &mut Sim) {
        self.phase = Phase::Starting { wanted: wanted.clone(), key: key.clone() };
        self.line.ask(Step::Start, &START, wanted, key.as_deref(), known, sim);
        self.may_die(Moment::Starting, known, sim);
    }

    fn given(&mut self, batch: Batch, known: &mut Known, sim: &mut Sim) {
        if self.may_die(Moment::Given, known, sim) {
            return;
        }
        if known.calm || !sim.rng.once_in(3) {
            return self.may_hang(Moment::Working, Phase::Working(batch), known, sim);
        }
        let mut kept = batch.clone();
        kept.messages.retain(|_| sim.rng.once_in(2));
        let input = Narrow {
            process: batch.process.clone(),
            db: self.db(),
            messages: kept.messages.iter().map(|key| key.1.clone()).collect(),
        };
        self.phase = Phase::Narrowing { batch, kept };
        self.line.ask(Step::Narrow, &NARROW, input, None, known, sim);
        self.may_die(Moment::Narrowing, known, sim);
    }

    fn db(&self) -> Option<String> {
        Some(DATABASES[self.database].0.to_owned())
    }

    /// All messages are processed in one transaction, each within its savepoint.
    fn worked(&mut self, batch: &Batch, known: &mut Known, sim: &mut Sim) {
        if self.may_die(Moment::Working, known, sim) {
            return;
        }
        if sim.rng.once_in(self.hardship.fails) {
            return self.undo(batch.process.clone(), Undo::Interrupt, known, sim);
        }
        let mut work = Transaction { process: batch.process.clone(), ..Transaction::default() };
        for key in &batch.messages {
            let result = match sim.rng.below(8) {
                0 if !known.calm => {
                    known.cut(Cut::Database(Trouble::Deadlock));
                    Processed::ProcessedDeadlock
                }
                1 => {
                    known.cut(Cut::Database(Trouble::Incorrect));
                    Processed::ProcessedIncorrect
                }
                _ => Processed::Processed,
            };
            work.process(key, result);
            if result != Processed::ProcessedDeadlock && !sim.rng.once_in(3) {
                work.replies.push(self.reply(key, &batch.process, known, sim));
            }
        }
        let until_us = sim.now_us() + PREPARE_US;
        self.prepare(work, until_us, known, sim);
    }

    /// The id of a reply is made from what it answers: a second try uses it again.
    fn reply(&self, key: &Key, process: &str, known: &Known, sim: &Sim) -> (String, usize, Value) {
        let id = format!("r-{}-{}", key.0, key.1);
        let way = Way::Out { device: key.0, database: self.database, reply_to: &key.1 };
        let reply = known.message(&id, way, &json!({ "process": process }), sim);
        (id, key.0, reply)
    }

    fn prepare(&mut self, work: Transaction, until_us: u64, known: &mut Known, sim: &mut Sim) {
        let letter = |reply: &(String, usize, Value)| {
            Letter::read(reply.2.to_string()).unwrap_or_else(|error| panic!("{error}"))
        };
        let input = Prepare {
            process: work.process.clone(),
            db: self.db(),
            results: work.results.clone(),
            replies: work.replies.iter().map(letter).collect(),
        };
        self.phase = Phase::Preparing { work, until_us };
        self.line.ask(Step::Prepare, &PREPARE, input, None, known, sim);
        self.may_die(Moment::Preparing, known, sim);
    }

    /// The server is ready: now the database decides.
    fn commit(&mut self, work: Transaction, known: &mut Known, sim: &mut Sim) {
        if self.may_die(Moment::Prepared, known, sim) {
            return;
        }
        let process = work.process.clone();
        if sim.rng.once_in(self.hardship.fails) {
            known.cut(Cut::Database(Trouble::CommitFailed));
            return self.undo(process, Undo::Rollback, known, sim);
        }
        sim.say(&format!("{} commits {process}: {:?} {:?}", self.name, work.effects, work.wrong));
        match known.books[self.database].commit(&work) {
            Ok(true) => {}
            Ok(false) => {
                known.cut(Cut::Database(Trouble::Voided));
                return self.undo(process, Undo::Rollback, known, sim);
            }
            Err(twice) => known.wrong(twice),
        }
        if !self.may_die(Moment::Committed, known, sim) {
            self.may_hang(Moment::Committed, Phase::Committed(process), known, sim);
        }
    }

    fn confirm(&mut self, process: String, known: &mut Known, sim: &mut Sim) {
        self.note_late(&process, Late::Commit, known, sim);
        let input = Finish { process: process.clone(), db: self.db(), message: String::new(), tell_senders: false };
        self.phase = Phase::Confirming(process);
        self.line.ask(Step::Commit, &COMMIT, input, None, known, sim);
        self.may_die(Moment::Confirming, known, sim);
    }

    fn undo(&mut self, process: String, how: Undo, known: &mut Known, sim: &mut Sim) {
        let tell = sim.rng.once_in(3);
        self.ask_undo(process, how, tell, 0, known, sim);
    }

    fn ask_undo(&mut self, process: String, how: Undo, tell: bool, tries: u32, known: &mut Known, sim: &mut Sim) {
        self.note_late(&process, Late::Rollback, known, sim);
        let input = Finish { process: process.clone(), db: self.db(), message: "it failed".into(), tell_senders: tell };
        self.phase = Phase::Undoing { process, how, tell, tries };
        match how {
            Undo::Rollback => self.line.ask(Step::Rollback, &ROLLBACK, input, None, known, sim),
            Undo::Interrupt => self.line.ask(Step::Interrupt, &INTERRUPT, input, None, known, sim),
        }
        self.may_die(Moment::Undoing, known, sim);
    }

    fn note_late(&self, process: &str, late: Late, known: &mut Known, sim: &Sim) {
        let unknown = sim.look(super::judge::unknown).and_then(Result::ok).unwrap_or_default();
        if unknown.iter().any(|(id, _)| id == process) {
            known.cut(Cut::Late(late));
        }
    }

    /// Nobody knows whether a call was done.
    fn unanswered(&mut self, known: &mut Known, sim: &mut Sim) {
        match self.phase.clone() {
            // With a key the same process is given again; without one it is left to its timeout.
            Phase::Starting { wanted, key: Some(key) } if known.calm || !sim.rng.once_in(4) => {
                if sim.rng.once_in(self.hardship.hangs) {
                    // So long that what was given is done by another.
                    self.line.rest(1_000 * self.hung_ms.0, sim);
                    self.phase = Phase::Starting { wanted, key: Some(key) };
                    return;
                }
                self.ask_start(wanted, Some(key), known, sim);
            }
            Phase::Preparing { work, until_us } if sim.now_us() < until_us => self.prepare(work, until_us, known, sim),
            Phase::Preparing { work, .. } => self.undo(work.process, Undo::Rollback, known, sim),
            Phase::Confirming(process) => self.confirm(process, known, sim),
            Phase::Undoing { process, how, tell, tries } if known.calm || tries < UNDO_TRIES => {
                self.ask_undo(process, how, tell, tries + 1, known, sim);
            }
            _ => self.stop(sim),
        }
    }

    fn answered(&mut self, out: &Value, known: &mut Known, sim: &mut Sim) {
        let is_ok = out["status"] == "OK";
        match self.phase.clone() {
            Phase::Starting { wanted, .. } if is_ok => self.started(&wanted, out, known, sim),
            Phase::Narrowing { kept, .. } if is_ok && !kept.messages.is_empty() => {
                self.may_hang(Moment::Working, Phase::Working(kept), known, sim);
            }
            Phase::Preparing { work, .. } if is_ok => {
                self.may_hang(Moment::Prepared, Phase::Prepared(work), known, sim);
            }
            Phase::Preparing { work, .. } => {
                known.cut(Cut::Late(Late::Prepare));
                self.undo(work.process, Undo::Rollback, known, sim);
            }
            Phase::Confirming(process) => {
                if is_ok {
                    known.settled.insert(process);
                } else {
                    known.wrong(format!("{}: the commit of {process} was answered with {out}", self.name));
                }
                self.stop(sim);
            }
            Phase::Undoing { process, .. } => {
                if is_ok {
                    known.settled.insert(process);
                }
                self.stop(sim);
            }
            _ => self.stop(sim),
        }
    }

    /// Messages were given: as they came, wanted, and none that is done.
    fn started(&mut self, wanted: &Start, out: &Value, known: &mut Known, sim: &mut Sim) {
        let mut batch =
            Batch { process: out["process"].as_str().unwrap_or_default().to_owned(), messages: Vec::default() };
        let messages = out["messages"].as_array().cloned().unwrap_or_default();
        if wanted.max_files.is_some_and(|files| messages.len() > files as usize) {
            known.wrong(format!("{} wanted {wanted:?} and got {out}", self.name));
        }
        if messages.is_empty() {
            // The answer to an earlier call, whose process is over.
            return self.stop(sim);
        }
        for message in &messages {
            match self.check_given(wanted, message, known) {
                Ok(key) => batch.messages.push(key),
                Err(wrong) => known.wrong(format!("{} in process {}: {wrong}", self.name, batch.process)),
            }
        }
        self.soon(Phase::Given(batch), sim);
    }

    fn check_given(&self, wanted: &Start, message: &Value, known: &Known) -> Result<Key, String> {
        let text = |path: &str| message.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (from, subsystem) = (text("/head/from"), text("/head/subsystem"));
        let device = known.device(&from).ok_or_else(|| format!("got {message} from nobody"))?;
        let key = (device, text("/id"));
        if known.sent.get(&key) != Some(message) || text("/head/to") != wanted.db {
            return Err(format!("got {message}, sent was {:?}", known.sent.get(&key)));
        }
        let among =
            |names: &Option<Vec<String>>, name: &String| names.as_ref().is_none_or(|names| names.contains(name));
        if !among(&wanted.senders, &from) || !among(&wanted.subsystems, &subsystem) {
            return Err(format!("wanted {wanted:?} and got {message}"));
        }
        if known.books[self.database].is_done(&key) {
            return Err(format!("message {key:?} is given again after it was done"));
        }
        Ok(key)
    }
}
