//! Bytes: blobs by their digest, attachments by their document and key (DOC-12).

use std::ops::Range;

pub use base::Sha;
use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{CONTENT_RANGE, CONTENT_TYPE, ETAG, RANGE};
use sha2::{Digest, Sha256};

use crate::call::{Call, Reply};
use crate::client::Client;
use crate::error::ClientError;

/// Bytes that were read, whole or in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Downloaded {
    /// As it was stored with.
    pub mime: Option<String>,
    /// Digest of the whole, of which these bytes may be a part.
    pub sha: Option<Sha>,
    /// Bytes of the whole.
    pub size: u64,
    /// What was asked for.
    pub bytes: Bytes,
}

impl Client {
    /// Stores bytes under their digest, to be referred to by a change.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn put_blob(&self, bytes: impl Into<Bytes>) -> Result<Sha, ClientError> {
        let bytes = bytes.into();
        let sha = digest(&bytes);
        let call = Call::new(Method::PUT, self.url(&["blobs", &sha.to_string()]));
        self.send(call.bytes("application/octet-stream", bytes)).await?;
        Ok(sha)
    }

    /// Reads a whole blob of at most 64 MiB and checks its digest.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn blob(&self, sha: Sha) -> Result<Bytes, ClientError> {
        let read = self.download(&["blobs", &sha.to_string()], None).await?;
        checked(read, Some(sha)).map(|read| read.bytes)
    }

    /// Reads a part of a blob: large ones are read part by part, and a part that broke is read again.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn blob_part(&self, sha: Sha, part: Range<u64>) -> Result<Downloaded, ClientError> {
        self.download(&["blobs", &sha.to_string()], Some(part)).await
    }

    /// Attaches bytes to a document once; gives the version if the server tells it.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn put_attachment(
        &self,
        class: &str,
        id: &str,
        key: &str,
        mime: &str,
        bytes: impl Into<Bytes>,
    ) -> Result<Option<i64>, ClientError> {
        let call = Call::new(Method::PUT, self.url(&["docs", class, id, "attachments", key]));
        let reply = self.send(call.once().bytes(mime, bytes.into())).await?;
        Ok(version(&reply))
    }

    /// Reads a whole attachment of at most 64 MiB and checks its digest.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn attachment(&self, class: &str, id: &str, key: &str) -> Result<Downloaded, ClientError> {
        let read = self.download(&["docs", class, id, "attachments", key], None).await?;
        let sha = read.sha;
        checked(read, sha)
    }

    /// Reads a part of an attachment. Its digest tells whether all parts are of the same bytes.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn attachment_part(
        &self,
        class: &str,
        id: &str,
        key: &str,
        part: Range<u64>,
    ) -> Result<Downloaded, ClientError> {
        self.download(&["docs", class, id, "attachments", key], Some(part)).await
    }

    /// Deletes an attachment once; gives the version if the server tells it.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn delete_attachment(&self, class: &str, id: &str, key: &str) -> Result<Option<i64>, ClientError> {
        let call = Call::new(Method::DELETE, self.url(&["docs", class, id, "attachments", key]));
        Ok(version(&self.send(call.once()).await?))
    }

    async fn download(&self, steps: &[&str], part: Option<Range<u64>>) -> Result<Downloaded, ClientError> {
        let mut call = Call::new(Method::GET, self.url(steps));
        if let Some(part) = &part {
            let last = part.end.checked_sub(1).filter(|last| part.start <= *last);
            let last = last.ok_or_else(|| ClientError::Invalid(format!("{part:?} is no part")))?;
            call = call.header(RANGE.as_str(), format!("bytes={}-{last}", part.start));
        }
        let reply = self.send(call).await?;
        // Whoever asked for a part must not take the whole for it.
        match (part.is_some(), reply.status) {
            (false, 200) => Ok(Downloaded::whole(reply)),
            (true, 206) => {
                let size = reply.header(CONTENT_RANGE.as_str()).and_then(|text| text.rsplit('/').next()?.parse().ok());
                Ok(downloaded(reply, size))
            }
            _ => Err(reply.unreadable("not the part of the bytes that was asked for")),
        }
    }
}

impl Downloaded {
    /// All there is.
    pub(crate) fn whole(reply: Reply) -> Self {
        downloaded(reply, None)
    }
}

fn downloaded(reply: Reply, size: Option<u64>) -> Downloaded {
    let etag = reply.header(ETAG.as_str()).map(|tag| tag.trim_start_matches("W/").trim_matches('"'));
    Downloaded {
        mime: reply.header(CONTENT_TYPE.as_str()).map(str::to_owned),
        sha: etag.and_then(|tag| tag.parse().ok()),
        size: size.unwrap_or(reply.body.len() as u64),
        bytes: reply.body,
    }
}

fn checked(read: Downloaded, expected: Option<Sha>) -> Result<Downloaded, ClientError> {
    let found = digest(&read.bytes);
    if expected.is_none_or(|expected| expected == found) {
        return Ok(read);
    }
    Err(ClientError::Unreadable { status: 200, reason: format!("these are the bytes of {found}") })
}

fn version(reply: &Reply) -> Option<i64> {
    reply.header("fastness-version")?.parse().ok()
}

fn digest(bytes: &[u8]) -> Sha {
    Sha(Sha256::digest(bytes).into())
}
