//! A Redis server as seen by whoever asks it: commands as words, answers as values. Nothing that it holds may be the only copy of
//! anything.

/// A command: its words.
pub type RedisCommand = Vec<Vec<u8>>;

/// What a command gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RedisReply {
    /// Nothing is there.
    Nothing,
    /// A number.
    Number(i64),
    /// A text or bytes.
    Text(Vec<u8>),
    /// Several.
    List(Vec<RedisReply>),
    /// The server refused the command.
    Refused(String),
}

/// Told what each command gave, in order, or why nobody knows. Called once, from any thread.
pub type RedisDone = Box<dyn FnOnce(Result<Vec<RedisReply>, String>) + Send>;

/// A server.
pub trait Redis: Send + Sync {
    /// Has the commands done one after the other, and tells `done`. Returns at once. After an error any of them may have been done.
    fn ask(&self, commands: Vec<RedisCommand>, done: RedisDone);
}
