//! Whether a connection is used: counts its requests until their answers are sent, so that an idle one can be closed.

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{Request, Response};
use hyper::body::{Frame, Incoming, SizeHint};
use tower::Service as _;

use crate::address::Peer;
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

/// Ends the count of one request, also when its future or its answer is dropped.
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
    /// Where the connection comes from; `None` where it is gone already.
    pub(super) peer: Option<IpAddr>,
}

/// An answer that counts until it is sent.
pub(super) struct CountedBody {
    body: Body,
    _counted: Counted,
}

impl hyper::service::Service<Request<Incoming>> for CountedRouter {
    type Response = Response<CountedBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        if let Some(peer) = self.peer {
            request.extensions_mut().insert(Peer(peer));
        }
        self.activity.begun.fetch_add(1, Ordering::SeqCst);
        let counted = Counted(self.activity.clone());
        let mut router = self.router.clone();
        Box::pin(async move {
            let response = router.call(request).await?;
            Ok(response.map(|body| CountedBody { body, _counted: counted }))
        })
    }
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
