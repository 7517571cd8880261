//! Exchange over HTTP.

use web::{Route, Service};

/// The service with its routes, for a server.
#[must_use]
pub fn service() -> Service {
    Service::new(&crate::SERVICE, routes)
}

fn routes() -> Vec<Route> {
    vec![]
}
