//! Clients over HTTP.

use base::codes;
use web::{Api, ApiResult, JsonBody, List, NoBody, PageQuery, PathOf, QueryOf, Route};

use super::{ClientPath, READERS, TAG, WRITERS, check_client, check_unbound};
use crate::client::{
    CHANGE_CLIENT, CLIENTS, CREATE_CLIENT, ChangeClient, ClientMade, ClientView, ClientsOf, NewClient, REMOVE_CLIENT,
    ROTATE_CLIENT, Rotated, SHOW_CLIENT,
};
use crate::codes::{ACLIENT, ASENSOR, NCLIENT};

const ALL: &str = "/v1/{ns}/sensor-clients";
const ONE: &str = "/v1/{ns}/sensor-clients/{id}";

pub(super) fn routes() -> Vec<Route> {
    let of_one = |route: Route| route.tag(TAG).param("id", "Id of the client").errors(&[NCLIENT]);
    vec![
        Route::post(ALL, create)
            .tag(TAG)
            .summary("Create a client")
            .about(
                "Its secret signs what it is told, and is shown in this answer and never again. With an Idempotency-Key a repeat \
                 shows it again. A URL that names a private address is refused unless `outbound.allow_private` is set.",
            )
            .roles(WRITERS)
            .takes::<NewClient>()
            .answers::<ClientMade>(201)
            .errors(&[ACLIENT, ASENSOR, codes::ALIMIT]),
        Route::get(ALL, list)
            .tag(TAG)
            .summary("List clients")
            .about("Oldest first, never with their secrets.")
            .roles(READERS)
            .query::<PageQuery>()
            .answers::<List<ClientView>>(200)
            .errors(&[codes::ALIMIT]),
        of_one(Route::get(ONE, show)).summary("Show a client").roles(READERS).answers::<ClientView>(200),
        of_one(Route::patch(ONE, change))
            .summary("Change a client")
            .about("To make it `active` again ends its failing and closes the alert of it.")
            .roles(WRITERS)
            .takes::<ChangeClient>()
            .answers::<ClientView>(200)
            .errors(&[ACLIENT, ASENSOR, codes::ALIMIT]),
        of_one(Route::delete(ONE, remove))
            .summary("Remove a client")
            .about("It is told nothing any more at once. Its links, events and attempts are removed by a task.")
            .roles(WRITERS)
            .answers_nothing(),
        of_one(Route::post("/v1/{ns}/sensor-clients/{id}/rotate", rotate))
            .summary("Give a client a new secret")
            .about(
                "The new secret is shown in this answer and never again. For the next 24 hours of running everything is signed with \
                 both, so that its receiver can change over.",
            )
            .roles(WRITERS)
            .answers::<Rotated>(200),
    ]
}

async fn create(api: Api, body: JsonBody<NewClient>) -> ApiResult<ClientMade> {
    check_unbound(&api)?;
    api.call(&CREATE_CLIENT, body).await
}

async fn list(api: Api, QueryOf(query): QueryOf<PageQuery>) -> ApiResult<List<ClientView>> {
    check_unbound(&api)?;
    let page = api.page(&query)?;
    let found = api.read(&CLIENTS, ClientsOf { after: page.after_text(), limit: page.and_one() }).await?;
    Ok(found.map(|items| List::cut(items, page.limit, |client| client.id.clone())))
}

async fn show(api: Api, PathOf(ClientPath { id }): PathOf<ClientPath>) -> ApiResult<ClientView> {
    check_client(&api, &id)?;
    api.read(&SHOW_CLIENT, id).await
}

async fn change(
    api: Api,
    PathOf(ClientPath { id }): PathOf<ClientPath>,
    body: JsonBody<ChangeClient>,
) -> ApiResult<ClientView> {
    check_client(&api, &id)?;
    api.call(&CHANGE_CLIENT, body.map(|wanted| (id, wanted))).await
}

async fn remove(api: Api, PathOf(ClientPath { id }): PathOf<ClientPath>, body: NoBody) -> ApiResult<()> {
    check_client(&api, &id)?;
    api.call(&REMOVE_CLIENT, body.with(id)).await
}

async fn rotate(api: Api, PathOf(ClientPath { id }): PathOf<ClientPath>, body: NoBody) -> ApiResult<Rotated> {
    check_client(&api, &id)?;
    api.call(&ROTATE_CLIENT, body.with(id)).await
}
