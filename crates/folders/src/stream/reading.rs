//! Downloads (FLD-8): ALLOW with exactly what follows, then the pieces, then FILE_WRITE_END. One request after the other: pieces and ends carry
//! no REQUEST_ID. Nothing is locked; what is being written meanwhile is served as it was committed last.
//!
//! Bytes are fetched ahead of the client by a bounded window, and no further than it takes them.

use std::collections::{BTreeMap, VecDeque};

use base::OpError;
use kernel::Out;
use serde_json::Value;

use super::answers::Fault;
use super::limits::{
    ASKED_MAX, CHUNK_MAX, RANGES_MAX, REQUESTS_MAX, SOUGHT_MAX, WINDOW_BYTES, WINDOW_FILES, WINDOW_PIECES,
};
use super::{Call, RequestId, Stream, read_as};
use crate::desk::SEGMENTS_MAX;
use crate::form::{Content, ContentOf, FileMeta, FilesOf, Kind, SegmentsOf};
use crate::wire::server_message::Message;
use crate::wire::{
    ChunkRef, FileChunk, FileChunks, FileContentRequestAllow, FileContentRequestDeny, FileStatus, FileStatusInfo,
    FileWrite, FileWriteEnd, RequestFileContent, request_file_content,
};

/// Requests, the first of which is being answered.
#[derive(Debug, Default)]
pub(super) struct Downloads {
    jobs: VecDeque<Job>,
    made: u64,
    /// Bytes that are fetched or wait for their turn.
    held: usize,
}

#[derive(Debug)]
struct Job {
    number: u64,
    request: RequestId,
    wanted: Vec<request_file_content::FileId>,
    /// What was found, and how many were looked for.
    found: BTreeMap<String, FileMeta>,
    sought: usize,
    seeking: bool,
    /// From ALLOW on.
    files: Option<VecDeque<Sending>>,
    /// Files that are done.
    done: usize,
}

/// A file on its way out.
#[derive(Debug)]
struct Sending {
    meta: FileMeta,
    /// Only the list of its chunks is wanted.
    is_list: bool,
    /// Only the names of its segments are wanted.
    is_names: bool,
    /// Only the chunks of these segments are wanted.
    places: Option<VecDeque<usize>>,
    ranges: Vec<(u64, u64)>,
    segment: usize,
    is_listing: bool,
    is_listed: bool,
    /// Where the next chunk begins.
    offset: u64,
    pieces: VecDeque<Piece>,
    next_piece: u64,
    /// Something of it was sent.
    is_begun: bool,
}

#[derive(Debug)]
struct Piece {
    number: u64,
    sha: String,
    /// Within its chunk.
    from: u64,
    len: u64,
    /// Within the file.
    offset: u64,
    state: State,
}

#[derive(Debug)]
enum State {
    Waiting,
    Fetching,
    Here(Vec<u8>),
}

/// Each part of a file begins where the one before it ended, or later: nothing is sent twice.
fn are_apart(file: &request_file_content::FileId) -> bool {
    let apart = |pair: &[request_file_content::Range]| match pair {
        [one, next] => one.offset.saturating_add(one.size) <= next.offset,
        _ => true,
    };
    file.ranges.len() <= RANGES_MAX && file.ranges.windows(2).all(apart)
}

/// Segments are asked for in their order, each once.
fn are_rising(file: &request_file_content::FileId) -> bool {
    let in_order = file.segments.windows(2).all(|pair| pair[0] < pair[1]);
    in_order && file.segments.last().is_none_or(|last| *last < SEGMENTS_MAX as u64)
}

impl Stream {
    pub(super) fn request_content(&mut self, request: RequestId, wanted: RequestFileContent) {
        if self.downloads.jobs.len() >= REQUESTS_MAX {
            return self.fault(&request, Fault::invalid("too many requests for contents wait, take the answers first"));
        }
        if wanted.files.is_empty() || wanted.files.len() > ASKED_MAX {
            let text = format!("a request has 1 to {ASKED_MAX} files, not {}", wanted.files.len());
            return self.fault(&request, Fault::invalid(&text));
        }
        let is_plain = |file: &request_file_content::FileId| {
            let lists = file.list_chunks.is_some() || file.list_segments.is_some() || !file.segments.is_empty();
            file.version.is_none() && file.ranges.is_empty() && !lists
        };
        if !self.caps.chunks && !wanted.files.iter().all(is_plain) {
            return self.fault(&request, Fault::invalid("parts and lists need the capability `chunks`"));
        }
        if !wanted.files.iter().all(are_apart) {
            let text = format!("a file is asked for in at most {RANGES_MAX} parts, one behind the other");
            return self.fault(&request, Fault::invalid(&text));
        }
        if !wanted.files.iter().all(are_rising) {
            let text = format!("segments of a file are asked for in their order, each below {SEGMENTS_MAX}");
            return self.fault(&request, Fault::invalid(&text));
        }
        self.downloads.made += 1;
        let number = self.downloads.made;
        let found = BTreeMap::new();
        let wanted = wanted.files;
        let job = Job { number, request, wanted, found, sought: 0, seeking: false, files: None, done: 0 };
        self.downloads.jobs.push_back(job);
    }

    /// Goes on with the first request.
    pub(super) fn send_downloads(&mut self) {
        loop {
            let Some(job) = self.downloads.jobs.front() else { return };
            match &job.files {
                None if job.sought < job.wanted.len() => return self.seek(),
                None if job.seeking => return,
                None => self.allow_or_deny(),
                Some(files) if files.is_empty() => {
                    self.reply(&None, Message::FileWriteEnd(FileWriteEnd::default()));
                    self.downloads.jobs.pop_front();
                }
                Some(_) => {
                    self.list_ahead();
                    self.fetch_ahead();
                    if !self.send_ready() {
                        return;
                    }
                }
            }
        }
    }

    fn seek(&mut self) {
        let who = self.who.clone();
        let Some(job) = self.downloads.jobs.front_mut().filter(|job| !job.seeking) else { return };
        job.seeking = true;
        let until = job.wanted.len().min(job.sought + SOUGHT_MAX);
        let ids = job.wanted[job.sought..until].iter().map(|file| file.id.clone()).collect();
        job.sought = until;
        let number = job.number;
        self.read("folders.files", &FilesOf { who, ids }, Call::Sought { job: number });
    }

    pub(super) fn sought(&mut self, number: u64, result: Result<Value, OpError>) {
        let (found, may) = (read_as::<Vec<FileMeta>>(result), self.caller.clone());
        let Some(job) = self.downloads.jobs.front_mut().filter(|job| job.number == number) else { return };
        job.seeking = false;
        match found {
            Ok(found) => {
                let mine = found.into_iter().filter(|meta| may.may("folder", &meta.directory));
                job.found.extend(mine.map(|meta| (meta.id.clone(), meta)));
            }
            Err(fault) => self.drop_job(fault),
        }
    }

    fn drop_job(&mut self, fault: Fault) {
        self.downloads.held = 0;
        if let Some(job) = self.downloads.jobs.pop_front() {
            self.fault(&job.request, fault);
        }
    }

    /// All or none: whoever asks for what is not there asks again for the rest.
    fn allow_or_deny(&mut self) {
        let Some(job) = self.downloads.jobs.front_mut() else { return };
        let statuses: Vec<FileStatusInfo> = job.wanted.iter().map(|wanted| status_of(wanted, &job.found)).collect();
        let request = job.request.clone();
        if statuses.iter().any(|info| info.status != i32::from(FileStatus::Free)) {
            self.downloads.jobs.pop_front();
            let deny = FileContentRequestDeny { files: statuses };
            return self.reply(&request, Message::FileContentRequestDeny(deny));
        }
        let sending = |wanted: &request_file_content::FileId| Some(Sending::of(wanted, job.found.get(&wanted.id)?));
        let files: VecDeque<Sending> = job.wanted.iter().filter_map(sending).collect();
        let metas: Vec<FileMeta> = files.iter().map(|file| file.meta.clone()).collect();
        (job.files, job.found) = (Some(files), BTreeMap::new());
        let files = metas.iter().map(|meta| crate::wire::metadata(meta, self.caps.tree)).collect();
        self.reply(&request, Message::FileContentRequestAllow(FileContentRequestAllow { files }));
    }

    /// Learns the chunks of the next files.
    fn list_ahead(&mut self) {
        let who = self.who.clone();
        let Some(Job { number, files: Some(files), done, .. }) = self.downloads.jobs.front_mut() else { return };
        let (number, mut wanted) = (*number, vec![]);
        for (place, file) in files.iter_mut().take(WINDOW_FILES).enumerate() {
            if !file.is_listing && !file.is_listed && file.pieces.len() < WINDOW_PIECES {
                file.is_listing = true;
                let (id, version, segment) = (file.meta.id.clone(), file.meta.version, file.segment);
                wanted.push((*done + place, file.is_names, ContentOf { who: who.clone(), id, version, segment }));
            }
        }
        for (file, is_names, input) in wanted {
            let ContentOf { who, id, version, .. } = input.clone();
            match is_names {
                true => self.read(
                    "folders.segments",
                    &SegmentsOf { who, id, version },
                    Call::Segments { job: number, file },
                ),
                false => self.read("folders.content", &input, Call::Content { job: number, file }),
            }
        }
    }

    /// The names of the segments of a content.
    pub(super) fn segments_listed(&mut self, number: u64, place: usize, result: Result<Value, OpError>) {
        let names = read_as::<Vec<String>>(result);
        let Some(Job { files: Some(files), done, .. }) = self.job(number) else { return };
        let Some(file) = place.checked_sub(*done).and_then(|at| files.get_mut(at)) else { return };
        match names {
            Err(fault) => {
                let fault = fault.about(&file.meta.id, &file.meta.path);
                self.drop_job(fault);
            }
            Ok(names) => {
                (file.is_listing, file.is_listed, file.is_begun) = (false, true, true);
                let list =
                    FileChunks { segments: names.iter().map(|name| digest(name)).collect(), ..file.list(&[], true) };
                self.reply(&None, Message::FileChunks(list));
            }
        }
    }

    pub(super) fn listed(&mut self, number: u64, place: usize, result: Result<Value, OpError>) {
        let content = read_as::<Content>(result);
        let Some(Job { files: Some(files), done, .. }) = self.job(number) else { return };
        let Some(file) = place.checked_sub(*done).and_then(|at| files.get_mut(at)) else { return };
        let Content { chunks, is_last } = match content {
            Ok(content) => content,
            Err(fault) => {
                let fault = fault.about(&file.meta.id, &file.meta.path);
                return self.drop_job(fault);
            }
        };
        (file.is_listing, file.is_begun) = (false, file.is_begun || file.is_list);
        let segment = file.next_segment(is_last);
        if file.is_list {
            let list = FileChunks { segment, ..file.list(&chunks, file.is_listed) };
            return self.reply(&None, Message::FileChunks(list));
        }
        chunks.into_iter().for_each(|chunk| file.add(chunk));
        // Behind the last part nothing is wanted.
        file.is_listed |= file.ranges.last().is_some_and(|(_, until)| file.offset >= *until);
    }

    fn job(&mut self, number: u64) -> Option<&mut Job> {
        self.downloads.jobs.front_mut().filter(|job| job.number == number)
    }

    fn fetch_ahead(&mut self) {
        let mut room = WINDOW_BYTES.saturating_sub(self.unsent + self.downloads.held);
        let Some(Job { number, files: Some(files), done, .. }) = self.downloads.jobs.front_mut() else { return };
        let (number, mut wanted) = (*number, vec![]);
        let ahead = files.iter_mut().take(WINDOW_FILES).enumerate();
        let pieces = ahead.flat_map(|(place, file)| file.pieces.iter_mut().map(move |piece| (place, piece)));
        for (place, piece) in pieces.take(WINDOW_PIECES) {
            let len = usize::try_from(piece.len).unwrap_or(CHUNK_MAX);
            if room == 0 {
                break;
            }
            if matches!(piece.state, State::Waiting) {
                piece.state = State::Fetching;
                room = room.saturating_sub(len);
                self.downloads.held += len;
                wanted.push((*done + place, piece.number, piece.sha.clone(), piece.from, piece.len));
            }
        }
        for (file, piece, sha, from, len) in wanted {
            let call = self.next_call(Call::Fetch { job: number, file, piece });
            self.out.push(Out::Fetch { call, sha, from, len });
        }
    }

    pub(super) fn got(&mut self, number: u64, place: usize, piece: u64, result: Result<Vec<u8>, OpError>) {
        let Some(Job { files: Some(files), done, .. }) = self.job(number) else { return };
        let Some(file) = place.checked_sub(*done).and_then(|at| files.get_mut(at)) else { return };
        let Some(piece) = file.pieces.iter_mut().find(|one| one.number == piece) else { return };
        match result {
            Ok(bytes) if bytes.len() as u64 == piece.len => piece.state = State::Here(bytes),
            // No end follows: what came so far must not be taken for the whole.
            short_or_failed => {
                let short = || Fault::internal("a chunk is shorter than its segment says");
                let fault = short_or_failed.map_or_else(|error| Fault::of(&error), |_| short());
                let fault = fault.about(&file.meta.id, &file.meta.path);
                self.drop_job(fault);
            }
        }
    }

    /// Sends what is there, in order; whether the first file is done.
    fn send_ready(&mut self) -> bool {
        loop {
            let Some(Job { files: Some(files), done, .. }) = self.downloads.jobs.front_mut() else { return false };
            let Some(file) = files.front_mut() else { return true };
            if let Some(chunk) = file.next_chunk() {
                self.downloads.held = self.downloads.held.saturating_sub(chunk.data.len());
                self.reply(&None, Message::FileWrite(FileWrite { chunk: Some(chunk) }));
            } else if file.is_done() {
                let sent = files.pop_front();
                *done += 1;
                sent.into_iter().filter(|file| !file.is_list).for_each(|file| self.served(&file.meta));
                return true;
            } else {
                return false;
            }
        }
    }
}

impl Stream {
    /// The client has this content: from now on it counts as known.
    fn served(&mut self, meta: &FileMeta) {
        if let Some(directory) = self.directories.get_mut(&meta.directory) {
            directory.known.seen(&meta.id);
        }
    }
}

impl Sending {
    fn of(wanted: &request_file_content::FileId, meta: &FileMeta) -> Self {
        let mut meta = meta.clone();
        if let Some(version) = wanted.version.filter(|version| *version != meta.version) {
            // Of an older version only its number is known here.
            (meta.version, meta.hash, meta.author_hash, meta.size) = (version, None, None, 0);
        }
        let is_names = wanted.list_segments.unwrap_or(false);
        let is_list = is_names || wanted.list_chunks.unwrap_or(false);
        let mut places: VecDeque<usize> = wanted.segments.iter().filter_map(|at| usize::try_from(*at).ok()).collect();
        let first = places.pop_front().filter(|_| is_list);
        Self {
            meta,
            is_list,
            is_names,
            places: first.map(|_| places),
            ranges: wanted.ranges.iter().map(|range| (range.offset, range.offset.saturating_add(range.size))).collect(),
            segment: first.unwrap_or(0),
            is_listing: false,
            is_listed: false,
            offset: 0,
            pieces: VecDeque::new(),
            next_piece: 0,
            is_begun: false,
        }
    }

    /// Goes on to the next segment; the place of the one that came, where only some are wanted.
    fn next_segment(&mut self, is_last: bool) -> Option<u64> {
        let came = self.segment;
        let Some(places) = &mut self.places else {
            (self.is_listed, self.segment) = (is_last, came + 1);
            return None;
        };
        let next = places.pop_front();
        (self.is_listed, self.segment) = (next.is_none(), next.unwrap_or(came));
        Some(came as u64)
    }

    /// A chunk of the content: the parts of it that are wanted.
    fn add(&mut self, (sha, size): (String, u64)) {
        let (begin, end) = (self.offset, self.offset + size);
        self.offset = end;
        let all = [(0, u64::MAX)];
        let ranges: Vec<(u64, u64)> = if self.ranges.is_empty() { all.to_vec() } else { self.ranges.clone() };
        for (from, until) in ranges {
            let (mut from, until) = (from.max(begin), until.min(end));
            while from < until {
                let len = (until - from).min(CHUNK_MAX as u64);
                let piece = Piece {
                    number: self.next_piece,
                    sha: sha.clone(),
                    from: from - begin,
                    len,
                    offset: from,
                    state: State::Waiting,
                };
                self.next_piece += 1;
                self.pieces.push_back(piece);
                from += len;
            }
        }
    }

    fn list(&self, chunks: &[(String, u64)], last: bool) -> FileChunks {
        let reference = |(sha, size): &(String, u64)| ChunkRef {
            digest: digest(sha),
            size: u32::try_from(*size).unwrap_or(u32::MAX),
        };
        FileChunks {
            id: self.meta.id.clone(),
            directory_id: self.meta.directory.clone(),
            current_path: self.meta.path.clone(),
            chunks: chunks.iter().map(reference).collect(),
            last,
            ..FileChunks::default()
        }
    }

    /// The next piece, if it is here. A file without bytes is one empty piece, so that it is made.
    fn next_chunk(&mut self) -> Option<FileChunk> {
        let (data, offset) = match self.pieces.front_mut() {
            Some(piece) => match &mut piece.state {
                State::Here(bytes) => (std::mem::take(bytes), piece.offset),
                State::Waiting | State::Fetching => return None,
            },
            None if self.is_listed && !self.is_begun && self.ranges.is_empty() => (vec![], 0),
            None => return None,
        };
        self.pieces.pop_front();
        self.is_begun = true;
        Some(FileChunk {
            id: self.meta.id.clone(),
            directory_id: self.meta.directory.clone(),
            data,
            offset,
            current_path: self.meta.path.clone(),
            ..FileChunk::default()
        })
    }

    fn is_done(&self) -> bool {
        self.is_listed && self.pieces.is_empty()
    }
}

fn digest(sha: &str) -> Vec<u8> {
    sha.parse::<base::Sha>().map(|sha| sha.0.to_vec()).unwrap_or_default()
}

fn status_of(wanted: &request_file_content::FileId, found: &BTreeMap<String, FileMeta>) -> FileStatusInfo {
    let of_directory = |meta: &&FileMeta| wanted.directory_id.is_empty() || meta.directory == wanted.directory_id;
    let meta = found.get(&wanted.id).filter(of_directory);
    let reason = match meta {
        None => Some("unknown"),
        Some(meta) if meta.deleted && wanted.version.is_none() => Some("deleted"),
        Some(meta) if meta.kind != Kind::File => Some("it has no content"),
        Some(_) => None,
    };
    let status = if reason.is_some() { FileStatus::Denied } else { FileStatus::Free };
    FileStatusInfo {
        id: wanted.id.clone(),
        directory_id: wanted.directory_id.clone(),
        status: status.into(),
        current_path: meta.map(|meta| meta.path.clone()),
        reason: reason.map(str::to_owned),
    }
}
