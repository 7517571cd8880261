//! Taking over from a server that was killed a moment ago: its data directory and its port are free as soon as the system has put it
//! away. A server that lives is waited for no longer than it takes to be sure of that (KER-42).

use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc;

use base::Timers;
use host::{DirLock, DirLockError, Life, ThreadTimers, life};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::obstacle::{self, Holder, Obstacle};

/// Between two looks, and how many of them at a holder that ends: two seconds.
const LOOK_MS: u64 = 50;
const LOOKS: u32 = 40;
/// Looks in a row at a holder that lives, before it is believed: between a kill and its first trace there is an instant.
const ALIVE_LOOKS: u32 = 2;
/// The same at one that is not seen, as another user's or another container's: at the end of a process there is an instant in which it has
/// let go of what it holds, and the system has not.
const UNSEEN_LOOKS: u32 = 10;

/// The right to a data directory.
pub(crate) fn data(directory: &Path) -> Result<DirLock, Obstacle> {
    data_by(&ThreadTimers::new(), directory)
}

fn data_by(timers: &dyn Timers, directory: &Path) -> Result<DirLock, Obstacle> {
    let looks = |error: &DirLockError| match error {
        // Without a number it is being taken or left.
        DirLockError::Held { holder, .. } => looks_at(holder.map_or(Life::Unseen, life)),
        DirLockError::Unusable { .. } => 0,
    };
    retried(timers, || DirLock::acquire(directory), looks).map_err(|error| obstacle::data(&error))
}

/// A listener.
pub(crate) fn listener(address: SocketAddr, runtime: &Runtime) -> Result<TcpListener, Obstacle> {
    let looks = |error: &std::io::Error| match error.kind() {
        std::io::ErrorKind::AddrInUse => match obstacle::holder_of(address) {
            Holder::Nobody => LOOKS,
            Holder::Unseen => UNSEEN_LOOKS,
            Holder::Process(pid) => looks_at(life(pid)),
        },
        _ => 0,
    };
    let bind = || runtime.block_on(TcpListener::bind(address));
    retried(&ThreadTimers::new(), bind, looks).map_err(|error| obstacle::port(address, &error))
}

fn looks_at(life: Life) -> u32 {
    match life {
        Life::Lives => ALIVE_LOOKS,
        Life::Unseen => UNSEEN_LOOKS,
        Life::Ends => LOOKS,
    }
}

/// Tries again, for a bounded time, while what is in the way may pass; `looks` says how often that is looked at in a row.
fn retried<T, E>(
    timers: &dyn Timers,
    mut take: impl FnMut() -> Result<T, E>,
    looks: impl Fn(&E) -> u32,
) -> Result<T, E> {
    let (mut allowed, mut looked) = (0, 0);
    for _ in 0..LOOKS {
        let taken = take();
        let now = taken.as_ref().err().map_or(0, &looks);
        if now != allowed {
            (allowed, looked) = (now, 0);
        }
        if looked == allowed {
            return taken;
        }
        looked += 1;
        pause(timers);
    }
    take()
}

fn pause(timers: &dyn Timers) {
    let (tell, told) = mpsc::channel();
    let ring = move || {
        // Nobody waits any more.
        let _ = tell.send(());
    };
    timers.after(LOOK_MS, Box::new(ring));
    // Timers that end instead of ringing end the wait as well.
    let _ = told.recv();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::process::{Child, Command};
    use std::sync::{Arc, Mutex};

    /// Rings at once.
    struct Now;

    impl Timers for Now {
        fn after(&self, _: u64, then: Box<dyn FnOnce() + Send>) {
            then();
        }
    }

    fn tries(until: u32, looks: u32) -> (bool, u32) {
        let tried = Cell::new(0);
        let take = || {
            tried.set(tried.get() + 1);
            if tried.get() > until { Ok(()) } else { Err(()) }
        };
        let taken = retried(&Now, take, |()| looks);
        (taken.is_ok(), tried.get())
    }

    #[test]
    fn ker_42_whoever_was_killed_is_waited_for_and_whoever_lives_is_not() {
        assert_eq!(tries(0, 0), (true, 1));
        assert_eq!(tries(5, looks_at(Life::Ends)), (true, 6), "free in a moment");
        assert_eq!(tries(u32::MAX, looks_at(Life::Ends)), (false, LOOKS + 1), "bounded");
        assert_eq!(tries(u32::MAX, looks_at(Life::Unseen)), (false, UNSEEN_LOOKS + 1), "soon");
        assert_eq!(tries(u32::MAX, looks_at(Life::Lives)), (false, ALIVE_LOOKS + 1), "at once");
        assert_eq!(tries(u32::MAX, 0), (false, 1), "that will not pass");
    }

    #[test]
    fn ker_42_whoever_is_seen_to_end_may_be_out_of_sight_before_it_is_gone() {
        let seen = [LOOKS; 20].into_iter().chain([UNSEEN_LOOKS; 5]).collect::<Vec<_>>();
        let look = Cell::new(0);
        let take = || {
            look.set(look.get() + 1);
            seen.get(look.get() - 1).map_or(Ok(()), |looks| Err(*looks))
        };
        assert_eq!(retried(&Now, take, |looks| *looks), Ok(()));
    }

    /// What happens in each of the waits, instead of time.
    struct Meanwhile(Mutex<Vec<Box<dyn FnOnce() + Send>>>);

    impl Timers for Meanwhile {
        fn after(&self, _: u64, then: Box<dyn FnOnce() + Send>) {
            let next = self.0.lock().unwrap().pop();
            next.expect("no more waits than that")();
            then();
        }
    }

    /// The directory is held, and its file names this process.
    fn held_by(holder: &Child, directory: &Path) -> DirLock {
        let lock = DirLock::acquire(directory).unwrap();
        #[expect(clippy::disallowed_methods, reason = "what another process would have written")]
        std::fs::write(directory.join("lock"), format!("{}\n", holder.id())).unwrap();
        lock
    }

    #[test]
    fn ker_42_a_holder_that_is_killed_while_it_is_looked_at_is_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let holder = Arc::new(Mutex::new(Command::new("sleep").arg("600").spawn().unwrap()));
        let lock = held_by(&holder.lock().unwrap(), directory.path());
        let dying = holder.clone();
        let kill = Box::new(move || {
            let mut dying = dying.lock().unwrap();
            dying.kill().unwrap();
            // It stays a zombie: nobody asks for its end.
            while life(dying.id()) != Life::Ends {
                std::thread::yield_now();
            }
        });
        let let_go = Box::new(move || drop(lock));
        // The last one comes first.
        let meanwhile = Meanwhile(Mutex::new(vec![let_go, Box::new(|| {}), Box::new(|| {}), kill]));
        data_by(&meanwhile, directory.path()).expect("the directory");
        assert!(meanwhile.0.lock().unwrap().is_empty(), "it was waited for until then");
        holder.lock().unwrap().wait().unwrap();
    }
}
