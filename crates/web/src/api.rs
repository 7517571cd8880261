//! What a handler works with: the kernel, for one caller in one namespace.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use base::limits::OP_TIME_MS;
use base::{Blobs, Id, OpError, OpResult, Phase, codes};
use kernel::tasks::Dispatcher;
use kernel::{AnyOp, AnyQuery, Caller, Kernel, Namespace, Op, Properties, Query, Reply, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::time::timeout;

use crate::admission::Stay;
use crate::answer::{Answer, ApiResult};
use crate::app::Shared;
use crate::auth::Visitor;
use crate::blobs::ReceivedBlob;
use crate::body::{Asked, JsonBody, hold};
use crate::error::ApiError;
use crate::head::OurHeaders;
use crate::params::{Page, PageQuery};
use crate::route::{Access, RouteInfo};

/// Longer than the kernel's own limit: it answers first unless a store hangs.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(OP_TIME_MS + 5_000);

/// Tells the result of a job.
type Done<T> = Box<dyn FnOnce(OpResult<T>) + Send>;

/// The kernel, for one request. While any copy of it lives, the request counts as in flight.
#[derive(Clone)]
pub struct Api {
    shared: Shared,
    route: Arc<RouteInfo>,
    visitor: Visitor,
    headers: OurHeaders,
    /// Whether only the head of the answer is wanted.
    wants_head: bool,
    stay: Arc<Stay>,
}

impl Api {
    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The kernel.
    #[must_use]
    pub fn kernel(&self) -> &Kernel {
        self.shared.kernel()
    }

    /// The namespace that the path names.
    #[must_use]
    pub fn namespace(&self) -> &Arc<Namespace> {
        &self.visitor.ns
    }

    /// Who asks.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.visitor.caller
    }

    /// Where the caller comes from, as the edge knows it.
    #[must_use]
    pub fn address(&self) -> IpAddr {
        self.visitor.address
    }

    /// Gives the places of the request in flight back.
    pub(crate) fn leave(&self) {
        self.stay.leave();
    }

    /// The same request in another namespace: for whoever looks at several from the administrators' own.
    #[must_use]
    pub fn within(&self, ns: &Arc<Namespace>) -> Self {
        let visitor = Visitor { ns: ns.clone(), ..self.visitor.clone() };
        Self { visitor, ..self.clone() }
    }

    /// The same request, asked by a part of ours: for what the server itself has to write down on the way.
    #[must_use]
    pub fn by_server(&self, part: &str) -> Self {
        let visitor = Visitor { caller: Caller::server(part), ..self.visitor.clone() };
        Self { visitor, ..self.clone() }
    }

    /// Whether the path names the administrators' namespace.
    #[must_use]
    pub fn at_administration(&self) -> bool {
        self.namespace().name == self.kernel().config().admin_namespace
    }

    /// Whether this caller may use a route of the API, by its label: `POST /v1/{ns}/tasks/{id}/run`.
    ///
    /// # Panics
    /// There is no such route: a bug of the program, found by the first test that asks.
    #[must_use]
    pub fn may(&self, label: &str) -> bool {
        let route = self.shared.table().iter().find(|route| route.label() == label);
        let route = route.unwrap_or_else(|| panic!("no route {label}"));
        route.access.allows(self.caller().role) && (self.at_administration() || !route.at_administration)
    }

    /// What runs the tasks of this node, if something does.
    #[must_use]
    pub fn dispatcher(&self) -> Option<&Dispatcher> {
        self.shared.config().dispatcher.as_ref()
    }

    /// Who asks, with all that is known of them.
    pub(crate) fn visitor(&self) -> &Visitor {
        &self.visitor
    }

    /// The page of a list that a query asks for.
    ///
    /// # Errors
    /// The limit is 0 or above the largest page, or the cursor is no id.
    pub fn page(&self, query: &PageQuery) -> Result<Page, ApiError> {
        query.checked(self.shared.config().page_max)
    }

    /// The place of the namespace's blobs.
    ///
    /// # Errors
    /// It cannot be opened now, or this server has none.
    pub fn blobs(&self) -> Result<Arc<dyn Blobs>, ApiError> {
        let refused = |reason: String| ApiError::refused(codes::XSTORE, format!("no place for blobs: {reason}"));
        let places = self.shared.config().blobs.as_ref().ok_or_else(|| refused("none is configured".into()))?;
        places.place(&self.namespace().place()).map_err(|error| refused(error.to_string()))
    }

    /// The largest blob that is taken.
    #[must_use]
    pub fn blob_max(&self) -> u64 {
        self.shared.config().blob_max
    }

    /// Takes a part of the memory that all bodies share, until it is dropped.
    ///
    /// # Errors
    /// `XBUSY`: there is not so much.
    pub(crate) fn memory(&self, bytes: usize) -> Result<Option<OwnedSemaphorePermit>, ApiError> {
        let mut held = None;
        hold(&mut held, bytes, self.shared.body_memory())?;
        Ok(held)
    }

    /// Whether only the head of the answer is wanted (HEAD).
    pub(crate) fn wants_head(&self) -> bool {
        self.wants_head
    }

    /// An id that is used once.
    #[must_use]
    pub fn new_id(&self) -> Id {
        self.request().id
    }

    /// What the request is known by, if it comes again.
    #[must_use]
    pub fn idempotency_key(&self) -> Option<&str> {
        self.headers.idempotency_key.as_deref()
    }

    /// The route's entry in the table.
    #[must_use]
    pub fn route(&self) -> &RouteInfo {
        &self.route
    }

    /// Runs an operation; the answer has the status that the table names.
    ///
    /// # Errors
    /// What the operation refused, or a fault.
    pub async fn call<I, O>(&self, op: &'static Op<I, O>, body: JsonBody<I>) -> ApiResult<O>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let (input, asked) = body.into_parts();
        let request = self.request_once(&asked);
        let (done, told) = self.counted();
        self.kernel().call(self.namespace(), op, request, input, done);
        let Reply { out, version, replayed } = answered(told, op.name).await?;
        Ok(Answer { version, replayed, ..self.answer(out) })
    }

    /// Runs an operation that is known by its name only.
    ///
    /// # Errors
    /// As [`Self::call`]; `ABODY` if the input does not fit.
    pub async fn call_any(&self, op: &'static dyn AnyOp, body: JsonBody<Value>) -> ApiResult<Value> {
        let (input, asked) = body.into_parts();
        let (done, told) = self.counted();
        op.call_json(self.kernel(), self.namespace(), self.request_once(&asked), input, done);
        let Reply { out, version, replayed } = answered(told, op.name()).await?;
        Ok(Answer { version, replayed, ..self.answer(out) })
    }

    /// Asks a query that is known by its name only.
    ///
    /// # Errors
    /// As [`Self::read`]; `ABODY` if the input does not fit.
    pub async fn read_any(&self, query: &'static dyn AnyQuery, input: Value) -> ApiResult<Value> {
        let (done, told) = self.counted();
        query.read_json(self.kernel(), self.namespace(), input, done);
        let out = answered(told, query.name()).await;
        Ok(self.answer(out.map_err(|error| OpError { outcome_unknown: false, ..error })?))
    }

    /// What the application says of itself.
    #[must_use]
    pub fn properties(&self) -> &Properties {
        &self.headers.properties
    }

    /// Runs an operation after which keys and sessions of the namespace are looked up anew. In a task of its own, so that
    /// this is done also when the client does not wait for the answer, and after a fault, because it may have been committed.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn call_and_forget_keys<I, O>(self, op: &'static Op<I, O>, body: JsonBody<I>) -> ApiResult<O>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let work = tokio::spawn(async move {
            let answer = self.call(op, body).await;
            self.namespace().forget_keys();
            answer
        });
        work.await.unwrap_or_else(|error| Err(ApiError::refused(codes::BPANIC, error.to_string())))
    }

    /// Runs an operation whose input is its own natural key, so that a repeat needs no Idempotency-Key to be harmless.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn call_natural<I, O>(&self, op: &'static Op<I, O>, input: I) -> ApiResult<O>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let (done, told) = self.counted();
        self.kernel().call(self.namespace(), op, self.request(), input, done);
        let Reply { out, version, replayed } = answered(told, op.name).await?;
        Ok(Answer { version, replayed, ..self.answer(out) })
    }

    /// Runs an operation about bytes that were received: a repeat with the same Idempotency-Key and the same bytes gives the
    /// first answer.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn call_about<I, O>(&self, op: &'static Op<I, O>, bytes: &ReceivedBlob, input: I) -> ApiResult<O>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let request = self.request_once(&Asked { hash: bytes.stored.name.sha.0 });
        let (done, told) = self.counted();
        self.kernel().call(self.namespace(), op, request, input, done);
        let Reply { out, version, replayed } = answered(told, op.name).await?;
        Ok(Answer { version, replayed, ..self.answer(out) })
    }

    /// Runs an operation whose repeat does no harm in a namespace: no answer of it is kept.
    pub(crate) async fn call_again<I, O>(&self, ns: &Namespace, op: &'static Op<I, O>, input: I) -> OpResult<O>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let (done, told) = self.counted();
        self.kernel().call(ns, op, self.request(), input, done);
        answered(told, op.name).await.map(|reply: Reply<O>| reply.out)
    }

    /// Reads committed state.
    ///
    /// # Errors
    /// What the query refused, or a fault.
    pub async fn read<I, O>(&self, query: &'static Query<I, O>, input: I) -> ApiResult<O>
    where
        I: Send + 'static,
        O: Send + 'static,
    {
        self.read_in(self.namespace(), query, input).await
    }

    /// Reads committed state of a namespace that may be another than the path's: the handler answers for what it shows.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub async fn read_in<I, O>(&self, ns: &Namespace, query: &'static Query<I, O>, input: I) -> ApiResult<O>
    where
        I: Send + 'static,
        O: Send + 'static,
    {
        let (done, told) = self.counted();
        self.kernel().read(ns, query, input, done);
        let out = answered(told, query.name).await;
        Ok(self.answer(out.map_err(|error| OpError { outcome_unknown: false, ..error })?))
    }

    /// The epoch of the namespace's store (KER-46).
    ///
    /// # Errors
    /// A fault.
    pub async fn epoch(&self) -> Result<String, ApiError> {
        let (done, told) = self.counted();
        self.kernel().epoch(self.namespace(), done);
        Ok(answered(told, "feed.epoch").await?)
    }

    /// A good answer of this route.
    pub fn answer<O>(&self, out: O) -> Answer<O> {
        let status = StatusCode::from_u16(self.route.status).unwrap_or_default();
        Answer { out, status, version: None, replayed: false }
    }

    /// The two ends of an answer. The job's end keeps the stay: a client that hangs up takes back neither the job nor
    /// its input. It lets go before it tells, so that whoever has the answer finds the place free.
    fn counted<T: Send + 'static>(&self) -> (Done<T>, oneshot::Receiver<OpResult<T>>) {
        let (tell, told) = oneshot::channel();
        let stay = self.stay.clone();
        let done = move |result| {
            drop(stay);
            drop(tell.send(result));
        };
        (Box::new(done), told)
    }

    fn request(&self) -> Request {
        let request = self.kernel().request(self.caller().clone());
        let OurHeaders { op_time, build, properties, .. } = self.headers.clone();
        Request { op_time, build, properties, ..request }
    }

    fn request_once(&self, asked: &Asked) -> Request {
        match &self.headers.idempotency_key {
            Some(key) => self.request().once(&self.once_per(asked), key, asked.hash),
            None => self.request(),
        }
    }

    /// What a caller's Idempotency-Key belongs to: the route. Callers of a public route have no name, so there it belongs to
    /// what was asked as well: a stranger cannot use up another's key, and whoever shows the same activation code from another
    /// address, because the answer was lost on the way, is still the same.
    fn once_per(&self, asked: &Asked) -> String {
        match self.route.access {
            Access::Roles(_) => self.route.label(),
            Access::Public => format!("{} {}", self.route.label(), asked.text()),
        }
    }

    /// Reads do not pass through [`Kernel::call`], so what holds for every request is checked for all alike.
    fn check_request(&self) -> OpResult<()> {
        if self.headers.op_time.is_none() && self.headers.build.is_none() {
            return Ok(());
        }
        self.kernel().check(&self.request())
    }
}

/// Waits for the kernel. A store that never answers leaves the outcome unknown, and says so.
async fn answered<T>(told: oneshot::Receiver<OpResult<T>>, name: &str) -> OpResult<T> {
    let unknown = |code, message| {
        let error = OpError::new(code, message).at(Phase::Validation);
        Err(OpError { outcome_unknown: true, ..error })
    };
    match timeout(ANSWER_TIMEOUT, told).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => unknown(codes::XSTORE, format!("the store ended without an answer for {name}")),
        Err(_) => unknown(codes::TTIME, format!("no answer for {name} in time")),
    }
}

impl FromRequestParts<Shared> for Api {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, ApiError> {
        let missing = || ApiError::refused(codes::BDETECTED, "a handler with Api lies outside of /v1/{ns}/");
        let visitor = parts.extensions.get::<Visitor>().ok_or_else(missing)?.clone();
        let route = parts.extensions.get::<Arc<RouteInfo>>().ok_or_else(missing)?.clone();
        let stay = parts.extensions.get::<Arc<Stay>>().ok_or_else(missing)?.clone();
        let headers = OurHeaders::read(&parts.headers)?;
        let wants_head = parts.method == Method::HEAD;
        let api = Self { shared: shared.clone(), route, visitor, headers, wants_head, stay };
        api.check_request()?;
        Ok(api)
    }
}
