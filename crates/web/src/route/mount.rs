//! Puts a route into the router: before its handler runs, its role check does.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use base::codes;

use super::{Access, Route, RouteInfo};
use crate::app::Shared;
use crate::auth::Visitor;
use crate::error::ApiError;
use crate::watch::Trace;

impl Route {
    /// Adds itself to a router.
    ///
    /// # Panics
    /// The router has this method and path already.
    pub(crate) fn mount(
        handler: axum::routing::MethodRouter<Shared>,
        info: &Arc<RouteInfo>,
        to: Router<Shared>,
    ) -> Router<Shared> {
        to.route(info.path, handler.route_layer(from_fn_with_state(info.clone(), enter)))
    }
}

async fn enter(State(info): State<Arc<RouteInfo>>, mut request: Request, next: Next) -> Response {
    if let Some(trace) = request.extensions().get::<Arc<Trace>>() {
        trace.set_route(&info);
    }
    if let Err(refusal) = check_role(info.access, request.extensions().get::<Visitor>()) {
        return refusal.into_response();
    }
    request.extensions_mut().insert(info);
    next.run(request).await
}

fn check_role(access: Access, visitor: Option<&Visitor>) -> Result<(), ApiError> {
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
