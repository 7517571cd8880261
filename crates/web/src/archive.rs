//! Archives on their way out: a tar file of texts and blobs, made while it is sent, in constant memory.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use base::limits::BLOB_PIECE;
use base::{Blobs, Sha, codes};
use futures_util::stream::unfold;
use kernel::blobs::{BlobInfo, FIND_BLOB};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::spawn_blocking;

use crate::api::Api;
use crate::error::ApiError;

const BLOCK: usize = 512;

/// One file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArchiveFile {
    /// These bytes under that name.
    Bytes(String, Vec<u8>),
    /// The bytes of a blob under that name.
    Blob(String, Sha),
}

impl Api {
    /// Answers with a tar file. Every blob is looked for before anything is sent, so that one that is missing gets a code; a transfer
    /// that meets damaged bytes breaks off.
    ///
    /// # Errors
    /// `NBLOB`, `XBLOB`, or a fault.
    pub async fn send_archive(&self, files: Vec<ArchiveFile>) -> Result<Response, ApiError> {
        let mut steps = VecDeque::new();
        for file in files {
            match file {
                ArchiveFile::Bytes(name, bytes) => {
                    steps.push_back(Step::Bytes(header(&name, bytes.len() as u64)));
                    let padding = padding(bytes.len() as u64);
                    steps.extend([Step::Bytes(bytes), Step::Bytes(padding)]);
                }
                ArchiveFile::Blob(name, sha) => {
                    let info = self.read(&FIND_BLOB, sha).await?.out;
                    if info.is_damaged {
                        return Err(ApiError::refused(codes::XBLOB, format!("the bytes of blob {sha} are damaged")));
                    }
                    steps.push_back(Step::Bytes(header(&name, info.size)));
                    let (whole, padding) = (0..info.size, padding(info.size));
                    steps.extend([Step::Blob(Arc::new(info), whole), Step::Bytes(padding)]);
                }
            }
        }
        steps.push_back(Step::Bytes(vec![0; 2 * BLOCK]));
        let memory = self.memory(BLOB_PIECE)?;
        let sender = Sender { steps, blobs: self.blobs()?, _api: self.clone(), _memory: memory };
        let mut response = Response::new(Body::from_stream(unfold(sender, Sender::next)));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/x-tar"));
        Ok(response)
    }
}

enum Step {
    Bytes(Vec<u8>),
    Blob(Arc<BlobInfo>, Range<u64>),
}

struct Sender {
    steps: VecDeque<Step>,
    blobs: Arc<dyn Blobs>,
    /// The request counts as long as its answer is being sent.
    _api: Api,
    _memory: Option<OwnedSemaphorePermit>,
}

impl Sender {
    async fn next(mut self) -> Option<(Result<Bytes, axum::Error>, Self)> {
        loop {
            match self.steps.pop_front()? {
                Step::Bytes(bytes) if bytes.is_empty() => {}
                Step::Bytes(bytes) => return Some((Ok(bytes.into()), self)),
                Step::Blob(_, part) if part.is_empty() => {}
                Step::Blob(info, part) => {
                    let read = self.piece(&info, part.clone()).await;
                    let length = read.as_ref().map_or(0, Vec::len) as u64;
                    match length {
                        // Nothing follows what cannot be read: the client sees that the archive is not whole.
                        0 => self.steps.clear(),
                        _ => self.steps.push_front(Step::Blob(info, part.start + length..part.end)),
                    }
                    return Some((read.map(Bytes::from), self));
                }
            }
        }
    }

    async fn piece(&self, info: &Arc<BlobInfo>, part: Range<u64>) -> Result<Vec<u8>, axum::Error> {
        let (info, blobs) = (info.clone(), self.blobs.clone());
        let read = spawn_blocking(move || info.read_part(blobs.as_ref(), part)).await;
        match read {
            Ok(Ok(bytes)) if bytes.is_empty() => Err(broken("some bytes are missing")),
            Ok(Ok(bytes)) => Ok(bytes),
            Ok(Err(fault)) => Err(broken(&fault.to_string())),
            Err(panic) => Err(axum::Error::new(panic)),
        }
    }
}

fn broken(reason: &str) -> axum::Error {
    tracing::warn!(reason, "an archive breaks off");
    axum::Error::new(std::io::Error::other(reason.to_owned()))
}

/// What fills the last block of a file.
fn padding(size: u64) -> Vec<u8> {
    let over = usize::try_from(size % BLOCK as u64).unwrap_or(0);
    vec![0; (BLOCK - over) % BLOCK]
}

/// The block before a file, in the ustar form. Names are ours and short.
fn header(name: &str, size: u64) -> Vec<u8> {
    let mut block = vec![0; BLOCK];
    let mut put = |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, &name[..name.len().min(99)]);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{size:011o}\0"));
    put(136, "00000000000\0");
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\0");
    put(263, "00");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doc_16_a_header_is_one_that_tar_reads() {
        let block = header("documents.ndjson", 12_345);
        assert_eq!(block.len(), BLOCK);
        assert_eq!(&block[124..136], b"00000030071\0");
        let stored = u32::from_str_radix(std::str::from_utf8(&block[148..154]).unwrap(), 8).unwrap();
        let mut blank = block;
        blank[148..156].fill(b' ');
        assert_eq!(stored, blank.iter().map(|byte| u32::from(*byte)).sum::<u32>());
        assert_eq!((padding(0).len(), padding(1).len(), padding(512).len()), (0, 511, 0));
    }
}
