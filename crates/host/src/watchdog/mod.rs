//! The watchdog (KER-47): every part of the program is asked again and again whether it is still there. One that neither
//! answers nor moves for its patience is stuck: a diagnosis is written, and the process ends itself, for the supervisor
//! to start it anew. Nothing acknowledged is lost by that; standing still for ever would lose everything to come.
//!
//! Not taken for stuck: time in which the process did not run (SIGSTOP, a frozen machine), a part that has much to do and
//! moves on, and one that waits for the disk in the operating system's own hands (ending would not free it either).
//!
//! Invariants: the watchdog's own thread takes no lock of anybody it watches. Questions are put by a second thread and the
//! diagnosis is written by a third with a bounded wait, for each of them may run into what is stuck.

mod diagnosis;
mod threads;
mod vigil;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use base::Clock;
use base::mutants::{self, Mutant};

use vigil::{Seen, Verdict, Vigil};

/// How often it looks.
const LOOK: Duration = Duration::from_millis(250);
/// How long the diagnosis may take before the process ends without it.
const DIAGNOSIS: Duration = Duration::from_secs(2);
/// How long a part may be silent (KER-47).
pub const PATIENCE_MS: u64 = 10_000;

/// Puts a question to a part; the part calls back when it is there.
pub type Ask = Box<dyn Fn(Answer) + Send + Sync>;
/// The call back; to drop it is no answer.
pub type Answer = Box<dyn FnOnce() + Send>;

/// A part of the program that is watched.
pub struct Subject {
    /// Its name in the diagnosis.
    pub name: String,
    /// What its threads' names begin with.
    pub threads: &'static str,
    /// Silence that is taken for being stuck, in milliseconds of time that the process ran.
    pub patience_ms: u64,
    /// Puts the question. May block; it is never called by the watchdog's own thread.
    pub ask: Ask,
    /// A number that changes as the part works, read without any lock.
    pub progress: Box<dyn Fn() -> u64 + Send + Sync>,
    /// What is worth knowing when it is stuck, such as the length of its queue. May block.
    pub about: Box<dyn Fn() -> String + Send + Sync>,
}

impl Subject {
    /// A part that is asked with `ask`, with the usual patience.
    #[must_use]
    pub fn new(name: impl Into<String>, threads: &'static str, ask: Ask) -> Self {
        let (progress, about) = (Box::new(|| 0), Box::new(String::new));
        Self { name: name.into(), threads, patience_ms: PATIENCE_MS, ask, progress, about }
    }
}

/// A part that says by itself, at least every few seconds, that it is there; not watched any more once dropped.
#[derive(Debug)]
pub struct Heart {
    beats: Arc<AtomicU64>,
    _watched: Watched,
}

impl Heart {
    /// It is there.
    pub fn beat(&self) {
        self.beats.fetch_add(1, Ordering::Relaxed);
    }
}

/// A part is watched as long as this is held.
#[derive(Debug)]
pub struct Watched {
    _post: Arc<Post>,
}

struct Post {
    subject: Subject,
    vigil: Mutex<Vigil>,
    /// The newest question that was answered.
    answered: AtomicU64,
}

impl std::fmt::Debug for Post {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Post({})", self.subject.name)
    }
}

/// What is done with a diagnosis. Given to [`Watchdog::start`] so that tests can live on.
pub type End = Box<dyn Fn(&str) + Send + Sync>;

/// The watchdog; its threads end when it is dropped.
pub struct Watchdog {
    shared: Arc<Shared>,
    clock: Arc<dyn Clock>,
    _stop: Sender<()>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    posts: Mutex<Vec<Weak<Post>>>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Vec<Weak<Post>>> {
        self.posts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn posts(&self) -> Vec<Arc<Post>> {
        let mut posts = self.lock();
        posts.retain(|post| post.strong_count() > 0);
        posts.iter().filter_map(Weak::upgrade).collect()
    }
}

impl Watchdog {
    /// Starts to watch; `end` is told the diagnosis of the first part that is stuck.
    ///
    /// # Panics
    /// If the machine has no room for two more threads: then nothing else would work either.
    #[must_use]
    pub fn start(clock: Arc<dyn Clock>, end: End) -> Self {
        let (shared, (stop, stopped), (ask, asked)) = (Arc::<Shared>::default(), channel(), channel());
        let watch = Watch { shared: shared.clone(), clock: clock.clone(), end, ask };
        let spawn = |name: &str, run: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new().name(name.into()).spawn(run).expect("a thread for the watchdog")
        };
        // Nobody waits for this one: a question may never come back.
        spawn("watchdog-ask", Box::new(move || put_questions(&asked)));
        let thread = spawn("watchdog", Box::new(move || watch.run(&stopped)));
        Self { shared, clock, _stop: stop, thread: Some(thread) }
    }

    /// Watches a part as long as the answer is held.
    #[must_use]
    pub fn watch(&self, subject: Subject) -> Watched {
        let vigil = Mutex::new(Vigil::new(subject.patience_ms, self.clock.ran_ms()));
        let post = Arc::new(Post { subject, vigil, answered: AtomicU64::new(0) });
        self.shared.lock().push(Arc::downgrade(&post));
        Watched { _post: post }
    }

    /// Watches a part that beats by itself, as long as its heart is held.
    #[must_use]
    pub fn heart(&self, name: impl Into<String>, threads: &'static str) -> Heart {
        let beats = Arc::new(AtomicU64::new(0));
        let counted = beats.clone();
        let silent = Subject::new(name, threads, Box::new(drop));
        let subject = Subject { progress: Box::new(move || counted.load(Ordering::Relaxed)), ..silent };
        Heart { beats, _watched: self.watch(subject) }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        (self._stop, _) = channel();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

type Question = (Arc<Post>, u64);

fn put_questions(asked: &Receiver<Question>) {
    while let Ok((post, number)) = asked.recv() {
        let answering = Arc::downgrade(&post);
        let answer = move || {
            if let Some(post) = answering.upgrade() {
                post.answered.fetch_max(number, Ordering::Relaxed);
            }
        };
        (post.subject.ask)(Box::new(answer));
    }
}

struct Watch {
    shared: Arc<Shared>,
    clock: Arc<dyn Clock>,
    end: End,
    ask: Sender<Question>,
}

impl Watch {
    fn run(&self, stopped: &Receiver<()>) {
        while stopped.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            let posts = self.shared.posts();
            if let Some((post, silent_ms)) = posts.iter().find_map(|post| self.look(post)) {
                return self.bark(post, silent_ms, posts.clone());
            }
        }
    }

    /// Looks at one part; tells for how long it has been silent if it is stuck.
    fn look<'a>(&self, post: &'a Arc<Post>) -> Option<(&'a Arc<Post>, u64)> {
        let mut vigil = post.vigil.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = Seen {
            ran_ms: self.clock.ran_ms(),
            answered: post.answered.load(Ordering::Relaxed),
            progress: (post.subject.progress)(),
        };
        match vigil.look(&seen, || threads::wait_for_disk(post.subject.threads)) {
            Verdict::Good => None,
            Verdict::Ask(number) => {
                let _ = self.ask.send((post.clone(), number));
                None
            }
            Verdict::WaitsForDisk(ms) => {
                tracing::warn!(part = post.subject.name, ms, "the disk does not answer; waiting for it");
                None
            }
            Verdict::Stuck(_) if mutants::on(Mutant::WatchdogOff) => None,
            Verdict::Stuck(silent_ms) => Some((post, silent_ms)),
        }
    }

    /// The diagnosis is put together on another thread: what it asks may be what is stuck.
    fn bark(&self, post: &Arc<Post>, silent_ms: u64, posts: Vec<Arc<Post>>) {
        let (tell, told) = channel();
        let name = post.subject.name.clone();
        let work = move || {
            let abouts: Vec<_> =
                posts.iter().map(|post| (post.subject.name.as_str(), (post.subject.about)())).collect();
            let _ = tell.send(diagnosis::text(&name, silent_ms, &abouts));
        };
        let _ = std::thread::Builder::new().name("watchdog-look".into()).spawn(work);
        let name = &post.subject.name;
        let text = told.recv_timeout(DIAGNOSIS).unwrap_or_else(|_| diagnosis::text(name, silent_ms, &[]));
        (self.end)(&text);
    }
}

/// Ends the process: the diagnosis goes to `<folder>/diagnosis-<time>.txt` and to the log, each only as far as they work
/// themselves, then SIGABRT (a shell shows 134).
#[must_use]
pub fn end_with_diagnosis(folder: &Path, clock: Arc<dyn Clock>) -> End {
    let folder = folder.to_owned();
    Box::new(move |text| {
        let (folder, text, at) = (folder.clone(), text.to_owned(), base::Stamp::from_wall(clock.wall()));
        let (tell, told) = channel::<()>();
        let work = move || {
            diagnosis::write(&folder.join(format!("diagnosis-{at}.txt")), &text);
            tracing::error!("a part of the server is stuck; the process ends itself\n{text}");
            drop(tell);
        };
        let _ = std::thread::Builder::new().name("watchdog-write".into()).spawn(work);
        let _ = told.recv_timeout(DIAGNOSIS);
        std::process::abort()
    })
}

#[cfg(test)]
mod tests;
