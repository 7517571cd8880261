//! A machine: a disk, a daemon on it, a connection, a person.

use std::collections::BTreeMap;

use folder_agent::agent::{Agent, Event as Happened, Now, Out, Settings};
use folder_agent::disk::memory::{Fault, MemoryDisk};
use folder_agent::disk::{Disk as _, Marker};
use folder_agent::state::State;
use folders::names::Policy;
use folders::wire::client_message::Message;
use folders::wire::server_message::Message as Heard;
use folders::wire::{ClientMessage, DirectoryCreate, ServerMessage};
use kernel::SessionEvent;
use prost::Message as _;

use super::{Shared, hash_of};
use crate::run::act;
use crate::sim::{Asker, Event, News, Sim};

/// Contents of several kilobytes are large here, so that they travel by their chunks.
const LARGE_BYTES: u64 = 3_000;
/// What a watcher missed is found by then.
const RESCAN_MS: u64 = 60_000;

/// A machine.
pub(super) struct Device {
    at: Asker,
    skew_us: u64,
    agent: Option<Agent<MemoryDisk>>,
    connection: Option<u64>,
    /// That of the server when it was connected to.
    life: u32,
    /// The connection is there from then on.
    opens_at_us: Option<u64>,
    connects_at_us: u64,
    edits_at_us: u64,
    turn: u64,
}

impl Device {
    pub(super) fn new(at: Asker, sim: &mut Sim) -> Self {
        act(sim, at, 500_000);
        let skew_us = sim.rng.below(200_000_000_000_000);
        Self {
            at,
            skew_us,
            agent: None,
            connection: None,
            life: 0,
            opens_at_us: None,
            connects_at_us: 0,
            edits_at_us: sim.rng.within(1_000_000, 10_000_000),
            turn: 0,
        }
    }

    fn now(&self, sim: &Sim) -> Now {
        let wall_us = i64::try_from(self.skew_us + sim.now_us()).unwrap_or(i64::MAX);
        Now { ran_ms: sim.now_us() / 1_000, wall_us }
    }

    pub(super) fn tree(&self) -> BTreeMap<String, Option<String>> {
        let Some(agent) = &self.agent else { return BTreeMap::new() };
        agent.disk_now().tree().into_iter().map(|(path, content)| (path, hash_of(&content))).collect()
    }

    pub(super) fn is_settled(&self) -> bool {
        self.agent.as_ref().is_some_and(Agent::is_idle)
    }

    pub(super) fn told(&self) -> String {
        let report = self.agent.as_ref().map(Agent::report);
        let ends = self.agent.as_ref().map(Agent::open_ends);
        format!("machine {} {:?} {report:?} {ends:?}", self.at.client, self.connection)
    }

    /// Its time has come.
    pub(super) fn act(&mut self, token: u64, shared: &mut Shared, sim: &mut Sim) {
        if token != self.turn {
            return;
        }
        self.start(shared, sim);
        self.crash(shared, sim);
        self.notice(sim);
        if self.connection.is_none() && sim.now_us() >= self.connects_at_us {
            self.connect(shared, sim);
        }
        if self.opens_at_us.is_some_and(|at| at <= sim.now_us()) {
            self.opens_at_us = None;
            self.opened(shared, sim);
        }
        if !shared.calm && sim.now_us() >= self.edits_at_us {
            self.edits_at_us = sim.now_us() + sim.rng.within(100_000, 20_000_000);
            self.work(shared, sim);
        }
        self.happen(Happened::Woke, sim);
        self.look_again(sim);
    }

    fn look_again(&mut self, sim: &mut Sim) {
        let now_us = sim.now_us();
        let wake_us = self.agent.as_ref().and_then(Agent::wake_at).map(|at| at * 1_000);
        let connect_us = self.connection.is_none().then_some(self.connects_at_us);
        let next = [wake_us, connect_us, self.opens_at_us, Some(self.edits_at_us.max(now_us + 1_000_000))];
        let next_us = next.into_iter().flatten().min().unwrap_or(now_us);
        self.turn += 1;
        act(sim, Asker { token: self.turn, ..self.at }, next_us.saturating_sub(now_us).clamp(1_000, 10_000_000));
    }

    /// Linked as soon as there is a directory.
    fn start(&mut self, shared: &mut Shared, sim: &mut Sim) {
        if self.agent.is_some() || shared.directory.is_none() {
            return;
        }
        let mut disk = MemoryDisk::new();
        let marker = Marker { directory: shared.directory.clone().unwrap_or_default(), link: self.link() };
        disk.put_marker(&marker).expect("a new disk takes a marker");
        disk.settle().expect("a new disk settles");
        let state = State::in_memory().expect("a state in memory opens");
        self.agent = Some(self.agent_of(disk, state, shared, sim));
    }

    fn link(&self) -> String {
        format!("link {}", self.at.client)
    }

    fn agent_of(&self, mut disk: MemoryDisk, state: State, shared: &Shared, sim: &mut Sim) -> Agent<MemoryDisk> {
        disk.set_now(self.now(sim).wall_us * 1_000);
        let settings = Settings {
            directory: shared.directory.clone().unwrap_or_default(),
            device: format!("machine {}", self.at.client),
            client_id: format!("client {}", self.at.client),
            policy: Policy::Folded,
            links: true,
            link: self.link(),
            large_bytes: LARGE_BYTES,
            rescan_ms: RESCAN_MS,
        };
        Agent::start(disk, state, settings, sim.rng.next())
    }

    /// The machine loses power, or its disk refuses once.
    fn crash(&mut self, shared: &mut Shared, sim: &mut Sim) {
        if shared.calm || self.agent.is_none() {
            return;
        }
        if sim.rng.once_in(300) {
            let (calls, fault) = (sim.rng.below(40), *sim.rng.pick(&[Fault::NoSpace, Fault::Device]));
            if let Some(agent) = &mut self.agent {
                agent.disk().fail_after(calls, fault);
            }
        }
        if !sim.rng.once_in(200) {
            return;
        }
        sim.say(&format!("machine {} loses power", self.at.client));
        let Some((mut disk, state)) = self.agent.take().map(Agent::into_parts) else { return };
        disk.crash(&mut |below| sim.rng.below(below.max(1)));
        let state = state.reopened().expect("a state in memory opens again");
        self.agent = Some(self.agent_of(disk, state, shared, sim));
        self.cut(sim);
    }

    /// A server that is gone without a word is noticed by its silence, as pings do it.
    fn notice(&mut self, sim: &mut Sim) {
        let is_late = self.agent.is_none() && sim.now_us() > self.connects_at_us + 30_000_000;
        if self.connection.is_some() && (self.life != sim.life() || is_late) && self.opens_at_us.is_none() {
            self.connection = None;
            self.cut(sim);
            self.happen(Happened::Closed, sim);
        }
    }

    fn cut(&mut self, sim: &mut Sim) {
        if let Some(connection) = self.connection.take() {
            sim.after(1, Event::Disconnect(sim.life(), connection));
        }
        self.opens_at_us = None;
        self.connects_at_us = sim.now_us() + sim.rng.within(200_000, 20_000_000);
    }

    fn connect(&mut self, shared: &mut Shared, sim: &mut Sim) {
        if shared.directory.is_none() && self.at.client != 0 {
            self.connects_at_us = sim.now_us() + 500_000;
            return;
        }
        shared.connections += 1;
        let (connection, at) = (shared.connections, Asker { token: shared.connections, ..self.at });
        (self.connection, self.life) = (Some(connection), sim.life());
        let open = move |sim: &mut Sim| {
            sim.stream(at, &folders::stream::STREAM, &[("synxpo-caps", "chunks,tree,links")]);
        };
        sim.after(50_000, Event::Arrive(sim.life(), Box::new(open)));
        self.opens_at_us = Some(sim.now_us() + 100_000);
    }

    fn opened(&mut self, shared: &mut Shared, sim: &mut Sim) {
        if shared.directory.is_some() && self.agent.is_some() {
            return self.happen(Happened::Opened, sim);
        }
        let message = Some(Message::DirectoryCreate(DirectoryCreate::default()));
        self.send(&ClientMessage { message, ..ClientMessage::default() }, sim);
    }

    fn send(&mut self, message: &ClientMessage, sim: &mut Sim) {
        let said = match &message.message {
            Some(Message::FileWrite(write)) => format!("{} bytes", write.encoded_len()),
            other => format!("{other:?}"),
        };
        sim.say(&format!("machine {} says {}", self.at.client, &said[..said.floor_char_boundary(1200)]));
        let Some(connection) = self.connection else { return };
        sim.after(10_000, Event::Session(sim.life(), connection, SessionEvent::Message(message.encode_to_vec())));
        if sim.rng.once_in(sim.faults.answer_lost) {
            let cut_us = 10_000 + sim.rng.below(1_000_000);
            sim.after(cut_us, Event::Disconnect(sim.life(), connection));
        }
    }

    pub(super) fn hear(&mut self, token: u64, news: News, shared: &mut Shared, sim: &mut Sim) {
        if self.connection != Some(token) {
            return;
        }
        match news {
            News::Cut => {
                self.connection = None;
                self.cut(sim);
                self.happen(Happened::Closed, sim);
            }
            News::Message(bytes) => match ServerMessage::decode(&bytes[..]) {
                Ok(message) => self.heard(message, shared, sim),
                Err(_) => shared.wrong("an answer that is no ServerMessage".to_owned()),
            },
            News::Answer(_) => {}
        }
        self.look_again(sim);
    }

    fn heard(&mut self, message: ServerMessage, shared: &mut Shared, sim: &mut Sim) {
        let said = match &message.message {
            Some(Heard::FileWrite(write)) => format!("{} bytes", write.encoded_len()),
            other => format!("{other:?}"),
        };
        sim.say(&format!("machine {} hears {}", self.at.client, &said[..said.floor_char_boundary(1200)]));
        shared.answers += 1;
        match &message.message {
            Some(Heard::OkDirectoryCreated(created)) => {
                shared.directory.get_or_insert_with(|| created.directory_id.clone());
                self.cut(sim);
            }
            Some(Heard::Error(error)) if error.code == i32::from(folders::wire::error::ErrorCode::InvalidRequest) => {
                shared.wrong(format!("machine {} was refused: {error:?}", self.at.client));
            }
            _ => self.happen(Happened::Heard(Box::new(message)), sim),
        }
    }

    /// The daemon is told of something.
    pub(super) fn happen(&mut self, event: Happened, sim: &mut Sim) {
        let now = self.now(sim);
        let Some(agent) = &mut self.agent else { return };
        agent.disk().set_now(now.wall_us * 1_000);
        let mut next = agent.on(event, now).expect("a state in memory is written");
        loop {
            let Out { say, close } = next;
            let is_empty = say.is_empty();
            for message in say {
                self.send(&message, sim);
            }
            if close {
                return self.cut(sim);
            }
            let Some(agent) = &mut self.agent else { return };
            next = agent.more(now).expect("a state in memory is read");
            if is_empty && next.say.is_empty() && !next.close {
                return;
            }
        }
    }

    /// The person at this machine does something.
    fn work(&mut self, shared: &mut Shared, sim: &mut Sim) {
        let now = self.now(sim);
        let Some(agent) = &mut self.agent else { return };
        agent.disk().set_now(now.wall_us * 1_000);
        let folders = super::edits::edit(agent.disk(), self.at.client, shared, sim);
        // A watcher misses something now and then: a look at everything finds it.
        if !folders.is_empty() && !sim.rng.once_in(8) {
            self.happen(Happened::Changed(folders), sim);
        }
    }
}
