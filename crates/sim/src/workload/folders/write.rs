//! How a device brings a content: in pieces one after the other, or in chunks that it lists first.

use folders::wire::client_message::Message;
use folders::wire::{ChunkRef, FileChunk, FileChunks, FileWrite, FileWriteEnd};
use sha2::{Digest as _, Sha256};

use super::device::{Device, Flight};
use super::edit::Edit;
use super::shared::Shared;
use crate::sim::Sim;

impl Device {
    /// May write: does so, or falls silent for a while.
    pub(super) fn write(&mut self, shared: &Shared, sim: &mut Sim) {
        let Some(edit) = self.edit.clone() else { return self.cut(sim) };
        self.flight = Flight::Writing;
        let silent = !shared.calm && sim.rng.once_in(6);
        let mut after_us = if silent { sim.rng.within(5_000_000, 60_000_000) } else { 0 };
        let content = shared.bytes_of(edit.number);
        let piece = content.len().div_ceil(usize::try_from(sim.rng.within(1, 3)).unwrap_or(1)).max(1);
        self.pieces.clear();
        if self.is_chunked {
            return self.list_chunks(&edit, &content, after_us, sim);
        }
        for (place, data) in content.chunks(piece).enumerate() {
            let chunk = FileChunk { data: data.to_vec(), offset: (place * piece) as u64, ..chunk_of(&edit, shared) };
            self.pieces.push_back((after_us, Message::FileWrite(FileWrite { chunk: Some(chunk) })));
            after_us = if silent { sim.rng.below(40_000_000) } else { sim.rng.below(500_000) };
        }
        self.pieces.push_back((after_us, Message::FileWriteEnd(FileWriteEnd::default())));
        self.look_again(self.pieces[0].0 + 1, sim);
    }

    /// The content in two chunks, of which those will be brought that are missing.
    fn list_chunks(&mut self, edit: &Edit, content: &[u8], after_us: u64, sim: &mut Sim) {
        let chunks = halves(content).map(|data| ChunkRef {
            digest: Sha256::digest(data).to_vec(),
            size: u32::try_from(data.len()).unwrap_or(u32::MAX),
        });
        let (id, current_path) = (edit.id.clone().unwrap_or_default(), edit.path.clone());
        let list = FileChunks { id, current_path, chunks: chunks.to_vec(), last: true, ..Default::default() };
        self.send(Message::FileChunks(list), after_us, sim);
    }

    /// These chunks are wanted.
    pub(super) fn bring_chunks(&mut self, indexes: &[u64], shared: &Shared, sim: &mut Sim) {
        let Some(edit) = self.edit.clone() else { return self.cut(sim) };
        let content = shared.bytes_of(edit.number);
        for index in indexes {
            let data = halves(&content)[usize::from(*index > 0)].to_vec();
            let chunk = FileChunk { data, index: Some(*index), ..chunk_of(&edit, shared) };
            self.pieces.push_back((sim.rng.below(500_000), Message::FileWrite(FileWrite { chunk: Some(chunk) })));
        }
        self.pieces.push_back((sim.rng.below(500_000), Message::FileWriteEnd(FileWriteEnd::default())));
        self.look_again(self.pieces[0].0 + 1, sim);
    }

    pub(super) fn write_next(&mut self, sim: &mut Sim) {
        let Some((_, message)) = self.pieces.pop_front() else { return };
        self.send(message, 0, sim);
        if let Some((after_us, _)) = self.pieces.front() {
            let after_us = *after_us;
            self.look_again(after_us + 1, sim);
        }
    }
}

/// A piece of what an edit brings, without its bytes.
fn chunk_of(edit: &Edit, shared: &Shared) -> FileChunk {
    FileChunk {
        id: edit.id.clone().unwrap_or_default(),
        directory_id: shared.directory.clone().unwrap_or_default(),
        current_path: edit.path.clone(),
        ..Default::default()
    }
}

fn halves(content: &[u8]) -> [&[u8]; 2] {
    let (one, other) = content.split_at(content.len() / 2);
    [one, other]
}
