//! Routes of blobs (KER-26).

use crate::route::{Route, Service};

/// The service with its routes.
pub(crate) const SERVICE: Service = Service { def: &kernel::blobs::SERVICE, routes };

fn routes() -> Vec<Route> {
    vec![]
}
