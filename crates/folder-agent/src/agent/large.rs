//! Large contents travel by their chunks (FLD-21): what the other side has already is not sent, and what came before a break is not sent again.

use std::collections::{BTreeMap, VecDeque};
use std::io;

use sha2::{Digest as _, Sha256};
use synxpo::wire::client_message::Message as Say;
use synxpo::wire::request_file_content::Range;
use synxpo::wire::{ChunkRef, FileChunk, FileChunks, FileWrite};

use super::Agent;
use super::download::size_of;
use super::work::Trouble;
use crate::chunks::{Chunk, Cutter};
use crate::disk::{Disk, Expected, Stage};
use crate::model::Hash;
use crate::plan::Fetch;
use crate::state::Begun;

/// Bytes that are read at once.
const READ: usize = 1 << 20;
/// Bytes that are cut in one turn; then others have theirs.
const TURN: u64 = 16 << 20;
/// Chunks of one message.
const LISTED: usize = 1_000;
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
    cutter: Cutter,
    read: u64,
    /// Cut, and not listed yet.
    fresh: Vec<Chunk>,
    chunks: Vec<Chunk>,
    is_cut: bool,
    /// Lists that were sent and answered.
    asked: usize,
    answered: usize,
    missing: VecDeque<usize>,
}

impl LargeUpload {
    pub(super) fn new(id: String, path: String, stage: Stage) -> Self {
        Self {
            id,
            path,
            stage,
            cutter: Cutter::default(),
            read: 0,
            fresh: vec![],
            chunks: vec![],
            is_cut: false,
            asked: 0,
            answered: 0,
            missing: VecDeque::new(),
        }
    }

    pub(super) fn is_awaiting(&self) -> bool {
        self.is_cut && self.fresh.is_empty() && self.missing.is_empty()
    }

    pub(super) fn is_sent(&self) -> bool {
        self.is_awaiting() && self.asked == self.answered
    }

    pub(super) fn missing(&mut self, indexes: &[u64]) {
        self.answered += 1;
        self.missing.extend(indexes.iter().filter_map(|index| usize::try_from(*index).ok()));
    }
}

/// A large content on its way here.
#[derive(Debug)]
pub(super) struct LargeDownload {
    phase: Phase,
    chunks: Vec<Chunk>,
    /// Chunks of the file that is here: where they are.
    here: BTreeMap<Hash, (u64, u32)>,
    cutter: Cutter,
    read: u64,
    is_cut: bool,
    /// The next chunk to be looked for.
    at: usize,
    missing: VecDeque<(u64, u64)>,
    has_come: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Listing,
    Matching,
    Fetching,
}

impl LargeDownload {
    pub(super) fn new() -> Self {
        Self {
            phase: Phase::Listing,
            chunks: vec![],
            here: BTreeMap::new(),
            cutter: Cutter::default(),
            read: 0,
            is_cut: false,
            at: 0,
            missing: VecDeque::new(),
            has_come: false,
        }
    }

    pub(super) fn is_listing(&self) -> bool {
        self.phase == Phase::Listing
    }

    pub(super) fn add(&mut self, more: &FileChunks) {
        for chunk in &more.chunks {
            let offset = self.chunks.last().map_or(0, |last| last.offset + u64::from(last.size));
            let Ok(digest) = chunk.digest.as_slice().try_into() else { continue };
            self.chunks.push(Chunk { offset, size: chunk.size, digest });
        }
    }

    pub(super) fn came(&mut self) {
        self.has_come = true;
    }
}

impl<D: Disk> Agent<D> {
    /// The next lists and chunks of what is on its way to the server.
    pub(super) fn next_chunks(&mut self, request: &str, large: &mut LargeUpload) -> io::Result<()> {
        self.list_more(request, large)?;
        let mut bytes = 0;
        while bytes < READ {
            let Some(index) = large.missing.pop_front() else { break };
            let Some(chunk) = large.chunks.get(index) else { continue };
            let data = self.disk.read_stage(large.stage, chunk.offset, chunk.size as usize)?;
            bytes += data.len();
            let chunk = FileChunk {
                id: large.id.clone(),
                directory_id: self.settings.directory.clone(),
                data,
                offset: 0,
                current_path: large.path.clone(),
                index: Some(index as u64),
            };
            self.say_as(request, Say::FileWrite(FileWrite { chunk: Some(chunk) }));
        }
        Ok(())
    }

    fn list_more(&mut self, request: &str, large: &mut LargeUpload) -> io::Result<()> {
        let mut turn = 0;
        while !large.is_cut && turn < TURN && large.fresh.len() < LISTED {
            let bytes = self.disk.read_stage(large.stage, large.read, READ)?;
            (large.read, turn) = (large.read + bytes.len() as u64, turn + bytes.len() as u64);
            large.is_cut = bytes.is_empty();
            let cut = if large.is_cut { large.cutter.end() } else { large.cutter.push(&bytes) };
            large.fresh.extend(cut);
        }
        if large.fresh.is_empty() {
            return Ok(());
        }
        let fresh = std::mem::take(&mut large.fresh);
        let reference = |chunk: &Chunk| ChunkRef { digest: chunk.digest.to_vec(), size: chunk.size };
        let list = FileChunks {
            id: large.id.clone(),
            directory_id: self.settings.directory.clone(),
            current_path: large.path.clone(),
            chunks: fresh.iter().map(reference).collect(),
            last: large.is_cut,
        };
        large.chunks.extend(fresh);
        large.asked += 1;
        self.say_as(request, Say::FileChunks(list));
        Ok(())
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

    /// Goes on with a large content: cuts what is here, takes what it can from it, asks for the rest.
    pub(super) fn go_on_large(&mut self) -> Result<(), Trouble> {
        let Some(mut large) = self.download.as_mut().and_then(|download| download.large.take()) else { return Ok(()) };
        if large.phase == Phase::Listing && std::mem::take(&mut large.has_come) {
            large.phase = Phase::Matching;
        }
        if large.phase == Phase::Matching {
            self.match_chunks(&mut large)?;
        }
        if large.phase == Phase::Fetching && std::mem::take(&mut large.has_come) {
            if large.missing.is_empty() {
                return self.finish_large(&large.chunks);
            }
            let ranges = next_ranges(&mut large.missing);
            self.ask_for_ranges(ranges);
        }
        if let Some(download) = &mut self.download {
            download.large = Some(large);
        }
        Ok(())
    }

    fn match_chunks(&mut self, large: &mut LargeDownload) -> Result<(), Trouble> {
        let Some(file) = self.only_file() else { return Ok(()) };
        let (stage, fetch) = (file.stage, file.fetch.clone());
        if !large.is_cut {
            self.cut_here(large, &fetch)?;
        }
        let mut turn = 0;
        while large.is_cut && turn < TURN {
            let Some(chunk) = large.chunks.get(large.at).copied() else { break };
            large.at += 1;
            turn += u64::from(chunk.size);
            if !self.has_chunk(stage, chunk)? && !self.copy_chunk(stage, chunk, &large.here, &fetch.path)? {
                add_range(&mut large.missing, chunk);
            }
        }
        if large.is_cut && large.at >= large.chunks.len() {
            (large.phase, large.has_come) = (Phase::Fetching, true);
        } else {
            self.wake_in(0);
        }
        Ok(())
    }

    fn cut_here(&mut self, large: &mut LargeDownload, fetch: &Fetch) -> Result<(), Trouble> {
        let mut turn = 0;
        while !large.is_cut && turn < TURN {
            let bytes = match fetch.expected {
                Expected::File(_) => self.disk.read_file(&fetch.path, large.read, READ).unwrap_or_default(),
                Expected::Nothing => vec![],
            };
            (large.read, turn) = (large.read + bytes.len() as u64, turn + bytes.len() as u64);
            large.is_cut = bytes.is_empty();
            let cut = if large.is_cut { large.cutter.end() } else { large.cutter.push(&bytes) };
            large.here.extend(cut.into_iter().map(|chunk| (chunk.digest, (chunk.offset, chunk.size))));
        }
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

    fn copy_chunk(
        &mut self,
        stage: Stage,
        chunk: Chunk,
        here: &BTreeMap<Hash, (u64, u32)>,
        path: &str,
    ) -> io::Result<bool> {
        let Some((offset, size)) = here.get(&chunk.digest).copied() else { return Ok(false) };
        let bytes = self.disk.read_file(path, offset, size as usize).unwrap_or_default();
        if Hash::from(Sha256::digest(&bytes)) != chunk.digest {
            return Ok(false);
        }
        self.disk.write_stage(stage, chunk.offset, &bytes)?;
        Ok(true)
    }

    fn finish_large(&mut self, chunks: &[Chunk]) -> Result<(), Trouble> {
        let Some(mut file) = self.take_only_file() else { return Ok(()) };
        self.is_stale = true;
        let size: u64 = chunks.iter().map(|chunk| u64::from(chunk.size)).sum();
        let is_whole = file.told.as_ref().is_some_and(|told| size_of(&told.content) == size);
        for chunk in chunks {
            if !is_whole || !self.has_chunk(file.stage, *chunk)? {
                self.give_up(&file);
                return Ok(());
            }
        }
        let hash = self.disk.sync_stage(file.stage, size)?;
        // Every chunk is what the server listed: what its author said of the whole is only a word.
        if let Some(told) = &mut file.told
            && let crate::model::Content::File { hash: said, .. } = &mut told.content
            && *said != Some(hash)
        {
            *said = Some(hash);
            self.state.put_remote(file.fetch.id, told.clone());
        }
        self.install(&file, hash)?;
        Ok(self.settle()?)
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
fn next_ranges(missing: &mut VecDeque<(u64, u64)>) -> Vec<Range> {
    let (mut ranges, mut bytes) = (vec![], 0);
    while ranges.len() < RANGES && bytes < RANGES_BYTES {
        let Some((offset, size)) = missing.front_mut() else { break };
        let part = (*size).min(RANGES_BYTES - bytes);
        ranges.push(Range { offset: *offset, size: part });
        (bytes, *offset, *size) = (bytes + part, *offset + part, *size - part);
        if *size == 0 {
            missing.pop_front();
        }
    }
    ranges
}
