//! Who waits for a file that somebody writes (FLD-6): told as soon as anything moves in the directory, and by its own timer at the
//! latest. Whoever is told asks again; if it is still not free, it waits again.

use std::collections::BTreeMap;

use base::OpError;
use kernel::Out;
use serde_json::Value;

use super::directories::watch;
use super::limits::{REMEMBERED_MAX, TOLD_MS};
use super::{Call, Stream, read_as};
use crate::form::{FileMeta, FileStatus, FilesOf};
use crate::wire::{CheckVersion, FileMetadata};

/// Files of a directory that the client waits for.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// Paths by id; by path where there is no id yet.
    files: BTreeMap<String, (String, String)>,
    /// The seat lapses then.
    look_at: u64,
    /// Not before this: the client was told just now.
    not_before: u64,
    /// Something moved meanwhile.
    moved: bool,
}

impl Waiting {
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(super) fn due_at(&self) -> Option<u64> {
        let at = if self.moved { self.not_before } else { self.look_at.max(self.not_before) };
        (!self.files.is_empty()).then_some(at)
    }
}

impl Stream {
    /// Remembers what was blocked.
    pub(super) fn wait_for(&mut self, name: &str, blocked: Vec<&FileStatus>, look_ms: i64) {
        let now = self.now;
        let Ok(directory) = self.directory(name) else { return };
        if blocked.is_empty() {
            return;
        }
        let waiting = &mut directory.waiting;
        let look_at = now + u64::try_from(look_ms).unwrap_or(0).max(TOLD_MS);
        waiting.look_at = if waiting.is_empty() { look_at } else { waiting.look_at.min(look_at) };
        for file in blocked.into_iter().take(REMEMBERED_MAX) {
            let id = file.id.clone().unwrap_or_default();
            let key = if id.is_empty() { file.path.clone() } else { id.clone() };
            waiting.files.insert(key, (id, file.path.clone()));
        }
        self.out.push(Out::Watch(watch(name)));
    }

    /// Something moved, or time is up: the client is told what there is now.
    pub(super) fn wake_waiters(&mut self, name: &str) {
        let now = self.now;
        let Some(directory) = self.directories.get_mut(name).filter(|directory| !directory.waiting.is_empty()) else {
            return;
        };
        if now < directory.waiting.not_before {
            directory.waiting.moved = true;
            return;
        }
        let waiting = std::mem::take(&mut directory.waiting);
        directory.waiting.not_before = now + TOLD_MS;
        if !directory.subscribed {
            self.out.push(Out::Unwatch(watch(name)));
        }
        let paths: Vec<(String, String)> = waiting.files.into_values().collect();
        let ids = paths.iter().map(|(id, _)| id.clone()).filter(|id| !id.is_empty()).take(super::limits::SOUGHT_MAX);
        let input = FilesOf { who: self.who.clone(), ids: ids.collect() };
        self.read("folders.files", &input, Call::Awaited { directory: name.to_owned(), paths });
    }

    pub(super) fn found_awaited(&mut self, name: &str, paths: &[(String, String)], result: Result<Value, OpError>) {
        // Whatever failed, the client is told to ask again: that tells it.
        let found: Vec<FileMeta> = read_as(result).unwrap_or_default();
        let mut files = self.as_told(&found);
        let is_found = |id: &str| found.iter().any(|meta| meta.id == id);
        let others = paths.iter().filter(|(id, _)| id.is_empty() || !is_found(id));
        files.extend(others.map(|(id, path)| {
            let nothing = crate::wire::nothing_at(name, path);
            FileMetadata { id: Some(id.clone()).filter(|id| !id.is_empty()), ..nothing }
        }));
        let directory_id = Some(name.to_owned());
        self.check_version(&None, CheckVersion { files, directory_id, dir_seq: None, more: None });
    }
}
