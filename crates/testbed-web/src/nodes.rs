//! Several nodes over one PostgreSQL, and something in front of them that gives each request to the next one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use tower::ServiceExt;
use web::{App, AppConfig, Service};

use crate::{Edge, PostgresKernel};

/// The routes of several nodes as one: each request goes to the next of them, whatever it is about.
pub fn in_turn(nodes: Vec<Router>) -> Router {
    let (nodes, next) = (Arc::new(nodes), Arc::new(AtomicUsize::new(0)));
    Router::new().fallback(move |request: Request<Body>| {
        let at = next.fetch_add(1, Ordering::Relaxed) % nodes.len();
        let node = nodes[at].clone();
        async move { node.oneshot(request).await }
    })
}

/// Several servers without connections over one PostgreSQL.
pub struct OnNodes {
    /// As one server.
    pub edge: Edge,
    _kernels: Vec<PostgresKernel>,
}

impl OnNodes {
    /// So many nodes with one service, in schemas of this name.
    #[must_use]
    pub fn open(name: &str, root: &'static str, count: usize, service: fn() -> Service) -> Self {
        let kernels = PostgresKernel::open_nodes(name, service().def, count);
        let router =
            |node: &PostgresKernel| App::new(node.kernel.clone(), vec![service()], AppConfig::default()).router();
        let edge = Edge::with(root, kernels[0].kernel.clone(), in_turn(kernels.iter().map(router).collect()));
        Self { edge, _kernels: kernels }
    }
}
