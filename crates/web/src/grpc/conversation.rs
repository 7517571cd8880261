//! One call: a session between a client's messages and its answers, as a task of its own.
//!
//! The client's side of HTTP/2 is read only while little is under way for it and it takes what it is sent; so whatever a
//! client does, it costs us a bounded number of bytes. Timers, wake-ups and ends of calls go on meanwhile.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use http_body_util::BodyExt;
use kernel::{Out, Session, SessionDef, SessionEvent, Topic, Watch};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::Instant;

use super::body::Piece;
use super::bytes::BytesPlace;
use super::frames::{Frames, framed};
use super::keeper::{Keeper, SMALL_BYTES};
use super::status::Status;
use crate::app::Shared;
use crate::auth::{Visitor, may_stay, should_move};
use crate::body::hold;
use crate::calls::Calls;
use crate::live::LivePlace;
use crate::shutdown::Shutdown;
use crate::sse::{CHECK_EVERY, passed};
use crate::wait::{now, pause};

/// Calls of one client that are under way before it is read again.
const CALLS_MAX: usize = 256;
/// Bytes of one client that are being kept before it is read again.
const KEPT_MAX: usize = 8 << 20;
/// Bytes that wait for a client before it is read again.
const OUTBOX_MAX: usize = 8 << 20;
/// A message that takes longer than this to come whole takes a part of the memory that all bodies share.
const FREE_BYTES: usize = 64 << 10;

pub(super) struct Conversation {
    calls: Calls,
    session: Box<dyn Session>,
    place: BytesPlace,
    /// Since the first small content.
    keeper: Option<Keeper>,
    shared: Shared,
    shutdown: Shutdown,
    /// With the key.
    headers: HeaderMap,
    body: Body,
    /// The client says no more.
    is_heard: bool,
    frames: Frames,
    memory: Option<OwnedSemaphorePermit>,
    outbox: VecDeque<Bytes>,
    outbox_bytes: usize,
    to: mpsc::Sender<Piece>,
    timers: BTreeMap<u64, Instant>,
    watched: BTreeSet<Watch>,
    news: Option<broadcast::Receiver<Topic>>,
    /// Calls under way, with the bytes that each holds.
    under_way: BTreeMap<u64, usize>,
    stopping: bool,
    /// How it ends, when it does.
    end: Option<Status>,
    check_at: Instant,
    _live: LivePlace,
}

/// What happened.
enum Heard {
    Session(SessionEvent),
    Data(Bytes),
    /// The client sends no more, but listens.
    HalfClosed,
    /// The client is gone.
    Gone,
    /// A place for the next piece.
    Room,
    /// It is time to look the key up again.
    Check,
    /// Nothing for us.
    Nothing,
}

impl Conversation {
    pub(super) fn new(
        shared: &Shared,
        visitor: &Visitor,
        def: &SessionDef,
        (headers, body): (HeaderMap, Body),
        to: mpsc::Sender<Piece>,
        live: LivePlace,
    ) -> Self {
        let calls = Calls::new(shared.kernel(), &visitor.ns, &visitor.caller);
        let place = BytesPlace {
            kernel: shared.kernel().clone(),
            ns: visitor.ns.clone(),
            caller: visitor.caller.clone(),
            places: shared.config().blobs.clone(),
            blob_max: shared.config().blob_max,
        };
        Self {
            session: (def.open)(&visitor.caller, calls.now()),
            calls,
            place,
            keeper: None,
            shutdown: shared.config().shutdown.clone(),
            shared: shared.clone(),
            headers,
            body,
            is_heard: false,
            frames: Frames::default(),
            memory: None,
            outbox: VecDeque::new(),
            outbox_bytes: 0,
            to,
            timers: BTreeMap::new(),
            watched: BTreeSet::new(),
            news: None,
            under_way: BTreeMap::new(),
            stopping: false,
            end: None,
            check_at: now() + CHECK_EVERY,
            _live: live,
        }
    }

    /// Converses until either side ends it. The session learns of the end in every case.
    pub(super) async fn run(mut self) {
        while !self.is_over() {
            match self.heard().await {
                Heard::Session(event) => self.tell(event),
                Heard::Data(bytes) => self.read(&bytes),
                Heard::HalfClosed => self.said_all(),
                Heard::Gone => break,
                Heard::Room => self.send(),
                Heard::Check => self.check().await,
                Heard::Nothing => {}
            }
        }
        self.tell(SessionEvent::Gone);
        let end = self.end.take().unwrap_or_else(Status::ok);
        // Whoever is gone does not take it.
        let _ = self.to.send(Piece::End(end)).await;
        // What was called for the client still ends, and may have to be given back.
        while !self.under_way.is_empty() {
            let end = self.calls.ended().await;
            self.tell(end);
        }
    }

    /// All is said: the session closed, or the client said its last and has all answers.
    fn is_over(&self) -> bool {
        let is_cut = self.end.is_some() && !self.stopping;
        let is_answered = (self.is_heard || self.end.is_some()) && self.under_way.is_empty();
        self.outbox.is_empty() && (is_cut || is_answered)
    }

    pub(super) fn tell(&mut self, event: SessionEvent) {
        if let SessionEvent::Ended { call, .. } | SessionEvent::Bytes { call, .. } = &event {
            self.under_way.remove(call);
        }
        for out in self.session.on(event, self.calls.now()) {
            self.perform(out);
        }
    }

    async fn heard(&mut self) -> Heard {
        let due = self.timers.iter().min_by_key(|(_, at)| **at).map(|(number, at)| (*number, *at));
        let may_read = self.may_read();
        tokio::select! {
            biased;
            () = self.to.closed() => Heard::Gone,
            () = self.shutdown.begun(), if !self.stopping => {
                self.stopping = true;
                self.end.get_or_insert(Status::unavailable("the server stops"));
                Heard::Session(SessionEvent::Stopping)
            }
            end = self.calls.ended() => Heard::Session(end),
            number = passed(due) => {
                self.timers.remove(&number);
                Heard::Session(SessionEvent::Timer(number))
            }
            room = self.to.reserve(), if !self.outbox.is_empty() => {
                drop(room);
                Heard::Room
            }
            event = news(&mut self.news, &self.watched) => event.map_or(Heard::Nothing, Heard::Session),
            frame = self.body.frame(), if may_read => match frame {
                Some(Ok(frame)) => frame.into_data().map_or(Heard::Nothing, Heard::Data),
                Some(Err(_)) => Heard::Gone,
                None => Heard::HalfClosed,
            },
            () = pause(self.check_at.saturating_duration_since(now())) => Heard::Check,
        }
    }

    fn may_read(&self) -> bool {
        let kept: usize = self.under_way.values().sum();
        let is_open = !self.is_heard && self.end.is_none();
        is_open && self.under_way.len() < CALLS_MAX && kept < KEPT_MAX && self.outbox_bytes < OUTBOX_MAX
    }

    /// Nothing more comes. Half a message at the end is no good end: its sender would take what it said for heard.
    fn said_all(&mut self) {
        self.is_heard = true;
        if self.frames.waiting() > 0 {
            self.end.get_or_insert(Status::broken_off());
        }
    }

    /// Bytes came: whole messages go to the session.
    fn read(&mut self, bytes: &[u8]) {
        self.frames.add(bytes);
        loop {
            match self.frames.next() {
                Ok(Some(message)) => self.tell(SessionEvent::Message(message)),
                Ok(None) => break,
                Err(status) => return self.end = Some(status),
            }
        }
        self.hold_memory();
    }

    /// Large messages that are on their way share the memory of all bodies.
    fn hold_memory(&mut self) {
        if self.frames.waiting() <= FREE_BYTES {
            self.memory = None;
        } else if self.memory.is_none()
            && hold(&mut self.memory, super::frames::MESSAGE_MAX, self.shared.body_memory()).is_err()
        {
            self.end = Some(Status::unavailable("too many messages are being read"));
        }
    }

    fn send(&mut self) {
        let Some(bytes) = self.outbox.pop_front() else { return };
        self.outbox_bytes -= bytes.len();
        // There is room, and only this task sends.
        if self.to.try_send(Piece::Message(bytes)).is_ok() && self.outbox.is_empty() {
            self.tell(SessionEvent::Sent);
        }
    }

    async fn check(&mut self) {
        self.check_at = now() + CHECK_EVERY;
        if should_move(&self.shared, &self.calls.ns) {
            self.end = Some(Status::unavailable("this node does not reach the store, another may"));
        } else if !may_stay(&self.shared, (&self.calls.ns, &self.calls.caller), &self.headers).await {
            self.end = Some(Status::revoked());
        }
    }

    fn perform(&mut self, out: Out) {
        match out {
            Out::Reply(message) => {
                let bytes = framed(&message);
                self.outbox_bytes += bytes.len();
                self.outbox.push_back(bytes);
            }
            Out::Timer { number, after_ms } => {
                self.timers.insert(number, now() + Duration::from_millis(after_ms));
            }
            Out::Call { call, op, input } => {
                self.under_way.insert(call, 0);
                self.calls.call(call, op, input);
            }
            Out::Read { call, query, input } => {
                self.under_way.insert(call, 0);
                self.calls.read(call, query, input);
            }
            Out::Keep { call, bytes } => self.keep(call, bytes),
            Out::Fetch { call, sha, from, len } => self.fetch(call, sha, from, len),
            Out::Watch(what) => {
                self.watched.insert(what);
                let live = self.shared.live();
                self.news.get_or_insert_with(|| live.topics(&self.calls.ns));
            }
            Out::Unwatch(what) => drop(self.watched.remove(&what)),
            Out::Close => drop(self.end.get_or_insert_with(Status::ok)),
        }
    }

    fn keep(&mut self, call: u64, bytes: Vec<u8>) {
        self.under_way.insert(call, bytes.len());
        let (end, place) = (self.calls.end(call), self.place.clone());
        if bytes.len() < SMALL_BYTES {
            return self.keeper.get_or_insert_with(|| Keeper::new(&place)).keep(bytes, end);
        }
        tokio::spawn(async move {
            let kept = place.keep(bytes).await;
            end(kept.map(|kept| serde_json::to_value(kept).unwrap_or_default()));
        });
    }

    fn fetch(&mut self, call: u64, sha: String, from: u64, len: u64) {
        self.under_way.insert(call, 0);
        let (to, place) = (self.calls.told(), self.place.clone());
        tokio::spawn(async move {
            let result = place.fetch(sha, from, len).await;
            drop(to.send(SessionEvent::Bytes { call, result }));
        });
    }
}

/// The next thing that is watched; what was missed may have been any.
async fn news(news: &mut Option<broadcast::Receiver<Topic>>, watched: &BTreeSet<Watch>) -> Option<SessionEvent> {
    let heard = match news {
        Some(news) => news.recv().await,
        None => std::future::pending().await,
    };
    match heard {
        Ok(topic) => Some(Watch::Topic(topic)).filter(|what| watched.contains(what)).map(SessionEvent::News),
        Err(RecvError::Lagged(_)) => Some(SessionEvent::Wake),
        // The namespace was taken away: nobody tells any more, and the next check ends the stream.
        Err(RecvError::Closed) => {
            *news = None;
            None
        }
    }
}
