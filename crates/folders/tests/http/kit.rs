//! A server with a place for blobs, and a device that brings files past the stream.

use std::sync::Arc;
use std::sync::mpsc::channel;

use base::{BlobPlaces, OpResult, Sha};
use folders::desk::{ASK, FINISH, SEGMENT};
use folders::form::{Ask, Asked, Asking, FileMeta, Finish, Kind, NewSegment, Told, Who, Written};
use host::DiskPlaces;
use kernel::blobs::{NOW, PUT_BLOB, Upload};
use kernel::{Caller, Op};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use testbed_web::Edge;
use web::{App, AppConfig};

pub const ROOT: &str = "/v1/main/folders";

pub struct Server {
    pub edge: Edge,
    places: Arc<dyn BlobPlaces>,
    _folder: TempDir,
}

impl Server {
    pub fn new() -> Self {
        Self::of(Edge::new(ROOT, folders::service()))
    }

    pub fn of(mut edge: Edge) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let places = Arc::new(DiskPlaces::below(folder.path())) as Arc<dyn BlobPlaces>;
        let config = AppConfig { blobs: Some(places.clone()), ..AppConfig::default() };
        edge.router = App::new(edge.kernel.clone(), vec![folders::service()], config).router();
        Self { edge, places, _folder: folder }
    }

    pub fn call<I, O>(&self, op: &'static Op<I, O>, input: I) -> OpResult<O>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let (tell, told) = channel();
        let ns = self.edge.kernel.namespace("main").expect("main");
        let request = self.edge.kernel.request(Caller::server("test"));
        self.edge.kernel.call(&ns, op, request, input, Box::new(move |reply| tell.send(reply).expect("heard")));
        told.recv().expect("an answer").map(|reply| reply.out)
    }

    /// Brings a file, as a device does: chunks of `size` bytes.
    pub fn put(&self, directory: &str, device: &str, asked: Asked, bytes: &[u8], size: usize) -> FileMeta {
        let who = Who { client: device.into(), device: device.into(), key: device.into(), is_admin: true };
        let ask = Ask { who, directory: directory.into(), told: all(), files: vec![asked], lease_ms: 10_000 };
        let Ok(Asking::Allowed { upload, wanted }) = self.call(&ASK, ask) else { panic!("not allowed") };
        let chunks = bytes.chunks(size).map(|chunk| (self.blob(chunk), chunk.len() as u64)).collect();
        let segments = vec![self.call(&SEGMENT, NewSegment { chunks }).expect("a segment")];
        let files = vec![Written { id: wanted[0].1.clone(), segments, hash: Some(hash(bytes)) }];
        match self.call(&FINISH, Finish { upload, told: all(), files }) {
            Ok(Asking::Increased { mut files, .. }) => files.remove(0),
            other => panic!("{other:?}"),
        }
    }

    fn blob(&self, bytes: &[u8]) -> String {
        let kernel = &self.edge.kernel;
        let ns = kernel.namespace("main").expect("main");
        let (tell, told) = channel();
        kernel.read(&ns, &NOW, (), Box::new(move |now| tell.send(now).expect("heard")));
        let place = self.places.place(&ns.place()).expect("a place");
        let id = kernel.request(Caller::server("test")).id;
        let mut upload = Upload::begin(place.as_ref(), id, None, None, 1 << 30).expect("begun");
        upload.write(bytes).expect("written");
        let stored = upload.finish(told.recv().expect("a time").expect("a time")).expect("finished");
        let sha = stored.name.sha.to_string();
        self.call(&PUT_BLOB, stored).expect("put");
        sha
    }
}

fn all() -> Told {
    Told { seq: u64::MAX / 2, beyond: vec![] }
}

pub fn hash(bytes: &[u8]) -> String {
    Sha(Sha256::digest(bytes).into()).to_string()
}

pub fn edit(path: &str) -> Asked {
    Asked {
        id: None,
        kind: Kind::File,
        path: path.to_owned(),
        deleted: false,
        content_changed: true,
        try_us: 0,
        base: None,
        size: None,
        hash: None,
        mtime_us: None,
        executable: None,
        target: None,
    }
}

/// New content of a file that is there.
pub fn rewrite(file: &FileMeta) -> Asked {
    Asked { id: Some(file.id.clone()), base: Some(file.version), ..edit(&file.path) }
}
