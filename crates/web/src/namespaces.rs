//! Routes of namespaces and their resources (KER-1, KER-2).

use crate::route::{Route, Service};

/// The service with its routes.
pub(crate) const SERVICE: Service = Service { def: &kernel::namespaces::SERVICE, routes };

fn routes() -> Vec<Route> {
    vec![]
}
