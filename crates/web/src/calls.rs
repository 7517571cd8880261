//! What sessions have done by the kernel, and how they hear of its end: the same for every shell.

use std::sync::Arc;

use base::{OpError, OpResult, Ran, codes};
use kernel::{Caller, Kernel, Namespace, Reply, SessionEvent};
use serde_json::Value;
use tokio::sync::mpsc;

/// Calls of one session. Ends that come when it is gone are dropped.
pub(crate) struct Calls {
    pub(crate) kernel: Kernel,
    pub(crate) ns: Arc<Namespace>,
    pub(crate) caller: Caller,
    /// Ends of what was called; as many as are under way.
    told: mpsc::UnboundedSender<SessionEvent>,
    ends: mpsc::UnboundedReceiver<SessionEvent>,
}

impl Calls {
    pub(crate) fn new(kernel: &Kernel, ns: &Arc<Namespace>, caller: &Caller) -> Self {
        let (told, ends) = mpsc::unbounded_channel();
        Self { kernel: kernel.clone(), ns: ns.clone(), caller: caller.clone(), told, ends }
    }

    /// The time that a session knows.
    pub(crate) fn now(&self) -> Ran {
        Ran(self.kernel.env().clock.ran_ms())
    }

    /// The next end; waits for ever if nothing is under way.
    pub(crate) async fn ended(&mut self) -> SessionEvent {
        match self.ends.recv().await {
            Some(end) => end,
            None => std::future::pending().await,
        }
    }

    /// Where ends are told.
    pub(crate) fn told(&self) -> mpsc::UnboundedSender<SessionEvent> {
        self.told.clone()
    }

    /// Runs an operation.
    pub(crate) fn call(&self, call: u64, op: &str, input: Value) {
        let end = self.end(call);
        match self.kernel.operation(op) {
            Some(operation) => {
                let request = self.kernel.request(self.caller.clone());
                let done = Box::new(move |reply: OpResult<Reply<Value>>| end(reply.map(|reply| reply.out)));
                operation.call_json(&self.kernel, &self.ns, request, input, done);
            }
            None => end(Err(unknown(op))),
        }
    }

    /// Asks a query.
    pub(crate) fn read(&self, call: u64, query: &str, input: Value) {
        let end = self.end(call);
        if let Err(closed) = self.kernel.check_read(&self.ns, &self.caller) {
            return end(Err(closed));
        }
        match self.kernel.query(query) {
            Some(known) => known.read_json(&self.kernel, &self.ns, input, Box::new(end)),
            None => end(Err(unknown(query))),
        }
    }

    /// Tells the session the end of a call, if the connection is still there.
    pub(crate) fn end(&self, call: u64) -> impl FnOnce(OpResult<Value>) + Send + 'static {
        let to = self.told();
        move |result| drop(to.send(SessionEvent::Ended { call, result }))
    }
}

fn unknown(name: &str) -> OpError {
    OpError::new(codes::BDETECTED, format!("a session asked for {name}, which is not there"))
}
