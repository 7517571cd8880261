//! Any call of the API, for programs that know a route which this crate has no words for.
//!
//! Invariant: what changes something carries one Idempotency-Key through all its tries; only a request that says that it reads
//! does not.

use std::io::{Read, Write};

use bytes::Bytes;
use futures_util::stream::unfold;
use reqwest::Method;
use reqwest::header::CONTENT_LENGTH;
use serde_json::Value;

use crate::broken::broken;
use crate::call::{Call, Reply, given_up, read};
use crate::client::{Client, invalid};
use crate::error::ClientError;

/// Bytes that are read at once.
const PORTION: usize = 256 << 10;

/// A call to be made.
#[derive(Debug, Clone)]
pub struct Request {
    method: Method,
    steps: Vec<String>,
    query: Vec<(String, String)>,
    headers: Vec<(&'static str, String)>,
    body: Option<(String, Bytes)>,
    of_server: bool,
    reads: bool,
    key: Option<String>,
    also: Option<u16>,
}

/// What was answered.
#[derive(Debug, Clone)]
pub struct Given {
    /// HTTP status.
    pub status: u16,
    /// The body, if it is JSON; null if there is none.
    pub value: Value,
    cookies: Vec<String>,
}

impl Given {
    /// The value of a cookie that the answer sets.
    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<&str> {
        let value = |cookie: &'_ String| -> Option<(usize, usize)> {
            let begin = cookie.strip_prefix(name)?.strip_prefix('=').map(|_| name.len() + 1)?;
            Some((begin, cookie.find(';').unwrap_or(cookie.len())))
        };
        self.cookies.iter().find_map(|cookie| value(cookie).map(|(begin, end)| &cookie[begin..end]))
    }
}

impl Request {
    /// A call of something in the namespace; each step of its path is escaped.
    #[must_use]
    pub fn new(method: &str, steps: &[&str]) -> Self {
        let method = Method::from_bytes(method.as_bytes()).unwrap_or(Method::GET);
        let reads = method == Method::GET;
        let steps = steps.iter().map(|step| (*step).to_owned()).collect();
        Self {
            method,
            steps,
            query: vec![],
            headers: vec![],
            body: None,
            of_server: false,
            reads,
            key: None,
            also: None,
        }
    }

    /// A read of something in the namespace.
    #[must_use]
    pub fn get(steps: &[&str]) -> Self {
        Self::new("GET", steps)
    }

    /// Of the server itself and of no namespace: `/readyz` and the like.
    #[must_use]
    pub fn of_server(self) -> Self {
        Self { of_server: true, ..self }
    }

    /// Changes nothing, whatever its method.
    #[must_use]
    pub fn reads(self) -> Self {
        Self { reads: true, ..self }
    }

    /// Under this Idempotency-Key and not one of its own: an earlier call with the same key and body is not done again.
    #[must_use]
    pub fn key(self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self }
    }

    /// This status is an answer too, and not a failure.
    #[must_use]
    pub fn also(self, status: u16) -> Self {
        Self { also: Some(status), ..self }
    }

    /// With a part of the query.
    #[must_use]
    pub fn query(mut self, name: &str, value: impl Into<String>) -> Self {
        self.query.push((name.to_owned(), value.into()));
        self
    }

    /// With a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// With a body of JSON.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.bytes("application/json", body.to_string().into_bytes())
    }

    /// With a body of bytes.
    #[must_use]
    pub fn bytes(self, mime: &str, body: impl Into<Bytes>) -> Self {
        Self { body: Some((mime.to_owned(), body.into())), ..self }
    }

    /// Whether it changes something.
    #[must_use]
    pub fn changes(&self) -> bool {
        !self.reads
    }

    fn call(self, client: &Client) -> Call {
        let steps: Vec<&str> = self.steps.iter().map(String::as_str).collect();
        let mut url = if self.of_server { client.root_url(&steps) } else { client.url(&steps) };
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        let mut call = Call::new(self.method, url).also(self.also);
        for (name, value) in self.headers {
            call = call.header(name, value);
        }
        if let Some((mime, body)) = self.body {
            call = call.bytes(&mime, body);
        }
        match self.key {
            _ if self.reads => call,
            Some(key) => call.once_by(key),
            None => call.once(),
        }
    }
}

impl Client {
    /// Makes a call whose answer is JSON or nothing, again and again while that helps.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn call(&self, request: Request) -> Result<Given, ClientError> {
        let reply = self.send(request.call(self)).await?;
        let value = if reply.body.is_empty() { Value::Null } else { reply.read()? };
        Ok(Given { status: reply.status, value, cookies: cookies(&reply) })
    }

    /// Sends bytes of any size as they are read; their number must be known. It is tried once: what was read cannot be read again.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn upload(
        &self,
        request: Request,
        length: u64,
        from: Box<dyn Read + Send>,
    ) -> Result<Given, ClientError> {
        let call = request.call(self);
        let patience = self.total.unwrap_or(self.retry.patience);
        let portions = unfold(Some(from), |from| async { next_portion(from?) });
        let body = reqwest::Body::wrap_stream(portions);
        let sent = self.prepared(&call, patience).header(CONTENT_LENGTH, length).body(body).send().await;
        let response = sent.map_err(|error| given_up(broken(error), 1, None))?;
        let reply = read(response, None).await.map_err(|failure| given_up(failure, 1, None))?;
        let value = if reply.body.is_empty() { Value::Null } else { reply.read()? };
        Ok(Given { status: reply.status, value, cookies: cookies(&reply) })
    }

    /// Writes an answer of any size out as it comes; gives its length. It is tried once: what was written cannot be taken back.
    ///
    /// # Errors
    /// See [`ClientError`]; also if it cannot be written.
    pub async fn pour(&self, request: Request, to: &mut dyn Write) -> Result<u64, ClientError> {
        let call = request.call(self);
        let patience = self.total.unwrap_or(self.retry.patience);
        let response = self.prepared(&call, patience).send().await;
        let mut response = response.map_err(|error| given_up(broken(error), 1, None))?;
        if !response.status().is_success() {
            let refused = read(response, None).await.map(|_| 0);
            return refused.map_err(|failure| given_up(failure, 1, None));
        }
        let mut length = 0;
        while let Some(chunk) = response.chunk().await.map_err(|error| given_up(broken(error), 1, None))? {
            to.write_all(&chunk).map_err(invalid)?;
            length += chunk.len() as u64;
        }
        Ok(length)
    }
}

/// Some bytes, and what is to be read after them.
type Portion = (std::io::Result<Bytes>, Option<Box<dyn Read + Send>>);

/// The next bytes; nothing follows what cannot be read.
fn next_portion(mut from: Box<dyn Read + Send>) -> Option<Portion> {
    let mut portion = vec![0; PORTION];
    match from.read(&mut portion) {
        Ok(0) => None,
        Ok(read) => {
            portion.truncate(read);
            Some((Ok(portion.into()), Some(from)))
        }
        Err(error) => Some((Err(error), None)),
    }
}

fn cookies(reply: &Reply) -> Vec<String> {
    let set = reply.headers.get_all(reqwest::header::SET_COOKIE).iter();
    set.filter_map(|value| value.to_str().ok().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_10_only_reads_go_without_a_key() {
        let client = Client::new("http://h:1", "main", "k").unwrap();
        let shown = |request: Request| format!("{:?}", request.call(&client));
        assert!(shown(Request::new("POST", &["tasks"])).contains("key: Some("));
        assert!(shown(Request::new("DELETE", &["tasks", "a/b"])).contains("/v1/main/tasks/a%2Fb"));
        assert!(shown(Request::get(&["tasks"]).query("info", "a&b=c")).contains("key: None"));
        assert!(shown(Request::new("POST", &["docs", "export"]).reads()).contains("key: None"));
        assert!(shown(Request::get(&["readyz"]).of_server()).contains("\"/readyz\""));
    }

    #[test]
    fn ker_33_a_cookie_is_found_by_its_whole_name() {
        let cookies = vec!["xa=1; Path=/".to_owned(), "a=2; HttpOnly".to_owned()];
        let given = Given { status: 200, value: Value::Null, cookies };
        assert_eq!((given.cookie("a"), given.cookie("xa"), given.cookie("b")), (Some("2"), Some("1"), None));
    }
}
