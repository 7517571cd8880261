//! Clients that upload blobs, refer to them and let go of them, beside a collection with a tiny grace, on a disk that fails.
//!
//! What always holds: the bytes of every row that is committed are there and whole; a reference that was acknowledged stays; a
//! blob whose put was acknowledged is there for its grace. When all is calm, nothing is left that nobody refers to: no
//! row, no file, no name to remove.

mod content;
mod machine;
mod shelf;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use base::{CallResult, Heard, Id, WorkCall};
use kernel::blobs::{LIST, PUT_BLOB, REMOVE, Rule, SET_RULE, Stored};

use super::Workload;
use crate::run::act;
use crate::sim::{Asker, News, Sim};
pub use content::Content;
use machine::Machine;
use shelf::{Committed, Hold, LEAVE, Next, STEP, Step, TAKE, TASKS};

/// A client that hears nothing for so long goes on.
const PATIENCE_US: u64 = 15_000_000;
/// How long a client waits for a server that is down.
const DOWN_US: u64 = 2_000_000;
/// The client that runs the tasks.
const COLLECTOR: usize = 0;

/// What a client waits for.
#[derive(Debug, Clone)]
enum Open {
    Nothing,
    /// It has durable bytes whose put it asks for next.
    Uploaded(Stored, Content),
    /// It has asked for the put, at this listening time.
    Put(Content, Option<Heard>),
    Take(Content),
    Leave(Content),
    /// The collector's.
    Rule,
    Step,
}

struct Client {
    open: Open,
    token: u64,
}

/// Some clients, and the collection.
pub(super) struct BlobClients {
    workload: usize,
    machine: Machine,
    /// Life of the server that the machine is in.
    life: u32,
    clients: Vec<Client>,
    rule: Rule,
    rule_known: bool,
    /// Whether a client refers to a content; what is not here is not known.
    refs: BTreeMap<(usize, Content), bool>,
    /// Until when a content is there for certain.
    kept: BTreeMap<Content, Heard>,
    step: Step,
    /// Work that was performed before and may be performed again, late.
    stale: Vec<WorkCall>,
    uploads: u64,
    acknowledged: u64,
    calm: bool,
    clean: bool,
    wrong: Option<String>,
}

impl BlobClients {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        let mut rng = sim.rng.fork();
        let count = usize::try_from(rng.within(2, 4)).unwrap_or(2);
        for client in 0..count {
            act(sim, Asker { workload, client, token: 0 }, rng.below(1_000_000));
        }
        let ms = |value: u64| i64::try_from(value).unwrap_or(0);
        let rule = Rule { grace_ms: ms(rng.within(60_000, 90_000)), delay_ms: ms(rng.within(30_000, 35_000)) };
        Self {
            workload,
            machine: Machine::new(rng, sim.faults.file > 0),
            life: 0,
            clients: (0..count).map(|_| Client { open: Open::Nothing, token: 0 }).collect(),
            rule,
            rule_known: false,
            refs: BTreeMap::new(),
            kept: BTreeMap::new(),
            step: Step { task: 0, came: None },
            stale: vec![],
            uploads: 0,
            acknowledged: 0,
            calm: false,
            clean: false,
            wrong: None,
        }
    }

    /// The server that clients meet may be down, another one than before, or the one they know. Whether it can be used.
    fn meet(&mut self, sim: &mut Sim) -> bool {
        let same = sim.is_up() && sim.life() == self.life;
        if self.machine.is_up() && !same {
            let how = self.machine.crash();
            sim.say(&format!("blobs: {how}"));
            self.forget();
        }
        if sim.is_up() && !self.machine.is_up() {
            self.life = sim.life();
            let said = self.machine.start();
            sim.say(&format!("blobs: {said}"));
            self.fall(sim);
        }
        sim.is_up() && self.machine.is_up()
    }

    /// In the calm, whoever has uploaded still puts; nothing new begins.
    fn is_done(&self, client: usize) -> bool {
        self.calm && !matches!(self.clients[client].open, Open::Uploaded(..))
    }

    /// What only the process knew is gone.
    fn forget(&mut self) {
        for client in &mut self.clients {
            if matches!(client.open, Open::Uploaded(..)) {
                client.open = Open::Nothing;
            }
        }
        self.step = Step { task: 0, came: None };
    }

    /// The process ends if the disk says so.
    fn fall(&mut self, sim: &mut Sim) {
        if self.machine.must_crash() {
            let how = self.machine.crash();
            self.forget();
            sim.crash(&format!("in an operation on blobs, {how}"));
        }
    }

    fn collect(&mut self, sim: &mut Sim) {
        if !self.rule_known {
            return self.ask(COLLECTOR, Open::Rule, sim);
        }
        if !self.stale.is_empty() && sim.rng.once_in(8) {
            let late = self.stale.swap_remove(0);
            sim.say("blobs: work of an earlier step is done once more, late");
            let _ = self.machine.work(&late);
            return self.fall(sim);
        }
        self.ask(COLLECTOR, Open::Step, sim);
    }

    fn use_blobs(&mut self, client: usize, sim: &mut Sim) {
        if let Open::Uploaded(_, content) = self.clients[client].open {
            return self.ask(client, Open::Put(content, heard(sim)), sim);
        }
        let content = Content::draw(&mut sim.rng);
        match sim.rng.below(6) {
            0..2 => self.upload(client, content, sim),
            2..5 => self.ask(client, Open::Take(content), sim),
            _ => self.ask(client, Open::Leave(content), sim),
        }
    }

    fn upload(&mut self, client: usize, content: Content, sim: &mut Sim) {
        self.uploads += 1;
        let mut chance = [0; 10];
        chance[..8].copy_from_slice(&self.uploads.to_be_bytes());
        let Some(now) = heard(sim) else { return };
        let stored = self.machine.upload(content, Id::new(base::Wall(1), chance), now);
        let said = stored.as_ref().map_or_else(|error| error.code.name.to_owned(), |stored| stored.name.to_string());
        sim.say(&format!("blobs, client {client} uploads {content:?}: {said}"));
        if let Ok(stored) = stored {
            self.clients[client].open = Open::Uploaded(stored, content);
        }
        self.fall(sim);
    }

    /// Asks, and is woken if nothing comes of it.
    fn ask(&mut self, client: usize, open: Open, sim: &mut Sim) {
        let state = &mut self.clients[client];
        state.token += 1;
        let asker = Asker { workload: self.workload, client, token: state.token };
        let hold = |content: Content| Hold { sha: content.sha(), owner: client.to_string() };
        let before = std::mem::replace(&mut state.open, open.clone());
        match (&open, before) {
            (Open::Put(..), Open::Uploaded(stored, _)) => drop(sim.ask(asker, &PUT_BLOB, stored, None)),
            (Open::Take(content), _) => {
                self.refs.remove(&(client, *content));
                sim.ask(asker, &TAKE, hold(*content), None);
            }
            (Open::Leave(content), _) => {
                self.refs.remove(&(client, *content));
                sim.ask(asker, &LEAVE, hold(*content), None);
            }
            (Open::Rule, _) => drop(sim.ask(asker, &SET_RULE, self.rule, None)),
            (Open::Step, _) => drop(sim.ask(asker, &STEP, self.step.clone(), None)),
            (Open::Nothing | Open::Uploaded(..) | Open::Put(..), _) => {}
        }
        act(sim, asker, PATIENCE_US);
    }

    fn done(&mut self, client: usize, open: Open, out: serde_json::Value, sim: &mut Sim) {
        self.acknowledged += 1;
        match open {
            Open::Put(content, asked_at) => {
                let until = asked_at.map(|at| at.plus_ms(self.rule.grace_ms));
                let known = self.kept.get(&content).copied();
                self.kept.extend(until.max(known).map(|until| (content, until)));
            }
            Open::Take(content) => drop(self.refs.insert((client, content), true)),
            Open::Leave(content) => drop(self.refs.insert((client, content), false)),
            Open::Rule => self.rule_known = true,
            Open::Step => self.go_on(serde_json::from_value(out).unwrap_or(Next::Done), sim),
            Open::Nothing | Open::Uploaded(..) => {}
        }
    }

    fn go_on(&mut self, next: Next, sim: &mut Sim) {
        self.step.came = None;
        match next {
            Next::Again => {}
            Next::Done => self.step.task = (self.step.task + 1) % TASKS.len(),
            Next::Work(name, param) => self.perform(&name, param, sim),
        }
    }

    fn perform(&mut self, name: &str, param: String, sim: &mut Sim) {
        let name = if name == REMOVE { REMOVE } else { LIST };
        let call = WorkCall { name, namespace: "main".into(), param, timeout_ms: 1 };
        if sim.rng.once_in(4) {
            self.stale.push(call.clone());
        }
        let result = self.machine.work(&call);
        sim.say(&format!("blobs: {name} {}: {result:?}", call.param));
        let lost = sim.rng.once_in(sim.faults.answer_lost);
        self.step.came = Some(if lost { CallResult::Unknown("lost".into()) } else { result });
        self.fall(sim);
    }

    fn compare(&self, now: &Committed) -> Result<(), String> {
        let files = self.machine.named();
        for (sha, name) in &now.rows {
            match files.get(name) {
                None => return Err(format!("{name} has a row and no bytes")),
                Some(bytes) if machine::sha_of_name(name) != Some(content::sha(bytes)) => {
                    return Err(format!("{name} has a row and other bytes"));
                }
                Some(_) if !name.contains(sha.as_str()) => return Err(format!("{name} is the row of {sha}")),
                Some(_) => {}
            }
        }
        for ((client, content), referred) in &self.refs {
            let there = now.refs.contains(&(content.sha().to_string(), client.to_string()));
            if there != *referred {
                return Err(format!("client {client} was told {referred} of {content:?}, and it is {there}"));
            }
        }
        self.compare_kept(now)
    }

    fn compare_kept(&self, now: &Committed) -> Result<(), String> {
        for (content, until) in &self.kept {
            let is_there = now.rows.iter().any(|(sha, _)| *sha == content.sha().to_string());
            if !is_there && now.heard.is_some_and(|heard| heard < *until) {
                return Err(format!("{content:?} was put and is gone before its grace is over"));
            }
        }
        Ok(())
    }
}

fn heard(sim: &Sim) -> Option<Heard> {
    sim.look(|tx| Ok(tx.heard())).and_then(Result::ok)
}

impl Workload for BlobClients {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        let collects = asker.client == COLLECTOR;
        if self.wrong.is_some() || asker.token != self.clients[asker.client].token {
            return;
        }
        let usable = self.meet(sim);
        let waits = !matches!(self.clients[asker.client].open, Open::Nothing | Open::Uploaded(..));
        if waits {
            // Nothing was heard: nobody knows what came of it.
            self.hear(asker, News::Cut, sim);
            return;
        }
        if usable && collects {
            self.collect(sim);
        } else if usable && !self.is_done(asker.client) {
            self.use_blobs(asker.client, sim);
        }
        let state = &self.clients[asker.client];
        if asker.token == state.token && (collects || !self.is_done(asker.client)) {
            // Some puts come so late that the sweep was there before them.
            let dawdles = matches!(state.open, Open::Uploaded(..)) && sim.rng.once_in(4);
            let (least_us, most_us) = if dawdles { (50_000_000, 150_000_000) } else { (0, 3_000_000) };
            let after_us = if usable { sim.rng.within(least_us, most_us) } else { DOWN_US };
            act(sim, asker, after_us);
        }
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        let state = &mut self.clients[asker.client];
        if asker.token != state.token {
            return;
        }
        state.token += 1;
        let open = std::mem::replace(&mut state.open, Open::Nothing);
        let next = Asker { token: state.token, ..asker };
        let same_life = sim.is_up() && sim.life() == self.life && self.machine.is_up();
        match news {
            News::Answer(Ok(answer)) if same_life || !matches!(open, Open::Step) => {
                self.done(asker.client, open, answer.out, sim);
            }
            _ if asker.client == COLLECTOR => {
                self.step = Step { task: (self.step.task + 1) % TASKS.len(), came: None };
            }
            _ => {}
        }
        let after_us = sim.rng.below(2_000_000);
        act(sim, next, after_us);
    }

    fn calm(&mut self) {
        self.calm = true;
        self.machine.calm();
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        let now = sim.look(shelf::committed).ok_or("the server is down")?.map_err(|error| error.to_string())?;
        let compared = self.compare(&now).map_err(|wrong| format!("blobs: {wrong}"));
        let is_named = |name: &String| now.rows.iter().any(|(_, of)| of == name);
        self.clean = now.is_clean() && self.machine.named().keys().all(is_named);
        self.wrong = self.wrong.take().or_else(|| compared.clone().err());
        compared
    }

    fn is_settled(&self) -> bool {
        let open = self.clients.iter().skip(1).any(|client| !matches!(client.open, Open::Nothing));
        self.wrong.is_some() || (!open && self.clean && self.machine.is_up())
    }

    fn stuck(&self) -> String {
        let open: Vec<String> = self.clients.iter().map(|client| format!("{:?}", client.open)).collect();
        format!("blobs clean {}, {}", self.clean, open.join(", "))
    }

    fn check_settled(&mut self, sim: &Sim) -> Result<(), String> {
        self.check(sim)?;
        let files = self.machine.end()?;
        let now = sim.look(shelf::committed).ok_or("the server is down")?.map_err(|error| error.to_string())?;
        if files.len() != now.rows.len() {
            return Err(format!("blobs: files {:?}, rows {:?}", files.keys(), now.rows));
        }
        self.compare(&now)
    }

    fn acknowledged(&self) -> u64 {
        self.acknowledged
    }
}
