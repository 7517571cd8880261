//! Sensors over HTTP: put, show, list, count by address, remove; and those that nobody registered.

use axum::http::StatusCode;
use base::codes;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use web::{Answer, Api, ApiResult, JsonBody, List, NoBody, PageQuery, PathOf, QueryOf, Route};

use super::{READERS, SensorPath, TAG, WRITERS, check_unbound};
use crate::codes::{ASENSOR, NSENSOR};
use crate::id::SensorId;
use crate::link::{CLIENTS_OF_SENSOR, ClientLink};
use crate::sensor::{
    ADDRESSES, AddressCount, AddressCounts, AddressesOf, Change, LIST_SENSORS, ListOf, PUT_SENSOR, PutSensor,
    REMOVE_SENSOR, SHOW_SENSOR, SensorState, SensorView, Sensors, UNKNOWN, UnknownSensor, UnknownSensors,
};

const ONE: &str = "/v1/{ns}/sensors/{id}";

pub(super) fn routes() -> Vec<Route> {
    let of_one = |route: Route| route.tag(TAG).param("id", "Id of the sensor: 1 to 16 letters and digits");
    vec![
        of_one(Route::put(ONE, put))
            .summary("Register a sensor, or change its registration")
            .about(
                "201 if it is new. What it said is left alone. Without `silence_s` a new one is lost after an hour of silence, and \
                 one that is there keeps what it had. A sensor that never speaks is lost after the same time.",
            )
            .roles(WRITERS)
            .takes::<Registration>()
            .answers::<SensorView>(200)
            .errors(&[ASENSOR]),
        of_one(Route::get(ONE, show))
            .summary("Show a sensor")
            .roles(READERS)
            .answers::<SensorView>(200)
            .errors(&[ASENSOR, NSENSOR]),
        of_one(Route::delete(ONE, remove))
            .summary("Remove a sensor with its links")
            .about("What was still to be told of it ends as unlinked. Its history is kept for its time.")
            .roles(WRITERS)
            .answers_nothing()
            .errors(&[ASENSOR, NSENSOR]),
        of_one(Route::get("/v1/{ns}/sensors/{id}/clients", clients))
            .summary("List the clients that are told of a sensor")
            .roles(READERS)
            .answers::<List<ClientLink>>(200)
            .errors(&[ASENSOR, NSENSOR]),
        Route::get("/v1/{ns}/sensors", list)
            .tag(TAG)
            .summary("List sensors")
            .about(
                "In the order of their ids; by address if `address` is given; lost ones by when they were lost. A page looks at \
                 2,000 sensors at most, so it may hold fewer than asked for, even none, and still have a next one: go on until \
                 `next` is null.",
            )
            .roles(READERS)
            .query::<SensorsQuery>()
            .answers::<List<SensorView>>(200)
            .errors(&[codes::ALIMIT]),
        Route::get("/v1/{ns}/sensors/addresses", addresses)
            .tag(TAG)
            .summary("Count sensors by address")
            .about(
                "The parts of addresses that follow `prefix`, each up to its comma, with how many sensors are open, closed, lost \
                 and never heard there. A page looks at 4,000 sensors at most; a part that goes on on the next page is on both, and its \
                 numbers are to be added up.",
            )
            .roles(READERS)
            .query::<AddressesQuery>()
            .answers::<List<AddressCount>>(200)
            .errors(&[codes::ALIMIT]),
        Route::get("/v1/{ns}/sensors/unknown", unknown)
            .tag(TAG)
            .summary("List sensors that sent signals and that nobody registered")
            .about("The last heard first. The last 10,000 are remembered. Registering one takes it out.")
            .roles(READERS)
            .query::<UnknownQuery>()
            .answers::<List<UnknownSensor>>(200)
            .errors(&[codes::ALIMIT]),
    ]
}

/// What is registered of a sensor.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "address": "Moscow, Russia, Svobody st. 23 fl 1 room 16" }))]
struct Registration {
    /// Address of the room that it is in, at most 500 bytes; parts are separated by commas, the widest first.
    #[schema(max_length = 500)]
    address: String,
    /// Seconds of silence after which it is lost.
    #[schema(minimum = 10, maximum = 31536000, nullable = false)]
    silence_s: Option<u32>,
}

/// Which sensors.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct SensorsQuery {
    /// Only ids that start with this.
    #[param(nullable = false)]
    prefix: Option<String>,
    /// Only addresses that start with this.
    #[param(nullable = false)]
    address: Option<String>,
    /// Only those in this state.
    #[param(nullable = false)]
    state: Option<SensorState>,
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

/// Which addresses.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct AddressesQuery {
    /// Only addresses that start with this: the `address` of a part.
    #[param(nullable = false)]
    prefix: Option<String>,
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

/// Which page.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct UnknownQuery {
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

async fn put(api: Api, PathOf(path): PathOf<SensorPath>, body: JsonBody<Registration>) -> ApiResult<SensorView> {
    check_unbound(&api)?;
    let id = SensorId::to_register(&path.id)?;
    let input = |said: Registration| PutSensor { id, address: said.address, silence_s: said.silence_s };
    let answer = api.call(&PUT_SENSOR, body.map(input)).await?;
    let status = if answer.out.change == Change::Created { StatusCode::CREATED } else { StatusCode::OK };
    Ok(Answer { status, ..answer.map(|put| put.sensor) })
}

async fn show(api: Api, PathOf(path): PathOf<SensorPath>) -> ApiResult<SensorView> {
    check_unbound(&api)?;
    api.read(&SHOW_SENSOR, SensorId::given(&path.id)?).await
}

async fn remove(api: Api, PathOf(path): PathOf<SensorPath>, body: NoBody) -> ApiResult<()> {
    check_unbound(&api)?;
    api.call(&REMOVE_SENSOR, body.with(SensorId::given(&path.id)?)).await
}

async fn clients(api: Api, PathOf(path): PathOf<SensorPath>) -> ApiResult<List<ClientLink>> {
    check_unbound(&api)?;
    let found = api.read(&CLIENTS_OF_SENSOR, SensorId::given(&path.id)?).await?;
    Ok(found.map(|items| List { items, next: None }))
}

async fn list(api: Api, QueryOf(query): QueryOf<SensorsQuery>) -> ApiResult<List<SensorView>> {
    check_unbound(&api)?;
    let limit = api.page(&PageQuery { limit: query.limit, after: None })?.limit as usize;
    let (prefix, address) = (query.prefix.unwrap_or_default(), query.address.unwrap_or_default());
    let wanted = ListOf { prefix, address, state: query.state, after: query.after, limit };
    let found = api.read(&LIST_SENSORS, wanted).await?;
    Ok(found.map(|Sensors { items, next }| List { items, next }))
}

async fn addresses(api: Api, QueryOf(query): QueryOf<AddressesQuery>) -> ApiResult<List<AddressCount>> {
    check_unbound(&api)?;
    let limit = api.page(&PageQuery { limit: query.limit, after: None })?.limit as usize;
    let prefix = query.prefix.unwrap_or_default();
    let found = api.read(&ADDRESSES, AddressesOf { prefix, after: query.after, limit }).await?;
    Ok(found.map(|AddressCounts { items, next }| List { items, next }))
}

async fn unknown(api: Api, QueryOf(query): QueryOf<UnknownQuery>) -> ApiResult<List<UnknownSensor>> {
    check_unbound(&api)?;
    let page = api.page(&PageQuery { limit: query.limit, after: None })?;
    let found = api.read(&UNKNOWN, UnknownSensors { after: query.after, limit: page.and_one() }).await?;
    Ok(found.map(|items| List::cut(items, page.limit, |item| item.cursor.clone())))
}
