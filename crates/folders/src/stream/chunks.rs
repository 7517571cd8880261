//! Chunks that the client cut itself (FLD-21): it lists them, is told which are missing, and sends only those. What was kept before a
//! connection broke is not missing any more: so an upload that is begun anew goes on where it was.

use std::ops::Range;

use base::OpError;
use serde_json::Value;

use super::answers::Fault;
use super::limits::{CHUNK_MAX, FILE_CHUNKS_MAX, LISTED_MAX};
use super::upload::{Content, List};
use super::writing::Place;
use super::{Call, RequestId, Stream, read_as};
use crate::form::MissingOf;
use crate::wire::server_message::Message;
use crate::wire::{ChunkRef, ChunksMissing, FileChunk, FileChunks, hex_of_bytes};

impl Stream {
    pub(super) fn list_chunks(&mut self, request: RequestId, list: FileChunks) {
        if !self.caps.chunks {
            return self.fault(&request, Fault::invalid("FILE_CHUNKS needs the capability `chunks`"));
        }
        let about = (list.id.as_str(), list.directory_id.as_str(), list.current_path.as_str());
        let Some((number, file)) = self.place(about) else {
            let fault = Fault::timeout("no such upload: it was given up, or never allowed");
            return self.fault(&request, fault.about(&list.id, &list.current_path));
        };
        self.hear((number, file));
        if !list.segments.is_empty() {
            return self.name_segments(&request, (number, file), &list.segments);
        }
        if let Some(segment) = list.segment {
            return self.list_segment(&request, (number, file), segment, &list.chunks);
        }
        let Some(group) = self.groups.get_mut(&number) else { return };
        match add_to_list(&mut group.files[file], &list) {
            Err(fault) => self.break_group(number, &request, fault),
            Ok(added) => {
                group.looking_up += 1;
                let list = group.files[file].list.as_ref().map_or(&[][..], |list| &list.chunks);
                let chunks = list[added.clone()].iter().map(|(sha, _)| sha.clone()).collect();
                let (from, count) = (added.start, added.len());
                let what = Call::Missing { request, group: number, file, from, count };
                self.read("folders.missing", &MissingOf { chunks }, what);
            }
        }
    }

    /// Answers with the digests that are missing.
    pub(super) fn missing(
        &mut self,
        request: &RequestId,
        (number, file): Place,
        places: Range<usize>,
        result: Result<Value, OpError>,
    ) {
        let missing = read_as::<Vec<String>>(result);
        let Some(group) = self.answer_of(number, request) else { return };
        let directory_id = group.parts[group.files[file].part].ask.directory.clone();
        let content = &mut group.files[file];
        match missing {
            Err(fault) => self.break_group(number, request, fault),
            Ok(missing) => {
                let indexes = mark(content, places, &missing);
                let (id, current_path) = (content.id.clone(), content.path.clone());
                let answer = ChunksMissing { id, directory_id, current_path, indexes, ..ChunksMissing::default() };
                self.reply(request, Message::ChunksMissing(answer));
                self.next_segments((number, file), false);
                self.try_to_finish(number);
            }
        }
    }

    pub(super) fn write_listed(&mut self, (number, file): Place, index: u64, chunk: FileChunk) -> Result<(), Fault> {
        let Some(group) = self.groups.get_mut(&number) else { return Ok(()) };
        let content = &mut group.files[file];
        let slot = usize::try_from(index).unwrap_or(usize::MAX);
        let listed = content.list.as_ref().and_then(|list| list.chunks.get(slot));
        let Some((_, size)) = listed else { return Err(Fault::invalid(&format!("chunk {index} was not listed"))) };
        if chunk.data.len() != *size as usize {
            return Err(Fault::invalid(&format!("chunk {index} has {size} bytes, not {}", chunk.data.len())));
        }
        group.bytes += chunk.data.len() as u64;
        if content.slots[slot].is_some() || slot < content.taken {
            return Ok(());
        }
        self.keep_slot((number, file), slot, chunk.data);
        Ok(())
    }
}

/// Adds what a message lists; the places that it has in the whole list.
fn add_to_list(content: &mut Content, more: &FileChunks) -> Result<Range<usize>, Fault> {
    let is_listed = content.list.as_ref().is_some_and(|list| list.is_whole) || !content.named.is_empty();
    if content.received > 0 || is_listed {
        return Err(Fault::invalid("a file is listed once, and before its bytes come"));
    }
    let list = content.list.get_or_insert_with(List::default);
    let from = list.chunks.len();
    if more.chunks.len() > LISTED_MAX || from + more.chunks.len() > FILE_CHUNKS_MAX {
        let text = format!("at most {LISTED_MAX} chunks are listed at once, and {FILE_CHUNKS_MAX} of a file");
        return Err(Fault::invalid(&text));
    }
    for chunk in &more.chunks {
        list.chunks.push(checked(chunk)?);
    }
    list.is_whole = more.last;
    content.slots.resize(list.chunks.len(), None);
    content.digest = None;
    Ok(from..list.chunks.len())
}

/// Digest and size of a chunk that may be one.
pub(super) fn checked(chunk: &ChunkRef) -> Result<(String, u32), Fault> {
    let sha = hex_of_bytes(&chunk.digest).ok_or_else(|| Fault::invalid("a digest has 32 bytes"))?;
    if chunk.size == 0 || chunk.size as usize > CHUNK_MAX {
        return Err(Fault::invalid(&format!("a chunk has 1 to {CHUNK_MAX} bytes, not {}", chunk.size)));
    }
    Ok((sha, chunk.size))
}

/// What is there already has its place filled; the places of the rest.
fn mark(content: &mut Content, places: Range<usize>, missing: &[String]) -> Vec<u64> {
    let Some(list) = &mut content.list else { return vec![] };
    let missing: std::collections::BTreeSet<&str> = missing.iter().map(String::as_str).collect();
    for at in places.clone() {
        let (sha, size) = &list.chunks[at];
        if missing.contains(sha.as_str()) {
            list.missing.insert(at);
        } else {
            content.slots[at] = Some((sha.clone(), u64::from(*size)));
        }
    }
    list.missing.range(places).map(|at| *at as u64).collect()
}
