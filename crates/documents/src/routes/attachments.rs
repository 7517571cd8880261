//! Attachments over HTTP (DOC-12): the bytes are streamed in and out, and never pass through the writer.

use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use base::codes;
use serde::Deserialize;
use web::{Answer, Api, ApiError, ApiResult, NoBody, PathOf, Route, StreamedBody};

use super::{READERS, TAG, WRITERS};
use crate::attach::{ATTACH, ATTACHABLE, ATTACHED, Attach, Attached, AttachmentPath, DETACH};
use crate::attachments::Attachment;
use crate::class::{ATTACHMENT, ensure_offered};
use crate::codes::{AITEM, NATTACHMENT, NCLASS, NDOC};
use crate::filter::shows;

const PATH: &str = "/v1/{ns}/docs/{class}/{id}/attachments/{key}";

pub(super) fn routes() -> Vec<Route> {
    let described = |route: Route| {
        route
            .tag(TAG)
            .param("class", "Class of the document")
            .param("id", "Id of the document")
            .param("key", "Key of the attachment")
            .errors(&[NCLASS, NDOC])
    };
    vec![
        described(Route::put(PATH, put))
            .summary("Attach a file to a document")
            .about(
                "The body is any bytes; Content-Type is kept with them (`.g`, `.c` or `.gc` at its end says that they are gzipped, \
                 encrypted or both). They are stored once per namespace however many documents name them. What was there \
                 under the key stays readable by its SHA-256 for a day.",
            )
            .roles(WRITERS)
            .takes_bytes()
            .answers::<Attached>(200)
            .errors(&[AITEM]),
        described(Route::get(PATH, get))
            .summary("Read an attachment")
            .about("Takes `Range`, `If-None-Match` (the ETag is the SHA-256) and HEAD.")
            .roles(READERS)
            .answers_text("application/octet-stream")
            .errors(&[NATTACHMENT, codes::ARANGE, codes::XBLOB]),
        described(Route::delete(PATH, delete))
            .summary("Detach a file from a document")
            .roles(WRITERS)
            .answers_nothing()
            .errors(&[NATTACHMENT]),
    ]
}

#[derive(Deserialize)]
struct Place {
    class: String,
    id: String,
    key: String,
}

impl From<Place> for AttachmentPath {
    fn from(Place { class, id, key }: Place) -> Self {
        Self { class, id, key }
    }
}

async fn put(api: Api, headers: HeaderMap, PathOf(place): PathOf<Place>, body: StreamedBody) -> ApiResult<Attached> {
    let at = AttachmentPath::from(place);
    ensure_offered(&api).await;
    // Before the bytes are taken: they may be many.
    api.read(&ATTACHABLE, at.clone()).await?;
    let mime = headers.get(CONTENT_TYPE).map_or(Ok("application/octet-stream"), |value| value.to_str());
    let mime = mime.map_err(|_| ApiError::refused(codes::AHEADER, "Content-Type is no text"))?.to_owned();
    let received = api.receive_blob(body, None).await?;
    let sha = received.stored.name.sha.to_string();
    api.call_natural(&ATTACH, Attach { at, mime, sha }).await
}

async fn get(api: Api, headers: HeaderMap, PathOf(place): PathOf<Place>) -> Result<Response, ApiError> {
    let at = AttachmentPath::from(place);
    let Attachment { mime, sha, .. } = api.read(&ATTACHED, at.clone()).await?.out;
    if !shows(&api, &at.class, &at.id, &replica::ItemKey::new(ATTACHMENT, &at.key)) {
        return Err(ApiError::refused(
            NATTACHMENT,
            format!("document {}/{} has no attachment `{}`", at.class, at.id, at.key),
        ));
    }
    let sha = sha.parse().map_err(|_| ApiError::refused(codes::BDETECTED, "an attachment has no SHA-256"))?;
    api.send_blob(sha, &mime, &headers).await
}

async fn delete(api: Api, PathOf(place): PathOf<Place>, body: NoBody) -> ApiResult<()> {
    let answer: Answer<_> = api.call(&DETACH, body.with(place.into())).await?;
    Ok(answer.map(drop))
}
