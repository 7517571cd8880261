//! What every request passes, in order: watched, guarded against panics, its head checked, admitted, its key checked;
//! only then the router looks at it. A refusal for want of room is held back a little before it is sent.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use axum::Router;
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use base::codes;
use tower::Service as _;

use crate::app::Shared;
use crate::error::{ApiError, sealed};
use crate::watch::Watch;
use crate::{auth, console, grpc, head, refusal};

/// Answers a request, whatever happens.
pub(crate) async fn answer(shared: Shared, router: Router, mut request: Request) -> Response {
    let watch = Watch::begin(&mut request, &shared.kernel().env().clock, shared.config().spans.as_ref());
    let page = console::below(request.uri().path()).map(|_| (request.headers().clone(), request.uri().clone()));
    let answered = async {
        match shared.stream(request.uri().path()) {
            Some(call) => grpc::answer(&shared, call, request).await,
            None => admitted(&shared, router, request).await,
        }
    };
    let mut response = guarded(answered).await.unwrap_or_else(|refusal| refusal.into_response());
    response = sealed(response);
    if let Some((headers, uri)) = page {
        response = console::refused(&shared, &headers, &uri, response);
    }
    add_headers(&mut response);
    // Before it is held: the time that we make a client wait is no time that we needed.
    watch.end(&response);
    if refusal::is_busy(&response) {
        hold(&shared).await;
    }
    response
}

async fn admitted(shared: &Shared, mut router: Router, mut request: Request) -> Result<Response, ApiError> {
    head::check(&request)?;
    let stay = shared.admission().enter(request.uri().path())?;
    request.extensions_mut().insert(stay.clone());
    auth::admit(shared, &mut request, &stay).await?;
    head::check_url(&request)?;
    let routed: Result<Response, Infallible> = router.call(request).await;
    Ok(routed.unwrap_or_else(|never| match never {}))
}

async fn hold(shared: &Shared) {
    shared.refusals().tell(shared.kernel().env().clock.ran_ms());
    shared.refusals().hold(&shared.config().shutdown).await;
}

/// Contains a panic to the one request.
async fn guarded(work: impl Future<Output = Result<Response, ApiError>>) -> Result<Response, ApiError> {
    let mut work = pin!(work);
    let caught = std::future::poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(panic)),
    });
    caught.await.unwrap_or_else(|panic| Err(ApiError::refused(codes::BPANIC, panic_text(panic.as_ref()))))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic without a text".into())
}

/// Nothing is guessed at by a browser, and nothing is kept by a proxy unless it says so.
fn add_headers(response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
