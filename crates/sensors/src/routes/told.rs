//! What there was to tell a client, over HTTP: notifications with their tries (SEN-11), events in order (SEN-14), replay (SEN-8).

use base::codes;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use web::{Api, ApiError, ApiResult, JsonBody, List, PageQuery, PathOf, QueryOf, Route};

use super::{ClientPath, READERS, TAG, WRITERS, check_client, history::moment, number};
use crate::codes::{ASENSOR, NCLIENT, XHISTORY};
use crate::history::{self, TryRow};
use crate::replay::{REPLAY, Replay, ReplayView};
use crate::told::{EVENTS, EventView, EventsOf, NOTIFICATIONS, Notification, NotificationsOf};

pub(super) fn routes() -> Vec<Route> {
    let of_client = |route: Route| route.tag(TAG).param("id", "Id of the client").errors(&[NCLIENT]);
    vec![
        of_client(Route::get("/v1/{ns}/sensor-clients/{id}/notifications", notifications))
            .summary("List what a client was told")
            .about("Newest first, with each try: when, what it was answered, how long that took, what went wrong.")
            .roles(READERS)
            .query::<NotificationsQuery>()
            .answers::<List<Notification>>(200)
            .errors(&[XHISTORY, codes::ALIMIT]),
        of_client(Route::get("/v1/{ns}/sensor-clients/{id}/events", events))
            .summary("Fetch the events of a client")
            .about(
                "In the order of their numbers, from the one behind `after`: the very bodies, under the very webhook-ids, that were \
                 sent or will be. A client that missed calls remembers the number of the last event that it knows, and asks from \
                 there. Events that are older than history is kept are gone.",
            )
            .roles(READERS)
            .query::<EventsQuery>()
            .answers::<List<EventView>>(200)
            .errors(&[codes::ALIMIT]),
        of_client(Route::post("/v1/{ns}/sensor-clients/{id}/replay", replay))
            .summary("Send the events of a time again")
            .about(
                "In their order, one at a time, each under its own webhook-id and with `\"replayed\": true` in its body, leaving out \
                 what was superseded or is not the client's any more. How far it is stands in the client.",
            )
            .roles(WRITERS)
            .takes::<ReplayRange>()
            .answers::<ReplayView>(202)
            .errors(&[ASENSOR]),
    ]
}

/// Which page.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct NotificationsQuery {
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

/// Which events.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct EventsQuery {
    /// Only events with a greater number; 0 if not given.
    #[param(nullable = false)]
    after: Option<String>,
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
}

/// Which events are sent again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "from": "2026-11-15T00:00:00Z", "to": "2026-11-16T00:00:00Z" }))]
struct ReplayRange {
    /// Those that happened from this moment on.
    #[schema(format = DateTime)]
    from: String,
    /// Those that happened before this moment; all if not given.
    #[schema(format = DateTime, nullable = false)]
    to: Option<String>,
}

async fn notifications(
    api: Api,
    PathOf(ClientPath { id }): PathOf<ClientPath>,
    QueryOf(query): QueryOf<NotificationsQuery>,
) -> ApiResult<List<Notification>> {
    check_client(&api, &id)?;
    let page = api.page(&PageQuery { limit: query.limit, after: None })?;
    let before = number("after", query.after.as_deref())?;
    let wanted = NotificationsOf { client: id.clone(), before, limit: page.and_one() };
    let found = api.read(&NOTIFICATIONS, wanted).await?.out;
    let mut list = List::cut(found, page.limit, |item: &Notification| item.seq.to_string());
    add_tries(&api, id, &mut list.items).await?;
    Ok(api.answer(list))
}

/// Adds the tries, wherever they lie.
async fn add_tries(api: &Api, client_id: String, items: &mut [Notification]) -> Result<(), ApiError> {
    let (Some(newest), Some(oldest)) = (items.first(), items.last()) else { return Ok(()) };
    let wanted = history::Tries { client_id, first_seq: oldest.seq, last_seq: newest.seq };
    let tries = history::tries(api, wanted).await?;
    for item in items {
        let of_it = |row: &&TryRow| row.seq == item.seq;
        item.tries = tries.iter().filter(of_it).cloned().map(Into::into).collect();
    }
    Ok(())
}

async fn events(
    api: Api,
    PathOf(ClientPath { id }): PathOf<ClientPath>,
    QueryOf(query): QueryOf<EventsQuery>,
) -> ApiResult<List<EventView>> {
    check_client(&api, &id)?;
    let page = api.page(&PageQuery { limit: query.limit, after: None })?;
    let after = number("after", query.after.as_deref())?.unwrap_or(0);
    let found = api.read(&EVENTS, EventsOf { client: id, after, limit: page.and_one() }).await?;
    Ok(found.map(|items| List::cut(items, page.limit, |event| event.seq.to_string())))
}

async fn replay(
    api: Api,
    PathOf(ClientPath { id }): PathOf<ClientPath>,
    body: JsonBody<ReplayRange>,
) -> ApiResult<ReplayView> {
    check_client(&api, &id)?;
    let from = moment("from", Some(&body.value().from))?.unwrap_or(base::Wall(0));
    let to = moment("to", body.value().to.as_deref())?;
    api.call(&REPLAY, body.map(|_| Replay { client: id, from, to })).await
}
