//! Routes of alerts (KER-27).

use crate::route::{Route, Service};

/// The service with its routes.
pub(crate) const SERVICE: Service = Service { def: &kernel::alerts::SERVICE, routes };

fn routes() -> Vec<Route> {
    vec![]
}
