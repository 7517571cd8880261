//! Routes of read-only grants (KER-1).

use base::codes;
use kernel::namespaces::{Changed, GIVE_GRANT, GivenGrant, Grant, LIST_GRANTS, TAKE_GRANT};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{NamePath, TAG, check_admin, to_the_end};
use crate::answer::{ApiResult, List};
use crate::api::Api;
use crate::body::NoBody;
use crate::error::ApiError;
use crate::params::PathOf;
use crate::route::Route;
use crate::time::rfc3339;

const ONE: &str = "/v1/{ns}/namespaces/{owner}/grants/{reader}/{class}";

pub(super) fn routes() -> Vec<Route> {
    vec![
        described(Route::put(ONE, give))
            .summary("Give a grant")
            .about(
                "Only on the administrators' namespace. The reader may get the owner's documents of this class, never \
                 change them; each read is told in the owner's journal. Counts within 5 seconds on every node.",
            )
            .answers_nothing()
            .errors(&[codes::ALIMIT, codes::ANAMESPACE])
            .for_unbound(),
        described(Route::get(ONE, show)).summary("Show a grant").answers::<GrantView>(200).errors(&[codes::NGRANT]),
        described(Route::delete(ONE, take))
            .summary("Take a grant back")
            .about("Taking back what was not given is no error.")
            .answers_nothing()
            .for_unbound(),
        Route::get("/v1/{ns}/namespaces/{name}/grants", list)
            .tag(TAG)
            .summary("List the grants of an owner")
            .param("name", "The owner")
            .answers::<List<GrantView>>(200),
    ]
}

fn described(route: Route) -> Route {
    let route = route.tag(TAG).param("owner", "Whose documents");
    route.param("reader", "The namespace that may read them").param("class", "Class of the documents")
}

/// A grant as it is shown.
#[derive(Serialize, ToSchema)]
#[schema(as = Grant)]
struct GrantView {
    /// The namespace that may read.
    reader: String,
    /// Class of the documents.
    class: String,
    /// Since when.
    #[schema(format = DateTime)]
    granted_at: String,
}

impl From<GivenGrant> for GrantView {
    fn from(given: GivenGrant) -> Self {
        Self { reader: given.reader, class: given.class, granted_at: rfc3339(given.granted_at) }
    }
}

#[derive(Deserialize)]
struct GrantPath {
    owner: String,
    reader: String,
    class: String,
}

impl From<GrantPath> for Grant {
    fn from(GrantPath { owner, reader, class }: GrantPath) -> Self {
        Self { owner, reader, class }
    }
}

async fn give(api: Api, PathOf(path): PathOf<GrantPath>, body: NoBody) -> ApiResult<Changed> {
    check_admin(&api)?;
    to_the_end(async move {
        let given = api.call(&GIVE_GRANT, body.with(path.into())).await;
        api.kernel().registry().changed();
        given
    })
    .await
}

async fn take(api: Api, PathOf(path): PathOf<GrantPath>, body: NoBody) -> ApiResult<Changed> {
    check_admin(&api)?;
    to_the_end(async move {
        let taken = api.call(&TAKE_GRANT, body.with(path.into())).await;
        api.kernel().registry().changed();
        taken
    })
    .await
}

async fn show(api: Api, PathOf(path): PathOf<GrantPath>) -> ApiResult<GrantView> {
    check_admin(&api)?;
    let given = api.read(&LIST_GRANTS, path.owner).await?;
    let mut all = given.out.into_iter();
    let one = all.find(|grant| grant.reader == path.reader && grant.class == path.class);
    let missing = || ApiError::refused(codes::NGRANT, format!("`{}` has no such grant", path.reader));
    Ok(api.answer(one.ok_or_else(missing)?.into()))
}

async fn list(api: Api, PathOf(NamePath { name }): PathOf<NamePath>) -> ApiResult<List<GrantView>> {
    check_admin(&api)?;
    let given = api.read(&LIST_GRANTS, name).await?;
    Ok(given.map(|given| List { items: given.into_iter().map(Into::into).collect(), next: None }))
}
