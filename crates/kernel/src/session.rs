//! Stateful connections (streams, SSE, long polls) as state machines.
//!
//! A session is told events and answers with what to do; it performs nothing itself. The shell in `web` moves events
//! between sockets, timers and the kernel; the simulator drives the same machine without any of them.

use std::collections::BTreeMap;

use base::{OpError, Ran};
use serde::{Deserialize, Serialize};

use crate::request::Caller;
use crate::wake::{Hint, Topic};

/// What a session is told.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionEvent {
    /// The other side sent this.
    Message(Vec<u8>),
    /// A timer that the session set has passed.
    Timer(u64),
    /// An operation that it called, or a query, has ended, with its result as JSON.
    Ended {
        /// The number that the session gave the call.
        call: u64,
        /// The result.
        result: Result<serde_json::Value, OpError>,
    },
    /// Bytes that it had fetched, or why not. Fewer than it wanted: the blob ends there.
    Bytes {
        /// The number that the session gave the call.
        call: u64,
        /// The bytes.
        result: Result<Vec<u8>, OpError>,
    },
    /// Something that it waits for may have changed; wake-ups may come without cause and may be lost.
    Wake,
    /// The same, from a shell that knows what it was.
    News(Watch),
    /// All replies so far are on their way to the other side, which keeps up: more may be sent. Only shells of streams tell this.
    Sent,
    /// The other side is gone; nothing can be sent any more.
    Gone,
    /// The server stops: say good-bye now.
    Stopping,
}

/// What a session wants done.
#[derive(Debug, Clone, PartialEq)]
pub enum Out {
    /// Send this.
    Reply(Vec<u8>),
    /// Tell me [`SessionEvent::Timer`] with this number, so much later; the same number again moves it.
    Timer {
        /// Its number.
        number: u64,
        /// How much later.
        after_ms: u64,
    },
    /// Run an operation and tell me [`SessionEvent::Ended`].
    Call {
        /// A number to know it by.
        call: u64,
        /// Name of the operation.
        op: &'static str,
        /// Its input as JSON.
        input: serde_json::Value,
    },
    /// Run a query and tell me [`SessionEvent::Ended`].
    Read {
        /// A number to know it by, from the same row as those of calls.
        call: u64,
        /// Name of the query.
        query: &'static str,
        /// Its input as JSON.
        input: serde_json::Value,
    },
    /// Keep these bytes as a blob of the namespace, and tell me [`SessionEvent::Ended`] with a [`Kept`] when they are durable.
    Keep {
        /// A number to know it by, from the same row as those of calls.
        call: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Fetch bytes of a blob of the namespace and tell me [`SessionEvent::Bytes`]. They lie within one piece of the blob.
    Fetch {
        /// A number to know it by, from the same row as those of calls.
        call: u64,
        /// SHA-256 of the blob, as hex.
        sha: String,
        /// Its first byte.
        from: u64,
        /// How many at most.
        len: u64,
    },
    /// Tell me [`SessionEvent::Wake`] or [`SessionEvent::News`] from now on, whenever there may be news of this.
    Watch(Watch),
    /// No news of this any more.
    Unwatch(Watch),
    /// End the connection.
    Close,
}

/// The first message of a stream, as JSON: what its call said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// No other connection of any node has this id.
    pub connection: String,
    /// The metadata of the call, without what tells who asks.
    pub metadata: BTreeMap<String, String>,
}

/// Bytes that were kept ([`Out::Keep`]).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Their SHA-256 as hex.
    pub sha: String,
    /// How many there are.
    pub size: u64,
}

/// What a session waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Watch {
    /// New events of the feed.
    Events,
    /// Changes that a service calls out.
    Topic(Topic),
    /// Any operation of this node that committed.
    Commits,
}

impl Watch {
    /// Whether a hint tells of it.
    #[must_use]
    pub fn is_told_by(self, hint: Hint) -> bool {
        match hint {
            Hint::Events => self == Self::Events,
            Hint::Changed(topic) => self == Self::Topic(topic),
            Hint::Tasks { .. } => false,
        }
    }
}

/// A stateful connection.
pub trait Session: Send {
    /// Takes an event, says what to do. Pure: no I/O, no clock but `now`, the time that the process ran: a session ends with
    /// it, so what it measures is never stored nor compared with listening time.
    fn on(&mut self, event: SessionEvent, now: Ran) -> Vec<Out>;
}

/// A kind of session of a service.
pub struct SessionDef {
    /// `service.noun`.
    pub name: &'static str,
    /// A new session for a caller.
    pub open: fn(&Caller, Ran) -> Box<dyn Session>,
}

/// What sessions do alike whose replies are server-sent events.
pub mod events {
    use base::OpError;

    use super::Out;

    /// A connection that says nothing for longer is taken for dead by proxies.
    const BEAT_MS: u64 = 15_000;
    /// After a read that failed.
    pub const LATER_MS: u64 = 1_000;

    /// The timer of heartbeats.
    pub const BEAT: u64 = 0;
    /// The timer of another look.
    pub const AGAIN: u64 = 1;

    /// The next heartbeat.
    #[must_use]
    pub fn beat_timer() -> Out {
        Out::Timer { number: BEAT, after_ms: BEAT_MS }
    }

    /// Says good-bye.
    #[must_use]
    pub fn stopping() -> Vec<Out> {
        vec![Out::Reply(b": the server stops\n\n".to_vec()), Out::Close]
    }

    /// A refusal is final and told; what passes by itself is tried again.
    #[must_use]
    pub fn failed(error: &OpError) -> Vec<Out> {
        if matches!(error.code.letter(), 'X' | 'T') {
            return vec![Out::Timer { number: AGAIN, after_ms: LATER_MS }];
        }
        let data = serde_json::to_string(error).unwrap_or_default();
        vec![Out::Reply(format!("event: error\ndata: {data}\n\n").into_bytes()), Out::Close]
    }
}
