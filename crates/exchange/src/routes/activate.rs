//! Activation over HTTP (EXC-2): for whoever has a code and no key yet.

use axum::http::header::{HeaderValue, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use base::codes;
use kernel::accounts::guess::{BEGIN_GUESS, Guess, GuessBegun, RIGHT_GUESS};
use kernel::accounts::session::address_text;
use web::{Api, ApiError, JsonBody, Route, RouteLimits};

use super::TAG;
use crate::codes::SCODE;
use crate::registry::{ACTIVATE, Activate, Activated};

/// What is guessed, for those who count.
const WHAT: &str = "exchange.activate";
/// Strangers need not send more.
const SMALL: RouteLimits = RouteLimits { body_max: Some(1_024), body_max_set: None, body_timeout: None };

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/{ns}/exchange/activate", activate)
            .public()
            .tag(TAG)
            .summary("Activate a device")
            .about(
                "Turns an activation code into the key of its device, which is shown this once. Dashes, blanks and small letters in the \
                 code make no difference. Whoever did not hear the answer sends the code again within ten minutes and gets another key; \
                 the first one ends. Wrong codes are slowed down, from one address and from all together.",
            )
            .limits(SMALL)
            .takes::<Activate>()
            .answers::<Activated>(200)
            .errors(&[SCODE, codes::SSLOW]),
    ]
}

async fn activate(api: Api, body: JsonBody<Activate>) -> Result<Response, ApiError> {
    let guess = Guess { what: WHAT, address: address_text(api.address()) };
    if let GuessBegun::Wait { ms } = api.call_natural(&BEGIN_GUESS, guess.clone()).await?.out {
        return Ok(too_soon(ms));
    }
    // The code is its own key: with it a repeat gives a key that works, and none is ever kept.
    let activated = api.call_natural(&ACTIVATE, body.into_value()).await?;
    api.namespace().forget_keys();
    api.call_natural(&RIGHT_GUESS, guess).await?;
    Ok(activated.into_response())
}

fn too_soon(ms: i64) -> Response {
    let wait_s = ms.max(1).unsigned_abs().div_ceil(1000);
    let message = format!("too many wrong codes, try again in {wait_s} s");
    let mut refusal = ApiError::refused(codes::SSLOW, message).into_response();
    refusal.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait_s));
    refusal
}
