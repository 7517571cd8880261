//! Who asks, decided before the router sees the request (KER-32).
//!
//! Invariant: without a valid key every path below `/v1` answers the same 401, known or unknown, whatever the method: an
//! outsider learns neither routes nor namespaces. Only a public route of the table, matched by method and path, is let
//! through. That a namespace is full or closed is told only to whoever has shown a valid key. A store that cannot be asked is a
//! fault (503), never a refusal (401): a client must not throw its key away.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use base::{OpError, OpResult, codes};
use kernel::{Caller, Namespace, Role};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::admission::Stay;
use crate::app::Shared;
use crate::error::ApiError;
use crate::watch::Trace;

/// Longest key that is looked at; ours have 68 characters, an operator's own may be longer.
const KEY_MAX: usize = 512;
/// Time for looking up a key.
const LOOK_UP: Duration = Duration::from_secs(10);

/// A caller in a namespace.
#[derive(Clone)]
pub(crate) struct Visitor {
    pub(crate) ns: Arc<Namespace>,
    pub(crate) caller: Caller,
}

/// The part of a path after `/v1`; `None` if it does not lie there.
fn below_v1(path: &str) -> Option<&str> {
    path.strip_prefix("/v1").filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Lets a request in: leaves a [`Visitor`] in requests below `/v1`, with a place in its namespace.
pub(crate) async fn admit(shared: &Shared, request: &mut Request, stay: &Arc<Stay>) -> Result<(), ApiError> {
    let Some(below) = below_v1(request.uri().path()) else { return Ok(()) };
    let name = below.split('/').nth(1).unwrap_or_default().to_owned();
    let is_public = shared.is_public(request.method(), request.uri().path());
    let visitor = if is_public {
        anybody(shared, &name, stay)?
    } else {
        key_holder(shared, &name, request.headers(), stay).await?
    };
    let (now, changes) = (shared.kernel().env().clock.wall(), !request.method().is_safe());
    visitor.ns.standing().check(&visitor.caller, changes, now)?;
    if let Some(trace) = request.extensions().get::<Arc<Trace>>() {
        trace.set_caller(&visitor.caller.name);
    }
    request.extensions_mut().insert(visitor);
    Ok(())
}

/// The caller of a public route.
fn anybody(shared: &Shared, name: &str, stay: &Stay) -> Result<Visitor, ApiError> {
    let ns = shared.kernel().namespace(name)?;
    stay.enter(&shared.admission().tenant(&ns), None)?;
    Ok(Visitor { ns, caller: Caller::public() })
}

async fn key_holder(shared: &Shared, name: &str, headers: &HeaderMap, stay: &Arc<Stay>) -> Result<Visitor, ApiError> {
    let key = bearer(headers)?;
    match shared.kernel().namespace(name) {
        Ok(ns) => {
            let tenant = shared.admission().tenant(&ns);
            tenant.check_room(key)?;
            let caller = who(shared, &ns, key, stay).await?.ok_or_else(unknown_key)?;
            stay.enter(&tenant, Some(key))?;
            Ok(Visitor { ns, caller })
        }
        Err(no_namespace) => {
            let everywhere = shared.kernel().admin_namespace();
            let caller = who(shared, &everywhere, key, stay).await?.filter(|caller| caller.role == Role::Admin);
            let refusal = if name.is_empty() { no_route() } else { no_namespace.into() };
            Err(caller.map_or_else(unknown_key, |_| refusal))
        }
    }
}

async fn who(shared: &Shared, ns: &Arc<Namespace>, key: &str, stay: &Arc<Stay>) -> Result<Option<Caller>, ApiError> {
    let (tell, told) = oneshot::channel();
    let stay = stay.clone();
    let done = Box::new(move |caller: OpResult<Option<Caller>>| {
        drop(stay);
        drop(tell.send(caller));
    });
    shared.kernel().authenticate(ns, key, done);
    match timeout(LOOK_UP, told).await {
        Ok(Ok(Ok(caller))) => Ok(caller),
        Ok(Ok(Err(error))) => Err(not_now(error)),
        Ok(Err(_)) | Err(_) => Err(ApiError::refused(codes::XSTORE, "the key could not be looked up in time")),
    }
}

/// A look-up that failed: a bug stays one, everything else passes by itself.
fn not_now(error: OpError) -> ApiError {
    if error.code.passes() || error.code.letter() == 'B' {
        return error.into();
    }
    ApiError::refused(codes::XSTORE, format!("the key could not be looked up: {error}"))
}

/// The key of `Authorization: Bearer <key>`.
fn bearer(headers: &HeaderMap) -> Result<&str, ApiError> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return Err(unknown_key()) };
    let text = value.to_str().map_err(|_| unknown_key())?;
    let (scheme, key) = text.split_once(' ').ok_or_else(unknown_key)?;
    let key = key.trim_start_matches(' ');
    let well_formed = !key.is_empty() && key.len() <= KEY_MAX && key.bytes().all(|byte| byte.is_ascii_graphic());
    if scheme.eq_ignore_ascii_case("bearer") && well_formed { Ok(key) } else { Err(unknown_key()) }
}

/// One text for every reason, so that nothing can be told apart.
fn unknown_key() -> ApiError {
    ApiError::refused(codes::SKEY, "this needs a valid key: Authorization: Bearer <key>")
}

pub(crate) fn no_route() -> ApiError {
    ApiError::refused(codes::NROUTE, "no such path")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[&str], key: Option<&str>) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        assert_eq!(bearer(&headers).ok(), key, "{values:?}");
    }

    #[test]
    fn ker_32_only_one_well_formed_bearer_is_read() {
        check(&["Bearer fst_1"], Some("fst_1"));
        check(&["bEARER   fst_1"], Some("fst_1"));
        check(&[], None);
        check(&["Bearer a", "Bearer a"], None);
        check(&["Bearer a, Bearer b"], None);
        for bad in ["Bearer", "Bearer ", "Basic YTpi", "fst_1", "Bearer a b", "Bearer\ta", "Bearer a\u{e4}"] {
            check(&[bad], None);
        }
        check(&[&format!("Bearer {}", "x".repeat(KEY_MAX + 1))], None);
    }

    #[test]
    fn ker_31_a_look_up_that_failed_passes_by_itself_unless_it_is_a_bug() {
        for (failed, told) in [
            (codes::XSTORE, codes::XSTORE),
            (codes::XBUSY, codes::XBUSY),
            (codes::TTIME, codes::XSTORE),
            (codes::CSERIAL, codes::XSTORE),
            (codes::BDETECTED, codes::BDETECTED),
        ] {
            assert_eq!(not_now(OpError::new(failed, "")).0.code, told, "{}", failed.name);
        }
    }

    #[test]
    fn ker_32_what_lies_below_v1() {
        assert_eq!(below_v1("/v1"), Some(""));
        assert_eq!(below_v1("/v1/main/keys"), Some("/main/keys"));
        for elsewhere in ["/", "/v10", "/v1x/a", "/V1/a", "//v1/a", "/docs"] {
            assert_eq!(below_v1(elsewhere), None, "{elsewhere}");
        }
    }
}
