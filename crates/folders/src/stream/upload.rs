//! A group of changes that a client asked for together, from its ASK to its end. A group lies in one directory as a rule; it is taken in
//! parts where it does not, or where it is larger than an operation may be.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::answers::Fault;
use super::limits::{FIRST_WRITE_MS, GAP_MS, LEASE_MS, RATE_AFTER_MS, RATE_MIN, RENEW_MS, UPLOAD_MAX_MS};
use super::segments::Named;
use super::writing::Place;
use super::{Call, RequestId, Stream};
use crate::form::{Ask, FileMeta, FileStatus, OfUpload};

/// What a group waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// For the answers of the desk.
    Asking,
    /// For pieces of files.
    Writing,
    /// For its bytes to be kept and its commits: the client sent its last.
    Ending,
    /// For nothing: it came to nothing, and what the client still sends for it is dropped. It fell silent, or sent what cannot be.
    Lapsed,
    Broken,
}

/// A part of a group.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) ask: Ask,
    /// Folders that several parts need, made before them: two uploads of one client cannot both be about to make one.
    pub(super) is_first: bool,
    pub(super) answer: Answer,
}

/// What came of a part so far.
#[derive(Debug)]
pub(super) enum Answer {
    Open,
    Denied { files: Vec<FileStatus>, look_ms: i64 },
    Increased { files: Vec<FileMeta> },
    Allowed { upload: String },
    Failed(Fault),
}

/// A file whose bytes are wanted.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) part: usize,
    pub(super) id: String,
    pub(super) path: String,
    pub(super) size: Option<u64>,
    pub(super) hash: Option<String>,
    pub(super) received: u64,
    /// Of all bytes in their order; not there where only missing chunks came.
    pub(super) digest: Option<Sha256>,
    /// Bytes that are no chunk yet.
    pub(super) buffer: Vec<u8>,
    /// Chunks, in their order: digest and size of those that are stored.
    pub(super) slots: Vec<Option<(String, u64)>>,
    /// How many of them are in segments.
    pub(super) taken: usize,
    /// Segments, in their order; asked for, and there.
    pub(super) segments: Vec<Option<String>>,
    pub(super) list: Option<List>,
    /// Its segments, where the client named them.
    pub(super) named: Vec<Named>,
}

/// The chunks of a file as the client listed them (FLD-21).
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) chunks: Vec<(String, u32)>,
    /// Places that are wanted.
    pub(super) missing: BTreeSet<usize>,
    pub(super) is_whole: bool,
}

/// A group.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) request: RequestId,
    pub(super) parts: Vec<Part>,
    pub(super) phase: Phase,
    pub(super) files: Vec<Content>,
    /// The file whose bytes came last.
    pub(super) current: Option<usize>,
    /// The file that was spoken of last: the next message is nearly always about it or the one after it.
    pub(super) near: usize,
    /// Chunks and segments that are on their way to the store.
    pub(super) storing: usize,
    /// Lists of chunks that are being looked up.
    pub(super) looking_up: usize,
    /// Of FILE_WRITE_END.
    pub(super) end_request: RequestId,
    /// The commits were asked for.
    pub(super) finishing: bool,
    /// Whether the client was told that it came to nothing.
    pub(super) told: bool,
    /// What broke it.
    broken_by: Option<Fault>,
    pub(super) began_at: u64,
    pub(super) heard_at: Option<u64>,
    pub(super) renewed_at: u64,
    pub(super) bytes: u64,
}

impl Content {
    pub(super) fn new(part: usize, id: String, asked: &crate::form::Asked) -> Self {
        Self {
            part,
            id,
            path: asked.path.clone(),
            size: asked.size,
            hash: asked.hash.clone(),
            received: 0,
            digest: Some(Sha256::new()),
            buffer: vec![],
            slots: vec![],
            taken: 0,
            segments: vec![],
            list: None,
            named: vec![],
        }
    }
}

impl Group {
    pub(super) fn new(request: RequestId, parts: Vec<Part>, now: u64) -> Self {
        Self {
            request,
            parts,
            phase: Phase::Asking,
            files: vec![],
            current: None,
            near: 0,
            storing: 0,
            looking_up: 0,
            end_request: None,
            finishing: false,
            told: false,
            broken_by: None,
            began_at: now,
            heard_at: None,
            renewed_at: now,
            bytes: 0,
        }
    }

    /// What is said to whatever still comes for it.
    pub(super) fn why_over(&self) -> Fault {
        let given_up = || Fault::timeout("this upload was given up, ask again");
        self.broken_by.as_ref().map_or_else(given_up, Fault::once_more)
    }

    /// Whether bytes may come for it, or it is on its way to be committed.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Asking | Phase::Writing | Phase::Ending)
    }

    /// When it is looked at next: the client is silent for too long, or its seats are to be renewed.
    pub(super) fn due_at(&self) -> Option<u64> {
        match self.phase {
            // While we are at it ourselves the client has nothing to say.
            Phase::Writing if self.is_busy() => Some(self.renewed_at + RENEW_MS),
            Phase::Writing => Some(self.silent_at().min(self.slow_at())),
            Phase::Ending => Some(self.renewed_at + RENEW_MS),
            Phase::Asking | Phase::Lapsed | Phase::Broken => None,
        }
    }

    /// Something of it is being looked up or stored.
    fn is_busy(&self) -> bool {
        self.looking_up + self.storing > 0
    }

    fn silent_at(&self) -> u64 {
        self.heard_at.map_or(self.began_at + FIRST_WRITE_MS, |at| at + GAP_MS)
    }

    /// When what came so far is too little.
    fn slow_at(&self) -> u64 {
        let allowed = RATE_AFTER_MS.max(self.bytes.saturating_mul(1_000) / RATE_MIN);
        self.began_at + allowed.min(UPLOAD_MAX_MS)
    }

    /// Its files, by what a piece may name them: directory with id, and directory with path.
    pub(super) fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().flat_map(|content| {
            let directory = self.parts[content.part].ask.directory.as_str();
            [(directory, content.id.as_str()), (directory, content.path.as_str())]
        })
    }

    pub(super) fn uploads(&self) -> impl Iterator<Item = (usize, &str)> {
        self.parts.iter().enumerate().filter_map(|(place, part)| match &part.answer {
            Answer::Allowed { upload } => Some((place, upload.as_str())),
            Answer::Open | Answer::Denied { .. } | Answer::Increased { .. } | Answer::Failed(_) => None,
        })
    }
}

impl Stream {
    /// Uploads whose clients fell silent or drip are given up; those that are being committed keep their seats.
    pub(super) fn look_at_uploads(&mut self) {
        let now = self.now;
        let due = |group: &Group| group.due_at().is_some_and(|at| at <= now);
        let groups: Vec<u64> = self.groups.iter().filter(|(_, one)| due(one)).map(|(number, _)| *number).collect();
        for number in groups {
            match self.groups.get_mut(&number) {
                Some(group) if group.phase == Phase::Writing && group.is_busy() => {
                    group.heard_at = Some(now);
                    self.renew(number);
                }
                Some(Group { phase: Phase::Writing, .. }) => self.give_up(number, Phase::Lapsed),
                Some(Group { phase: Phase::Ending, .. }) => self.renew(number),
                Some(Group { phase: Phase::Asking | Phase::Lapsed | Phase::Broken, .. }) | None => {}
            }
        }
    }

    /// The client was heard, speaking of a file: its seats last from now on.
    pub(super) fn hear(&mut self, (number, file): Place) {
        let now = self.now;
        let Some(group) = self.groups.get_mut(&number) else { return };
        group.near = file;
        let is_first = group.heard_at.replace(now).is_none();
        if is_first || now >= group.renewed_at + RENEW_MS {
            self.renew(number);
        }
    }

    fn renew(&mut self, number: u64) {
        let now = self.now;
        let Some(group) = self.groups.get_mut(&number) else { return };
        group.renewed_at = now;
        let uploads: Vec<String> = group.uploads().map(|(_, upload)| upload.to_owned()).collect();
        for upload in uploads {
            let input = OfUpload { upload, lease_ms: LEASE_MS };
            self.call("folders.renew", &input, Call::Renew { group: number });
        }
    }

    /// A seat that is lost is lost: whoever took it must not find bytes of ours. A store that does not answer is asked again.
    pub(super) fn renewed(&mut self, number: u64, result: Result<serde_json::Value, base::OpError>) {
        let is_lost = result.is_err_and(|error| error.code.letter() == 'N');
        let is_writing = self.groups.get(&number).is_some_and(|group| group.phase == Phase::Writing);
        if is_lost && is_writing {
            self.give_up(number, Phase::Lapsed);
        }
    }

    /// A question of a group was answered here: it may be the client's turn from now on. `None`: the group is over, which whoever asked is told.
    pub(super) fn answer_of(&mut self, number: u64, request: &RequestId) -> Option<&mut Group> {
        let now = self.now;
        if let Some(fault) = self.groups.get(&number).filter(|group| !group.is_open()).map(Group::why_over) {
            if request.is_some() {
                self.fault(request, fault);
            }
            return None;
        }
        let group = self.groups.get_mut(&number)?;
        group.looking_up -= 1;
        group.heard_at = Some(now);
        Some(group)
    }

    /// Ends a group without its commit. It is remembered, so that what still comes for it is known.
    pub(super) fn give_up(&mut self, number: u64, phase: Phase) {
        self.release(number);
        let Some(group) = self.groups.get_mut(&number) else { return };
        group.phase = phase;
        for file in &mut group.files {
            (file.buffer, file.slots, file.segments, file.list) = (vec![], vec![], vec![], None);
            file.named = vec![];
        }
        self.forget_oldest();
    }

    fn forget_oldest(&mut self) {
        let ended: Vec<u64> = self.groups.iter().filter(|(_, one)| !one.is_open()).map(|(number, _)| *number).collect();
        let surplus = ended.len().saturating_sub(super::limits::BROKEN_MAX);
        ended.iter().take(surplus).for_each(|number| drop(self.groups.remove(number)));
    }

    /// Gives the seats of a group back; those who wait for them are woken.
    pub(super) fn release(&mut self, number: u64) {
        let Some(group) = self.groups.get_mut(&number).filter(|group| group.is_open()) else { return };
        // A commit that is under way has them, or gives them back itself.
        let is_finishing = group.finishing;
        let uploads: Vec<String> = group.uploads().map(|(_, upload)| upload.to_owned()).collect();
        for upload in uploads.into_iter().filter(|_| !is_finishing) {
            self.call("folders.release", &OfUpload { upload, lease_ms: 0 }, Call::Release);
        }
    }

    /// Something cannot be: the client is told once, and the group is over.
    pub(super) fn break_group(&mut self, number: u64, request: &RequestId, fault: Fault) {
        self.give_up(number, Phase::Broken);
        let Some(group) = self.groups.get_mut(&number) else { return };
        group.broken_by = Some(fault.clone());
        if !std::mem::replace(&mut group.told, true) || request.is_some() {
            self.fault(request, fault);
        }
    }
}
