//! What is stuck (KER-40), and the secret with which targets tell our calls from a stranger's (KER-19).

use base::{OpResult, Tx, Wall};
use kernel::{Op, OpCx, Query, ServiceDef, secret};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{WATCHERS, seen_from};
use crate::answer::ApiResult;
use crate::api::Api;
use crate::body::NoBody;
use crate::route::Route;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/{ns}/stuck", stuck)
            .roles(WATCHERS)
            .summary("Show what is stuck")
            .about(
                "Everything whose wake-up is overdue, with the reason. Empty within seconds of any fault's end. At the \
                 administrators' namespace: of all namespaces.",
            )
            .answers::<StuckList>(200),
        Route::post("/v1/{ns}/webhook-secret", show_secret)
            .summary("Show the secret that signs calls to targets")
            .about("Calls carry `webhook-id`, `webhook-timestamp` and `webhook-signature` in the form of Standard Webhooks.")
            .answers::<Secret>(200),
    ]
}

/// All that is stuck; at most 100 of a kind and namespace.
#[derive(Serialize, ToSchema)]
struct StuckList {
    /// The most overdue of each kind first.
    items: Vec<StuckView>,
}

/// Something whose wake-up is overdue.
#[derive(Serialize, ToSchema)]
struct StuckView {
    /// Its namespace.
    namespace: String,
    /// What it is.
    #[schema(example = "task")]
    what: &'static str,
    /// Which one.
    subject: String,
    /// Why it does not go on, as far as can be told.
    reason: String,
    /// By how long it is overdue.
    overdue_ms: i64,
}

/// Where to look, and when.
struct Look {
    services: Vec<&'static ServiceDef>,
    namespace: String,
    now: Wall,
}

static STUCK: Query<Look, Vec<StuckView>> = Query::new("stuck.find", find);

fn find(tx: &mut dyn Tx, look: &Look) -> OpResult<Vec<StuckView>> {
    let mut all = vec![];
    for def in look.services.iter().flat_map(|service| service.stuck) {
        let namespace = &look.namespace;
        let view = |stuck: kernel::Stuck| StuckView {
            namespace: namespace.clone(),
            what: def.what,
            subject: stuck.subject,
            reason: stuck.reason,
            overdue_ms: stuck.overdue_ms,
        };
        all.extend((def.find)(tx, look.now)?.into_iter().map(view));
    }
    Ok(all)
}

async fn stuck(api: Api) -> ApiResult<StuckList> {
    let mut items = vec![];
    for ns in seen_from(&api) {
        let services = api.kernel().services().to_vec();
        let look = Look { services, namespace: ns.name.clone(), now: api.kernel().env().clock.wall() };
        items.extend(api.within(&ns).read(&STUCK, look).await?.out);
    }
    Ok(api.answer(StuckList { items }))
}

/// The namespace's secret.
#[derive(Serialize, Deserialize, ToSchema)]
struct Secret {
    /// As receivers configure it.
    #[schema(example = "whsec_…")]
    secret: String,
}

/// An answer that holds a secret is not kept, but read again.
static SHOW_SECRET: Op<(), Secret> = Op::new("secret.show", read_secret).rebuilt(read_secret);

fn read_secret(tx: &mut dyn Tx, cx: &mut OpCx<'_>, (): &()) -> OpResult<Secret> {
    let secret = secret::of_namespace(tx, cx)?;
    cx.fx.journal("secret.shown", "webhook", "");
    Ok(Secret { secret: secret::text(&secret) })
}

async fn show_secret(api: Api, body: NoBody) -> ApiResult<Secret> {
    api.call(&SHOW_SECRET, body.with(())).await
}
