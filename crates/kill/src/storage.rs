//! S3 for tests: a small server of the crate `s3s-fs`; its objects are files of a folder.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::server::Launch;

/// Who may use it.
pub const KEY: &str = "storage-key";
/// The secret of that key.
pub const SECRET: &str = "storage-secret";
/// The one bucket.
pub const BUCKET: &str = "fastness-blobs";

/// A storage on threads of this process; ends when dropped.
pub struct Storage {
    /// Where it answers.
    pub address: SocketAddr,
    _runtime: Runtime,
}

impl Storage {
    /// With its objects in this folder, on any free port.
    ///
    /// # Errors
    /// The folder or a port cannot be had.
    pub fn start(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder.join(BUCKET)).context("no folder for the storage")?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let folder = folder.to_owned();
        runtime.spawn(async move { serve(&folder, listener).await });
        Ok(Self { address, _runtime: runtime })
    }

    /// A server whose blobs lie here.
    #[must_use]
    pub fn launch(&self, launch: Launch) -> Launch {
        let named = [
            ("PLACE", "s3".to_owned()),
            ("URL", format!("http://{}", self.address)),
            ("BUCKET", BUCKET.to_owned()),
            ("ACCESS_KEY", KEY.to_owned()),
            ("SECRET_KEY", SECRET.to_owned()),
        ];
        named.iter().fold(launch, |launch, (name, value)| launch.env(&format!("FASTNESS_BLOBS__{name}"), value))
    }
}

/// Serves until it is dropped.
///
/// # Errors
/// The folder cannot be used, or nobody can be listened to any more.
pub async fn serve(folder: &Path, listener: TcpListener) -> Result<()> {
    let files = FileSystem::new(PathBuf::from(folder)).map_err(|error| anyhow!("{}: {error:?}", folder.display()))?;
    let mut builder = S3ServiceBuilder::new(files);
    builder.set_auth(SimpleAuth::from_single(KEY, SECRET));
    let service = builder.build();
    loop {
        let (socket, _) = listener.accept().await?;
        let service = service.clone();
        tokio::spawn(async move {
            let served = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(socket), service).await;
            // Whoever called is gone, which it knows itself.
            drop(served);
        });
    }
}
