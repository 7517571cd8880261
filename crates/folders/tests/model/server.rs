//! The server, with one file of which all are told.

use std::collections::BTreeMap;

use folders::{Answer, Change, Known, Seat, Status, answer};

use crate::world::{Content, Down, Mutant, Up, World};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Server {
    version: u64,
    pub content: Content,
    pub seat: Seat<usize>,
    /// Who brought what, and under which version it was kept.
    brought: BTreeMap<(usize, Content), u64>,
    /// LAST_TRY of the text.
    last_try: (u8, Option<usize>),
    /// What was answered and is not kept yet (a mutant's).
    pub unkept: Option<(usize, Content)>,
}

impl Server {
    pub fn new(_: usize) -> Self {
        Self {
            version: 1,
            content: 0,
            seat: Seat::default(),
            brought: BTreeMap::new(),
            last_try: (0, None),
            unkept: None,
        }
    }

    pub fn version(&self) -> u64 {
        self.version
    }
}

impl World {
    pub fn serve(&mut self, from: usize, message: Up) {
        let Server { version, content, .. } = self.server;
        match message {
            Up::RequestVersion => self.tell(from, Down::Check { version, content }),
            Up::RequestContent if self.is_on(Mutant::ReadersAreDenied) && self.server.seat.holder().is_some() => {
                self.tell(from, Down::NotGiven);
            }
            Up::RequestContent => self.tell(from, Down::Given { version, content }),
            Up::Ask { base, content, time } => self.ask(from, &Change { base, content }, time),
            Up::Write { content } if self.server.seat.holder() == Some(&from) => self.write(from, content),
            Up::Write { .. } => self.tell(from, Down::Timeout),
        }
    }

    fn ask(&mut self, from: usize, change: &Change<Content>, time: u8) {
        let brought = self.server.brought.get(&(from, change.content)).copied();
        let brought = brought.filter(|_| !self.is_on(Mutant::ForgetsAnswers));
        let known = Known { version: self.server.version, content: self.server.content, brought };
        let answer = match self.is_on(Mutant::TimesDecide) {
            true => self.answer_by_time(from, time),
            false => answer(change, &known, &self.server.seat, &from),
        };
        match answer {
            Answer::There(version) => {
                self.leave(from);
                self.tell(from, Down::Increased { version });
            }
            Answer::Status(Status::Free) => {
                self.server.seat.take(&from);
                self.tell(from, Down::Allow);
            }
            Answer::Status(Status::Blocked) => {
                self.server.seat.wait(&from);
                self.tell(from, Down::Blocked);
            }
            Answer::Status(Status::Denied) => {
                self.leave(from);
                self.tell(from, Down::Denied);
            }
        }
    }

    /// The text: whoever tried later by their own clock.
    fn answer_by_time(&mut self, from: usize, time: u8) -> Answer {
        let (last, who) = self.server.last_try;
        if last > time || (last == time && who != Some(from)) {
            return Answer::Status(Status::Denied);
        }
        self.server.last_try = (time, Some(from));
        let is_free = self.server.seat.is_free_for(&from);
        Answer::Status(if is_free { Status::Free } else { Status::Blocked })
    }

    fn write(&mut self, from: usize, content: Content) {
        if self.is_on(Mutant::AnswersBeforeCommit) {
            self.tell(from, Down::Increased { version: self.server.version + 1 });
            self.server.unkept = Some((from, content));
            return;
        }
        self.commit(from, content);
        self.tell(from, Down::Increased { version: self.server.version });
        self.tell_others(from);
    }

    fn commit(&mut self, from: usize, content: Content) {
        let server = &mut self.server;
        (server.version, server.content) = (server.version + 1, content);
        server.brought.insert((from, content), server.version);
        // All others are told anyway.
        let _ = server.seat.leave(&from);
    }

    /// A mutant keeps what it has answered.
    pub fn keep(&mut self) {
        if let Some((from, content)) = self.server.unkept.take() {
            self.commit(from, content);
            self.tell_others(from);
        }
    }

    fn tell_others(&mut self, from: usize) {
        let check = self.server_check();
        (0..self.clients.len()).filter(|client| *client != from).for_each(|client| self.tell(client, check));
    }

    fn server_check(&self) -> Down {
        Down::Check { version: self.server.version, content: self.server.content }
    }

    /// Somebody does not want the file any more, in whatever way.
    fn leave(&mut self, from: usize) {
        let woken = self.server.seat.leave(&from);
        self.wake(&woken);
    }

    fn wake(&mut self, woken: &[usize]) {
        let check = self.server_check();
        woken.iter().for_each(|client| self.tell(*client, check));
    }

    pub fn lapse(&mut self) {
        let woken = self.server.seat.lapse();
        self.wake(&woken);
    }

    /// Whoever writes was not heard of for too long.
    pub fn roll_back(&mut self) {
        let Some(holder) = self.server.seat.holder().copied() else { return };
        let woken = self.server.seat.leave(&holder);
        if !self.is_on(Mutant::RollbackWakesNobody) {
            self.wake(&woken);
        }
    }

    pub fn cut(&mut self, client: usize) {
        self.disconnect(client);
        if self.server.seat.holder() == Some(&client) {
            self.roll_back();
        }
        self.leave(client);
    }

    /// All connections are gone, and whatever was not kept.
    pub fn crash(&mut self) {
        (0..self.clients.len()).for_each(|client| self.disconnect(client));
        (self.server.seat, self.server.unkept, self.server.last_try) = (Seat::default(), None, (0, None));
    }
}
