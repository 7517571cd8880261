//! Folders over HTTP: what people and programs do beside the stream.
//!
//! Who may what: operators everything, readers look; keys of folder clients and applications what their roles in a directory say (FLD-25), and
//! where their scope names folders, only in those.

mod content;
mod directories;
mod files;
mod members;
mod past;

use base::codes;
use kernel::{Query, Role};
use serde::Deserialize;
use web::ui::Text;
use web::{Api, ApiError, GrpcStream, Route, Service};

use crate::codes::{NDIRECTORY, NFILE};
use crate::form::Who;

const TAG: &str = "Folders";
/// Who changes.
const WRITERS: &[Role] = &[Role::Operator, Role::App, Role::Folder];
/// Who looks.
const READERS: &[Role] = &[Role::Operator, Role::App, Role::Folder, Role::Reader];
/// Items of a page unless it says otherwise.
const PAGE: u32 = 100;
/// Items of the largest page.
const PAGE_MAX: u32 = 1_000;

/// What its figures are called on the overview.
const FIGURES: &[(&str, Text)] = &[
    ("directories", Text { en: "Directories", ru: "Директории", fr: "Répertoires" }),
    ("writing", Text { en: "Uploads under way", ru: "Идущие загрузки", fr: "Envois en cours" }),
];

/// The stream of clients.
const STREAMS: &[GrpcStream] = &[GrpcStream {
    path: "/synxpo.SyncService/Stream",
    session: &crate::stream::STREAM,
    roles: READERS,
    summary: "Keep directories in step",
}];

/// The service with its routes, for a server.
#[must_use]
pub fn service() -> Service {
    Service::new(&crate::SERVICE, routes)
        .figures(FIGURES)
        .streams(STREAMS)
        .pages(crate::console::pages)
        .finds(crate::console::KINDS)
        .actions(crate::console::ACTIONS)
}

fn routes() -> Vec<Route> {
    let parts = [directories::routes(), files::routes(), content::routes(), past::routes(), members::routes()];
    parts.into_iter().flatten().collect()
}

/// A route about one directory.
fn of_directory(route: Route) -> Route {
    route.tag(TAG).param("id", "Id of the directory").errors(&[NDIRECTORY])
}

/// A route about one file.
fn of_file(route: Route) -> Route {
    route.tag(TAG).param("id", "Id of the file").errors(&[NFILE])
}

#[derive(Deserialize)]
struct IdPath {
    id: String,
}

/// Who asks. Readers of the namespace read all of it.
pub(crate) fn who(api: &Api) -> Result<Who, ApiError> {
    let caller = api.caller();
    if !caller.may("service", "folders") {
        return Err(ApiError::refused(codes::SROLE, "the scope of this key binds it to another service"));
    }
    let is_reader = caller.role == Role::Reader && api.route().is_got();
    Ok(Who {
        client: format!("http {}", caller.name),
        device: caller.bound_to("device").unwrap_or_else(|| caller.name.clone()),
        key: caller.name.clone(),
        is_admin: is_reader || matches!(caller.role, Role::Admin | Role::Operator),
    })
}

/// Who asks, of a directory that the scope of their key lets them know of.
pub(crate) fn who_in(api: &Api, directory: &str) -> Result<Who, ApiError> {
    if !api.caller().may("folder", directory) {
        return Err(ApiError(crate::desk::directory::unknown(directory)));
    }
    who(api)
}

/// The directory of a file, and who asks; the file is not there for whoever may not know of its directory.
pub(crate) async fn who_of_file(api: &Api, file: &str) -> Result<(Who, String), ApiError> {
    static DIRECTORY_OF: Query<String, String> = Query::new("folders.directory_of", |tx, id| {
        let found = crate::desk::file::find(tx, id)?;
        Ok(found.ok_or_else(|| crate::care::no_file(id))?.directory)
    });
    let directory = api.read(&DIRECTORY_OF, file.to_owned()).await?.out;
    let who = who_in(api, &directory).map_err(|error| hidden(error, file))?;
    Ok((who, directory))
}

/// What is said of a file whose directory somebody may not know of.
pub(crate) fn hidden(error: ApiError, file: &str) -> ApiError {
    if error.0.code == NDIRECTORY { ApiError(crate::care::no_file(file)) } else { error }
}

/// The size of a page.
fn limit(wanted: Option<u32>) -> Result<u32, ApiError> {
    let limit = wanted.unwrap_or(PAGE);
    if (1..=PAGE_MAX).contains(&limit) {
        return Ok(limit);
    }
    Err(ApiError::refused(codes::ALIMIT, format!("limit is {limit}, it must be 1 to {PAGE_MAX}")))
}
