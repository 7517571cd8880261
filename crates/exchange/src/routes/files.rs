//! Folders and files over HTTP (EXC-4, EXC-5).

use std::io;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use base::codes;
use serde::Deserialize;
use utoipa::IntoParams;
use web::{Api, ApiError, ApiResult, List, NoBody, PageQuery, PathOf, QueryOf, Route, given};

use super::{LOOKERS, Speaker, TAG, WRITERS, check_unbound, looked_at};
use crate::codes::{AEXCHANGE, APROCESS, NMESSAGE, NPARTY};
use crate::files::{FILES_IN, FIND_FILE, FileView, Filed, FilesIn, REQUEUE, Requeue, Requeued};
use crate::folders::{FOLDERS, Shelves, path_of, place_of};
use crate::message::digest;
use crate::message::name::FileName;
use crate::packs::{Packed, Unread};

/// A file may be moved while it is looked for.
const LOOKS: usize = 3;

pub(super) fn routes() -> Vec<Route> {
    let of_one = |route: Route| route.tag(TAG).param("name", "Name of the file").errors(&[NMESSAGE, codes::XBLOB]);
    vec![
        Route::get("/v1/{ns}/exchange/folders", folder)
            .tag(TAG)
            .summary("List the files of a folder of a database")
            .about(
                "In the order of their messages. `folder` is Messages, Prepared, Log, Unknown or Error. The list is made from the index: \
                 where there are no folders on a disk it is the same.",
            )
            .roles(LOOKERS)
            .query::<FolderQuery>()
            .answers::<List<FileView>>(200)
            .errors(&[NPARTY, codes::ALIMIT]),
        of_one(Route::get("/v1/{ns}/exchange/files/{name}", show))
            .summary("Read the file of a message")
            .about("The message, as it came.")
            .roles(LOOKERS)
            .answers_text("application/json"),
        of_one(Route::post("/v1/{ns}/exchange/files/{name}/requeue", requeue))
            .summary("Put a message back into the queue")
            .about(
                "From Log, Unknown or Error back to Messages: it is given again, and what was said of it is forgotten. A message that a \
                 process has is refused. One that waits already stays as it is.",
            )
            .roles(WRITERS)
            .answers_nothing()
            .errors(&[APROCESS, AEXCHANGE]),
    ]
}

/// Which folder.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct FolderQuery {
    /// Of which database; a database's key need not say.
    #[param(nullable = false)]
    db: Option<String>,
    /// Messages, Prepared, Log, Unknown or Error.
    folder: String,
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

#[derive(Deserialize)]
struct FilePath {
    name: String,
}

async fn folder(api: Api, QueryOf(query): QueryOf<FolderQuery>) -> ApiResult<List<FileView>> {
    let wrong = |why: String| ApiError::refused(codes::ABODY, format!("query: {why}"));
    let db = looked_at(&api, query.db)?.ok_or_else(|| wrong("say of which database (db)".into()))?;
    let names = FOLDERS.map(|(_, folder)| folder).join(", ");
    let place = place_of(&query.folder).ok_or_else(|| wrong(format!("folder is one of {names}")))?.to_owned();
    let page = api.page(&PageQuery { limit: query.limit, after: None })?;
    let after = given(query.after).map(|text| cursor(&text).ok_or_else(|| wrong("after is no cursor of ours".into())));
    let wanted = FilesIn { db, place, after: after.transpose()?, limit: page.and_one() };
    let found = api.read(&FILES_IN, wanted).await?;
    Ok(found.map(|items| List::cut(items, page.limit, |file| file.cursor.clone())))
}

fn cursor(text: &str) -> Option<(i64, i64, i64)> {
    let parts: Option<Vec<i64>> = text.split('.').map(|part| part.parse().ok()).collect();
    match parts?[..] {
        [at, ord, number] => Some((at, ord, number)),
        _ => None,
    }
}

async fn show(api: Api, PathOf(FilePath { name }): PathOf<FilePath>) -> Result<Response, ApiError> {
    let own = Speaker::database(&api)?;
    let text = text_of(&api, &named(&name)?, own).await?;
    let (head, _) = api.answer(()).into_response().into_parts();
    Ok(Response::from_parts(head, Body::from(text)))
}

async fn requeue(api: Api, PathOf(FilePath { name }): PathOf<FilePath>, body: NoBody) -> ApiResult<Requeued> {
    check_unbound(&api)?;
    let name = named(&name)?;
    let text = text_of(&api, &name, None).await?;
    api.call(&REQUEUE, body.with(Requeue { name, text: Some(text) })).await
}

/// What a name says; none of ours is as one that is not there.
fn named(name: &str) -> Result<FileName, ApiError> {
    let shown = kernel::watch::shown(name, 300);
    FileName::read(name).ok_or_else(|| ApiError::refused(NMESSAGE, format!("no message with the file `{shown}`")))
}

/// The text of a message, from the store, its pack or its file.
pub(crate) async fn text_of(api: &Api, name: &FileName, own: Option<String>) -> Result<String, ApiError> {
    let mut reason = String::new();
    for _ in 0..LOOKS {
        let filed = api.read(&FIND_FILE, name.clone()).await?.out;
        if own.as_ref().is_some_and(|own| *own != filed.db) {
            return Err(ApiError::refused(NMESSAGE, format!("no message with the file `{}`", name.text())));
        }
        match read(api, name, filed).await {
            Ok(text) => return Ok(text),
            Err(Unread::Away(why)) => {
                return Err(ApiError::refused(codes::XSTORE, format!("the text of this message is in a blob: {why}")));
            }
            Err(Unread::Damaged(why)) => reason = why,
        }
    }
    tracing::warn!(file = %name.text(), reason, "the file of a message cannot be read");
    Err(ApiError::refused(codes::XBLOB, "the file of this message is missing, or not what was received"))
}

async fn read(api: &Api, name: &FileName, filed: Filed) -> Result<String, Unread> {
    match filed {
        Filed { text: Some(text), .. } => Ok(text),
        Filed { packed: Some(packed), .. } => read_packed(api, packed).await,
        filed => read_file(api, name, filed).await.map_err(|error| Unread::Damaged(error.to_string())),
    }
}

async fn read_packed(api: &Api, packed: Packed) -> Result<String, Unread> {
    let (kernel, namespace) = (api.kernel().clone(), api.namespace().clone());
    let reading = tokio::task::spawn_blocking(move || packed.read(&kernel, &namespace));
    reading.await.unwrap_or_else(|panic| Err(Unread::Away(panic.to_string())))
}

async fn read_file(api: &Api, name: &FileName, filed: Filed) -> io::Result<String> {
    let place = filed.on_disk.unwrap_or_default();
    let path = path_of(&filed.db, &place, &name.text()).ok_or_else(|| io::Error::other("it lies nowhere"))?;
    let (shelves, namespace) = (api.kernel().common::<Shelves>(), api.namespace().clone());
    let bytes_max = filed.size.unsigned_abs();
    let reading = move || shelves.of(&namespace)?.get(&path, bytes_max);
    let bytes = tokio::task::spawn_blocking(reading).await.map_err(io::Error::other)??;
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    if digest(&text) == filed.digest[..] { Ok(text) } else { Err(io::Error::other("it is not what was received")) }
}
