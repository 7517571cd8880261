//! A TCP proxy that cuts: before a request reaches the other side, after it, or in the middle of the answer.
//!
//! It knows no protocol. What comes at once from the side that connected is a request, or, with a mark, only what holds
//! the mark is (`COMMIT`); what comes back is its answer. Both hold for clients that wait for one answer before they ask
//! again.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::Result;

use crate::rng::Rng;

const CHUNK: usize = 64 * 1024;
/// A far side that does not take a connection within this time is not there.
const REACH: Duration = Duration::from_secs(1);

/// When to cut.
#[derive(Debug, Clone)]
pub struct Script {
    /// Only requests that hold this are cut.
    pub mark: &'static [u8],
    /// This many of a hundred.
    pub percent: u64,
}

/// Where a request is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// It never arrives.
    Before,
    /// It arrives, and the connection breaks at once on both sides.
    AtOnce,
    /// It is answered; only this much of the answer, in hundredths, comes back.
    Answer(u64),
}

/// How often it cut, by place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cuts {
    /// Before the request.
    pub before: u64,
    /// After the request.
    pub after: u64,
    /// In the answer.
    pub answer: u64,
}

impl Cuts {
    /// All of them.
    #[must_use]
    pub fn all(self) -> u64 {
        self.before + self.after + self.answer
    }
}

struct State {
    /// Connections go to them in turn.
    upstream: Vec<SocketAddr>,
    next: usize,
    script: Option<Script>,
    rng: Rng,
    cuts: Cuts,
    open: Vec<Line>,
    closed: bool,
}

/// One connection through the proxy.
#[derive(Clone)]
struct Line {
    near: Arc<TcpStream>,
    far: Arc<TcpStream>,
    to: SocketAddr,
    /// How much of the next answer comes through, in hundredths.
    answer: Arc<Mutex<Option<u64>>>,
}

/// The proxy; closed when dropped.
pub struct Proxy {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    silence: Arc<Silence>,
}

/// While it is held, nothing passes and nothing breaks, as on a line that somebody cut far away.
#[derive(Default)]
struct Silence(Mutex<bool>, Condvar);

impl Silence {
    fn set(&self, is_held: bool) {
        *lock(&self.0) = is_held;
        self.1.notify_all();
    }

    fn wait_out(&self) {
        drop(self.1.wait_while(lock(&self.0), |is_held| *is_held).unwrap_or_else(PoisonError::into_inner));
    }
}

impl Proxy {
    /// Passes everything on to `upstream`.
    ///
    /// # Errors
    /// There is no free port.
    pub fn start(upstream: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let (script, cuts, open) = (None, Cuts::default(), vec![]);
        let (upstream, rng) = (vec![upstream], Rng::new(0));
        let state = Arc::new(Mutex::new(State { upstream, next: 0, script, rng, cuts, open, closed: false }));
        let silence = Arc::new(Silence::default());
        let (shared, held) = (state.clone(), silence.clone());
        thread::spawn(move || accept(&listener, &shared, &held));
        Ok(Self { address, state, silence })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on new connections go there.
    pub fn point_to(&self, upstream: SocketAddr) {
        self.point_to_all(vec![upstream]);
    }

    /// From now on new connections go to these in turn; nobody is let in while there is none.
    pub fn point_to_all(&self, upstream: Vec<SocketAddr>) {
        lock(&self.state).upstream = upstream;
    }

    /// Holds back everything in both directions until told otherwise. Nobody is told that anything broke.
    pub fn hold(&self) {
        self.silence.set(true);
    }

    /// What was held back passes, and all that follows.
    pub fn let_go(&self) {
        self.silence.set(false);
    }

    /// From now on cuts by this script, and counts anew.
    pub fn follow(&self, script: Script, rng: Rng) {
        let mut state = lock(&self.state);
        (state.script, state.rng, state.cuts) = (Some(script), rng, Cuts::default());
    }

    /// From now on passes everything.
    pub fn pass(&self) {
        lock(&self.state).script = None;
    }

    /// Cuts every open connection at once. Says how many.
    pub fn cut_all(&self) -> usize {
        let open = std::mem::take(&mut lock(&self.state).open);
        open.iter().for_each(Line::cut);
        open.len()
    }

    /// Cuts every open connection to this side.
    pub fn cut_to(&self, upstream: SocketAddr) {
        lock(&self.state).open.iter().filter(|line| line.to == upstream).for_each(Line::cut);
    }

    /// How often it cut by its last script.
    #[must_use]
    pub fn cuts(&self) -> Cuts {
        lock(&self.state).cuts
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        lock(&self.state).closed = true;
        self.silence.set(false);
        self.cut_all();
        // The listener wakes up and sees that it is over.
        let _ = TcpStream::connect(self.address);
    }
}

impl Line {
    fn cut(&self) {
        let _ = self.near.shutdown(Shutdown::Both);
        let _ = self.far.shutdown(Shutdown::Both);
    }
}

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept(listener: &TcpListener, state: &Arc<Mutex<State>>, silence: &Arc<Silence>) {
    for near in listener.incoming() {
        if lock(state).closed {
            return;
        }
        if let Ok(near) = near {
            connect(near, state, silence);
        }
    }
}

/// The next far side that takes a connection.
fn reach(state: &Mutex<State>) -> Option<(SocketAddr, TcpStream)> {
    let turn: Vec<SocketAddr> = {
        let mut state = lock(state);
        state.next += 1;
        let count = state.upstream.len();
        (0..count).map(|step| state.upstream[(state.next + step) % count]).collect()
    };
    turn.into_iter().find_map(|to| Some((to, TcpStream::connect_timeout(&to, REACH).ok()?)))
}

/// Joins both sides; when the far one is not there, the near one is closed.
fn connect(near: TcpStream, state: &Arc<Mutex<State>>, silence: &Arc<Silence>) {
    let Some((to, far)) = reach(state) else { return };
    let _ = near.set_nodelay(true).and_then(|()| far.set_nodelay(true));
    let line = Line { near: Arc::new(near), far: Arc::new(far), to, answer: Arc::default() };
    lock(state).open.push(line.clone());
    let (ask, asked, held) = (line.clone(), state.clone(), silence.clone());
    thread::spawn(move || {
        pump(&ask.near, &ask.far, &ask, &held, |bytes| request(bytes, &ask, &asked));
        lock(&asked).open.retain(|other| !Arc::ptr_eq(&other.near, &ask.near));
    });
    let held = silence.clone();
    thread::spawn(move || pump(&line.far, &line.near, &line, &held, |bytes| answer(bytes, &line)));
}

/// Passes bytes on until an end or until `judge` says how many of them are the last.
fn pump(
    mut from: &TcpStream,
    mut to: &TcpStream,
    line: &Line,
    silence: &Silence,
    judge: impl Fn(&[u8]) -> Option<usize>,
) {
    let mut buffer = vec![0; CHUNK];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        silence.wait_out();
        let bytes = &buffer[..length];
        let last = judge(bytes);
        let passed = to.write_all(&bytes[..last.unwrap_or(length)]);
        if last.is_some() || passed.is_err() {
            break;
        }
    }
    silence.wait_out();
    line.cut();
}

/// How many bytes of a request pass before the connection is cut; none if it is not.
fn request(bytes: &[u8], line: &Line, state: &Mutex<State>) -> Option<usize> {
    let mut state = lock(state);
    let State { script, rng, cuts, .. } = &mut *state;
    let script = script.as_ref()?;
    let marked = script.mark.is_empty() || bytes.windows(script.mark.len()).any(|window| window == script.mark);
    if !marked || !rng.percent(script.percent) {
        return None;
    }
    match draw(rng) {
        Cut::Before => {
            cuts.before += 1;
            Some(0)
        }
        Cut::AtOnce => {
            cuts.after += 1;
            // The answer may be quicker than the cut.
            *lock(&line.answer) = Some(0);
            Some(bytes.len())
        }
        Cut::Answer(share) => {
            cuts.answer += 1;
            *lock(&line.answer) = Some(share);
            None
        }
    }
}

fn draw(rng: &mut Rng) -> Cut {
    match rng.between(0, 4) {
        0 => Cut::Before,
        1 => Cut::AtOnce,
        2 => Cut::Answer(0),
        _ => Cut::Answer(rng.between(1, 100)),
    }
}

fn answer(bytes: &[u8], line: &Line) -> Option<usize> {
    let share = lock(&line.answer).take()?;
    Some(bytes.len() * usize::try_from(share).unwrap_or(0) / 100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};

    /// A server that answers every line with `yes, ` and the line, and counts.
    fn echo() -> (SocketAddr, Arc<Mutex<u64>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, count) = (listener.local_addr().unwrap(), Arc::new(Mutex::new(0)));
        let counted = count.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let counted = counted.clone();
                thread::spawn(move || {
                    for line in BufReader::new(&stream).lines().map_while(Result::ok) {
                        *counted.lock().unwrap() += 1;
                        let _ = (&stream).write_all(format!("yes, {line}\n").as_bytes());
                    }
                });
            }
        });
        (address, count)
    }

    fn ask(stream: &TcpStream, text: &str) -> String {
        let mut said = String::new();
        let _ = { stream }.write_all(format!("{text}\n").as_bytes());
        let _ = BufReader::new(stream).read_line(&mut said);
        said
    }

    #[test]
    fn without_a_script_everything_passes_and_with_one_what_has_the_mark_is_cut() {
        let (upstream, count) = echo();
        let proxy = Proxy::start(upstream).unwrap();
        let stream = TcpStream::connect(proxy.address()).unwrap();
        assert_eq!(ask(&stream, "COMMIT"), "yes, COMMIT\n");
        proxy.follow(Script { mark: b"COMMIT", percent: 100 }, Rng::new(1));
        assert_eq!(ask(&stream, "BEGIN"), "yes, BEGIN\n");
        assert_ne!(ask(&stream, "COMMIT"), "yes, COMMIT\n");
        assert_eq!(proxy.cuts().all(), 1);
        assert!(*count.lock().unwrap() >= 2);
    }

    #[test]
    fn all_places_are_cut() {
        let (upstream, _) = echo();
        let proxy = Proxy::start(upstream).unwrap();
        proxy.follow(Script { mark: b"", percent: 100 }, Rng::new(3));
        for _ in 0..60 {
            let said = ask(&TcpStream::connect(proxy.address()).unwrap(), "a long question");
            assert!(said.len() < "yes, a long question\n".len(), "{said}");
        }
        let cuts = proxy.cuts();
        assert!(cuts.before > 3 && cuts.after > 3 && cuts.answer > 3, "{cuts:?}");
    }

    #[test]
    fn every_open_connection_can_be_cut_at_once() {
        let (upstream, _) = echo();
        let proxy = Proxy::start(upstream).unwrap();
        let stream = TcpStream::connect(proxy.address()).unwrap();
        assert_eq!(ask(&stream, "a"), "yes, a\n");
        assert_eq!(proxy.cut_all(), 1);
        assert_eq!(ask(&stream, "a"), "");
    }

    #[test]
    fn connections_go_to_those_who_are_there_in_turn() {
        let ((one, first), (two, second)) = (echo(), echo());
        let proxy = Proxy::start(one).unwrap();
        let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        proxy.point_to_all(vec![one, gone, two]);
        for _ in 0..9 {
            assert_eq!(ask(&TcpStream::connect(proxy.address()).unwrap(), "a"), "yes, a\n");
        }
        let counts = [*first.lock().unwrap(), *second.lock().unwrap()];
        assert!(counts.iter().sum::<u64>() == 9 && counts.iter().all(|count| *count >= 3), "{counts:?}");
    }

    #[test]
    fn what_is_held_passes_later_and_only_connections_to_one_side_are_cut() {
        let ((one, count), (two, _)) = (echo(), echo());
        let proxy = Proxy::start(one).unwrap();
        let stream = TcpStream::connect(proxy.address()).unwrap();
        assert_eq!(ask(&stream, "a"), "yes, a\n");
        proxy.hold();
        { &stream }.write_all(b"b\n").unwrap();
        assert_eq!(*count.lock().unwrap(), 1, "it is on its way, and does not come");
        proxy.let_go();
        let mut said = String::new();
        BufReader::new(&stream).read_line(&mut said).unwrap();
        assert_eq!(said, "yes, b\n");
        proxy.cut_to(two);
        assert_eq!(ask(&stream, "c"), "yes, c\n");
        proxy.cut_to(one);
        assert_eq!(ask(&stream, "d"), "");
    }
}
