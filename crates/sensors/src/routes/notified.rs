//! What clients were told, over HTTP (SEN-11): of all of them, as JSON and as CSV, a line for each try.

use axum::response::{IntoResponse, Response};
use base::codes;
use web::{Api, ApiError, List, PageQuery, QueryOf, Route};

use super::history::{Format, HistoryQuery, as_table, moment};
use super::{READERS, TAG, check_client, check_unbound};
use crate::codes::{ASENSOR, NCLIENT, XHISTORY};
use crate::history::{self, Tries};
use crate::id::SensorId;
use crate::told::{NOTIFIED, Notified, NotifiedOf, Place, Try};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/{ns}/sensor-notifications", list)
            .tag(TAG)
            .summary("List what clients were told")
            .about(
                "Newest first, with each try: of one client, of one sensor, of sensors whose address begins with `address`, of a time. \
                 With `format=csv` the page is CSV, a line for each try, and the header `fastness-next` says how to read on.",
            )
            .roles(READERS)
            .query::<HistoryQuery>()
            .answers::<List<Notified>>(200)
            .errors(&[ASENSOR, NCLIENT, XHISTORY, codes::ALIMIT]),
    ]
}

async fn list(api: Api, QueryOf(query): QueryOf<HistoryQuery>) -> Result<Response, ApiError> {
    match &query.client {
        None => check_unbound(&api)?,
        Some(client) => {
            check_client(&api, client)?;
            api.read(&crate::client::SHOW_CLIENT, client.clone()).await?;
        }
    }
    let page = api.page(&PageQuery { limit: query.limit, after: None })?;
    let found = api.read(&NOTIFIED, wanted(&query, page.and_one())?).await?.out;
    let mut list = List::cut(found, page.limit, cursor);
    add_tries(&api, &mut list.items).await?;
    Ok(match query.format {
        Some(Format::Csv) => as_csv(&list),
        Some(Format::Json) | None => api.answer(list).into_response(),
    })
}

fn wanted(query: &HistoryQuery, limit: u32) -> Result<NotifiedOf, ApiError> {
    let sensor = query.sensor.as_deref().map(SensorId::given).transpose()?;
    Ok(NotifiedOf {
        client: query.client.clone().unwrap_or_default(),
        sensor: sensor.map(|sensor| sensor.to_string()).unwrap_or_default(),
        address: query.address.clone().unwrap_or_default(),
        from: moment("from", query.from.as_deref())?,
        until: moment("to", query.to.as_deref())?,
        after: query.after.as_deref().map(place).transpose()?,
        limit,
    })
}

fn cursor(item: &Notified) -> String {
    format!("{}.{}.{}", item.at, item.notification.seq, item.client)
}

fn place(text: &str) -> Result<Place, ApiError> {
    let mut parts = text.splitn(3, '.');
    let mut part = || parts.next().filter(|part| !part.is_empty());
    let read = (|| Some((part()?.parse().ok()?, part()?.parse().ok()?, part()?.to_owned())))();
    let (at, seq, client) = read.ok_or_else(|| ApiError::refused(codes::ABODY, "after is no cursor of this list"))?;
    Ok((at, client, seq))
}

/// Adds the tries, wherever they lie.
async fn add_tries(api: &Api, items: &mut [Notified]) -> Result<(), ApiError> {
    for item in items {
        let (client_id, seq) = (item.client.clone(), item.notification.seq);
        let tries = history::tries(api, Tries { client_id, first_seq: seq, last_seq: seq }).await?;
        item.notification.tries = tries.into_iter().map(Into::into).collect();
    }
    Ok(())
}

fn as_csv(list: &List<Notified>) -> Response {
    let head = [
        "at",
        "client",
        "seq",
        "sensor_id",
        "type",
        "state",
        "ended_at",
        "try",
        "try_at",
        "status",
        "latency_ms",
        "error",
    ];
    as_table(&head, list.items.iter().flat_map(lines), list.next.as_deref())
}

/// A line for each try, and one for what was never tried.
fn lines(item: &Notified) -> Vec<Vec<String>> {
    let told = &item.notification;
    let of = |tried: [String; 5]| -> Vec<String> {
        let event = [&told.at, &item.client, &told.seq.to_string(), &told.sensor_id, &told.what, &told.state]
            .map(String::clone);
        event.into_iter().chain([told.ended_at.clone().unwrap_or_default()]).chain(tried).collect()
    };
    if told.tries.is_empty() {
        vec![of(Default::default())]
    } else {
        told.tries.iter().map(|tried| of(cells(tried))).collect()
    }
}

fn cells(tried: &Try) -> [String; 5] {
    let number = |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
    let error = tried.error.clone().unwrap_or_default();
    [tried.number.to_string(), tried.at.clone(), number(tried.status), number(tried.latency_ms), error]
}
