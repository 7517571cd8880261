//! A device: sends, sends again what it heard nothing of, fetches, acknowledges (also twice), asks what became of its messages; and does
//! what it must not: the same id with other content, a database of another company.

use std::collections::BTreeMap;

use exchange::message::{ACK, Ack, FETCH, Fetch, Letter, NOT_PROCESSED, SEND, STATUS, Send, StatusOf};
use serde_json::{Value, json};

use super::cuts::Step;
use super::known::{DATABASES, DEVICES, Key, Known, Way};
use super::line::{Heard, Line};
use crate::sim::{Asker, News, Sim};

/// What it waits for.
#[derive(Debug, Clone)]
enum Question {
    Send(Key),
    /// An id that is taken, with other content.
    Other(Value),
    /// To a database of another company.
    Foreign(Value),
    Fetch,
    Acknowledge {
        from: String,
        id: String,
    },
    Status {
        key: Key,
        /// Whether the server was known to know the outcome when it was asked.
        settled: bool,
    },
}

/// A device.
pub(super) struct Device {
    number: usize,
    line: Line,
    open: Option<Question>,
    sent: u64,
    /// What it fetched, by sender and id, and whether its acknowledgement was heard.
    received: BTreeMap<(String, String), bool>,
}

impl Device {
    pub(super) fn new(number: usize, line: Line) -> Self {
        Self { number, line, open: None, sent: 0, received: BTreeMap::new() }
    }

    /// Whether nothing waits to be told.
    pub(super) fn is_settled(&self) -> bool {
        !matches!(self.open, Some(Question::Send(_))) && self.received.values().all(|acknowledged| *acknowledged)
    }

    /// Whether a reply was fetched, and its acknowledgement heard.
    pub(super) fn has(&self, database: &str, id: &str) -> bool {
        self.received.get(&(database.to_owned(), id.to_owned())) == Some(&true)
    }

    pub(super) fn act(&mut self, asker: Asker, known: &mut Known, sim: &mut Sim) {
        if !self.line.is_now(asker) {
            return;
        }
        if !known.is_ready() {
            return self.line.rest(300_000, sim);
        }
        self.line.give_up(known, sim);
        let again = self.open.take().filter(|open| matches!(open, Question::Send(_)) || sim.rng.once_in(2));
        let question = again.or_else(|| self.draw(known, sim));
        match question {
            Some(question) => self.ask(question, known, sim),
            None => self.line.rest(1_000_000, sim),
        }
    }

    fn draw(&mut self, known: &mut Known, sim: &mut Sim) -> Option<Question> {
        let waiting = self.received.iter().find(|(_, acknowledged)| !**acknowledged);
        if let Some(((from, id), _)) = waiting.filter(|_| known.calm || sim.rng.once_in(2)) {
            return Some(Question::Acknowledge { from: from.clone(), id: id.clone() });
        }
        if known.calm {
            return Some(Question::Fetch);
        }
        match sim.rng.below(10) {
            0..4 => Some(self.new_message(known, sim)),
            4 => self.some_sent(known, sim).map(|key| Question::Other(other(&known.sent[&key]))),
            5 => Some(self.foreign(known, sim)),
            6 => self.some_sent(known, sim).map(|key| Question::Status { settled: is_settled(&key, known, sim), key }),
            7 => self.received.keys().next_back().cloned().map(|(from, id)| Question::Acknowledge { from, id }),
            _ => Some(Question::Fetch),
        }
    }

    fn new_message(&mut self, known: &mut Known, sim: &mut Sim) -> Question {
        self.sent += 1;
        let key = (self.number, format!("m{}", self.sent));
        let own: Vec<usize> =
            (0..DATABASES.len()).filter(|database| DATABASES[*database].1 == DEVICES[self.number].0).collect();
        let way = Way::In { device: self.number, database: *sim.rng.pick(&own) };
        let size = if sim.rng.once_in(8) { 3_000 } else { sim.rng.below(60) };
        let payload = json!({ "n": self.sent, "pad": "x".repeat(usize::try_from(size).unwrap_or(0)) });
        known.sent.insert(key.clone(), known.message(&key.1, way, &payload, sim));
        Question::Send(key)
    }

    fn some_sent(&self, known: &Known, sim: &mut Sim) -> Option<Key> {
        let key = (self.number, format!("m{}", sim.rng.within(1, self.sent.max(1))));
        known.acknowledged.contains(&key).then_some(key)
    }

    fn foreign(&self, known: &Known, sim: &Sim) -> Question {
        let foreign = (0..DATABASES.len()).find(|database| DATABASES[*database].1 != DEVICES[self.number].0);
        let way = Way::In { device: self.number, database: foreign.unwrap_or(0) };
        Question::Foreign(known.message("foreign", way, &json!(null), sim))
    }

    fn ask(&mut self, question: Question, known: &mut Known, sim: &mut Sim) {
        let device = known.devices[self.number].clone();
        let send = |message: &Value| {
            let letter = Letter::read(message.to_string()).unwrap_or_else(|error| panic!("{error}"));
            Send { sender: Some(device.clone()), letter }
        };
        match &question {
            Question::Send(key) => {
                let message = send(&known.sent[key]);
                self.line.ask(Step::Send, &SEND, message, None, known, sim);
            }
            Question::Other(message) | Question::Foreign(message) => {
                self.line.ask(Step::Send, &SEND, send(message), None, known, sim);
            }
            Question::Fetch => {
                let files = usize::try_from(sim.rng.within(1, 5)).unwrap_or(1);
                let wanted = Fetch { device, files, bytes: 2_000 };
                self.line.read(Step::Fetch, &FETCH, wanted, known, sim);
            }
            Question::Acknowledge { from, id } => {
                let input = Ack { device, id: id.clone(), from: Some(from.clone()) };
                self.line.ask(Step::Acknowledge, &ACK, input, None, known, sim);
            }
            Question::Status { key, .. } => {
                let wanted = StatusOf { sender: device, id: key.1.clone() };
                self.line.read(Step::Fetch, &STATUS, wanted, known, sim);
            }
        }
        self.open = Some(question);
    }

    pub(super) fn hear(&mut self, asker: Asker, news: News, known: &mut Known, sim: &mut Sim) {
        if !self.line.is_now(asker) || !self.line.is_open() {
            return;
        }
        match self.line.heard(news, known, sim) {
            Heard::Nothing => {}
            heard => {
                known.answers += 1;
                if let Err(wrong) = self.take(heard, known) {
                    known.wrong(format!("device {}: {wrong}", self.number));
                }
            }
        }
        let pause_us = if known.calm { 1_500_000 } else { sim.rng.within(10_000, 2_500_000) };
        self.line.rest(pause_us, sim);
    }

    fn take(&mut self, heard: Heard, known: &mut Known) -> Result<(), String> {
        let Some(question) = self.open.take() else { return Ok(()) };
        match (question, heard) {
            (Question::Send(key), Heard::Said(_)) => drop(known.acknowledged.insert(key)),
            (Question::Other(_), Heard::Refused(error)) if error.code.name == "ATAKEN" => {}
            (Question::Foreign(_), Heard::Refused(error)) if error.code.name == "NPARTY" => {}
            (Question::Fetch, Heard::Said(out)) => {
                out["messages"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .try_for_each(|message| self.fetched(message, known))?;
            }
            (Question::Acknowledge { from, id }, Heard::Said(_)) => drop(self.received.insert((from, id), true)),
            (Question::Status { key, settled }, Heard::Said(out)) => check_status(&key, settled, &out, known)?,
            (question, Heard::Said(out)) => return Err(format!("{question:?} was answered with {out}")),
            (question, Heard::Refused(error)) => return Err(format!("{question:?} was refused: {error:?}")),
            (_, Heard::Nothing) => {}
        }
        Ok(())
    }

    /// A message for it: one that a database committed, and that it did not acknowledge.
    fn fetched(&mut self, message: &Value, known: &Known) -> Result<(), String> {
        let text = |path: &str| message.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (from, id) = (text("/head/from"), text("/id"));
        let database = Known::database(&from).ok_or_else(|| format!("a message from {from}"))?;
        let is_ours = text("/head/to") == known.devices[self.number];
        let is_word = text("/body/type") == NOT_PROCESSED;
        let committed = known.books[database].replies.get(&id);
        let is_good = is_word || committed.is_some_and(|(_, reply)| reply == message);
        if !is_good || !is_ours {
            return Err(format!("got {message}, committed is {committed:?}"));
        }
        if self.received.insert((from, id), false) == Some(true) {
            return Err(format!("got {message} again after it had acknowledged it"));
        }
        Ok(())
    }
}

/// The same with other content.
fn other(message: &Value) -> Value {
    let mut other = message.clone();
    other["body"]["payload"] = json!("other");
    other
}

/// Whether the server must know that a message is done.
fn is_settled(key: &Key, known: &Known, sim: &Sim) -> bool {
    let held = sim.look(|tx| super::judge::is_held(tx, &known.devices[key.0], &key.1));
    known.books.iter().any(|books| books.is_done(key)) && matches!(held, Some(Ok(false)))
}

fn check_status(key: &Key, settled: bool, out: &Value, known: &Known) -> Result<(), String> {
    let done = |find: fn(&super::books::Books, &Key) -> bool| known.books.iter().any(|books| find(books, key));
    let processed = done(|books, key| books.effects.contains_key(key));
    let wrong = done(|books, key| books.wrong.contains(key));
    let good = match out["state"].as_str().unwrap_or_default() {
        "processed" => processed,
        "error" => wrong,
        _ => !settled,
    };
    if good { Ok(()) } else { Err(format!("status of {key:?} is {out}, processed: {processed}, wrong: {wrong}")) }
}
