//! Calls to the outside as data (KER-14): an operation plans one, somebody performs it, an operation settles it.
//!
//! No call is ever made inside a transaction. Kinds are added with the services that need them.

/// A call to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// An HTTP request.
    Http(HttpCall),
    /// A mail.
    Mail(MailCall),
    /// A piece of work of the program itself outside of any transaction: removing a file, writing a backup.
    Work(WorkCall),
}

impl Call {
    /// Time for everything.
    #[must_use]
    pub const fn timeout_ms(&self) -> u64 {
        match self {
            Self::Http(call) => call.timeout_ms,
            Self::Mail(call) => call.timeout_ms,
            Self::Work(call) => call.timeout_ms,
        }
    }
}

/// A mail to send; who sends it and through which server is configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailCall {
    /// Addresses.
    pub to: Vec<String>,
    /// Subject.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// The same for every try, so that a receiver can tell a repeat: becomes `Message-ID`.
    pub id: String,
    /// Time for everything.
    pub timeout_ms: u64,
}

/// Work that the program registered under a name. It may run more than once for one task and must then do the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkCall {
    /// `blob.remove`, `backup.write` …
    pub name: &'static str,
    /// Which namespace it is for.
    pub namespace: String,
    /// Its parameter, JSON.
    pub param: String,
    /// Time for everything.
    pub timeout_ms: u64,
}

/// An HTTP request to a target outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpCall {
    /// `POST`, `GET` …
    pub method: &'static str,
    /// Absolute URL; the guard against private addresses looks at it when connecting.
    pub url: String,
    /// Header names and values.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
    /// Time for everything, answer included.
    pub timeout_ms: u64,
    /// Most bytes of the answer that are read.
    pub reply_max: usize,
}

/// The answer to an HTTP request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpReply {
    /// Status.
    pub status: u16,
    /// Header names in lower case and values, bounded in number and size.
    pub headers: Vec<(String, String)>,
    /// Body, cut at `reply_max`.
    pub body: Vec<u8>,
}

/// What came of a call. Three answers, as everywhere: done, refused, unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallResult {
    /// It was answered.
    Http(HttpReply),
    /// The mail server took it.
    Mailed,
    /// The work was done; says what came of it, JSON.
    Worked(String),
    /// It was certainly not made (no connection, refused by the guard).
    NotMade(String),
    /// It may have been made: the connection broke or the time ran out after sending.
    Unknown(String),
}

/// Performs calls.
pub trait Outbound: Send + Sync {
    /// Performs `call` and tells `done` once, from any thread.
    fn perform(&self, call: Call, done: Box<dyn FnOnce(CallResult) + Send>);

    /// The same for a namespace to try things in: its calls may reach this machine too, at its loopback addresses.
    fn perform_near(&self, call: Call, done: Box<dyn FnOnce(CallResult) + Send>) {
        self.perform(call, done);
    }
}
