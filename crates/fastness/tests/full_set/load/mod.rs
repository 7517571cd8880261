//! What goes on while parts are killed: all services at work, each item counted when it was acknowledged.

pub mod attachments;
mod broker;
mod files;
pub mod messages;
pub mod processes;
pub mod signals;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

pub use attachments::Attached;
pub use messages::Exchanged;
pub use processes::Processed;
pub use signals::Said;

use crate::caller;
use crate::faults::Fault;
use crate::site::{Site, wait_until};

/// Pause after each item: many parts share few cores.
const PACE: Duration = Duration::from_millis(50);
/// Items of each kind that show that it goes on.
const PROGRESS: u64 = 3;

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Signals over HTTP.
    Signals,
    /// Signals through RabbitMQ, until they are judged.
    Broker,
    /// Messages to a database, until the sender has its reply.
    Messages,
    /// Documents with an attachment.
    Attachments,
    /// Processes of one task, until its result is taken.
    Processes,
    /// Files of a folder, until the server has them.
    Files,
}

impl Work {
    pub const ALL: [Self; 6] =
        [Self::Signals, Self::Broker, Self::Messages, Self::Attachments, Self::Processes, Self::Files];

    /// Whether it cannot go on without what is killed. The device of the folder knows the first server alone.
    pub fn needs(self, fault: Fault) -> bool {
        match fault {
            Fault::Postgres => true,
            Fault::Storage => matches!(self, Self::Attachments | Self::Files),
            Fault::Node(0) => self == Self::Files,
            Fault::Broker(_) | Fault::Redis | Fault::ClickHouse | Fault::Node(_) => false,
        }
    }
}

/// How far it is.
#[derive(Default)]
pub struct Load {
    over: AtomicBool,
    broken: AtomicBool,
    closed: [AtomicBool; Work::ALL.len()],
    done: [AtomicU64; Work::ALL.len()],
}

impl fmt::Debug for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(Work::ALL.map(|work| (work, self.done(work)))).finish()
    }
}

impl Load {
    /// Whether there is more to do; after a pause.
    fn goes_on(&self) -> bool {
        thread::sleep(PACE); // tidy: sleep — the load is light, and even
        !self.over.load(Relaxed)
    }

    fn count(&self, work: Work) {
        self.done[work as usize].fetch_add(1, Relaxed);
    }

    fn done(&self, work: Work) -> u64 {
        self.done[work as usize].load(Relaxed)
    }

    /// Nobody brings more of this.
    fn close(&self, work: Work) {
        self.closed[work as usize].store(true, Relaxed);
    }

    fn is_closed(&self, work: Work) -> bool {
        self.closed[work as usize].load(Relaxed) || self.broken.load(Relaxed)
    }

    /// Until each of these has done some more.
    pub fn wait_progress(&self, works: &[Work]) {
        let goals: Vec<(Work, u64)> = works.iter().map(|work| (*work, self.done(*work) + PROGRESS)).collect();
        let is_there = || goals.iter().all(|(work, goal)| self.done(*work) >= *goal);
        self.wait(&format!("all reach {goals:?}"), is_there);
    }

    /// Until somebody was refused.
    pub fn wait_refused(&self) {
        let before = caller::refused();
        self.wait("somebody is refused", || caller::refused() > before);
    }

    /// So much history that it is to move at once, and until that failed.
    pub fn wait_history_refused(&self, site: &Site) {
        signals::flood(site);
        self.wait("history does not reach ClickHouse", || signals::history_was_refused(site));
    }

    fn wait(&self, what: &str, mut holds: impl FnMut() -> bool) {
        wait_until(&format!("{what}, {self:?}"), || {
            assert!(!self.broken.load(Relaxed), "somebody at work has failed");
            holds()
        });
    }
}

/// Ends all work when it goes, also in a panic; so that nobody waits for those who work for ever.
struct Whistle<'a>(&'a Load);

impl Drop for Whistle<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, Relaxed);
        self.0.broken.fetch_or(thread::panicking(), Relaxed);
    }
}

/// All that was acknowledged.
pub struct Done {
    pub said: Said,
    pub published: Said,
    pub exchanged: Exchanged,
    pub attached: Attached,
    pub processed: Processed,
    pub files: Vec<String>,
    /// The client that is told of sensors.
    pub client: String,
}

/// Works until `strike` is over.
pub fn during(site: &Site, strike: impl FnOnce(&Load)) -> Done {
    let load = Load::default();
    let client = signals::register(site);
    let desk = messages::register(site);
    attachments::register(site);
    processes::register(site);
    let device = files::Device::start(site);
    thread::scope(|scope| {
        let (load, desk) = (&load, &desk);
        macro_rules! at_work {
            ($work:expr) => {
                scope.spawn(move || {
                    let _whistle = Broken(load);
                    $work
                })
            };
        }
        let said = at_work!(signals::speak(site, load));
        let published = at_work!(broker::publish(site, load));
        let sent = at_work!(messages::send(site, desk, load));
        let taken = at_work!(messages::process(site, desk, load));
        let attached = at_work!(attachments::attach(site, load));
        let started = at_work!(processes::start(site, load));
        let finished = at_work!(processes::finish(site, load));
        let device = &device;
        let files = at_work!(device.write(site, load));
        let whistle = Whistle(load);
        strike(load);
        drop(whistle);
        let exchanged = Exchanged { sent: sent.join().unwrap(), effects: taken.join().unwrap() };
        let processed = Processed { started: started.join().unwrap(), finished: finished.join().unwrap() };
        let (said, published) = (said.join().unwrap(), published.join().unwrap());
        let (attached, files) = (attached.join().unwrap(), files.join().unwrap());
        Done { said, published, exchanged, attached, processed, files, client }
    })
}

/// Tells of somebody at work who panicked.
struct Broken<'a>(&'a Load);

impl Drop for Broken<'_> {
    fn drop(&mut self) {
        self.0.broken.fetch_or(thread::panicking(), Relaxed);
    }
}
