//! One question to the server at a time: a POST, an answer within bounds, a fault in words for the operator.

use std::sync::Arc;

use base::{Call, CallResult, HttpCall, HttpReply, Outbound};
use url::form_urlencoded::Serializer;

use super::url::Server;
use crate::history::archive::ArchiveError;

/// Time for a write: a server that merges may keep an insert waiting.
const WRITE_MS: u64 = 60_000;
/// Time for a read: somebody waits for it.
const READ_MS: u64 = 15_000;
/// Bytes of an answer; a longer one is a fault.
const REPLY_MAX: usize = 64 << 20;
/// Characters of the server's own words that are passed on.
const WORDS_MAX: usize = 300;

/// What to ask.
pub(super) struct Ask {
    sql: String,
    /// Rows of an insert.
    rows: Vec<u8>,
    settings: Vec<(&'static str, String)>,
    timeout_ms: u64,
}

impl Ask {
    pub(super) fn reading(sql: String) -> Self {
        let settings = vec![
            // Numbers as numbers, in every version.
            ("output_format_json_quote_64bit_integers", "0".to_owned()),
            // Room for the names of a client's sensors.
            ("max_query_size", "1048576".to_owned()),
        ];
        Self { sql, rows: vec![], settings, timeout_ms: READ_MS }
    }

    pub(super) fn making(sql: String) -> Self {
        Self { sql, rows: vec![], settings: vec![], timeout_ms: WRITE_MS }
    }

    /// `token`: the same rows under the same one are written once.
    pub(super) fn inserting(sql: String, rows: Vec<u8>, token: Option<String>) -> Self {
        let settings = token.map(|token| ("insert_deduplication_token", token)).into_iter().collect();
        Self { sql, rows, settings, timeout_ms: WRITE_MS }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// The server's own number of the error, if it answered one.
    pub(super) code: Option<u32>,
    pub(super) reason: String,
}

impl From<Fault> for ArchiveError {
    fn from(fault: Fault) -> Self {
        Self(format!("ClickHouse: {}", fault.reason))
    }
}

pub(super) type Answered<T> = Box<dyn FnOnce(Result<T, Fault>) + Send>;

/// Asks one server.
pub(super) struct Client {
    server: Server,
    outbound: Arc<dyn Outbound>,
}

impl Client {
    pub(super) fn new(server: Server, outbound: Arc<dyn Outbound>) -> Self {
        Self { server, outbound }
    }

    pub(super) fn ask(&self, ask: Ask, done: Answered<Vec<u8>>) {
        let call = Call::Http(self.call(ask));
        self.outbound.perform(call, Box::new(move |result| done(answer(result))));
    }

    /// One after the other; the first fault ends it.
    pub(super) fn ask_all(self: &Arc<Self>, mut asks: Vec<Ask>, done: Answered<()>) {
        if asks.is_empty() {
            return done(Ok(()));
        }
        let (first, client) = (asks.remove(0), self.clone());
        let next = move |answered: Result<Vec<u8>, Fault>| match answered {
            Ok(_) => client.ask_all(asks, done),
            Err(fault) => done(Err(fault)),
        };
        self.ask(first, Box::new(next));
    }

    /// The statement is the body, or, where rows are the body, a part of the address. The server answers when all is done, so that
    /// its status says how it ended.
    fn call(&self, ask: Ask) -> HttpCall {
        let mut query = Serializer::new(String::new());
        query.append_pair("database", &self.server.database).append_pair("wait_end_of_query", "1");
        query.extend_pairs(&ask.settings);
        let body = if ask.rows.is_empty() {
            ask.sql.into_bytes()
        } else {
            query.append_pair("query", &ask.sql);
            ask.rows
        };
        let headers = self.server.authorization.iter().map(|who| ("authorization".to_owned(), who.clone())).collect();
        let url = format!("{}/?{}", self.server.origin, query.finish());
        HttpCall { method: "POST", url, headers, body, timeout_ms: ask.timeout_ms, reply_max: REPLY_MAX }
    }
}

fn answer(result: CallResult) -> Result<Vec<u8>, Fault> {
    let fault = |reason| Err(Fault { code: None, reason });
    match result {
        CallResult::Http(HttpReply { body, .. }) if body.len() >= REPLY_MAX => {
            fault(format!("the answer has more than {REPLY_MAX} bytes"))
        }
        CallResult::Http(HttpReply { status: 200, body, .. }) => Ok(body),
        CallResult::Http(HttpReply { status, body, .. }) => Err(refused(status, &body)),
        CallResult::NotMade(reason) | CallResult::Unknown(reason) => fault(reason),
        CallResult::Mailed | CallResult::Worked(_) => fault("not an answer to a question".into()),
    }
}

/// `Code: 60, e.displayText() = …` then, `Code: 60. DB::Exception: …` now.
fn refused(status: u16, body: &[u8]) -> Fault {
    let said = String::from_utf8_lossy(body);
    let said: String = said.trim().chars().take(WORDS_MAX).collect();
    let digits = said.strip_prefix("Code: ").map(|rest| rest.split(|char: char| !char.is_ascii_digit()).next());
    let code = digits.flatten().and_then(|digits| digits.parse().ok());
    Fault { code, reason: format!("status {status}: {said}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, body: &str) -> CallResult {
        CallResult::Http(HttpReply { status, headers: vec![], body: body.as_bytes().to_vec() })
    }

    #[test]
    fn sen_11_the_servers_number_of_an_error_is_found_old_and_new() {
        for said in ["Code: 60, e.displayText() = DB::Exception: no", "Code: 60. DB::Exception: no"] {
            assert_eq!(answer(reply(404, said)).unwrap_err().code, Some(60));
        }
        let fault = answer(reply(502, "<html>bad gateway</html>")).unwrap_err();
        assert_eq!((fault.code, fault.reason.as_str()), (None, "status 502: <html>bad gateway</html>"));
        assert_eq!(answer(reply(200, "")), Ok(vec![]));
        assert!(answer(CallResult::Unknown("cut off".into())).is_err());
    }
}
