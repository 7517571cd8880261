//! Classes of documents over HTTP.

use web::{Api, ApiResult, List, Route};

use super::{READERS, TAG, WRITERS};
use crate::class::{ClassView, DECLARE, SHOW_CLASSES, ensure_offered};
use crate::codes::ACLASS;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::operation("/v1/{ns}/doc-classes", &DECLARE)
            .tag(TAG)
            .summary("Declare a class of documents")
            .about(
                "Says which items its documents hold, which fields can be searched, and which items are copied to other \
                 documents. Declared again, it is changed: new indexes are filled by a task, and searches by them are \
                 refused until that is done.",
            )
            .roles(WRITERS)
            .errors(&[ACLASS]),
        Route::get("/v1/{ns}/doc-classes", list)
            .tag(TAG)
            .summary("List the classes of documents")
            .about("With the indexes that are still being filled, and how far that is.")
            .roles(READERS)
            .answers::<List<ClassView>>(200),
    ]
}

async fn list(api: Api) -> ApiResult<List<ClassView>> {
    ensure_offered(&api).await;
    let classes = api.read(&SHOW_CLASSES, ()).await?;
    Ok(classes.map(|items| List { items, next: None }))
}
