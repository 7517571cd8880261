//! A conversation with the stream, whose desk is the test itself: each call waits until the test ends it.

use std::collections::VecDeque;

use base::{Code, OpError, Ran, Sha};
use folders::form::{Asking, FileMeta, Kind};
use folders::stream::STREAM;
use folders::wire::client_message::Message as Said;
use folders::wire::server_message::Message as Heard;
use folders::wire::{ClientMessage, ServerMessage, ask_version_increase::FileInfo};
use kernel::{Caller, Opening, Out, Role, Session, SessionEvent, Watch};
use prost::Message as _;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub const DIRECTORY: &str = "d1";

/// A client's connection, seen from both sides.
pub struct Talk {
    session: Box<dyn Session>,
    pub now: u64,
    tick_at: Option<u64>,
    heard: VecDeque<ServerMessage>,
    /// Calls and reads that are under way: number, name, input.
    open: Vec<(u64, &'static str, Value)>,
    /// Bytes to be kept.
    keeps: Vec<(u64, Vec<u8>)>,
    /// Bytes to be fetched: number, digest, first byte, how many.
    pub fetches: Vec<(u64, String, u64, u64)>,
    pub watched: Vec<Watch>,
    /// Replies are taken by the client at once.
    pub takes: bool,
}

impl Talk {
    pub fn new() -> Self {
        Self::with("", Role::Folder)
    }

    pub fn with(caps: &str, role: Role) -> Self {
        let caller = Caller { name: "key".into(), role, scope: "{}".into(), proof: None, everywhere: false };
        let mut talk = Self {
            session: (STREAM.open)(&caller, Ran(0)),
            now: 0,
            tick_at: None,
            heard: VecDeque::new(),
            open: vec![],
            keeps: vec![],
            fetches: vec![],
            watched: vec![],
            takes: true,
        };
        let metadata = [("synxpo-caps".to_owned(), caps.to_owned())].into();
        let opening = Opening { connection: "connection".into(), metadata };
        talk.on(SessionEvent::Message(serde_json::to_vec(&opening).unwrap()));
        talk
    }

    pub fn on(&mut self, event: SessionEvent) {
        let out = self.session.on(event, Ran(self.now));
        let replied = out.iter().any(|out| matches!(out, Out::Reply(_)));
        out.into_iter().for_each(|out| self.perform(out));
        if replied && self.takes {
            self.on(SessionEvent::Sent);
        }
    }

    fn perform(&mut self, out: Out) {
        match out {
            Out::Reply(bytes) => self.heard.push_back(ServerMessage::decode(&bytes[..]).unwrap()),
            Out::Timer { after_ms, .. } => self.tick_at = Some(self.now + after_ms),
            Out::Call { call, op, input } => self.open.push((call, op, input)),
            Out::Read { call, query, input } => self.open.push((call, query, input)),
            Out::Keep { call, bytes } => self.keeps.push((call, bytes)),
            Out::Fetch { call, sha, from, len } => self.fetches.push((call, sha, from, len)),
            Out::Watch(watch) => self.watched.push(watch),
            Out::Unwatch(watch) => self.watched.retain(|one| *one != watch),
            Out::Close => panic!("the stream closes"),
        }
    }

    /// The client says something without a REQUEST_ID.
    pub fn say(&mut self, message: Said) {
        self.send(ClientMessage { message: Some(message), ..ClientMessage::default() });
    }

    pub fn ask(&mut self, id: &str, message: Said) {
        let request_id = Some(id.to_owned());
        self.send(ClientMessage { request_id, message: Some(message), ..ClientMessage::default() });
    }

    pub fn send(&mut self, message: ClientMessage) {
        self.on(SessionEvent::Message(message.encode_to_vec()));
    }

    /// The input of the first call of this name that is under way.
    pub fn input(&self, name: &str) -> &Value {
        &self.open.iter().find(|(_, op, _)| *op == name).unwrap_or_else(|| panic!("{name} of {:?}", self.names())).2
    }

    /// Names of all that is under way.
    pub fn names(&self) -> Vec<&'static str> {
        self.open.iter().map(|(_, name, _)| *name).collect()
    }

    /// Ends the first call of this name.
    pub fn end(&mut self, name: &str, result: impl Serialize) {
        let result = Ok(serde_json::to_value(result).unwrap());
        self.end_with(name, result);
    }

    pub fn fail(&mut self, name: &str, code: Code) {
        self.end_with(name, Err(OpError::new(code, "because /of/this")));
    }

    fn end_with(&mut self, name: &str, result: Result<Value, OpError>) {
        let at =
            self.open.iter().position(|(_, op, _)| *op == name).unwrap_or_else(|| panic!("{name}: {:?}", self.names()));
        let (call, ..) = self.open.remove(at);
        self.on(SessionEvent::Ended { call, result });
    }

    /// Everything that is to be kept is; what it was.
    pub fn keep(&mut self) -> Vec<Vec<u8>> {
        let mut kept = vec![];
        while !self.keeps.is_empty() {
            let (call, bytes) = self.keeps.remove(0);
            let result = Ok(json!({ "sha": sha(&bytes), "size": bytes.len() }));
            kept.push(bytes);
            self.on(SessionEvent::Ended { call, result });
        }
        kept
    }

    /// The first of what is to be kept is not.
    pub fn keep_fails(&mut self, code: Code) {
        let (call, _) = self.keeps.remove(0);
        self.on(SessionEvent::Ended { call, result: Err(OpError::new(code, "because /of/this")) });
    }

    /// Ends the fetch at this place with bytes.
    pub fn fetched(&mut self, at: usize, bytes: &[u8]) {
        let (call, ..) = self.fetches.remove(at);
        self.on(SessionEvent::Bytes { call, result: Ok(bytes.to_vec()) });
    }

    /// What the client heard since the last look.
    pub fn heard(&mut self) -> Vec<ServerMessage> {
        self.heard.drain(..).collect()
    }

    /// The one thing that it heard, and the REQUEST_ID.
    pub fn one(&mut self) -> (Option<String>, Heard) {
        let mut heard = self.heard();
        assert_eq!(heard.len(), 1, "{heard:?}");
        let one = heard.remove(0);
        (one.request_id, one.message.unwrap())
    }

    /// The one thing that it heard is an error of this code; its text.
    pub fn error(&mut self, id: Option<&str>, code: folders::wire::error::ErrorCode) -> String {
        match self.one() {
            (request, Heard::Error(error)) => {
                assert_eq!((request.as_deref(), error.code), (id, i32::from(code)), "{error:?}");
                error.message
            }
            other => panic!("{other:?}"),
        }
    }

    /// Time passes, and the timer with it.
    pub fn pass(&mut self, ms: u64) {
        let until = self.now + ms;
        while let Some(at) = self.tick_at.filter(|at| *at <= until) {
            (self.now, self.tick_at) = (at.max(self.now), None);
            self.on(SessionEvent::Timer(0));
        }
        self.now = until;
    }

    /// Asks to write one file, and is allowed to.
    pub fn allowed(&mut self, files: Vec<FileInfo>) {
        let wanted: Vec<(usize, String)> = (0..files.len()).map(|at| (at, format!("f{at}"))).collect();
        self.ask("ask", Said::AskVersionIncrease(folders::wire::AskVersionIncrease { files }));
        self.end("folders.ask", Asking::Allowed { upload: "u1".into(), wanted });
        let (id, answer) = self.one();
        assert!(matches!(answer, Heard::VersionIncreaseAllow(_)) && id.as_deref() == Some("ask"), "{answer:?}");
    }
}

pub fn sha(bytes: &[u8]) -> String {
    Sha(Sha256::digest(bytes).into()).to_string()
}

/// A change of content of a file.
pub fn edit(id: Option<&str>, path: &str, time: u64) -> FileInfo {
    FileInfo {
        id: id.map(str::to_owned),
        directory_id: DIRECTORY.into(),
        first_try_time: Some(folders::wire::Timestamp { time }),
        current_path: path.into(),
        content_changed: true,
        ..FileInfo::default()
    }
}

pub fn meta(id: &str, path: &str, version: u64, seq: u64, client: &str) -> FileMeta {
    FileMeta {
        id: id.into(),
        directory: DIRECTORY.into(),
        version,
        content_version: version,
        kind: Kind::File,
        path: path.into(),
        deleted: false,
        size: 3,
        hash: None,
        author_hash: None,
        mtime_us: None,
        executable: None,
        target: None,
        seq,
        client: client.into(),
        parent: String::new(),
        name: path.into(),
    }
}

pub fn digest(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}
