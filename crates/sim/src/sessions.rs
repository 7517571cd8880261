//! Drives sessions (`kernel::Session`) as the server's shell would: messages, timers and results go in, replies, timers and
//! calls come out. All of it is gone when the process ends.

use std::collections::{BTreeMap, BTreeSet};

use base::{Call, Heard, OpError, OpResult, Ran, Sha, codes};
use kernel::blobs::{perform, read_bytes, read_call};
use kernel::{Caller, Kept, Opening, Out, SessionDef, SessionEvent, Topic, Watch};

use crate::sim::{Asker, Event, News, Sim};

struct Open {
    session: Box<dyn kernel::Session>,
    asker: Asker,
    /// Number of the setting that counts, by timer: setting a timer again moves it.
    timers: BTreeMap<u64, u64>,
    /// Wants to hear of new events.
    watches: bool,
    /// Wants to hear of these.
    topics: BTreeSet<Topic>,
    /// It is a stream: it begins with what its call said, hears when all is sent, and its calls are not repeated over connections.
    streams: bool,
    /// When the last reply reaches the client: a connection keeps the order of what is sent on it.
    last_reply_us: u64,
}

/// The open sessions of one life.
#[derive(Default)]
pub struct Sessions {
    open: BTreeMap<u64, Open>,
    settings: u64,
}

impl Sim {
    /// A client connects; `asker.token` names the connection.
    pub fn connect(&mut self, asker: Asker, def: &'static SessionDef) {
        self.open_session(asker, def, false);
    }

    /// A client opens a stream with this metadata; `asker.token` names the connection.
    pub fn stream(&mut self, asker: Asker, def: &'static SessionDef, metadata: &[(&str, &str)]) {
        self.open_session(asker, def, true);
        let metadata = metadata.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let opening = Opening { connection: format!("connection {}", asker.token), metadata };
        let opening = serde_json::to_vec(&opening).expect("an opening is JSON");
        self.session(asker.token, SessionEvent::Message(opening));
    }

    fn open_session(&mut self, asker: Asker, def: &'static SessionDef, streams: bool) {
        let now = self.ran_now();
        let Some(sessions) = self.sessions() else { return self.tell(asker, News::Cut) };
        let session = (def.open)(&Caller::server(&format!("client{}", asker.client)), now);
        let (timers, topics) = (BTreeMap::new(), BTreeSet::new());
        let open = Open { session, asker, timers, watches: false, topics, streams, last_reply_us: 0 };
        sessions.open.insert(asker.token, open);
    }

    /// Something happens to a session; what it wants is done.
    pub fn session(&mut self, connection: u64, event: SessionEvent) {
        let now = self.ran_now();
        let Some(open) = self.sessions().and_then(|sessions| sessions.open.get_mut(&connection)) else { return };
        let asker = open.asker;
        for out in open.session.on(event, now) {
            self.perform(asker, out);
        }
    }

    /// A timer of a session passes, if it was not moved since.
    pub fn session_timer(&mut self, connection: u64, number: u64, setting: u64) {
        let open = self.sessions().and_then(|sessions| sessions.open.get_mut(&connection));
        if open.is_some_and(|open| open.timers.get(&number) == Some(&setting)) {
            self.session(connection, SessionEvent::Timer(number));
        }
    }

    /// The connection breaks: both sides learn of it, each in its time.
    pub fn disconnect(&mut self, connection: u64) {
        self.session(connection, SessionEvent::Gone);
        if let Some(open) = self.sessions().and_then(|sessions| sessions.open.remove(&connection)) {
            self.tell(open.asker, News::Cut);
        }
    }

    fn perform(&mut self, asker: Asker, out: Out) {
        match out {
            Out::Reply(bytes) => self.reply(asker, bytes),
            Out::Timer { number, after_ms } => self.set_timer(asker.token, number, after_ms),
            Out::Call { call, op, input } => {
                let streams = self.is_stream(asker.token);
                self.call_by_name(asker, call, op, input, !streams);
            }
            Out::Read { call, query, input } => self.read_by_name(asker, call, query, input),
            Out::Keep { call, bytes } => self.keep(asker, call, &bytes),
            Out::Fetch { call, sha, from, len } => self.fetch(asker.token, call, &sha, (from, len)),
            Out::Watch(what) => self.watch(asker.token, what),
            Out::Unwatch(what) => self.unwatch(asker.token, what),
            Out::Close => self.disconnect(asker.token),
        }
    }

    fn reply(&mut self, asker: Asker, bytes: Vec<u8>) {
        let drawn_us = self.now_us() + self.rng.within(100, 50_000);
        let now_us = self.now_us();
        let Some(open) = self.sessions().and_then(|sessions| sessions.open.get_mut(&asker.token)) else { return };
        open.last_reply_us = open.last_reply_us.max(drawn_us);
        let (delay_us, streams) = (open.last_reply_us - now_us, open.streams);
        self.after(delay_us, Event::Tell(asker, News::Message(bytes)));
        if streams {
            self.after(delay_us, Event::Session(self.life(), asker.token, SessionEvent::Sent));
        }
    }

    fn is_stream(&mut self, connection: u64) -> bool {
        self.sessions().and_then(|sessions| sessions.open.get(&connection)).is_some_and(|open| open.streams)
    }

    /// Bytes are durable at once; their row is an operation like any other.
    fn keep(&mut self, asker: Asker, call: u64, bytes: &[u8]) {
        let Some(now) = self.listening_ms() else { return };
        let stored = match self.depot.keep(bytes, Heard(now)) {
            Ok(stored) => stored,
            Err(error) => return self.end_call(asker.token, call, Err(error)),
        };
        let kept = Kept { sha: stored.name.sha.to_string(), size: bytes.len() as u64 };
        self.put_blob(asker, call, stored, kept);
    }

    fn fetch(&mut self, connection: u64, call: u64, sha: &str, (from, len): (u64, u64)) {
        let result = self.bytes_of(sha, from, len);
        let delay_us = self.rng.within(100, 20_000);
        self.after(delay_us, Event::Session(self.life(), connection, SessionEvent::Bytes { call, result }));
    }

    fn bytes_of(&self, sha: &str, from: u64, len: u64) -> OpResult<Vec<u8>> {
        let wrong = |text: String| OpError::new(codes::XSTORE, text);
        let sha: Sha = sha.parse().map_err(|_| wrong(format!("`{sha}` is no digest")))?;
        let found = self.look(|tx| Ok(read_call(tx, sha, from..from + len)));
        let found =
            found.ok_or_else(|| wrong("the server is down".into()))?.map_err(|error| wrong(error.to_string()))?;
        match found? {
            Call::Work(work) => read_bytes(&perform(self.depot.blobs(), &work)).map(|(_, bytes)| bytes),
            other => Err(wrong(format!("{other:?} reads nothing"))),
        }
    }

    fn end_call(&mut self, connection: u64, call: u64, result: OpResult<serde_json::Value>) {
        self.after(10, Event::Session(self.life(), connection, SessionEvent::Ended { call, result }));
    }

    fn watch(&mut self, connection: u64, what: Watch) {
        let Some(open) = self.sessions().and_then(|sessions| sessions.open.get_mut(&connection)) else { return };
        match what {
            Watch::Topic(topic) if open.streams => drop(open.topics.insert(topic)),
            Watch::Topic(_) | Watch::Events | Watch::Commits => open.watches = true,
        }
    }

    fn unwatch(&mut self, connection: u64, what: Watch) {
        let Some(open) = self.sessions().and_then(|sessions| sessions.open.get_mut(&connection)) else { return };
        match what {
            Watch::Topic(topic) => drop(open.topics.remove(&topic)),
            Watch::Events | Watch::Commits => open.watches = false,
        }
    }

    /// Something of a topic changed: streams that watch it are told, late, twice or not at all.
    pub fn tell_topic(&mut self, topic: Topic) {
        let watching = self.sessions().map(|sessions| sessions.open.iter());
        let watching = watching.into_iter().flatten().filter(|(_, open)| open.topics.contains(&topic));
        let watching: Vec<u64> = watching.map(|(connection, _)| *connection).collect();
        for connection in watching {
            let copies = if self.rng.once_in(self.faults.wake) { self.rng.below(3) } else { 1 };
            for _ in 0..copies {
                let late_us = if self.rng.once_in(self.faults.wake) { self.rng.below(10_000_000) } else { 100 };
                let news = SessionEvent::News(Watch::Topic(topic));
                self.after(late_us, Event::Session(self.life(), connection, news));
            }
        }
    }

    /// There may be new events: sessions that watch are woken, late, twice or not at all.
    pub fn wake_sessions(&mut self) {
        let watching = self.sessions().map(|sessions| sessions.open.iter().filter(|(_, open)| open.watches));
        let watching: Vec<u64> = watching.into_iter().flatten().map(|(connection, _)| *connection).collect();
        for connection in watching {
            let copies = if self.rng.once_in(self.faults.wake) { self.rng.below(3) } else { 1 };
            for _ in 0..copies {
                let late_us = if self.rng.once_in(self.faults.wake) { self.rng.below(10_000_000) } else { 100 };
                self.after(late_us, Event::Session(self.life(), connection, SessionEvent::Wake));
            }
        }
    }

    fn set_timer(&mut self, connection: u64, number: u64, after_ms: u64) {
        let Some(sessions) = self.sessions() else { return };
        sessions.settings += 1;
        let setting = sessions.settings;
        if let Some(open) = sessions.open.get_mut(&connection) {
            open.timers.insert(number, setting);
        }
        // Late or doubled, never early: a session must bear both.
        let late_ms = if self.rng.once_in(self.faults.wake) { self.rng.below(10_000) } else { 0 };
        let copies = if self.rng.once_in(self.faults.wake) { 2 } else { 1 };
        for _ in 0..copies {
            self.after((after_ms + late_ms) * 1000, Event::SessionTimer(self.life(), connection, number, setting));
        }
    }

    fn ran_now(&self) -> Ran {
        Ran(base::Clock::ran_ms(&self.clock))
    }
}
