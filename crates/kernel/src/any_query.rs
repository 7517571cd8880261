//! Queries by name: for sessions, which know them only at run time, with JSON for input and result.

use std::any::TypeId;

use base::{OpError, OpResult, codes};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::kernel::{Kernel, Namespace, ReadDone};
use crate::media::Media;
use crate::op::Query;
use crate::request::Role;

/// A query whose types are behind JSON.
pub trait AnyQuery: Sync {
    /// `service.noun`.
    fn name(&self) -> &'static str;

    /// Who may ask it by its name; administrators always, if anybody.
    fn named_for(&self) -> Option<&'static [Role]>;

    /// Whether its result is [`Media`]: bytes, not JSON.
    fn gives_media(&self) -> bool;

    /// Runs it; an input that does not fit is refused with `ABODY`.
    fn read_json(&'static self, kernel: &Kernel, ns: &Namespace, input: Value, done: ReadDone<Value>);
}

impl<I, O> AnyQuery for Query<I, O>
where
    I: DeserializeOwned + Send + 'static,
    O: Serialize + Send + 'static,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn named_for(&self) -> Option<&'static [Role]> {
        self.named_for
    }

    fn gives_media(&self) -> bool {
        TypeId::of::<O>() == TypeId::of::<Media>()
    }

    fn read_json(&'static self, kernel: &Kernel, ns: &Namespace, input: Value, done: ReadDone<Value>) {
        match serde_json::from_value(input) {
            Ok(input) => {
                let done = move |out: OpResult<O>| done(out.and_then(|out| as_json(self.name, &out)));
                kernel.read(ns, self, input, Box::new(done));
            }
            Err(error) => done(Err(OpError::before_start(codes::ABODY, format!("input of {}: {error}", self.name)))),
        }
    }
}

fn as_json<O: Serialize>(name: &str, out: &O) -> OpResult<Value> {
    let bug = |error| OpError::new(codes::BDETECTED, format!("the result of {name} has no JSON: {error}"));
    serde_json::to_value(out).map_err(bug)
}

impl Kernel {
    /// The query of that name, of any service.
    #[must_use]
    pub fn query(&self, name: &str) -> Option<&'static dyn AnyQuery> {
        let all = self.services().iter().flat_map(|service| service.queries);
        all.copied().find(|query| query.name() == name)
    }
}
