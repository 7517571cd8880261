//! Clients that change documents, alone and several at once, with and without a version that they expect; groups that hold deferred
//! copies; attachments that name blobs; and a chain of replicas that keeps in step (DOC-1 to DOC-14).
//!
//! What always holds: what was acknowledged is there until something newer takes its place; what was deleted does not come back;
//! versions rise; a replica that has just asked is what its source is; a copy never goes back to an older state. When all is
//! calm, every copy is level with its source.

mod classes;
mod copies;
mod model;
mod replicas;

use base::OpError;
use documents::{ATTACHMENT, COMMIT, Commit, DocChange, Expected, ItemChange};
use serde_json::{Value, json};

use super::Workload;
use super::blobs::Content;
use crate::run::act;
use crate::sim::{Asker, News, Sim};
pub use classes::PAPERS;
use classes::{ASSOCIATIONS, Committed, DocName, GROUPS, RECORDS};
use copies::Copies;
use model::Model;
use replicas::Replicas;

/// A client that hears nothing for so long asks again.
const PATIENCE_US: u64 = 15_000_000;
const CLIENTS: usize = 3;
/// The one that looks after the replicas.
const KEEPER: usize = CLIENTS;
const DAY_MS: i64 = 86_400_000;
/// Few documents, so that clients meet: class, beginning of the id, how many.
const NAMES: [(&str, &str, u64); 3] = [(RECORDS, "r", 3), (ASSOCIATIONS, "a", 2), (GROUPS, "g", 2)];

/// What a client is about.
#[derive(Default)]
struct Client {
    asked: u64,
    open: Option<Commit>,
    /// Copies of the question that were sent.
    sent: u64,
    /// Number of the last try, and of the first one of this question.
    token: u64,
    first: u64,
}

/// The clients.
pub(super) struct Papers {
    workload: usize,
    clients: Vec<Client>,
    model: Model,
    copies: Copies,
    replicas: Replicas,
    keeps_calendar: bool,
    /// Tasks of copies at the last look.
    carrying: i64,
    acknowledged: u64,
    calm: bool,
    wrong: Option<String>,
}

impl Papers {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        (0..=KEEPER).for_each(|client| act(sim, Asker { workload, client, token: 0 }, 500_000));
        let of_class = |(class, name, count): &(&str, &str, u64)| -> Vec<DocName> {
            (0..*count).map(|number| doc(class, &format!("{name}{number}"))).collect()
        };
        let keeps_calendar = sim.faults.clock_jump == 0;
        Self {
            workload,
            clients: (0..CLIENTS).map(|_| Client::default()).collect(),
            model: Model::new(keeps_calendar),
            copies: Copies::default(),
            replicas: Replicas::of(NAMES.iter().flat_map(of_class).collect()),
            keeps_calendar,
            carrying: 0,
            acknowledged: 0,
            calm: false,
            wrong: None,
        }
    }

    fn ask(&mut self, client: usize, sim: &mut Sim) {
        let state = &mut self.clients[client];
        state.token += 1;
        let asker = Asker { workload: self.workload, client, token: state.token };
        if let Some(commit) = state.open.clone() {
            let once = marker(client, state.asked);
            state.sent += sim.ask(asker, &COMMIT, commit, Some(&once));
        }
        act(sim, asker, PATIENCE_US);
    }

    fn begin(&mut self, client: usize, sim: &mut Sim) {
        let number = self.clients[client].asked + 1;
        let marker = marker(client, number);
        let commit = self.draw(&marker, sim);
        sim.say(&format!("paper {marker}: {}", serde_json::to_string(&commit).unwrap_or_default()));
        self.model.asked(&marker, commit.clone());
        let state = &mut self.clients[client];
        let (token, first) = (state.token, state.token + 1);
        *state = Client { asked: number, open: Some(commit), sent: 0, token, first };
        self.ask(client, sim);
    }

    /// Deletions are of one document, so that an answer tells for certain whether something changed.
    fn draw(&self, marker: &str, sim: &mut Sim) -> Commit {
        let change = self.draw_change(marker, sim);
        let several = sim.rng.once_in(6) && puts_only(&change);
        let mut changes = vec![change];
        if several {
            let more = self.draw_change(marker, sim);
            let other = (&more.c, &more.id) != (&changes[0].c, &changes[0].id);
            changes.extend(Some(more).filter(|more| other && puts_only(more)));
        }
        Commit { changes }
    }

    fn draw_change(&self, marker: &str, sim: &mut Sim) -> DocChange {
        let (c, id) = draw_doc(sim);
        let held = self.replicas.version(&(c.clone(), id.clone()));
        let expect = held.filter(|_| sim.rng.once_in(3)).map(Expected::Version);
        let (delete, recreate) = (sim.rng.once_in(14), sim.rng.once_in(14));
        let count = sim.rng.within(1, 3);
        let mut items: Vec<ItemChange> = vec![];
        for _ in 0..count {
            let item = draw_item(&c, marker, sim);
            if items.iter().all(|other| (&other.c, &other.k) != (&item.c, &item.k)) {
                items.push(item);
            }
        }
        if recreate && !delete {
            items.retain(|item| !item.delete);
        }
        let items = Some(items).filter(|_| !delete);
        DocChange { c, id, expect, delete, recreate: recreate && !delete, items }
    }

    fn done(&mut self, client: usize, out: &Value) {
        let marker = marker(client, self.clients[client].asked);
        match out["version"].as_i64() {
            Some(version) => self.model.done(&marker, version),
            None => self.model.not_done(&marker),
        }
        self.acknowledged += 1;
    }

    fn keep_replicas(&mut self, sim: &mut Sim) {
        let place = usize::try_from(sim.rng.below(replicas::LENGTH as u64)).unwrap_or(0);
        if sim.rng.once_in(8) {
            self.replicas.forget_tombstones(place);
        }
        if !self.keeps_calendar && sim.rng.once_in(10) {
            let days = i64::try_from(sim.rng.within(1, 20)).unwrap_or(1);
            let days = if sim.rng.once_in(2) { -days } else { days };
            sim.clock.jump(days * DAY_MS);
            sim.say(&format!("papers: the calendar jumps by {days} days"));
        }
        let synced = sim.look(|tx| Ok(self.replicas.sync(place, tx)));
        if let Some(Ok(Err(error))) = synced {
            self.wrong = Some(error.message);
        }
    }

    fn look(sim: &Sim) -> Result<Committed, String> {
        sim.look(classes::committed).ok_or("the server is down")?.map_err(|error| error.to_string())
    }
}

fn doc(class: &str, id: &str) -> DocName {
    (class.to_owned(), id.to_owned())
}

fn marker(client: usize, number: u64) -> String {
    format!("paper-{client}-{number:06}")
}

fn puts_only(change: &DocChange) -> bool {
    !change.delete && !change.recreate && change.items.iter().flatten().all(|item| !item.delete)
}

fn draw_doc(sim: &mut Sim) -> DocName {
    let (class, name, count) = *sim.rng.pick(&NAMES);
    doc(class, &format!("{name}{}", sim.rng.below(count)))
}

fn draw_item(class: &str, marker: &str, sim: &mut Sim) -> ItemChange {
    let (number, of) = (sim.rng.below(2), sim.rng.below(2));
    let first = sim.rng.once_in(2);
    let (c, k) = match class {
        RECORDS if sim.rng.once_in(4) => (ATTACHMENT, Some(format!("p{number}"))),
        RECORDS if first => ("Card", None),
        RECORDS => ("Tel", Some(format!("k{number}"))),
        ASSOCIATIONS if first => ("Sta", None),
        ASSOCIATIONS => ("Adh", Some(format!("n{number}"))),
        _ if first => ("Sta", Some(format!("a{of}"))),
        _ => ("Adh", Some(format!("n{number}.a{of}"))),
    };
    let content = match c {
        ATTACHMENT => json!({ "mime": marker, "sha": Content::draw(&mut sim.rng).sha().to_string() }),
        _ => json!({ "by": marker }),
    };
    let delete = sim.rng.once_in(4);
    ItemChange { c: c.to_owned(), k, j: (!delete).then_some(content), s: None, delete }
}

impl Workload for Papers {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        if asker.client == KEEPER {
            if !self.calm {
                self.keep_replicas(sim);
                let pause_us = sim.rng.within(200_000, 8_000_000);
                act(sim, asker, pause_us);
            }
            return;
        }
        let state = &self.clients[asker.client];
        match (asker.token == state.token, state.open.is_some()) {
            (true, true) => self.ask(asker.client, sim),
            (true, false) if !self.calm => self.begin(asker.client, sim),
            (true | false, _) => {}
        }
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        let state = &mut self.clients[asker.client];
        if state.open.is_none() || asker.token < state.first {
            return;
        }
        let (sent, last) = (state.sent, asker.token == state.token);
        match news {
            News::Answer(Ok(answer)) => self.done(asker.client, &answer.out),
            // Refusals are not kept: a second copy of the question may fare better.
            News::Answer(Err(error)) if is_refused(&error) && sent > 1 => {}
            News::Answer(Err(error)) if is_refused(&error) => {
                let marker = marker(asker.client, self.clients[asker.client].asked);
                self.model.not_done(&marker);
            }
            News::Answer(Err(_)) | News::Cut | News::Message(_) => {
                let pause_us = sim.rng.within(10_000, 2_000_000);
                if last {
                    act(sim, asker, pause_us);
                }
                return;
            }
        }
        let state = &mut self.clients[asker.client];
        state.open = None;
        state.token += 1;
        let next = Asker { token: state.token, ..asker };
        let pause_us = if sim.rng.once_in(2) { sim.rng.below(1_000) } else { sim.rng.below(3_000_000) };
        act(sim, next, pause_us);
    }

    fn calm(&mut self) {
        self.calm = true;
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        if let Some(wrong) = &self.wrong {
            return Err(wrong.clone());
        }
        let now = Self::look(sim)?;
        self.carrying = now.carrying;
        self.model.check(&now)?;
        self.copies.check(&now, &self.model)
    }

    fn is_settled(&self) -> bool {
        self.wrong.is_some() || (self.carrying == 0 && self.clients.iter().all(|client| client.open.is_none()))
    }

    fn stuck(&self) -> String {
        let open: Vec<&Commit> = self.clients.iter().filter_map(|client| client.open.as_ref()).collect();
        format!("papers: {} tasks of copies, open {open:?}", self.carrying)
    }

    fn check_settled(&mut self, sim: &Sim) -> Result<(), String> {
        self.check(sim)?;
        Copies::check_level(&Self::look(sim)?)?;
        for place in 0..replicas::LENGTH {
            let synced = sim.look(|tx| Ok(self.replicas.sync(place, tx)));
            synced.ok_or("the server is down")?.map_err(|error| error.to_string())?.map_err(|error| error.message)?;
        }
        Ok(())
    }

    fn acknowledged(&self) -> u64 {
        self.acknowledged
    }
}

/// Whether it was not done and will not be.
fn is_refused(error: &OpError) -> bool {
    matches!(error.code.letter(), 'A' | 'N') || error.code == documents::codes::CVERSION
}
