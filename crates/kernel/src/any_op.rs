//! Operations by name: for whoever knows one only at run time (sessions, tasks, `POST …/op/{name}`), with JSON for input and
//! result.

use std::any::TypeId;

use base::{Keys, OpError, OpResult, Tx, Urgency, codes};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::call::{Done, Reply};
use crate::cx::OpCx;
use crate::kernel::{Kernel, Namespace};
use crate::media::Media;
use crate::op::Op;
use crate::request::{Request, Role};
use crate::service::ServiceDef;

/// An operation whose types are behind JSON.
pub trait AnyOp: Sync {
    /// `service.verb`.
    fn name(&self) -> &'static str;

    /// Who may call it by its name; administrators always, if anybody.
    fn named_for(&self) -> Option<&'static [Role]>;

    /// Whether its result is [`Media`]: bytes, not JSON.
    fn gives_media(&self) -> bool;

    /// Whether it may run when the disk is full.
    fn urgency(&self) -> Urgency;

    /// Runs it within another's transaction, for its effects alone.
    ///
    /// # Errors
    /// The input does not fit, or what the operation answers.
    fn run_json(&self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &str) -> OpResult<()>;

    /// What it must not overlap with for this input.
    fn keys_json(&self, input: &str) -> Keys;

    /// Runs it; an input that does not fit is refused with `ABODY` before anything begins.
    fn call_json(&'static self, kernel: &Kernel, ns: &Namespace, request: Request, input: Value, done: Done<Value>);
}

impl<I, O> AnyOp for Op<I, O>
where
    I: DeserializeOwned + Send + 'static,
    O: Serialize + DeserializeOwned + Send + 'static,
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

    fn urgency(&self) -> Urgency {
        self.urgency
    }

    fn run_json(&self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &str) -> OpResult<()> {
        let wrong = |error| OpError::new(codes::ABODY, format!("input of {}: {error}", self.name));
        let input: I = serde_json::from_str(input).map_err(wrong)?;
        (self.run)(tx, cx, &input).map(drop)
    }

    fn keys_json(&self, input: &str) -> Keys {
        serde_json::from_str(input).map_or(Keys::NONE, |input| (self.keys)(&input))
    }

    fn call_json(&'static self, kernel: &Kernel, ns: &Namespace, request: Request, input: Value, done: Done<Value>) {
        match serde_json::from_value(input) {
            Ok(input) => {
                let done = move |reply: OpResult<Reply<O>>| done(reply.and_then(|reply| as_json(self.name, reply)));
                kernel.call(ns, self, request, input, Box::new(done));
            }
            Err(error) => done(Err(OpError::before_start(codes::ABODY, format!("input of {}: {error}", self.name)))),
        }
    }
}

fn as_json<O: Serialize>(name: &str, reply: Reply<O>) -> OpResult<Reply<Value>> {
    let Reply { out, version, replayed } = reply;
    match serde_json::to_value(out) {
        Ok(out) => Ok(Reply { out, version, replayed }),
        Err(error) => {
            let bug = OpError::new(codes::BDETECTED, format!("the result of {name} has no JSON: {error}"));
            Err(OpError { version, ..bug.at(base::Phase::Answer) })
        }
    }
}

impl Kernel {
    /// The service that has an operation or a query of that name.
    #[must_use]
    pub fn owner_of(&self, name: &str) -> Option<&'static str> {
        let has = |service: &&&ServiceDef| {
            service.operations.iter().any(|operation| operation.name() == name)
                || service.queries.iter().any(|query| query.name() == name)
        };
        self.services().iter().find(has).map(|service| service.name)
    }

    /// The operation of that name, of any service.
    #[must_use]
    pub fn operation(&self, name: &str) -> Option<&'static dyn AnyOp> {
        let all = self.services().iter().flat_map(|service| service.operations);
        all.copied().find(|operation| operation.name() == name)
    }
}
