//! Links of sensors and clients over HTTP.

use base::codes;
use serde::Deserialize;
use utoipa::IntoParams;
use web::{Api, ApiResult, List, NoBody, PageQuery, PathOf, QueryOf, Route};

use super::{ClientPath, READERS, TAG, WRITERS, check_client, check_unbound};
use crate::codes::{ASENSOR, NCLIENT, NSENSOR};
use crate::id::SensorId;
use crate::link::{LINK, Link, LinkedOf, SENSORS_OF_CLIENT, SensorLink, UNLINK};

const OF_CLIENT: &str = "/v1/{ns}/sensor-clients/{id}/sensors";
const ONE: &str = "/v1/{ns}/sensor-clients/{id}/sensors/{sensor_id}";

pub(super) fn routes() -> Vec<Route> {
    let of_client = |route: Route| route.tag(TAG).param("id", "Id of the client").errors(&[NCLIENT]);
    vec![
        of_client(Route::put(ONE, link))
            .summary("Link a sensor to a client")
            .about("From its next change on the client is told of it. A sensor has at most 100 clients. Repeating it is no error.")
            .param("sensor_id", "Id of the sensor")
            .roles(WRITERS)
            .answers_nothing()
            .errors(&[ASENSOR, NSENSOR, codes::ALIMIT]),
        of_client(Route::delete(ONE, unlink))
            .summary("Unlink a sensor from a client")
            .about("What was still to be told of it ends as unlinked. Repeating it is no error.")
            .param("sensor_id", "Id of the sensor")
            .roles(WRITERS)
            .answers_nothing()
            .errors(&[ASENSOR]),
        of_client(Route::get(OF_CLIENT, list))
            .summary("List the sensors of a client")
            .about("In the order of their ids, with what is known of each.")
            .roles(READERS)
            .query::<LinksQuery>()
            .answers::<List<SensorLink>>(200)
            .errors(&[codes::ALIMIT]),
    ]
}

#[derive(Deserialize)]
struct LinkPath {
    id: String,
    sensor_id: String,
}

/// Which page.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct LinksQuery {
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// Only sensors after this one: `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

/// Nobody gives sensors to itself.
async fn link(api: Api, PathOf(path): PathOf<LinkPath>, body: NoBody) -> ApiResult<()> {
    check_unbound(&api)?;
    let sensor = SensorId::given(&path.sensor_id)?;
    api.call(&LINK, body.with(Link { client: path.id, sensor })).await
}

async fn unlink(api: Api, PathOf(path): PathOf<LinkPath>, body: NoBody) -> ApiResult<()> {
    check_client(&api, &path.id)?;
    let sensor = SensorId::given(&path.sensor_id)?;
    api.call(&UNLINK, body.with(Link { client: path.id, sensor })).await
}

async fn list(
    api: Api,
    PathOf(ClientPath { id }): PathOf<ClientPath>,
    QueryOf(query): QueryOf<LinksQuery>,
) -> ApiResult<List<SensorLink>> {
    check_client(&api, &id)?;
    let page = api.page(&PageQuery { limit: query.limit, after: None })?;
    let after = query.after.unwrap_or_default();
    let found = api.read(&SENSORS_OF_CLIENT, LinkedOf { client: id, after, limit: page.and_one() }).await?;
    Ok(found.map(|items| List::cut(items, page.limit, |link| link.sensor.id.clone())))
}
