//! Routes of namespaces, their grants and their resources (KER-1, KER-2).
//!
//! Everything but the serving of resources is for administrators of the administrators' namespace, on its own path
//! (`/v1/z/namespaces`); on any other namespace these paths do not exist.

mod grants;
mod resources;
mod transfers;
mod view;

use std::time::Duration;

use base::codes;
use kernel::namespaces::{
    CHANGE_NAMESPACE, CREATE_NAMESPACE, ChangeNamespace, CreateNamespace, GET_NAMESPACE, LIST_NAMESPACES, NamespaceRow,
    REMOVE_NAMESPACE, RemoveNamespace, SecretUrl, State,
};
use serde::Deserialize;
use tokio::time::timeout;

use crate::answer::{Answer, ApiResult, List};
use crate::api::Api;
use crate::auth::no_route;
use crate::body::{JsonBody, NoBody};
use crate::error::ApiError;
use crate::params::PathOf;
use crate::route::{Route, Service};
pub(crate) use resources::digests;
pub use transfers::{Carrier, Receiving};
use view::{Change, NamespaceView, NewNamespace, Removed};

const TAG: &str = "Namespaces";
/// How long an answer waits for what was asked to come true on this node.
const COME_TRUE: Duration = Duration::from_secs(5);

/// The service with its routes.
pub(crate) const SERVICE: Service = Service::new(&kernel::namespaces::SERVICE, routes);

fn routes() -> Vec<Route> {
    let mut routes = own_routes();
    routes.extend(grants::routes());
    routes.extend(resources::routes());
    routes.extend(transfers::routes());
    routes
}

fn own_routes() -> Vec<Route> {
    vec![
        Route::post("/v1/{ns}/namespaces", create)
            .tag(TAG)
            .summary("Create a namespace")
            .about(
                "Only on the administrators' namespace (`z`). The answer comes when the store is there, or after 5 seconds: \
                 then the state is still `creating` and goes on by itself. A repeat gives the namespace that is there.",
            )
            .takes::<NewNamespace>()
            .answers::<NamespaceView>(201)
            .errors(&[codes::ALIMIT, codes::ANAMESPACE, codes::OREMOVING])
            .for_unbound(),
        Route::get("/v1/{ns}/namespaces", list)
            .tag(TAG)
            .summary("List namespaces")
            .about("Only on the administrators' namespace. All of them, by name.")
            .answers::<List<NamespaceView>>(200),
        Route::get("/v1/{ns}/namespaces/{name}", show)
            .tag(TAG)
            .summary("Show a namespace")
            .about("Only on the administrators' namespace. Tells also why its store is not good on this node.")
            .param("name", "Name of the namespace")
            .answers::<NamespaceView>(200),
        Route::patch("/v1/{ns}/namespaces/{name}", change)
            .tag(TAG)
            .summary("Change a namespace")
            .about(
                "Label, limits, and the state with what people are told. Takes effect within 5 seconds on every node. \
                 Administrators of the administrators' namespace pass in every state but `removing`.",
            )
            .param("name", "Name of the namespace")
            .takes::<Change>()
            .answers::<NamespaceView>(200)
            .errors(&[codes::ALIMIT, codes::ANAMESPACE])
            .for_unbound(),
        Route::delete("/v1/{ns}/namespaces/{name}", remove)
            .tag(TAG)
            .summary("Remove a namespace")
            .about(
                "Nobody gets in any more. Its data is not destroyed: its folder or schema is renamed, as the answer says, \
                 and can be deleted by hand; only that of a `temporary` namespace is destroyed. Its grants and resources are deleted.",
            )
            .param("name", "Name of the namespace")
            .answers::<Removed>(200)
            .errors(&[codes::ANAMESPACE])
            .for_unbound(),
    ]
}

#[derive(Deserialize)]
struct NamePath {
    name: String,
}

/// These paths exist on the administrators' namespace only.
fn check_admin(api: &Api) -> Result<(), ApiError> {
    if api.namespace().name == api.kernel().config().admin_namespace { Ok(()) } else { Err(no_route()) }
}

/// Work that ends also when the client does not wait for it, so that a committed change is always heard of on this node.
async fn to_the_end<T: Send + 'static>(work: impl Future<Output = ApiResult<T>> + Send + 'static) -> ApiResult<T> {
    let ended = tokio::spawn(work).await;
    ended.unwrap_or_else(|error| Err(ApiError::refused(codes::BPANIC, error.to_string())))
}

async fn create(api: Api, body: JsonBody<NewNamespace>) -> ApiResult<NamespaceView> {
    check_admin(&api)?;
    let config = api.kernel().config();
    let (rules, admin) = (config.namespaces.clone(), config.admin_namespace.clone());
    let input = |new: NewNamespace| CreateNamespace {
        name: new.name,
        label: new.label,
        engine: new.engine.map(Into::into),
        url: new.url.map(SecretUrl),
        temporary: new.temporary,
        rules,
        admin,
    };
    let body = body.map(input);
    to_the_end(async move {
        let made = api.call(&CREATE_NAMESPACE, body).await;
        api.kernel().registry().changed();
        let made = made?;
        come_true(&api, |api| is_settled(api, &made.out)).await;
        let row = newest(&api, &made.out);
        Ok(made.map(|_| NamespaceView::of(api.kernel(), row)))
    })
    .await
}

/// The row as this node knows it by now.
fn newest(api: &Api, row: &NamespaceRow) -> NamespaceRow {
    let known = api.kernel().registry().known();
    let newer = known.rows.get(&row.name).filter(|known| known.place == row.place && known.version >= row.version);
    newer.unwrap_or(row).clone()
}

/// Whether a creation has ended, well or with a fault that will take longer.
fn is_settled(api: &Api, row: &NamespaceRow) -> bool {
    newest(api, row).state != State::Creating || api.kernel().registry().fault(&row.name).is_some()
}

/// Waits until something holds on this node, for a while.
async fn come_true(api: &Api, holds: impl Fn(&Api) -> bool) {
    let wait = async {
        loop {
            let turned = api.shared().turned().notified();
            if holds(api) {
                return;
            }
            turned.await;
        }
    };
    let _ = timeout(COME_TRUE, wait).await;
}

async fn list(api: Api) -> ApiResult<List<NamespaceView>> {
    check_admin(&api)?;
    let rows = api.read(&LIST_NAMESPACES, ()).await?;
    let kernel = api.kernel();
    Ok(rows
        .map(|rows| List { items: rows.into_iter().map(|row| NamespaceView::of(kernel, row)).collect(), next: None }))
}

async fn show(api: Api, PathOf(NamePath { name }): PathOf<NamePath>) -> ApiResult<NamespaceView> {
    check_admin(&api)?;
    let row = api.read(&GET_NAMESPACE, name).await?;
    Ok(row.map(|row| NamespaceView::of(api.kernel(), row)))
}

async fn change(
    api: Api,
    PathOf(NamePath { name }): PathOf<NamePath>,
    body: JsonBody<Change>,
) -> ApiResult<NamespaceView> {
    check_admin(&api)?;
    let admin = api.kernel().config().admin_namespace.clone();
    body.value.check()?;
    let body = body.map(|change| ChangeNamespace {
        name,
        label: change.label,
        state: change.state.map(|word| {
            let reopens_at = change.reopens_at.as_deref().and_then(view::moment);
            (word.into(), change.message.unwrap_or_default(), reopens_at)
        }),
        limits: change.limits.map(Into::into),
        admin,
    });
    to_the_end(async move {
        let changed = api.call(&CHANGE_NAMESPACE, body).await;
        api.kernel().registry().changed();
        let changed = changed?;
        come_true(&api, |api| is_known(api, &changed.out)).await;
        Ok(changed.map(|row| NamespaceView::of(api.kernel(), row)))
    })
    .await
}

/// Whether this node knows this version or a newer one.
fn is_known(api: &Api, row: &NamespaceRow) -> bool {
    let known = api.kernel().registry().known();
    known.rows.get(&row.name).is_none_or(|known| known.version >= row.version)
}

async fn remove(api: Api, PathOf(NamePath { name }): PathOf<NamePath>, body: NoBody) -> ApiResult<Removed> {
    check_admin(&api)?;
    let admin = api.kernel().config().admin_namespace.clone();
    let body = body.with(RemoveNamespace { name, admin });
    to_the_end(async move {
        let removing: Answer<NamespaceRow> = {
            let removing = api.call(&REMOVE_NAMESPACE, body).await;
            api.kernel().registry().changed();
            removing?
        };
        come_true(&api, |api| is_known(api, &removing.out)).await;
        Ok(removing.map(|row| Removed::of(&row)))
    })
    .await
}
