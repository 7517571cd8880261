//! The daemon itself: a machine that is given events and says what is to be sent. No clock, no chance of its own, no threads: time comes with
//! the events, chance from its seed. The program (`run`) and the simulator drive it.
//!
//! - `look`: what lies on this disk; `aside`: what changed is set aside; `carry`: steps of a plan on this disk; `guard`: large removals wait;
//! - `hear`: what the server says; `upload`, `download`: one group of files each way at a time; `large`: contents by their chunks;
//! - `told`: versions as the server tells them.
//!
//! A plan may always be out of date: every step is checked against this disk right before it is made, every change against its base by the
//! server. So whatever happens between two looks, the next plan goes on from what is there.

mod aside;
mod carry;
mod download;
mod guard;
mod hear;
mod large;
mod look;
mod start;
mod told;
mod tries;
mod upload;
mod work;

use std::collections::{BTreeMap, BTreeSet};

use synxpo::names::Policy;
use synxpo::wire::client_message::Message;
use synxpo::wire::{ClientMessage, ServerMessage};

use crate::disk::Disk;
use crate::ignore::Ignores;
use crate::model::{FileId, LocalTree};
use crate::state::{LogLine, State, StateError};

/// [`Settings::large_bytes`] where nobody says otherwise: below it a content is few chunks, and asking which are missing costs more than it saves.
pub const LARGE_BYTES: u64 = 1 << 20;

/// Which folder is kept in step with which directory.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The directory of the server.
    pub directory: String,
    /// The name of this device, for people.
    pub device: String,
    /// Who this daemon is, on whatever connection: chosen once and kept.
    pub client_id: String,
    /// How the directory compares names.
    pub policy: Policy,
    /// Symbolic links are kept in step.
    pub links: bool,
    /// The link that the marker at the root names.
    pub link: String,
    /// Larger contents travel alone, by their chunks: only what the other side lacks.
    pub large_bytes: u64,
    /// All of the folder is looked at so often, whatever the watcher says.
    pub rescan_ms: u64,
}

/// The moment of an event.
#[derive(Debug, Clone, Copy, Default)]
pub struct Now {
    /// Milliseconds that passed, of no calendar.
    pub ran_ms: u64,
    /// The calendar, in microseconds since 1970.
    pub wall_us: i64,
}

/// What happened.
#[derive(Debug)]
pub enum Event {
    /// A connection is there; nothing was said on it.
    Opened,
    /// It is gone.
    Closed,
    /// The server said something.
    Heard(Box<ServerMessage>),
    /// Something changed in these folders of this disk.
    Changed(Vec<String>),
    /// Something changed somewhere on this disk.
    ChangedSomewhere,
    /// Time passed.
    Woke,
}

/// What is to be done.
#[derive(Debug, Default)]
pub struct Out {
    /// To be sent, in this order.
    pub say: Vec<ClientMessage>,
    /// The connection is of no use any more.
    pub close: bool,
}

/// What the daemon is at, for people.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Report {
    /// Connected, and all versions are known.
    pub connected: bool,
    /// Files of the directory.
    pub files: u64,
    /// Files that are still to be sent, and fetched.
    pub to_send: u64,
    /// See `to_send`.
    pub to_fetch: u64,
    /// Files that wait until they are quiet, or until somebody else is done.
    pub waiting: u64,
    /// Removals that wait for a word of a person: how many here, how many there.
    pub held: Option<(u64, u64)>,
    /// What is wrong, for people.
    pub trouble: Option<String>,
}

/// How far the connection is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    Off,
    Subscribing(String),
    Listing(String),
    On,
}

/// Keeps one folder in step.
pub struct Agent<D> {
    pub(crate) disk: D,
    pub(crate) state: State,
    settings: Settings,
    now: Now,
    phase: Phase,
    /// The first message of a connection says who we are.
    is_introduced: bool,
    requests: u64,
    chance: u64,
    /// What lies on this disk, as it was last looked at.
    local: LocalTree,
    ignores: Ignores,
    /// Ignore files, by their folders.
    ignore_texts: BTreeMap<String, String>,
    /// Paths that are not kept in step (ignored, unreadable, no files): what was synced there stays as it was.
    frozen: BTreeMap<String, String>,
    /// Folders that are to be looked at.
    dirty: BTreeSet<String>,
    look_everywhere: bool,
    look_at: u64,
    rescan_at: u64,
    /// Something changed since the last plan.
    is_stale: bool,
    /// Files that change again and again.
    heat: BTreeMap<String, aside::Heat>,
    /// Files that could not be set aside: until when they are not tried again.
    unread: BTreeMap<String, upload::Wait>,
    /// Large files of which all bytes are set aside next time: the server has less of them than was thought.
    wholes: BTreeSet<String>,
    /// What the last plan asks for besides what is on its way: it holds as long as nothing else changes, and saves a plan for each group.
    rest: Vec<crate::plan::Ask>,
    /// Files that were removed lately; none: what the daemon before this one kept is not read yet.
    removed: Option<guard::Lately>,
    upload: Option<upload::Upload>,
    download: Option<download::Download>,
    /// Files that go together: fewer after a group that failed.
    group_files: usize,
    /// What the server does not take now: until when it is not asked for.
    waits: BTreeMap<String, upload::Wait>,
    /// Fetches that came to nothing: until when they are not tried again.
    rests: BTreeMap<FileId, upload::Wait>,
    /// Something is to happen then.
    wakes: BTreeSet<u64>,
    /// Another plan may find more to do then.
    plans: BTreeSet<u64>,
    heard_at: u64,
    /// The last thing that was said.
    asked_at: u64,
    /// The last piece of a download.
    piece_at: u64,
    report: Report,
    /// The disk refuses: nothing is done until then.
    sick_until: u64,
    sick_tries: u32,
    /// Paths at which a step could not be made: until when they are left out of plans.
    stuck: BTreeMap<String, upload::Wait>,
    /// The marker was seen, and is believed until then.
    marked_until: u64,
    wishes_at: u64,
    publish_at: u64,
    prune_at: u64,
    /// Steps were logged that may not all have been made.
    has_intents: bool,
    /// Stages that nothing needs, once the state that named them is saved.
    unused_stages: Vec<crate::disk::Stage>,
    /// Something was done to the disk that is not durable yet.
    has_unsettled: bool,
    /// All pieces of a download came.
    is_come: bool,
    /// What the server refuses, for people.
    refusal: Option<String>,
    reconnect_in_ms: u64,
    out: Out,
}

/// Nothing was heard for so long though something is awaited: another connection is better.
const PATIENCE_MS: u64 = 70_000;

impl<D: Disk> Agent<D> {
    /// Something happened.
    ///
    /// # Errors
    /// The state cannot be written: the daemon ends, and goes on from what was saved when it is started again.
    pub fn on(&mut self, event: Event, now: Now) -> Result<Out, StateError> {
        self.now = now;
        match event {
            Event::Opened => self.opened(),
            Event::Closed => self.closed(),
            Event::Heard(message) => self.hear(*message),
            Event::Changed(folders) => self.changed(folders),
            Event::ChangedSomewhere => self.look_everywhere = true,
            Event::Woke => {}
        }
        self.wakes.retain(|at| *at > now.ran_ms);
        let due = self.plans.len();
        self.plans.retain(|at| *at > now.ran_ms);
        self.is_stale |= self.plans.len() < due;
        self.lose_patience();
        self.work()?;
        Ok(std::mem::take(&mut self.out))
    }

    /// There is room for more to be sent: the next pieces of what is on its way. Empty: nothing more for now.
    ///
    /// # Errors
    /// The state cannot be written.
    pub fn more(&mut self, now: Now) -> Result<Out, StateError> {
        self.now = now;
        self.next_pieces();
        Ok(std::mem::take(&mut self.out))
    }

    /// When it wants to be woken.
    #[must_use]
    pub fn wake_at(&self) -> Option<u64> {
        self.wakes.first().copied()
    }

    /// What it is at.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// How long a new connection should wait, beyond what whoever connects waits anyway; asked for once per connection.
    pub fn take_pause_ms(&mut self) -> u64 {
        std::mem::take(&mut self.reconnect_in_ms)
    }

    /// The state, for people and tests.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The disk, for tests.
    pub fn disk(&mut self) -> &mut D {
        &mut self.disk
    }

    /// The disk as it is.
    #[must_use]
    pub fn disk_now(&self) -> &D {
        &self.disk
    }

    /// Ends it; what was not saved is lost, as in a crash.
    #[must_use]
    pub fn into_parts(self) -> (D, State) {
        (self.disk, self.state)
    }

    /// Nothing is on its way and nothing is to be done.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let is_quiet = self.phase == Phase::On && self.upload.is_none() && self.download.is_none();
        let is_known = !self.is_stale && !self.look_everywhere && self.dirty.is_empty();
        is_quiet && is_known && self.report.to_send + self.report.to_fetch + self.report.waiting == 0
    }

    fn wake_in(&mut self, after_ms: u64) {
        self.wakes.insert(self.now.ran_ms + after_ms);
    }

    fn plan_at(&mut self, at_ms: u64) {
        self.wakes.insert(at_ms);
        self.plans.insert(at_ms);
    }

    /// Sends a message; the name by which its answer is known.
    fn say(&mut self, message: Message) -> String {
        self.requests += 1;
        let request = self.requests.to_string();
        self.say_as(&request, message);
        request
    }

    fn say_as(&mut self, request: &str, message: Message) {
        let is_first = !std::mem::replace(&mut self.is_introduced, true);
        self.asked_at = self.now.ran_ms;
        self.out.say.push(ClientMessage {
            request_id: Some(request.to_owned()),
            message: Some(message),
            client_id: is_first.then(|| self.settings.client_id.clone()),
            device: is_first.then(|| self.settings.device.clone()),
        });
    }

    /// A number below `below`; the same seed gives the same ones.
    fn chance(&mut self, below: u64) -> u64 {
        // SplitMix64: enough to spread what would otherwise happen at once.
        self.chance = self.chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.chance;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below.max(1)
    }

    fn tell(&mut self, what: &str, path: &str, text: &str) {
        let line =
            LogLine { at_us: self.now.wall_us, what: what.to_owned(), path: path.to_owned(), text: text.to_owned() };
        self.state.log(line);
    }

    fn lose_patience(&mut self) {
        self.give_up_stalled();
        let is_awaited = !matches!(self.phase, Phase::Off | Phase::On)
            || self.download.as_ref().is_some_and(download::Download::is_awaiting)
            || self.upload.as_ref().is_some_and(upload::Upload::is_awaiting);
        let since = self.heard_at.max(self.asked_at) + PATIENCE_MS;
        if is_awaited && self.phase != Phase::Off {
            if self.now.ran_ms >= since {
                self.out.close = true;
                self.closed();
            } else {
                self.wakes.insert(since);
            }
        }
    }
}
