//! Exchange over HTTP.
//!
//! Who may what: operators register and look after everything, readers look; a device's key speaks for its device alone, a database's
//! for its database alone. What belongs to another is answered as if it were not there.

mod activate;
pub(crate) mod files;
mod messages;
mod numbers;
mod processes;
mod registry;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use base::codes;
use kernel::Role;
use web::ui::Text;
use web::{Answer, Api, ApiError, Route, Service, given};

const TAG: &str = "Exchange";
/// Who registers and looks after things.
const WRITERS: &[Role] = &[Role::Operator];
/// Who reads.
const READERS: &[Role] = &[Role::Operator, Role::Reader];
/// Who plays the database's side.
const PROCESSORS: &[Role] = &[Role::Operator, Role::Database];

/// Who looks at a database: readers, and itself.
const LOOKERS: &[Role] = &[Role::Operator, Role::Reader, Role::Database];

/// What its figures are called on the overview.
const FIGURES: &[(&str, Text)] = &[
    ("active", Text { en: "Processes under way", ru: "Процессы в работе", fr: "Processus en cours" }),
    (
        "unknown",
        Text {
            en: "Processes of unknown outcome",
            ru: "Процессы с неизвестным исходом",
            fr: "Processus à l’issue inconnue",
        },
    ),
    ("queued", Text { en: "Messages that wait", ru: "Сообщения в очереди", fr: "Messages en attente" }),
    ("received", Text { en: "Messages and replies", ru: "Сообщения и ответы", fr: "Messages et réponses" }),
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
        registry::routes(),
        activate::routes(),
        messages::routes(),
        processes::routes(),
        files::routes(),
        numbers::routes(),
    ];
    parts.into_iter().flatten().collect()
}

/// For whom a caller speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Speaker {
    /// For whomever it names.
    Anyone,
    /// For this device alone.
    Device(String),
    /// For this database alone.
    Database(String),
}

impl Speaker {
    fn of(api: &Api) -> Result<Self, ApiError> {
        let caller = api.caller();
        let unbound = |field: &str| caller.may(field, "");
        let named = |field: &'static str| {
            let message = format!("the scope of this key names no {field}");
            caller.bound_to(field).ok_or_else(|| ApiError::refused(codes::SROLE, message))
        };
        if !caller.may("service", "exchange") {
            return Err(ApiError::refused(codes::SROLE, "the scope of this key binds it to another service"));
        }
        match caller.role {
            Role::Device => named("device").map(Self::Device),
            Role::Database => named("database").map(Self::Database),
            // No company, subsystem, database or device has an empty id: only a key that is not bound to some may.
            _ if ["company", "subsystem", "database", "device"].into_iter().all(unbound) => Ok(Self::Anyone),
            _ => Err(ApiError::refused(codes::SROLE, "the scope of this key binds it, and its role speaks for all")),
        }
    }

    /// The database that it speaks for; `None`: any.
    fn database(api: &Api) -> Result<Option<String>, ApiError> {
        match Self::of(api)? {
            Self::Anyone => Ok(None),
            Self::Database(id) => Ok(Some(id)),
            Self::Device(_) => Err(ApiError::refused(codes::SROLE, "this is for databases")),
        }
    }
}

/// Refuses whoever speaks for one device or database only.
pub(crate) fn check_unbound(api: &Api) -> Result<(), ApiError> {
    match Speaker::of(api)? {
        Speaker::Anyone => Ok(()),
        _ => Err(ApiError::refused(codes::SROLE, "the scope of this key binds it to one device or database")),
    }
}

/// The database that is looked at: a key that speaks for one sees no other.
fn looked_at(api: &Api, named: Option<String>) -> Result<Option<String>, ApiError> {
    match (Speaker::database(api)?, given(named)) {
        (Some(own), Some(named)) if own != named => {
            Err(ApiError::refused(codes::SROLE, "this key speaks for another database"))
        }
        (Some(own), _) => Ok(Some(own)),
        (None, named) => Ok(named),
    }
}

/// An answer whose text is there already.
fn answer_text<T>(answer: Answer<T>, text: String) -> Response {
    let (head, _) = answer.map(|_| ()).into_response().into_parts();
    Response::from_parts(head, Body::from(text))
}
