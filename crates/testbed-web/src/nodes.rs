//! Several nodes over one PostgreSQL, and something in front of them that gives each request to the next one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use kernel::feed::Sequencer;
use tower::ServiceExt;
use web::Service;

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
    /// Each by itself.
    pub each: Vec<Edge>,
    _feeds: Vec<Sequencer>,
    _kernels: Vec<PostgresKernel>,
}

impl OnNodes {
    /// So many nodes with one service, in schemas of this name.
    #[must_use]
    pub fn open(name: &str, root: &'static str, count: usize, service: fn() -> Service) -> Self {
        let kernels = PostgresKernel::open_nodes(name, service().def, count);
        let alone = |node: &PostgresKernel| Edge::of(root, node.kernel.clone(), service());
        let each: Vec<Edge> = kernels.iter().map(alone).collect();
        let routers = each.iter().map(|edge| edge.router.clone()).collect();
        let edge = Edge::with(root, kernels[0].kernel.clone(), in_turn(routers));
        let feeds = kernels.iter().map(|node| Sequencer::start(&node.kernel)).collect();
        Self { edge, each, _feeds: feeds, _kernels: kernels }
    }
}
