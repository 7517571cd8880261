//! Stateful connections (streams, SSE, long polls) as state machines.
//!
//! A session is told events and answers with what to do; it performs nothing itself. The shell in `web` moves events
//! between sockets, timers and the kernel; the simulator drives the same machine without any of them.

use base::{OpError, Ran};

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
    /// Something that it waits for may have changed; wake-ups may come without cause and may be lost.
    Wake,
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
    /// Tell me [`SessionEvent::Wake`] from now on, whenever there may be news of this.
    Watch(Watch),
    /// End the connection.
    Close,
}

/// What a session waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Watch {
    /// New events of the feed.
    Events,
    /// Changes that a service calls out.
    Topic(Topic),
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
