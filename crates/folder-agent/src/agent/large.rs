//! Large contents travel by their chunks (FLD-21): what the other side has already is not sent, and what came before a break is not sent again. Their
//! lists are large themselves: segments are named first, and only those that the other side does not know are listed.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::ops::Range;

use sha2::{Digest as _, Sha256};
use synxpo::wire::client_message::Message as Say;
use synxpo::wire::request_file_content::{self, FileId as Wanted};
use synxpo::wire::{ChunkRef, ChunksMissing, FileChunk, FileChunks, FileWrite};

use super::Agent;
use super::download::size_of;
use super::work::Trouble;
use crate::chunks::{Chunk, Cutter, segments};
use crate::disk::{Disk, Expected, Stage};
use crate::model::{Content, Hash, Remote};
use crate::plan::Fetch;
use crate::state::Begun;

/// Bytes that are read at once.
const READ: usize = 1 << 20;
/// Bytes that are cut, copied or compared in one turn; then others have theirs.
const TURN: u64 = 16 << 20;
/// Segments whose lists are answered at once.
const LISTED: usize = 4;
/// Segments that are asked for at once.
const WANTED: usize = 200;
/// Parts that are asked for at once.
const RANGES: usize = 500;
/// Bytes that are asked for at once.
const RANGES_BYTES: u64 = 64 << 20;

/// A large content on its way to the server.
#[derive(Debug)]
pub(super) struct LargeUpload {
    id: String,
    path: String,
    stage: Stage,
    chunks: Vec<Chunk>,
    segments: Vec<(Range<usize>, Hash)>,
    is_named: bool,
    /// Segments that the server does not know.
    unlisted: VecDeque<usize>,
    /// Questions that were sent and answered.
    asked: usize,
    answered: usize,
    /// Chunks that it does not have: segment, and place in it.
    missing: VecDeque<(usize, usize)>,
}

impl LargeUpload {
    pub(super) fn new(id: String, path: String, stage: Stage, chunks: Vec<Chunk>) -> Self {
        let segments = segments(&chunks);
        let (unlisted, missing) = (VecDeque::new(), VecDeque::new());
        Self { id, path, stage, chunks, segments, is_named: false, unlisted, asked: 0, answered: 0, missing }
    }

    fn has_room(&self) -> bool {
        self.asked - self.answered < LISTED
    }

    pub(super) fn is_awaiting(&self) -> bool {
        let can_list = self.has_room() && !self.unlisted.is_empty();
        self.is_named && !can_list && self.missing.is_empty()
    }

    pub(super) fn is_sent(&self) -> bool {
        self.is_awaiting() && self.unlisted.is_empty() && self.asked == self.answered
    }

    pub(super) fn missing(&mut self, said: &ChunksMissing) {
        self.answered += 1;
        let place = |place: &u64| usize::try_from(*place).ok();
        match said.segment.as_ref().map(place) {
            None => self.unlisted.extend(said.segments.iter().filter_map(place)),
            Some(Some(segment)) => {
                self.missing.extend(said.indexes.iter().filter_map(place).map(|index| (segment, index)));
            }
            Some(None) => {}
        }
    }

    fn chunk(&self, (segment, index): (usize, usize)) -> Option<Chunk> {
        let (of, _) = self.segments.get(segment)?;
        self.chunks.get(of.clone())?.get(index).copied()
    }
}

/// A large content on its way here.
#[derive(Debug)]
pub(super) struct LargeDownload {
    phase: Phase,
    /// The names of its segments, and the lists of those that came.
    names: Vec<Hash>,
    lists: BTreeMap<usize, Vec<Chunk>>,
    unlisted: VecDeque<usize>,
    /// Chunks of the file that is here.
    own: Vec<Chunk>,
    cutter: Cutter,
    read: u64,
    /// All of its chunks.
    chunks: Vec<Chunk>,
    /// Chunks of the file that is here: where they are.
    here: BTreeMap<Hash, u64>,
    /// Something of it came before a break.
    is_resumed: bool,
    /// The next chunk to be looked for.
    at: usize,
    /// What is taken from the file that is here.
    copies: VecDeque<Copied>,
    missing: VecDeque<(u64, u64)>,
    has_come: bool,
    /// Chunks that were not what they should be were fetched anew.
    is_mended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The names of its segments come.
    Naming,
    /// What is here is cut.
    Cutting,
    /// The chunks of segments that are not here come.
    Listing,
    /// What is here is looked for.
    Matching,
    /// The rest comes.
    Fetching,
    /// What is here is taken: last, so that it can be hashed on the way.
    Copying,
}

/// Bytes of the file that is here, and where they belong.
#[derive(Debug, Clone, Copy)]
struct Copied {
    from: u64,
    to: u64,
    bytes: u64,
}

impl Copied {
    fn goes_on(&self, from: u64, to: u64) -> bool {
        self.bytes < TURN && self.from + self.bytes == from && self.to + self.bytes == to
    }
}

impl LargeDownload {
    pub(super) fn new() -> Self {
        Self {
            phase: Phase::Naming,
            names: vec![],
            lists: BTreeMap::new(),
            unlisted: VecDeque::new(),
            own: vec![],
            cutter: Cutter::default(),
            read: 0,
            chunks: vec![],
            here: BTreeMap::new(),
            is_resumed: false,
            at: 0,
            copies: VecDeque::new(),
            missing: VecDeque::new(),
            has_come: false,
            is_mended: false,
        }
    }

    /// The server was asked for something that did not come yet.
    pub(super) fn is_awaiting(&self) -> bool {
        matches!(self.phase, Phase::Naming | Phase::Listing | Phase::Fetching) && !self.has_come
    }

    pub(super) fn is_naming(&self) -> bool {
        self.phase == Phase::Naming
    }

    pub(super) fn add(&mut self, more: &FileChunks) {
        self.names.extend(more.segments.iter().filter_map(|name| Hash::try_from(name.as_slice()).ok()));
        let Some(place) = more.segment.and_then(|place| usize::try_from(place).ok()) else { return };
        let chunk = |chunk: &ChunkRef| {
            Some(Chunk { offset: 0, size: chunk.size, digest: chunk.digest.as_slice().try_into().ok()? })
        };
        self.lists.insert(place, more.chunks.iter().filter_map(chunk).collect());
    }

    pub(super) fn came(&mut self) {
        self.has_come = true;
    }

    /// What is here is known: which segments are not in it?
    fn know_own(&mut self) {
        let own: BTreeMap<Hash, Range<usize>> = segments(&self.own).into_iter().map(|(of, name)| (name, of)).collect();
        for (place, name) in self.names.iter().enumerate() {
            match own.get(name) {
                Some(of) => drop(self.lists.insert(place, self.own[of.clone()].to_vec())),
                None => self.unlisted.push_back(place),
            }
        }
        self.here = self.own.iter().map(|chunk| (chunk.digest, chunk.offset)).collect();
        (self.phase, self.has_come) = (Phase::Listing, true);
    }

    /// All segments are listed: the chunks, one behind the other.
    fn know_all(&mut self) {
        let mut offset = 0;
        for chunk in std::mem::take(&mut self.lists).into_values().flatten() {
            self.chunks.push(Chunk { offset, ..chunk });
            offset += u64::from(chunk.size);
        }
        self.phase = Phase::Matching;
    }

    /// The next chunk is taken from what is here, together with those before it if they lie behind each other here too; or else it is missing.
    fn take(&mut self, chunk: Chunk) {
        let Some(from) = self.here.get(&chunk.digest).copied() else { return add_range(&mut self.missing, chunk) };
        let bytes = u64::from(chunk.size);
        match self.copies.back_mut() {
            Some(last) if last.goes_on(from, chunk.offset) => last.bytes += bytes,
            Some(_) | None => self.copies.push_back(Copied { from, to: chunk.offset, bytes }),
        }
    }
}

impl<D: Disk> Agent<D> {
    /// The next lists and chunks of what is on its way to the server.
    pub(super) fn next_chunks(&mut self, request: &str, large: &mut LargeUpload) -> io::Result<()> {
        self.list_more(request, large);
        let mut bytes = 0;
        while bytes < READ {
            let Some(place) = large.missing.pop_front() else { break };
            let Some(chunk) = large.chunk(place) else { continue };
            let data = self.disk.read_stage(large.stage, chunk.offset, chunk.size as usize)?;
            if Hash::from(Sha256::digest(&data)) != chunk.digest {
                return Err(io::Error::other("the server has less of it than was thought"));
            }
            bytes += data.len();
            let chunk = FileChunk {
                id: large.id.clone(),
                directory_id: self.settings.directory.clone(),
                data,
                offset: 0,
                current_path: large.path.clone(),
                index: Some(place.1 as u64),
                segment: Some(place.0 as u64),
            };
            self.say_as(request, Say::FileWrite(FileWrite { chunk: Some(chunk) }));
        }
        Ok(())
    }

    fn list_more(&mut self, request: &str, large: &mut LargeUpload) {
        let about = FileChunks {
            id: large.id.clone(),
            directory_id: self.settings.directory.clone(),
            current_path: large.path.clone(),
            ..FileChunks::default()
        };
        if !std::mem::replace(&mut large.is_named, true) {
            let segments = large.segments.iter().map(|(_, name)| name.to_vec()).collect();
            large.asked += 1;
            self.say_as(request, Say::FileChunks(FileChunks { segments, last: true, ..about.clone() }));
        }
        while large.has_room() {
            let Some(place) = large.unlisted.pop_front() else { break };
            let Some((of, _)) = large.segments.get(place) else { continue };
            let reference = |chunk: &Chunk| ChunkRef { digest: chunk.digest.to_vec(), size: chunk.size };
            let chunks = large.chunks[of.clone()].iter().map(reference).collect();
            large.asked += 1;
            let list = FileChunks { chunks, segment: Some(place as u64), ..about.clone() };
            self.say_as(request, Say::FileChunks(list));
        }
    }

    /// Where a large content is gathered: what came of the same version before goes on.
    pub(super) fn stage_of_large(&mut self, fetch: &Fetch) -> Stage {
        let Some(told) = self.state.remote().get(&fetch.id) else { return self.state.new_stage() };
        let content_version = told.content_version;
        match self.state.download(fetch.id) {
            Some(begun) if begun.content_version == content_version => return begun.stage,
            Some(begun) => self.drop_stage_later(begun.stage),
            None => {}
        }
        let stage = self.state.new_stage();
        self.state.put_download(fetch.id, Some(Begun { content_version, stage }));
        stage
    }

    /// Goes on with a large content. If the disk refuses, it is given up for now, and what came is kept.
    pub(super) fn go_on_large(&mut self) -> Result<(), Trouble> {
        let Some(mut large) = self.download.as_mut().and_then(|download| download.large.take()) else { return Ok(()) };
        let went = self.step_large(&mut large);
        self.put_large(large);
        if let Err(Trouble::Disk(error)) = &went {
            self.download_refused(error);
        }
        went
    }

    /// Cuts what is here, takes what it can from it, asks for the rest.
    fn step_large(&mut self, large: &mut LargeDownload) -> Result<(), Trouble> {
        if large.phase == Phase::Naming && std::mem::take(&mut large.has_come) {
            self.find_own(large)?;
        }
        if large.phase == Phase::Cutting {
            self.cut_own(large);
        }
        if large.phase == Phase::Listing && std::mem::take(&mut large.has_come) {
            self.list_others(large);
        }
        if large.phase == Phase::Matching {
            self.match_chunks(large)?;
        }
        if large.phase == Phase::Fetching && std::mem::take(&mut large.has_come) {
            self.fetch_others(large);
        }
        if large.phase == Phase::Copying {
            self.copy_own(large)?;
        }
        Ok(())
    }

    fn put_large(&mut self, large: LargeDownload) {
        if let Some(download) = &mut self.download {
            download.large = Some(large);
        }
    }

    /// What is here is the file as both had it, whose chunks may be known; else it is cut.
    fn find_own(&mut self, large: &mut LargeDownload) -> Result<(), Trouble> {
        let Some(file) = self.only_file() else { return Ok(()) };
        let (stage, id, expected) = (file.stage, file.fetch.id, file.fetch.expected);
        large.is_resumed = self.disk.stage_size(stage)?.is_some_and(|size| size > 0);
        let both = self.state.synced().get(&id).filter(|both| expected == Expected::File(both.stat));
        let hash = both.and_then(|both| match both.content {
            Content::File { hash, .. } => hash,
            Content::Folder | Content::Symlink(_) => None,
        });
        let known = hash.map_or(Ok(None), |hash| self.state.chunks(&hash))?;
        match (known, expected) {
            (Some(own), _) => large.own = own,
            (None, Expected::Nothing) => {}
            (None, Expected::File(_)) => {
                large.phase = Phase::Cutting;
                return Ok(());
            }
        }
        large.know_own();
        Ok(())
    }

    fn cut_own(&mut self, large: &mut LargeDownload) {
        let Some(path) = self.only_file().map(|file| file.fetch.path.clone()) else { return };
        let mut turn = 0;
        while turn < TURN {
            let bytes = self.disk.read_file(&path, large.read, READ).unwrap_or_default();
            (large.read, turn) = (large.read + bytes.len() as u64, turn + bytes.len() as u64);
            if bytes.is_empty() {
                large.own.extend(large.cutter.end());
                return large.know_own();
            }
            large.own.extend(large.cutter.push(&bytes));
        }
        self.wake_in(0);
    }

    fn list_others(&mut self, large: &mut LargeDownload) {
        let next: Vec<u64> = large.unlisted.drain(..large.unlisted.len().min(WANTED)).map(|at| at as u64).collect();
        if next.is_empty() {
            return large.know_all();
        }
        self.ask_for_more(Wanted { list_chunks: Some(true), segments: next, ..Wanted::default() });
    }

    fn match_chunks(&mut self, large: &mut LargeDownload) -> Result<(), Trouble> {
        let Some(stage) = self.only_file().map(|file| file.stage) else { return Ok(()) };
        let mut turn = 0;
        while turn < TURN {
            let Some(chunk) = large.chunks.get(large.at).copied() else {
                (large.phase, large.has_come) = (Phase::Fetching, true);
                return Ok(());
            };
            if large.is_resumed {
                turn += u64::from(chunk.size);
            }
            if !(large.is_resumed && self.has_chunk(stage, chunk)?) {
                large.take(chunk);
            }
            large.at += 1;
        }
        self.wake_in(0);
        Ok(())
    }

    fn fetch_others(&mut self, large: &mut LargeDownload) {
        if large.missing.is_empty() {
            large.phase = Phase::Copying;
            return;
        }
        let ranges = next_ranges(&mut large.missing);
        self.ask_for_more(Wanted { ranges, ..Wanted::default() });
    }

    /// A part of what is here is taken in each turn. What is not there any more has to come after all.
    fn copy_own(&mut self, large: &mut LargeDownload) -> Result<(), Trouble> {
        let Some(file) = self.only_file() else { return Ok(()) };
        let (stage, path) = (file.stage, file.fetch.path.clone());
        let Some(Copied { from, to, bytes }) = large.copies.pop_front() else {
            if large.missing.is_empty() {
                return self.finish_large(large);
            }
            (large.phase, large.has_come) = (Phase::Fetching, true);
            self.wake_in(0);
            return Ok(());
        };
        if self.disk.copy_to_stage(&path, from, stage, to, bytes)? < bytes {
            large.missing.push_back((to, bytes));
        }
        self.wake_in(0);
        Ok(())
    }

    /// It came before a break.
    fn has_chunk(&mut self, stage: Stage, chunk: Chunk) -> io::Result<bool> {
        let end = chunk.offset + u64::from(chunk.size);
        if self.disk.stage_size(stage)?.is_none_or(|size| size < end) {
            return Ok(false);
        }
        let bytes = self.disk.read_stage(stage, chunk.offset, chunk.size as usize)?;
        Ok(Hash::from(Sha256::digest(bytes)) == chunk.digest)
    }

    fn finish_large(&mut self, large: &mut LargeDownload) -> Result<(), Trouble> {
        let Some(file) = self.only_file() else { return Ok(()) };
        let (stage, told) = (file.stage, file.told.clone());
        let size: u64 = large.chunks.iter().map(|chunk| u64::from(chunk.size)).sum();
        let is_long = told.as_ref().is_some_and(|told| size_of(&told.content) == size);
        let is_there = self.disk.stage_size(stage)?.is_some_and(|there| there >= size) || size == 0;
        let hash = if is_long && is_there { Some(self.disk.sync_stage(stage, size)?) } else { None };
        // What has the hash that its author gave is what he had. Otherwise every chunk has to be the one that the server listed: he may have erred.
        let is_told = hash.is_some() && said(told.as_ref()) == hash;
        if hash.is_some() && !is_told && self.find_wrong(large, stage)? {
            (large.phase, large.has_come) = (Phase::Fetching, true);
            self.wake_in(0);
            return Ok(());
        }
        self.is_stale = true;
        let Some(file) = self.take_only_file() else { return Ok(()) };
        match hash.filter(|_| large.missing.is_empty()) {
            Some(hash) => self.end_large(file, hash, large),
            None => {
                self.give_up(&file);
                Ok(())
            }
        }
    }

    /// Chunks that are not what they should be (the file they were taken from changed) are fetched, once; whether there are any.
    fn find_wrong(&mut self, large: &mut LargeDownload, stage: Stage) -> io::Result<bool> {
        for chunk in large.chunks.clone() {
            if !self.has_chunk(stage, chunk)? {
                add_range(&mut large.missing, chunk);
            }
        }
        Ok(!large.missing.is_empty() && !std::mem::replace(&mut large.is_mended, true))
    }

    fn end_large(
        &mut self,
        mut file: super::download::Fetching,
        hash: Hash,
        large: &LargeDownload,
    ) -> Result<(), Trouble> {
        if let Some(told) = &mut file.told
            && let Content::File { hash: said, .. } = &mut told.content
            && *said != Some(hash)
        {
            *said = Some(hash);
            self.state.put_remote(file.fetch.id, told.clone());
        }
        self.state.put_chunks(hash, &large.chunks);
        self.install(&file, hash)?;
        Ok(self.settle()?)
    }
}

/// The hash that was told of a content.
fn said(told: Option<&Remote>) -> Option<Hash> {
    match told?.content {
        Content::File { hash, .. } => hash,
        Content::Folder | Content::Symlink(_) => None,
    }
}

fn add_range(missing: &mut VecDeque<(u64, u64)>, chunk: Chunk) {
    let size = u64::from(chunk.size);
    match missing.back_mut() {
        Some((offset, held)) if *offset + *held == chunk.offset => *held += size,
        Some(_) | None => missing.push_back((chunk.offset, size)),
    }
}

/// The next parts, not more than are answered soon.
fn next_ranges(missing: &mut VecDeque<(u64, u64)>) -> Vec<request_file_content::Range> {
    let (mut ranges, mut bytes) = (vec![], 0);
    while ranges.len() < RANGES && bytes < RANGES_BYTES {
        let Some((offset, size)) = missing.front_mut() else { break };
        let part = (*size).min(RANGES_BYTES - bytes);
        ranges.push(request_file_content::Range { offset: *offset, size: part });
        (bytes, *offset, *size) = (bytes + part, *offset + part, *size - part);
        if *size == 0 {
            missing.pop_front();
        }
    }
    ranges
}
