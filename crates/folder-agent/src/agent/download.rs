//! Contents on their way from the server: one request at a time, for the server answers them one after the other.
//!
//! What comes is written to a stage and compared with what was announced; only then it takes its place, if that is still what was planned on (FLD-7).

use synxpo::wire::client_message::Message as Say;
use synxpo::wire::error::ErrorCode;
use synxpo::wire::{FileChunk, FileChunks, FileMetadata, FileStatusInfo, RequestFileContent, request_file_content};

use super::large::LargeDownload;
use super::look::folder_of;
use super::upload::{Wait, Why};
use super::work::Trouble;
use super::{Agent, told};
use crate::disk::{Disk, Expected, Stage};
use crate::model::{Content, FileId, Hash, Local, Remote, SyncedTree};
use crate::plan::{Fetch, Step, fetched};

/// Files of a request.
const BATCH_FILES: usize = 2_000;
/// Bytes of a request, but for its first file.
const BATCH_BYTES: u64 = 16 << 20;
/// Between two pieces.
const GAP_MS: u64 = 30_000;
/// After a fetch that came to nothing, growing.
const REST_MS: u64 = 1_000;
const REST_MAX_MS: u64 = 60_000;
/// Room that a large content leaves to others.
const ROOM_LEFT: u64 = 64 << 20;

/// A file on its way.
#[derive(Debug)]
pub(super) struct Fetching {
    pub(super) fetch: Fetch,
    pub(super) stage: Stage,
    /// What exactly comes, once that is allowed.
    pub(super) told: Option<Remote>,
    got: u64,
}

/// What is on its way.
#[derive(Debug)]
pub(super) struct Download {
    request: String,
    is_allowed: bool,
    files: Vec<Fetching>,
    /// The file whose pieces come.
    at: usize,
    pub(super) large: Option<LargeDownload>,
}

impl Download {
    /// What follows an ALLOW has no request of its own: any error that nobody else awaits is its.
    pub(super) fn is_answered_by(&self, request: &str) -> bool {
        self.request == request || request.is_empty()
    }

    /// The server was asked for something that did not come yet.
    pub(super) fn is_awaiting(&self) -> bool {
        self.large.as_ref().is_none_or(LargeDownload::is_awaiting)
    }

    pub(super) fn stages(&self) -> impl Iterator<Item = Stage> + '_ {
        self.files.iter().map(|file| file.stage)
    }

    pub(super) fn is_about(&self, step: &Step) -> bool {
        let is_it = |id: &FileId| self.files.iter().any(|file| file.fetch.id == *id);
        match step {
            Step::Adopt { id, .. }
            | Step::Forget { id }
            | Step::MakeFolder { id, .. }
            | Step::MakeLink { id, .. }
            | Step::SetExecutable { id, .. }
            | Step::Remove { id, .. } => is_it(id),
            // What is moved under it makes it be fetched anew, which is no harm.
            Step::Move { id, .. } => is_it(id),
            Step::Copy { .. } => false,
        }
    }
}

/// What is asked for of a file.
pub(super) fn wanted(directory: &str, id: FileId) -> request_file_content::FileId {
    request_file_content::FileId {
        id: id.to_string(),
        directory_id: directory.to_owned(),
        ..request_file_content::FileId::default()
    }
}

impl<D: Disk> Agent<D> {
    /// Asks for the next contents, if there are any.
    pub(super) fn start_download(&mut self, fetches: &[Fetch]) -> Result<(), Trouble> {
        let now_ms = self.now.ran_ms;
        let mut files = vec![];
        let mut bytes = 0;
        let mut large = None;
        for fetch in fetches {
            if let Some(rest) = self.rests.get(&fetch.id).filter(|rest| rest.until_ms > now_ms) {
                let until_ms = rest.until_ms;
                self.plan_at(until_ms);
                continue;
            }
            let size = size_of(&fetch.content);
            if size > self.settings.large_bytes {
                large.get_or_insert(fetch);
                continue;
            }
            if !files.is_empty() && (bytes + size > BATCH_BYTES || files.len() >= BATCH_FILES) {
                break;
            }
            bytes += size;
            let stage = self.state.new_stage();
            files.push(Fetching { fetch: fetch.clone(), stage, told: None, got: 0 });
        }
        match (files.is_empty(), large) {
            (false, _) => self.ask_for(files),
            (true, Some(fetch)) if self.has_room(fetch)? => self.start_large(fetch),
            (true, Some(_)) => {}
            (true, None) => {}
        }
        Ok(())
    }

    fn ask_for(&mut self, files: Vec<Fetching>) {
        let directory = self.settings.directory.clone();
        let wanted = files.iter().map(|file| wanted(&directory, file.fetch.id)).collect();
        let request = self.say(Say::RequestFileContent(RequestFileContent { files: wanted }));
        self.download = Some(Download { request, is_allowed: false, files, at: 0, large: None });
    }

    /// Whether there is room for a large content beside what it replaces; if not, it is tried again later.
    fn has_room(&mut self, fetch: &Fetch) -> Result<bool, Trouble> {
        let there = self.state.download(fetch.id).map_or(Ok(None), |begun| self.disk.stage_size(begun.stage))?;
        let need = size_of(&fetch.content).saturating_sub(there.unwrap_or(0));
        if self.disk.room()? > need.saturating_add(ROOM_LEFT) {
            return Ok(true);
        }
        self.rest_long(fetch.id);
        self.tell("trouble", &fetch.path, &format!("there is no room for its {} bytes", size_of(&fetch.content)));
        Ok(false)
    }

    fn start_large(&mut self, fetch: &Fetch) {
        let stage = self.stage_of_large(fetch);
        let mut list = wanted(&self.settings.directory, fetch.id);
        list.list_segments = Some(true);
        let request = self.say(Say::RequestFileContent(RequestFileContent { files: vec![list] }));
        let files = vec![Fetching { fetch: fetch.clone(), stage, told: None, got: 0 }];
        self.download = Some(Download { request, is_allowed: false, files, at: 0, large: Some(LargeDownload::new()) });
    }

    /// Asks for more of the version that is on its way.
    pub(super) fn ask_for_more(&mut self, more: request_file_content::FileId) {
        let Some(file) = self.download.as_ref().and_then(|download| download.files.first()) else { return };
        let request_file_content::FileId { id, directory_id, .. } = wanted(&self.settings.directory, file.fetch.id);
        let version = file.told.as_ref().map(|told| told.version);
        let wanted = request_file_content::FileId { id, directory_id, version, ..more };
        let request = self.say(Say::RequestFileContent(RequestFileContent { files: vec![wanted] }));
        if let Some(download) = &mut self.download {
            (download.request, download.is_allowed) = (request, false);
        }
    }

    pub(super) fn content_allowed(&mut self, request: &str, files: &[FileMetadata]) {
        let Some(download) = self.download.as_mut().filter(|download| download.request == request) else { return };
        download.is_allowed = true;
        self.piece_at = self.now.ran_ms;
        let is_list = download.large.as_ref().is_none_or(LargeDownload::is_naming);
        for (file, meta) in download.files.iter_mut().zip(files).filter(|_| is_list) {
            file.told = told::read(meta).map(|(_, told)| told);
        }
        if is_list {
            // What comes may be newer than what was told.
            files.iter().for_each(|meta| self.take_version(meta));
        }
    }

    pub(super) fn content_denied(&mut self, request: &str, files: &[FileStatusInfo]) {
        if self.download.as_ref().is_none_or(|download| download.request != request) {
            return;
        }
        for said in files.iter().filter(|said| said.status != i32::from(synxpo::wire::FileStatus::Free)) {
            if let Some(id) = FileId::read(&said.id) {
                self.rest(id);
            }
        }
        self.drop_download();
        let after = Some(self.state.number("seq")).filter(|seq| *seq > 0);
        self.request_versions(after);
        self.is_stale = true;
    }

    pub(super) fn content_came(&mut self, chunk: Option<FileChunk>) {
        let (Some(chunk), Some(download)) = (chunk, self.download.as_mut()) else { return };
        if !download.is_allowed {
            // Of a request that was given up.
            return;
        }
        let id = FileId::read(&chunk.id);
        while download.files.get(download.at).is_some_and(|file| Some(file.fetch.id) != id) {
            download.at += 1;
        }
        let Some(file) = download.files.get_mut(download.at) else {
            download.at = 0;
            return;
        };
        file.got += chunk.data.len() as u64;
        self.piece_at = self.now.ran_ms;
        let (stage, is_large) = (file.stage, download.large.is_some());
        if !is_large && file.got != chunk.offset + chunk.data.len() as u64 {
            return self.download_failed(ErrorCode::Unknown, "pieces do not follow each other");
        }
        if let Err(error) = self.disk.write_stage(stage, chunk.offset, &chunk.data) {
            self.download_refused(&error);
            self.disk_failed(&error);
        }
    }

    /// The disk refused what is on its way. One that is full gets back what was taken of it: others need room too.
    pub(super) fn download_refused(&mut self, error: &std::io::Error) {
        let files = self.download.iter().flat_map(|download| &download.files);
        let files: Vec<(FileId, Stage)> = files.map(|file| (file.fetch.id, file.stage)).collect();
        self.download_failed(ErrorCode::Unknown, &error.to_string());
        for (id, stage) in files.into_iter().filter(|_| error.kind() == std::io::ErrorKind::StorageFull) {
            self.state.put_download(id, None);
            self.drop_stage_later(stage);
            self.rest_long(id);
        }
    }

    fn rest_long(&mut self, id: FileId) {
        let until_ms = self.now.ran_ms + REST_MAX_MS;
        self.rests.insert(id, Wait { until_ms, tries: u32::from(u8::MAX), why: Why::Failed, alone: false });
        self.plan_at(until_ms);
    }

    pub(super) fn chunks_came(&mut self, chunks: &FileChunks) {
        let Some(download) = self.download.as_mut().filter(|download| download.is_allowed) else { return };
        if let Some(large) = &mut download.large {
            large.add(chunks);
            self.piece_at = self.now.ran_ms;
        }
    }

    /// FILE_WRITE_END: all of it came. What follows needs the disk, and is done with the rest of the work.
    pub(super) fn content_ended(&mut self) {
        let Some(download) = self.download.as_mut().filter(|download| download.is_allowed) else { return };
        download.is_allowed = false;
        match &mut download.large {
            Some(large) => large.came(),
            None => self.is_come = true,
        }
    }

    /// Goes on with what came.
    pub(super) fn take_download(&mut self) -> Result<(), Trouble> {
        if self.download.as_ref().is_some_and(|download| download.large.is_some()) {
            return self.go_on_large();
        }
        if !std::mem::take(&mut self.is_come) {
            return Ok(());
        }
        let Some(download) = self.download.take() else { return Ok(()) };
        let installed = self.install_all(&download.files);
        if installed.is_err() {
            // What took its place is no stage any more; the rest comes again.
            download.files.iter().for_each(|file| self.drop_stage_later(file.stage));
        }
        self.is_stale = true;
        installed
    }

    fn install_all(&mut self, files: &[Fetching]) -> Result<(), Trouble> {
        let mut whole = vec![];
        for file in files {
            let size = file.told.as_ref().map(|told| size_of(&told.content));
            match size {
                Some(size) if size == file.got => whole.push((file, self.disk.sync_stage(file.stage, size)?)),
                Some(_) | None => self.give_up(file),
            }
        }
        for (file, hash) in whole {
            self.install(file, hash)?;
        }
        Ok(self.settle()?)
    }

    /// Puts what came in its place, if everything is as it was planned.
    pub(super) fn install(&mut self, file: &Fetching, brought: Hash) -> Result<(), Trouble> {
        let (Some(told), fetch) = (&file.told, &file.fetch) else { return Ok(()) };
        let (size, executable) = match &told.content {
            Content::File { hash, size, executable } if hash.is_none_or(|said| said == brought) => (*size, *executable),
            Content::File { .. } | Content::Folder | Content::Symlink(_) => {
                self.give_up(file);
                return Ok(());
            }
        };
        let is_newest = self.state.remote().get(&fetch.id) == Some(told);
        if told.deleted || !is_newest || !self.is_place_right(fetch, told)? {
            self.dirty.insert(folder_of(&fetch.path).to_owned());
            self.put_off(file);
            return Ok(());
        }
        self.has_unsettled = true;
        let made = self.disk.install(file.stage, &fetch.path, fetch.expected, executable, told.mtime_us);
        let Some(stat) = self.outcome(made, &fetch.path)? else {
            self.put_off(file);
            return Ok(());
        };
        let content = Content::File { hash: Some(brought), size, executable };
        self.local.insert(fetch.path.clone(), Local { stat, content: content.clone() });
        let known = self.state.synced().get(&fetch.id).cloned();
        let mut one: SyncedTree = known.into_iter().map(|known| (fetch.id, known)).collect();
        let fetch = &Fetch { version: told.version, ..fetch.clone() };
        fetched(self.state.remote(), &mut one, fetch, content, stat);
        if let Some(now) = one.remove(&fetch.id) {
            self.state.put_synced(fetch.id, now);
        }
        self.state.put_download(fetch.id, None);
        self.rests.remove(&fetch.id);
        self.tell("fetched", &fetch.path, &format!("version {}", told.version));
        Ok(())
    }

    /// It cannot take its place now. What came of a large content is kept while that is the newest.
    fn put_off(&mut self, file: &Fetching) {
        let id = file.fetch.id;
        let newest = self.state.remote().get(&id).filter(|told| !told.deleted).map(|told| told.content_version);
        let is_kept = self.state.download(id).is_some_and(|begun| Some(begun.content_version) == newest);
        if !is_kept {
            self.state.put_download(id, None);
            self.drop_stage_later(file.stage);
        }
        self.rest(id);
    }

    /// What lies there is known by itself; where nothing lies, the folder has to be the one that was planned on.
    fn is_place_right(&mut self, fetch: &Fetch, told: &Remote) -> Result<bool, Trouble> {
        let name = fetch.path.rsplit('/').next().unwrap_or(&fetch.path);
        match fetch.expected {
            Expected::File(_) => Ok(true),
            Expected::Nothing => Ok(*told.name == *name && self.is_in_place(told.parent, &fetch.path)?),
        }
    }

    /// It is tried again later.
    pub(super) fn give_up(&mut self, file: &Fetching) {
        self.state.put_download(file.fetch.id, None);
        self.drop_stage_later(file.stage);
        self.rest(file.fetch.id);
        self.tell("trouble", &file.fetch.path, "what came is not what was announced");
    }

    pub(super) fn rest(&mut self, id: FileId) {
        let tries = self.rests.get(&id).map_or(0, |rest| rest.tries);
        // The first time something only changed in between, which the next plan knows.
        let rest_ms = if tries == 0 { 0 } else { (REST_MS << tries.min(10)).min(REST_MAX_MS) };
        let until_ms = self.now.ran_ms + rest_ms;
        self.rests.insert(id, Wait { until_ms, tries: tries + 1, why: Why::Failed, alone: false });
        self.plan_at(until_ms);
    }

    pub(super) fn download_failed(&mut self, _code: ErrorCode, why: &str) {
        let Some(download) = &self.download else { return };
        let ids: Vec<(FileId, String)> =
            download.files.iter().map(|file| (file.fetch.id, file.fetch.path.clone())).collect();
        for (id, path) in ids {
            let tries = self.rests.get(&id).map_or(1, |rest| rest.tries.max(1));
            self.rests.insert(id, Wait { until_ms: 0, tries, why: Why::Failed, alone: false });
            self.rest(id);
            self.tell("trouble", &path, &format!("it could not be fetched: {why}"));
        }
        self.drop_download();
        self.is_stale = true;
    }

    /// What is under way is given up; of a large one what came is kept.
    pub(super) fn drop_download(&mut self) {
        self.is_come = false;
        let Some(download) = self.download.take() else { return };
        for file in download.files.iter().filter(|_| download.large.is_none()) {
            self.drop_stage_later(file.stage);
        }
    }

    /// Pieces that stopped coming may never come (FLD-8): what came is discarded, and it is asked for again. What still comes of it is passed over.
    pub(super) fn give_up_stalled(&mut self) {
        if !self.download.as_ref().is_some_and(|download| download.is_allowed) {
            return;
        }
        let until_ms = self.piece_at + GAP_MS;
        if self.now.ran_ms < until_ms {
            self.wakes.insert(until_ms);
        } else {
            self.download_failed(ErrorCode::Timeout, "nothing came for 30 seconds");
        }
    }

    /// The first file of what is under way.
    pub(super) fn take_only_file(&mut self) -> Option<Fetching> {
        self.download.take()?.files.into_iter().next()
    }

    pub(super) fn only_file(&self) -> Option<&Fetching> {
        self.download.as_ref()?.files.first()
    }
}

pub(super) fn size_of(content: &Content) -> u64 {
    match content {
        Content::File { size, .. } => *size,
        Content::Folder | Content::Symlink(_) => 0,
    }
}
