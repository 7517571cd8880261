//! A server without a connection.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use base::BlobPlaces;
use host::DiskPlaces;
use kernel::ops::bootstrap_key::{BOOTSTRAP_KEY, BootstrapKey};
use kernel::{Caller, Kernel, keys};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tower::ServiceExt;
use web::{App, AppConfig};

use crate::kit::Desk;

/// The administrator's key.
pub const ADMIN: &str = "fst_admin-of-z";

pub struct Edge {
    pub desk: Desk,
    router: Router,
    runtime: Runtime,
    _blobs: TempDir,
}

impl Edge {
    pub fn new() -> Self {
        Self::of(Desk::new())
    }

    pub fn of(desk: Desk) -> Self {
        let kernel = &desk.0.kernel;
        bootstrap(kernel);
        let folder = tempfile::tempdir().unwrap();
        let blobs = Some(Arc::new(DiskPlaces::below(folder.path())) as Arc<dyn BlobPlaces>);
        let config = AppConfig { blobs, ..AppConfig::default() };
        let router = App::new(kernel.clone(), vec![documents::service()], config).router();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { desk, router, runtime, _blobs: folder }
    }

    /// Asks with JSON.
    pub fn ask(&self, method: &str, path: &str, key: &str, body: &Value) -> (u16, Value) {
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let (status, bytes) = self.send(method, path, key, &[("content-type", "application/json")], body);
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }

    pub fn send(&self, method: &str, path: &str, key: &str, more: &[(&str, &str)], body: Vec<u8>) -> (u16, Vec<u8>) {
        let request = Request::builder().method(method).uri(path).header("host", "x");
        let request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        let request = more.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let answer = self.router.clone().oneshot(request.body(Body::from(body)).unwrap());
        self.runtime.block_on(async {
            let answer = answer.await.unwrap();
            let status = answer.status().as_u16();
            (status, to_bytes(answer.into_body(), 64 << 20).await.unwrap().to_vec())
        })
    }

    /// A page of the console.
    pub fn page_as(&self, key: &str, path: &str, language: &str) -> (u16, String) {
        let (status, bytes) = self.send("GET", path, key, &[("accept-language", language)], vec![]);
        (status, String::from_utf8(bytes).unwrap())
    }

    /// A page of the console that is there, as the administrator sees it.
    pub fn page(&self, path: &str) -> String {
        let (status, text) = self.page_as(ADMIN, path, "en");
        assert_eq!(status, 200, "{path}: {text}");
        text
    }

    /// A new key of a namespace.
    pub fn key(&self, ns: &str, role: &str) -> String {
        let (status, made) = self.ask("POST", &format!("/v1/{ns}/keys"), ADMIN, &json!({ "role": role }));
        assert_eq!(status, 201, "{made}");
        made["key"].as_str().unwrap().to_owned()
    }
}

fn bootstrap(kernel: &Kernel) {
    let (tell, told) = std::sync::mpsc::channel();
    let done = Box::new(move |reply| tell.send(reply).unwrap());
    let request = kernel.request(Caller::server("test"));
    kernel.call(&kernel.admin_namespace(), &BOOTSTRAP_KEY, request, BootstrapKey { hash: keys::hash(ADMIN) }, done);
    told.recv().unwrap().unwrap();
}
