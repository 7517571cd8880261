//! What the tests share: the server, its clients, and a look at both sides of a replica.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::time::{Duration, Instant};

use client::{Ask, Client, ClientError, OpAnswer, Replica, Retry};
use kill::server::{KEY, Launch, Server};
use replica::{Content, Item, ItemKey};
use serde_json::{Value, json};

/// Longest wait for what must come.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How to start the server in `data`.
pub fn launch(data: &Path) -> Launch {
    Launch::new(Path::new(env!("CARGO_BIN_EXE_contacts")), data)
}

/// A server with a folder of its own, gone with it.
pub struct Site {
    pub server: Server,
    pub folder: tempfile::TempDir,
}

impl Site {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let server = launch(&folder.path().join("data")).start().expect("a server");
        Self { server, folder }
    }

    /// A client with the administrator's key.
    pub fn client(&self) -> Client {
        client_of(&self.server, KEY)
    }

    /// A client with a key of this role and scope.
    pub fn client_as(&self, role: &str, scope: Value) -> Client {
        let made = self.server.client().post("/v1/main/keys", &json!({ "role": role, "scope": scope }), "");
        let made = made.expect("an answer");
        assert_eq!(made.status, 201, "{made:?}");
        client_of(&self.server, made.body["key"].as_str().expect("a key"))
    }

    /// A replica in a file.
    pub fn replica(&self, name: &str) -> Replica {
        Replica::open(self.folder.path().join(name)).expect("a replica")
    }
}

/// A client of the namespace `main`.
pub fn client_of(server: &Server, key: &str) -> Client {
    client_at(&format!("http://{}", server.address), key)
}

pub fn client_at(url: &str, key: &str) -> Client {
    let retry = Retry { patience: Duration::from_secs(20), ..Retry::default() };
    Client::new(url, "main", key).expect("a client").with_retry(retry)
}

/// Runs an operation by name; nothing is synchronised.
pub async fn op(client: &Client, name: &str, param: Value) -> Result<OpAnswer, ClientError> {
    client.op(name, &param, &Ask::default()).await
}

/// The same, which must be done.
pub async fn done(client: &Client, name: &str, param: Value) -> OpAnswer {
    op(client, name, param.clone()).await.unwrap_or_else(|error| panic!("{name} {param}: {error}"))
}

/// The code of a refusal.
pub fn code<T: std::fmt::Debug>(refused: Result<T, ClientError>) -> String {
    match refused {
        Err(ClientError::Api(error)) => error.code,
        other => panic!("{other:?}"),
    }
}

/// Version, creation and items of a document; `None` if it is not there.
pub type Seen = Option<(i64, i64, BTreeMap<ItemKey, (i64, i64, Value)>)>;

pub fn in_replica(replica: &Replica, class: &str, id: &str) -> Seen {
    let copy = replica.document(class, id).expect("a shelf")?;
    let items = copy.items.into_iter().filter_map(|(key, item)| {
        let content = match item.content? {
            Content::Json(value) => value,
            Content::Raw(text) => Value::String(text),
        };
        Some((key, (item.v, item.vop, content)))
    });
    Some((copy.head.v, copy.head.ct, items.collect()))
}

pub async fn at_server(client: &Client, class: &str, id: &str) -> Seen {
    let document = client.get(class, id, 0).await.expect("an answer")?;
    let item = |Item { key, v, vop, j, s }: Item| (key, (v, vop, j.or(s.map(Value::String)).expect("a content")));
    Some((document.v, document.ct, document.items.into_iter().map(item).collect()))
}

/// The content of an item, null if it is not there.
pub fn content(seen: &Seen, item: &str, key: &str) -> Value {
    let items = seen.as_ref().map(|(_, _, items)| items);
    items.and_then(|items| items.get(&ItemKey::new(item, key))).map_or(Value::Null, |(_, _, content)| content.clone())
}

/// Asks until it is so.
pub async fn until<T, F: Future<Output = T>>(mut ask: impl FnMut() -> F, is_so: impl Fn(&T) -> bool) -> T
where
    T: std::fmt::Debug,
{
    let end = Instant::now() + PATIENCE;
    loop {
        let answer = ask().await;
        if is_so(&answer) {
            return answer;
        }
        assert!(Instant::now() < end, "still {answer:?}");
        tokio::time::sleep(Duration::from_millis(20)).await; // tidy: sleep — another process works meanwhile; bounded
    }
}

/// Waits until no copy is on its way.
pub async fn until_copied(server: &Server) {
    let waiting =
        || async { server.client().get("/v1/main/tasks?op=doc.copy").expect("an answer").body["items"].clone() };
    until(waiting, |items| *items == json!([])).await;
}
