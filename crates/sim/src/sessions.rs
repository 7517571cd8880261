//! Drives sessions (`kernel::Session`) as the server's shell would: messages, timers and results go in, replies, timers and
//! calls come out. All of it is gone when the process ends.

use std::collections::BTreeMap;

use base::Ran;
use kernel::{Caller, Out, SessionDef, SessionEvent};

use crate::sim::{Asker, Event, News, Sim};

struct Open {
    session: Box<dyn kernel::Session>,
    asker: Asker,
    /// Number of the setting that counts, by timer: setting a timer again moves it.
    timers: BTreeMap<u64, u64>,
    /// Wants to hear of new events.
    watches: bool,
    /// Has bytes kept and fetched: it is a stream, and hears that what it sent is gone.
    moves_bytes: bool,
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
        let now = self.ran_now();
        let Some(sessions) = self.sessions() else { return self.tell(asker, News::Cut) };
        let session = (def.open)(&Caller::server(&format!("client{}", asker.client)), now);
        sessions
            .open
            .insert(asker.token, Open { session, asker, timers: BTreeMap::new(), watches: false, moves_bytes: false, last_reply_us: 0 });
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
            Out::Call { call, op, input } => self.call_by_name(asker, call, op, input),
            Out::Read { call, query, input } => self.read_by_name(asker, call, query, input),
            Out::Watch(_) => self.watch(asker.token),
            // It may be woken without cause, which it must bear anyway.
            Out::Unwatch(_) => {}
            Out::Keep { call, bytes } => {
                self.moves_bytes(asker.token);
                self.keep_bytes(asker, call, bytes);
            }
            Out::Fetch { call, sha, from, len } => {
                self.moves_bytes(asker.token);
                self.fetch_bytes(asker, call, &sha, (from, len));
            }
            Out::Close => self.disconnect(asker.token),
        }
    }

    fn reply(&mut self, asker: Asker, bytes: Vec<u8>) {
        let drawn_us = self.now_us() + self.rng.within(100, 50_000);
        let now_us = self.now_us();
        let Some(open) = self.sessions().and_then(|sessions| sessions.open.get_mut(&asker.token)) else { return };
        open.last_reply_us = open.last_reply_us.max(drawn_us);
        let (delay_us, is_stream) = (open.last_reply_us - now_us, open.moves_bytes);
        self.after(delay_us, Event::Tell(asker, News::Message(bytes)));
        if is_stream {
            self.after(delay_us, Event::Session(self.life(), asker.token, SessionEvent::Sent));
        }
    }

    fn watch(&mut self, connection: u64) {
        let open = self.sessions().and_then(|sessions| sessions.open.get_mut(&connection));
        open.into_iter().for_each(|open| open.watches = true);
    }

    fn moves_bytes(&mut self, connection: u64) {
        let open = self.sessions().and_then(|sessions| sessions.open.get_mut(&connection));
        open.into_iter().for_each(|open| open.moves_bytes = true);
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
