//! The HTTP edge: accept loop, limits, authentication, errors as JSON, route table, API description, page frame.
//!
//! A request goes straight in: [`serve`] (bounds per connection) → what every request passes (head, admission, key) →
//! the router → role check → handler → [`Api::call`] → the kernel. From one table of [`Route`]s come the router, the role
//! check, the OpenAPI document and the page that people read, so none of them can say something else than the others.
//!
//! ```
//! # use base::{OpResult, Tx};
//! # use kernel::{Op, OpCx, Role};
//! # use serde::{Deserialize, Serialize};
//! # use utoipa::ToSchema;
//! # use web::{Api, ApiResult, PathOf, Route};
//! # #[derive(Serialize, Deserialize, ToSchema)] struct Transfer { amount: i64 }
//! # #[derive(Serialize, Deserialize, ToSchema)] struct Account { id: String }
//! # fn transfer(_: &mut dyn Tx, _: &mut OpCx<'_>, input: &Transfer) -> OpResult<Transfer> { todo!() }
//! # static TRANSFER: Op<Transfer, Transfer> = Op::new("ledger.transfer", transfer);
//! # #[derive(Deserialize)] struct AccountPath { id: String }
//! pub fn routes() -> Vec<Route> {
//!     vec![
//!         // The shortest way: the body is the operation's input, the answer its result.
//!         Route::operation("/v1/{ns}/ledger/transfers", &TRANSFER)
//!             .roles(&[Role::App]).tag("Ledger").summary("Move money between accounts"),
//!         // Any handler: its arguments are Api, then PathOf, QueryOf, and JsonBody or NoBody.
//!         Route::get("/v1/{ns}/ledger/accounts/{id}", account)
//!             .roles(&[Role::App, Role::Reader]).tag("Ledger").summary("Show an account")
//!             .param("id", "Name of the account").answers::<Account>(200),
//!     ]
//! }
//!
//! async fn account(api: Api, PathOf(path): PathOf<AccountPath>) -> ApiResult<Account> {
//!     // `api.read(&QUERY, input)` reads, `api.call(&OP, body)` changes.
//!     Ok(api.answer(Account { id: path.id }))
//! }
//! # assert_eq!(routes()[0].info().label(), "POST /v1/{ns}/ledger/transfers");
//! ```
//!
//! Invariants: without a valid key nothing below `/v1` is told apart; every error has the shape of KER-9 and holds no
//! words of an engine; every size, count and time has a bound (KER-34); no secret and no body is ever logged.
//! Deliberately not here: what any service does.

mod accounts;
mod address;
mod admission;
mod alerts;
mod answer;
mod api;
mod app;
mod archive;
mod auth;
mod blobs;
mod body;
mod calls;
pub mod console;
mod counters;
mod edge;
mod error;
mod feed;
mod find;
mod forgery;
#[doc(hidden)]
pub mod fuzzing;
mod grpc;
mod head;
mod journal;
mod keys;
mod live;
mod metrics;
mod namespaces;
mod openapi;
mod overview;
mod params;
mod passwords;
mod pipeline;
mod refusal;
mod route;
mod seen;
mod shutdown;
mod sse;
mod system;
mod tasks;
mod time;
pub mod ui;
mod wait;
mod waiting;
mod watch;

pub use address::Network;
pub use admission::SentAway;
pub use answer::{Answer, ApiResult, List};
pub use api::Api;
pub use app::{App, AppConfig, Shared};
pub use archive::ArchiveFile;
pub use blobs::ReceivedBlob;
pub use body::{BodyLimits, JsonBody, NoBody, StreamedBody};
pub use console::{Console, Page as ConsolePage, PageResult, ShownKey, ShownSection, ShownSource, View};
pub use edge::{Drained, EdgeLimits, Tls, TlsError, serve, serve_tls};
pub use error::{ApiError, ErrorBody};
pub use find::{ActionDef, FindDef};
pub use grpc::GrpcStream;
pub use metrics::metrics_handle;
pub use namespaces::{Carrier, Receiving};
pub use params::{Page, PageQuery, PathOf, QueryOf, given};
pub use route::{Access, Route, RouteInfo, RouteLimits, Service, of_another_service};
pub use shutdown::Shutdown;
pub use time::{field_moment, rfc3339};
pub use waiting::Waiting;
