//! A small service to look at the edge with.

use axum::extract::Query;
use axum::http::HeaderMap;
use axum::response::Response;
use base::{Migration, OpResult, Ran, Sql, Tx, args, codes};
use kernel::{OpCx, Out, Role, ServiceDef, Session, SessionDef, SessionEvent};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use web::{Api, ApiError, ApiResult, JsonBody, NoBody, Route, RouteLimits, Service, StreamedBody};

pub static PROBE: ServiceDef = ServiceDef {
    name: "probe",
    migrations: &[Migration {
        service: "probe",
        version: 1,
        text: "CREATE TABLE probe (id {text} PRIMARY KEY, name {text} NOT NULL) {strict};",
    }],
    statements: &[&INSERT, &COUNT],
    operations: &[&ADD],
    queries: &[&COUNT_NAMED],
    ..ServiceDef::EMPTY
};

pub const SERVICE: Service = Service::new(&PROBE, routes).streams(&crate::echo::STREAMS);

/// Body limit of one route.
pub const SMALL: usize = 1_000;

static INSERT: Sql = Sql::new("probe.insert", "INSERT INTO probe (id, name) VALUES (?1, ?2)");
static COUNT: Sql = Sql::new("probe.count", "SELECT COUNT(*) FROM probe WHERE name = ?1");

pub static ADD: kernel::Op<Add, Added> = kernel::Op::new("probe.add", add);
pub static COUNT_NAMED: kernel::Query<String, Count> = kernel::Query::new("probe.count", count);

/// Something to add.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Add {
    /// Its name.
    name: String,
    /// Where it belongs.
    #[serde(default, rename = "place")]
    #[schema(required = false)]
    _place: Option<Place>,
}

/// A place, to have a schema within a schema.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Place {
    /// Row.
    #[serde(rename = "row")]
    _row: u32,
}

/// It was added.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct Added {
    /// Its id.
    id: String,
}

/// How many there are.
#[derive(Serialize, ToSchema)]
pub struct Count {
    /// So many.
    count: i64,
}

#[derive(Serialize, ToSchema)]
struct Who {
    caller: String,
    namespace: String,
}

fn add(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Add) -> OpResult<Added> {
    if input.name == "panic" {
        panic!("the operation panics with /a/path");
    }
    let id = cx.properties.account.clone().unwrap_or_else(|| cx.id().to_string());
    cx.stamp();
    tx.write(&INSERT, args![&id, &input.name])?;
    Ok(Added { id })
}

fn count(tx: &mut dyn Tx, name: &String) -> OpResult<Count> {
    let row = tx.query_one(&COUNT, args![name])?;
    Ok(Count { count: row.map_or(0, |row| row.int(0)) })
}

fn routes() -> Vec<Route> {
    let tagged = |route: Route| route.tag("Probe").summary("Something to try");
    vec![
        tagged(Route::operation("/v1/{ns}/probe", &ADD)).roles(&[Role::App]).errors(&[codes::ALIMIT]),
        tagged(Route::get("/v1/{ns}/probe/{name}", counted))
            .roles(&[Role::App, Role::Reader])
            .param("name", "What to count")
            .answers::<Count>(200),
        tagged(Route::put("/v1/{ns}/probe/small", small))
            .roles(&[Role::App])
            .limits(RouteLimits { body_max: Some(SMALL), ..RouteLimits::default() })
            .takes::<Add>()
            .answers_nothing(),
        tagged(Route::post("/v1/{ns}/probe/count", counted_by_post))
            .reads()
            .roles(&[Role::App])
            .takes::<Add>()
            .answers::<Count>(200),
        tagged(Route::post("/v1/{ns}/probe/attachments", attach))
            .roles(&[Role::App])
            .takes_bytes()
            .answers::<Added>(201),
        tagged(Route::get("/v1/{ns}/probe/attachments/{name}", attachment))
            .roles(&[Role::App])
            .param("name", "Its hash")
            .answers_text("text/html"),
        tagged(Route::get("/v1/{ns}/probe/adder", live)).roles(&[Role::App]).answers_text("text/event-stream"),
        tagged(Route::post("/v1/{ns}/probe/panic", panicking)).roles(&[Role::App]).answers_nothing(),
        tagged(Route::post("/v1/{ns}/probe/open", open)).public().answers::<Who>(200),
        tagged(Route::operation("/v1/{ns}/probe/strangers", &ADD)).public(),
        tagged(Route::post("/v1/{ns}/probe/foreign", foreign)).roles(&[Role::App]).answers_nothing(),
        tagged(Route::post("/v1/{ns}/probe/untrue", small)).roles(&[Role::App]).takes::<Count>().answers_nothing(),
    ]
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

async fn counted(api: Api, web::PathOf(path): web::PathOf<Named>) -> ApiResult<Count> {
    api.read(&COUNT_NAMED, path.name).await
}

async fn counted_by_post(api: Api, body: JsonBody<Add>) -> ApiResult<Count> {
    api.read(&COUNT_NAMED, body.value.name).await
}

async fn attach(api: Api, body: StreamedBody) -> ApiResult<Added> {
    let received = api.receive_blob(body, None).await?;
    Ok(api.answer(Added { id: received.stored.name.sha.to_string() }))
}

async fn attachment(api: Api, web::PathOf(path): web::PathOf<Named>, headers: HeaderMap) -> Result<Response, ApiError> {
    let sha = path.name.parse().map_err(|_| ApiError::refused(codes::NBLOB, "no such attachment"))?;
    api.send_blob(sha, "text/html", &headers).await
}

/// A live connection that adds and counts again and again, and says what came of it.
static ADDER: SessionDef = SessionDef { name: "probe.adder", open: |_, _| Box::new(Adder) };

struct Adder;

const ADD_CALL: u64 = 1;

impl Session for Adder {
    fn on(&mut self, event: SessionEvent, _: Ran) -> Vec<Out> {
        match event {
            SessionEvent::Message(_) | SessionEvent::Timer(_) => vec![
                Out::Call { call: ADD_CALL, op: "probe.add", input: serde_json::json!({ "name": "live" }) },
                Out::Read { call: ADD_CALL + 1, query: "probe.count", input: serde_json::json!("live") },
                Out::Timer { number: 0, after_ms: 20 },
            ],
            SessionEvent::Ended { call, result } => {
                let (what, code) = (if call == ADD_CALL { "add" } else { "count" }, result.err().map(|e| e.code.name));
                vec![Out::Reply(format!("{what} {};", code.unwrap_or("good")).into_bytes())]
            }
            SessionEvent::Stopping => vec![Out::Close],
            SessionEvent::Wake | SessionEvent::Gone => vec![],
            SessionEvent::Bytes { .. } | SessionEvent::News(_) | SessionEvent::Sent => vec![],
        }
    }
}

async fn live(api: Api, headers: HeaderMap) -> Result<Response, ApiError> {
    api.sse(&headers, &ADDER, vec![])
}

async fn small(api: Api, body: JsonBody<Add>) -> ApiResult<()> {
    let _ = body.value;
    Ok(api.answer(()))
}

async fn panicking(_: Api, _: NoBody) -> ApiResult<()> {
    panic!("the handler panics with /a/path")
}

async fn open(api: Api, _: NoBody) -> ApiResult<Who> {
    Ok(api.answer(Who { caller: api.caller().name.clone(), namespace: api.namespace().name.clone() }))
}

#[derive(Deserialize)]
struct Foreign {
    #[serde(rename = "needed")]
    _needed: u32,
}

/// A handler with an extractor of the framework: its refusals must look like ours all the same.
async fn foreign(api: Api, Query(_): Query<Foreign>) -> ApiResult<()> {
    Ok(api.answer(()))
}
