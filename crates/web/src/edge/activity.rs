//! Whether a connection is used: counts its requests, so that an idle one can be closed.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use tower::Service as _;

use crate::wait::pause;

/// Requests of one connection.
#[derive(Debug, Default)]
pub(super) struct Activity {
    begun: AtomicU64,
    ended: AtomicU64,
}

impl Activity {
    /// Returns when for `limit` (at most twice that) no request was there.
    pub(super) async fn idle(&self, limit: Duration) {
        loop {
            let begun = self.begun.load(Ordering::SeqCst);
            pause(limit).await;
            let still = self.begun.load(Ordering::SeqCst) == begun;
            if still && self.ended.load(Ordering::SeqCst) == begun {
                return;
            }
        }
    }
}

/// Ends the count of one request, also when its future is dropped.
struct Counted(Arc<Activity>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::SeqCst);
    }
}

/// The router, with its requests counted for one connection.
#[derive(Clone)]
pub(super) struct CountedRouter {
    pub(super) router: Router,
    pub(super) activity: Arc<Activity>,
}

impl hyper::service::Service<Request<Incoming>> for CountedRouter {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        self.activity.begun.fetch_add(1, Ordering::SeqCst);
        let counted = Counted(self.activity.clone());
        let mut router = self.router.clone();
        Box::pin(async move {
            let _counted = counted;
            router.call(request).await
        })
    }
}
