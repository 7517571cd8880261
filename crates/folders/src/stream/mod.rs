//! The stream of one client (FLD-1): messages in, messages out. Pure: a [`kernel::Session`] that calls the operations of the desk by
//! name and knows neither store nor socket.
//!
//! - `answers`: what is sent, and why something is not done;
//! - `directories`: creating, subscribing, what was told, and what changed since;
//! - `versions`: REQUEST_VERSION;
//! - `asking`: ASK_VERSION_INCREASE up to its answer; `known`, `tries`: which version a change was made from;
//! - `upload`, `writing`, `chunks`, `segments`, `ending`: what was allowed to be written, from its first piece to its commit;
//! - `reading`: downloads;
//! - `waiting`: who waits for a file that somebody writes.
//!
//! Invariants: every message with a REQUEST_ID gets an answer with it, and no event has one; whatever ends an upload without its
//! commit releases it; nothing that a client does makes this state grow without bound; all that is under way here is lost
//! with the connection, and nothing of it is missed: seats lapse by themselves, changes are read again from what was told.

mod answers;
mod asking;
mod chunks;
mod directories;
mod ending;
mod known;
mod limits;
mod reading;
mod segments;
mod tries;
mod upload;
mod versions;
mod waiting;
mod writing;

use std::collections::{BTreeMap, BTreeSet};

use base::{OpError, Ran};
use kernel::{Caller, Opening, Out, Role, Session, SessionDef, SessionEvent, Watch};
use prost::Message as _;
use serde::Serialize;
use serde_json::Value;

use crate::form::Who;
use crate::wire::{ClientMessage, client_message::Message};
use answers::Fault;
use directories::Directory;
use reading::Downloads;
use tries::Tries;
use upload::Group;
use versions::Paging;

pub use limits::{CHUNK_MAX, FIRST_WRITE_MS, GAP_MS, SUBSCRIPTIONS_MAX};

/// The stream. Its first message is a [`kernel::Opening`].
pub const STREAM: SessionDef = SessionDef { name: "folders.stream", open: |caller, _| Box::new(Stream::new(caller)) };

/// The one timer: it is set for whatever is due first.
const TICK: u64 = 0;

/// A REQUEST_ID, where there is one.
type RequestId = Option<String>;

/// What the client understands beyond the text.
#[derive(Debug, Clone, Copy, Default)]
struct Caps {
    chunks: bool,
    tree: bool,
    links: bool,
}

impl Caps {
    fn of(opening: &Opening) -> Self {
        let said = opening.metadata.get("synxpo-caps").map_or("", String::as_str);
        let words: BTreeSet<&str> = said.split([',', ' ']).collect();
        Self { chunks: words.contains("chunks"), tree: words.contains("tree"), links: words.contains("links") }
    }

    /// The client knows more than the text.
    fn is_any(self) -> bool {
        self.chunks || self.tree || self.links
    }
}

/// What was called, and what its end is for.
#[derive(Debug)]
enum Call {
    /// `folders.create`.
    Create(RequestId),
    /// `folders.join`.
    Join { request: RequestId, directory: String, known: Option<(u64, Option<String>)> },
    /// `folders.changes`, from this commit on.
    Changes { directory: String, from: u64 },
    /// A page of REQUEST_VERSION.
    Page,
    /// `folders.files`, for those who wait.
    Awaited { directory: String, paths: Vec<(String, String)> },
    /// `folders.ask`.
    Ask { group: u64, part: usize },
    /// `folders.renew`.
    Renew { group: u64 },
    /// `folders.release`: whatever comes of it, the seats lapse.
    Release,
    /// Bytes of a file are kept.
    Keep { group: u64, file: usize, slot: usize },
    /// `folders.missing`, for so many chunks from a place on.
    Missing { request: RequestId, group: u64, file: usize, from: usize, count: usize },
    /// `folders.known`, for so many segments from a place on.
    Known { request: RequestId, group: u64, file: usize, from: usize },
    /// `folders.missing`, for a segment that was listed.
    MissingIn { request: RequestId, group: u64, file: usize, segment: usize },
    /// Bytes of a chunk of a segment are kept.
    KeepIn { group: u64, file: usize, segment: usize, slot: usize },
    /// `folders.segment`.
    Segment { group: u64, file: usize, segment: usize },
    /// `folders.finish`.
    Finish { group: u64, part: usize, upload: String },
    /// `folders.files`, for a download.
    Sought { job: u64 },
    /// `folders.content`.
    Content { job: u64, file: usize },
    /// `folders.segments`.
    Segments { job: u64, file: usize },
    /// Bytes of a download.
    Fetch { job: u64, file: usize, piece: u64 },
}

/// One client's connection.
struct Stream {
    caller: Caller,
    who: Who,
    may_write: bool,
    caps: Caps,
    begun: bool,
    /// Whether a message came: the first one says who the client is.
    is_named: bool,
    is_gone: bool,
    is_stopping: bool,
    calls: u64,
    open: BTreeMap<u64, Call>,
    directories: BTreeMap<String, Directory>,
    tries: Tries,
    groups: BTreeMap<u64, Group>,
    paging: Paging,
    downloads: Downloads,
    /// Bytes that were given to the shell and not yet taken by the client.
    unsent: usize,
    now: u64,
    /// For when the timer is set.
    tick_at: Option<u64>,
    out: Vec<Out>,
}

impl Stream {
    fn new(caller: &Caller) -> Self {
        let (key, is_admin) = (caller.name.clone(), caller.role == Role::Admin);
        Self {
            caller: caller.clone(),
            who: Who {
                client: key.clone(),
                device: caller.bound_to("device").unwrap_or_else(|| key.clone()),
                key,
                is_admin,
            },
            may_write: caller.role != Role::Reader,
            caps: Caps::default(),
            begun: false,
            is_named: false,
            is_gone: false,
            is_stopping: false,
            calls: 0,
            open: BTreeMap::new(),
            directories: BTreeMap::new(),
            tries: Tries::default(),
            groups: BTreeMap::new(),
            paging: Paging::default(),
            downloads: Downloads::default(),
            unsent: 0,
            now: 0,
            tick_at: None,
            out: vec![],
        }
    }
}

impl Session for Stream {
    fn on(&mut self, event: SessionEvent, now: Ran) -> Vec<Out> {
        self.now = now.0;
        match event {
            SessionEvent::Message(bytes) if !self.begun => self.begin(&bytes),
            SessionEvent::Message(bytes) => self.message(&bytes),
            SessionEvent::Timer(_) => self.tick_at = None,
            SessionEvent::Ended { call, result } => self.ended(call, result),
            SessionEvent::Bytes { call, result } => self.fetched(call, result),
            SessionEvent::Wake => self.all_woken(),
            SessionEvent::News(Watch::Topic(topic)) => self.woken(topic),
            SessionEvent::News(Watch::Events | Watch::Commits) => {}
            SessionEvent::Sent => self.unsent = 0,
            SessionEvent::Gone => self.gone(),
            SessionEvent::Stopping => self.is_stopping = true,
        }
        self.go_on();
        std::mem::take(&mut self.out)
    }
}

impl Stream {
    fn begin(&mut self, bytes: &[u8]) {
        self.begun = true;
        let opening = serde_json::from_slice::<Opening>(bytes).ok();
        let Some(opening) = opening.filter(|_| self.caller.may("service", "folders")) else {
            self.fault(&None, Fault::forbidden("the scope of this key binds it to another service"));
            return self.out.push(Out::Close);
        };
        self.caps = Caps::of(&opening);
        self.who.client = opening.connection;
    }

    fn message(&mut self, bytes: &[u8]) {
        let Ok(message) = ClientMessage::decode(bytes) else {
            return self.fault(&None, Fault::invalid("this is no ClientMessage"));
        };
        let request = message.request_id.clone();
        if let Some(Err(fault)) = request.as_ref().map(|id| limits::short_text("REQUEST_ID", id)) {
            return self.fault(&None, fault);
        }
        if let Err(fault) = self.name(&message) {
            return self.fault(&request, fault);
        }
        match message.message {
            Some(Message::DirectoryCreate(create)) => self.create(request, create),
            Some(Message::DirectorySubscribe(subscribe)) => self.subscribe(request, subscribe),
            Some(Message::DirectoryUnsubscribe(unsubscribe)) => self.unsubscribe(request, unsubscribe.directory_id),
            Some(Message::AskVersionIncrease(ask)) => self.ask(request, ask),
            Some(Message::RequestVersion(wanted)) => self.request_version(request, wanted),
            Some(Message::RequestFileContent(wanted)) => self.request_content(request, wanted),
            Some(Message::FileWrite(write)) => self.write(request, write),
            Some(Message::FileWriteEnd(end)) => self.end_writing(request, end),
            Some(Message::FileChunks(list)) => self.list_chunks(request, list),
            None => {
                self.fault(&request, Fault::invalid("a message without content, or one that only newer servers know"))
            }
        }
    }

    /// The first message says who the client is. The key stands before it: nobody poses as a client of another key, or as a device that the
    /// key is not for; whoever tries stays unnamed.
    fn name(&mut self, message: &ClientMessage) -> Result<(), Fault> {
        if self.is_named {
            return Ok(());
        }
        let client = message.client_id.as_ref().map(|client| limits::short_text("CLIENT_ID", client)).transpose()?;
        let device = message.device.as_ref().map(|device| limits::short_text("DEVICE", device)).transpose()?;
        if let Some(device) = device.filter(|device| !self.caller.may("device", device)) {
            return Err(Fault::forbidden(&format!("this key is not for device {device}")));
        }
        self.is_named = true;
        if let Some(client) = client {
            self.who.client = format!("{}/{client}", self.who.key);
        }
        if let Some(device) = device {
            self.who.device = device.to_owned();
        }
        Ok(())
    }

    fn ended(&mut self, number: u64, result: Result<Value, OpError>) {
        match self.open.remove(&number) {
            None | Some(Call::Release) => {}
            Some(Call::Create(request)) => self.created(&request, result),
            Some(Call::Join { request, directory, known }) => self.joined(&request, directory, known, result),
            Some(Call::Changes { directory, from }) => self.changed(&directory, from, result),
            Some(Call::Page) => self.paged(result),
            Some(Call::Awaited { directory, paths }) => self.found_awaited(&directory, &paths, result),
            Some(Call::Ask { group, part }) => self.answered(group, part, result),
            Some(Call::Renew { group }) => self.renewed(group, result),
            Some(Call::Keep { group, file, slot }) => self.kept((group, file), slot, result),
            Some(Call::Missing { request, group, file, from, count }) => {
                self.missing(&request, (group, file), from..from + count, result);
            }
            Some(Call::Known { request, group, file, from }) => self.known(&request, (group, file), from, result),
            Some(Call::MissingIn { request, group, file, segment }) => {
                self.missing_in(&request, (group, file), segment, result);
            }
            Some(Call::KeepIn { group, file, segment, slot }) => self.kept_in((group, file), (segment, slot), result),
            Some(Call::Segment { group, file, segment }) => self.segmented((group, file), segment, result),
            Some(Call::Finish { group, part, upload }) => self.finished((group, part), upload, result),
            Some(Call::Sought { job }) => self.sought(job, result),
            Some(Call::Content { job, file }) => self.listed(job, file, result),
            Some(Call::Segments { job, file }) => self.segments_listed(job, file, result),
            // Its end is bytes.
            Some(Call::Fetch { .. }) => {}
        }
    }

    fn fetched(&mut self, number: u64, result: Result<Vec<u8>, OpError>) {
        if let Some(Call::Fetch { job, file, piece }) = self.open.remove(&number) {
            self.got(job, file, piece, result);
        }
    }

    /// What is due by itself, what can be sent, and when to look again.
    fn go_on(&mut self) {
        if self.is_gone {
            return self.out.retain(|out| matches!(out, Out::Call { .. }));
        }
        if !self.begun {
            return;
        }
        self.look_at_uploads();
        self.look_at_directories();
        if !self.is_stopping {
            self.next_page();
            self.send_downloads();
        }
        self.set_tick();
    }

    fn set_tick(&mut self) {
        let uploads = self.groups.values().filter_map(|group| group.due_at());
        let directories = self.directories.values().filter_map(Directory::due_at);
        let Some(due) = uploads.chain(directories).min() else { return };
        if self.tick_at.is_none_or(|at| due < at) {
            self.tick_at = Some(due);
            self.out.push(Out::Timer { number: TICK, after_ms: due.saturating_sub(self.now).max(1) });
        }
    }

    /// Nothing can be told any more; what was held is given back.
    fn gone(&mut self) {
        self.is_gone = true;
        let groups: Vec<u64> = self.groups.keys().copied().collect();
        groups.into_iter().for_each(|group| self.release(group));
    }

    fn call(&mut self, op: &'static str, input: &impl Serialize, what: Call) {
        let (call, input) = (self.next_call(what), to_json(input));
        self.out.push(Out::Call { call, op, input });
    }

    fn read(&mut self, query: &'static str, input: &impl Serialize, what: Call) {
        let (call, input) = (self.next_call(what), to_json(input));
        self.out.push(Out::Read { call, query, input });
    }

    fn next_call(&mut self, what: Call) -> u64 {
        self.calls += 1;
        self.open.insert(self.calls, what);
        self.calls
    }
}

fn to_json(input: &impl Serialize) -> Value {
    serde_json::to_value(input).unwrap_or_default()
}

/// The result of a call as what it should be.
fn read_as<T: serde::de::DeserializeOwned>(result: Result<Value, OpError>) -> Result<T, Fault> {
    let value = result.map_err(|error| Fault::of(&error))?;
    serde_json::from_value(value).map_err(|error| Fault::internal(&format!("an unexpected result: {error}")))
}
