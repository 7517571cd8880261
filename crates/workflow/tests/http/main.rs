//! Workflow over HTTP on the real SQLite engine; the same on PostgreSQL.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod operators;
mod polls;
mod postgres;
mod refusals;
mod statements;
mod tour;

use testbed_web::Edge;

const ROOT: &str = "/v1/main/workflow";

fn edge() -> Edge {
    Edge::new(ROOT, workflow::service())
}
