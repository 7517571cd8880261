//! ClickHouse, asked by hand.

use std::sync::mpsc::channel;

use base::{Call, CallResult, HttpCall, Outbound};
use host::{HostOutbound, OutboundSettings};

/// Rows as lines, columns with tabs between.
pub fn ask(server: &str, sql: &str) -> String {
    let outbound = HostOutbound::new(OutboundSettings { allow_private: true, ..OutboundSettings::default() }).unwrap();
    let (tell, told) = channel();
    let (url, body) = (server.to_owned(), sql.as_bytes().to_vec());
    let call = HttpCall { method: "POST", url, headers: vec![], body, timeout_ms: 20_000, reply_max: 1 << 20 };
    outbound.perform(Call::Http(call), Box::new(move |result| tell.send(result).unwrap()));
    let CallResult::Http(reply) = told.recv().unwrap() else { panic!("no answer to {sql}") };
    let said = String::from_utf8(reply.body).unwrap();
    assert_eq!(reply.status, 200, "{sql}: {said}");
    outbound.close();
    said
}
