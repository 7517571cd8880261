//! Many clients at once, each on its thread, while somebody else breaks things.

use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, ensure};

use super::writer::{Told, Writer, is_put_off, is_refusal};
use crate::check::violation;
use crate::client::{Answer, Client, Cut};
use crate::server::KEY;

/// Longest wait for what must come.
const PATIENCE: Duration = Duration::from_secs(60);
/// A client that was put off or finds nobody waits so long.
const PAUSE: Duration = Duration::from_millis(20);

/// Which answers but done and refused a fault excuses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allowed {
    /// 503 with Retry-After.
    pub put_offs: bool,
    /// 504.
    pub time_outs: bool,
    /// 409, between servers on one database.
    pub conflicts: bool,
}

impl Allowed {
    /// None.
    pub const NONE: Self = Self { put_offs: false, time_outs: false, conflicts: false };
    /// What a store in trouble may say.
    pub const TROUBLE: Self = Self { put_offs: true, time_outs: true, conflicts: false };
    /// What a database in trouble may say.
    pub const DATABASE: Self = Self { put_offs: true, time_outs: true, conflicts: true };

    /// Whether this answer may come.
    #[must_use]
    pub fn permits(self, answer: &Answer) -> bool {
        match answer.status {
            200 => true,
            404 | 422 => is_refusal(answer),
            503 => self.put_offs && is_well_formed_put_off(answer),
            504 => self.time_outs && answer.code() == "TTIME",
            409 => self.conflicts && answer.code() == "CSERIAL",
            _ => false,
        }
    }
}

fn is_well_formed_put_off(answer: &Answer) -> bool {
    answer.header("retry-after").is_some() && ["XSTORE", "XDISK", "XBUSY"].contains(&answer.code())
}

/// What the clients were told so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Done.
    pub acked: u64,
    /// Refused by the operation.
    pub refused: u64,
    /// Put off.
    pub put_off: u64,
    /// Cut, or said to be unknown.
    pub unknown: u64,
}

#[derive(Default)]
struct State {
    address: Option<SocketAddr>,
    stopping: bool,
    counts: Counts,
    /// What nobody should have been told.
    wrong: Vec<String>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    allowed: Allowed,
}

/// Clients at work.
pub struct Crowd {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<Writer>>,
}

impl Crowd {
    /// Lets the writers go. Every second one is impatient: it asks again while its first copy may still be waiting.
    #[must_use]
    pub fn start(writers: Vec<Writer>, address: SocketAddr, allowed: Allowed, impatience: Option<Duration>) -> Self {
        let state = Mutex::new(State { address: Some(address), ..State::default() });
        let shared = Arc::new(Shared { state, changed: Condvar::new(), allowed });
        let spawn = |(number, writer): (usize, Writer)| {
            let (shared, patience) = (shared.clone(), impatience.filter(|_| number % 2 == 1));
            thread::spawn(move || work(writer, &shared, patience))
        };
        let threads = writers.into_iter().enumerate().map(spawn).collect();
        Self { shared, threads }
    }

    /// Where the server is now; nowhere lets the clients wait.
    pub fn point_to(&self, address: Option<SocketAddr>) {
        self.shared.lock().address = address;
        self.shared.changed.notify_all();
    }

    /// What they were told so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.shared.lock().counts
    }

    /// Waits for so many further acknowledgements.
    ///
    /// # Errors
    /// They do not come, or a client was told something it must not be told.
    pub fn wait_acked(&self, more: u64) -> Result<()> {
        let goal = self.counts().acked + more;
        self.wait("acknowledgements", |counts| counts.acked >= goal)
    }

    /// Waits until the counts are so.
    ///
    /// # Errors
    /// They do not become so in time, or a client was told something it must not be told.
    pub fn wait(&self, what: &str, until: impl Fn(&Counts) -> bool) -> Result<()> {
        let held = self.shared.lock();
        let going_on = |state: &mut State| state.wrong.is_empty() && !until(&state.counts);
        let waited = self.shared.changed.wait_timeout_while(held, PATIENCE, going_on);
        let (state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        ensure!(state.wrong.is_empty(), violation(state.wrong.join("\n")));
        ensure!(!timeout.timed_out(), violation(format!("no {what} for {PATIENCE:?}: {:?}", state.counts)));
        Ok(())
    }

    /// Ends the clients after their present requests and gives them back; the last says whether one of them was told
    /// something it must not be told.
    pub fn stop(self) -> (Vec<Writer>, Counts, Result<()>) {
        self.shared.lock().stopping = true;
        self.shared.changed.notify_all();
        let (mut writers, mut ended) = (vec![], Ok(()));
        for thread in self.threads {
            match thread.join() {
                Ok(writer) => writers.push(writer),
                Err(_) => ended = Err(anyhow!("a client panicked")),
            }
        }
        let state = self.shared.lock();
        if !state.wrong.is_empty() {
            ended = Err(violation(state.wrong.join("\n")));
        }
        (writers, state.counts, ended)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where to ask; waits while there is nowhere. `None` when it is time to end.
    fn address(&self) -> Option<SocketAddr> {
        let nowhere = |state: &mut State| state.address.is_none() && !state.stopping;
        let state = self.changed.wait_while(self.lock(), nowhere).unwrap_or_else(PoisonError::into_inner);
        state.address.filter(|_| !state.stopping)
    }

    /// Waits a little, or until things change.
    fn pause(&self) {
        let until = Instant::now() + PAUSE;
        let mut state = self.lock();
        let address = state.address;
        while !state.stopping && state.address == address {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn count(&self, told: &Told) {
        let counts = &mut self.lock().counts;
        match told {
            Told::Answer(answer) if answer.status == 200 => counts.acked += 1,
            Told::Answer(answer) if answer.is_unknown() => counts.unknown += 1,
            Told::Answer(answer) if is_put_off(answer) => counts.put_off += 1,
            Told::Answer(_) => counts.refused += 1,
            Told::Cut(Cut::Sent(_)) => counts.unknown += 1,
            Told::Cut(Cut::Unsent(_)) => {}
        }
        self.changed.notify_all();
    }

    /// Counts what a client was told, and lets it wait if it should. Says whether it may go on.
    fn took(&self, name: &str, told: Result<Told>) -> bool {
        let told = match told {
            Ok(told) => told,
            Err(error) => return self.complain(error.to_string()),
        };
        self.count(&told);
        match &told {
            Told::Answer(answer) if !self.allowed.permits(answer) => {
                return self.complain(format!("{name}: {answer:?}"));
            }
            Told::Answer(answer) if is_put_off(answer) => self.pause(),
            Told::Cut(Cut::Unsent(_)) => self.pause(),
            Told::Answer(_) | Told::Cut(Cut::Sent(_)) => {}
        }
        true
    }

    /// Remembers what must not be said. Nobody goes on after that.
    fn complain(&self, wrong: String) -> bool {
        self.lock().wrong.push(wrong);
        self.changed.notify_all();
        false
    }
}

fn work(mut writer: Writer, shared: &Shared, patience: Option<Duration>) -> Writer {
    let mut kept: Option<(SocketAddr, Client)> = None;
    while let Some(address) = shared.address() {
        let (_, client) = match &mut kept {
            Some(kept) if kept.0 == address => kept,
            other => other.insert((address, client(address, patience))),
        };
        let told = writer.ask(client);
        if !shared.took(&writer.name, told) {
            break;
        }
    }
    writer
}

fn client(address: SocketAddr, patience: Option<Duration>) -> Client {
    let client = Client::new(address, KEY);
    match patience {
        Some(patience) => client.with_patience(patience),
        None => client,
    }
}
