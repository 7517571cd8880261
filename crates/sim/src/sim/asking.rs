//! Other ways to ask the server than by an operation of one's own, and who looks after its processes.

use base::{Engine, OpResult};
use kernel::accounts::session::Holder;
use kernel::blobs::{PUT_BLOB, PutBlob, Stored};
use kernel::{Caller, Kept, Kernel, Reply};
use serde_json::{Value, json};
use std::sync::PoisonError;

use super::{Answer, Asker, Event, News, Sim, Waiting};

impl Sim {
    /// A client shows the token of a console session and hears whose it is: nothing, or account and role.
    pub fn ask_whose_session(&mut self, asker: Asker, token: String) -> u64 {
        let arrive = Box::new(move |sim: &mut Self| {
            let Some(server) = &sim.server else { return sim.tell(asker, News::Cut) };
            let told = server.told.clone();
            let done = Box::new(move |holder: OpResult<Option<Holder>>| {
                let shown = |holder: Holder| json!({ "account": holder.account, "role": holder.caller.role });
                let answer = holder.map(|holder| Answer { out: json!(holder.map(shown)), replayed: false });
                told.lock().unwrap_or_else(PoisonError::into_inner).push((Waiting::Client(asker), answer));
            });
            server.kernel.authenticate_session(&server.main, &token, done);
        });
        let delay_us = self.rng.within(100, 50_000);
        self.after(delay_us, Event::Arrive(self.life, arrive));
        1
    }

    /// A session calls an operation by its name; its own number of the call is the key, so that a repeat is one.
    ///
    /// # Panics
    /// There is no such operation: a bug of the session.
    pub fn call_by_name(&mut self, asker: Asker, call: u64, op: &str, input: Value, once: bool) {
        let Some(server) = &self.server else { return };
        let Some(operation) = server.kernel.operation(op) else { panic!("a session called {op}, which is not there") };
        let (told, waiting) = (server.told.clone(), Waiting::Session(asker.token, call));
        let done = Box::new(move |reply: OpResult<Reply<Value>>| {
            let answer = reply.map(|reply| Answer { out: reply.out, replayed: reply.replayed });
            told.lock().unwrap_or_else(PoisonError::into_inner).push((waiting, answer));
        });
        let request = server.kernel.request(Caller::server(&format!("client{}", asker.client)));
        let request = if once { request.once(op, &format!("call {call}"), [7; 32]) } else { request };
        operation.call_json(&server.kernel, &server.main, request, input, done);
    }

    /// Bytes that a session has kept get their row.
    pub(crate) fn put_blob(&mut self, asker: Asker, call: u64, stored: Stored, kept: Kept) {
        let Some(server) = &self.server else { return };
        let (told, waiting) = (server.told.clone(), Waiting::Session(asker.token, call));
        let done = Box::new(move |reply: OpResult<Reply<PutBlob>>| {
            let out = serde_json::to_value(&kept).unwrap_or_default();
            let answer = reply.map(|reply| Answer { out, replayed: reply.replayed });
            told.lock().unwrap_or_else(PoisonError::into_inner).push((waiting, answer));
        });
        let request = server.kernel.request(Caller::server(&format!("client{}", asker.client)));
        server.kernel.call(&server.main, &PUT_BLOB, request, stored, done);
    }

    /// A session runs a query by its name.
    ///
    /// # Panics
    /// There is no such query: a bug of the session.
    pub fn read_by_name(&mut self, asker: Asker, call: u64, query: &str, input: Value) {
        let Some(server) = &self.server else { return };
        let Some(query) = server.kernel.query(query) else { panic!("a session reads {query}, which is not there") };
        let (told, waiting) = (server.told.clone(), Waiting::Session(asker.token, call));
        let done = Box::new(move |read: OpResult<Value>| {
            let answer = read.map(|out| Answer { out, replayed: false });
            told.lock().unwrap_or_else(PoisonError::into_inner).push((waiting, answer));
        });
        query.read_json(&server.kernel, &server.main, input, done);
    }

    /// Who looks after seats, in a world that has them.
    pub(super) fn watch_folders(&self, kernels: &[&Kernel]) -> Vec<folders::desk::Watch> {
        let has_them = self.services.iter().any(|service| service.name == folders::SERVICE.name);
        kernels.iter().filter(|_| has_them).map(|kernel| folders::desk::Watch::start(kernel)).collect()
    }

    /// Who looks after processes, in a world that has them: every node that works on the data.
    pub(super) fn watch_workflow(&self, kernels: &[&Kernel]) -> Vec<workflow::recovery::Watch> {
        let has_them = self.services.iter().any(|service| service.name == workflow::SERVICE.name);
        let nodes = if self.engine == Engine::Postgres { kernels.len() } else { 1 };
        kernels
            .iter()
            .rev()
            .take(nodes)
            .filter(|_| has_them)
            .map(|kernel| workflow::recovery::Watch::start(kernel))
            .collect()
    }
}
