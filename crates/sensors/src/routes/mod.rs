//! Sensors over HTTP.

mod signals;

use web::ui::Text;
use web::{Route, Service};

const TAG: &str = "Sensors";

/// What its figures are called on the overview.
const FIGURES: &[(&str, Text)] = &[
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
    Service::new(&crate::SERVICE, routes).figures(FIGURES)
}

fn routes() -> Vec<Route> {
    [signals::routes()].into_iter().flatten().collect()
}
