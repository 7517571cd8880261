//! FILE_WRITE: pieces of an upload, in their order, made to chunks that are kept as they fill. Nothing stays in memory but one chunk.

use base::{OpError, Sha};
use kernel::{Kept, Out};
use serde_json::Value;
use sha2::Digest as _;
use synxpo::segments::{CHUNKS_MAX, ends};

use super::answers::Fault;
use super::limits::{CHUNK_MAX, FILE_CHUNKS_MAX};
use super::upload::{Content, Group, Phase};
use super::{Call, RequestId, Stream, read_as};
use crate::form::NewSegment;
use crate::wire::{FileChunk, FileWrite};

/// A file of a group.
pub(super) type Place = (u64, usize);

impl Stream {
    pub(super) fn write(&mut self, request: RequestId, write: FileWrite) {
        let Some(chunk) = write.chunk else {
            return self.fault(&request, Fault::invalid("FILE_WRITE without a piece"));
        };
        let about = (chunk.id.as_str(), chunk.directory_id.as_str(), chunk.current_path.as_str());
        let Some(place) = self.place(about) else { return self.not_allowed(&request, about) };
        self.hear(place);
        let written = match (chunk.segment, chunk.index) {
            (Some(segment), Some(index)) => self.write_in_segment(place, (segment, index), chunk),
            (None, Some(index)) => self.write_listed(place, index, chunk),
            (_, None) => self.write_next(place, chunk),
        };
        if let Err(fault) = written {
            let fault = self.with_name(place, fault);
            self.break_group(place.0, &request, fault);
        }
    }

    /// The file that a piece names, by its id or else by its path, of the group that was allowed first.
    pub(super) fn place(&self, (id, directory, path): (&str, &str, &str)) -> Option<Place> {
        let writing = self.groups.iter().filter(|(_, group)| group.phase == Phase::Writing);
        writing.filter_map(|(number, group)| Some((*number, file_of(group, id, directory, path)?))).next()
    }

    /// A piece that nobody asked for. Of an upload that was given up the client is told once, unless it asks: it may have sent a
    /// hundred pieces before it hears of it.
    fn not_allowed(&mut self, request: &RequestId, (id, directory, path): (&str, &str, &str)) {
        let is_it = |group: &&mut Group| !group.is_open() && file_of(group, id, directory, path).is_some();
        let (fault, is_told) = match self.groups.values_mut().rev().find(is_it) {
            Some(group) => (group.why_over().about(id, path), std::mem::replace(&mut group.told, true)),
            None => {
                let fault = Fault::invalid("FILE_WRITE without VERSION_INCREASE_ALLOW, or after FILE_WRITE_END");
                (fault.about(id, path), false)
            }
        };
        if !is_told || request.is_some() {
            self.fault(request, fault);
        }
    }

    pub(super) fn with_name(&self, (number, file): Place, fault: Fault) -> Fault {
        match self.groups.get(&number).and_then(|group| group.files.get(file)) {
            Some(content) => fault.about(&content.id, &content.path),
            None => fault,
        }
    }

    /// The piece that follows the last one.
    fn write_next(&mut self, (number, file): Place, chunk: FileChunk) -> Result<(), Fault> {
        let Some(group) = self.groups.get_mut(&number) else { return Ok(()) };
        let before = group.current.replace(file).filter(|before| *before != file);
        let content = &mut group.files[file];
        check_next(content, &chunk)?;
        content.received += chunk.data.len() as u64;
        group.bytes += chunk.data.len() as u64;
        if let Some(digest) = &mut content.digest {
            digest.update(&chunk.data);
        }
        content.buffer.extend_from_slice(&chunk.data);
        let full = (content.buffer.len() >= CHUNK_MAX).then(|| content.buffer.drain(..CHUNK_MAX).collect());
        before.into_iter().for_each(|before| self.keep_rest((number, before)));
        full.into_iter().for_each(|bytes| self.keep((number, file), bytes));
        Ok(())
    }

    /// What is no whole chunk, because the file ends or another one begins.
    pub(super) fn keep_rest(&mut self, (number, file): Place) {
        let Some(group) = self.groups.get_mut(&number) else { return };
        let bytes = std::mem::take(&mut group.files[file].buffer);
        if !bytes.is_empty() {
            self.keep((number, file), bytes);
        }
    }

    fn keep(&mut self, (number, file): Place, bytes: Vec<u8>) {
        let Some(group) = self.groups.get_mut(&number) else { return };
        let slots = &mut group.files[file].slots;
        slots.push(None);
        let slot = slots.len() - 1;
        self.keep_slot((number, file), slot, bytes);
    }

    pub(super) fn keep_slot(&mut self, (group, file): Place, slot: usize, bytes: Vec<u8>) {
        self.groups.get_mut(&group).into_iter().for_each(|group| group.storing += 1);
        let call = self.next_call(Call::Keep { group, file, slot });
        self.out.push(Out::Keep { call, bytes });
    }

    pub(super) fn kept(&mut self, (number, file): Place, slot: usize, result: Result<Value, OpError>) {
        let kept = read_as::<Kept>(result);
        let Some(group) = self.groups.get_mut(&number).filter(|group| group.is_open()) else { return };
        group.storing -= 1;
        let filled = kept.and_then(|kept| fill(&mut group.files[file], slot, kept));
        match filled {
            Ok(()) => {
                self.next_segments((number, file), false);
                self.try_to_finish(number);
            }
            Err(fault) => self.fail((number, file), fault),
        }
    }

    /// Something went wrong after a message was taken: its answer is that of the end if that came, else that of the ASK.
    pub(super) fn fail(&mut self, (number, file): Place, fault: Fault) {
        let group = self.groups.get(&number);
        let request = group.and_then(|group| group.end_request.clone().or_else(|| group.request.clone()));
        let fault = self.with_name((number, file), fault);
        self.break_group(number, &request, fault);
    }

    /// Chunks become segments as soon as they fill one; the last one may be smaller.
    pub(super) fn next_segments(&mut self, (number, file): Place, is_end: bool) {
        loop {
            let Some(group) = self.groups.get_mut(&number) else { return };
            let content = &mut group.files[file];
            let Some(chunks) = take_segment(content, is_end) else { return };
            content.segments.push(None);
            let segment = content.segments.len() - 1;
            group.storing += 1;
            self.call("folders.segment", &NewSegment { chunks }, Call::Segment { group: number, file, segment });
        }
    }

    pub(super) fn segmented(&mut self, (number, file): Place, segment: usize, result: Result<Value, OpError>) {
        let made = read_as::<String>(result);
        let Some(group) = self.groups.get_mut(&number).filter(|group| group.is_open()) else { return };
        group.storing -= 1;
        match made {
            Ok(id) => {
                group.files[file].segments[segment] = Some(id);
                self.try_to_finish(number);
            }
            Err(fault) => self.fail((number, file), fault),
        }
    }
}

fn file_of(group: &Group, id: &str, directory: &str, path: &str) -> Option<usize> {
    let lies_there = |content: &Content| directory.is_empty() || group.parts[content.part].ask.directory == directory;
    let is_it = |content: &Content| if id.is_empty() { content.path == path } else { content.id == id };
    let is_it = |at: &usize| group.files.get(*at).is_some_and(|content| is_it(content) && lies_there(content));
    (group.near..group.files.len()).chain(0..group.near).find(is_it)
}

fn check_next(content: &Content, chunk: &FileChunk) -> Result<(), Fault> {
    let size = chunk.data.len();
    if content.list.is_some() || !content.named.is_empty() {
        return Err(Fault::invalid("its chunks were listed: each piece names its place in the list"));
    }
    if size > CHUNK_MAX {
        return Err(Fault::invalid(&format!("a piece has at most {CHUNK_MAX} bytes, not {size}")));
    }
    if chunk.offset != content.received {
        let text = format!("the next byte is {}, this piece begins at {}", content.received, chunk.offset);
        return Err(Fault::invalid(&text));
    }
    if content.size.is_some_and(|whole| content.received + size as u64 > whole) {
        return Err(Fault::invalid("more bytes came than SIZE says"));
    }
    if content.slots.len() >= FILE_CHUNKS_MAX {
        return Err(Fault::invalid("the file is larger than we take"));
    }
    Ok(())
}

/// A chunk is stored; every place that holds the same bytes has it.
fn fill(content: &mut Content, slot: usize, kept: Kept) -> Result<(), Fault> {
    let Some(list) = &mut content.list else {
        content.slots[slot] = Some((kept.sha, kept.size));
        return Ok(());
    };
    if list.chunks[slot].0 != kept.sha {
        return Err(Fault::invalid(&format!("chunk {slot} is not what was listed")));
    }
    let same: Vec<usize> = list.missing.iter().copied().filter(|at| list.chunks[*at].0 == kept.sha).collect();
    for at in same.into_iter().chain([slot]) {
        list.missing.remove(&at);
        content.slots[at] = Some((kept.sha.clone(), kept.size));
    }
    Ok(())
}

/// The chunks of the next segment, if they are all stored.
fn take_segment(content: &mut Content, is_end: bool) -> Option<Vec<(String, u64)>> {
    let from = content.taken;
    let stored = content.slots[from..].iter().take_while(|slot| slot.is_some()).flatten();
    let digests: Vec<Sha> = stored.map_while(|(sha, _)| sha.parse().ok()).take(CHUNKS_MAX).collect();
    let end = digests.iter().enumerate().find(|(at, sha)| ends(&sha.0, at + 1)).map(|(at, _)| from + at + 1);
    let is_rest = is_end && !digests.is_empty() && from + digests.len() == content.slots.len();
    content.taken = end.or(is_rest.then_some(content.slots.len()))?;
    content.slots[from..content.taken].iter_mut().map(Option::take).collect()
}
