//! Many namespaces, seen together from the administrators' own: one whose store is away does not take the others out of an answer,
//! whether it refuses or says nothing at all.

use std::sync::Arc;
use std::time::Duration;

use base::codes;
use futures_util::future::join_all;
use futures_util::{Stream, StreamExt, stream};
use kernel::Namespace;
use serde::Serialize;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::api::Api;
use crate::error::ApiError;

/// How long one of many is waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);
/// So many are asked at once for a page that is filled by one after the other.
const AHEAD: usize = 16;

/// The namespaces that a caller at this one sees: at the administrators' own all, for whoever is let in everywhere.
pub(crate) fn seen_from(api: &Api) -> Vec<Arc<Namespace>> {
    let all = api.at_administration() && api.caller().everywhere;
    if all { api.kernel().namespaces() } else { vec![api.namespace().clone()] }
}

/// A namespace that cannot be looked at right now.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Unseen {
    /// Its name.
    pub(crate) namespace: String,
    /// Why, as the code of an error that passes by itself.
    #[schema(example = "XSTORE")]
    pub(crate) code: &'static str,
}

/// Those of many that could not be looked at.
#[derive(Debug, Default)]
pub(crate) struct Missed {
    pub(crate) unseen: Vec<Unseen>,
}

/// What was read of each namespace that is seen from here, all asked at once, and those that could not be looked at.
///
/// # Errors
/// What does not pass by itself.
pub(crate) async fn of_each<T, R: Future<Output = Result<T, ApiError>>>(
    api: &Api,
    read: impl Fn(Api) -> R,
) -> Result<(Vec<(Arc<Namespace>, T)>, Missed), ApiError> {
    let asked = seen_from(api).into_iter().map(|ns| {
        let read = read(api.within(&ns));
        async move { (ns, in_time(api, PATIENCE, read).await) }
    });
    let (mut found, mut missed) = (vec![], Missed::default());
    for (ns, read) in join_all(asked).await {
        if let Some(read) = missed.noted(api, &ns, read.unwrap_or_else(silent))? {
            found.push((ns, read));
        }
    }
    Ok((found, missed))
}

/// What was read of each of these, in their order, for whoever stops when there is enough. Some are asked ahead: those that hang are then
/// waited for together, and nobody's time is cut short for it.
pub(crate) fn one_after_the_other<T, R: Future<Output = Result<T, ApiError>>>(
    api: &Api,
    all: impl Iterator<Item = Arc<Namespace>>,
    read: impl Fn(Api) -> R,
) -> impl Stream<Item = (Arc<Namespace>, Result<T, ApiError>)> {
    let asked = move |ns: Arc<Namespace>| {
        let read = read(api.within(&ns));
        async move { (ns, in_time(api, PATIENCE, read).await.unwrap_or_else(silent)) }
    };
    stream::iter(all).map(asked).buffered(AHEAD)
}

/// A namespace that did not answer in time.
pub(crate) struct Silent;

/// One of many is waited for a while; one alone as long as any.
pub(crate) async fn in_time<T>(api: &Api, patience: Duration, read: impl Future<Output = T>) -> Result<T, Silent> {
    if api.at_administration() { timeout(patience, read).await.map_err(|_| Silent) } else { Ok(read.await) }
}

fn silent<T>(_: Silent) -> Result<T, ApiError> {
    Err(ApiError::refused(codes::XSTORE, "the store does not answer in time"))
}

impl Missed {
    /// What was read of a namespace; nothing if it is one of many and away right now, which is noted.
    pub(crate) fn noted<T>(
        &mut self,
        api: &Api,
        ns: &Namespace,
        read: Result<T, ApiError>,
    ) -> Result<Option<T>, ApiError> {
        match read {
            Ok(found) => Ok(Some(found)),
            Err(error) if api.at_administration() && error.0.code.passes() => {
                self.unseen.push(Unseen { namespace: ns.name.clone(), code: error.0.code.name });
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}
