//! Many namespaces, seen together from the administrators' own: one whose store is away does not take the others out of an answer.

use std::sync::Arc;

use kernel::Namespace;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::Api;
use crate::error::ApiError;

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
pub(crate) struct Missed(pub(crate) Vec<Unseen>);

impl Missed {
    /// What was read of a namespace; nothing if it is one of many and away right now, which is noted.
    pub(crate) fn unless_away<T>(
        &mut self,
        api: &Api,
        ns: &Namespace,
        read: Result<T, ApiError>,
    ) -> Result<Option<T>, ApiError> {
        match read {
            Ok(found) => Ok(Some(found)),
            Err(error) if api.at_administration() && error.0.code.passes() => {
                self.0.push(Unseen { namespace: ns.name.clone(), code: error.0.code.name });
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}
