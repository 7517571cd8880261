//! Logging in and out, and one's own password.

use axum::http::header::{HeaderValue, RETRY_AFTER, SET_COOKIE};
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Response};
use base::codes;
use kernel::Role;
use kernel::accounts::begin_login::{BEGIN_LOGIN, BeginLogin, LoginBegun};
use kernel::accounts::change_password::{CHANGE_PASSWORD, ChangePassword, PasswordChanged};
use kernel::accounts::end_session::{END_SESSION, EndSession};
use kernel::accounts::fail_login::{FAIL_LOGIN, FailLogin};
use kernel::accounts::open_session::{OPEN_SESSION, OpenSession, Opened};
use kernel::accounts::session::{IDLE_MS, LONGEST_MS, address_text, csrf_token, hash, token_text};
use kernel::accounts::{check_name, password};
use std::sync::Arc;

use super::view::{ConsoleLogin, ConsoleSession, Identity, PasswordChange};
use crate::answer::ApiResult;
use crate::api::Api;
use crate::auth::{self, COOKIE_NAME};
use crate::body::{JsonBody, NoBody};
use crate::error::ApiError;
use crate::forgery;
use crate::route::{Route, RouteLimits};
use crate::time::rfc3339;

const TAG: &str = "Sessions";
const EVERYBODY: &[Role] = &Role::ALL;
/// Two passwords at their longest, with every character escaped, fit: strangers need not send more.
const SMALL: RouteLimits = RouteLimits { body_max: Some(8 * 1024), body_max_set: None, body_timeout: None };

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/{ns}/sessions", login)
            .public()
            .tag(TAG)
            .summary("Log in")
            .about(
                "Opens a session of an account: the answer sets the cookie `fastness_session`. Every change by the session must carry \
                 the token `csrf` of this answer as X-CSRF-Token. Failed tries are slowed down.",
            )
            .limits(SMALL)
            .takes::<ConsoleLogin>()
            .answers::<ConsoleSession>(201)
            .errors(&[codes::SLOGIN, codes::SSLOW, codes::SCSRF]),
        Route::get("/v1/{ns}/sessions", who_am_i)
            .roles(EVERYBODY)
            .tag(TAG)
            .summary("Show who I am")
            .about("By key or by session; for a session also the token that its changes must carry.")
            .answers::<Identity>(200),
        Route::delete("/v1/{ns}/sessions", logout)
            .roles(EVERYBODY)
            .tag(TAG)
            .summary("Log out")
            .about("Ends the session of the cookie.")
            .answers_nothing(),
        Route::put("/v1/{ns}/sessions/password", change_password)
            .roles(EVERYBODY)
            .tag(TAG)
            .summary("Change one's own password")
            .about("Of the session's account, which must show its old password. Ends all its sessions: log in again.")
            .limits(SMALL)
            .takes::<PasswordChange>()
            .answers_nothing()
            .errors(&[codes::ALIMIT, codes::SLOGIN, codes::SSLOW]),
    ]
}

async fn login(api: Api, headers: HeaderMap, uri: Uri, body: JsonBody<ConsoleLogin>) -> Result<Response, ApiError> {
    // Otherwise a foreign page could log its own account in, and read what is done with it.
    forgery::check_origin(&headers, &uri, api.shared().config().own_origin.as_deref())?;
    let ConsoleLogin { account, password } = body.value;
    check_name(&account)?;
    let ns = api.namespace().clone();
    let fitting = match try_password(&api, &ns, &account, password).await? {
        Tried::Fits(hash) => hash,
        Tried::Refused(refusal) => return Ok(refusal),
    };
    let token = new_token(&api);
    let address = address_text(api.visitor().address);
    let input = OpenSession { account, password: fitting, hash: hash(&token), address };
    let opened = api.call_again(&ns, &OPEN_SESSION, input).await?;
    Ok(opened_answer(&api, &token, opened))
}

/// What came of showing a password.
enum Tried {
    /// It fits this hash.
    Fits(String),
    /// It does not, or it was too soon.
    Refused(Response),
}

/// Counts the try, looks at the password, writes down if it was wrong.
async fn try_password(
    api: &Api,
    ns: &Arc<kernel::Namespace>,
    account: &str,
    password: String,
) -> Result<Tried, ApiError> {
    let (account, address) = (account.to_owned(), address_text(api.visitor().address));
    let begin = BeginLogin { account: account.clone(), address: address.clone() };
    let hash = match api.call_again(ns, &BEGIN_LOGIN, begin).await? {
        LoginBegun::Wait { ms } => return Ok(Tried::Refused(too_soon(ms))),
        LoginBegun::Look { hash } => hash,
    };
    // What is longer than any password fits none.
    let hash = hash.filter(|_| password.chars().count() <= password::LENGTH_MAX);
    if let Some(hash) = api.shared().passwords().fitting(password, hash).await? {
        return Ok(Tried::Fits(hash));
    }
    api.call_again(ns, &FAIL_LOGIN, FailLogin { account, address }).await?;
    Ok(Tried::Refused(ApiError::refused(codes::SLOGIN, "account or password is wrong").into_response()))
}

fn too_soon(ms: i64) -> Response {
    let wait_s = ms.max(1).unsigned_abs().div_ceil(1000);
    let message = format!("too many failed logins, try again in {wait_s} s");
    let mut refusal = ApiError::refused(codes::SSLOW, message).into_response();
    refusal.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait_s));
    refusal
}

fn new_token(api: &Api) -> String {
    let mut chance = [0; 32];
    api.kernel().env().entropy.fill(&mut chance);
    token_text(&chance)
}

fn opened_answer(api: &Api, token: &str, opened: Opened) -> Response {
    let account = opened.account;
    let session = ConsoleSession {
        account: account.name,
        namespace: api.namespace().name.clone(),
        role: account.role,
        must_change: account.must_change,
        csrf: csrf_token(token),
        expires_at: rfc3339(api.kernel().env().clock.wall().plus_ms(LONGEST_MS)),
        idle_s: IDLE_MS / 1000,
    };
    let mut response = api.answer(session).into_response();
    set_cookie(api, &mut response, token, "");
    response
}

/// The cookie is for this server only, not for scripts, and not sent along by links from elsewhere.
fn set_cookie(api: &Api, response: &mut Response, token: &str, more: &str) {
    let secure = if api.shared().config().secure_cookies { "; Secure" } else { "" };
    let cookie = format!("{COOKIE_NAME}={token}; Path=/; HttpOnly; SameSite=Strict{secure}{more}");
    // The token is hexadecimal, so that it is always a header's value.
    let _ = HeaderValue::from_str(&cookie).map(|cookie| response.headers_mut().insert(SET_COOKIE, cookie));
}

async fn who_am_i(api: Api) -> ApiResult<Identity> {
    let session = api.visitor().session.as_deref();
    let who = Identity {
        caller: api.caller().name.clone(),
        role: api.caller().role,
        namespace: session.map(|session| session.holder.home.name.clone()),
        account: session.map(|session| session.holder.account.clone()),
        csrf: session.map(|session| session.csrf.clone()),
    };
    Ok(api.answer(who))
}

async fn logout(api: Api, _: NoBody) -> Result<Response, ApiError> {
    let session = own_session(&api)?;
    let (caller, home) = (api.clone(), session.holder.home.clone());
    let end = EndSession { hash: session.holder.hash };
    // In a task of its own, so that it is forgotten also when the client does not wait for the answer.
    let work = tokio::spawn(async move {
        let ended = caller.call_again(&home, &END_SESSION, end).await;
        home.forget_keys();
        ended
    });
    work.await.map_err(|error| ApiError::refused(codes::BPANIC, error.to_string()))??;
    let mut response = api.answer(()).into_response();
    set_cookie(&api, &mut response, "", "; Max-Age=0");
    Ok(response)
}

async fn change_password(api: Api, body: JsonBody<PasswordChange>) -> Result<Response, ApiError> {
    let session = own_session(&api)?;
    let (account, home) = (session.holder.account.clone(), session.holder.home.clone());
    let PasswordChange { old, new } = body.value;
    password::check(&new)?;
    let old = match try_password(&api, &home, &account, old).await? {
        Tried::Fits(hash) => hash,
        Tried::Refused(refusal) => return Ok(refusal),
    };
    let mut salt = [0; 16];
    api.kernel().env().entropy.fill(&mut salt);
    let new = api.shared().passwords().hash(new, salt).await?;
    let input = ChangePassword { account, old, new, address: address_text(api.visitor().address) };
    let caller = api.clone();
    let work = tokio::spawn(async move {
        let changed = caller.call_again(&home, &CHANGE_PASSWORD, input).await;
        home.forget_keys();
        changed
    });
    let _: PasswordChanged = work.await.map_err(|error| ApiError::refused(codes::BPANIC, error.to_string()))??;
    Ok(api.answer(()).into_response())
}

fn own_session(api: &Api) -> Result<Arc<auth::OpenSession>, ApiError> {
    let none = || ApiError::refused(codes::ABODY, "this request was let in by a key, not by a session");
    api.visitor().session.clone().ok_or_else(none)
}
