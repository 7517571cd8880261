//! Files over HTTP: looked at.

use base::codes;
use serde::Deserialize;
use utoipa::IntoParams;
use web::{Api, ApiResult, List, PathOf, QueryOf, Route};

use super::{IdPath, READERS, hidden, limit, of_directory, of_file, who_in, who_of_file};
use crate::care::{FILE, FileView, OfFile, TREE, TreeOf};
use crate::codes::NFILE;

pub(super) fn routes() -> Vec<Route> {
    vec![
        of_directory(Route::get("/v1/{ns}/folders/directories/{id}/files", list))
            .summary("List files")
            .about(
                "What is in one folder, by name; `path` names the folder, not given: the top. With `deleted=true` what was deleted anywhere below \
                 it, newest first; such a page may have fewer than asked for.",
            )
            .query::<FilesQuery>()
            .roles(READERS)
            .answers::<List<FileView>>(200)
            .errors(&[NFILE, codes::ALIMIT]),
        of_file(Route::get("/v1/{ns}/folders/files/{id}", show))
            .summary("Show a file")
            .about("Also one that was deleted.")
            .roles(READERS)
            .answers::<FileView>(200),
    ]
}

/// Which files.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct FilesQuery {
    /// The folder; not given: the top.
    #[param(nullable = false)]
    path: Option<String>,
    /// What was deleted, not what is there.
    #[param(nullable = false)]
    deleted: Option<bool>,
    /// At most so many; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

async fn list(
    api: Api,
    PathOf(IdPath { id }): PathOf<IdPath>,
    QueryOf(query): QueryOf<FilesQuery>,
) -> ApiResult<List<FileView>> {
    let of = TreeOf {
        who: who_in(&api, &id)?,
        directory: id,
        path: query.path.unwrap_or_default(),
        deleted: query.deleted.unwrap_or(false),
        after: query.after.unwrap_or_default(),
        limit: limit(query.limit)?,
    };
    Ok(api.read(&TREE, of).await?.map(|page| List { items: page.files, next: page.next }))
}

async fn show(api: Api, PathOf(IdPath { id }): PathOf<IdPath>) -> ApiResult<FileView> {
    let (who, directory) = who_of_file(&api, &id).await?;
    api.read(&FILE, OfFile { who, directory, file: id.clone() }).await.map_err(|error| hidden(error, &id))
}
