//! Contents whose segments the client names (FLD-21): only those that are not stored are listed, and only their missing chunks are sent.

use std::collections::BTreeSet;

use base::{OpError, Sha};
use kernel::{Kept, Out};
use serde_json::Value;
use synxpo::segments::{CHUNKS_MAX, list, name};

use super::answers::Fault;
use super::chunks::checked;
use super::upload::Content;
use super::writing::Place;
use super::{Call, RequestId, Stream, read_as};
use crate::desk::{KNOWN_MAX, SEGMENTS_MAX};
use crate::form::{KnownOf, MissingOf, NewSegment};
use crate::wire::server_message::Message;
use crate::wire::{ChunkRef, ChunksMissing, FileChunk, hex_of_bytes};

/// A segment that the client named.
#[derive(Debug)]
pub(super) struct Named {
    id: String,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Whether it is stored is being looked up.
    Sought,
    /// It is not: its chunks are to be listed.
    Wanted,
    /// They were; which of them are missing is being looked up.
    Listed(Vec<(String, u32)>),
    /// Some are missing.
    Open(Vec<(String, u32)>, BTreeSet<usize>),
    /// It is stored, or on its way to be.
    Done,
}

impl Named {
    pub(super) fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }
}

impl Stream {
    /// The segments of a content: which of them are stored?
    pub(super) fn name_segments(&mut self, request: &RequestId, (number, file): Place, names: &[Vec<u8>]) {
        let Some(group) = self.groups.get_mut(&number) else { return };
        if let Err(fault) = take_names(&mut group.files[file], names) {
            return self.break_group(number, request, fault);
        }
        let ids: Vec<String> = group.files[file].named.iter().map(|named| named.id.clone()).collect();
        group.looking_up += ids.len().div_ceil(KNOWN_MAX);
        for (part, segments) in ids.chunks(KNOWN_MAX).enumerate() {
            let what = Call::Known { request: request.clone(), group: number, file, from: part * KNOWN_MAX };
            self.read("folders.known", &KnownOf { segments: segments.to_vec() }, what);
        }
    }

    /// Some are stored; when all were looked up, the client is told which are not.
    pub(super) fn known(
        &mut self,
        request: &RequestId,
        (number, file): Place,
        from: usize,
        result: Result<Value, OpError>,
    ) {
        let known = read_as::<Vec<bool>>(result);
        let Some(group) = self.answer_of(number, request) else { return };
        let content = &mut group.files[file];
        let known = match known {
            Err(fault) => return self.break_group(number, request, fault),
            Ok(known) => known,
        };
        for (at, is_known) in (from..).zip(known) {
            let named = &mut content.named[at];
            named.state = if is_known { State::Done } else { State::Wanted };
            content.segments[at] = is_known.then(|| named.id.clone());
        }
        if !content.named.iter().any(|named| matches!(named.state, State::Sought)) {
            let wanted = |(at, named): (usize, &Named)| (!named.is_done()).then_some(at as u64);
            let segments = content.named.iter().enumerate().filter_map(wanted).collect();
            self.say_missing(request, (number, file), ChunksMissing { segments, ..ChunksMissing::default() });
            self.try_to_finish(number);
        }
    }

    fn say_missing(&mut self, request: &RequestId, (number, file): Place, what: ChunksMissing) {
        let Some(group) = self.groups.get(&number) else { return };
        let content = &group.files[file];
        let directory_id = group.parts[content.part].ask.directory.clone();
        let (id, current_path) = (content.id.clone(), content.path.clone());
        self.reply(request, Message::ChunksMissing(ChunksMissing { id, directory_id, current_path, ..what }));
    }

    /// The chunks of a segment: which of them are stored?
    pub(super) fn list_segment(&mut self, request: &RequestId, (group, file): Place, place: u64, chunks: &[ChunkRef]) {
        let Some(open) = self.groups.get_mut(&group) else { return };
        match take_list(&mut open.files[file], place, chunks) {
            Err(fault) => self.break_group(group, request, fault),
            Ok((segment, chunks)) => {
                open.looking_up += 1;
                let what = Call::MissingIn { request: request.clone(), group, file, segment };
                self.read("folders.missing", &MissingOf { chunks }, what);
            }
        }
    }

    /// The client is told which are not.
    pub(super) fn missing_in(
        &mut self,
        request: &RequestId,
        (number, file): Place,
        segment: usize,
        result: Result<Value, OpError>,
    ) {
        let missing = read_as::<BTreeSet<String>>(result);
        let Some(group) = self.answer_of(number, request) else { return };
        let missing = match missing {
            Err(fault) => return self.break_group(number, request, fault),
            Ok(missing) => missing,
        };
        let named = &mut group.files[file].named[segment];
        let State::Listed(chunks) = std::mem::replace(&mut named.state, State::Wanted) else { return };
        let places: BTreeSet<usize> = (0..chunks.len()).filter(|at| missing.contains(&chunks[*at].0)).collect();
        let indexes = places.iter().map(|at| *at as u64).collect();
        named.state = State::Open(chunks, places);
        let segment_at = Some(segment as u64);
        self.say_missing(
            request,
            (number, file),
            ChunksMissing { indexes, segment: segment_at, ..ChunksMissing::default() },
        );
        self.keep_segment((number, file), segment);
        self.try_to_finish(number);
    }

    /// A chunk of a segment.
    pub(super) fn write_in_segment(
        &mut self,
        (number, file): Place,
        (segment, index): (u64, u64),
        chunk: FileChunk,
    ) -> Result<(), Fault> {
        let Some(group) = self.groups.get_mut(&number) else { return Ok(()) };
        let not_listed = || Fault::invalid(&format!("chunk {index} of segment {segment} was not listed"));
        let place = |number: u64| usize::try_from(number).map_err(|_| not_listed());
        let (segment_at, slot) = (place(segment)?, place(index)?);
        let named = group.files[file].named.get(segment_at).ok_or_else(not_listed)?;
        let (chunks, missing) = match &named.state {
            // It came twice.
            State::Done => return Ok(()),
            State::Open(chunks, missing) => (chunks, missing),
            State::Sought | State::Wanted | State::Listed(_) => return Err(not_listed()),
        };
        let (_, size) = chunks.get(slot).ok_or_else(not_listed)?;
        if chunk.data.len() != *size as usize {
            return Err(Fault::invalid(&format!("chunk {index} has {size} bytes, not {}", chunk.data.len())));
        }
        group.bytes += chunk.data.len() as u64;
        if missing.contains(&slot) {
            group.storing += 1;
            let call = self.next_call(Call::KeepIn { group: number, file, segment: segment_at, slot });
            self.out.push(Out::Keep { call, bytes: chunk.data });
        }
        Ok(())
    }

    pub(super) fn kept_in(
        &mut self,
        (number, file): Place,
        (segment, slot): (usize, usize),
        result: Result<Value, OpError>,
    ) {
        let kept = read_as::<Kept>(result);
        let Some(group) = self.groups.get_mut(&number).filter(|group| group.is_open()) else { return };
        group.storing -= 1;
        match kept.and_then(|kept| fill(&mut group.files[file].named[segment], slot, &kept.sha)) {
            Ok(()) => {
                self.keep_segment((number, file), segment);
                self.try_to_finish(number);
            }
            Err(fault) => self.fail((number, file), fault),
        }
    }

    /// All chunks of a segment are stored: so is it.
    fn keep_segment(&mut self, (number, file): Place, segment: usize) {
        let Some(group) = self.groups.get_mut(&number) else { return };
        let named = &mut group.files[file].named[segment];
        if !matches!(&named.state, State::Open(_, missing) if missing.is_empty()) {
            return;
        }
        let State::Open(chunks, _) = std::mem::replace(&mut named.state, State::Done) else { return };
        group.storing += 1;
        let chunks = chunks.into_iter().map(|(sha, size)| (sha, u64::from(size))).collect();
        self.call("folders.segment", &NewSegment { chunks }, Call::Segment { group: number, file, segment });
    }
}

fn take_names(content: &mut Content, names: &[Vec<u8>]) -> Result<(), Fault> {
    if content.received > 0 || content.list.is_some() || !content.named.is_empty() {
        return Err(Fault::invalid("a file is listed once, and before its bytes come"));
    }
    if names.len() > SEGMENTS_MAX {
        return Err(Fault::invalid(&format!("a file has at most {SEGMENTS_MAX} segments, not {}", names.len())));
    }
    let id = |name: &Vec<u8>| hex_of_bytes(name).ok_or_else(|| Fault::invalid("the name of a segment has 32 bytes"));
    let ids = names.iter().map(id).collect::<Result<Vec<String>, Fault>>()?;
    content.segments = vec![None; ids.len()];
    content.named = ids.into_iter().map(|id| Named { id, state: State::Sought }).collect();
    content.digest = None;
    Ok(())
}

/// Takes the list of a segment; its place, and the digests of its chunks.
fn take_list(content: &mut Content, place: u64, chunks: &[ChunkRef]) -> Result<(usize, Vec<String>), Fault> {
    let segment = usize::try_from(place).unwrap_or(usize::MAX);
    let wanted = content.named.get_mut(segment).filter(|named| matches!(named.state, State::Wanted));
    let named = wanted.ok_or_else(|| Fault::invalid(&format!("segment {place} was not asked for")))?;
    if chunks.is_empty() || chunks.len() > CHUNKS_MAX {
        return Err(Fault::invalid(&format!("a segment has 1 to {CHUNKS_MAX} chunks, not {}", chunks.len())));
    }
    let chunks = chunks.iter().map(checked).collect::<Result<Vec<_>, Fault>>()?;
    let digests: Vec<(Sha, u32)> = chunks.iter().filter_map(|(sha, size)| Some((sha.parse().ok()?, *size))).collect();
    if Sha(name(&list(digests.iter().map(|(sha, size)| (&sha.0, *size))))).to_string() != named.id {
        return Err(Fault::invalid(&format!("segment {place} is not what was named")));
    }
    let wanted = chunks.iter().map(|(sha, _)| sha.clone()).collect();
    named.state = State::Listed(chunks);
    Ok((segment, wanted))
}

/// A chunk is stored; every place of the segment that holds the same bytes has it.
fn fill(named: &mut Named, slot: usize, sha: &str) -> Result<(), Fault> {
    let State::Open(chunks, missing) = &mut named.state else { return Ok(()) };
    if chunks[slot].0 != sha {
        return Err(Fault::invalid(&format!("chunk {slot} is not what was listed")));
    }
    missing.retain(|at| chunks[*at].0 != sha);
    Ok(())
}
