//! Documents over HTTP.

mod attachments;
mod browse;
mod classes;
mod export;
mod live;
mod operation;

use kernel::Role;
use web::{Route, Service};

const TAG: &str = "Documents";
const WRITERS: &[Role] = &[Role::Operator, Role::App];
const READERS: &[Role] = &[Role::Operator, Role::Reader, Role::App];

/// The service with its routes, for a server.
#[must_use]
pub fn service() -> Service {
    Service { def: &crate::SERVICE, routes, pages: crate::console::pages }
}

fn routes() -> Vec<Route> {
    [operation::routes(), classes::routes(), browse::routes(), attachments::routes(), export::routes(), live::routes()]
        .into_iter()
        .flatten()
        .collect()
}
