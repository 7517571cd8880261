//! What is sent, and why something is not done.

use base::OpError;
use kernel::Out;
use prost::Message as _;

use super::{RequestId, Stream};
use crate::form::{FileMeta, Kind};
use crate::wire::error::ErrorCode;
use crate::wire::server_message::Message;
use crate::wire::{CheckVersion, Error, FileMetadata, ServerMessage};

/// Why something is not done.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault(Error);

impl Fault {
    fn new(code: ErrorCode, message: &str) -> Self {
        Self(Error { code: code.into(), message: message.to_owned(), ..Error::default() })
    }

    pub(super) fn invalid(message: &str) -> Self {
        Self::new(ErrorCode::InvalidRequest, message)
    }

    pub(super) fn timeout(message: &str) -> Self {
        Self::new(ErrorCode::Timeout, message)
    }

    pub(super) fn internal(message: &str) -> Self {
        tracing::warn!(message, "a stream of folders met something unexpected");
        Self::new(ErrorCode::InternalError, "something went wrong, try again later")
    }

    pub(super) fn forbidden(message: &str) -> Self {
        Self::new(ErrorCode::PermissionDenied, message)
    }

    pub(super) fn no_files(ids: Vec<String>) -> Self {
        let fault = Self::new(ErrorCode::FileNotFound, "these files are unknown");
        Self(Error { file_ids: ids, ..fault.0 })
    }

    /// That of a refusal or failure of the desk. Words of the store stay here.
    pub(super) fn of(error: &OpError) -> Self {
        let code = match (error.code.letter(), error.code.name) {
            (_, "NDIRECTORY") => ErrorCode::DirectoryNotFound,
            (_, "NUPLOAD") => ErrorCode::Timeout,
            (_, "NFILE") => ErrorCode::FileNotFound,
            ('S', _) => ErrorCode::PermissionDenied,
            ('A' | 'N' | 'C' | 'D', _) => ErrorCode::InvalidRequest,
            ('X' | 'O' | 'T' | 'B', _) => return Self::later(error),
            _ => ErrorCode::Unknown,
        };
        Self::new(code, &error.message)
    }

    fn later(error: &OpError) -> Self {
        tracing::debug!(%error, "a stream of folders could not have something done");
        Self::new(ErrorCode::InternalError, &format!("{}: not now, try again later", error.code.name))
    }

    /// The same once more, to what still comes for an upload that it ended: the code tells whether asking again helps.
    pub(super) fn once_more(&self) -> Self {
        let message = "this upload came to nothing, ask again".to_owned();
        Self(Error { code: self.0.code, message, ..Error::default() })
    }

    /// About this file.
    pub(super) fn about(mut self, id: &str, path: &str) -> Self {
        self.0.file_ids.extend(Some(id.to_owned()).filter(|id| !id.is_empty()));
        self.0.paths.extend(Some(path.to_owned()).filter(|path| !path.is_empty()));
        self
    }
}

impl Stream {
    pub(super) fn reply(&mut self, request: &RequestId, message: Message) {
        let message = ServerMessage { request_id: request.clone(), message: Some(message) };
        let bytes = message.encode_to_vec();
        self.unsent += bytes.len();
        self.out.push(Out::Reply(bytes));
    }

    pub(super) fn fault(&mut self, request: &RequestId, fault: Fault) {
        self.reply(request, Message::Error(fault.0));
    }

    /// Versions, as an answer or as an event.
    pub(super) fn check_version(&mut self, request: &RequestId, versions: CheckVersion) {
        self.reply(request, Message::CheckVersion(versions));
    }

    /// Versions as this client understands them. Links are not told to whoever does not know them: the text has none.
    pub(super) fn as_told<'a>(&self, files: impl IntoIterator<Item = &'a FileMeta>) -> Vec<FileMetadata> {
        let caps = self.caps;
        let known = files.into_iter().filter(|meta| caps.links || meta.kind != Kind::Symlink);
        known.map(|meta| crate::wire::metadata(meta, caps.tree)).collect()
    }
}
