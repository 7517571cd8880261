//! Bytes that sessions have kept and fetched: blobs of the namespace, written and read on threads that may block.

use std::io;
use std::sync::Arc;

use base::{BlobPlaces, Blobs, OpError, OpResult, Phase, Sha, codes};
use kernel::blobs::{
    BlobInfo, Damaged, FIND_BLOB, NOW, PUT_BLOB, PutBlob, REPORT_DAMAGE, ReadFault, Stored, Upload, store_all,
};
use kernel::{Caller, Kept, Kernel, Namespace, Op, Query, Reply};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;

use crate::blobs::{blocking, discard};

/// Where bytes are, and who they are for.
#[derive(Clone)]
pub(super) struct BytesPlace {
    pub(super) kernel: Kernel,
    pub(super) ns: Arc<Namespace>,
    pub(super) caller: Caller,
    pub(super) places: Option<Arc<dyn BlobPlaces>>,
    pub(super) blob_max: u64,
}

impl BytesPlace {
    /// Keeps bytes as a blob; they are durable and have their row when this returns.
    pub(super) async fn keep(self, bytes: Vec<u8>) -> OpResult<Kept> {
        self.kernel.check_change(&self.ns, &self.caller)?;
        let blobs = self.blobs()?;
        let id = self.kernel.request(self.caller.clone()).id;
        let (place, max) = (blobs.clone(), self.blob_max);
        let staged = move || {
            let mut upload = Upload::begin(place.as_ref(), id, None, Some(bytes.len() as u64), max)?;
            upload.write(&bytes).map(|()| upload)
        };
        let upload = blocking(staged).await.map_err(|error| error.0)?;
        let now = self.read(&NOW, ()).await?;
        let stored = blocking(move || upload.finish(now)).await.map_err(|error| error.0)?;
        let put = self.call(&self.caller, &PUT_BLOB, stored.clone()).await?;
        Ok(kept_as(&blobs, put, stored))
    }

    /// The same for small ones, which are made durable together; tells of each.
    pub(super) async fn keep_all(self, contents: Vec<Vec<u8>>) -> Vec<OpResult<Kept>> {
        let count = contents.len();
        let (blobs, stored) = match self.store_all(contents).await {
            Ok(stored) => stored,
            Err(error) => return vec![Err(error); count],
        };
        // All are called before the first answer is awaited: so they share a commit.
        let put = |stored: OpResult<Stored>| {
            stored.map(|stored| (self.begin(&self.caller, &PUT_BLOB, stored.clone()), stored))
        };
        let puts: Vec<_> = stored.into_iter().map(put).collect();
        let mut kept = Vec::with_capacity(count);
        for put in puts {
            kept.push(match put {
                Ok((put, stored)) => told(put, PUT_BLOB.name).await.map(|put| kept_as(&blobs, put, stored)),
                Err(error) => Err(error),
            });
        }
        kept
    }

    async fn store_all(&self, contents: Vec<Vec<u8>>) -> OpResult<(Arc<dyn Blobs>, Vec<OpResult<Stored>>)> {
        self.kernel.check_change(&self.ns, &self.caller)?;
        let (blobs, now) = (self.blobs()?, self.read(&NOW, ()).await?);
        let id = || self.kernel.request(self.caller.clone()).id;
        let contents: Vec<_> = contents.into_iter().map(|bytes| (id(), bytes)).collect();
        let place = blobs.clone();
        let stored = blocking(move || Ok(store_all(place.as_ref(), contents, now))).await.map_err(|error| error.0)?;
        Ok((blobs, stored))
    }

    /// Bytes of a blob, within one of its pieces.
    pub(super) async fn fetch(self, sha: String, from: u64, len: u64) -> OpResult<Vec<u8>> {
        self.kernel.check_read(&self.ns, &self.caller)?;
        let sha: Sha = sha.parse().map_err(|invalid| OpError::new(codes::BDETECTED, format!("{invalid}")))?;
        let (blobs, info) = (self.blobs()?, self.read(&FIND_BLOB, sha).await?);
        if info.is_damaged || from > info.size {
            return Err(OpError::new(codes::XBLOB, format!("the bytes of blob {sha} are damaged or too few")));
        }
        let wanted = from..from.saturating_add(len).min(info.size);
        let source = info.clone();
        let read = tokio::task::spawn_blocking(move || source.read_part(blobs.as_ref(), wanted)).await;
        match read.unwrap_or_else(|panic| Err(io::Error::other(panic).into())) {
            Ok(bytes) => Ok(bytes),
            Err(fault) => Err(self.told(info, fault).await),
        }
    }

    async fn told(&self, info: BlobInfo, fault: ReadFault) -> OpError {
        let sha = info.name.sha;
        match fault {
            ReadFault::Unavailable(error) => OpError::new(codes::XSTORE, format!("blob {sha} cannot be read: {error}")),
            ReadFault::Damaged(reason) => {
                let found = Damaged { name: info.name, reason };
                let reported = self.call(&Caller::server("blobs"), &REPORT_DAMAGE, found).await;
                let damaged = OpError::new(codes::XBLOB, format!("the bytes of blob {sha} are damaged"));
                reported.map_or_else(|error| error, |_| damaged)
            }
        }
    }

    fn blobs(&self) -> OpResult<Arc<dyn Blobs>> {
        let refused = |reason: String| OpError::before_start(codes::XSTORE, format!("no place for blobs: {reason}"));
        let places = self.places.as_ref().ok_or_else(|| refused("none is configured".into()))?;
        places.place(&self.ns.place()).map_err(|error| refused(error.to_string()))
    }

    async fn call<I, O>(&self, caller: &Caller, op: &'static Op<I, O>, input: I) -> OpResult<O>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        told(self.begin(caller, op, input), op.name).await
    }

    fn begin<I, O>(&self, caller: &Caller, op: &'static Op<I, O>, input: I) -> oneshot::Receiver<OpResult<Reply<O>>>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let (tell, told) = oneshot::channel();
        let done = Box::new(move |reply: OpResult<Reply<O>>| drop(tell.send(reply)));
        self.kernel.call(&self.ns, op, self.kernel.request(caller.clone()), input, done);
        told
    }

    async fn read<I, O>(&self, query: &'static Query<I, O>, input: I) -> OpResult<O>
    where
        I: Send + 'static,
        O: Send + 'static,
    {
        let (tell, told) = oneshot::channel();
        self.kernel.read(&self.ns, query, input, Box::new(move |found| drop(tell.send(found))));
        told.await.unwrap_or_else(|_| Err(unanswered(query.name)))
    }
}

async fn told<O>(answer: oneshot::Receiver<OpResult<Reply<O>>>, name: &str) -> OpResult<O> {
    answer.await.unwrap_or_else(|_| Err(unanswered(name))).map(|reply| reply.out)
}

/// What the session is told; bytes that were there already have no need of a second copy.
fn kept_as(blobs: &Arc<dyn Blobs>, put: PutBlob, stored: Stored) -> Kept {
    let kept = Kept { sha: stored.name.sha.to_string(), size: stored.size.unsigned_abs() };
    if put == PutBlob::Known {
        discard(blobs.clone(), stored);
    }
    kept
}

fn unanswered(name: &str) -> OpError {
    OpError::new(codes::XSTORE, format!("the store ended without an answer for {name}")).at(Phase::Validation)
}
