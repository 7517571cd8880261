//! A blob comes in: staged portion by portion on threads that may block, made durable, then given its row.

use std::sync::Arc;

use axum::http::StatusCode;
use base::{Blobs, OpResult, Sha, codes};
use kernel::blobs::{NOW, PUT_BLOB, PutBlob, Stored, Upload};
use tokio::task::spawn_blocking;

use super::{BlobPath, BlobView};
use crate::answer::{Answer, ApiResult};
use crate::api::Api;
use crate::body::{PORTION, StreamedBody};
use crate::error::ApiError;
use crate::params::PathOf;

pub(super) async fn put(api: Api, PathOf(path): PathOf<BlobPath>, body: StreamedBody) -> ApiResult<BlobView> {
    let received = api.receive_blob(body, Some(path.sha()?)).await?;
    let view = BlobView { sha256: received.stored.name.sha.to_string(), size: received.stored.size };
    let status = match received.put {
        PutBlob::New => StatusCode::CREATED,
        PutBlob::Known => StatusCode::OK,
    };
    Ok(Answer { status, ..api.answer(view) })
}

/// A blob that was taken in: its bytes are durable, and it has its row. It is kept for a day, and as long as something refers
/// to it (see `kernel::blobs`).
#[derive(Debug, Clone)]
pub struct ReceivedBlob {
    /// Its bytes.
    pub stored: Stored,
    /// Whether they were new.
    pub put: PutBlob,
}

impl Api {
    /// Takes a body in as a blob of the namespace: the bytes that `expected` names, or any. In constant memory; a slow sender
    /// holds no thread, each portion is written by one that is free.
    ///
    /// # Errors
    /// `ASHA`: they are others; `ATOOBIG`, `ASLOW`, `ABODY`: as for every body; or a fault. Nothing of it stays.
    pub async fn receive_blob(&self, body: StreamedBody, expected: Option<Sha>) -> Result<ReceivedBlob, ApiError> {
        self.receive_blob_up_to(body, expected, self.blob_max()).await
    }

    /// The same for at most `max` bytes.
    ///
    /// # Errors
    /// As [`Self::receive_blob`].
    pub async fn receive_blob_up_to(
        &self,
        body: StreamedBody,
        expected: Option<Sha>,
        max: u64,
    ) -> Result<ReceivedBlob, ApiError> {
        let blobs = self.blobs()?;
        let _memory = self.memory(2 * PORTION + blobs.upload_memory())?;
        let (place, id, length) = (blobs.clone(), self.new_id(), body.length());
        let upload = blocking(move || Upload::begin(place.as_ref(), id, expected, length, max)).await?;
        let upload = receive(upload, body).await?;
        let now = self.read(&NOW, ()).await?.out;
        let stored = blocking(move || upload.finish(now)).await?;
        let put = self.call_natural(&PUT_BLOB, stored.clone()).await?.out;
        if put == PutBlob::Known {
            discard(blobs, stored.clone());
        }
        Ok(ReceivedBlob { stored, put })
    }
}

async fn receive(mut upload: Upload, mut body: StreamedBody) -> Result<Upload, ApiError> {
    while let Some(portion) = body.portion().await? {
        upload = blocking(move || upload.write(&portion).map(|()| upload)).await?;
    }
    Ok(upload)
}

/// A second copy of bytes that were there already. Its doom is committed: if this fails, the collection does it.
pub(crate) fn discard(blobs: Arc<dyn Blobs>, stored: Stored) {
    spawn_blocking(move || {
        if let Err(error) = blobs.remove(&stored.name) {
            tracing::info!(%error, name = %stored.name, "a second copy of a blob stays until the next collection");
        }
    });
}

/// Runs what may wait for a disk or a network.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> OpResult<T> + Send + 'static,
) -> Result<T, ApiError> {
    let worked = spawn_blocking(work).await;
    let worked = worked.map_err(|panic| ApiError::refused(codes::BPANIC, panic.to_string()))?;
    worked.map_err(ApiError::from)
}
