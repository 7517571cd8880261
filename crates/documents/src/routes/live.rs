//! Live copies over HTTP (DOC-11): server-sent events.

use axum::http::HeaderMap;
use axum::response::Response;
use replica::Held;
use serde::Deserialize;
use utoipa::ToSchema;
use web::{Api, ApiError, JsonBody, Route};

use super::{READERS, TAG};
use crate::class::ensure_offered;
use crate::codes::{AVERSION, NCLASS};
use crate::live::{Follow, LIVE, LIVE_SYNC};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/{ns}/docs/live", live)
            .reads()
            .tag(TAG)
            .summary("Follow documents as they change")
            .about(
                "Server-sent events: `upgrade` with what brings a document's copy level, as often as it changes, and `level` when all \
                 of them are. After a break, ask again with the versions that you have and the epoch of the last `level`.",
            )
            .roles(READERS)
            .takes::<LiveBody>()
            .answers_text("text/event-stream")
            .errors(&[NCLASS, AVERSION, base::codes::ALIMIT]),
    ]
}

/// Which documents, and what of them is held.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct LiveBody {
    /// What the caller holds of the documents that it follows; at most 1,000.
    #[schema(value_type = Vec<Object>)]
    syncs: Vec<Held>,
    /// The epoch of the answer that these were got with.
    #[serde(default)]
    epoch: Option<String>,
}

async fn live(api: Api, headers: HeaderMap, body: JsonBody<LiveBody>) -> Result<Response, ApiError> {
    let LiveBody { syncs, epoch } = body.value;
    let follow = Follow::of(api.caller(), api.properties(), syncs, epoch);
    ensure_offered(&api).await;
    // Once, so that what cannot be followed is refused by status and not on the stream.
    api.read(&LIVE_SYNC, follow.clone()).await?;
    api.sse(&headers, &LIVE, serde_json::to_vec(&follow).unwrap_or_default())
}
