//! Operations by name: for whoever knows one only at run time (sessions, tasks, `POST …/op/{name}`), with JSON for input and
//! result.

use base::{OpError, OpResult, codes};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::call::{Done, Reply};
use crate::kernel::{Kernel, Namespace};
use crate::op::Op;
use crate::request::Request;

/// An operation whose types are behind JSON.
pub trait AnyOp: Sync {
    /// `service.verb`.
    fn name(&self) -> &'static str;

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
    /// The operation of that name, of any service.
    #[must_use]
    pub fn operation(&self, name: &str) -> Option<&'static dyn AnyOp> {
        let all = self.services().iter().flat_map(|service| service.operations);
        all.copied().find(|operation| operation.name() == name)
    }
}
