//! Routes of the journal (KER-28).

use crate::route::{Route, Service};

/// The service with its routes.
pub(crate) const SERVICE: Service = Service { def: &kernel::journal::SERVICE, routes };

fn routes() -> Vec<Route> {
    vec![]
}
