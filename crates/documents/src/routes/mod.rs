//! Documents over HTTP.

mod attachments;
mod browse;
mod classes;
mod export;
mod live;
mod operation;

use kernel::Role;
use serde::Deserialize;
use web::ui::Text;
use web::{Route, Service};

/// A class, in the address of a route or a page.
#[derive(Deserialize)]
pub(crate) struct ClassPath {
    pub(crate) class: String,
}

/// A document, in the address of a route or a page.
#[derive(Deserialize)]
pub(crate) struct DocPath {
    pub(crate) class: String,
    pub(crate) id: String,
}

const TAG: &str = "Documents";
const WRITERS: &[Role] = &[Role::Operator, Role::App];
const READERS: &[Role] = &[Role::Operator, Role::Reader, Role::App];

/// What its figures are called on the overview.
const FIGURES: &[(&str, Text)] = &[
    ("classes", Text { en: "Classes of documents", ru: "Классы документов", fr: "Classes de documents" }),
    (
        "indexes_filling",
        Text {
            en: "Indexes being filled", ru: "Заполняемые индексы", fr: "Index en cours de remplissage"
        },
    ),
];

/// The service with its routes, for a server.
#[must_use]
pub fn service() -> Service {
    Service::new(&crate::SERVICE, routes)
        .pages(crate::console::pages)
        .finds(crate::console::KINDS)
        .actions(crate::console::ACTIONS)
        .figures(FIGURES)
}

fn routes() -> Vec<Route> {
    [operation::routes(), classes::routes(), browse::routes(), attachments::routes(), export::routes(), live::routes()]
        .into_iter()
        .flatten()
        .collect()
}
