//! The client against a small server on loopback that breaks, refuses and forgets on command.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::{get, post, put};
use client::replica::{Ask, SYNCS_MAX};
use client::{Change, Client, ClientError, Condition, Expect, Replica, Retry, Search};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::source::Source;

const RETRY: Retry = Retry {
    attempts: 4,
    first_pause: Duration::from_millis(1),
    pause_max: Duration::from_secs(1),
    patience: Duration::from_secs(10),
};

/// What the server does with the next request instead of answering it.
#[derive(Debug, Clone)]
enum Trouble {
    /// Does the work, then cuts the answer off.
    CutAfterWork,
    /// Answers with this, having done nothing.
    Refuse(u16, &'static [(&'static str, &'static str)], Value),
}

#[derive(Debug, Clone)]
struct Request {
    path: String,
    headers: HeaderMap,
    body: Bytes,
}

impl Request {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn asks_about(&self, id: &str) -> bool {
        let body = self.json();
        let syncs = body["syncs"].as_array();
        syncs.is_some_and(|syncs| syncs.iter().any(|held| held["id"] == id))
    }

    fn key(&self) -> Option<String> {
        self.headers.get("idempotency-key").map(|key| key.to_str().unwrap().to_owned())
    }
}

#[derive(Default)]
struct Server {
    troubles: Vec<Trouble>,
    requests: Vec<Request>,
    /// Keys whose work was done, with their answers.
    done: Vec<(String, Value)>,
    source: Option<Source>,
    /// Documents of which the server wants to hear nothing.
    refused: Vec<&'static str>,
    /// What operations but `doc.sync` answer.
    out: Value,
    blobs: Vec<(String, Bytes)>,
}

type Shared = Arc<Mutex<Server>>;

struct Bench {
    server: Shared,
    client: Client,
}

async fn bench() -> Bench {
    let server = Shared::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let routes = Router::new()
        .route("/v1/main/op/{name}", post(op))
        .route("/v1/main/blobs/{sha}", put(put_bytes).get(get_bytes))
        .route("/v1/main/docs/{class}/{id}/attachments/{key}", put(put_bytes).get(get_bytes).delete(put_bytes))
        .route("/v1/main/elsewhere", get(|| async { "elsewhere" }))
        .with_state(server.clone());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let client = Client::new(&url, "main", "the-key").unwrap().with_retry(RETRY);
    Bench { server, client }
}

impl Bench {
    fn trouble(&self, troubles: &[Trouble]) {
        let mut server = self.server.lock().unwrap();
        server.troubles = troubles.iter().rev().cloned().collect();
    }

    fn requests(&self) -> Vec<Request> {
        self.server.lock().unwrap().requests.clone()
    }
}

async fn op(State(server): State<Shared>, Path(name): Path<String>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let mut server = server.lock().unwrap();
    let request = Request { path: name, headers, body };
    server.requests.push(request.clone());
    let trouble = server.troubles.pop();
    if let Some(Trouble::Refuse(status, headers, body)) = trouble {
        return refused(status, headers, &body);
    }
    if server.refused.iter().any(|id| request.asks_about(id)) {
        return refused(409, &[], &told("AAHEAD"));
    }
    let (answer, replayed) = server.work(&request);
    let text = answer.to_string();
    let response = Response::builder().header("content-type", "application/json");
    let response = if replayed { response.header("idempotency-replayed", "true") } else { response };
    if matches!(trouble, Some(Trouble::CutAfterWork)) {
        // More is promised than comes.
        let half = broken_off(&text.as_bytes()[..text.len() / 2]);
        return response.header("content-length", text.len()).body(half).unwrap();
    }
    response.body(text.into()).unwrap()
}

/// A body that breaks off after these bytes.
fn broken_off(bytes: &[u8]) -> Body {
    let parts = [Ok(Bytes::copy_from_slice(bytes)), Err(std::io::Error::other("cut"))];
    Body::from_stream(Parts(parts.into_iter().collect()))
}

struct Parts(std::collections::VecDeque<std::io::Result<Bytes>>);

impl futures_util::Stream for Parts {
    type Item = std::io::Result<Bytes>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Ready(self.0.pop_front())
    }
}

fn refused(status: u16, headers: &[(&str, &str)], body: &Value) -> Response<Body> {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    let body = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
    response.body(body.into()).unwrap()
}

impl Server {
    /// Does the work once per key.
    fn work(&mut self, request: &Request) -> (Value, bool) {
        let key = request.key().unwrap_or_default();
        if let Some((_, answer)) = self.done.iter().find(|(done, _)| *done == key) {
            return (answer.clone(), true);
        }
        let body = request.json();
        let syncs = body.get("syncs").map_or_else(Vec::new, |syncs| serde_json::from_value(syncs.clone()).unwrap());
        let ask = Ask { syncs, epoch: body["epoch"].as_str().map(str::to_owned) };
        assert!(ask.syncs.len() <= SYNCS_MAX);
        let source = self.source.get_or_insert_with(Source::new);
        if request.path == "doc.commit" {
            source.put("00000", "k", 7);
        }
        let answer = source.answer(&ask);
        let answer = json!({"out": self.out, "syncs": answer.syncs, "epoch": answer.epoch});
        if !key.is_empty() {
            self.done.push((key, answer.clone()));
        }
        (answer, false)
    }
}

async fn put_bytes(
    State(server): State<Shared>,
    uri: axum::http::Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let mut server = server.lock().unwrap();
    let path = uri.path().to_owned();
    server.requests.push(Request { path: path.clone(), headers, body: body.clone() });
    if let Some(Trouble::Refuse(status, headers, body)) = server.troubles.pop() {
        return refused(status, headers, &body);
    }
    server.blobs.push((path, body));
    Response::builder().status(StatusCode::CREATED).header("fastness-version", "7").body("{}".into()).unwrap()
}

async fn get_bytes(State(server): State<Shared>, uri: axum::http::Uri, headers: HeaderMap) -> Response<Body> {
    let server = server.lock().unwrap();
    let (_, bytes) = server.blobs.iter().find(|(path, _)| path == uri.path()).unwrap();
    let sha = client_sha(bytes);
    let response = Response::builder().header("etag", format!("\"{sha}\"")).header("content-type", "image/png");
    match headers.get("range").map(|range| range.to_str().unwrap()) {
        None => response.body(bytes.clone().into()).unwrap(),
        Some("bytes=2-4") => {
            let range = format!("bytes 2-4/{}", bytes.len());
            response.status(206).header("content-range", range).body(bytes.slice(2..5).into()).unwrap()
        }
        Some(other) => panic!("{other}"),
    }
}

fn client_sha(bytes: &[u8]) -> String {
    use sha2::Digest;
    client::Sha(sha2::Sha256::digest(bytes).into()).to_string()
}

fn told(code: &str) -> Value {
    json!({"code": code, "major": 3, "phase": 2, "message": "m", "detail": ["a fact"], "version": 5})
}

#[tokio::test]
async fn ker_10_a_change_whose_answer_was_lost_is_repeated_with_its_key_and_done_once() {
    let bench = bench().await;
    bench.server.lock().unwrap().out = json!({"version": 101});
    bench.trouble(&[Trouble::CutAfterWork, Trouble::CutAfterWork]);
    let change = Change::of("C", "00000").expecting(Expect::New).put("I", "k", json!({"number": 7})).remove("I", "x");
    assert_eq!(bench.client.commit(&[change]).await.unwrap(), Some(101));
    let requests = bench.requests();
    assert_eq!(requests.len(), 3);
    let key = requests[0].key().unwrap();
    assert!(key.parse::<base::Id>().is_ok(), "a time-ordered id: {key}");
    assert!(requests.iter().all(|request| request.key().as_ref() == Some(&key) && request.body == requests[0].body));
    assert_eq!(requests[0].headers["authorization"], "Bearer the-key");
    assert_eq!(bench.server.lock().unwrap().done.len(), 1, "done once");
    let expected = json!({"param": {"changes": [{"c": "C", "id": "00000", "expect": "new", "items": [
        {"c": "I", "k": "k", "j": {"number": 7}}, {"c": "I", "k": "x", "delete": true}]}]}});
    assert_eq!(requests[0].json(), expected);
    bench.client.commit(&[Change::of("C", "1").delete()]).await.unwrap();
    bench.server.lock().unwrap().out = json!({"version": null});
    assert_eq!(bench.client.commit(&[Change::of("C", "1")]).await.unwrap(), None, "nothing changed");
    assert!(key < bench.requests()[3].key().unwrap(), "every change has its own, later key");
}

#[tokio::test]
async fn ker_9_refusals_are_typed_and_only_those_that_pass_are_repeated() {
    let bench = bench().await;
    bench.trouble(&[Trouble::Refuse(409, &[], told("CVERSION"))]);
    let error = bench.client.commit(&[Change::of("C", "1")]).await.unwrap_err();
    let ClientError::Api(error) = error else { panic!("{error}") };
    assert_eq!((error.code.as_str(), error.letter(), error.major, error.phase), ("CVERSION", 'C', 3, 2));
    assert_eq!((error.message.as_str(), error.version, error.status), ("m", Some(5), 409));
    assert_eq!(error.detail, ["a fact"]);
    assert_eq!(bench.requests().len(), 1);
    let busy = Trouble::Refuse(503, &[("retry-after", "0")], told("XBUSY"));
    let proxy = Trouble::Refuse(502, &[], json!("<html>"));
    bench.trouble(&[busy.clone(), proxy, busy.clone()]);
    bench.client.op("own.op", &json!({}), &Ask::default()).await.unwrap();
    assert_eq!(bench.requests().len(), 5);
    bench.trouble(&[busy.clone(), busy.clone(), busy.clone(), busy]);
    let given_up = bench.client.op("own.op", &json!({}), &Ask::default()).await;
    assert!(matches!(given_up, Err(ClientError::Api(error)) if error.code == "XBUSY"), "the server's word");
    assert_eq!(bench.requests().len(), 9);
    bench.trouble(&[Trouble::Refuse(503, &[("retry-after", "30")], told("OCLOSED"))]);
    let closed = bench.client.op("own.op", &json!({}), &Ask::default()).await;
    assert!(matches!(closed, Err(ClientError::Api(error)) if error.retry_after_s == Some(30)), "not waited for");
}

#[tokio::test]
async fn ker_10_without_a_server_the_client_gives_up_and_tells_its_key() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let client = Client::new(&format!("http://{gone}"), "main", "k").unwrap().with_retry(RETRY);
    let error = client.commit(&[Change::of("C", "1")]).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { attempts: 4, key: Some(_), .. }), "{error:?}");
    let error = client.get("C", "1", 0).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { key: None, .. }), "reads have no key: {error:?}");
    let told = format!("no answer after 4 tries: nothing listens at http://{gone} (connection refused)");
    assert_eq!(error.to_string(), told, "where it looked, and what is in the way, in one sentence");
}

#[tokio::test]
async fn doc_6_what_is_no_answer_of_the_api_is_told() {
    let bench = bench().await;
    bench.server.lock().unwrap().out = json!("no document");
    assert!(matches!(bench.client.get("C", "1", 0).await, Err(ClientError::Unreadable { .. })));
    bench.trouble(&[Trouble::Refuse(200, &[], json!("<html>"))]);
    assert!(matches!(bench.client.get("C", "1", 0).await, Err(ClientError::Unreadable { status: 200, .. })));
    bench.trouble(&[Trouble::Refuse(302, &[("location", "/v1/main/elsewhere")], json!(""))]);
    let redirected = bench.client.get("C", "1", 0).await;
    assert!(matches!(redirected, Err(ClientError::Unreadable { status: 302, .. })), "keys go nowhere else");
    let headers = bench.client.put_attachment("C", "1", "k", "a mime\nwith a line", "x").await;
    assert!(matches!(headers, Err(ClientError::Invalid(_))), "{headers:?}");
}

#[tokio::test]
async fn doc_6_get_and_search_say_what_they_want() {
    let bench = bench().await;
    bench.server.lock().unwrap().out = json!({"c": "C", "id": "1", "v": 9, "ct": 3, "dt": 0, "v1": 12, "v2": 0,
        "items": [{"c": "S", "v": 9, "vop": 9, "s": "x"}], "dels": [{"c": "I", "k": "a", "v": 8}]});
    let document = bench.client.get("C", "1", 30).await.unwrap().unwrap();
    assert_eq!((document.v, document.v1, document.items.len(), document.dels.len()), (9, 12, 1, 1));
    bench.trouble(&[Trouble::Refuse(404, &[], told("NDOC"))]);
    assert_eq!(bench.client.get("C", "2", 0).await.unwrap(), None);
    bench.trouble(&[Trouble::Refuse(404, &[], told("NCLASS"))]);
    assert!(matches!(bench.client.get("D", "1", 0).await, Err(ClientError::Api(error)) if error.code == "NCLASS"));
    bench.server.lock().unwrap().out = json!({"items": ["1"], "next": "cursor"});
    let condition = Condition { field: "name".into(), cond: "SW".into(), v1: json!("A"), v2: None };
    let search = Search { c: "C".into(), item: "I".into(), conditions: vec![condition], ..Search::default() };
    let page = bench.client.search(&search).await.unwrap();
    assert_eq!((page.items, page.next), (vec![json!("1")], Some("cursor".to_owned())));
    let requests = bench.requests();
    assert_eq!(requests[0].json(), json!({"param": {"c": "C", "id": "1", "tolerance_s": 30}}));
    let expected = json!({"param": {"c": "C", "item": "I", "where": [{"field": "name", "cond": "SW", "v1": "A"}]}});
    assert_eq!((requests[3].path.as_str(), requests[3].json()), ("doc.search", expected));
    assert!(requests.iter().all(|request| request.key().is_none()), "reads have no key");
}

#[tokio::test]
async fn doc_9_a_replica_is_brought_level_over_http_through_cuts() {
    let bench = bench().await;
    let source = Source::with(SYNCS_MAX + 3);
    bench.server.lock().unwrap().source = Some(source.clone());
    let mut replica = Replica::in_memory();
    source.documents.keys().for_each(|id| replica.follow("C", id, None).unwrap());
    bench.trouble(&[Trouble::CutAfterWork]);
    let taken = bench.client.sync(&mut replica).await.unwrap();
    assert_eq!(taken.taken.changed.len(), SYNCS_MAX + 3);
    for (id, expected) in &source.documents {
        assert_eq!(replica.document("C", id).unwrap().as_ref(), Some(expected));
    }
    assert_eq!(bench.requests().len(), 3, "two calls, of which one was cut");
    assert_eq!(bench.client.sync(&mut replica).await.unwrap(), client::Synced::default());
    assert_eq!(bench.requests()[4].json()["epoch"], "1-a");
}

#[tokio::test]
async fn doc_9_a_document_that_the_server_refuses_does_not_hold_up_the_others() {
    let bench = bench().await;
    let source = Source::with(100);
    bench.server.lock().unwrap().source = Some(source.clone());
    bench.server.lock().unwrap().refused = vec!["00013", "00050"];
    let mut replica = Replica::in_memory();
    source.documents.keys().for_each(|id| replica.follow("C", id, None).unwrap());
    let synced = bench.client.sync(&mut replica).await.unwrap();
    assert_eq!(synced.taken.changed.len(), 98);
    let refused: Vec<_> = synced.refused.iter().map(|(_, id, error)| (id.as_str(), error.code.as_str())).collect();
    assert_eq!(refused, [("00013", "AAHEAD"), ("00050", "AAHEAD")]);
    assert!(bench.requests().len() < 40, "{}", bench.requests().len());
    bench.trouble(&[Trouble::Refuse(404, &[], told("NNAMESPACE"))]);
    let before = bench.requests().len();
    assert!(matches!(bench.client.sync(&mut replica).await, Err(ClientError::Api(_))));
    assert_eq!(bench.requests().len(), before + 1, "this is about none of them");
}

#[tokio::test]
async fn doc_8_a_result_may_be_any_bytes() {
    let bench = bench().await;
    bench.trouble(&[Trouble::Refuse(200, &[("content-type", "image/png")], json!("PNG"))]);
    let picture = bench.client.op_bytes("own.picture", &json!({"size": 3})).await.unwrap();
    assert_eq!((picture.bytes.as_ref(), picture.mime.as_deref()), (b"PNG".as_slice(), Some("image/png")));
    assert!(bench.requests()[0].key().is_some());
}

#[tokio::test]
async fn doc_8_a_change_brings_its_documents_with_it() {
    let bench = bench().await;
    bench.server.lock().unwrap().source = Some(Source::with(2));
    bench.server.lock().unwrap().out = json!({"version": 103});
    let mut replica = Replica::in_memory();
    replica.follow("C", "00000", None).unwrap();
    bench.client.sync(&mut replica).await.unwrap();
    bench.trouble(&[Trouble::CutAfterWork]);
    let changes = [Change::of("C", "00000").put("I", "k", json!({"number": 7})), Change::of("C", "00001")];
    assert_eq!(bench.client.commit_synced(&changes, &mut replica).await.unwrap(), Some(103));
    assert_eq!(replica.document("C", "00000").unwrap().unwrap().head.v, 103);
    let asked = bench.requests()[1].json();
    assert_eq!(asked["syncs"].as_array().unwrap().len(), 1, "only what is followed");
}

#[tokio::test]
async fn doc_12_bytes_go_up_under_their_digest_and_come_back_whole_or_in_parts() {
    let bench = bench().await;
    bench.trouble(&[Trouble::Refuse(503, &[], told("XBUSY"))]);
    let sha = bench.client.put_blob("0123456789").await.unwrap();
    assert_eq!(sha.to_string(), client_sha(b"0123456789"));
    assert_eq!(bench.client.blob(sha).await.unwrap(), "0123456789");
    let part = bench.client.blob_part(sha, 2..5).await.unwrap();
    assert_eq!((part.bytes.as_ref(), part.size, part.sha), (b"234".as_slice(), 10, Some(sha)));
    #[expect(clippy::reversed_empty_ranges, reason = "the client's answer to it is what is tested")]
    let none = bench.client.blob_part(sha, 5..2).await;
    assert!(matches!(none, Err(ClientError::Invalid(_))));
    bench.server.lock().unwrap().blobs[0].1 = Bytes::from_static(b"damaged");
    assert!(
        matches!(bench.client.blob(sha).await, Err(ClientError::Unreadable { .. })),
        "not the bytes of this digest"
    );
}

#[tokio::test]
async fn doc_12_attachments_are_put_once_read_and_deleted() {
    let bench = bench().await;
    let version = bench.client.put_attachment("C", "a/b", "k 1", "image/png.g", "bytes").await.unwrap();
    assert_eq!(version, Some(7));
    let request = bench.requests().remove(0);
    assert_eq!(request.path, "/v1/main/docs/C/a%2Fb/attachments/k%201");
    assert_eq!(request.headers["content-type"], "image/png.g");
    assert!(request.key().is_some());
    let read = bench.client.attachment("C", "a/b", "k 1").await.unwrap();
    assert_eq!((read.bytes.as_ref(), read.mime.as_deref()), (b"bytes".as_slice(), Some("image/png")));
    let part = bench.client.attachment_part("C", "a/b", "k 1", 2..5).await.unwrap();
    assert_eq!(part.bytes, "tes");
    assert_eq!(bench.client.delete_attachment("C", "a/b", "k 1").await.unwrap(), Some(7));
}
