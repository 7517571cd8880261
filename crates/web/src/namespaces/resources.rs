//! Routes of resource files (KER-2): put by administrators, read by everybody.
//!
//! Invariant: what was uploaded never acts as our own page. It is served with its stored media type, unguessed, in a sandbox
//! without scripts and without our origin; only media types of a list are taken.

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH,
};
use axum::response::{IntoResponse, Response};
use base::codes;
use kernel::namespaces::{
    Changed, FIND_RESOURCE, FindResource, Found, LIST_RESOURCES, PUT_RESOURCE, PutResource, REMOVE_RESOURCE,
    RESOURCE_BYTES_MAX, ResourceInfo, ResourceName,
};
use serde::{Deserialize, Serialize};
use tokio::sync::OwnedSemaphorePermit;
use utoipa::ToSchema;

use super::{NamePath, TAG, check_admin};
use crate::answer::{ApiResult, List};
use crate::api::Api;
use crate::body::{NoBody, RawBody};
use crate::error::{ApiError, BUSY};
use crate::params::PathOf;
use crate::route::{Route, RouteLimits};
use crate::time::rfc3339;

const ONE: &str = "/v1/{ns}/namespaces/{name}/resources/{*path}";
/// What a browser may keep without asking again.
const CACHE: HeaderValue = HeaderValue::from_static("public, max-age=60");
/// No scripts, no forms, no origin of ours.
const SANDBOX: HeaderValue = HeaderValue::from_static("sandbox");

/// What is taken, without parameters.
const MEDIA_TYPES: [&str; 28] = [
    "application/javascript",
    "application/json",
    "application/manifest+json",
    "application/octet-stream",
    "application/pdf",
    "application/wasm",
    "application/xml",
    "application/zip",
    "audio/mpeg",
    "audio/ogg",
    "font/otf",
    "font/ttf",
    "font/woff",
    "font/woff2",
    "image/avif",
    "image/gif",
    "image/jpeg",
    "image/png",
    "image/svg+xml",
    "image/vnd.microsoft.icon",
    "image/webp",
    "image/x-icon",
    "text/css",
    "text/csv",
    "text/html",
    "text/javascript",
    "text/markdown",
    "text/plain",
];

pub(super) fn routes() -> Vec<Route> {
    let limits = RouteLimits { body_max: Some(RESOURCE_BYTES_MAX), ..RouteLimits::default() };
    vec![
        described(Route::put(ONE, put))
            .summary("Put a resource")
            .about(
                "Only on the administrators' namespace. The body is the file, at most 1 MiB, with its Content-Type; one that \
                 is there is replaced. Resources of the administrators' namespace itself are common to all.",
            )
            .limits(limits)
            .takes_bytes()
            .answers::<ResourceView>(200)
            .errors(&[codes::ALIMIT, codes::ATYPE])
            .for_unbound(),
        described(Route::delete(ONE, remove))
            .summary("Remove a resource")
            .about("Removing what is not there is no error.")
            .answers_nothing()
            .for_unbound(),
        Route::get("/v1/{ns}/namespaces/{name}/resources", list)
            .tag(TAG)
            .summary("List the resources of a namespace")
            .param("name", "Name of the namespace")
            .answers::<List<ResourceView>>(200),
        Route::get("/v1/{ns}/resources/{*path}", serve)
            .public()
            .tag(TAG)
            .summary("Get a resource")
            .about(
                "For everybody, without a key: the namespace's own, or else the common one. With its stored Content-Type, an \
                 ETag, and a policy that lets it act nowhere as a page of ours.",
            )
            .param("path", "Path of the resource")
            .answers_text("application/octet-stream")
            .errors(&[codes::NRESOURCE]),
    ]
}

fn described(route: Route) -> Route {
    route.tag(TAG).param("name", "Name of the namespace").param("path", "Path of the resource")
}

/// A resource as it is shown.
#[derive(Serialize, ToSchema)]
#[schema(as = Resource)]
struct ResourceView {
    /// Its path.
    #[schema(example = "style/shop.css")]
    path: String,
    /// Its media type.
    #[schema(example = "text/css; charset=utf-8")]
    media_type: String,
    /// SHA-256 of its bytes in hexadecimal; its ETag.
    sha256: String,
    /// How many bytes.
    size: i64,
    /// When it was put.
    #[schema(format = DateTime)]
    changed_at: String,
}

impl From<ResourceInfo> for ResourceView {
    fn from(info: ResourceInfo) -> Self {
        let ResourceInfo { path, media_type, sha256, size, changed_at } = info;
        Self { path, media_type, sha256, size, changed_at: rfc3339(base::Wall(changed_at)) }
    }
}

#[derive(Deserialize)]
struct OfNamespace {
    name: String,
    path: String,
}

#[derive(Deserialize)]
struct Served {
    path: String,
}

impl From<OfNamespace> for ResourceName {
    fn from(OfNamespace { name: namespace, path }: OfNamespace) -> Self {
        Self { namespace, path }
    }
}

async fn put(api: Api, PathOf(path): PathOf<OfNamespace>, body: RawBody) -> ApiResult<ResourceView> {
    check_admin(&api)?;
    let media_type = checked(&body.media_type)?;
    let body = body.map(|bytes, _| PutResource { name: path.into(), media_type, bytes });
    Ok(api.call(&PUT_RESOURCE, body).await?.map(Into::into))
}

async fn remove(api: Api, PathOf(path): PathOf<OfNamespace>, body: NoBody) -> ApiResult<Changed> {
    check_admin(&api)?;
    api.call(&REMOVE_RESOURCE, body.with(path.into())).await
}

async fn list(api: Api, PathOf(NamePath { name }): PathOf<NamePath>) -> ApiResult<List<ResourceView>> {
    check_admin(&api)?;
    let all = api.read(&LIST_RESOURCES, name).await?;
    Ok(all.map(|all| List { items: all.into_iter().map(Into::into).collect(), next: None }))
}

async fn serve(api: Api, PathOf(Served { path }): PathOf<Served>, headers: HeaderMap) -> Result<Response, ApiError> {
    let common = api.kernel().admin_namespace();
    let name = ResourceName { namespace: api.namespace().name.clone(), path };
    let input = FindResource { name, common: common.name.clone(), known: digests(&headers) };
    let Found { info, bytes } = api.read_in(&common, &FIND_RESOURCE, input).await?.out;
    let mut response = match bytes {
        Some(bytes) => Body::from(counted(&api, bytes)?).into_response(),
        None => StatusCode::NOT_MODIFIED.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, CACHE);
    headers.insert(CONTENT_SECURITY_POLICY, SANDBOX);
    let text = |text: String| HeaderValue::try_from(text).map_err(|_| unsendable());
    headers.insert(ETAG, text(format!("\"{}\"", info.sha256))?);
    headers.insert(CONTENT_TYPE, text(info.media_type)?);
    Ok(response)
}

fn unsendable() -> ApiError {
    ApiError::refused(codes::BDETECTED, "a stored media type is no header")
}

/// The digests of `If-None-Match`; weak ones too, for they are all the same bytes to us.
pub(crate) fn digests(headers: &HeaderMap) -> Vec<String> {
    let texts = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let tags = texts.flat_map(|text| text.split(',')).map(|tag| tag.trim().trim_start_matches("W/").trim_matches('"'));
    tags.filter(|tag| tag.len() == 64).take(16).map(str::to_owned).collect()
}

/// Bytes on their way to a client: they count as memory until they are sent.
struct Sent {
    bytes: Vec<u8>,
    _memory: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Sent {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

fn counted(api: &Api, bytes: Vec<u8>) -> Result<Bytes, ApiError> {
    let kib = u32::try_from(bytes.len().div_ceil(1_024)).unwrap_or(u32::MAX);
    let memory = api.shared().body_memory().clone().try_acquire_many_owned(kib);
    let memory = memory.map_err(|_| ApiError::refused(codes::XBUSY, BUSY))?;
    Ok(Bytes::from_owner(Sent { bytes, _memory: memory }))
}

/// The media type as it is stored: one of the list, with no parameter but the one charset that texts have.
fn checked(given: &str) -> Result<String, ApiError> {
    let mut parts = given.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default().to_ascii_lowercase();
    let utf8 = |part: &str| part.replace(['"', ' '], "").eq_ignore_ascii_case("charset=utf-8");
    let shown: String = given.chars().filter(|c| !c.is_control()).take(80).collect();
    if !MEDIA_TYPES.contains(&media_type.as_str()) || !parts.all(utf8) {
        let message = format!("Content-Type `{shown}` is not one that a resource may have");
        return Err(ApiError::refused(codes::ATYPE, message).with_list());
    }
    let is_text = media_type.starts_with("text/") || matches!(media_type.as_str(), "application/javascript");
    Ok(if is_text { format!("{media_type}; charset=utf-8") } else { media_type })
}

impl ApiError {
    fn with_list(self) -> Self {
        Self(self.0.with(format!("taken are {}", MEDIA_TYPES.join(", "))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_2_only_known_media_types_are_taken_and_texts_are_utf_8() {
        assert_eq!(checked("text/HTML").unwrap(), "text/html; charset=utf-8");
        assert_eq!(checked("text/css; charset=\"UTF-8\"").unwrap(), "text/css; charset=utf-8");
        assert_eq!(checked("image/svg+xml").unwrap(), "image/svg+xml");
        for bad in ["", "text", "text/html; charset=utf-7", "multipart/form-data; boundary=x", "text/html\r\nx: y"] {
            assert_eq!(checked(bad).unwrap_err().0.code, codes::ATYPE, "{bad}");
        }
    }

    #[test]
    fn ker_2_a_client_may_know_several_versions() {
        let mut headers = HeaderMap::new();
        let (one, two) = ("a".repeat(64), "b".repeat(64));
        headers.insert(IF_NONE_MATCH, format!("\"{one}\", W/\"{two}\", \"short\"").parse().unwrap());
        assert_eq!(digests(&headers), [one, two]);
    }
}
