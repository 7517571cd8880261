//! Server-sent events: the shell around a [`Session`] whose replies are the text of the stream.
//!
//! The stream drives the session: it is asked for more only when the client has taken what was sent, so a slow client holds one
//! reply in memory and no more, wake-ups in a row become one, and a client that takes nothing at all is cut by the edge's
//! write timeout. When the client goes away, hyper drops the stream and with it the session.
//!
//! Deliberately not here: what is sent (the session says), and messages from the client (there are none on such a stream but the
//! first).

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::{CONTENT_TYPE, HeaderName};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use base::{OpError, codes};
use hyper::body::Frame;
use kernel::{Caller, Namespace, Out, Session, SessionDef, SessionEvent};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::api::Api;
use crate::app::Shared;
use crate::auth::{may_stay, should_move};
use crate::calls::Calls;
use crate::error::ApiError;
use crate::live::LivePlace;
use crate::shutdown::Shutdown;
use crate::wait::{now, pause};

/// Media type of such a stream.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";
/// Tells proxies to pass every event on at once.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// How often the key is looked up again: as long as a found key is trusted.
pub(crate) const CHECK_EVERY: Duration = Duration::from_millis(kernel::keys::FRESH_MS);

impl Api {
    /// Answers with a stream of server-sent events that a session writes, after it was given its first message. The key in
    /// `headers`, those of the request, is looked up again and again: the stream ends when it was revoked.
    ///
    /// # Errors
    /// `XBUSY`: the namespace or the key has as many live connections as it may.
    pub fn sse(&self, headers: &HeaderMap, def: &SessionDef, first: Vec<u8>) -> Result<Response, ApiError> {
        let (shared, ns, caller) = (self.shared(), self.namespace(), self.caller());
        let place = shared.live().enter(&ns.name, &caller.name)?;
        let mut shell = Shell::new(shared, ns, caller, def, place);
        shell.headers = headers.clone();
        shell.tell(SessionEvent::Message(first));
        let mut response = Response::new(Body::new(Stream(Box::pin(shell.next()))));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
        response.headers_mut().insert(BUFFERING, HeaderValue::from_static("no"));
        Ok(response)
    }
}

/// One connection.
struct Shell {
    calls: Calls,
    session: Box<dyn Session>,
    shared: Shared,
    shutdown: Shutdown,
    stopping: bool,
    closing: bool,
    outbox: VecDeque<Bytes>,
    timers: BTreeMap<u64, Instant>,
    bell: Option<watch::Receiver<u64>>,
    /// Of the request, with its key.
    headers: HeaderMap,
    check_at: Instant,
    _place: LivePlace,
}

impl Shell {
    fn new(shared: &Shared, ns: &Arc<Namespace>, caller: &Caller, def: &SessionDef, place: LivePlace) -> Self {
        let calls = Calls::new(shared.kernel(), ns, caller);
        Self {
            session: (def.open)(caller, calls.now()),
            calls,
            shutdown: shared.config().shutdown.clone(),
            shared: shared.clone(),
            stopping: false,
            closing: false,
            outbox: VecDeque::new(),
            timers: BTreeMap::new(),
            bell: None,
            headers: HeaderMap::new(),
            check_at: now() + CHECK_EVERY,
            _place: place,
        }
    }

    /// The next piece of the stream; `None` at its end.
    async fn next(mut self) -> (Self, Option<Bytes>) {
        loop {
            if let Some(bytes) = self.outbox.pop_front() {
                return (self, Some(bytes));
            }
            if self.closing {
                return (self, None);
            }
            let event = self.event().await;
            event.into_iter().for_each(|event| self.tell(event));
            if now() >= self.check_at {
                self.closing |= should_move(&self.shared, &self.calls.ns);
                self.closing |= !may_stay(&self.shared, (&self.calls.ns, &self.calls.caller), &self.headers).await;
                self.check_at = now() + CHECK_EVERY;
            }
        }
    }

    fn tell(&mut self, event: SessionEvent) {
        for out in self.session.on(event, self.calls.now()) {
            self.perform(out);
        }
    }

    /// Waits for what happens next to the session; `None` when it is time to look the key up again.
    async fn event(&mut self) -> Option<SessionEvent> {
        let due = self.timers.iter().min_by_key(|(_, at)| **at).map(|(number, at)| (*number, *at));
        tokio::select! {
            biased;
            () = self.shutdown.begun(), if !self.stopping => {
                self.stopping = true;
                Some(SessionEvent::Stopping)
            }
            end = self.calls.ended() => Some(end),
            number = passed(due) => {
                self.timers.remove(&number);
                Some(SessionEvent::Timer(number))
            }
            () = rung(&mut self.bell) => Some(SessionEvent::Wake),
            () = pause(self.check_at.saturating_duration_since(now())) => None,
        }
    }

    fn perform(&mut self, out: Out) {
        match out {
            Out::Reply(bytes) => self.outbox.push_back(bytes.into()),
            Out::Timer { number, after_ms } => {
                self.timers.insert(number, now() + Duration::from_millis(after_ms));
            }
            Out::Call { call, op, input } => self.calls.call(call, op, input),
            Out::Read { call, query, input } => self.calls.read(call, query, input),
            Out::Watch(what) => self.bell = Some(self.shared.live().bell(&self.calls.ns, what)),
            Out::Unwatch(_) => self.bell = None,
            Out::Keep { call, .. } | Out::Fetch { call, .. } => self.calls.end(call)(Err(no_bytes())),
            Out::Close => self.closing = true,
        }
    }
}

fn no_bytes() -> OpError {
    OpError::new(codes::BDETECTED, "a session of server-sent events has no bytes to keep or to fetch")
}

pub(crate) async fn passed(due: Option<(u64, Instant)>) -> u64 {
    let Some((number, at)) = due else { return std::future::pending().await };
    pause(at.saturating_duration_since(now())).await;
    number
}

async fn rung(bell: &mut Option<watch::Receiver<u64>>) {
    let changed = match bell {
        Some(bell) => bell.changed().await,
        None => return std::future::pending().await,
    };
    // The namespace was taken away: nobody rings any more, and the next check ends the stream.
    if changed.is_err() {
        *bell = None;
    }
}

type Next = Pin<Box<dyn Future<Output = (Shell, Option<Bytes>)> + Send>>;

/// The body of the answer: the session's replies, one after the other.
struct Stream(Next);

impl HttpBody for Stream {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let (shell, piece) = std::task::ready!(self.0.as_mut().poll(cx));
        let Some(bytes) = piece else {
            // Never asked again after the end.
            self.0 = Box::pin(std::future::pending());
            return Poll::Ready(None);
        };
        self.0 = Box::pin(shell.next());
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }
}
