//! Directories over HTTP.

use base::codes;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use web::{Api, ApiResult, JsonBody, List, NoBody, PathOf, QueryOf, Route};

use super::{IdPath, READERS, TAG, WRITERS, limit, of_directory, who, who_in};
use crate::care::{
    CHANGE, Change, DIRECTORIES, DIRECTORY, DirectoriesOf, DirectoryPatch, DirectoryView, OfDirectory, REMOVE, Remove,
};
use crate::codes::AFOLDER;
use crate::desk::CREATE;
use crate::form::{Create, Created};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/{ns}/folders/directories", list)
            .tag(TAG)
            .summary("List directories")
            .about("Those that the key may read, in the order of their ids. A page may have fewer than asked for.")
            .query::<PageOf>()
            .roles(READERS)
            .answers::<List<DirectoryView>>(200)
            .errors(&[codes::ALIMIT]),
        Route::post("/v1/{ns}/folders/directories", create)
            .tag(TAG)
            .summary("Create a directory")
            .about("The key that creates it is its admin. Nobody else may read it until a member is added, or `anyone` is set.")
            .roles(WRITERS)
            .takes::<NewDirectory>()
            .answers::<CreatedView>(201)
            .errors(&[codes::ALIMIT]),
        of_directory(Route::get("/v1/{ns}/folders/directories/{id}", show))
            .summary("Show a directory")
            .roles(READERS)
            .answers::<DirectoryView>(200),
        of_directory(Route::patch("/v1/{ns}/folders/directories/{id}", change))
            .summary("Change a directory")
            .about("Its name, its quota, how its names are compared, what strangers may, how long its past is kept. Needs the role admin in it.")
            .roles(WRITERS)
            .takes::<DirectoryPatch>()
            .answers_nothing()
            .errors(&[AFOLDER, codes::ALIMIT]),
        of_directory(Route::delete("/v1/{ns}/folders/directories/{id}", remove))
            .summary("Remove a directory")
            .about("With all its files and their past, for good. Copies on devices stay. Needs the role admin in it.")
            .roles(WRITERS)
            .answers_nothing(),
    ]
}

/// Which page.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct PageOf {
    /// At most so many; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

/// A directory to be created.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewFolderDirectory)]
struct NewDirectory {
    /// Its name, for people.
    name: String,
}

/// The id of a new directory.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = FolderDirectoryCreated)]
struct CreatedView {
    /// Its id, a uuid4.
    id: String,
}

async fn list(api: Api, QueryOf(page): QueryOf<PageOf>) -> ApiResult<List<DirectoryView>> {
    let of = DirectoriesOf { who: who(&api)?, after: page.after.unwrap_or_default(), limit: limit(page.limit)? };
    let found = api.read(&DIRECTORIES, of).await?;
    let may = |view: &DirectoryView| api.caller().may("folder", &view.id);
    Ok(found.map(|(items, next)| List { items: items.into_iter().filter(may).collect(), next }))
}

async fn create(api: Api, body: JsonBody<NewDirectory>) -> ApiResult<CreatedView> {
    let who = who(&api)?;
    let made = api.call(&CREATE, body.map(|new| Create { who, name: new.name })).await?;
    Ok(made.map(|Created { directory }| CreatedView { id: directory }))
}

async fn show(api: Api, PathOf(IdPath { id }): PathOf<IdPath>) -> ApiResult<DirectoryView> {
    let who = who_in(&api, &id)?;
    api.read(&DIRECTORY, OfDirectory { who, directory: id }).await
}

async fn change(api: Api, PathOf(IdPath { id }): PathOf<IdPath>, body: JsonBody<DirectoryPatch>) -> ApiResult<()> {
    let who = who_in(&api, &id)?;
    api.call(&CHANGE, body.map(|patch| Change { who, directory: id, patch })).await
}

async fn remove(api: Api, PathOf(IdPath { id }): PathOf<IdPath>, body: NoBody) -> ApiResult<()> {
    let who = who_in(&api, &id)?;
    api.call(&REMOVE, body.with(Remove { who, directory: id })).await
}
