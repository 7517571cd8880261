//! Several files that are asked for together (FLD-3, FLD-6): all or none; in a refusal those that are free are kept for whoever asked, for a moment.
//!
//! Each client has edits of two files and asks for them in one group, and the groups overlap. What is blocked is asked for when it is called out, what is free at
//! once, what is denied becomes a copy. Contents are told by whose they are.

use std::collections::VecDeque;

use folders::{Answer, Change, Known, Seat, Status, answer};

use crate::search::{Model, Verdict, search};

const FILES: usize = 3;

/// One bit for each file.
type Files = u8;

/// A rule that is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Mutant {
    /// What is free is kept for whoever asked, for ever.
    KeepsForEver,
    /// A reservation ends, and nobody is told.
    LapsesInSilence,
    /// Nobody is put on the list of those who wait.
    QueuesNobody,
    /// A group that is rolled back gives up its first file only.
    RollsBackOne,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Up {
    Ask { files: Files, bases: [u64; FILES] },
    Write { files: Files },
    RequestVersion,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Down {
    Check { file: usize, version: u64 },
    Allow,
    Deny { said: [Option<Status>; FILES] },
    Increased { files: Files, versions: [u64; FILES] },
    Timeout,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    Idle,
    Asked(Files),
    Sent(Files),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Client {
    phase: Phase,
    bases: [u64; FILES],
    /// What it has an edit of; what of that waits to be called out; what was denied.
    dirty: Files,
    blocked: Files,
    denied: Files,
    copies: Files,
    is_connected: bool,
    is_gone: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct File {
    version: u64,
    /// Whose content it has.
    content: Option<usize>,
    seat: Seat<usize>,
    /// Who brought theirs, and under which version it was kept.
    brought: Vec<Option<u64>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct World {
    files: Vec<File>,
    /// What each client did and did not undo.
    groups: Vec<Files>,
    clients: Vec<Client>,
    /// What each was allowed to write.
    uploads: Vec<Option<Files>>,
    up: Vec<VecDeque<Up>>,
    down: Vec<VecDeque<Down>>,
    faults_left: u8,
    mutant: Option<Mutant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Upload(usize),
    Connect(usize),
    ToServer(usize),
    ToClient(usize),
    Lapse(usize),
    // Faults.
    Cut(usize),
    Gone(usize),
    Silence(usize),
    /// Somebody undoes what they did, and wants nothing any more.
    Withdraw(usize),
    Crash,
}

fn has(files: Files, file: usize) -> bool {
    files & (1 << file) != 0
}

fn each(files: Files) -> impl Iterator<Item = usize> {
    (0..FILES).filter(move |file| has(files, *file))
}

impl World {
    fn new(groups: &[Files], faults: u8, mutant: Option<Mutant>) -> Self {
        let clients = groups.len();
        let client = Client {
            phase: Phase::Idle,
            bases: [1; FILES],
            dirty: 0,
            blocked: 0,
            denied: 0,
            copies: 0,
            is_connected: true,
            is_gone: false,
        };
        let file = File { version: 1, content: None, seat: Seat::default(), brought: vec![None; clients] };
        Self {
            files: vec![file; FILES],
            clients: groups.iter().map(|group| Client { dirty: *group, ..client.clone() }).collect(),
            groups: groups.to_vec(),
            uploads: vec![None; clients],
            up: vec![VecDeque::new(); clients],
            down: vec![VecDeque::new(); clients],
            faults_left: faults,
            mutant,
        }
    }

    fn is_on(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }

    fn tell(&mut self, client: usize, message: Down) {
        if self.clients[client].is_connected {
            self.down[client].push_back(message);
        }
    }

    fn call_out(&mut self, file: usize, to: impl IntoIterator<Item = usize>) {
        let version = self.files[file].version;
        to.into_iter().for_each(|client| self.tell(client, Down::Check { file, version }));
    }

    fn serve(&mut self, from: usize, message: Up) {
        match message {
            Up::RequestVersion => (0..FILES).for_each(|file| self.call_out(file, [from])),
            Up::Ask { files, bases } => self.ask(from, files, bases),
            Up::Write { files } if self.uploads[from] == Some(files) => self.commit(from, files),
            Up::Write { .. } => self.tell(from, Down::Timeout),
        }
    }

    fn judge(&self, from: usize, file: usize, base: u64) -> Answer {
        let File { version, content, seat, brought } = &self.files[file];
        let known = Known { version: *version, content: *content, brought: brought[from] };
        answer(&Change { base, content: Some(from) }, &known, seat, &from)
    }

    /// All or none.
    fn ask(&mut self, from: usize, files: Files, bases: [u64; FILES]) {
        let said: Vec<(usize, Answer)> = each(files).map(|file| (file, self.judge(from, file, bases[file]))).collect();
        let is_free = |said: &Answer| matches!(said, Answer::There(_) | Answer::Status(Status::Free));
        if said.iter().all(|(_, said)| matches!(said, Answer::There(_))) {
            each(files).for_each(|file| self.leave(from, file));
            self.answer(from, files);
        } else if said.iter().all(|(_, said)| is_free(said)) {
            said.iter().filter(|(_, said)| *said == Answer::Status(Status::Free)).for_each(|(file, _)| {
                self.files[*file].seat.take(&from);
            });
            self.uploads[from] = Some(files);
            self.tell(from, Down::Allow);
        } else {
            self.deny(from, &said);
        }
    }

    fn deny(&mut self, from: usize, all: &[(usize, Answer)]) {
        let mut said = [None; FILES];
        for (file, answer) in all {
            let status = match answer {
                Answer::There(_) => Status::Free,
                Answer::Status(status) => *status,
            };
            said[*file] = Some(status);
            match answer {
                Answer::There(_) => {}
                Answer::Status(Status::Free) => self.files[*file].seat.reserve(&from),
                Answer::Status(Status::Blocked) if self.is_on(Mutant::QueuesNobody) => {}
                Answer::Status(Status::Blocked) => self.files[*file].seat.wait(&from),
                Answer::Status(Status::Denied) => self.leave(from, *file),
            }
        }
        self.tell(from, Down::Deny { said });
    }

    fn answer(&mut self, from: usize, files: Files) {
        let mut versions = [0; FILES];
        each(files).for_each(|file| versions[file] = self.files[file].version);
        self.tell(from, Down::Increased { files, versions });
    }

    fn commit(&mut self, from: usize, files: Files) {
        self.uploads[from] = None;
        for file in each(files).filter(|file| self.files[*file].brought[from].is_none()).collect::<Vec<_>>() {
            let kept = &mut self.files[file];
            (kept.version, kept.content) = (kept.version + 1, Some(from));
            kept.brought[from] = Some(kept.version);
            // All others are told anyway.
            let _ = kept.seat.leave(&from);
            self.call_out(file, (0..self.clients.len()).filter(|client| *client != from).collect::<Vec<_>>());
        }
        self.answer(from, files);
    }

    fn leave(&mut self, from: usize, file: usize) {
        let woken = self.files[file].seat.leave(&from);
        self.call_out(file, woken);
    }

    fn roll_back(&mut self, client: usize) {
        let Some(files) = self.uploads[client].take() else { return };
        let files = if self.is_on(Mutant::RollsBackOne) { files & files.wrapping_neg() } else { files };
        each(files).for_each(|file| self.leave(client, file));
    }

    fn lapse(&mut self, file: usize) {
        let woken = self.files[file].seat.lapse();
        if !self.is_on(Mutant::LapsesInSilence) {
            self.call_out(file, woken);
        }
    }

    fn cut(&mut self, client: usize) {
        self.disconnect(client);
        self.roll_back(client);
        if !self.is_on(Mutant::RollsBackOne) {
            (0..FILES).for_each(|file| self.leave(client, file));
        }
    }

    fn disconnect(&mut self, client: usize) {
        self.up[client].clear();
        self.down[client].clear();
        let client = &mut self.clients[client];
        (client.is_connected, client.phase, client.blocked, client.denied) = (false, Phase::Idle, 0, 0);
    }

    fn crash(&mut self) {
        (0..self.clients.len()).for_each(|client| self.disconnect(client));
        self.files.iter_mut().for_each(|file| file.seat = Seat::default());
        self.uploads.iter_mut().for_each(|upload| *upload = None);
    }

    fn withdraw(&mut self, number: usize) {
        let client = &mut self.clients[number];
        self.groups[number] &= !client.dirty;
        (client.dirty, client.blocked, client.denied) = (0, 0, 0);
        self.up[number].push_back(Up::RequestVersion);
    }

    fn upload(&mut self, number: usize) {
        let client = &mut self.clients[number];
        let files = client.ready();
        client.phase = Phase::Asked(files);
        self.up[number].push_back(Up::Ask { files, bases: client.bases });
    }

    fn hear(&mut self, number: usize, message: Down) {
        let client = &mut self.clients[number];
        match (message, client.phase) {
            (Down::Check { file, version }, _) => client.check(file, version),
            (Down::Allow, Phase::Asked(files)) => {
                client.phase = Phase::Sent(files);
                self.up[number].push_back(Up::Write { files });
            }
            (Down::Deny { said }, Phase::Asked(_)) => {
                client.phase = Phase::Idle;
                if client.refused(said) {
                    self.up[number].push_back(Up::RequestVersion);
                }
            }
            (Down::Increased { files, versions }, Phase::Asked(_) | Phase::Sent(_)) => {
                client.phase = Phase::Idle;
                client.dirty &= !files;
                each(files).for_each(|file| client.bases[file] = versions[file]);
            }
            (Down::Timeout, Phase::Sent(_)) => client.phase = Phase::Idle,
            // Of something that is over.
            (Down::Allow | Down::Deny { .. } | Down::Increased { .. } | Down::Timeout, _) => {}
        }
    }

    fn happen(&mut self, event: Event) {
        self.faults_left -= u8::from(matches!(
            event,
            Event::Cut(_) | Event::Gone(_) | Event::Silence(_) | Event::Withdraw(_) | Event::Crash
        ));
        match event {
            Event::Upload(client) => self.upload(client),
            Event::Connect(client) => {
                self.clients[client].is_connected = true;
                self.up[client].push_back(Up::RequestVersion);
            }
            Event::ToServer(client) => {
                let message = self.up[client].pop_front();
                message.into_iter().for_each(|message| self.serve(client, message));
            }
            Event::ToClient(client) => {
                let message = self.down[client].pop_front();
                message.into_iter().for_each(|message| self.hear(client, message));
            }
            Event::Lapse(file) => self.lapse(file),
            Event::Cut(client) => self.cut(client),
            Event::Gone(client) => {
                self.clients[client].is_gone = true;
                self.cut(client);
            }
            Event::Silence(client) => self.roll_back(client),
            Event::Withdraw(client) => self.withdraw(client),
            Event::Crash => self.crash(),
        }
    }
}

impl Client {
    /// What it asks for next, together.
    fn ready(&self) -> Files {
        self.dirty & !self.blocked & !self.denied
    }

    /// Something is called out.
    fn check(&mut self, file: usize, version: u64) {
        self.blocked &= !(1 << file);
        if has(self.denied, file) && version > self.bases[file] {
            // The winner takes its place; what it had becomes a copy.
            self.denied &= !(1 << file);
            self.dirty &= !(1 << file);
            self.copies |= 1 << file;
        }
        if !has(self.dirty, file) {
            self.bases[file] = self.bases[file].max(version);
        }
    }

    /// What of it is free is asked for again at once. Whether it has to ask what there is.
    fn refused(&mut self, said: [Option<Status>; FILES]) -> bool {
        for (file, said) in said.iter().enumerate() {
            match said {
                Some(Status::Blocked) => self.blocked |= 1 << file,
                Some(Status::Denied) => self.denied |= 1 << file,
                Some(Status::Free) | None => {}
            }
        }
        said.contains(&Some(Status::Denied))
    }
}

impl Model for World {
    type Event = Event;

    fn events(&self) -> Vec<Event> {
        let mut events = self.deeds();
        if self.faults_left > 0 {
            let connected = || (0..self.clients.len()).filter(|client| self.clients[*client].is_connected);
            events.extend(connected().map(Event::Cut).chain(connected().map(Event::Gone)));
            events.extend(connected().filter(|client| self.uploads[*client].is_some()).map(Event::Silence));
            let can_undo = |number: &usize| {
                let client = &self.clients[*number];
                client.phase == Phase::Idle && client.dirty != 0
            };
            events.extend(connected().filter(can_undo).map(Event::Withdraw));
            events.push(Event::Crash);
        }
        events
    }

    fn deeds(&self) -> Vec<Event> {
        let mut events = vec![];
        for (number, client) in self.clients.iter().enumerate() {
            let is_idle = client.is_connected && client.phase == Phase::Idle;
            let can = [
                (is_idle && client.ready() != 0, Event::Upload(number)),
                (!client.is_connected && !client.is_gone, Event::Connect(number)),
                (!self.up[number].is_empty(), Event::ToServer(number)),
                (!self.down[number].is_empty(), Event::ToClient(number)),
            ];
            events.extend(can.into_iter().filter(|(can, _)| *can).map(|(_, event)| event));
        }
        // A reservation lasts longer than messages take.
        let is_quiet = |who: &usize| self.up[*who].is_empty() && self.down[*who].is_empty();
        let lapses = |file: &File| file.seat.holder().is_none() && file.seat.reserved().is_some_and(is_quiet);
        if !self.is_on(Mutant::KeepsForEver) {
            events.extend((0..FILES).filter(|file| lapses(&self.files[*file])).map(Event::Lapse));
        }
        events
    }

    fn after(&self, event: Event) -> Self {
        let mut next = self.clone();
        next.happen(event);
        next
    }

    fn wrong_end(&self) -> Option<String> {
        let is_behind = |client: &Client| {
            let is_level = (0..FILES).all(|file| client.bases[file] == self.files[file].version);
            !client.is_gone && (client.dirty != 0 || client.phase != Phase::Idle || !is_level)
        };
        if let Some(number) = self.clients.iter().position(is_behind) {
            return Some(format!("client {number} stays behind or asleep: {:?}", self.clients[number]));
        }
        if let Some(file) = self.files.iter().position(|file| !file.seat.is_empty()) {
            return Some(format!("somebody has file {file} for ever: {:?}", self.files[file].seat));
        }
        let is_lost = |number: &usize, file: &usize| {
            let is_kept = self.files[*file].brought[*number].is_some();
            let client = &self.clients[*number];
            is_kept == has(client.copies, *file) && !client.is_gone
        };
        let all = (0..self.clients.len()).flat_map(|number| (0..FILES).map(move |file| (number, file)));
        let mut edits = all.into_iter().filter(|(number, file)| has(self.groups[*number], *file));
        let lost = edits.find(|(number, file)| is_lost(number, file));
        lost.map(|(number, file)| format!("what client {number} had of file {file} is lost, or there twice"))
    }

    fn age(&self) -> u64 {
        self.files.iter().map(|file| file.version).sum()
    }
}

/// Two that both want the same two, three that want one, two that share a file, three that each share one with each other.
const ALL: &[Files] = &[0b011, 0b011];
const SAME: &[Files] = &[0b001, 0b001, 0b001];
const PAIR: &[Files] = &[0b011, 0b110];
const RING: &[Files] = &[0b011, 0b110, 0b101];

fn is_well(groups: &[Files], faults: u8) {
    match search(World::new(groups, faults, None)) {
        Verdict::Well { states } => println!("groups {groups:?}, {faults} faults: {states} states"),
        Verdict::Wrong { what, trace } => panic!("{what}\n{}", trace.join("\n")),
    }
}

fn is_found(mutant: Mutant) {
    let found =
        [(ALL, 0), (PAIR, 0), (SAME, 0), (ALL, 1), (PAIR, 1), (RING, 0)].into_iter().find_map(|(groups, faults)| {
            match search(World::new(groups, faults, Some(mutant))) {
                Verdict::Wrong { what, .. } => Some(what),
                Verdict::Well { .. } => None,
            }
        });
    println!("{mutant:?}: {}", found.unwrap_or_else(|| panic!("{mutant:?} was not found")));
}

#[test]
fn fld_26_files_that_two_ask_for_together_end_well_with_faults() {
    is_well(ALL, 2);
    is_well(PAIR, 1);
}

#[test]
fn fld_26_files_that_three_ask_for_together_end_well() {
    is_well(RING, 0);
}

#[test]
fn fld_6_what_is_kept_for_a_group_is_not_kept_for_ever() {
    is_found(Mutant::KeepsForEver);
}

#[test]
fn fld_6_whoever_waits_for_a_part_of_a_group_is_woken() {
    is_found(Mutant::LapsesInSilence);
    is_found(Mutant::QueuesNobody);
    is_found(Mutant::RollsBackOne);
}
