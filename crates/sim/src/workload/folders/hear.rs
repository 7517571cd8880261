//! What a device does with what it hears.

use folders::wire::server_message::Message;
use folders::wire::{CheckVersion, Error, FileMetadata, FileStatus, FileWrite, ServerMessage, error::ErrorCode};
use prost::Message as _;

use super::device::{Device, Flight, WAITS_US};
use super::edit::hash;
use super::shared::Shared;
use crate::sim::Sim;

impl Device {
    /// A message came on its connection.
    pub(super) fn hear(&mut self, bytes: &[u8], shared: &mut Shared, sim: &mut Sim) {
        let Ok(told) = ServerMessage::decode(bytes) else { return shared.wrong("an answer that is no ServerMessage") };
        shared.answers += 1;
        let said = format!("{:?}", told.message);
        sim.say(&format!("device {} hears {}", self.at.client, &said[..said.floor_char_boundary(200)]));
        let is_event = told.request_id.is_none();
        match told.message {
            Some(Message::OkDirectoryCreated(created)) => {
                shared.directory.get_or_insert(created.directory_id);
                self.cut(sim);
            }
            Some(Message::OkSubscribed(_)) if self.flight == Flight::Subscribing => self.list(shared, sim),
            Some(Message::CheckVersion(versions)) => self.check_version(versions, is_event, shared, sim),
            Some(Message::VersionIncreaseAllow(_)) if self.flight == Flight::Asking => self.write(shared, sim),
            Some(Message::ChunksMissing(missing)) if self.flight == Flight::Writing => {
                self.bring_chunks(&missing.indexes, shared, sim);
            }
            Some(Message::VersionIncreaseDeny(deny)) => {
                let statuses: Vec<i32> = deny.files.iter().map(|file| file.status).collect();
                self.denied(&statuses, shared, sim);
            }
            Some(Message::VersionIncreased(increased)) if self.is_asking() => {
                self.increased(&increased.files, shared);
                self.step(shared, sim);
            }
            // Of something that it has given up meanwhile.
            Some(Message::VersionIncreased(increased)) => {
                let versions = CheckVersion { files: increased.files, ..CheckVersion::default() };
                self.check_version(versions, true, shared, sim);
            }
            Some(Message::FileContentRequestAllow(allow)) => self.allowed(allow.files),
            Some(Message::FileContentRequestDeny(_)) => self.list(shared, sim),
            Some(Message::FileWrite(FileWrite { chunk: Some(chunk) })) => {
                self.got(&chunk.id, chunk.offset, &chunk.data)
            }
            Some(Message::FileWriteEnd(_)) => self.fetched(shared, sim),
            Some(Message::Error(error)) => self.failed(&error, shared, sim),
            _ => {}
        }
    }

    fn is_asking(&self) -> bool {
        matches!(self.flight, Flight::Asking | Flight::Writing)
    }

    /// Newer versions are remembered; an event may be what it waited for.
    fn check_version(&mut self, versions: CheckVersion, is_event: bool, shared: &mut Shared, sim: &mut Sim) {
        let more = versions.more == Some(true);
        for meta in versions.files {
            let Some(id) = meta.id.clone() else { continue };
            let is_newer = |known: u64| meta.version > known;
            let newer = self.files.get(&id).is_none_or(|own| is_newer(own.version))
                && self.heard.get(&id).is_none_or(|heard| is_newer(heard.version));
            // Also a tombstone of what it does not have: an older version may be on its way to it.
            if newer {
                self.heard.insert(id, meta);
            }
        }
        match self.flight {
            Flight::Listing if !is_event && !more => self.step(shared, sim),
            Flight::Waiting if is_event => self.ask(shared, sim),
            Flight::None if is_event => self.look_again(1_000, sim),
            _ => {}
        }
    }

    fn denied(&mut self, statuses: &[i32], shared: &mut Shared, sim: &mut Sim) {
        if !self.is_asking() {
            return;
        }
        let is = |status: FileStatus| statuses.contains(&status.into());
        if is(FileStatus::Denied) {
            if let Some(edit) = &mut self.edit {
                edit.is_denied = true;
            }
            self.list(shared, sim);
        } else if is(FileStatus::Blocked) {
            self.flight = Flight::Waiting;
            let wait_us = WAITS_US + sim.rng.below(10_000_000);
            self.look_again(wait_us, sim);
        } else {
            self.step(shared, sim);
        }
    }

    fn allowed(&mut self, files: Vec<FileMetadata>) {
        if let Flight::Fetching { wanted, got } = &mut self.flight {
            got.clear();
            *wanted = files;
        }
    }

    fn got(&mut self, id: &str, offset: u64, data: &[u8]) {
        if let Flight::Fetching { got, .. } = &mut self.flight {
            let content = got.entry(id.to_owned()).or_default();
            if content.len() as u64 == offset {
                content.extend_from_slice(data);
            }
        }
    }

    /// All of it came: it is installed as exactly what was announced.
    fn fetched(&mut self, shared: &mut Shared, sim: &mut Sim) {
        let Flight::Fetching { wanted, got } = std::mem::replace(&mut self.flight, Flight::None) else { return };
        for meta in wanted {
            let id = meta.id.clone().unwrap_or_default();
            let content = got.get(&id).cloned().unwrap_or_default();
            let Some(text) = shared.texts.of_hash(&hash(&content)) else {
                shared.wrong(&format!("file {id} came with a content that nobody wrote: {content:?}"));
                continue;
            };
            self.install(&id, &meta, Some(text));
            if self.heard.get(&id).is_some_and(|heard| heard.version <= meta.version) {
                self.heard.remove(&id);
            }
        }
        self.step(shared, sim);
    }

    fn failed(&mut self, error: &Error, shared: &mut Shared, sim: &mut Sim) {
        match ErrorCode::try_from(error.code) {
            Ok(ErrorCode::InvalidRequest | ErrorCode::PermissionDenied | ErrorCode::DirectoryNotFound)
                if self.flight != Flight::None =>
            {
                shared.wrong(&format!(
                    "device {} was refused: {error:?}, {:?}, {:?}",
                    self.at.client, self.flight, self.edit
                ));
            }
            // It hears of nothing before it has subscribed and seen all.
            _ if matches!(self.flight, Flight::Creating | Flight::Subscribing | Flight::Listing) => self.cut(sim),
            _ => {
                let pause_us = sim.rng.within(500_000, 2_000_000);
                self.flight = Flight::None;
                self.look_again(pause_us, sim);
            }
        }
    }
}
