//! Routes of the change feed (KER-25).

use crate::route::{Route, Service};

/// The service with its routes.
pub(crate) const SERVICE: Service = Service { def: &kernel::feed::SERVICE, routes };

fn routes() -> Vec<Route> {
    vec![]
}
