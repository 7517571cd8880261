//! Routes of transfers (KER-3): a namespace moves to the other engine, becomes an archive, or comes out of one. What touches stores is the
//! program's ([`Carrier`]); here are its rows and the bytes on their way.

use std::io::{self, Write};
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use base::{Engine, OpResult, Wall, codes};
use futures_util::stream::unfold;
use kernel::namespaces::transfers::{
    BEGIN_IMPORT, BEGIN_MOVE, BeginImport, BeginMove, CANCEL_TRANSFER, CancelTransfer, GET_TRANSFER, Progress, Transfer,
};
use kernel::namespaces::{CreateNamespace, GET_NAMESPACE, NamespaceRow, SecretUrl, State, is_name, word_of};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use utoipa::{IntoParams, ToSchema};

use super::view::EngineWord;
use super::{NamePath, TAG, check_admin, come_true, to_the_end};
use crate::answer::ApiResult;
use crate::api::Api;
use crate::blobs::blocking;
use crate::body::{JsonBody, NoBody, StreamedBody};
use crate::error::ApiError;
use crate::params::{PathOf, QueryOf};
use crate::route::Route;
use crate::time::rfc3339;

/// Bytes of an archive that are sent at once.
const PORTION: usize = 256 << 10;
/// Portions that wait for a slow reader.
const WAITING: usize = 8;

/// Who reads and writes archives: the program, which knows the stores. All of it blocks.
pub trait Carrier: Send + Sync {
    /// Writes a namespace to `to`, as it is at one moment.
    ///
    /// # Errors
    /// It cannot be read, or `to` does not take it.
    fn export(&self, row: &NamespaceRow, to: &mut (dyn Write + Send)) -> OpResult<()>;

    /// Begins to receive an archive that shall become this namespace.
    ///
    /// # Errors
    /// There is no room.
    fn receive(&self, name: &str) -> OpResult<Box<dyn Receiving>>;
}

/// An archive on its way in. Dropped, it leaves nothing.
pub trait Receiving: Send {
    /// Takes a portion.
    ///
    /// # Errors
    /// There is no room.
    fn write(&mut self, bytes: &[u8]) -> OpResult<()>;

    /// Reads all of it, and keeps it if it is good; gives its digest and its label.
    ///
    /// # Errors
    /// `AARCHIVE`: it is damaged, cut off, or of a schema that is not known here.
    fn finish(self: Box<Self>) -> OpResult<(String, String)>;
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/{ns}/namespaces/{name}/move", begin_move)
            .tag(TAG)
            .summary("Move a namespace to the other engine")
            .about(
                "Only on the administrators' namespace. The namespace goes on serving while its rows are carried; for the last part nobody is \
                 let in (`OMOVING`). It goes on by itself, also when the server is killed: `GET …/transfer` tells how far it is. A repeat \
                 finds the move that is under way.",
            )
            .param("name", "Name of the namespace")
            .takes::<Destination>()
            .answers::<TransferView>(202)
            .errors(&[codes::ANAMESPACE, codes::ALIMIT, codes::NNAMESPACE])
            .for_unbound(),
        Route::get("/v1/{ns}/namespaces/{name}/transfer", show)
            .tag(TAG)
            .summary("Show the last move or import of a namespace")
            .about("Only on the administrators' namespace. `progress` is told by the node that works on it.")
            .param("name", "Name of the namespace")
            .answers::<TransferView>(200)
            .errors(&[codes::NTRANSFER]),
        Route::delete("/v1/{ns}/namespaces/{name}/transfer", cancel)
            .tag(TAG)
            .summary("Take a move or an import back")
            .about("Only on the administrators' namespace. The namespace stays as it was, or does not come into being. Too late once the new side serves.")
            .param("name", "Name of the namespace")
            .answers::<TransferView>(202)
            .errors(&[codes::NTRANSFER, codes::ANAMESPACE])
            .for_unbound(),
        Route::get("/v1/{ns}/namespaces/{name}/export", export)
            .tag(TAG)
            .summary("Export a namespace")
            .about(
                "Only on the administrators' namespace. One archive of all rows, blobs and files, as they were at one moment, while the \
                 namespace serves. It ends with a digest: what was cut off is not taken for a whole one.",
            )
            .param("name", "Name of the namespace")
            .answers_text("application/octet-stream")
            .errors(&[codes::NNAMESPACE, codes::ANAMESPACE])
            .for_unbound(),
        Route::post("/v1/{ns}/namespaces/{name}/import", import)
            .tag(TAG)
            .summary("Import a namespace")
            .about(
                "Only on the administrators' namespace. The body is an archive of an export. It is checked wholly before anything is there, \
                 and becomes a namespace of a name that is free, with a new epoch. It goes on by itself: `GET …/transfer` tells how far it is.",
            )
            .param("name", "Name of the namespace that is to be")
            .query::<ImportQuery>()
            .takes_bytes()
            .answers::<TransferView>(202)
            .errors(&[codes::AARCHIVE, codes::ANAMESPACE, codes::ALIMIT])
            .for_unbound(),
    ]
}

/// Where to.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "engine": "postgres" }))]
struct Destination {
    /// The engine.
    engine: EngineWord,
    /// Its own PostgreSQL, if it is not the server's. Never shown.
    #[schema(required = false, nullable = false, max_length = 1024, format = Password)]
    url: Option<String>,
}

/// What shall become of an archive.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct ImportQuery {
    /// The engine; as configured if not given.
    #[param(inline, nullable = false)]
    engine: Option<EngineWord>,
    /// For people; as in the archive if not given.
    #[param(nullable = false)]
    label: Option<String>,
}

/// A move or an import.
#[derive(Serialize, ToSchema)]
#[schema(as = NamespaceTransfer)]
struct TransferView {
    /// The namespace.
    name: String,
    /// Tells it from all others.
    id: String,
    /// `move` or `import`.
    kind: &'static str,
    /// `copying`, `closing`, `switched`, `reopening`, `arriving`, `done`, `failed` or `cancelled`.
    #[schema(example = "copying")]
    state: &'static str,
    /// Whether it has ended.
    ended: bool,
    /// The engine that it leaves, of a move.
    from: Option<&'static str>,
    /// The engine that it comes to.
    to: &'static str,
    /// The node that works on it.
    node: String,
    /// How often its work was begun.
    attempts: i64,
    /// What went wrong last.
    note: String,
    /// Rows that were carried and compared.
    rows: Option<i64>,
    /// Their digest, the same on both sides.
    digest: Option<String>,
    /// When it was asked for.
    #[schema(format = DateTime)]
    started_at: String,
    /// When it ended.
    #[schema(format = DateTime)]
    ended_at: Option<String>,
    /// How far it is.
    progress: Option<ProgressView>,
}

/// How far a walk through the rows is.
#[derive(Serialize, ToSchema)]
#[schema(as = TransferProgress)]
struct ProgressView {
    /// The table it is at.
    table: String,
    /// Tables that are behind it.
    tables_done: u64,
    /// All tables.
    tables: u64,
    /// Rows that were looked at in this walk.
    rows: u64,
    /// Their bytes as text.
    bytes: u64,
    /// Rows that were written.
    written: u64,
}

impl TransferView {
    fn of(api: &Api, transfer: Transfer) -> Self {
        let walked = api.kernel().common::<Progress>().of(&transfer.name).filter(|_| !transfer.state.is_final());
        let progress = walked.map(|walked| ProgressView {
            table: walked.table,
            tables_done: walked.tables_done as u64,
            tables: walked.tables as u64,
            rows: walked.rows,
            bytes: walked.bytes,
            written: walked.written,
        });
        Self {
            progress,
            name: transfer.name,
            id: transfer.id,
            kind: transfer.kind.word(),
            state: transfer.state.word(),
            ended: transfer.state.is_final(),
            from: transfer.from.map(|from| word_of(from.0)),
            to: word_of(transfer.to),
            node: transfer.node,
            attempts: transfer.attempts,
            note: transfer.note,
            rows: transfer.rows,
            digest: transfer.digest,
            started_at: rfc3339(Wall(transfer.started_at)),
            ended_at: transfer.ended_at.map(|at| rfc3339(Wall(at))),
        }
    }
}

async fn begin_move(
    api: Api,
    PathOf(NamePath { name }): PathOf<NamePath>,
    body: JsonBody<Destination>,
) -> ApiResult<TransferView> {
    check_admin(&api)?;
    let config = api.kernel().config();
    let (rules, admin) = (config.namespaces.clone(), config.admin_namespace.clone());
    let admin_engine = api.kernel().admin_namespace().store.engine();
    let body = body.map(|to| BeginMove {
        name,
        engine: to.engine.into(),
        url: to.url.map(SecretUrl),
        rules,
        admin_engine,
        admin,
    });
    to_the_end(async move {
        let begun = api.call(&BEGIN_MOVE, body).await;
        api.kernel().registry().changed();
        Ok(begun?.map(|transfer| TransferView::of(&api, transfer)))
    })
    .await
}

async fn show(api: Api, PathOf(NamePath { name }): PathOf<NamePath>) -> ApiResult<TransferView> {
    check_admin(&api)?;
    let none = ApiError::refused(codes::NTRANSFER, format!("namespace `{}` was never moved or imported", shown(&name)));
    let found = api.read(&GET_TRANSFER, name).await?;
    let transfer = found.out.ok_or(none)?;
    Ok(api.answer(TransferView::of(&api, transfer)))
}

async fn cancel(api: Api, PathOf(NamePath { name }): PathOf<NamePath>, body: NoBody) -> ApiResult<TransferView> {
    check_admin(&api)?;
    let body = body.with(CancelTransfer { name });
    to_the_end(async move {
        let cancelled = api.call(&CANCEL_TRANSFER, body).await;
        api.kernel().registry().changed();
        Ok(cancelled?.map(|transfer| TransferView::of(&api, transfer)))
    })
    .await
}

fn shown(name: &str) -> String {
    name.chars().take(32).collect()
}

fn carrier(api: &Api) -> Result<Arc<dyn Carrier>, ApiError> {
    let none = || ApiError::refused(codes::XSTORE, "this server neither writes nor reads archives");
    api.shared().config().carrier.clone().ok_or_else(none)
}

/// The bytes are made while they are sent: a reader that is slow holds up whoever makes them.
async fn export(api: Api, PathOf(NamePath { name }): PathOf<NamePath>) -> Result<Response, ApiError> {
    check_admin(&api)?;
    let row = api.read(&GET_NAMESPACE, name).await?.out;
    check_exportable(&api, &row)?;
    let carrier = carrier(&api)?;
    let (to, from) = mpsc::channel(WAITING);
    spawn_blocking(move || {
        let mut sender = Sender { to, portion: Vec::with_capacity(PORTION) };
        let sent = carrier.export(&row, &mut sender).and_then(|()| sender.flush().map_err(broken));
        if let Err(error) = sent {
            tracing::warn!(namespace = row.name, %error, "an export breaks off");
            let _ = sender.to.blocking_send(Err(io::Error::other("the export broke off")));
        }
    });
    // The request counts as long as its answer is being sent.
    let stream = unfold((from, api), |(mut from, api)| async move { Some((from.recv().await?, (from, api))) });
    let mut response = Response::new(Body::from_stream(stream));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    Ok(response)
}

fn check_exportable(api: &Api, row: &NamespaceRow) -> Result<(), ApiError> {
    let refused = |text: String| Err(ApiError::refused(codes::ANAMESPACE, text));
    if row.name == api.kernel().config().admin_namespace {
        return refused(format!("`{}` is the administrators' namespace: `fastness backup` writes it", row.name));
    }
    match row.state {
        State::Open | State::ReadOnly | State::Closed => Ok(()),
        State::Creating | State::Moving | State::Removing => {
            refused(format!("namespace `{}` is {}", row.name, row.state.word()))
        }
    }
}

fn broken(error: io::Error) -> base::OpError {
    base::OpError::before_start(codes::XUNEXPECTED, error.to_string())
}

type Portion = io::Result<Bytes>;

/// Sends what is written to it, portion by portion.
struct Sender {
    to: mpsc::Sender<Portion>,
    portion: Vec<u8>,
}

impl Write for Sender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.portion.extend_from_slice(bytes);
        if self.portion.len() >= PORTION {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.portion.is_empty() {
            return Ok(());
        }
        let portion = std::mem::replace(&mut self.portion, Vec::with_capacity(PORTION));
        self.to.blocking_send(Ok(portion.into())).map_err(|_| io::Error::other("nobody reads it any more"))
    }
}

async fn import(
    api: Api,
    PathOf(NamePath { name }): PathOf<NamePath>,
    QueryOf(query): QueryOf<ImportQuery>,
    body: StreamedBody,
) -> ApiResult<TransferView> {
    check_admin(&api)?;
    check_free(&api, &name)?;
    let (archive, label) = receive(carrier(&api)?, &name, body).await?;
    let config = api.kernel().config();
    let wish = CreateNamespace {
        name,
        label: Some(query.label.unwrap_or(label)),
        engine: query.engine.map(Engine::from),
        url: None,
        temporary: false,
        rules: config.namespaces.clone(),
        admin: config.admin_namespace.clone(),
    };
    to_the_end(async move {
        let begun = api.call_natural(&BEGIN_IMPORT, BeginImport { wish, archive }).await;
        api.kernel().registry().changed();
        let begun = begun?;
        come_true(&api, |api| api.kernel().registry().known().rows.contains_key(&begun.out.name)).await;
        Ok(begun.map(|transfer| TransferView::of(&api, transfer)))
    })
    .await
}

/// Before many bytes come for nothing; the operation looks again.
fn check_free(api: &Api, name: &str) -> Result<(), ApiError> {
    if !is_name(name) {
        let text = format!("`{}` is not a namespace's name: 1 to 16 of a-z and 0-9", shown(name));
        return Err(ApiError::refused(codes::ABODY, text));
    }
    let known = api.kernel().registry().known();
    let is_importing = known.transfers.contains_key(name);
    if known.rows.contains_key(name) && !is_importing {
        return Err(ApiError::refused(codes::ANAMESPACE, format!("there is a namespace `{name}` already")));
    }
    Ok(())
}

async fn receive(carrier: Arc<dyn Carrier>, name: &str, mut body: StreamedBody) -> Result<(String, String), ApiError> {
    let name = name.to_owned();
    let mut receiving = blocking(move || carrier.receive(&name)).await?;
    while let Some(portion) = body.portion().await? {
        receiving = blocking(move || receiving.write(&portion).map(|()| receiving)).await?;
    }
    blocking(move || receiving.finish()).await
}
