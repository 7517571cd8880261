//! Puts a route into the router: before its handler runs, role and scope are checked, and whether the namespace takes changes.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use base::codes;
use kernel::Caller;

use super::{Access, Route, RouteInfo};
use crate::app::Shared;
use crate::auth::{Visitor, no_route};
use crate::error::ApiError;
use crate::watch::Trace;

impl Route {
    /// Adds itself to a router.
    ///
    /// # Panics
    /// The router has this method and path already.
    pub(crate) fn mount(
        handler: axum::routing::MethodRouter<Shared>,
        (info, shared): (&Arc<RouteInfo>, &Shared),
        to: Router<Shared>,
    ) -> Router<Shared> {
        to.route(info.path, handler.route_layer(from_fn_with_state((info.clone(), shared.clone()), enter)))
    }
}

async fn enter(State((info, shared)): State<(Arc<RouteInfo>, Shared)>, mut request: Request, next: Next) -> Response {
    if let Some(trace) = request.extensions().get::<Arc<Trace>>() {
        trace.set_route(&info);
    }
    let visitor = request.extensions().get::<Visitor>();
    let checked = check_place(&info, &shared, visitor)
        .and_then(|()| check_role(info.access, visitor))
        .and_then(|()| check_service(&info, visitor))
        .and_then(|()| check_bound(&info, visitor))
        .and_then(|()| check_standing(&info, &shared, visitor));
    if let Err(refusal) = checked {
        return refusal.into_response();
    }
    request.extensions_mut().insert(info);
    next.run(request).await
}

fn check_place(info: &RouteInfo, shared: &Shared, visitor: Option<&Visitor>) -> Result<(), ApiError> {
    let admins = &shared.kernel().config().admin_namespace;
    match visitor {
        Some(visitor) if info.at_administration && visitor.ns.name != *admins => Err(no_route()),
        _ => Ok(()),
    }
}

pub(crate) fn check_role(access: Access, visitor: Option<&Visitor>) -> Result<(), ApiError> {
    let Access::Roles(_) = access else { return Ok(()) };
    let Some(visitor) = visitor else { return Err(ApiError::refused(codes::SKEY, "this path needs a key")) };
    let role = visitor.caller.role;
    if access.allows(role) {
        return Ok(());
    }
    let needed: Vec<_> = access.roles().into_iter().map(kernel::Role::word).collect();
    let message = format!("role {} may not do this, it needs {}", role.word(), needed.join(" or "));
    Err(ApiError::refused(codes::SROLE, message))
}

/// A key that is bound to services works with these alone. What of a service it may work with, the service knows.
fn check_service(info: &RouteInfo, visitor: Option<&Visitor>) -> Result<(), ApiError> {
    match (info.service, visitor) {
        _ if info.looks_at_services => Ok(()),
        (Some(service), Some(visitor)) if !visitor.caller.may("service", service) => Err(of_another_service()),
        _ => Ok(()),
    }
}

/// What reaches beyond a part of the namespace, or gives such reach away, is for callers whom no scope binds to a part.
fn check_bound(info: &RouteInfo, visitor: Option<&Visitor>) -> Result<(), ApiError> {
    match visitor {
        Some(visitor) if info.for_unbound && is_bound(&visitor.caller) => {
            Err(ApiError::refused(codes::SROLE, "the scope of this key binds it to a part, and this reaches further"))
        }
        _ => Ok(()),
    }
}

/// Whether a scope binds the caller to a part of the namespace. That of a person is never bound.
pub(crate) fn is_bound(caller: &Caller) -> bool {
    caller.scope.as_ref() != "{}"
}

/// The refusal of a caller whose scope names other services.
#[must_use]
pub fn of_another_service() -> ApiError {
    ApiError::refused(codes::SROLE, "the scope of this key binds it to another service")
}

/// The kernel refuses each change by itself. A route that changes something is refused before its body is read: it may be a
/// blob.
fn check_standing(info: &RouteInfo, shared: &Shared, visitor: Option<&Visitor>) -> Result<(), ApiError> {
    match visitor {
        Some(visitor) if info.changes() => Ok(shared.kernel().check_change(&visitor.ns, &visitor.caller)?),
        _ => Ok(()),
    }
}
