//! S3: a small server of the crate `s3s-fs` in a process of its own, so that it can be killed; its objects are files of a folder.

use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use base::{BlobName, BlobPlaces, Id, Sha, Wall};
use host::{S3Config, S3Places};
use kill::storage::serve;
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;

use crate::site::{free_address, wait_until};

/// The bucket is the one that the example names.
pub use kill::storage::{BUCKET, KEY, SECRET};

/// Tells the process where its objects are and where to listen.
const FOLDER: &str = "FULL_SET_STORAGE_FOLDER";
const ADDRESS: &str = "FULL_SET_STORAGE_ADDRESS";

/// The storage; its process ends with it.
pub struct Storage {
    pub address: SocketAddr,
    folder: PathBuf,
    process: Option<Child>,
}

impl Storage {
    pub fn start(folder: &Path) -> Self {
        std::fs::create_dir_all(folder.join(BUCKET)).unwrap();
        let mut storage = Self { address: free_address(), folder: folder.to_owned(), process: None };
        storage.begin();
        storage
    }

    /// This very program, as the process below.
    pub fn begin(&mut self) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["storage::ker_26_blobs_are_in_the_storage_after_it_was_killed", "--exact"]).stdout(Stdio::null());
        command.env(FOLDER, &self.folder).env(ADDRESS, self.address.to_string());
        self.process = Some(command.spawn().unwrap());
        wait_until("the storage answers", || TcpStream::connect(self.address).is_ok());
    }

    pub fn kill(&mut self) {
        let mut process = self.process.take().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// Digests of all objects, as they lie on the disk.
    pub fn digests(&self) -> Vec<String> {
        self.objects().iter().map(|object| digest(object)).collect()
    }

    /// All objects, as they lie on the disk.
    pub fn objects(&self) -> Vec<Vec<u8>> {
        let mut folders = vec![self.folder.join(BUCKET)];
        let mut objects = vec![];
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else {
                    // One that is being written has another name in a moment.
                    objects.extend(std::fs::read(path));
                }
            }
        }
        objects
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        if self.process.is_some() {
            self.kill();
        }
    }
}

pub fn digest(bytes: &[u8]) -> String {
    base::archive::hex(&Sha256::digest(bytes))
}

/// Told where, this is the process of the storage, which serves until it is killed. Else the test of it: what was put survives the kill.
#[test]
fn ker_26_blobs_are_in_the_storage_after_it_was_killed() {
    if let (Ok(folder), Ok(address)) = (std::env::var(FOLDER), std::env::var(ADDRESS)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        return runtime.block_on(async {
            let listener = TcpListener::bind(address).await.unwrap();
            serve(Path::new(&folder), listener).await.unwrap();
        });
    }
    let folder = tempfile::tempdir().unwrap();
    let mut storage = Storage::start(folder.path());
    let places = places(&storage);
    let blobs = places.place("main").unwrap();
    let name = BlobName { sha: Sha([1; 32]), upload: Id::new(Wall(1), [0; 10]) };
    let mut staged = blobs.stage(Some(&name), None).unwrap();
    staged.write(b"kept").unwrap();
    staged.finish(&name).unwrap();
    storage.kill();
    assert!(blobs.size(&name).is_err(), "nobody answers");
    storage.begin();
    assert_eq!(blobs.size(&name).unwrap(), Some(4));
    assert_eq!(storage.digests(), [digest(b"kept")]);
}

fn places(storage: &Storage) -> S3Places {
    let (url, region) = (format!("http://{}", storage.address), "eu-central-1".to_owned());
    let (bucket, access_key, secret_key) = (BUCKET.to_owned(), KEY.to_owned(), SECRET.to_owned());
    S3Places::open(S3Config { url, bucket, region, access_key, secret_key }).unwrap()
}
