//! Blobs in S3-compatible storage: `<namespace>/ab/cd/<sha256>.<upload>`.
//!
//! Small ones are one PUT; large ones are sent in parts of 8 MiB and appear when the last is confirmed. A name is reported
//! only after the storage told its size again. What a dead server left half-sent never appears; a lifecycle rule of the
//! bucket (abort incomplete uploads, expire `*/staging/`) frees its room.
//!
//! The client of the storage is asynchronous, the contract is not: calls wait here, on threads that may, for work that runs
//! on a runtime of our own.

use std::fmt;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use base::{BlobName, BlobPlaces, Blobs, StagedBlob};
use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{ClientOptions, Error, MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig};
use tokio::runtime::{Builder, Handle, Runtime};

/// Bytes of one part; the storage takes none below 5 MiB but the last.
const PART: usize = 8 << 20;
/// Time for one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time in which a request that failed is tried again.
const RETRY_TIMEOUT: Duration = Duration::from_secs(30);
const RETRIES: usize = 3;

/// How to reach the storage.
#[derive(Clone)]
pub struct S3Config {
    /// `https://s3.example.org`, without the bucket.
    pub url: String,
    /// The bucket, which exists.
    pub bucket: String,
    /// The region; most compatible servers take any.
    pub region: String,
    /// Id of the access key.
    pub access_key: String,
    /// Its secret.
    pub secret_key: String,
}

impl fmt::Debug for S3Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S3Config({} {})", self.url, self.bucket)
    }
}

/// The places of all namespaces in one bucket.
pub struct S3Places {
    config: S3Config,
    bucket: Arc<AmazonS3>,
    runtime: Option<Runtime>,
}

impl S3Places {
    /// Prepares the client; the storage is asked only when it is used.
    ///
    /// # Errors
    /// The configuration is not one of a storage, or there are no threads.
    pub fn open(config: S3Config) -> io::Result<Self> {
        // Whoever was first has installed the same one.
        drop(rustls::crypto::ring::default_provider().install_default());
        let options = ClientOptions::new()
            .with_allow_http(config.url.starts_with("http://"))
            .with_timeout(REQUEST_TIMEOUT)
            .with_connect_timeout(CONNECT_TIMEOUT);
        let retry = RetryConfig { max_retries: RETRIES, retry_timeout: RETRY_TIMEOUT, ..RetryConfig::default() };
        let bucket = AmazonS3Builder::new()
            .with_client_options(options)
            .with_retry(retry)
            .with_endpoint(&config.url)
            .with_bucket_name(&config.bucket)
            .with_region(&config.region)
            .with_access_key_id(&config.access_key)
            .with_secret_access_key(&config.secret_key)
            .build()
            .map_err(io::Error::other)?;
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("blobs-s3").enable_all().build()?;
        Ok(Self { config, bucket: Arc::new(bucket), runtime: Some(runtime) })
    }
}

impl fmt::Debug for S3Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S3Places({:?})", self.config)
    }
}

impl Drop for S3Places {
    /// Also on a thread of another runtime, which must not wait.
    fn drop(&mut self) {
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

impl BlobPlaces for S3Places {
    fn place(&self, namespace: &str) -> io::Result<Arc<dyn Blobs>> {
        let runtime = self.runtime.as_ref().ok_or(ErrorKind::NotConnected)?.handle().clone();
        Ok(Arc::new(S3Blobs { bucket: self.bucket.clone(), runtime, prefix: Path::from(namespace) }))
    }
}

/// One namespace's blobs.
#[derive(Clone)]
struct S3Blobs {
    bucket: Arc<AmazonS3>,
    runtime: Handle,
    prefix: Path,
}

impl fmt::Debug for S3Blobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S3Blobs({})", self.prefix)
    }
}

impl S3Blobs {
    fn key(&self, name: &BlobName) -> Path {
        let (first, second, last) = name.steps();
        self.prefix.clone().join(first).join(second).join(last)
    }

    /// Where a large upload goes whose name is not known before its end.
    fn staging_key(&self) -> io::Result<Path> {
        let number = getrandom::u64().map_err(io::Error::other)?;
        Ok(self.prefix.clone().join("staging").join(format!("{number:016x}")))
    }

    fn wait<T>(&self, work: impl Future<Output = object_store::Result<T>>) -> io::Result<T> {
        self.runtime.block_on(work).map_err(told)
    }

    fn size_of(&self, key: &Path) -> io::Result<Option<u64>> {
        match self.wait(self.bucket.head(key)) {
            Ok(meta) => Ok(Some(meta.size)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Blobs for S3Blobs {
    fn stage(&self, expected: Option<&BlobName>, _: Option<u64>) -> io::Result<Box<dyn StagedBlob>> {
        let key = expected.map_or_else(|| self.staging_key(), |name| Ok(self.key(name)))?;
        Ok(Box::new(Staged { place: self.clone(), key, buffer: vec![], sent: 0, parts: None }))
    }

    fn upload_memory(&self) -> usize {
        2 * PART
    }

    fn read(&self, name: &BlobName, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let key = self.key(name);
        let end = offset + bytes.len() as u64;
        if bytes.is_empty() {
            return self.size_of(&key)?.map(drop).ok_or_else(|| ErrorKind::NotFound.into());
        }
        let read = self.wait(self.bucket.get_range(&key, offset..end));
        match read {
            Ok(read) if read.len() == bytes.len() => {
                bytes.copy_from_slice(&read);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Err(error),
            // Storages refuse a range beyond the end in different words: the size tells.
            short => match self.size_of(&key)? {
                None => Err(ErrorKind::NotFound.into()),
                Some(size) if size < end => Err(ErrorKind::UnexpectedEof.into()),
                Some(_) => Err(short.err().unwrap_or_else(|| io::Error::other("the storage sent another range"))),
            },
        }
    }

    fn size(&self, name: &BlobName) -> io::Result<Option<u64>> {
        self.size_of(&self.key(name))
    }

    fn remove(&self, name: &BlobName) -> io::Result<()> {
        match self.wait(self.bucket.delete(&self.key(name))) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn list(&self, after: Option<&BlobName>, limit: usize) -> io::Result<Vec<BlobName>> {
        let found = match after {
            Some(after) => self.bucket.list_with_offset(Some(&self.prefix), &self.key(after)),
            None => self.bucket.list(Some(&self.prefix)),
        };
        let prefix = format!("{}/", self.prefix);
        let name = |key: &Path| key.as_ref().strip_prefix(&prefix).and_then(|rest| rest.parse::<BlobName>().ok());
        let names = found.try_filter_map(async |meta| Ok(name(&meta.location)));
        self.wait(async move {
            let mut names = std::pin::pin!(names);
            let mut page = vec![];
            while page.len() < limit {
                let Some(name) = names.try_next().await? else { break };
                page.push(name);
            }
            Ok(page)
        })
    }
}

/// An upload: up to a part in memory, the rest sent.
struct Staged {
    place: S3Blobs,
    key: Path,
    buffer: Vec<u8>,
    sent: u64,
    parts: Option<Box<dyn MultipartUpload>>,
}

impl Staged {
    fn send_part(&mut self) -> io::Result<()> {
        if self.parts.is_none() {
            self.parts = Some(self.place.wait(self.place.bucket.put_multipart(&self.key))?);
        }
        let part = std::mem::take(&mut self.buffer);
        self.sent += part.len() as u64;
        let Some(parts) = &mut self.parts else { return Ok(()) };
        self.place.wait(parts.put_part(PutPayload::from(part)))
    }

    /// The end of a large one.
    fn complete(&mut self, key: &Path) -> io::Result<()> {
        if !self.buffer.is_empty() {
            self.send_part()?;
        }
        let Some(mut parts) = self.parts.take() else { return Ok(()) };
        self.place.wait(parts.complete())?;
        if self.key == *key {
            return Ok(());
        }
        self.place.wait(self.place.bucket.copy(&self.key, key))?;
        self.place.wait(self.place.bucket.delete(&self.key))
    }
}

impl StagedBlob for Staged {
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(bytes.len().min(PART - self.buffer.len()));
            self.buffer.extend_from_slice(now);
            bytes = rest;
            if self.buffer.len() == PART {
                self.send_part()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, name: &BlobName) -> io::Result<()> {
        let key = self.place.key(name);
        let size = self.sent + self.buffer.len() as u64;
        if self.parts.is_some() {
            self.complete(&key)?;
        } else {
            let bytes = std::mem::take(&mut self.buffer);
            self.place.wait(self.place.bucket.put(&key, PutPayload::from(bytes)))?;
        }
        match self.place.size_of(&key)? {
            Some(there) if there == size => Ok(()),
            there => Err(io::Error::other(format!("{size} bytes were sent, the storage has {there:?}"))),
        }
    }
}

impl Drop for Staged {
    /// What is half-sent is given up; if that fails too, the bucket's lifecycle rule does it.
    fn drop(&mut self) {
        if let Some(mut parts) = self.parts.take() {
            self.place.runtime.spawn(async move {
                if let Err(error) = parts.abort().await {
                    tracing::warn!(%error, "a half-sent blob could not be given up");
                }
            });
        }
    }
}

fn told(error: Error) -> io::Error {
    let kind = match &error {
        Error::NotFound { .. } => ErrorKind::NotFound,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => ErrorKind::PermissionDenied,
        _ => ErrorKind::Other,
    };
    io::Error::new(kind, error)
}
