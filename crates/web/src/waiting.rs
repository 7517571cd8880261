//! Requests that wait for something to come (long polls): they count among live connections, not among requests in flight.

use std::sync::Arc;

use axum::http::HeaderMap;
use kernel::{Caller, Namespace};

use crate::api::Api;
use crate::app::Shared;
use crate::auth::may_stay;
use crate::error::ApiError;
use crate::live::LivePlace;

/// The place of a request that waits.
pub struct Waiting {
    shared: Shared,
    ns: Arc<Namespace>,
    caller: Caller,
    /// Of the request, with its key.
    headers: HeaderMap,
    _place: LivePlace,
}

impl Api {
    /// Gives the request's places back and takes one among live connections; to be held while it waits.
    ///
    /// # Errors
    /// `XBUSY`: the namespace or the key has as many live connections as it may.
    pub fn wait(&self, headers: &HeaderMap) -> Result<Waiting, ApiError> {
        let (shared, ns, caller) = (self.shared().clone(), self.namespace().clone(), self.caller().clone());
        let place = shared.live().enter(&ns.name, &caller.name)?;
        self.leave();
        Ok(Waiting { shared, ns, caller, headers: headers.clone(), _place: place })
    }
}

impl Waiting {
    /// Ends when the server stops.
    pub async fn stopping(&self) {
        self.shared.config().shutdown.begun().await;
    }

    /// Whether it may go on: its key may have been revoked meanwhile.
    pub async fn may_go_on(&self) -> bool {
        may_stay(&self.shared, (&self.ns, &self.caller), &self.headers).await
    }
}
