//! History over HTTP (SEN-11): what sensors said, as JSON and as CSV; and what came and was no signal.

use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use base::{Wall, codes};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use web::{Api, ApiError, ApiResult, List, PageQuery, PathOf, QueryOf, Route};

use super::{READERS, SensorPath, TAG, check_client, check_unbound, csv};
use crate::codes::{ASENSOR, NCLIENT, NSENSOR, XHISTORY};
use crate::history::{self, HistoryRow, Question, Which};
use crate::id::SensorId;
use crate::sensor::{REJECTED_SIGNALS, RejectedOf, RejectedView, SHOW_SENSOR};

/// Where a CSV tells how to read on.
const NEXT: &str = "fastness-next";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/{ns}/sensors/{id}/history", of_sensor)
            .tag(TAG)
            .summary("List what a sensor said")
            .about("Newest first: changes, or all signals where `sensors.history` is `all`.")
            .param("id", "Id of the sensor")
            .roles(READERS)
            .query::<SensorHistoryQuery>()
            .answers::<List<HistoryView>>(200)
            .errors(&[ASENSOR, NSENSOR, XHISTORY, codes::ALIMIT]),
        Route::get("/v1/{ns}/sensor-history", of_all)
            .tag(TAG)
            .summary("List what sensors said")
            .about(
                "Newest first, of one sensor, of those that a client has now, or of all, where the address began with `address`. \
                 With `format=csv` the page is CSV, and the header `fastness-next` says how to read on; no cell is a formula.",
            )
            .roles(READERS)
            .query::<HistoryQuery>()
            .answers::<List<HistoryView>>(200)
            .errors(&[ASENSOR, NCLIENT, XHISTORY, codes::ALIMIT]),
        Route::get("/v1/{ns}/signals/rejected", rejected)
            .tag(TAG)
            .summary("List what came and was no signal")
            .about("Newest first, with the reason. The last 10,000 are remembered.")
            .roles(READERS)
            .query::<RejectedQuery>()
            .answers::<List<RejectedView>>(200)
            .errors(&[codes::ALIMIT]),
    ]
}

/// Which time of a sensor.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct SensorHistoryQuery {
    /// Only from this moment on, RFC 3339.
    #[param(nullable = false)]
    from: Option<String>,
    /// Only before this moment.
    #[param(nullable = false)]
    to: Option<String>,
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

/// Which history: of sensors, or of what clients were told.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct HistoryQuery {
    /// Only of this sensor.
    #[param(nullable = false)]
    pub(super) sensor: Option<String>,
    /// Only of this client: of the sensors that it has now, or of what it was told.
    #[param(nullable = false)]
    pub(super) client: Option<String>,
    /// Only where the address begins with this.
    #[param(nullable = false)]
    pub(super) address: Option<String>,
    /// Only from this moment on, RFC 3339.
    #[param(nullable = false)]
    pub(super) from: Option<String>,
    /// Only before this moment.
    #[param(nullable = false)]
    pub(super) to: Option<String>,
    /// `json`, which it is if not given, or `csv`.
    #[param(nullable = false)]
    pub(super) format: Option<Format>,
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    pub(super) limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    pub(super) after: Option<String>,
}

/// How a page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    /// As all lists.
    Json,
    /// Lines for a table program.
    Csv,
}

/// Which page.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct RejectedQuery {
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

/// A signal that was accepted.
#[derive(Debug, Serialize, ToSchema)]
struct HistoryView {
    /// Its own id.
    id: String,
    /// Which sensor.
    #[schema(example = "xa7v9Dfadr7H")]
    sensor_id: String,
    /// Where it was then.
    address: String,
    /// What it said: 0 open, 1 closed.
    data: i64,
    /// What it had said before.
    previous: Option<i64>,
    /// Whether that was a change.
    changed: bool,
    /// The signal's own time, or ours if it had none.
    #[schema(format = DateTime)]
    at: String,
    /// When we took it in.
    #[schema(format = DateTime)]
    taken_at: String,
    #[serde(skip)]
    cursor: String,
}

impl From<HistoryRow> for HistoryView {
    fn from(row: HistoryRow) -> Self {
        let cursor = row.place().to_string();
        let HistoryRow { id, sensor_id, address, data, previous, changed, at, taken_at } = row;
        let (id, at, taken_at) = (id.to_string(), at.rfc3339(), taken_at.rfc3339());
        Self { id, sensor_id, address, data, previous, changed, at, taken_at, cursor }
    }
}

async fn of_sensor(
    api: Api,
    PathOf(SensorPath { id }): PathOf<SensorPath>,
    QueryOf(query): QueryOf<SensorHistoryQuery>,
) -> ApiResult<List<HistoryView>> {
    check_unbound(&api)?;
    let sensor = SensorId::given(&id)?;
    let SensorHistoryQuery { from, to, limit, after } = query;
    let query = HistoryQuery { from, to, limit, after, ..HistoryQuery::default() };
    let list = page(&api, Which::Sensor(sensor), &query).await?;
    if list.items.is_empty() {
        // A sensor that was removed has its history; one that never was is not there.
        api.read(&SHOW_SENSOR, sensor).await?;
    }
    Ok(api.answer(list))
}

async fn of_all(api: Api, QueryOf(query): QueryOf<HistoryQuery>) -> Result<Response, ApiError> {
    let which = which(&api, &query).await?;
    let list = page(&api, which, &query).await?;
    Ok(match query.format {
        Some(Format::Csv) => as_csv(list),
        Some(Format::Json) | None => api.answer(list).into_response(),
    })
}

async fn which(api: &Api, query: &HistoryQuery) -> Result<Which, ApiError> {
    let both = || ApiError::refused(codes::ABODY, "either sensor or client, not both");
    match (&query.sensor, &query.client) {
        (Some(_), Some(_)) => Err(both()),
        (None, Some(client)) => {
            check_client(api, client)?;
            api.read(&crate::client::SHOW_CLIENT, client.clone()).await?;
            Ok(Which::Client(client.clone()))
        }
        (Some(sensor), None) => check_unbound(api).and_then(|()| Ok(Which::Sensor(SensorId::given(sensor)?))),
        (None, None) => check_unbound(api).map(|()| Which::All),
    }
}

async fn page(api: &Api, which: Which, query: &HistoryQuery) -> Result<List<HistoryView>, ApiError> {
    let page = api.page(&PageQuery { limit: query.limit, after: None })?;
    let after = query.after.as_deref().map(str::parse).transpose();
    let after = after.map_err(|error| ApiError::refused(codes::ABODY, format!("after: {error}")))?;
    let question = Question {
        which,
        address: query.address.clone().unwrap_or_default(),
        from: moment("from", query.from.as_deref())?,
        until: moment("to", query.to.as_deref())?,
        after,
        limit: page.and_one(),
    };
    let rows = history::read(api, question).await?;
    let views = rows.into_iter().map(HistoryView::from).collect();
    Ok(List::cut(views, page.limit, |view: &HistoryView| view.cursor.clone()))
}

/// The moment of a parameter. A plus sign of a zone is a space in a query that was not encoded.
pub(super) fn moment(name: &str, text: Option<&str>) -> Result<Option<Wall>, ApiError> {
    let wrong = || ApiError::refused(codes::ABODY, format!("{name} is no RFC 3339 time such as 2026-11-16T12:00:00Z"));
    text.map(|text| Wall::parse_rfc3339(&text.replace(' ', "+")).ok_or_else(wrong)).transpose()
}

fn as_csv(list: List<HistoryView>) -> Response {
    let head = ["at", "sensor_id", "address", "data", "previous", "changed", "taken_at", "id"];
    let row = |view: HistoryView| {
        let previous = view.previous.map(|data| data.to_string()).unwrap_or_default();
        let (data, changed) = (view.data.to_string(), i64::from(view.changed).to_string());
        vec![view.at, view.sensor_id, view.address, data, previous, changed, view.taken_at, view.id]
    };
    as_table(&head, list.items.into_iter().map(row), list.next.as_deref())
}

/// A page as CSV, with a header that says how to read on.
pub(super) fn as_table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>, next: Option<&str>) -> Response {
    let mut response = csv::table(head, rows).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"));
    let next = next.and_then(|next| HeaderValue::from_str(next).ok());
    next.into_iter().for_each(|next| drop(headers.insert(NEXT, next)));
    response
}

async fn rejected(api: Api, QueryOf(query): QueryOf<RejectedQuery>) -> ApiResult<List<RejectedView>> {
    check_unbound(&api)?;
    let page = api.page(&PageQuery { limit: query.limit, after: None })?;
    let before = super::number("after", query.after.as_deref())?;
    let found = api.read(&REJECTED_SIGNALS, RejectedOf { before, limit: page.and_one() }).await?;
    Ok(found.map(|items| List::cut(items, page.limit, |item| item.number.to_string())))
}
