//! Export over HTTP (DOC-16): one tar file, made while it is sent.

use std::collections::BTreeSet;

use axum::response::Response;
use base::{Sha, codes};
use replica::{Content, DocCopy};
use serde::Deserialize;
use utoipa::ToSchema;
use web::{Api, ApiError, ArchiveFile, JsonBody, Route};

use super::{READERS, TAG};
use crate::attachments::Attachment;
use crate::class::ATTACHMENT;
use crate::codes::{NCLASS, NDOC};
use crate::export::EXPORT;
use crate::filter::{Excluded, seen_by};
use crate::get::view;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/{ns}/docs/export", export)
            .reads()
            .tag(TAG)
            .summary("Export documents with their attachments")
            .about(
                "All documents as they are together at one moment: a tar file with `documents.ndjson`, one document per line, and \
                 `blobs/<sha256>` for every attachment but those that you say you have.",
            )
            .roles(READERS)
            .takes::<Export>()
            .answers_text("application/x-tar")
            .errors(&[NCLASS, NDOC, codes::ALIMIT, codes::NBLOB, codes::XBLOB]),
    ]
}

/// What to export.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Export {
    /// The documents, at most 1,000.
    docs: Vec<DocName>,
    /// SHA-256 of attachments that need not be sent again.
    #[serde(default)]
    have: Vec<String>,
}

/// A document.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct DocName {
    /// Class.
    c: String,
    /// Id.
    id: String,
}

async fn export(api: Api, body: JsonBody<Export>) -> Result<Response, ApiError> {
    let Export { docs, have } = body.value;
    let have: BTreeSet<Sha> = have.iter().map(|sha| parsed(sha)).collect::<Result<_, _>>()?;
    let named = docs.into_iter().map(|DocName { c, id }| (c, id)).collect();
    let found = api.read(&EXPORT, named).await?.out;
    let (mut lines, mut shas) = (Vec::new(), BTreeSet::new());
    for doc in &found {
        let Some(shown) = seen_by(&api, &doc.copy, None, Excluded::LeftOut) else { continue };
        serde_json::to_writer(&mut lines, &view(doc, &shown))
            .map_err(|error| ApiError::refused(codes::BDETECTED, error.to_string()))?;
        lines.push(b'\n');
        shas.extend(attached(&shown));
    }
    let blobs = shas.difference(&have).map(|sha| ArchiveFile::Blob(format!("blobs/{sha}"), *sha));
    let files = std::iter::once(ArchiveFile::Bytes("documents.ndjson".into(), lines)).chain(blobs);
    api.send_archive(files.collect()).await
}

fn parsed(sha: &str) -> Result<Sha, ApiError> {
    sha.parse().map_err(|invalid| ApiError::refused(codes::ABODY, format!("have: {invalid}")))
}

fn attached(copy: &DocCopy) -> impl Iterator<Item = Sha> {
    let attachments = copy.items.iter().filter(|(key, _)| key.c == ATTACHMENT);
    attachments.filter_map(|(_, item)| match &item.content {
        Some(Content::Json(value)) => Attachment::of(&value.to_string()).ok()?.sha().ok(),
        Some(Content::Raw(_)) | None => None,
    })
}
