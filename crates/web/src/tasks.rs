//! Routes of tasks, queues and what is stuck (KER-22, KER-40).

use crate::route::{Route, Service};

/// The service with its routes.
pub(crate) const SERVICE: Service = Service { def: &kernel::tasks::SERVICE, routes };

fn routes() -> Vec<Route> {
    vec![]
}
