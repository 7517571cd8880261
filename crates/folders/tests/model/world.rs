//! The state of everything, and what can happen next.

use std::collections::{BTreeSet, VecDeque};

use crate::client::Client;
use crate::search::Model;
use crate::server::Server;

/// A content: 0 is what all begin with, each edit makes the next one.
pub type Content = u8;

/// From where a search begins.
pub struct Start {
    pub clients: usize,
    /// Edits of each client.
    pub edits: u8,
    /// Faults in all.
    pub faults: u8,
    pub mutant: Option<Mutant>,
}

/// A rule of the text, or one without a repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mutant {
    TimesDecide,
    RollbackWakesNobody,
    InstallsUnseen,
    AnswersBeforeCommit,
    ReadersAreDenied,
    ForgetsAnswers,
    DropsTheDenied,
}

/// What a client says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Up {
    /// REQUEST_VERSION, with the subscription before it.
    RequestVersion,
    /// ASK_VERSION_INCREASE. `time`: FIRST_TRY_TIME.
    Ask { base: u64, content: Content, time: u8 },
    /// FILE_WRITE and FILE_WRITE_END.
    Write { content: Content },
    /// REQUEST_FILE_CONTENT.
    RequestContent,
}

/// What the server says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Down {
    /// CHECK_VERSION.
    Check { version: u64, content: Content },
    /// VERSION_INCREASE_ALLOW.
    Allow,
    /// VERSION_INCREASE_DENY with BLOCKED.
    Blocked,
    /// VERSION_INCREASE_DENY with DENIED.
    Denied,
    /// VERSION_INCREASED.
    Increased { version: u64 },
    /// FILE_CONTENT_REQUEST_ALLOW, FILE_WRITE, FILE_WRITE_END.
    Given { version: u64, content: Content },
    /// FILE_CONTENT_REQUEST_DENY.
    NotGiven,
    /// ERROR TIMEOUT.
    Timeout,
}

/// Everything at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct World {
    pub server: Server,
    pub clients: Vec<Client>,
    pub up: Vec<VecDeque<Up>>,
    pub down: Vec<VecDeque<Down>>,
    /// What each content was made from.
    pub made_from: Vec<Content>,
    pub faults_left: u8,
    pub mutant: Option<Mutant>,
}

/// What can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Edit(usize),
    Upload(usize),
    Connect(usize),
    ToServer(usize),
    ToClient(usize),
    Lapse,
    /// What was answered before it was kept is kept.
    Keep,
    // Faults.
    Cut(usize),
    /// It never comes back: what it holds alone stays there.
    Gone(usize),
    Silence,
    Crash,
}

impl World {
    pub fn new(start: &Start) -> Self {
        let clients = (0..start.clients).map(|number| Client::new(number, start.edits)).collect();
        Self {
            server: Server::new(start.clients),
            clients,
            up: vec![VecDeque::new(); start.clients],
            down: vec![VecDeque::new(); start.clients],
            made_from: vec![0],
            faults_left: start.faults,
            mutant: start.mutant,
        }
    }

    pub fn is_on(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }

    pub fn say(&mut self, client: usize, message: Up) {
        self.up[client].push_back(message);
    }

    pub fn tell(&mut self, client: usize, message: Down) {
        if self.clients[client].is_connected {
            self.down[client].push_back(message);
        }
    }

    /// A new content that somebody made from another.
    pub fn make(&mut self, from: Content) -> Content {
        self.made_from.push(from);
        Content::try_from(self.made_from.len() - 1).expect("few edits")
    }

    /// A content and all that it was made from.
    pub fn lineage(&self, content: Content) -> BTreeSet<Content> {
        let mut lineage = BTreeSet::from([content]);
        let mut last = content;
        while last != 0 {
            last = self.made_from[usize::from(last)];
            lineage.insert(last);
        }
        lineage
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Edit(client) => self.edit(client),
            Event::Upload(client) => self.upload(client),
            Event::Connect(client) => self.connect(client),
            Event::ToServer(client) => {
                let message = self.up[client].pop_front();
                message.into_iter().for_each(|message| self.serve(client, message));
            }
            Event::ToClient(client) => {
                let message = self.down[client].pop_front();
                message.into_iter().for_each(|message| self.hear(client, message));
            }
            Event::Lapse => self.lapse(),
            Event::Keep => self.keep(),
            Event::Cut(client) => {
                self.faults_left -= 1;
                self.cut(client);
            }
            Event::Gone(client) => {
                self.faults_left -= 1;
                self.clients[client].is_gone = true;
                self.cut(client);
            }
            Event::Silence => {
                self.faults_left -= 1;
                self.roll_back();
            }
            Event::Crash => {
                self.faults_left -= 1;
                self.crash();
            }
        }
    }
}

impl Model for World {
    type Event = Event;

    /// Everything that can happen now; faults as long as there are some left.
    fn events(&self) -> Vec<Event> {
        let mut events = self.deeds();
        if self.faults_left > 0 {
            let connected = || (0..self.clients.len()).filter(|client| self.clients[*client].is_connected);
            events.extend(connected().map(Event::Cut).chain(connected().map(Event::Gone)));
            events.push(Event::Crash);
            if self.server.seat.holder().is_some() {
                events.push(Event::Silence);
            }
        }
        events
    }

    /// What happens by itself.
    fn deeds(&self) -> Vec<Event> {
        let mut events = vec![];
        for (number, client) in self.clients.iter().enumerate() {
            let can = [
                (client.edits_left > 0 && !client.is_gone, Event::Edit(number)),
                (client.is_to_upload(), Event::Upload(number)),
                (!client.is_connected && !client.is_gone, Event::Connect(number)),
                (!self.up[number].is_empty(), Event::ToServer(number)),
                (!self.down[number].is_empty(), Event::ToClient(number)),
            ];
            events.extend(can.into_iter().filter(|(can, _)| *can).map(|(_, event)| event));
        }
        // A reservation lasts longer than messages take.
        let is_quiet = |who: &usize| self.up[*who].is_empty() && self.down[*who].is_empty();
        if self.server.seat.holder().is_none() && self.server.seat.reserved().is_some_and(is_quiet) {
            events.push(Event::Lapse);
        }
        if self.server.unkept.is_some() {
            events.push(Event::Keep);
        }
        events
    }

    /// What comes of it.
    fn after(&self, event: Event) -> Self {
        let mut next = self.clone();
        next.happen(event);
        next
    }

    /// What is wrong with an end, if something is.
    fn wrong_end(&self) -> Option<String> {
        let kept = self.server.content;
        let is_behind = |client: &Client| !client.is_gone && (client.local != kept || client.waits());
        if let Some(number) = self.clients.iter().position(is_behind) {
            return Some(format!("client {number} stays behind or asleep: {:?}", self.clients[number]));
        }
        if !self.server.seat.is_empty() {
            return Some(format!("somebody has the file for ever: {:?}", self.server.seat));
        }
        let lineage = self.lineage(kept);
        let copies: BTreeSet<Content> = self.clients.iter().flat_map(|client| client.copies.iter().copied()).collect();
        let elsewhere = self.clients.iter().filter(|client| client.is_gone).map(|client| client.local);
        let held = copies.iter().copied().chain(elsewhere);
        let visible: BTreeSet<Content> =
            held.flat_map(|content| self.lineage(content)).chain(lineage.clone()).collect();
        let all = 0..Content::try_from(self.made_from.len()).expect("few edits");
        if let Some(lost) = all.into_iter().find(|content| !visible.contains(content)) {
            return Some(format!("edit {lost} is lost; what is kept is {kept}, copies are {copies:?}"));
        }
        let needless = copies.iter().find(|copy| lineage.contains(copy));
        needless.map(|copy| format!("a copy of edit {copy}, which is in what is kept, {kept}"))
    }

    fn age(&self) -> u64 {
        self.server.version()
    }
}
