//! History, restoring and undoing over HTTP (FLD-24).

use base::{Wall, codes};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use web::{Api, ApiError, ApiResult, JsonBody, List, PathOf, QueryOf, Route};

use super::{IdPath, READERS, WRITERS, hidden, limit, of_directory, of_file, who_in, who_of_file};
use crate::care::OfFile;
use crate::codes::{AFOLDER, AQUOTA};
use crate::past::{BEGIN_REWIND, Begun, HISTORY, HistoryOf, Moment, RESTORE, Restore, Restored, Rewind, VersionView};

pub(super) fn routes() -> Vec<Route> {
    vec![
        of_file(Route::get("/v1/{ns}/folders/files/{id}/history", history))
            .summary("List the versions of a file")
            .about("Newest first, each with the device that brought it. Paths are those of its folder now.")
            .query::<HistoryQuery>()
            .roles(READERS)
            .answers::<List<VersionView>>(200)
            .errors(&[codes::ALIMIT]),
        of_file(Route::post("/v1/{ns}/folders/files/{id}/restore", restore))
            .summary("Bring an older version of a file back")
            .about("As its newest version, where the file is or was; also if it was deleted. Devices get it like any other change.")
            .roles(WRITERS)
            .takes::<RestoreBody>()
            .answers::<Restored>(200)
            .errors(&[AFOLDER, AQUOTA]),
        of_directory(Route::post("/v1/{ns}/folders/directories/{id}/restore", restore_tree))
            .summary("Bring a directory back to what it was")
            .about(
                "All of it, or what is below `path`. A task does it in small commits: files are put back where they were with what they had, what \
                 was made since is deleted, all of it stays in the history. What changes meanwhile is left alone. Needs the role admin.",
            )
            .roles(WRITERS)
            .takes::<RestoreTree>()
            .answers::<Begun>(202)
            .errors(&[AFOLDER]),
        of_directory(Route::post("/v1/{ns}/folders/directories/{id}/undo", undo))
            .summary("Undo what a device did")
            .about(
                "Since a moment: each file goes back to the newest version that this device did not bring; what only it brought is deleted. What \
                 others did after it stays. Needs the role admin.",
            )
            .roles(WRITERS)
            .takes::<Undo>()
            .answers::<Begun>(202),
    ]
}

/// Which versions.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct HistoryQuery {
    /// At most so many; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<u64>,
}

/// Which version.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FolderFileRestore)]
struct RestoreBody {
    /// Its number.
    version: u64,
}

/// To what.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FolderTreeRestore)]
struct RestoreTree {
    /// The moment, `2026-11-15T12:00:00Z`.
    at: String,
    /// Only what is below this folder; not given: all.
    #[serde(default)]
    path: String,
}

/// Of whom, since when.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FolderUndo)]
struct Undo {
    /// The device.
    device: String,
    /// The moment, `2026-11-15T12:00:00Z`.
    since: String,
}

fn moment(name: &str, text: &str) -> Result<Wall, ApiError> {
    let wrong = || ApiError::refused(codes::ABODY, format!("{name} is no moment such as 2026-11-15T12:00:00Z"));
    Wall::parse_rfc3339(text).ok_or_else(wrong)
}

async fn history(
    api: Api,
    PathOf(IdPath { id }): PathOf<IdPath>,
    QueryOf(query): QueryOf<HistoryQuery>,
) -> ApiResult<List<VersionView>> {
    let limit = limit(query.limit)?;
    let (who, directory) = who_of_file(&api, &id).await?;
    let of = OfFile { who, directory, file: id.clone() };
    let wanted = HistoryOf { of, before: query.after.unwrap_or(u64::MAX), limit: limit + 1 };
    let found = api.read(&HISTORY, wanted).await.map_err(|error| hidden(error, &id))?;
    Ok(found.map(|items| List::cut(items, limit, |view| view.file.version.to_string())))
}

async fn restore(api: Api, PathOf(IdPath { id }): PathOf<IdPath>, body: JsonBody<RestoreBody>) -> ApiResult<Restored> {
    let (who, directory) = who_of_file(&api, &id).await?;
    let body = body.map(|body| Restore { who, directory, file: id.clone(), version: body.version });
    api.call(&RESTORE, body).await.map_err(|error| hidden(error, &id))
}

async fn restore_tree(
    api: Api,
    PathOf(IdPath { id }): PathOf<IdPath>,
    body: JsonBody<RestoreTree>,
) -> ApiResult<Begun> {
    let (who, at) = (who_in(&api, &id)?, moment("at", &body.value().at)?);
    let rewind = |body: RestoreTree| Rewind { who, directory: id, to: Moment::At { at, path: body.path } };
    api.call(&BEGIN_REWIND, body.map(rewind)).await
}

async fn undo(api: Api, PathOf(IdPath { id }): PathOf<IdPath>, body: JsonBody<Undo>) -> ApiResult<Begun> {
    let (who, since) = (who_in(&api, &id)?, moment("since", &body.value().since)?);
    let rewind = |body: Undo| Rewind { who, directory: id, to: Moment::Without { device: body.device, since } };
    api.call(&BEGIN_REWIND, body.map(rewind)).await
}
