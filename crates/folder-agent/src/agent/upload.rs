//! Changes on their way to the server: one group at a time, which is one commit or none.

use std::collections::BTreeSet;

use synxpo::wire::ask_version_increase::FileInfo;
use synxpo::wire::client_message::Message as Say;
use synxpo::wire::error::ErrorCode;
use synxpo::wire::{
    AskVersionIncrease, ChunksMissing, Error, FileChunk, FileMetadata, FileStatus, FileStatusInfo, FileWrite,
    FileWriteEnd, Timestamp, VersionIncreaseAllow,
};

use super::guard::Side;
use super::large::LargeUpload;
use super::look::path_of;
use super::tries::subject;
use super::work::Trouble;
use super::{Agent, told};
use crate::disk::{Disk, Stage};
use crate::model::{Content, FileId, Kind, Remote, Synced, SyncedTree, Version};
use crate::plan::{Ask, Step, accept};

/// Files of a group: the server takes so many with one commit.
pub(super) const GROUP_FILES: usize = 400;
/// Bytes of a group, but for its first file.
const GROUP_BYTES: u64 = 8 << 20;
/// Bytes of a piece.
const PIECE: usize = 1 << 20;
/// Bytes that are handed over at once; more is asked for when there is room.
const TURN: usize = 1 << 20;
/// Whoever waits for a file asks by itself after this, and some chance more (FLD-6).
const BLOCKED_MS: u64 = 35_000;
const BLOCKED_CHANCE_MS: u64 = 10_000;
/// After something went wrong, growing.
const RETRY_MS: u64 = 1_000;
const RETRY_MAX_MS: u64 = 60_000;
/// What can never be right is tried again, for the server may change its mind.
const REFUSED_MS: u64 = 60_000;
const REFUSED_MAX_MS: u64 = 3_600_000;

/// Why something is not asked for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Somebody else writes it.
    Blocked,
    /// It was made from an older version than there is: that will be told.
    Denied,
    /// Something went wrong.
    Failed,
    /// It cannot be right.
    Refused,
}

/// Not before a moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wait {
    pub(super) until_ms: u64,
    pub(super) tries: u32,
    pub(super) why: Why,
    /// Apart from others, who may have been the reason.
    pub(super) alone: bool,
}

/// A change of the group, and where its bytes are.
#[derive(Debug)]
struct Sent {
    ask: Ask,
    stage: Option<Stage>,
    mtime_us: Option<i64>,
}

#[derive(Debug)]
enum Phase {
    Asked,
    Writing,
    Ended,
}

/// A group on its way.
#[derive(Debug)]
pub(super) struct Upload {
    request: String,
    sent: Vec<Sent>,
    phase: Phase,
    /// What the server calls it.
    name: Option<String>,
    /// What it wants, the last first: place in `sent`, id, next byte.
    wanted: Vec<(usize, String, u64)>,
    large: Option<LargeUpload>,
}

impl Upload {
    pub(super) fn is_answered_by(&self, request: &str) -> bool {
        self.request == request
    }

    /// Nothing is to be sent before an answer.
    pub(super) fn is_awaiting(&self) -> bool {
        match self.phase {
            Phase::Asked | Phase::Ended => true,
            Phase::Writing => self.large.as_ref().is_some_and(LargeUpload::is_awaiting),
        }
    }

    pub(super) fn uses(&self, stage: Stage) -> bool {
        self.sent.iter().any(|sent| sent.stage == Some(stage))
    }

    /// Whether a step would touch what is on its way.
    pub(super) fn is_about(&self, step: &Step) -> bool {
        let has_id = |id: &FileId| self.sent.iter().any(|sent| sent.ask.id == Some(*id));
        let has_path = |path: &str| self.sent.iter().any(|sent| is_at_or_below(&sent.ask.path, path));
        match step {
            Step::Adopt { id, path } => has_id(id) || self.sent.iter().any(|sent| sent.ask.path == *path),
            Step::Forget { id } => has_id(id),
            Step::MakeFolder { id, path } => has_id(id) || self.sent.iter().any(|sent| sent.ask.path == *path),
            Step::MakeLink { id, path, .. } | Step::SetExecutable { id, path, .. } | Step::Remove { id, path, .. } => {
                has_id(id) || has_path(path)
            }
            Step::Move { id, from, to, .. } => has_id(id) || has_path(from) || has_path(to),
            Step::Copy { from, to, .. } => has_path(from) || has_path(to),
        }
    }
}

fn is_at_or_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl<D: Disk> Agent<D> {
    /// Asks for the next changes, if there are any that need not wait.
    pub(super) fn start_upload(&mut self, asks: Vec<Ask>) -> Result<(), Trouble> {
        let known: BTreeSet<String> = asks.iter().map(subject).collect();
        self.waits.retain(|subject, _| known.contains(subject));
        let sent = self.next_group(&asks);
        if sent.is_empty() {
            return Ok(());
        }
        self.keep_rest(asks, &sent);
        let mut files = vec![];
        for Sent { ask, mtime_us, .. } in &sent {
            files.push(self.file_info(ask, *mtime_us));
        }
        let request = self.say(Say::AskVersionIncrease(AskVersionIncrease { files }));
        self.upload = Some(Upload { request, sent, phase: Phase::Asked, name: None, wanted: vec![], large: None });
        Ok(())
    }

    /// Contents need nobody else: what is left of them is asked for next. Moves and removals are planned anew.
    fn keep_rest(&mut self, asks: Vec<Ask>, sent: &[Sent]) {
        self.rest.clear();
        if asks.len() > sent.len() && !asks.iter().any(|ask| self.is_bound(ask)) {
            let sent: BTreeSet<String> = sent.iter().map(|sent| subject(&sent.ask)).collect();
            self.rest = asks.into_iter().filter(|ask| !sent.contains(&subject(ask))).collect();
        }
    }

    /// Goes on with what the last plan asks for, if that still holds.
    pub(super) fn go_on_with_rest(&mut self) -> Result<(), Trouble> {
        if self.is_stale || self.upload.is_some() || self.rest.is_empty() || self.phase != super::Phase::On {
            return Ok(());
        }
        let rest = std::mem::take(&mut self.rest);
        self.report.to_send = rest.len() as u64;
        self.start_upload(rest)?;
        self.is_stale = self.upload.is_none();
        Ok(())
    }

    /// Moves and removals go together and first: one of two files that changed places would take the other's place alone, as if that was not wanted any
    /// more. Contents need nobody else.
    fn next_group(&mut self, asks: &[Ask]) -> Vec<Sent> {
        let (bound, free): (Vec<&Ask>, Vec<&Ask>) = asks.iter().partition(|ask| self.is_bound(ask));
        let mut group = self.bound_group(&bound);
        let mut bytes: u64 = group.iter().map(|sent| content_size(&sent.ask)).sum();
        for ask in free {
            let wait = self.waits.get(&subject(ask)).copied();
            if let Some(wait) = wait.filter(|wait| wait.until_ms > self.now.ran_ms) {
                self.plan_at(wait.until_ms);
                continue;
            }
            let Some(sent) = self.sent(ask) else { continue };
            let size = content_size(ask);
            // What was refused within a group is tried alone, so that it holds up nobody.
            let is_alone = size > self.settings.large_bytes || wait.is_some_and(|wait| wait.alone);
            if !group.is_empty() && (is_alone || bytes + size > GROUP_BYTES || group.len() >= self.group_files) {
                break;
            }
            bytes += size;
            group.push(sent);
            if is_alone {
                break;
            }
        }
        group
    }

    /// All of them, or none while one has to wait.
    fn bound_group(&mut self, bound: &[&Ask]) -> Vec<Sent> {
        let until_ms = bound.iter().filter_map(|ask| self.waits.get(&subject(ask))).map(|wait| wait.until_ms).max();
        if let Some(until_ms) = until_ms.filter(|until_ms| *until_ms > self.now.ran_ms) {
            self.plan_at(until_ms);
            return vec![];
        }
        let first = bound.iter().take(GROUP_FILES);
        let group: Option<Vec<Sent>> = first.map(|ask| self.sent(ask)).collect();
        group.unwrap_or_default()
    }

    /// It leaves a place, or takes one that may be another's.
    fn is_bound(&self, ask: &Ask) -> bool {
        let is_moved = |id: FileId| path_of(self.state.synced(), id).is_none_or(|path| path != ask.path);
        ask.deleted || ask.id.is_some_and(is_moved)
    }

    /// A change whose bytes, if it has any, were set aside.
    fn sent(&mut self, ask: &Ask) -> Option<Sent> {
        if !ask.content_changed || ask.content.kind() != Kind::File {
            return Some(Sent { ask: ask.clone(), stage: None, mtime_us: None });
        }
        let put = self.state.asides().get(&ask.path).filter(|put| Some(put.aside.stat) == ask.stat);
        let Some(put) = put else {
            // It will be set aside once it is looked at again.
            self.dirty.insert(super::look::folder_of(&ask.path).to_owned());
            return None;
        };
        Some(Sent { ask: ask.clone(), stage: Some(put.stage), mtime_us: Some(put.aside.mtime_us) })
    }

    fn file_info(&mut self, ask: &Ask, mtime_us: Option<i64>) -> FileInfo {
        let try_us = self.try_us(ask);
        let (size, hash, executable, symlink_target) = match &ask.content {
            Content::Folder => (None, None, None, None),
            Content::Symlink(target) => (None, None, None, Some(target.clone())),
            Content::File { hash, size, executable } => {
                (Some(*size), hash.map(|hash| hash.to_vec()), Some(*executable), None)
            }
        };
        let brings = ask.content_changed && !ask.deleted;
        FileInfo {
            id: ask.id.map(|id| id.to_string()),
            directory_id: self.settings.directory.clone(),
            first_try_time: Some(Timestamp { time: try_us.cast_unsigned() }),
            current_path: ask.path.clone(),
            deleted: ask.deleted,
            content_changed: brings,
            r#type: told::file_type(ask.content.kind()).into(),
            base_version: Some(ask.base),
            size: size.filter(|_| brings),
            hash: hash.filter(|_| brings),
            mtime_us,
            executable: executable.filter(|_| !ask.deleted),
            symlink_target: symlink_target.filter(|_| !ask.deleted),
            seen_dir_seq: Some(self.state.number("seq")).filter(|seq| *seq > 0),
        }
    }

    pub(super) fn allowed(&mut self, request: &str, allow: &VersionIncreaseAllow) {
        let Some(upload) = self.upload.as_mut().filter(|upload| upload.request == request) else { return };
        (upload.phase, upload.name) = (Phase::Writing, allow.upload.clone());
        for wanted in allow.files.iter().rev() {
            // Another file may be removed from the very path that a new one takes; the server may see in both one file that was saved anew.
            let is_named = |ask: &Ask| ask.id.is_some_and(|id| FileId::read(&wanted.id) == Some(id));
            let is_it =
                |sent: &Sent| sent.stage.is_some() && (is_named(&sent.ask) || sent.ask.path == wanted.current_path);
            if let Some(place) = upload.sent.iter().position(is_it) {
                upload.wanted.push((place, wanted.id.clone(), 0));
            }
        }
    }

    /// A large content that is wanted next travels by its chunks.
    fn next_large(&mut self, upload: &mut Upload) -> std::io::Result<()> {
        if upload.large.as_ref().is_some_and(LargeUpload::is_sent) {
            upload.large = None;
        }
        if upload.large.is_some() || !matches!(upload.phase, Phase::Writing) {
            return Ok(());
        }
        let Some((place, id, 0)) = upload.wanted.last() else { return Ok(()) };
        let Sent { ask, stage: Some(stage), .. } = &upload.sent[*place] else { return Ok(()) };
        let Content::File { hash: Some(hash), size, .. } = &ask.content else { return Ok(()) };
        if *size > self.settings.large_bytes {
            let chunks = self.state.chunks(hash).ok().flatten().ok_or(std::io::ErrorKind::NotFound)?;
            upload.large = Some(LargeUpload::new(id.clone(), ask.path.clone(), *stage, chunks));
            upload.wanted.pop();
        }
        Ok(())
    }

    /// The next pieces of what is on its way.
    pub(super) fn next_pieces(&mut self) {
        let Some(mut upload) = self.upload.take() else { return };
        let went = self.next_large(&mut upload).and_then(|()| match (&upload.phase, &mut upload.large) {
            (Phase::Asked | Phase::Ended, _) => Ok(()),
            (Phase::Writing, Some(large)) => self.next_chunks(&upload.request.clone(), large),
            (Phase::Writing, None) => self.next_bytes(&mut upload),
        });
        let is_whole = matches!(upload.phase, Phase::Writing)
            && upload.wanted.is_empty()
            && upload.large.as_ref().is_none_or(LargeUpload::is_sent);
        if went.is_ok() && is_whole {
            let end = FileWriteEnd { upload: upload.name.clone() };
            upload.request = self.say(Say::FileWriteEnd(end));
            upload.phase = Phase::Ended;
        }
        self.upload = Some(upload);
        if let Err(error) = went {
            // What was set aside cannot be read: it is set aside again.
            self.give_up_asides(&error.to_string());
        }
    }

    fn next_bytes(&mut self, upload: &mut Upload) -> std::io::Result<()> {
        let mut bytes = 0;
        while bytes < TURN {
            let Some((place, id, offset)) = upload.wanted.last_mut() else { break };
            let sent = &upload.sent[*place];
            if content_size(&sent.ask) > self.settings.large_bytes {
                break;
            }
            let Some(stage) = sent.stage else {
                upload.wanted.pop();
                continue;
            };
            let size = content_size(&sent.ask);
            let most = usize::try_from(size - *offset).unwrap_or(PIECE).min(PIECE);
            let data = self.disk.read_stage(stage, *offset, most)?;
            if data.len() < most {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            bytes += data.len() + 200;
            let chunk = FileChunk {
                id: id.clone(),
                directory_id: self.settings.directory.clone(),
                offset: *offset,
                current_path: sent.ask.path.clone(),
                data,
                ..FileChunk::default()
            };
            *offset += most as u64;
            let is_done = *offset >= size;
            let request = upload.request.clone();
            if is_done {
                upload.wanted.pop();
            }
            self.say_as(&request, Say::FileWrite(FileWrite { chunk: Some(chunk) }));
        }
        Ok(())
    }

    fn give_up_asides(&mut self, why: &str) {
        let Some(upload) = self.upload.take() else { return };
        for sent in upload.sent.iter().filter(|sent| sent.stage.is_some()) {
            self.drop_aside_of(&sent.ask.path);
        }
        self.tell("trouble", "", &format!("what was set aside cannot be read: {why}"));
        // The server rolls back by itself; a new connection tells it at once.
        self.out.close = true;
        self.closed();
    }

    /// It is set aside again, and all of it.
    fn drop_aside_of(&mut self, path: &str) {
        let Some(put) = self.state.drop_aside(path) else { return };
        self.drop_stage_later(put.stage);
        self.wholes.insert(path.to_owned());
        if let Some(local) = self.local.get_mut(path)
            && let Content::File { hash, .. } = &mut local.content
        {
            *hash = None;
        }
    }

    pub(super) fn chunks_missing(&mut self, missing: &ChunksMissing) {
        if let Some(large) = self.upload.as_mut().and_then(|upload| upload.large.as_mut()) {
            large.missing(missing);
        }
    }

    /// The server has it.
    pub(super) fn increased(&mut self, request: &str, files: &[FileMetadata]) {
        if self.upload.as_ref().is_none_or(|upload| upload.request != request) {
            // Of something that was given up: it is as good as an event.
            files.iter().for_each(|meta| self.take_version(meta));
            return;
        }
        let Some(upload) = self.upload.take() else { return };
        self.group_files = (self.group_files * 2).min(GROUP_FILES);
        for (sent, meta) in upload.sent.iter().zip(files) {
            let subject = subject(&sent.ask);
            self.state.drop_try(&subject);
            self.waits.remove(&subject);
            self.accepted(&sent.ask, meta);
        }
        self.refusal = None;
        self.is_stale |= self.rest.is_empty();
    }

    pub(super) fn accepted(&mut self, ask: &Ask, meta: &FileMetadata) {
        let Some((id, told)) = told::read(meta) else { return };
        if self.state.remote().get(&id).is_none_or(|known| known.version <= told.version) {
            self.state.put_remote(id, told.clone());
        }
        let before = self.state.synced().get(&id).cloned();
        let mut one: SyncedTree = before.iter().map(|before| (id, before.clone())).collect();
        accept(self.state.remote(), &mut one, ask, id);
        let now = one.remove(&id).or_else(|| followed(ask, &told)).filter(|_| !(ask.deleted && told.deleted));
        match now {
            Some(now) if is_followed(ask, &told) => {
                // It was taken, and somebody else wrote more on top of it: what is here is what that was made from.
                let over = followed(ask, &told).unwrap_or(now);
                self.state.put_synced(id, over);
            }
            Some(now) => self.state.put_synced(id, now),
            None => self.state.drop_synced(id),
        }
        if told.deleted && ask.deleted {
            self.state.drop_remote(id);
        }
        if self.state.asides().get(&ask.path).is_some_and(|put| Some(put.aside.stat) == ask.stat)
            && let Some(put) = self.state.drop_aside(&ask.path)
        {
            self.drop_stage_later(put.stage);
        }
        if ask.deleted {
            self.note_removal(Side::There, &ask.content);
        }
        let what = match (ask.deleted, ask.content_changed) {
            (true, _) => "removed",
            (false, true) => "content",
            (false, false) => "name or attributes",
        };
        self.tell("sent", &ask.path, what);
    }

    /// Nothing was changed.
    pub(super) fn denied(&mut self, request: &str, files: &[FileStatusInfo]) {
        if self.upload.as_ref().is_none_or(|upload| upload.request != request) {
            return;
        }
        let Some(upload) = self.upload.take() else { return };
        let mut is_any_denied = false;
        for said in files {
            let is_it = |sent: &&Sent| match sent.ask.id {
                Some(id) if !said.id.is_empty() => FileId::read(&said.id) == Some(id),
                Some(_) | None => said.current_path.as_deref() == Some(&sent.ask.path),
            };
            let Some(sent) = upload.sent.iter().find(is_it) else { continue };
            match FileStatus::try_from(said.status) {
                Ok(FileStatus::Blocked) => {
                    let wait_ms = BLOCKED_MS + self.chance(BLOCKED_CHANCE_MS);
                    self.wait(&sent.ask, Why::Blocked, wait_ms);
                }
                Ok(FileStatus::Denied) => {
                    is_any_denied = true;
                    self.wait_longer(&sent.ask, Why::Denied, RETRY_MS, RETRY_MAX_MS);
                }
                Ok(FileStatus::Free) | Err(_) => {}
            }
        }
        if is_any_denied {
            let after = Some(self.state.number("seq")).filter(|seq| *seq > 0);
            self.request_versions(after);
        }
        self.is_stale = true;
    }

    fn wait(&mut self, ask: &Ask, why: Why, wait_ms: u64) {
        let until_ms = self.now.ran_ms + wait_ms;
        self.waits.insert(subject(ask), Wait { until_ms, tries: 0, why, alone: false });
        self.plan_at(until_ms);
    }

    fn wait_longer(&mut self, ask: &Ask, why: Why, first_ms: u64, most_ms: u64) {
        self.wait_apart(ask, why, (first_ms, most_ms), false);
    }

    fn wait_apart(&mut self, ask: &Ask, why: Why, (first_ms, most_ms): (u64, u64), alone: bool) {
        let tries = self.waits.get(&subject(ask)).map_or(0, |wait| wait.tries);
        let wait_ms = (first_ms << tries.min(12)).min(most_ms);
        let until_ms = self.now.ran_ms + wait_ms;
        self.waits.insert(subject(ask), Wait { until_ms, tries: tries + 1, why, alone });
        self.plan_at(until_ms);
    }

    pub(super) fn upload_failed(&mut self, code: ErrorCode, error: &Error) {
        let Some(upload) = self.upload.take() else { return };
        // A server that has no room for all of it may have room for half.
        self.group_files = (upload.sent.len() / 2).max(1);
        let (why, first_ms, most_ms) = match code {
            ErrorCode::InvalidRequest | ErrorCode::PermissionDenied | ErrorCode::DirectoryNotFound => {
                self.refusal = Some(format!("the server refuses a change: {}", error.message));
                (Why::Refused, REFUSED_MS, REFUSED_MAX_MS)
            }
            ErrorCode::Unknown
            | ErrorCode::Timeout
            | ErrorCode::FileNotFound
            | ErrorCode::InternalError
            | ErrorCode::AlreadySubscribed
            | ErrorCode::NotSubscribed => (Why::Failed, RETRY_MS, RETRY_MAX_MS),
        };
        let are_many = upload.sent.len() > 1;
        for sent in &upload.sent {
            // Of many only some may be wrong: contents are tried alone, and soon.
            let is_apart = why == Why::Refused && are_many && !self.is_bound(&sent.ask);
            let (why, first_ms) = if is_apart { (Why::Failed, 1) } else { (why, first_ms) };
            self.wait_apart(&sent.ask, why, (first_ms, most_ms), is_apart);
            if why == Why::Refused {
                self.tell("refused", &sent.ask.path, &error.message);
                // What was set aside may be what is wrong.
                self.drop_aside_of(&sent.ask.path);
            }
        }
        self.is_stale = true;
    }
}

fn content_size(ask: &Ask) -> u64 {
    match &ask.content {
        Content::File { size, .. } if ask.content_changed && !ask.deleted => *size,
        Content::File { .. } | Content::Folder | Content::Symlink(_) => 0,
    }
}

/// Whether the server has a later content than the one that was brought.
fn is_followed(ask: &Ask, told: &Remote) -> bool {
    match (&ask.content, &told.content) {
        (Content::File { hash: Some(own), .. }, Content::File { hash: Some(theirs), .. }) => {
            ask.content_changed && !ask.deleted && own != theirs
        }
        _ => false,
    }
}

/// What both had before that.
fn followed(ask: &Ask, told: &Remote) -> Option<Synced> {
    let stat = ask.stat.filter(|_| is_followed(ask, told))?;
    let (parent, name, version) = (told.parent, told.name.clone(), told.version.saturating_sub(1));
    let of = Version { parent, name, version, content_version: 0, content: ask.content.clone() };
    Some(Synced { of: of.into(), stat })
}
