//! Rates over time (CON-2).

use base::codes;
use base::limits::NAME_MAX;
use kernel::Role;
use kernel::counters::OPERATION;
use kernel::counters::rates::{Point, RATES, Rates, RatesPage, Span};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::answer::ApiResult;
use crate::api::Api;
use crate::error::ApiError;
use crate::params::QueryOf;
use crate::route::Route;
use crate::time::rfc3339;

pub(super) fn route() -> Route {
    Route::get("/v1/{ns}/rates", rates)
        .roles(&[Role::Operator, Role::Reader])
        .summary("Show what was counted over time")
        .about(
            "For charts: all steps of a span, oldest first, zeros included; the last one is not over yet. `10m` is what this node \
             counted, from memory, also while the store is down; longer spans are summed over all nodes, and are kept for 7 days \
             (`counters.minutes_kept`).",
        )
        .query::<RatesQuery>()
        .answers::<RatesView>(200)
        .errors(&[codes::ALIMIT])
}

/// Which rates.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct RatesQuery {
    /// Of this kind: `operation` (if not given), `task`, `device` …
    #[param(nullable = false)]
    kind: Option<String>,
    /// `10m` (if not given), `24h` or `7d`.
    #[param(nullable = false)]
    span: Option<String>,
}

/// What was counted over time.
#[derive(Serialize, ToSchema)]
struct RatesView {
    /// Of this kind.
    #[schema(example = "operation")]
    kind: String,
    /// Seconds of one step.
    #[schema(example = 300)]
    unit_s: i64,
    /// When the first step begins.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    from: String,
    /// All steps, oldest first.
    points: Vec<PointView>,
}

/// What was counted in one step.
#[derive(Serialize, ToSchema)]
struct PointView {
    /// When it begins.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    at: String,
    /// Sent.
    sent: i64,
    /// Processed well.
    processed: i64,
    /// Ended badly.
    errors: i64,
    /// Lost against others that changed the same.
    deadlocks: i64,
    /// Run again.
    retries: i64,
    /// True for a step that is not over yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    partial: bool,
}

impl From<Rates> for RatesView {
    fn from(Rates { kind, unit_s, from, points }: Rates) -> Self {
        Self { kind, unit_s, from: rfc3339(from), points: points.into_iter().map(PointView::from).collect() }
    }
}

impl From<Point> for PointView {
    fn from(Point { at, sent, processed, errors, deadlocks, retries, partial }: Point) -> Self {
        Self { at: rfc3339(at), sent, processed, errors, deadlocks, retries, partial }
    }
}

async fn rates(api: Api, QueryOf(query): QueryOf<RatesQuery>) -> ApiResult<RatesView> {
    let kind = query.kind.unwrap_or_else(|| OPERATION.to_owned());
    if kind.len() > NAME_MAX {
        return Err(ApiError::refused(codes::ALIMIT, format!("kind has {} bytes, at most {NAME_MAX}", kind.len())));
    }
    let span = query.span.as_deref().map_or(Ok(Span::TenMinutes), Span::from_word)?;
    let now = api.kernel().env().clock.wall();
    let rates = match span {
        Span::TenMinutes => api.answer(api.namespace().watched.counters.rates(&kind, now)),
        Span::Day | Span::Week => api.read(&RATES, RatesPage { kind, span, now }).await?,
    };
    Ok(rates.map(RatesView::from))
}
