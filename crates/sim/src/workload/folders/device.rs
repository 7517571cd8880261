//! A device: follows the protocol step by step, as the original text has it. Half of them know the additions (who they are, the version a
//! change was made from, hashes), half know the text alone; half of the former bring contents in chunks that they cut themselves.
//!
//! What it has is durable; what is under way is lost with its connection, and begun again.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use folders::wire::client_message::Message;
use folders::wire::{
    AskVersionIncrease, ClientMessage, DirectoryCreate, DirectorySubscribe, FileMetadata, FileType, RequestFileContent,
    RequestVersion, Timestamp, ask_version_increase, request_file_content, request_version,
};
use kernel::SessionEvent;
use prost::Message as _;
use sha2::{Digest as _, Sha256};

use super::edit::{Edit, What, bytes, hash};
use super::judge::Living;
use super::shared::Shared;
use crate::run::act;
use crate::sim::{Asker, Event, Sim};

/// Nothing came for so long: a new connection.
const PATIENCE_US: u64 = 70_000_000;
/// Whoever waits for a file asks by itself after this, and some chance more (FLD-6).
pub(super) const WAITS_US: u64 = 35_000_000;
const PATHS: [&str; 6] = ["a", "b", "c", "d/a", "d/b", "e"];

/// A file as the device has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Local {
    pub(super) version: u64,
    pub(super) content_version: u64,
    pub(super) path: String,
    pub(super) text: Option<u64>,
}

/// What is under way on a connection.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Flight {
    /// Nothing.
    None,
    Creating,
    Subscribing,
    Listing,
    Asking,
    Writing,
    /// Somebody else writes what it wants.
    Waiting,
    Fetching {
        wanted: Vec<FileMetadata>,
        got: BTreeMap<String, Vec<u8>>,
    },
}

/// A device.
pub(super) struct Device {
    pub(super) at: Asker,
    pub(super) is_modern: bool,
    /// It lists chunks, and brings those that are missing.
    pub(super) is_chunked: bool,
    skew_us: u64,
    pub(super) files: BTreeMap<String, Local>,
    /// The newest that was heard of each file that the device does not have yet.
    pub(super) heard: BTreeMap<String, FileMetadata>,
    pub(super) edit: Option<Edit>,
    pub(super) connection: Option<u64>,
    pub(super) flight: Flight,
    pub(super) asked: u64,
    /// Messages of an upload that are still to be sent, each so much later than the one before.
    pub(super) pieces: VecDeque<(u64, Message)>,
    turn: u64,
}

impl Device {
    pub(super) fn new(at: Asker, sim: &mut Sim) -> Self {
        act(sim, at, 500_000);
        let is_modern = sim.rng.once_in(2);
        let is_chunked = is_modern && sim.rng.once_in(2);
        let skew_us = sim.rng.below(200_000_000_000_000);
        let (files, heard) = (BTreeMap::new(), BTreeMap::new());
        Self {
            at,
            is_modern,
            is_chunked,
            skew_us,
            files,
            heard,
            edit: None,
            connection: None,
            flight: Flight::None,
            asked: 0,
            pieces: VecDeque::new(),
            turn: 0,
        }
    }

    /// It has all that there is, and wants nothing.
    pub(super) fn is_settled(&self, living: &BTreeMap<String, Living>) -> bool {
        self.edit.is_none() && self.flight == Flight::None && self.differs(living).is_none()
    }

    /// Something that it has otherwise.
    pub(super) fn differs(&self, living: &BTreeMap<String, Living>) -> Option<String> {
        let as_living = |local: &Local| Living { version: local.version, path: local.path.clone(), text: local.text };
        let ids: BTreeSet<&String> = self.files.keys().chain(living.keys()).collect();
        ids.into_iter().find_map(|id| {
            let (own, theirs) = (self.files.get(id).map(as_living), living.get(id));
            (own.as_ref() != theirs)
                .then(|| format!("{id}: device {} has {own:?}, there is {theirs:?}", self.at.client))
        })
    }

    /// Its time has come.
    pub(super) fn act(&mut self, token: u64, shared: &mut Shared, sim: &mut Sim) {
        if token != self.turn {
            return;
        }
        match self.flight {
            Flight::None => self.step(shared, sim),
            Flight::Waiting => self.ask(shared, sim),
            Flight::Writing if !self.pieces.is_empty() => self.write_next(sim),
            Flight::Creating
            | Flight::Subscribing
            | Flight::Listing
            | Flight::Asking
            | Flight::Writing
            | Flight::Fetching { .. } => self.cut(sim),
        }
    }

    pub(super) fn look_again(&mut self, after_us: u64, sim: &mut Sim) {
        self.turn += 1;
        act(sim, Asker { token: self.turn, ..self.at }, after_us);
    }

    /// Whatever was under way is over.
    pub(super) fn cut(&mut self, sim: &mut Sim) {
        if let Some(connection) = self.connection.take() {
            sim.after(1, Event::Disconnect(sim.life(), connection));
        }
        self.flight = Flight::None;
        let pause_us = sim.rng.within(200_000, 5_000_000);
        self.look_again(pause_us, sim);
    }

    /// The next thing to do, with nothing under way.
    pub(super) fn step(&mut self, shared: &mut Shared, sim: &mut Sim) {
        self.flight = Flight::None;
        if self.connection.is_none() {
            return self.connect(shared, sim);
        }
        self.give_way();
        if self.edit.as_ref().is_some_and(|edit| !edit.is_denied) {
            return self.ask(shared, sim);
        }
        if self.fetch(shared, sim) {
            return;
        }
        if let Some(denied) = self.edit.take() {
            self.edit = self.copy(&denied, shared, sim);
        } else if !shared.calm {
            self.edit = self.change(shared, sim);
        }
        let pause_us = if self.edit.is_some() { 1_000 } else { sim.rng.within(500_000, 8_000_000) };
        self.look_again(pause_us, sim);
    }

    /// Whoever knows the text alone updates first: what it changed meanwhile was made from an older version. Others ask first, and say from
    /// which, for it may be there already.
    fn give_way(&mut self) {
        let Some(edit) = self.edit.as_mut().filter(|_| !self.is_modern) else { return };
        let newer = edit.id.as_ref().and_then(|id| self.heard.get(id)).is_some_and(|heard| heard.version > edit.base);
        edit.is_denied |= newer;
    }

    fn connect(&mut self, shared: &mut Shared, sim: &mut Sim) {
        shared.connections += 1;
        let (connection, at) = (shared.connections, Asker { token: shared.connections, ..self.at });
        self.connection = Some(connection);
        let caps = if self.is_chunked { "chunks,tree" } else { "" };
        let open = move |sim: &mut Sim| sim.stream(at, &folders::stream::STREAM, &[("synxpo-caps", caps)]);
        sim.after(50_000, Event::Arrive(sim.life(), Box::new(open)));
        match shared.directory.clone() {
            Some(directory_id) => {
                self.flight = Flight::Subscribing;
                let subscribe = DirectorySubscribe { directory_id, ..DirectorySubscribe::default() };
                self.send(Message::DirectorySubscribe(subscribe), 100_000, sim);
            }
            None if self.at.client == 0 => {
                self.flight = Flight::Creating;
                self.send(Message::DirectoryCreate(DirectoryCreate::default()), 100_000, sim);
            }
            None => self.cut(sim),
        }
    }

    /// All that there is, or was deleted.
    pub(super) fn list(&mut self, shared: &Shared, sim: &mut Sim) {
        self.flight = Flight::Listing;
        let request = request_version::file_request::Request::DirectoryId(shared.directory.clone().unwrap_or_default());
        let request = request_version::FileRequest { request: Some(request), ..Default::default() };
        self.send(Message::RequestVersion(RequestVersion { requests: vec![request] }), 0, sim);
    }

    /// Sends a message, and hears something within the time of its patience.
    pub(super) fn send(&mut self, message: Message, after_us: u64, sim: &mut Sim) {
        self.asked += 1;
        let client = self.at.client;
        let said = format!("{message:?}");
        sim.say(&format!("device {client} says {}", &said[..said.floor_char_boundary(200)]));
        let message = ClientMessage {
            request_id: Some(self.asked.to_string()),
            message: Some(message),
            client_id: self.is_modern.then(|| format!("device {client}")),
            device: self.is_modern.then(|| format!("device {client}")),
        };
        let Some(connection) = self.connection else { return };
        let delay_us = after_us + 10_000;
        sim.after(delay_us, Event::Session(sim.life(), connection, SessionEvent::Message(message.encode_to_vec())));
        if sim.rng.once_in(sim.faults.answer_lost) {
            let cut_us = delay_us + sim.rng.below(1_000_000);
            sim.after(cut_us, Event::Disconnect(sim.life(), connection));
        }
        self.look_again(after_us + PATIENCE_US, sim);
    }

    pub(super) fn ask(&mut self, shared: &Shared, sim: &mut Sim) {
        let Some(edit) = &self.edit else { return self.look_again(1_000, sim) };
        self.flight = Flight::Asking;
        let content = edit.brings().then(|| shared.bytes_of(edit.number));
        let info = ask_version_increase::FileInfo {
            id: edit.id.clone(),
            directory_id: shared.directory.clone().unwrap_or_default(),
            first_try_time: Some(Timestamp { time: edit.try_us }),
            current_path: edit.path.clone(),
            deleted: edit.what == What::Delete,
            content_changed: edit.brings(),
            r#type: FileType::File.into(),
            base_version: self.is_modern.then_some(edit.base),
            size: content.as_ref().filter(|_| self.is_modern).map(|content| content.len() as u64),
            hash: content.as_ref().filter(|_| self.is_chunked).map(|content| Sha256::digest(content).to_vec()),
            ..Default::default()
        };
        self.send(Message::AskVersionIncrease(AskVersionIncrease { files: vec![info] }), 0, sim);
    }

    /// Takes in what was heard; whether bytes have to be fetched for it.
    fn fetch(&mut self, shared: &Shared, sim: &mut Sim) -> bool {
        let mut wanted = vec![];
        for (id, meta) in std::mem::take(&mut self.heard) {
            let own = self.files.get(&id);
            if own.is_some_and(|own| own.version >= meta.version) {
                continue;
            }
            let is_file = meta.r#type == i32::from(FileType::File);
            let is_new = own.is_none_or(|own| own.content_version < meta.content_changed_version);
            if meta.deleted || !is_file || !is_new {
                self.install(&id, &meta, None);
            } else {
                wanted.push(meta);
            }
        }
        if wanted.is_empty() {
            return false;
        }
        let name = |meta: &FileMetadata| request_file_content::FileId {
            id: meta.id.clone().unwrap_or_default(),
            directory_id: shared.directory.clone().unwrap_or_default(),
            ..Default::default()
        };
        let files = wanted.iter().map(name).collect();
        self.heard = wanted.iter().map(|meta| (meta.id.clone().unwrap_or_default(), meta.clone())).collect();
        self.flight = Flight::Fetching { wanted: vec![], got: BTreeMap::new() };
        self.send(Message::RequestFileContent(RequestFileContent { files }), 0, sim);
        true
    }

    /// A version is there now, with this content if it came with one.
    pub(super) fn install(&mut self, id: &str, meta: &FileMetadata, text: Option<u64>) {
        if meta.deleted {
            self.files.remove(id);
            return;
        }
        let text = text.or_else(|| self.files.get(id).and_then(|own| own.text));
        let (version, content_version) = (meta.version, meta.content_changed_version);
        self.files.insert(id.to_owned(), Local { version, content_version, path: meta.current_path.clone(), text });
    }

    /// Something new to do, of what there is.
    fn change(&self, shared: &mut Shared, sim: &mut Sim) -> Option<Edit> {
        let own: Vec<(&String, &Local)> = self.files.iter().filter(|(_, local)| local.text.is_some()).collect();
        let path = (*sim.rng.pick(&PATHS)).to_owned();
        let is_free = self.files.values().all(|local| local.path != path);
        if own.is_empty() || (is_free && sim.rng.once_in(3)) {
            return is_free.then(|| self.edit_of(What::New, None, path, shared, sim));
        }
        let (id, local) = *sim.rng.pick(&own);
        let what = *sim.rng.pick(&[What::Write, What::Write, What::Write, What::Rename, What::Delete]);
        let path = if what == What::Rename { path } else { local.path.clone() };
        let is_free = path == local.path || self.files.values().all(|local| local.path != path);
        let moves = what != What::Rename || path != local.path;
        (is_free && moves).then(|| self.edit_of(what, Some((id.clone(), local.clone())), path, shared, sim))
    }

    fn edit_of(&self, what: What, of: Option<(String, Local)>, path: String, shared: &mut Shared, sim: &Sim) -> Edit {
        let over = of.as_ref().and_then(|(_, local)| local.text).unwrap_or(0);
        let number = if matches!(what, What::New | What::Write) {
            shared.texts.write(over, self.is_modern).0
        } else {
            shared.other_number()
        };
        let base = of.as_ref().map_or(0, |(_, local)| local.version);
        let try_us = self.skew_us + sim.now_us() + 1;
        Edit { number, what, id: of.map(|(id, _)| id), path, base, try_us, is_denied: false }
    }

    /// What was refused becomes a visible copy; a name that somebody else changed, or a file that is not deleted after all, stays.
    fn copy(&self, denied: &Edit, shared: &mut Shared, sim: &Sim) -> Option<Edit> {
        if !denied.brings() {
            return None;
        }
        let path = format!("{} (conflict, device {}, {})", denied.path, self.at.client, denied.number);
        shared.copied.insert(denied.number);
        Some(self.edit_of(What::New, None, path, shared, sim))
    }

    /// The server has it.
    pub(super) fn increased(&mut self, files: &[FileMetadata], shared: &mut Shared) {
        let Some(edit) = self.edit.take() else { return };
        let own_hash = edit.brings().then(|| hash(&shared.bytes_of(edit.number)));
        let Some(meta) = files.first() else { return shared.wrong("an increase of nothing") };
        let id = meta.id.clone().unwrap_or_default();
        if let Some(own_hash) = own_hash {
            shared.texts.acknowledge(edit.number, &id);
            let told = meta.hash.as_deref().or(meta.author_hash.as_deref()).and_then(folders::wire::hex_of_bytes);
            // A modern device sees that somebody else's content followed; one of the text believes what it is told.
            if self.is_modern && told.is_some_and(|told| told != own_hash) {
                self.heard.insert(id, meta.clone());
                return;
            }
            return self.install(&id, meta, Some(edit.number));
        }
        let has_content = self.files.get(&id).is_some_and(|own| own.content_version >= meta.content_changed_version);
        if has_content || meta.deleted {
            self.install(&id, meta, None);
        } else {
            self.heard.insert(id, meta.clone());
        }
    }
}

/// The bytes of an edit.
pub(super) fn content(number: u64, over: u64) -> Vec<u8> {
    bytes(number, over)
}
