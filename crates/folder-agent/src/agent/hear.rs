//! What the server says.

use synxpo::wire::client_message::Message as Say;
use synxpo::wire::error::ErrorCode;
use synxpo::wire::server_message::Message;
use synxpo::wire::{
    CheckVersion, DirectorySubscribe, Error, FileMetadata, OkSubscribed, RequestVersion, ServerMessage, request_version,
};

use super::upload::Why;
use super::{Agent, Phase, told};
use crate::disk::Disk;

/// After the directory was refused.
const REFUSED_MS: u64 = 60_000;

impl<D: Disk> Agent<D> {
    pub(super) fn opened(&mut self) {
        self.closed();
        (self.is_introduced, self.heard_at) = (false, self.now.ran_ms);
        let directory_id = self.settings.directory.clone();
        let subscribe = DirectorySubscribe { directory_id, ..DirectorySubscribe::default() };
        self.phase = Phase::Subscribing(self.say(Say::DirectorySubscribe(subscribe)));
    }

    /// What was under way is over, and is begun anew on the next connection.
    pub(super) fn closed(&mut self) {
        self.phase = Phase::Off;
        self.report.connected = false;
        self.upload = None;
        self.drop_download();
        self.waits.retain(|_, wait| wait.why == Why::Refused);
        self.is_stale = true;
    }

    pub(super) fn hear(&mut self, message: ServerMessage) {
        // Of a connection that was given up: what it told before may have been forgotten with it, and is told again on the next one.
        if self.phase == Phase::Off {
            return;
        }
        self.heard_at = self.now.ran_ms;
        let request = message.request_id.unwrap_or_default();
        match message.message {
            Some(Message::OkSubscribed(told)) => self.subscribed(&request, &told),
            Some(Message::CheckVersion(versions)) => self.check_version(&request, &versions),
            Some(Message::VersionIncreaseAllow(allow)) => self.allowed(&request, &allow),
            Some(Message::VersionIncreaseDeny(deny)) => self.denied(&request, &deny.files),
            Some(Message::VersionIncreased(increased)) => self.increased(&request, &increased.files),
            Some(Message::ChunksMissing(missing)) => self.chunks_missing(&missing),
            Some(Message::FileContentRequestAllow(allow)) => self.content_allowed(&request, &allow.files),
            Some(Message::FileContentRequestDeny(deny)) => self.content_denied(&request, &deny.files),
            Some(Message::FileWrite(write)) => self.content_came(write.chunk),
            Some(Message::FileChunks(chunks)) => self.chunks_came(&chunks),
            Some(Message::FileWriteEnd(_)) => self.content_ended(),
            Some(Message::Error(error)) => self.failed(&request, &error),
            Some(Message::OkDirectoryCreated(_) | Message::OkUnsubscribed(_)) | None => {}
        }
    }

    fn subscribed(&mut self, request: &str, told: &OkSubscribed) {
        if self.phase != Phase::Subscribing(request.to_owned()) {
            return;
        }
        let epoch = told.directory_epoch.clone().unwrap_or_default();
        if self.state.value("epoch").is_some_and(|known| known != epoch) {
            self.tell("epoch", "", "the server was put back from a backup: everything is compared by what it holds");
            self.state.forget_all();
        }
        self.state.set("epoch", Some(epoch));
        let after = Some(self.state.number("seq")).filter(|seq| *seq > 0);
        self.phase = Phase::Listing(self.request_versions(after));
    }

    /// Asks for all versions of the directory that came after a commit.
    pub(super) fn request_versions(&mut self, after_dir_seq: Option<u64>) -> String {
        let directory = request_version::file_request::Request::DirectoryId(self.settings.directory.clone());
        let request = request_version::FileRequest { request: Some(directory), after_dir_seq };
        self.say(Say::RequestVersion(RequestVersion { requests: vec![request] }))
    }

    fn check_version(&mut self, request: &str, versions: &CheckVersion) {
        let is_other = |id: &String| *id != self.settings.directory;
        if versions.directory_id.as_ref().is_some_and(is_other) {
            return;
        }
        versions.files.iter().for_each(|meta| self.take_version(meta));
        let is_last = versions.more != Some(true);
        if let Some(seq) = versions.dir_seq.filter(|_| is_last) {
            self.state.set("seq", Some(seq.to_string()));
        }
        if is_last && self.phase == Phase::Listing(request.to_owned()) {
            self.phase = Phase::On;
            self.report.connected = true;
            self.refusal = None;
        }
        // Something moved: whoever waits for a file may have it now, and whoever was refused knows why.
        self.waits.retain(|_, wait| wait.why == Why::Refused || (wait.why == Why::Denied && !is_last));
        self.is_stale = true;
    }

    /// A version as it is told; an older one than is known says nothing.
    pub(super) fn take_version(&mut self, meta: &FileMetadata) {
        let told = told::read(meta).filter(|_| meta.directory_id == self.settings.directory);
        let Some((id, told)) = told else { return };
        let known = self.state.remote().get(&id).map(|known| known.version);
        if known.is_some_and(|known| known > told.version) {
            return;
        }
        let is_newer = known.is_none_or(|known| known < told.version);
        self.recognise(id, &told, meta);
        if told.deleted && !self.state.synced().contains_key(&id) {
            // A tombstone of what was never here.
            self.state.drop_remote(id);
        } else {
            self.state.put_remote(id, told);
        }
        if is_newer {
            // What could not be fetched was another one.
            self.rests.remove(&id);
        }
        self.is_stale = true;
    }

    fn failed(&mut self, request: &str, error: &Error) {
        let code = ErrorCode::try_from(error.code).unwrap_or(ErrorCode::Unknown);
        let is_opening = matches!(&self.phase, Phase::Subscribing(own) | Phase::Listing(own) if own == request);
        if is_opening {
            return self.refused(code, &error.message);
        }
        if self.upload.as_ref().is_some_and(|upload| upload.is_answered_by(request)) {
            return self.upload_failed(code, error);
        }
        // A download is known by its request until it is allowed; what follows has none.
        if self.download.as_ref().is_some_and(|download| download.is_answered_by(request)) {
            self.download_failed(code, &error.message);
        }
    }

    fn refused(&mut self, code: ErrorCode, why: &str) {
        match code {
            ErrorCode::DirectoryNotFound | ErrorCode::PermissionDenied | ErrorCode::InvalidRequest => {
                self.refusal = Some(format!("the server refuses the directory: {why}"));
                self.reconnect_in_ms = REFUSED_MS;
            }
            ErrorCode::Unknown
            | ErrorCode::Timeout
            | ErrorCode::FileNotFound
            | ErrorCode::InternalError
            | ErrorCode::AlreadySubscribed
            | ErrorCode::NotSubscribed => {}
        }
        self.out.close = true;
        self.closed();
    }
}
