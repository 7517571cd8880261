//! Looking through documents over HTTP (CON-5).

use base::codes;
use serde::Deserialize;
use utoipa::IntoParams;
use web::{Api, ApiResult, List, PageQuery, PathOf, QueryOf, Route};

use super::{ClassPath, DocPath, READERS, TAG};
use crate::browse::{
    CHANGES, CLASS_COUNTS, ChangeView, ClassCount, DocDetail, DocLine, DocLines, LIST, ListOf, SHOW, ViewOf, Viewer,
};
use crate::class::{DocClass, ensure_offered};
use crate::codes::{NCLASS, NDOC};

pub(super) fn routes() -> Vec<Route> {
    let read = |path, route: Route| route.tag(TAG).roles(READERS).about(path);
    vec![
        read(
            "Counted up to 10,000 for each class, less of each where there are more than two; `more` tells that there may be more. \
             Classes with a filter are not counted.",
            Route::get("/v1/{ns}/docs", counts),
        )
        .summary("How many documents each class has")
        .answers::<List<ClassCount>>(200),
        read(
            "In the order of their ids, with who changed each of them last. What a class's filter hides from the caller is left out. A \
             page looks at 2,000 documents at most, so it may hold fewer than asked for, even none, and still have a next \
             one: go on until `next` is null.",
            Route::get("/v1/{ns}/docs/{class}", list),
        )
        .summary("List the documents of a class")
        .param("class", "Class of the documents")
        .query::<ListQuery>()
        .answers::<List<DocLine>>(200)
        .errors(&[NCLASS, codes::ALIMIT]),
        document(read(
            "With items, attachments and traces of deleted items, each with who changed it, when and by which operation. Programs \
             that keep copies take doc.get and doc.sync, which are quicker.",
            Route::get("/v1/{ns}/docs/{class}/{id}", show),
        ))
        .summary("Look at a document and who changed it")
        .answers::<DocDetail>(200),
        document(read(
            "Newest first: the last 50 changes of a document whose class is declared with `history`, not older than \
             `documents.history_age`. Empty for other classes. Also of a deleted document, as long as it is remembered.",
            Route::get("/v1/{ns}/docs/{class}/{id}/changes", changes),
        ))
        .summary("List the last changes of a document")
        .answers::<List<ChangeView>>(200),
    ]
}

fn document(route: Route) -> Route {
    route.param("class", "Class of the document").param("id", "Id of the document").errors(&[NCLASS, NDOC])
}

/// Which documents.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// Only ids that start with this.
    #[param(nullable = false)]
    prefix: Option<String>,
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// Only ids after this one: `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

async fn counts(api: Api) -> ApiResult<List<ClassCount>> {
    ensure_offered(&api).await;
    let offered = api.namespace().home.offered::<DocClass>();
    let filtered = offered.filter(|class| class.filter.is_some()).map(|class| class.name).collect();
    Ok(api.read(&CLASS_COUNTS, filtered).await?.map(|items| List { items, next: None }))
}

async fn list(
    api: Api,
    PathOf(ClassPath { class }): PathOf<ClassPath>,
    QueryOf(query): QueryOf<ListQuery>,
) -> ApiResult<List<DocLine>> {
    let limit = api.page(&PageQuery { limit: query.limit, after: None })?.limit as usize;
    ensure_offered(&api).await;
    let (viewer, prefix) = (Viewer::of(&api, &class), query.prefix.unwrap_or_default());
    let found = api.read(&LIST, ListOf { class, prefix, after: query.after, limit, viewer }).await?;
    Ok(found.map(|DocLines { items, next }| List { items, next }))
}

async fn show(api: Api, PathOf(DocPath { class, id }): PathOf<DocPath>) -> ApiResult<DocDetail> {
    ensure_offered(&api).await;
    let viewer = Viewer::of(&api, &class);
    api.read(&SHOW, ViewOf { class, id, viewer }).await
}

async fn changes(api: Api, PathOf(DocPath { class, id }): PathOf<DocPath>) -> ApiResult<List<ChangeView>> {
    ensure_offered(&api).await;
    let viewer = Viewer::of(&api, &class);
    let found = api.read(&CHANGES, ViewOf { class, id, viewer }).await?;
    Ok(found.map(|items| List { items, next: None }))
}
