//! Routes of the change feed (KER-25): a page at a time, or live as server-sent events.

use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, HeaderName};
use axum::response::{IntoResponse, Response};
use base::codes;
use kernel::Role;
use kernel::feed::{FeedPage, Follow, LIVE, PAGE, PageOf};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::api::Api;
use crate::error::ApiError;
use crate::params::{PageQuery, QueryOf};
use crate::route::{Route, Service};
use crate::sse::EVENT_STREAM;

/// Where a reader that was cut goes on.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The service with its routes.
pub(crate) const SERVICE: Service = Service::new(&kernel::feed::SERVICE, routes);

fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/{ns}/events", events)
            .roles(&[Role::Operator, Role::Reader, Role::App])
            .tag("Change feed")
            .summary("Follow what changes")
            .about(
                "Every event once, in one order for all readers. Keep `next` and give it as `after` to go on, also days \
                 later. With `Accept: text/event-stream` the connection stays open and events come as they happen; the id \
                 of each is its cursor, so `Last-Event-ID` resumes. A cursor that cannot be followed without a hole is \
                 refused (CEPOCH after a restore, CGONE when it is too old): then take `next` with `after=head`, read in \
                 full what you follow, merge it, and go on from that `next`.",
            )
            .query::<EventsQuery>()
            .answers::<EventPage>(200)
            .errors(&[codes::ALIMIT, codes::CEPOCH, codes::CGONE]),
    ]
}

/// Which events.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct EventsQuery {
    /// Only events of these topics, at most 8, separated by commas; all if not given.
    #[param(nullable = false)]
    topic: Option<String>,
    /// Only events after this cursor; `head` for none yet; from the oldest that is kept if not given.
    #[param(nullable = false)]
    after: Option<String>,
    /// At most so many events; 100 if not given. Not for streams.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
}

/// A page of the feed.
#[derive(Debug, Serialize, ToSchema)]
struct EventPage {
    /// The events, oldest first.
    items: Vec<EventView>,
    /// Give this as `after` to read on, now or later.
    next: String,
    /// Whether there is more already.
    more: bool,
    /// Another one after the store was put back from a backup.
    epoch: String,
}

/// An event.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Event)]
struct EventView {
    /// The place after this event.
    cursor: String,
    /// What subscribers name.
    topic: String,
    /// What changed.
    subject: String,
    /// Version of the change.
    version: i64,
    /// What the operation says of it.
    #[schema(value_type = Object)]
    data: Value,
}

async fn events(api: Api, headers: HeaderMap, QueryOf(query): QueryOf<EventsQuery>) -> Result<Response, ApiError> {
    let page = PageQuery { limit: query.limit, after: None };
    let limit = api.page(&page)?.limit;
    let after = resumed(&headers)?.or(query.after).unwrap_or_default();
    let topics: Vec<String> = query.topic.iter().flat_map(|topics| topics.split(',')).map(str::to_owned).collect();
    if !wants_stream(&headers) {
        let page = read(&api, PageOf { topics, after, limit }).await?;
        return Ok(api.answer(view(page)).into_response());
    }
    // Once, so that a cursor which cannot be followed is refused by status and not on the stream.
    read(&api, PageOf { topics: topics.clone(), after: after.clone(), limit: 1 }).await?;
    let first = serde_json::to_vec(&Follow { topics, after }).unwrap_or_default();
    api.sse(&headers, &LIVE, first)
}

async fn read(api: &Api, page: PageOf) -> Result<FeedPage, ApiError> {
    if let Some(page) = api.read(&PAGE, page.clone()).await?.out {
        return Ok(page);
    }
    api.epoch().await?;
    let again = api.read(&PAGE, page).await?.out;
    again.ok_or_else(|| ApiError::refused(codes::BDETECTED, "the store has no epoch though it was given one"))
}

fn wants_stream(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|kind| kind.split(';').next().unwrap_or("").trim() == EVENT_STREAM)
}

fn resumed(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let text = headers.get(LAST_EVENT_ID).map(|value| value.to_str().map(str::to_owned)).transpose();
    text.map_err(|_| ApiError::refused(codes::AHEADER, "last-event-id is not one that we sent"))
}

fn view(page: FeedPage) -> EventPage {
    let (next, more) = (page.next().to_string(), page.more);
    let cursor = |number| page.cursor(number).to_string();
    let items = page.events.iter().map(|event| EventView {
        cursor: cursor(event.number),
        topic: event.topic.clone(),
        subject: event.subject.clone(),
        version: event.version,
        data: event.data.clone(),
    });
    EventPage { items: items.collect(), next, more, epoch: page.epoch.clone() }
}
