//! Routes of blobs (KER-26): bytes are streamed in and out in constant memory, and never pass through the writer.

mod download;
mod range;
mod upload;

use base::{Sha, codes};
use kernel::Role;
use kernel::blobs::{USAGE, Usage};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::answer::ApiResult;
use crate::api::Api;
use crate::error::ApiError;
use crate::route::{Route, Service};
pub use upload::ReceivedBlob;
pub(crate) use upload::{blocking, discard};

const TAG: &str = "Blobs";
const WRITERS: &[Role] = &[Role::Operator, Role::App];
const READERS: &[Role] = &[Role::Operator, Role::Reader, Role::App];

/// The bytes that a `Range` asks for of so many. For the fuzz targets.
pub(crate) fn ranged(header: &str, size: u64) -> Option<std::ops::Range<u64>> {
    match range::wanted(Some(header), size) {
        range::Wanted::Whole => Some(0..size),
        range::Wanted::Part(part) => Some(part),
        range::Wanted::Nothing => None,
    }
}

/// The service with its routes.
pub(crate) const SERVICE: Service = Service::new(&kernel::blobs::SERVICE, routes);

fn routes() -> Vec<Route> {
    vec![
        Route::put("/v1/{ns}/blobs/{sha256}", upload::put)
            .roles(WRITERS)
            .tag(TAG)
            .summary("Store a blob")
            .about(
                "The body is any bytes, of any Content-Type, at most 2 GiB. They are durable when this answers: 201 if they \
                 were new, 200 if they were stored already. Bytes that do not have the SHA-256 of the path are refused and \
                 leave nothing. A blob to which nothing refers is kept for 24 hours; storing it again begins them anew.",
            )
            .param("sha256", "SHA-256 of the bytes, 64 digits of 0-9 and a-f")
            .takes_bytes()
            .answers::<BlobView>(201)
            .errors(&[codes::ASHA, codes::ATYPE]),
        Route::get("/v1/{ns}/blobs/{sha256}", download::get)
            .roles(READERS)
            .tag(TAG)
            .summary("Read a blob")
            .about(
                "Takes `Range` (one range: answered 206), `If-None-Match` (304) and HEAD. Every piece is compared with its \
                 digest before it is sent: a transfer that meets damaged bytes breaks off.",
            )
            .param("sha256", "SHA-256 of the bytes, 64 digits of 0-9 and a-f")
            .answers_text("application/octet-stream")
            .errors(&[codes::ABODY, codes::NBLOB, codes::ARANGE, codes::XBLOB]),
        Route::get("/v1/{ns}/blobs", usage)
            .roles(READERS)
            .tag(TAG)
            .summary("Show how much is stored")
            .answers::<BlobUsage>(200),
    ]
}

#[derive(Deserialize)]
struct BlobPath {
    sha256: String,
}

impl BlobPath {
    fn sha(&self) -> Result<Sha, ApiError> {
        self.sha256.parse().map_err(|invalid| ApiError::refused(codes::ABODY, format!("path: {invalid}")))
    }
}

/// A blob that is stored.
#[derive(Serialize, ToSchema)]
struct BlobView {
    /// SHA-256 of its bytes.
    #[schema(example = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")]
    sha256: String,
    /// How many bytes it has.
    size: i64,
}

/// What a namespace stores.
#[derive(Serialize, ToSchema)]
struct BlobUsage {
    /// Blobs.
    blobs: i64,
    /// Their bytes; each blob is stored once.
    bytes: i64,
}

async fn usage(api: Api) -> ApiResult<BlobUsage> {
    let usage = api.read(&USAGE, ()).await?;
    Ok(usage.map(|Usage { blobs, bytes }| BlobUsage { blobs, bytes }))
}
