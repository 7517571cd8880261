//! Who asks, decided before the router sees the request (KER-32).
//!
//! Invariant: without a valid key every path below `/v1` answers the same 401, known or unknown, whatever the method: an
//! outsider learns neither routes nor namespaces. Only a public route of the table, matched by method and path, is let
//! through. That a namespace is full or closed is told only to whoever has shown a valid key. A store that cannot be asked is a
//! fault (503), never a refusal (401): a client must not throw its key away.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, COOKIE};
use base::{Health, OpError, OpResult, codes};
use kernel::accounts::session::{Holder, csrf_token};
use kernel::{Caller, Namespace, Nodes, ReadDone, Role};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::address::{self, Peer};
use crate::admission::Stay;
use crate::app::Shared;
use crate::console;
use crate::error::ApiError;
use crate::forgery;
use crate::watch::Trace;

/// Longest key that is looked at; ours have 68 characters, an operator's own may be longer.
const KEY_MAX: usize = 512;
/// Time for looking up a key.
const LOOK_UP: Duration = Duration::from_secs(10);

/// The cookie of a console session.
pub(crate) const COOKIE_NAME: &str = "fastness_session";

/// A caller in a namespace.
#[derive(Clone)]
pub(crate) struct Visitor {
    pub(crate) ns: Arc<Namespace>,
    pub(crate) caller: Caller,
    /// Where they come from.
    pub(crate) address: IpAddr,
    /// The session, if it was one that let them in.
    pub(crate) session: Option<Arc<OpenSession>>,
}

/// A session that let somebody in.
pub(crate) struct OpenSession {
    pub(crate) holder: Holder,
    /// The token that a change must carry.
    pub(crate) csrf: String,
}

/// What a request shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown<'a> {
    Key(&'a str),
    Session(&'a str),
}

impl<'a> Shown<'a> {
    /// A key wins over a cookie, which a browser sends by itself.
    fn read(headers: &'a HeaderMap) -> Result<Self, ApiError> {
        if headers.contains_key(AUTHORIZATION) {
            return bearer(headers).map(Self::Key);
        }
        session_cookie(headers).map(Self::Session).ok_or_else(unknown_key)
    }

    fn text(self) -> &'a str {
        match self {
            Self::Key(text) | Self::Session(text) => text,
        }
    }
}

/// The part of a path after `/v1`; `None` if it does not lie there.
fn below_v1(path: &str) -> Option<&str> {
    path.strip_prefix("/v1").filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The namespace that a path is about: the first part below `/v1` or `/console`. Names with `_` are the console's own pages, which
/// are the administrators' namespace's.
fn namespace_of<'a>(shared: &'a Shared, path: &'a str) -> Option<&'a str> {
    let name = |below: &'a str| below.split('/').nth(1).unwrap_or_default();
    let of_page = |name: &'a str| if name.starts_with('_') { &shared.kernel().config().admin_namespace } else { name };
    below_v1(path).map(name).or_else(|| console::below(path).map(name).map(of_page))
}

/// Lets a request in: leaves a [`Visitor`] in requests below `/v1` and `/console`, with a place in its namespace.
pub(crate) async fn admit(shared: &Shared, request: &mut Request, stay: &Arc<Stay>) -> Result<(), ApiError> {
    let Some(name) = namespace_of(shared, request.uri().path()).map(str::to_owned) else { return Ok(()) };
    let is_public = shared.is_public(request.method(), request.uri().path());
    if is_public && below_v1(request.uri().path()).is_none() {
        return Ok(());
    }
    let address = address_of(shared, request);
    let visitor = if is_public {
        anybody(shared, &name, address, stay)?
    } else {
        let visitor = somebody(shared, &name, request.headers(), address, stay).await?;
        if let Some(session) = &visitor.session {
            forgery::check(request, &session.csrf, shared.config().own_origin.as_deref())?;
        }
        visitor
    };
    shared.kernel().check_read(&visitor.ns, &visitor.caller)?;
    if let Some(trace) = request.extensions().get::<Arc<Trace>>() {
        trace.set_caller(&visitor.caller.name);
    }
    request.extensions_mut().insert(visitor);
    Ok(())
}

/// Requests that did not come over a connection (in tests) come from nowhere.
pub(crate) fn address_of(shared: &Shared, request: &Request) -> IpAddr {
    let peer = request.extensions().get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0);
    address::client(peer, request.headers(), &shared.config().trusted_proxies)
}

/// The caller of a public route.
fn anybody(shared: &Shared, name: &str, address: IpAddr, stay: &Stay) -> Result<Visitor, ApiError> {
    let ns = shared.kernel().namespace(name)?;
    stay.enter(&shared.admission().tenant(&ns), None)?;
    Ok(Visitor { ns, caller: Caller::public(), address, session: None })
}

/// Whoever shows a key or a session, with a place in the namespace.
pub(crate) async fn somebody(
    shared: &Shared,
    name: &str,
    headers: &HeaderMap,
    address: IpAddr,
    stay: &Arc<Stay>,
) -> Result<Visitor, ApiError> {
    let shown = Shown::read(headers)?;
    match shared.kernel().namespace(name) {
        Ok(ns) => {
            let tenant = shared.admission().tenant(&ns);
            tenant.check_room(shown.text())?;
            let (caller, session) = who(shared, &ns, shown, stay).await?.ok_or_else(unknown_key)?;
            stay.enter(&tenant, Some(shown.text()))?;
            Ok(Visitor { ns, caller, address, session })
        }
        Err(no_namespace) => {
            let everywhere = shared.kernel().admin_namespace();
            let found = who(shared, &everywhere, shown, stay).await?;
            let admin = found.filter(|(caller, _)| caller.role == Role::Admin);
            let refusal = if name.is_empty() { no_route() } else { no_namespace.into() };
            Err(admin.map_or_else(unknown_key, |_| refusal))
        }
    }
}

/// Whether a connection that stays may stay: its key may be revoked meanwhile, its namespace closed or removed. What cannot be
/// looked up now is looked up again later.
pub(crate) async fn may_stay(shared: &Shared, (ns, caller): (&Arc<Namespace>, &Caller), headers: &HeaderMap) -> bool {
    let kernel = shared.kernel();
    let served = kernel.namespace(&ns.name).is_ok_and(|now| Arc::ptr_eq(&now, ns));
    if !served || kernel.check_read(ns, caller).is_err() {
        return false;
    }
    let Ok(shown) = Shown::read(headers) else { return false };
    let (tell, told) = oneshot::channel();
    match shown {
        Shown::Key(key) => {
            let done = move |found: OpResult<Option<Caller>>| drop(tell.send(found.map(|found| found.is_some())));
            shared.kernel().authenticate(ns, key, Box::new(done));
        }
        Shown::Session(token) => {
            let done = move |found: OpResult<Option<_>>| drop(tell.send(found.map(|found| found.is_some())));
            shared.kernel().authenticate_session(ns, token, Box::new(done));
        }
    }
    !matches!(timeout(LOOK_UP, told).await, Ok(Ok(Ok(false))))
}

/// Whether a connection that stays should go elsewhere: this node does not reach the store, and another may. Alone there is no elsewhere,
/// and the connection waits with the server.
pub(crate) fn should_move(shared: &Shared, ns: &Namespace) -> bool {
    is_better_elsewhere(shared.kernel().config().nodes, &ns.store.health())
}

fn is_better_elsewhere(nodes: Nodes, health: &Health) -> bool {
    match (nodes, health) {
        (Nodes::Several, Health::Down(_)) => true,
        (Nodes::Several, Health::Good | Health::ReadOnly(_)) | (Nodes::One, _) => false,
    }
}

/// Whoever was recognised, with the session if it was one.
type Recognised = (Caller, Option<Arc<OpenSession>>);

async fn who(
    shared: &Shared,
    ns: &Arc<Namespace>,
    shown: Shown<'_>,
    stay: &Arc<Stay>,
) -> Result<Option<Recognised>, ApiError> {
    match shown {
        Shown::Key(key) => {
            let found = looked_up((shared, ns), stay, |done| shared.kernel().authenticate(ns, key, done)).await?;
            Ok(found.map(|caller| (caller, None)))
        }
        Shown::Session(token) => {
            let found =
                looked_up((shared, ns), stay, |done| shared.kernel().authenticate_session(ns, token, done)).await?;
            let csrf = csrf_token(token);
            Ok(found.map(|holder| (holder.caller.clone(), Some(Arc::new(OpenSession { holder, csrf })))))
        }
    }
}

async fn looked_up<T: Send + 'static>(
    (shared, ns): (&Shared, &Namespace),
    stay: &Arc<Stay>,
    look_up: impl FnOnce(ReadDone<Option<T>>),
) -> Result<Option<T>, ApiError> {
    let (tell, told) = oneshot::channel();
    let stay = stay.clone();
    look_up(Box::new(move |found| {
        drop(stay);
        drop(tell.send(found));
    }));
    match timeout(LOOK_UP, told).await {
        Ok(Ok(Ok(found))) => Ok(found),
        Ok(Ok(Err(error))) => {
            undecided(shared, ns, &error);
            Err(not_now(error))
        }
        Ok(Err(_)) | Err(_) => Err(ApiError::refused(codes::XSTORE, "the key could not be looked up in time")),
    }
}

/// A login that could not be decided goes to the log at once and to the journal when the store works again (KER-28).
fn undecided(shared: &Shared, ns: &Namespace, error: &OpError) {
    let env = shared.kernel().env();
    let text = format!("a key could not be looked up: {}", error.code.name);
    ns.watched.later.tell((env.clock.as_ref(), env.entropy.as_ref()), "login.undecided", error.code.name, &text);
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

/// What lets a caller in. For the fuzz targets.
pub(crate) fn shown(headers: &HeaderMap) -> Option<&str> {
    Shown::read(headers).ok().map(Shown::text)
}

/// The token of the one session cookie; of two, one may have been planted.
fn session_cookie(headers: &HeaderMap) -> Option<&str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut tokens = pairs.filter(|(name, _)| *name == COOKIE_NAME).map(|(_, token)| token);
    let (Some(token), None) = (tokens.next(), tokens.next()) else { return None };
    (token.len() == 64 && token.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(token)
}

/// One text for every reason, so that nothing can be told apart.
pub(crate) fn unknown_key() -> ApiError {
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
    fn ker_23_a_stream_leaves_a_node_that_does_not_reach_the_store_if_there_are_others() {
        let down = Health::Down("the server does not answer".into());
        assert!(is_better_elsewhere(Nodes::Several, &down));
        assert!(!is_better_elsewhere(Nodes::One, &down), "there is no elsewhere");
        for health in [Health::Good, Health::ReadOnly("the disk is full".into())] {
            assert!(!is_better_elsewhere(Nodes::Several, &health), "{health:?}: elsewhere it is the same");
        }
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
