//! A Redis server, asked over one connection by a thread of its own.
//!
//! Invariants: `done` is told exactly once; every wait has an end; an answer has a bound. A connection that failed is not used again:
//! what came on it later could be taken for the answer to something else.
//!
//! Deliberately not here: TLS, clusters, subscriptions.

mod speech;
mod url;

use std::io::BufReader;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use base::{Redis, RedisCommand, RedisDone, RedisReply};

pub use self::url::InvalidRedisUrl;
use self::url::Server;

/// Time to connect, and between two bytes of an answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Questions that may wait; one more is refused.
const WAITING_MAX: usize = 256;

/// A server; its thread ends when this is dropped.
pub struct RedisServer {
    questions: Option<SyncSender<Question>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Question {
    commands: Vec<RedisCommand>,
    done: RedisDone,
}

impl RedisServer {
    /// The server at `redis://[user:password@]host[:port][/number]`. It need not be there yet.
    ///
    /// # Errors
    /// It is no such URL.
    ///
    /// # Panics
    /// The machine has no room for a thread.
    #[expect(clippy::expect_used, reason = "at start; without a thread nothing else would run either")]
    pub fn new(url: &str) -> Result<Self, InvalidRedisUrl> {
        let server = Server::parse(url)?;
        let (tell, questions) = sync_channel(WAITING_MAX);
        let thread = std::thread::Builder::new().name("redis".into()).spawn(move || answer_all(&server, &questions));
        Ok(Self { questions: Some(tell), thread: Mutex::new(Some(thread.expect("a thread for Redis"))) })
    }

    /// Whether a URL names one.
    ///
    /// # Errors
    /// It does not.
    pub fn check_url(url: &str) -> Result<(), InvalidRedisUrl> {
        Server::parse(url).map(drop)
    }
}

impl Redis for RedisServer {
    fn ask(&self, commands: Vec<RedisCommand>, done: RedisDone) {
        let Some(questions) = &self.questions else { return };
        if let Err(TrySendError::Full(question) | TrySendError::Disconnected(question)) =
            questions.try_send(Question { commands, done })
        {
            (question.done)(Err("more questions wait for Redis than we take".into()));
        }
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.questions = None;
        let thread = self.thread.get_mut().map(Option::take).unwrap_or_default();
        // The last owner may be a question's own `done`, on the very thread.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != std::thread::current().id()) {
            let _ = thread.join();
        }
    }
}

fn answer_all(server: &Server, questions: &Receiver<Question>) {
    let mut connection = None;
    while let Ok(Question { commands, done }) = questions.recv() {
        let answer = answer(server, &mut connection, &commands);
        if answer.is_err() {
            connection = None;
        }
        done(answer.map_err(|error| format!("Redis at {}: {error}", server.address)));
    }
}

type Connection = BufReader<TcpStream>;

fn answer(
    server: &Server,
    connection: &mut Option<Connection>,
    commands: &[RedisCommand],
) -> Result<Vec<RedisReply>, String> {
    if connection.is_none() {
        *connection = Some(connect(server)?);
    }
    let connection = connection.as_mut().ok_or("no connection")?;
    exchange(connection, commands).map_err(|error| error.to_string())
}

fn connect(server: &Server) -> Result<Connection, String> {
    let addresses = server.address.to_socket_addrs().map_err(|error| error.to_string())?;
    let mut last = "it has no address".to_owned();
    for address in addresses {
        match TcpStream::connect_timeout(&address, PATIENCE).and_then(patient) {
            Ok(stream) => return greet(server, BufReader::new(stream)),
            Err(error) => last = error.to_string(),
        }
    }
    Err(last)
}

fn patient(stream: TcpStream) -> std::io::Result<TcpStream> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Says who asks, and of which database.
fn greet(server: &Server, mut connection: Connection) -> Result<Connection, String> {
    let replies = exchange(&mut connection, &server.greeting()).map_err(|error| error.to_string())?;
    let refused = replies.into_iter().find_map(|reply| match reply {
        RedisReply::Refused(reason) => Some(reason),
        _ => None,
    });
    refused.map_or(Ok(connection), Err)
}

fn exchange(connection: &mut Connection, commands: &[RedisCommand]) -> std::io::Result<Vec<RedisReply>> {
    use std::io::Write as _;
    connection.get_mut().write_all(&speech::written(commands))?;
    commands.iter().map(|_| speech::read(connection)).collect()
}

/// Whether bytes begin with an answer. For the fuzz targets.
#[must_use]
pub fn reads_reply(mut bytes: &[u8]) -> bool {
    speech::read(&mut bytes).is_ok()
}
