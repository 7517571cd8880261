//! Documents of another namespace, read by right of a grant (KER-1), over HTTP.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum::{Router, http};
use base::Store;
use kernel::namespaces::{Known, Standing, State};
use kernel::ops::bootstrap_key::{BOOTSTRAP_KEY, BootstrapKey};
use kernel::{Caller, Kernel, keys};
use serde_json::{Value, json};
use store_sqlite::InlineStore;
use tokio::runtime::Runtime;
use tower::ServiceExt;
use web::{App, AppConfig};

use crate::kit::Desk;

const ADMIN: &str = "fst_admin-of-z";

/// A server without a connection.
struct Edge {
    desk: Desk,
    router: Router,
    runtime: Runtime,
}

impl Edge {
    /// Namespace `main` has contact `a`; namespace `shop` would like to read it.
    fn new() -> Self {
        let desk = Desk::new();
        desk.put("a", "Card", None, json!({ "name": "Ada" }));
        let kernel = &desk.0.kernel;
        let store: Arc<dyn Store> = Arc::new(InlineStore::in_memory(kernel.env().clock.clone()).unwrap());
        kernel.add_namespace("shop".into(), store).unwrap();
        bootstrap(kernel);
        let router = App::new(kernel.clone(), vec![documents::service()], AppConfig::default()).router();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { desk, router, runtime }
    }

    fn ask(&self, method: &str, path: &str, key: &str, body: &Value) -> (u16, Value) {
        let request = Request::builder().method(method).uri(path).header("host", "x");
        let request = request.header("authorization", format!("Bearer {key}"));
        let request = request.header(http::header::CONTENT_TYPE, "application/json");
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let answer = self.router.clone().oneshot(request.body(body).unwrap());
        self.runtime.block_on(async {
            let answer = answer.await.unwrap();
            let status = answer.status().as_u16();
            let bytes = to_bytes(answer.into_body(), 1 << 20).await.unwrap();
            (status, serde_json::from_slice(&bytes).unwrap_or_default())
        })
    }

    fn key_of(&self, ns: &str) -> String {
        let (status, made) = self.ask("POST", &format!("/v1/{ns}/keys"), ADMIN, &json!({ "role": "app" }));
        assert_eq!(status, 201, "{made}");
        made["key"].as_str().unwrap().to_owned()
    }

    /// `doc.get` in namespace `shop`: the status, and the code or the name on the card.
    fn get(&self, key: &str, param: Value) -> (u16, String) {
        let (status, answer) = self.ask("POST", "/v1/shop/op/doc.get", key, &json!({ "param": param }));
        let text = if status == 200 { &answer["out"]["items"][0]["j"]["name"] } else { &answer["code"] };
        (status, text.as_str().unwrap_or_default().to_owned())
    }

    fn grant(&self, class: &str) {
        let grants = [("main".to_owned(), "shop".to_owned(), class.to_owned())].into();
        self.desk.0.kernel.registry().learn(Known { grants, ..Known::default() });
    }

    fn reads_told(&self) -> Vec<String> {
        let (status, lines) = self.ask("GET", "/v1/main/journal?kind=grant.read", ADMIN, &Value::Null);
        assert_eq!(status, 200, "{lines}");
        let lines = lines["items"].as_array().unwrap();
        lines.iter().map(|line| format!("{} {}", line["subject"], line["text"])).collect()
    }
}

fn bootstrap(kernel: &Kernel) {
    let (tell, told) = std::sync::mpsc::channel();
    let done = Box::new(move |reply| tell.send(reply).unwrap());
    let request = kernel.request(Caller::server("test"));
    kernel.call(&kernel.admin_namespace(), &BOOTSTRAP_KEY, request, BootstrapKey { hash: keys::hash(ADMIN) }, done);
    told.recv().unwrap().unwrap();
}

#[test]
fn ker_1_a_granted_class_is_read_with_a_tolerance_and_told_in_the_owners_journal() {
    let edge = Edge::new();
    let key = edge.key_of("shop");
    let asked = json!({ "c": "Contact", "id": "a", "ns": "main", "tolerance_s": 5 });
    assert_eq!(edge.get(&key, asked.clone()), (404, "NGRANT".into()), "not granted");
    edge.grant("Order");
    assert_eq!(edge.get(&key, asked.clone()), (404, "NGRANT".into()), "another class is");
    assert!(edge.reads_told().is_empty());
    edge.grant("Contact");
    for reads in 1..=2 {
        assert_eq!(edge.get(&key, asked.clone()), (200, "Ada".into()));
        assert_eq!(edge.reads_told().len(), reads);
    }
    assert_eq!(edge.reads_told()[0], r#""Contact/a" "namespace shop read class Contact""#);
}

#[test]
fn ker_1_a_grant_is_for_getting_with_a_tolerance_only() {
    let edge = Edge::new();
    let key = edge.key_of("shop");
    edge.grant("Contact");
    let newest = json!({ "c": "Contact", "id": "a", "ns": "main" });
    assert_eq!(edge.get(&key, newest), (400, "ABODY".into()), "the newest is its owner's");
    let unknown = json!({ "c": "Contact", "id": "a", "ns": "nobody", "tolerance_s": 5 });
    assert_eq!(edge.get(&key, unknown), (404, "NGRANT".into()));
    let absent = json!({ "c": "Contact", "id": "none", "ns": "main", "tolerance_s": 5 });
    assert_eq!(edge.get(&key, absent), (404, "NDOC".into()));
    let own = json!({ "c": "Contact", "id": "a", "ns": "shop", "tolerance_s": 0 });
    assert_eq!(edge.get(&key, own), (404, "NCLASS".into()), "its own namespace needs no grant");
    assert!(edge.desk.0.kernel.namespace("main").is_ok());
    let change = json!({ "param": { "ns": "main", "changes": [] } });
    let (status, refused) = edge.ask("POST", "/v1/shop/op/doc.commit", &key, &change);
    assert_eq!((status, refused["code"].as_str()), (400, Some("ABODY")), "nothing is changed through a grant");
}

#[test]
fn ker_1_ker_2_what_its_owner_closed_nobody_reads_through_a_grant() {
    let edge = Edge::new();
    let key = edge.key_of("shop");
    edge.grant("Contact");
    let asked = json!({ "c": "Contact", "id": "a", "ns": "main", "tolerance_s": 5 });
    let main = edge.desk.0.main();
    for (state, expected) in
        [(State::Closed, (503, "OCLOSED")), (State::ReadOnly, (200, "Ada")), (State::Removing, (503, "OREMOVING"))]
    {
        main.set_standing(Standing { state, ..Standing::OPEN });
        let (status, text) = edge.get(&key, asked.clone());
        assert_eq!((status, text.as_str()), expected, "{state:?}");
    }
}
