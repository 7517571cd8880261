//! The route table: one value per route, from which come the router, the role check, the OpenAPI document and the page.
//!
//! Invariants: a route whose access is not said is for administrators only; a route that needs a key lies below
//! `/v1/{ns}/`, where the key is checked before routing; the body that a handler reads is the one that the table describes
//! (checked at the first request, see [`crate::JsonBody`]).

mod describe;
mod mount;

use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter, on};
use base::Code;
use kernel::{Kernel, Op, Role, ServiceDef};
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::{IntoParams, ToSchema};

use crate::api::Api;
use crate::app::Shared;
use crate::body::JsonBody;
use crate::console::Page;
use crate::find::{ActionDef, FindDef};
use crate::grpc::GrpcStream;
use crate::ui::Text;
pub(crate) use describe::{AnswerKind, SchemaOf};
pub use mount::of_another_service;
pub(crate) use mount::{check_role, is_bound};

/// A kernel service with its routes.
#[derive(Clone, Copy)]
pub struct Service {
    /// The service.
    pub def: &'static ServiceDef,
    /// Its routes.
    pub routes: fn() -> Vec<Route>,
    /// Its pages of the console.
    pub pages: fn() -> Vec<Page>,
    /// What its figures are called on the overview, by their names.
    pub figures: &'static [(&'static str, Text)],
    /// Its calls of gRPC.
    pub streams: &'static [GrpcStream],
    /// What of it the one box finds.
    pub finds: &'static [FindDef],
    /// What can be done on its pages, to be found by name.
    pub actions: &'static [ActionDef],
}

impl Service {
    /// A service with its routes and no page.
    #[must_use]
    pub const fn new(def: &'static ServiceDef, routes: fn() -> Vec<Route>) -> Self {
        Self { def, routes, pages: Vec::new, figures: &[], streams: &[], finds: &[], actions: &[] }
    }

    /// With pages of the console.
    #[must_use]
    pub const fn pages(self, pages: fn() -> Vec<Page>) -> Self {
        Self { pages, ..self }
    }

    /// With words for its figures.
    #[must_use]
    pub const fn figures(self, figures: &'static [(&'static str, Text)]) -> Self {
        Self { figures, ..self }
    }

    /// With things that the one box finds.
    #[must_use]
    pub const fn finds(self, finds: &'static [FindDef]) -> Self {
        Self { finds, ..self }
    }

    /// With actions of its pages that are found by name.
    #[must_use]
    pub const fn actions(self, actions: &'static [ActionDef]) -> Self {
        Self { actions, ..self }
    }

    /// With calls of gRPC.
    #[must_use]
    pub const fn streams(self, streams: &'static [GrpcStream]) -> Self {
        Self { streams, ..self }
    }
}

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody, without a key.
    Public,
    /// Keys with one of these roles; administrators always.
    Roles(&'static [Role]),
}

impl Access {
    /// Whether a key of this role may use the route.
    #[must_use]
    pub fn allows(self, role: Role) -> bool {
        match self {
            Self::Public => true,
            Self::Roles(roles) => role == Role::Admin || roles.contains(&role),
        }
    }

    /// The roles that may, administrators first; none if everybody may.
    #[must_use]
    pub fn roles(self) -> Vec<Role> {
        Role::ALL.into_iter().filter(|role| self != Self::Public && self.allows(*role)).collect()
    }
}

/// What of the general limits a route has its own value for.
#[derive(Debug, Clone, Copy, Default)]
pub struct RouteLimits {
    /// Bytes of the body.
    pub body_max: Option<usize>,
    /// The same where an operator sets it: asked at each request, and goes before the other.
    pub body_max_set: Option<fn(&Kernel) -> usize>,
    /// Time for the whole body.
    pub body_timeout: Option<Duration>,
}

/// Everything about a route but its handler.
pub struct RouteInfo {
    /// Method.
    pub method: Method,
    /// Pattern, e.g. `/v1/{ns}/keys/{id}`.
    pub path: &'static str,
    /// Who may use it.
    pub access: Access,
    /// Whether it exists on the administrators' namespace only.
    pub(crate) at_administration: bool,
    /// Whether it is for callers whom no scope binds: it reaches, or gives away, more than a part of the namespace.
    pub(crate) for_unbound: bool,
    /// Whether it looks by itself at the services that a scope names: what it does may belong to another one.
    pub(crate) looks_at_services: bool,
    /// The service that it belongs to; `None`: the kernel's own.
    pub(crate) service: Option<&'static str>,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// More about it.
    pub about: &'static str,
    /// Under which heading it is listed.
    pub tag: &'static str,
    /// Its own limits.
    pub limits: RouteLimits,
    /// Status of a good answer.
    pub status: u16,
    /// Codes that it may answer with, beside those that every route has.
    pub errors: Vec<Code>,
    pub(crate) input: Option<SchemaOf>,
    /// Whether it takes bytes of any media type.
    pub(crate) takes_bytes: bool,
    /// Whether it changes nothing although its method could.
    pub(crate) only_reads: bool,
    pub(crate) answer: AnswerKind,
    pub(crate) query: Vec<Parameter>,
    pub(crate) params: Vec<(&'static str, &'static str)>,
}

/// One route.
pub struct Route {
    pub(crate) info: RouteInfo,
    pub(crate) handler: MethodRouter<Shared>,
}

impl Route {
    /// A route with its handler: any axum handler whose arguments are [`Api`], [`JsonBody`], [`crate::NoBody`],
    /// [`crate::QueryOf`] and [`crate::PathOf`], and which returns [`crate::ApiResult`].
    ///
    /// # Panics
    /// The method is not one that axum routes.
    pub fn new<H, T>(method: Method, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, Shared>,
        T: 'static,
    {
        let filter = MethodFilter::try_from(method.clone()).expect("a method that axum routes");
        Self { info: RouteInfo::new(method, path), handler: on(filter, handler) }
    }

    /// A route that reads.
    pub fn get<H: Handler<T, Shared>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::GET, path, handler)
    }

    /// A route that changes something.
    pub fn post<H: Handler<T, Shared>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::POST, path, handler)
    }

    /// A route that puts something in its place.
    pub fn put<H: Handler<T, Shared>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::PUT, path, handler)
    }

    /// A route that changes a part of something.
    pub fn patch<H: Handler<T, Shared>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::PATCH, path, handler)
    }

    /// A route that removes something.
    pub fn delete<H: Handler<T, Shared>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::DELETE, path, handler)
    }

    /// The shortest way: `POST path` is the operation itself, its body the input, its answer the result.
    pub fn operation<I, O>(path: &'static str, op: &'static Op<I, O>) -> Self
    where
        I: DeserializeOwned + ToSchema + Send + 'static,
        O: Serialize + DeserializeOwned + ToSchema + Send + 'static,
    {
        let handler = move |api: Api, body: JsonBody<I>| async move { api.call(op, body).await };
        Self::post(path, handler).takes::<I>().answers::<O>(200)
    }

    /// For everybody, without a key.
    #[must_use]
    pub fn public(mut self) -> Self {
        self.info.access = Access::Public;
        self
    }

    /// For keys with one of these roles, beside administrators.
    #[must_use]
    pub fn roles(mut self, roles: &'static [Role]) -> Self {
        self.info.access = Access::Roles(roles);
        self
    }

    /// On the administrators' namespace only; elsewhere there is no such path.
    #[must_use]
    pub fn at_administration(mut self) -> Self {
        self.info.at_administration = true;
        self
    }

    /// For callers whom no scope binds: it reaches, or gives away, more than a part of the namespace.
    #[must_use]
    pub fn for_unbound(mut self) -> Self {
        self.info.for_unbound = true;
        self
    }

    /// It looks by itself at the services that a scope names: what it does may belong to another one than the route.
    #[must_use]
    pub fn looks_at_services(mut self) -> Self {
        self.info.looks_at_services = true;
        self
    }

    /// Under this heading.
    #[must_use]
    pub fn tag(mut self, tag: &'static str) -> Self {
        self.info.tag = tag;
        self
    }

    /// What it does, in a few words.
    #[must_use]
    pub fn summary(mut self, summary: &'static str) -> Self {
        self.info.summary = summary;
        self
    }

    /// More about it, for the reader of the page.
    #[must_use]
    pub fn about(mut self, about: &'static str) -> Self {
        self.info.about = about;
        self
    }

    /// What a part of the path means.
    #[must_use]
    pub fn param(mut self, name: &'static str, meaning: &'static str) -> Self {
        self.info.params.push((name, meaning));
        self
    }

    /// Takes this body.
    #[must_use]
    pub fn takes<T: ToSchema + 'static>(mut self) -> Self {
        self.info.input = Some(SchemaOf::of::<T>());
        self
    }

    /// Takes a body of any media type, as it is.
    #[must_use]
    pub fn takes_bytes(mut self) -> Self {
        self.info.takes_bytes = true;
        self
    }

    /// Changes nothing although its method could: a question whose text is a body. It takes no Idempotency-Key, and a
    /// read-only namespace answers it.
    #[must_use]
    pub fn reads(mut self) -> Self {
        self.info.only_reads = true;
        self
    }

    /// Takes these parameters in the query.
    #[must_use]
    pub fn query<T: IntoParams>(mut self) -> Self {
        self.info.query.extend(T::into_params(|| Some(ParameterIn::Query)));
        self
    }

    /// Answers with this JSON and status.
    #[must_use]
    pub fn answers<T: ToSchema + 'static>(mut self, status: u16) -> Self {
        self.info.status = status;
        self.info.answer = AnswerKind::Json(SchemaOf::of::<T>());
        self
    }

    /// Answers 204 without a body.
    #[must_use]
    pub fn answers_nothing(mut self) -> Self {
        self.info.status = 204;
        self.info.answer = AnswerKind::Nothing;
        self
    }

    /// Answers with a text of this media type.
    #[must_use]
    pub fn answers_text(mut self, media_type: &'static str) -> Self {
        self.info.answer = AnswerKind::Text(media_type);
        self
    }

    /// May answer with these codes, beside those that every route has.
    #[must_use]
    pub fn errors(mut self, codes: &[Code]) -> Self {
        self.info.errors.extend_from_slice(codes);
        self
    }

    /// With limits of its own.
    #[must_use]
    pub fn limits(mut self, limits: RouteLimits) -> Self {
        self.info.limits = limits;
        self
    }

    /// What the table says of it.
    #[must_use]
    pub fn info(&self) -> &RouteInfo {
        &self.info
    }
}

impl RouteInfo {
    pub(crate) fn new(method: Method, path: &'static str) -> Self {
        Self {
            method,
            path,
            access: Access::Roles(&[]),
            at_administration: false,
            for_unbound: false,
            looks_at_services: false,
            service: None,
            summary: "",
            about: "",
            tag: "",
            limits: RouteLimits::default(),
            status: 200,
            errors: vec![],
            input: None,
            takes_bytes: false,
            only_reads: false,
            answer: AnswerKind::Nothing,
            query: vec![],
            params: vec![],
        }
    }

    /// Method and pattern: `POST /v1/{ns}/keys`.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Whether it changes something, and so takes an Idempotency-Key.
    #[must_use]
    pub fn changes(&self) -> bool {
        !self.only_reads && !self.is_got()
    }

    /// Whether its method alone says that it changes nothing: such a request has no body, and a foreign page may send it.
    #[must_use]
    pub fn is_got(&self) -> bool {
        self.method == Method::GET || self.method == Method::HEAD
    }

    /// Whether a request is for this route, seen before routing. A last part `{*path}` takes all the rest; what is read can
    /// be asked for with HEAD too.
    pub(crate) fn is_for(&self, method: &Method, path: &str) -> bool {
        let method_fits = *method == self.method || (*method == Method::HEAD && self.method == Method::GET);
        method_fits && self.fits(path)
    }

    fn fits(&self, path: &str) -> bool {
        let mut given = path.split('/');
        for wanted in self.path.split('/') {
            let Some(given) = given.next() else { return false };
            let is_parameter = wanted.starts_with('{') && !given.is_empty();
            if !is_parameter && wanted != given {
                return false;
            }
            if wanted.starts_with("{*") {
                return true;
            }
        }
        given.next().is_none()
    }

    /// Whether the table describes a body of this type.
    pub(crate) fn takes_type(&self, id: TypeId) -> bool {
        self.input.as_ref().is_some_and(|input| input.id == id)
    }
}

/// The whole table.
pub(crate) type Table = Arc<[Arc<RouteInfo>]>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_is_for_administrators_unless_it_says_otherwise() {
        let route = Route::get("/v1/{ns}/x", async || ());
        for role in Role::ALL {
            assert_eq!(route.info.access.allows(role), role == Role::Admin, "{role:?}");
        }
        assert_eq!(route.roles(&[Role::App]).info.access.roles(), [Role::Admin, Role::App]);
    }

    #[test]
    fn a_request_is_recognised_before_routing() {
        let info = RouteInfo::new(Method::POST, "/v1/{ns}/exchange/activate");
        assert!(info.is_for(&Method::POST, "/v1/main/exchange/activate"));
        for (method, path) in [
            (Method::GET, "/v1/main/exchange/activate"),
            (Method::POST, "/v1//exchange/activate"),
            (Method::POST, "/v1/main/exchange/activate/"),
            (Method::POST, "/v1/main/exchange"),
            (Method::POST, "/v1/main/keys/activate"),
        ] {
            assert!(!info.is_for(&method, path), "{method} {path}");
        }
    }

    #[test]
    fn ker_2_a_last_part_can_take_the_rest() {
        let info = RouteInfo::new(Method::GET, "/v1/{ns}/resources/{*path}");
        for good in ["/v1/main/resources/a", "/v1/main/resources/a/b/c.css", "/v1/main/resources/a//b"] {
            assert!(info.is_for(&Method::GET, good) && info.is_for(&Method::HEAD, good), "{good}");
            assert!(!info.is_for(&Method::PUT, good), "{good}");
        }
        for bad in ["/v1/main/resources", "/v1/main/resources/", "/v1//resources/a", "/v1/main/keys/a"] {
            assert!(!info.is_for(&Method::GET, bad), "{bad}");
        }
    }
}
