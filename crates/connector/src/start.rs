//! The start call: what it asks for, and what is done when its answer does not come.
//!
//! A start without an answer is made again with its key, and gives the same process. Where the server answers other calls and the start
//! stays without one, or with one that cannot be read, its messages are too much for the line: the process is given up, and the next one
//! asks for fewer bytes. Where fewer cannot be asked for, it is a message that never arrives, which lets others go first. What was too much
//! is tried again now and then, because lines get better.

use client::exchange::{Message, Start, Started, Status};
use client::{ClientError, Request, new_key};
use serde::Deserialize as _;
use serde_json::json;

use crate::connector::{Connector, Course, START_MAX, failed, word};
use crate::learn::is_away;
use crate::next::{Heard, Word};

/// A start without an answer.
pub(crate) struct Unanswered {
    key: String,
    start: Start,
    /// How often it had none.
    times: u32,
}

/// Less is asked for, because more did not arrive.
pub(crate) struct Less {
    mb: f64,
    /// Batches that arrived since.
    arrived: u32,
}

/// After so many batches that arrived, twice as much is asked for. Not sooner: more than the line bears costs a process, and minutes.
const ARRIVED_MIN: u32 = 10;
/// How often a start is made that has no answer.
const UNANSWERED_MAX: u32 = 2;
/// What the server gives at most, unless it is told otherwise.
const SERVER_MB: f64 = 20.0;
/// Less is not asked for: a message comes whole anyway.
const LEAST_MB: f64 = 0.25;
/// The state of a process that was given.
const STARTED: &str = "STARTED";

impl Unanswered {
    /// How many megabytes it asks for.
    fn mb(&self) -> f64 {
        self.start.max_mb.unwrap_or(SERVER_MB)
    }
}

impl Connector {
    pub(crate) async fn start(&mut self, course: &mut Course) -> Heard {
        let before = self.unanswered.take();
        let asked = before.unwrap_or_else(|| Unanswered { key: new_key(), start: self.wanted(), times: 0 });
        let client = self.client.clone().while_it_flows(START_MAX);
        match client.start_process(&asked.start, &asked.key).await {
            Ok(started) => self.begin(started, &asked, course),
            Err(error) => {
                // What the server told did arrive.
                let is_cut = !matches!(error, ClientError::Api(_)) && !is_away(&error);
                let word = failed(error);
                if matches!(word, Word::Silence(_)) {
                    self.note_silence(asked, is_cut).await;
                }
                Heard::Word(word)
            }
        }
    }

    fn begin(&mut self, started: Started, asked: &Unanswered, course: &mut Course) -> Heard {
        match (started.status, started.process) {
            (Status::Idle, _) => {
                self.less = None;
                Heard::Idle
            }
            (Status::Busy, _) => Heard::Busy,
            // Asked for again, and over meanwhile.
            (Status::Ok, Some(_)) if started.messages.is_empty() => {
                self.ask_for_less(asked.mb());
                Heard::Word(Word::Silence("its messages came too late".into()))
            }
            (Status::Ok, Some(process)) => {
                self.note_arrival();
                course.process = process;
                self.choose(started.messages, course)
            }
            (Status::Ok | Status::Cancelled, _) => Heard::Word(Word::Refused("a start without a process".into())),
        }
    }

    fn choose(&mut self, messages: Vec<Message>, course: &mut Course) -> Heard {
        let is_known = |message: &Message| self.settings.handler(&message.body.kind).is_some();
        let (known, unknown): (Vec<_>, Vec<_>) = messages.into_iter().partition(is_known);
        let chosen = self.suspects.choose(known);
        (course.taken, course.left_out) = (chosen.taken, unknown.len() + chosen.left_out.len());
        let why = match chosen.left_out.is_empty() {
            true => format!("none of {} messages is of a type that is known here", unknown.len()),
            false => chosen.error,
        };
        Heard::Started { taken: course.taken.len(), left_out: (course.left_out > 0).then_some(why) }
    }

    fn wanted(&self) -> Start {
        let some = |names: &Vec<String>| Some(names.clone()).filter(|names| !names.is_empty());
        let less = self.less.as_ref().map(|less| less.mb);
        Start {
            db: self.settings.database.clone(),
            subsystems: some(&self.settings.subsystems),
            senders: some(&self.settings.senders),
            max_files: if self.suspects.takes_one() { Some(1) } else { self.settings.max_files },
            max_mb: less.or(self.settings.max_mb),
        }
    }

    async fn note_silence(&mut self, asked: Unanswered, is_cut: bool) {
        let asked = Unanswered { times: asked.times + u32::from(is_cut), ..asked };
        let mb = asked.mb();
        if asked.times >= UNANSWERED_MAX && self.give_up_started(mb <= LEAST_MB).await {
            self.ask_for_less(mb);
        } else {
            self.unanswered = Some(asked);
        }
    }

    fn ask_for_less(&mut self, mb: f64) {
        self.less = Some(Less { mb: (mb / 2.0).max(LEAST_MB).min(mb), arrived: 0 });
    }

    fn note_arrival(&mut self) {
        let Some(less) = &mut self.less else { return };
        less.arrived += 1;
        if less.arrived >= ARRIVED_MIN {
            *less = Less { mb: less.mb * 2.0, arrived: 0 };
        }
        let most = self.settings.max_mb.unwrap_or(SERVER_MB);
        self.less.take_if(|less| less.mb >= most);
    }

    /// Gives up what was started and never arrived; whether the server was heard. It may have ended by itself, or be another connector's:
    /// of what is still only started nothing happened, and the next call tells that one so; what was prepared meanwhile is not touched.
    async fn give_up_started(&self, is_least: bool) -> bool {
        let Ok(started) = self.client.processes_in(&self.settings.database, STARTED).await else { return false };
        for process in &started {
            let word = match is_least {
                true => word(self.client.narrow_process(&process.id, &[]).await),
                false => self.give_up(&process.id).await,
            };
            if matches!(word, Word::Silence(_)) {
                return false;
            }
        }
        true
    }

    async fn give_up(&self, process: &str) -> Word {
        let request = Request::new("POST", &["exchange", "processes", process, "interrupt"]);
        let body = json!({ "message": "its messages did not arrive", "only_started": true });
        match self.client.call(request.json(&body)).await.map(|given| Status::deserialize(&given.value["status"])) {
            Ok(Ok(status)) => word(Ok(status)),
            Ok(Err(error)) => Word::Silence(error.to_string()),
            Err(error) => failed(error),
        }
    }
}
