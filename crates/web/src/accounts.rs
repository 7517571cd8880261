//! Routes of accounts and console sessions (KER-32, KER-33).

use crate::route::{Route, Service};

/// The service with its routes.
pub(crate) const SERVICE: Service = Service { def: &kernel::accounts::SERVICE, routes };

fn routes() -> Vec<Route> {
    vec![]
}
