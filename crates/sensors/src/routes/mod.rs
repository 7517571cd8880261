//! Sensors over HTTP.

mod clients;
mod csv;
mod history;
mod imports;
mod links;
mod notified;
mod sensors;
mod signals;
mod told;

use base::codes;
use kernel::Role;
use serde::Deserialize;
use web::ui::Text;
use web::{Api, ApiError, Route, Service};

const TAG: &str = "Sensors";
/// Who registers.
const WRITERS: &[Role] = &[Role::Operator];
/// Who reads.
const READERS: &[Role] = &[Role::Operator, Role::Reader, Role::App];

/// What its figures are called on the overview.
const FIGURES: &[(&str, Text)] = &[
    ("sensors", Text { en: "Sensors", ru: "Датчики", fr: "Capteurs" }),
    ("lost", Text { en: "Sensors lost", ru: "Датчики без связи", fr: "Capteurs perdus" }),
    (
        "waiting",
        Text {
            en: "Notifications to be sent", ru: "Неотправленные уведомления", fr: "Notifications à envoyer"
        },
    ),
];

/// The service with its routes, for a server.
#[must_use]
pub fn service() -> Service {
    Service::new(&crate::SERVICE, routes)
        .figures(FIGURES)
        .pages(crate::console::pages)
        .finds(crate::console::KINDS)
        .actions(crate::console::ACTIONS)
}

fn routes() -> Vec<Route> {
    let parts = [
        sensors::routes(),
        clients::routes(),
        links::routes(),
        imports::routes(),
        history::routes(),
        told::routes(),
        notified::routes(),
        signals::routes(),
    ];
    parts.into_iter().flatten().collect()
}

/// The path of a sensor.
#[derive(Deserialize)]
pub(crate) struct SensorPath {
    pub(crate) id: String,
}

/// The path of a client.
#[derive(Deserialize)]
pub(crate) struct ClientPath {
    pub(crate) id: String,
}

/// A key whose scope binds it to clients sees what is theirs, and nothing that is about all.
pub(crate) fn check_unbound(api: &Api) -> Result<(), ApiError> {
    // No client has an empty id: only a key that is not bound to clients may.
    check_client(api, "")
}

/// Refuses a key whose scope does not let it look at a client.
pub(crate) fn check_client(api: &Api, id: &str) -> Result<(), ApiError> {
    if api.caller().may("client", id) {
        return Ok(());
    }
    Err(ApiError::refused(codes::SROLE, "the scope of this key binds it to other clients"))
}

/// A number that a parameter gives.
fn number(name: &str, text: Option<&str>) -> Result<Option<i64>, ApiError> {
    let wrong = |_| ApiError::refused(codes::ABODY, format!("{name} is no number"));
    text.map(|text| text.parse().map_err(wrong)).transpose()
}
