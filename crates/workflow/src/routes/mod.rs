//! Workflow over HTTP.
//!
//! Who may what: applications and operators start processes and look after them, readers look; an actor's key works, and where its scope
//! names an actor only as that one.

mod actors;
mod jobs;
mod patience;
mod processes;
mod searches;
mod work;

use kernel::Role;
use web::ui::Text;
use web::{Api, ApiError, List, Route, Service};

const TAG: &str = "Workflow";
/// Who starts processes and looks after them.
const WRITERS: &[Role] = &[Role::Operator, Role::App];
/// Who looks.
const READERS: &[Role] = &[Role::Operator, Role::App, Role::Reader];
/// Who works.
const WORKERS: &[Role] = &[Role::Operator, Role::App, Role::Actor];

/// What its figures are called on the overview.
const FIGURES: &[(&str, Text)] = &[
    ("processes", Text { en: "Processes", ru: "Процессы", fr: "Processus" }),
    ("active", Text { en: "Processes under way", ru: "Процессы в работе", fr: "Processus en cours" }),
    ("broken", Text { en: "Broken processes", ru: "Сломанные процессы", fr: "Processus en panne" }),
    ("waiting", Text { en: "Tasks that wait", ru: "Ждущие задачи", fr: "Tâches en attente" }),
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
    let parts = [work::routes(), processes::routes(), searches::routes(), jobs::routes(), actors::routes()];
    parts.into_iter().flatten().collect()
}

/// Refuses a key that is bound to another service.
pub(crate) fn check_service(api: &Api) -> Result<(), ApiError> {
    if api.caller().may("service", "workflow") {
        return Ok(());
    }
    Err(ApiError::refused(base::codes::SROLE, "the scope of this key binds it to another service"))
}

/// A page that may have a next one if it is full.
fn full_page<T: utoipa::ToSchema>(items: Vec<T>, limit: u32, cursor: impl Fn(&T) -> String) -> List<T> {
    let next = items.last().filter(|_| items.len() == limit as usize).map(cursor);
    List { items, next }
}
