//! Keeps one folder in step, until it is stopped.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use prost::Message as _;
use synxpo::wire::server_message::Message;
use synxpo::wire::{ClientMessage, ServerMessage};
use tokio::sync::{Notify, mpsc, watch};

use super::home::{Home, Link, LinkError};
use super::line::{Receiver, Sender};
use super::world;
use crate::agent::{Agent, Event, Out, Report};
use crate::disk::real::RealDisk;
use crate::state::{State, StateError};
use crate::watch::{Changed, Watcher};

/// Events that wait for the machine: what the server sends beyond that waits in the connection.
const EVENTS: usize = 64;
/// Bytes that wait for the connection: beyond that the machine is asked for no more.
const QUEUED_MAX: usize = 4 << 20;
/// Between two tries to connect, growing.
const PAUSE_MIN: Duration = Duration::from_millis(200);
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// A connection that lasted so long was a good one.
const LASTED_MS: u64 = 10_000;
/// The longest pause after one that served and was cut soon: nodes that are restarted one after the other cut it each time.
const CUT_MAX: Duration = Duration::from_secs(1);

/// What the connection is told. `connection` counts them: what was meant for an earlier one is not said.
struct Order {
    connection: u64,
    what: What,
}

enum What {
    Say(Vec<ClientMessage>, usize),
    Close(Duration),
}

/// How the machine and the connection see each other.
#[derive(Default)]
struct Pipe {
    queued: AtomicUsize,
    has_room: Notify,
    offline: Mutex<Option<Offline>>,
}

/// Bytes that were handed over: whatever becomes of them, also if whoever sends them is dropped, they wait no more.
struct Queued<'p> {
    pipe: &'p Pipe,
    bytes: usize,
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        let before = self.pipe.queued.fetch_sub(self.bytes, Ordering::AcqRel);
        if before >= QUEUED_MAX / 2 && before - self.bytes < QUEUED_MAX / 2 {
            self.pipe.has_room.notify_one();
        }
    }
}

impl Pipe {
    fn offline(&self) -> Option<Offline> {
        self.offline.lock().ok().and_then(|offline| offline.clone())
    }

    /// Tells why there is no connection, or that there is one.
    fn set_offline(&self, why: Option<Offline>) {
        if let Ok(mut offline) = self.offline.lock()
            && *offline != why
        {
            *offline = why;
            self.has_room.notify_one();
        }
    }
}

/// Why there is no connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offline {
    /// The server answers and refuses: the key, most likely.
    pub is_refused: bool,
    /// For people.
    pub why: String,
}

impl Offline {
    fn of(error: &io::Error) -> Self {
        Self { is_refused: error.kind() == io::ErrorKind::PermissionDenied, why: error.to_string() }
    }
}

/// What a folder that is kept in step is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// As the machine says.
    pub report: Report,
    /// Connected, and nothing is to be done.
    pub is_idle: bool,
    /// Why there is no connection; `None` while there is one, and before the first try.
    pub offline: Option<Offline>,
}

/// A folder that is being kept in step.
pub struct Keeper {
    thread: Option<std::thread::JoinHandle<()>>,
    events: mpsc::Sender<Event>,
    stop: watch::Sender<bool>,
    ended: watch::Receiver<Option<String>>,
    progress: watch::Receiver<Progress>,
}

impl Keeper {
    /// Waits until it ends by itself, which it does only when it cannot go on: why.
    pub async fn ended(&mut self) -> String {
        loop {
            if let Some(why) = self.ended.borrow_and_update().clone() {
                return why;
            }
            if self.ended.changed().await.is_err() {
                return "the folder's thread ended".to_owned();
            }
        }
    }

    /// Why it ended by itself, if it did.
    #[must_use]
    pub fn why_ended(&self) -> Option<String> {
        let is_over = self.thread.as_ref().is_none_or(std::thread::JoinHandle::is_finished);
        let told = self.ended.borrow().clone();
        // One that broke says nothing.
        told.or_else(|| is_over.then(|| "the folder's thread ended".to_owned()))
    }

    /// What it is at.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.progress.borrow().clone()
    }

    /// Looks at everything now.
    pub async fn rescan(&self) {
        // Whoever is ended looks at nothing.
        let _ = self.events.send(Event::ChangedSomewhere).await;
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // It is woken by the channel's end as well as by this.
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Begins to keep a folder in step. Must be called within a runtime.
///
/// # Errors
/// The folder or its state cannot be used, or another daemon has it.
pub fn keep(home: &Home, link: &Link) -> Result<Keeper, LinkError> {
    let io = |error| LinkError::Io(link.root.clone(), error);
    let disk = RealDisk::open(&link.root).map_err(io)?;
    let state = State::open_or_begin(&home.state_path(link))?;
    let agent = Agent::start(disk, state, link.settings(), world::chance());
    let (events, incoming) = mpsc::channel(EVENTS);
    let (orders, outgoing) = mpsc::unbounded_channel();
    let (stop, stopped) = watch::channel(false);
    let (tell_end, ended) = watch::channel(None);
    let (tell, progress) = watch::channel(progress_of(&agent, None));
    let pipe = Arc::new(Pipe::default());
    let watcher = watch_folder(link, events.clone());
    tokio::spawn(connect(link.address.clone(), outgoing, events.clone(), pipe.clone(), stopped.clone()));
    let work = move || {
        let _watcher = watcher;
        let end = drive(agent, incoming, &orders, (&pipe, &tell), stopped);
        let why = end.err().map_or_else(|| "stopped".to_owned(), |error| error.to_string());
        let _ = tell_end.send(Some(why));
    };
    let thread = Some(world::thread("folder", work).map_err(io)?);
    Ok(Keeper { thread, events, stop, ended, progress })
}

/// What cannot be watched is looked at by time.
fn watch_folder(link: &Link, events: mpsc::Sender<Event>) -> Option<Watcher> {
    let tell = move |changed| {
        let event = match changed {
            Changed::Paths(folders) => Event::Changed(folders),
            Changed::Everything => Event::ChangedSomewhere,
        };
        // The watcher has a thread of its own, which may wait.
        let _ = events.blocking_send(event);
    };
    Watcher::start(&link.root, tell).ok()
}

/// The machine's own thread.
fn drive(
    mut agent: Agent<RealDisk>,
    mut incoming: mpsc::Receiver<Event>,
    orders: &mpsc::UnboundedSender<Order>,
    (pipe, tell): (&Pipe, &watch::Sender<Progress>),
    mut stopped: watch::Receiver<bool>,
) -> Result<(), StateError> {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().build() else { return Ok(()) };
    let mut connection = 0;
    runtime.block_on(async {
        loop {
            let wake_at = agent.wake_at().unwrap_or(u64::MAX / 2).min(world::now().ran_ms + 60_000);
            let event = tokio::select! {
                biased;
                _ = stopped.changed() => return Ok(()),
                event = incoming.recv() => match event {
                    Some(event) => event,
                    None => return Ok(()),
                },
                () = pipe.has_room.notified() => Event::Woke,
                () = world::until(wake_at) => Event::Woke,
            };
            connection += u64::from(matches!(event, Event::Opened));
            let offline = pipe.offline();
            // For whoever looks from another program.
            agent.state.set("offline", offline.as_ref().map(|offline| offline.why.clone()));
            let out = agent.on(event, world::now())?;
            hand_over(&mut agent, out, pipe, |what| drop(orders.send(Order { connection, what })))?;
            let now = progress_of(&agent, offline);
            tell.send_if_modified(|told| (*told != now).then(|| *told = now).is_some());
        }
    })
}

fn progress_of(agent: &Agent<RealDisk>, offline: Option<Offline>) -> Progress {
    Progress { report: agent.report().clone(), is_idle: agent.is_idle(), offline }
}

fn hand_over(agent: &mut Agent<RealDisk>, out: Out, pipe: &Pipe, order: impl Fn(What)) -> Result<(), StateError> {
    let mut next = out;
    loop {
        let (is_empty, close) = (next.say.is_empty(), next.close);
        if !is_empty {
            let bytes = next.say.iter().map(ClientMessage::encoded_len).sum();
            pipe.queued.fetch_add(bytes, Ordering::AcqRel);
            order(What::Say(next.say, bytes));
        }
        if close {
            order(What::Close(Duration::from_millis(agent.take_pause_ms())));
            return Ok(());
        }
        if pipe.queued.load(Ordering::Acquire) >= QUEUED_MAX {
            return Ok(());
        }
        next = agent.more(world::now())?;
        if next.say.is_empty() && !next.close {
            return Ok(());
        }
    }
}

/// Keeps a connection, as well as that can be done.
async fn connect(
    address: super::Address,
    mut orders: mpsc::UnboundedReceiver<Order>,
    events: mpsc::Sender<Event>,
    pipe: Arc<Pipe>,
    mut stopped: watch::Receiver<bool>,
) {
    let (mut pause, mut connection) = (PAUSE_MIN, 0);
    loop {
        let opened = tokio::select! {
            _ = stopped.changed() => return,
            opened = address.open() => opened,
        };
        pipe.set_offline(opened.as_ref().err().map(Offline::of));
        if let Ok((to, from)) = opened {
            connection += 1;
            if events.send(Event::Opened).await.is_err() {
                return;
            }
            let (began, served) = (world::now().ran_ms, AtomicBool::new(false));
            let wanted = tokio::select! {
                _ = stopped.changed() => return,
                wanted = talk((to, from), connection, &mut orders, &events, (&pipe, &served)) => wanted,
            };
            if events.send(Event::Closed).await.is_err() {
                return;
            }
            pause = pause_after(pause, world::now().ran_ms - began, served.into_inner()).max(wanted);
        }
        let jitter = Duration::from_millis(world::chance() % 200);
        tokio::select! {
            _ = stopped.changed() => return,
            () = world::pause(pause + jitter) => {}
        }
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

/// The pause after a connection, given the one that would come next, how long it lasted and whether the server did anything for us on it.
fn pause_after(next: Duration, lasted_ms: u64, served: bool) -> Duration {
    match served {
        _ if lasted_ms > LASTED_MS => PAUSE_MIN,
        true => next.min(CUT_MAX),
        false => next,
    }
}

/// Whether this is more than that the server is there: one that cannot serve now says so, and must not be asked each second.
fn serves(message: &ServerMessage) -> bool {
    !matches!(message.message, None | Some(Message::Error(_)))
}

/// Until the connection is of no use: how long to wait before the next.
async fn talk(
    (mut to, mut from): (Sender, Receiver),
    connection: u64,
    orders: &mut mpsc::UnboundedReceiver<Order>,
    events: &mpsc::Sender<Event>,
    (pipe, served): (&Pipe, &AtomicBool),
) -> Duration {
    let hear = async {
        while let Ok(Some(message)) = from.hear().await {
            served.fetch_or(serves(&message), Ordering::Relaxed);
            if events.send(Event::Heard(Box::new(message))).await.is_err() {
                return;
            }
        }
    };
    let say = async {
        while let Some(order) = orders.recv().await {
            let is_meant = order.connection == connection;
            let (messages, _queued) = match order.what {
                What::Close(pause) if is_meant => return pause,
                What::Close(_) => continue,
                What::Say(messages, bytes) => (messages, Queued { pipe, bytes }),
            };
            for message in messages.iter().filter(|_| is_meant) {
                if to.say(message).await.is_err() {
                    return Duration::ZERO;
                }
            }
        }
        Duration::ZERO
    };
    tokio::select! { () = hear => Duration::ZERO, pause = say => pause }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fld_22_bytes_that_were_never_sent_do_not_wait_for_ever() {
        let pipe = Pipe::default();
        pipe.queued.fetch_add(10, Ordering::AcqRel);
        let sending = async {
            let _queued = Queued { pipe: &pipe, bytes: 10 };
            std::future::pending::<()>().await;
        };
        // Whoever sends is dropped when the connection breaks.
        let mut sending = Box::pin(sending);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(sending.as_mut().poll(&mut context).is_pending());
        drop(sending);
        assert_eq!(pipe.queued.load(Ordering::Acquire), 0);
    }

    #[test]
    fn fld_22_servers_that_are_restarted_in_turn_are_soon_found_again_and_one_that_cannot_serve_is_left_in_peace() {
        let after = |served: bool, lasted_ms: u64| {
            let next = |pause: Duration| (pause_after(pause, lasted_ms, served) * 2).min(PAUSE_MAX);
            (0..12).fold(PAUSE_MIN, |pause, _| next(pause))
        };
        assert_eq!(after(true, 3_000), 2 * CUT_MAX);
        assert_eq!(after(false, 3_000), PAUSE_MAX);
        assert_eq!(after(false, LASTED_MS + 1), 2 * PAUSE_MIN);
        let refusal = Message::Error(synxpo::wire::Error::default());
        assert!(!serves(&ServerMessage { message: Some(refusal), ..ServerMessage::default() }));
    }
}
