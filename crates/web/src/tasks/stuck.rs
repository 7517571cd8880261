//! What is stuck (KER-40), and the secret with which targets tell our calls from a stranger's (KER-19).

use std::sync::Arc;

use base::{OpResult, Tx};
use kernel::overview::{FIND_STUCK, Found, Look};
use kernel::{Namespace, Op, OpCx, Stuck, secret};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WATCHERS;
use crate::answer::{Answer, ApiResult};
use crate::api::Api;
use crate::body::NoBody;
use crate::route::Route;
use crate::seen::{Unseen, of_each};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/{ns}/stuck", stuck)
            .roles(WATCHERS)
            .summary("Show what is stuck")
            .about(
                "Everything whose wake-up is overdue, with the reason. Empty within seconds of any fault's end. At the \
                 administrators' namespace: of all namespaces; those that are away right now are named in `unseen`.",
            )
            .answers::<StuckList>(200),
        Route::post("/v1/{ns}/webhook-secret", show_secret)
            .summary("Show the secret that signs calls to targets")
            .about("Calls carry `webhook-id`, `webhook-timestamp` and `webhook-signature` in the form of Standard Webhooks.")
            .answers::<Secret>(200)
            .for_unbound(),
    ]
}

/// All that is stuck; at most 100 of a kind and namespace.
#[derive(Serialize, ToSchema)]
struct StuckList {
    /// The most overdue of each kind first.
    items: Vec<StuckView>,
    /// Namespaces that cannot be looked at right now, if there are any: whether something is stuck in them is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    unseen: Vec<Unseen>,
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

impl StuckView {
    fn of(namespace: &str, Found { what, stuck }: Found) -> Self {
        let Stuck { subject, reason, overdue_ms } = stuck;
        Self { namespace: namespace.to_owned(), what, subject, reason, overdue_ms }
    }
}

async fn stuck(api: Api) -> ApiResult<StuckList> {
    let look = |there: Api| async move { there.read(&FIND_STUCK, Look::at(there.kernel())).await };
    let (all, missed) = of_each(&api, look).await?;
    let of = |(ns, found): (Arc<Namespace>, Answer<Vec<Found>>)| {
        found.out.into_iter().map(move |found| StuckView::of(&ns.name, found))
    };
    Ok(api.answer(StuckList { items: all.into_iter().flat_map(of).collect(), unseen: missed.unseen }))
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
