//! A blob comes in: staged portion by portion on threads that may block, made durable, then given its row.

use std::sync::Arc;

use axum::http::StatusCode;
use base::{Blobs, OpResult, codes};
use kernel::blobs::{NOW, PUT_BLOB, PutBlob, Stored, Upload};
use tokio::task::spawn_blocking;

use super::{BlobPath, BlobView};
use crate::answer::{Answer, ApiResult};
use crate::api::Api;
use crate::body::{PORTION, StreamedBody};
use crate::error::ApiError;
use crate::params::PathOf;

/// A slow sender holds no thread: each portion is written by one that is free.
pub(super) async fn put(api: Api, PathOf(path): PathOf<BlobPath>, body: StreamedBody) -> ApiResult<BlobView> {
    let sha = path.sha()?;
    let blobs = api.blobs()?;
    let _memory = api.memory(2 * PORTION + blobs.upload_memory())?;
    let (place, id, length, max) = (blobs.clone(), api.new_id(), body.length(), api.blob_max());
    let upload = blocking(move || Upload::begin(place.as_ref(), id, Some(sha), length, max)).await?;
    let upload = receive(upload, body).await?;
    let now = api.read(&NOW, ()).await?.out;
    let stored = blocking(move || upload.finish(now)).await?;
    let view = BlobView { sha256: sha.to_string(), size: stored.size };
    let put = api.call_natural(&PUT_BLOB, stored.clone()).await?;
    match put.out {
        PutBlob::New => Ok(put.map(|_| view)),
        PutBlob::Known => {
            discard(blobs, stored);
            Ok(Answer { status: StatusCode::OK, ..put.map(|_| view) })
        }
    }
}

async fn receive(mut upload: Upload, mut body: StreamedBody) -> Result<Upload, ApiError> {
    while let Some(portion) = body.portion().await? {
        upload = blocking(move || upload.write(&portion).map(|()| upload)).await?;
    }
    Ok(upload)
}

/// A second copy of bytes that were there already. Its doom is committed: if this fails, the collection does it.
fn discard(blobs: Arc<dyn Blobs>, stored: Stored) {
    spawn_blocking(move || {
        if let Err(error) = blobs.remove(&stored.name) {
            tracing::info!(%error, name = %stored.name, "a second copy of a blob stays until the next collection");
        }
    });
}

/// Runs what may wait for a disk or a network.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> OpResult<T> + Send + 'static,
) -> Result<T, ApiError> {
    let worked = spawn_blocking(work).await;
    let worked = worked.map_err(|panic| ApiError::refused(codes::BPANIC, panic.to_string()))?;
    worked.map_err(ApiError::from)
}
