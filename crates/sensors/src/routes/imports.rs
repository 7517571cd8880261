//! Imports over HTTP (SEN-1).

use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use base::codes;
use serde::Deserialize;
use web::{Api, ApiError, ApiResult, List, NoBody, PageQuery, PathOf, QueryOf, Route, StreamedBody};

use super::{READERS, TAG, WRITERS, check_unbound};
use crate::codes::NIMPORT;
use crate::import::{
    BEGIN_IMPORT, BeginImport, CANCEL_IMPORT, IMPORT_MAX, IMPORTS, ImportFormat, ImportKind, ImportView, ImportsOf,
    SHOW_IMPORT,
};

const ALL: &str = "/v1/{ns}/sensor-imports";
const ONE: &str = "/v1/{ns}/sensor-imports/{import_id}";

pub(super) fn routes() -> Vec<Route> {
    let taken = |route: Route| {
        route.tag(TAG).roles(WRITERS).takes_bytes().answers::<ImportView>(202).errors(&[
            codes::ATYPE,
            codes::ATOOBIG,
            codes::ASLOW,
        ])
    };
    let of_one = |route: Route| route.tag(TAG).param("import_id", "Id of the import").errors(&[NIMPORT]);
    vec![
        taken(Route::post("/v1/{ns}/sensors/import", sensors))
            .summary("Register many sensors")
            .about(
                "A JSON object on each line (`application/x-ndjson`): `{\"id\", \"address\", \"silence_s\"?}`, or CSV (`text/csv`) whose \
                 first line names these columns. At most 64 MiB, 4,096 bytes a line. The lines are durable when this answers; a task \
                 works through them. A line that cannot be is rejected with its number and stops nothing.",
            ),
        taken(Route::post("/v1/{ns}/sensor-links/import", links))
            .summary("Link many sensors to clients")
            .about(
                "As for sensors: `{\"sensor_id\", \"client\"}`, where `client` is the id or the name of a client, or CSV with these columns.",
            ),
        Route::get(ALL, list)
            .tag(TAG)
            .summary("List imports")
            .about("Newest first, without the lines that were rejected.")
            .roles(READERS)
            .query::<PageQuery>()
            .answers::<List<ImportView>>(200)
            .errors(&[codes::ALIMIT]),
        of_one(Route::get(ONE, show)).summary("Show how far an import is").roles(READERS).answers::<ImportView>(200),
        of_one(Route::delete(ONE, cancel))
            .summary("End an import")
            .about("What its lines did stays done. Ending one that has ended changes nothing.")
            .roles(WRITERS)
            .answers::<ImportView>(200),
    ]
}

#[derive(Deserialize)]
struct ImportPath {
    import_id: String,
}

async fn sensors(api: Api, headers: HeaderMap, body: StreamedBody) -> ApiResult<ImportView> {
    begin(api, &headers, body, ImportKind::Sensors).await
}

async fn links(api: Api, headers: HeaderMap, body: StreamedBody) -> ApiResult<ImportView> {
    begin(api, &headers, body, ImportKind::Links).await
}

async fn begin(api: Api, headers: &HeaderMap, body: StreamedBody, kind: ImportKind) -> ApiResult<ImportView> {
    check_unbound(&api)?;
    let format = format(headers)?;
    let received = api.receive_blob_up_to(body, None, IMPORT_MAX).await?;
    let sha = received.stored.name.sha.to_string();
    api.call_about(&BEGIN_IMPORT, &received, BeginImport { kind, format, sha }).await
}

fn format(headers: &HeaderMap) -> Result<ImportFormat, ApiError> {
    let text = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "application/x-ndjson" | "application/ndjson" | "application/jsonl" => Ok(ImportFormat::Ndjson),
        "text/csv" => Ok(ImportFormat::Csv),
        other => {
            let shown = kernel::watch::shown(other, 80);
            let message = format!("an import is application/x-ndjson or text/csv, Content-Type is `{shown}`");
            Err(ApiError::refused(codes::ATYPE, message))
        }
    }
}

async fn list(api: Api, QueryOf(query): QueryOf<PageQuery>) -> ApiResult<List<ImportView>> {
    check_unbound(&api)?;
    let page = api.page(&query)?;
    let found = api.read(&IMPORTS, ImportsOf { after: page.after_text(), limit: page.and_one() }).await?;
    Ok(found.map(|items| List::cut(items, page.limit, |import| import.id.clone())))
}

async fn show(api: Api, PathOf(path): PathOf<ImportPath>) -> ApiResult<ImportView> {
    check_unbound(&api)?;
    api.read(&SHOW_IMPORT, path.import_id).await
}

async fn cancel(api: Api, PathOf(path): PathOf<ImportPath>, body: NoBody) -> ApiResult<ImportView> {
    check_unbound(&api)?;
    api.call(&CANCEL_IMPORT, body.with(path.import_id)).await
}
