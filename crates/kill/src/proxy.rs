//! A TCP proxy that cuts: before a request reaches the other side, after it, or in the middle of the answer.
//!
//! It knows no protocol. What comes at once from the side that connected is a request, or, with a mark, only what holds
//! the mark is (`COMMIT`); what comes back is its answer. Both hold for clients that wait for one answer before they ask
//! again.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::Result;

use crate::rng::Rng;

const CHUNK: usize = 64 * 1024;

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
    upstream: SocketAddr,
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
    /// How much of the next answer comes through, in hundredths.
    answer: Arc<Mutex<Option<u64>>>,
}

/// The proxy; closed when dropped.
pub struct Proxy {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
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
        let state = Arc::new(Mutex::new(State { upstream, script, rng: Rng::new(0), cuts, open, closed: false }));
        let shared = state.clone();
        thread::spawn(move || accept(&listener, &shared));
        Ok(Self { address, state })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on new connections go there.
    pub fn point_to(&self, upstream: SocketAddr) {
        lock(&self.state).upstream = upstream;
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

    /// How often it cut by its last script.
    #[must_use]
    pub fn cuts(&self) -> Cuts {
        lock(&self.state).cuts
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        lock(&self.state).closed = true;
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

fn accept(listener: &TcpListener, state: &Arc<Mutex<State>>) {
    for near in listener.incoming() {
        if lock(state).closed {
            return;
        }
        if let Ok(near) = near {
            connect(near, state);
        }
    }
}

/// Joins both sides; when the far one is not there, the near one is closed.
fn connect(near: TcpStream, state: &Arc<Mutex<State>>) {
    let upstream = lock(state).upstream;
    let Ok(far) = TcpStream::connect(upstream) else { return };
    let _ = near.set_nodelay(true).and_then(|()| far.set_nodelay(true));
    let line = Line { near: Arc::new(near), far: Arc::new(far), answer: Arc::default() };
    lock(state).open.push(line.clone());
    let (ask, asked) = (line.clone(), state.clone());
    thread::spawn(move || {
        pump(&ask.near, &ask.far, &ask, |bytes| request(bytes, &ask, &asked));
        lock(&asked).open.retain(|other| !Arc::ptr_eq(&other.near, &ask.near));
    });
    thread::spawn(move || pump(&line.far, &line.near, &line, |bytes| answer(bytes, &line)));
}

/// Passes bytes on until an end or until `judge` says how many of them are the last.
fn pump(mut from: &TcpStream, mut to: &TcpStream, line: &Line, judge: impl Fn(&[u8]) -> Option<usize>) {
    let mut buffer = vec![0; CHUNK];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let bytes = &buffer[..length];
        let last = judge(bytes);
        let passed = to.write_all(&bytes[..last.unwrap_or(length)]);
        if last.is_some() || passed.is_err() {
            break;
        }
    }
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
}
