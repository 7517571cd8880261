//! Routes of counters (KER-29), and of what was counted over time.

mod rates;

use base::codes;
use kernel::Role;
use kernel::counters::list::{CounterInfo, CounterPage, LIST_COUNTERS};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::answer::{ApiResult, List};
use crate::api::Api;
use crate::params::{PageQuery, QueryOf};
use crate::route::{Route, Service};
use crate::time::rfc3339;

/// Separates kind and name in a cursor; neither holds one.
pub(crate) const SEPARATOR: char = '\u{1f}';

/// The service with its routes.
pub(crate) const SERVICE: Service = Service::new(&kernel::counters::SERVICE, routes);

fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/{ns}/counters", list)
            .roles(&[Role::Operator, Role::Reader])
            .tag("Counters")
            .summary("Show counters")
            .about(
                "By kind and name, summed over all nodes. They are at most a second old; a crash may lose the last second, and \
                 nothing is ever counted twice.",
            )
            .query::<CounterQuery>()
            .answers::<List<CounterView>>(200)
            .errors(&[codes::ALIMIT]),
        rates::route().tag("Counters"),
    ]
}

/// Which counters.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct CounterQuery {
    /// Only of this kind: `operation`, `device` …
    #[param(nullable = false)]
    kind: Option<String>,
    /// Only of this name.
    #[param(nullable = false)]
    name: Option<String>,
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

/// What was counted of one name.
#[derive(Serialize, ToSchema)]
struct CounterView {
    /// What it is.
    #[schema(example = "operation")]
    kind: String,
    /// Whose.
    #[schema(example = "key.create")]
    name: String,
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
    /// When it was last seen.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    last_seen: String,
}

impl From<CounterInfo> for CounterView {
    fn from(counter: CounterInfo) -> Self {
        let CounterInfo { kind, name, sent, processed, errors, deadlocks, retries, last_seen } = counter;
        Self { kind, name, sent, processed, errors, deadlocks, retries, last_seen: rfc3339(last_seen) }
    }
}

async fn list(api: Api, QueryOf(query): QueryOf<CounterQuery>) -> ApiResult<List<CounterView>> {
    let page = api.page(&PageQuery { limit: query.limit, after: None })?;
    let after = query.after.unwrap_or_default();
    let (kind, name) = after.split_once(SEPARATOR).unwrap_or((&after, ""));
    let input = CounterPage {
        after: (kind.to_owned(), name.to_owned()),
        limit: page.and_one(),
        kind: query.kind,
        name: query.name,
    };
    let found = api.read(&LIST_COUNTERS, input).await?;
    let views = |found: Vec<CounterInfo>| found.into_iter().map(CounterView::from).collect();
    let cursor = |counter: &CounterView| format!("{}{SEPARATOR}{}", counter.kind, counter.name);
    Ok(found.map(|found| List::cut(views(found), page.limit, cursor)))
}
