//! Actors and types over HTTP (WFL-10, WFL-21).

use base::codes;
use serde::Deserialize;
use utoipa::IntoParams;
use web::{Api, ApiResult, JsonBody, List, PathOf, QueryOf, Route};

use super::{READERS, TAG, check_service, full_page};
use crate::actors::{
    ACTOR, ACTORS, ActorPatch, ActorPatchOf, ActorSettings, ActorView, ActorsOf, PATCH_ACTOR, PATCH_TYPE, TYPES,
    TypePatch, TypePatchOf, TypeSettings,
};
use crate::codes::AWORKFLOW;

/// Actors of a page: each is looked at.
const PAGE: u32 = 50;
/// Who sets what holds for actors and types.
const SETTERS: &[kernel::Role] = &[kernel::Role::Operator];

pub(super) fn routes() -> Vec<Route> {
    let look = |route: Route| route.tag(TAG).roles(READERS);
    let set = |route: Route| route.tag(TAG).roles(SETTERS).errors(&[AWORKFLOW, codes::ALIMIT]);
    vec![
        look(Route::get("/v1/{ns}/workflow/actors", list))
            .summary("List actors")
            .about("Whether somebody polls, what waits, how much is given out and done. `next` is the last of a full page.")
            .query::<ActorsQuery>()
            .answers::<List<ActorView>>(200)
            .errors(&[codes::ALIMIT]),
        look(Route::get("/v1/{ns}/workflow/actors/{id}", show))
            .summary("Show an actor")
            .param("id", "The actor, `name#version` (the sign # is written %23 in a path)")
            .answers::<ActorView>(200)
            .errors(&[AWORKFLOW, crate::codes::NFLOWJOB]),
        set(Route::patch("/v1/{ns}/workflow/actors/{id}", patch_actor))
            .summary("Set what holds for an actor")
            .about("What is not said stays as it is; null means as usual. Block and unblock it by `blocked`.")
            .param("id", "The actor, `name#version` (the sign # is written %23 in a path)")
            .takes::<ActorPatch>()
            .answers::<ActorSettings>(200),
        look(Route::get("/v1/{ns}/workflow/types", types))
            .summary("List types of processes for which something is set")
            .answers::<List<TypeSettings>>(200),
        set(Route::patch("/v1/{ns}/workflow/types/{id}", patch_type))
            .summary("Set what holds for a type of processes")
            .about("What is not said stays as it is; null means as usual.")
            .param("id", "The type")
            .takes::<TypePatch>()
            .answers::<TypeSettings>(200),
    ]
}

/// Which actors.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct ActorsQuery {
    /// Only actors after this one.
    #[param(nullable = false)]
    after: Option<String>,
    /// At most so many; 50 if not given.
    #[param(minimum = 1, maximum = 100, nullable = false)]
    limit: Option<u32>,
}

#[derive(Deserialize)]
struct IdPath {
    id: String,
}

async fn list(api: Api, QueryOf(query): QueryOf<ActorsQuery>) -> ApiResult<List<ActorView>> {
    check_service(&api)?;
    let limit = query.limit.unwrap_or(PAGE);
    let found = api.read(&ACTORS, ActorsOf { after: query.after, limit }).await?;
    Ok(found.map(|items| full_page(items, limit, |actor| actor.settings.actor.clone())))
}

async fn show(api: Api, PathOf(IdPath { id }): PathOf<IdPath>) -> ApiResult<ActorView> {
    check_service(&api)?;
    api.read(&ACTOR, id).await
}

async fn patch_actor(
    api: Api,
    PathOf(IdPath { id }): PathOf<IdPath>,
    body: JsonBody<ActorPatch>,
) -> ApiResult<ActorSettings> {
    check_service(&api)?;
    api.call(&PATCH_ACTOR, body.map(|patch| ActorPatchOf { actor: id, patch })).await
}

async fn types(api: Api) -> ApiResult<List<TypeSettings>> {
    check_service(&api)?;
    Ok(api.read(&TYPES, ()).await?.map(|items| List { items, next: None }))
}

async fn patch_type(
    api: Api,
    PathOf(IdPath { id }): PathOf<IdPath>,
    body: JsonBody<TypePatch>,
) -> ApiResult<TypeSettings> {
    check_service(&api)?;
    api.call(&PATCH_TYPE, body.map(|patch| TypePatchOf { kind: id, patch })).await
}
