//! Blobs in S3: the contract against a real S3 server on loopback, and what happens when it is away or lies.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;

use base::{BlobPlaces, Blobs};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::{check_contract, name};
use crate::blobs::{S3Config, S3Places};

const KEY: &str = "test-key";
const SECRET: &str = "test-secret";

/// A server with one empty bucket.
struct Server {
    address: SocketAddr,
    folder: TempDir,
    _runtime: Runtime,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("bucket")).unwrap();
        let mut builder = S3ServiceBuilder::new(FileSystem::new(folder.path()).unwrap());
        builder.set_auth(SimpleAuth::from_single(KEY, SECRET));
        let service = builder.build();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let service = service.clone();
                tokio::spawn(async move {
                    let builder = Builder::new(TokioExecutor::new());
                    let _ = builder.serve_connection(TokioIo::new(socket), service).await;
                });
            }
        });
        Self { address, folder, _runtime: runtime }
    }

    fn places(&self, secret: &str) -> S3Places {
        let (bucket, region) = ("bucket".into(), "us-east-1".into());
        let (access_key, secret_key) = (KEY.into(), secret.into());
        S3Places::open(S3Config { url: format!("http://{}", self.address), bucket, region, access_key, secret_key })
            .unwrap()
    }
}

fn put(blobs: &dyn Blobs, bytes: &[u8]) -> std::io::Result<()> {
    let mut staged = blobs.stage(Some(&name(1)), None)?;
    staged.write(bytes)?;
    staged.finish(&name(1))
}

#[test]
fn ker_26_s3_keeps_the_contract() {
    let server = Server::start();
    let places = server.places(SECRET);
    check_contract(|at| places.place(&format!("n{at}")).unwrap());
}

#[test]
fn ker_26_s3_keeps_namespaces_apart() {
    let server = Server::start();
    let places = server.places(SECRET);
    let (one, other): (Arc<dyn Blobs>, _) = (places.place("a").unwrap(), places.place("ab").unwrap());
    put(one.as_ref(), b"x").unwrap();
    assert_eq!((other.size(&name(1)).unwrap(), other.list(None, 9).unwrap()), (None, vec![]));
    assert!(server.folder.path().join("bucket/a").join(name(1).to_string()).is_file());
}

#[test]
fn ker_26_s3_refuses_a_wrong_secret_and_nothing_is_there() {
    let server = Server::start();
    let refused = put(server.places("wrong").place("a").unwrap().as_ref(), b"x").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::PermissionDenied, "{refused}");
    assert_eq!(server.places(SECRET).place("a").unwrap().list(None, 9).unwrap(), []);
}

#[test]
fn ker_26_s3_that_is_away_is_a_fault_and_not_a_missing_blob() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let config = S3Config {
        url: format!("http://{unused}"),
        bucket: "bucket".into(),
        region: "r".into(),
        access_key: KEY.into(),
        secret_key: SECRET.into(),
    };
    let places = S3Places::open(config).unwrap();
    let blobs = places.place("a").unwrap();
    for refused in [put(blobs.as_ref(), b"x").unwrap_err(), blobs.size(&name(1)).unwrap_err()] {
        assert_eq!(refused.kind(), ErrorKind::Other, "{refused}");
    }
}
