//! One call: sent, and sent again while that helps.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Method, RequestBuilder, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use url::Url;

use crate::broken::broken;
use crate::chance::{jittered, new_key, now_ms, pause, since};
use crate::client::{ANSWER_MAX, Client, invalid};
use crate::error::{ApiError, ClientError};
use crate::retry::Failure;

const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The slowest line that is waited for, in bytes of a second.
const SLOWEST_LINE: u64 = 64 << 10;

/// What is sent, the same in every try.
#[derive(Debug)]
pub(crate) struct Call {
    method: Method,
    url: Url,
    key: Option<String>,
    headers: Vec<(&'static str, String)>,
    body: Option<Bytes>,
    /// A status that is an answer though it tells of no success.
    also: Option<u16>,
}

/// A good answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Call {
    pub(crate) fn new(method: Method, url: Url) -> Self {
        Self { method, url, key: None, headers: vec![], body: None, also: None }
    }

    /// A change: whatever happens on the way, it is done once.
    pub(crate) fn once(self) -> Self {
        self.once_by(new_key())
    }

    /// A change under a key of the caller's.
    pub(crate) fn once_by(self, key: String) -> Self {
        Self { key: Some(key), ..self }
    }

    /// This status is an answer too.
    pub(crate) fn also(self, status: Option<u16>) -> Self {
        Self { also: status, ..self }
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn bytes(self, mime: &str, body: Bytes) -> Self {
        Self { body: Some(body), ..self.header(CONTENT_TYPE.as_str(), mime) }
    }

    pub(crate) fn json(self, body: &impl Serialize) -> Result<Self, ClientError> {
        let body = serde_json::to_vec(body).map_err(invalid)?;
        Ok(self.bytes("application/json", body.into()))
    }
}

impl Reply {
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        serde_json::from_slice(&self.body).map_err(|error| self.unreadable(error))
    }

    pub(crate) fn unreadable(&self, reason: impl ToString) -> ClientError {
        ClientError::Unreadable { status: self.status, reason: reason.to_string() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl Client {
    /// Sends a call until there is an answer, a refusal that will not pass, or no patience left.
    pub(crate) async fn send(&self, call: Call) -> Result<Reply, ClientError> {
        let (begun_ms, mut attempt, mut may_be_done) = (now_ms(), 1, false);
        loop {
            let patience = self.total.map(|total| total.saturating_sub(since(begun_ms)));
            let failure = match self.try_once(&call, patience).await {
                Ok(reply) => return Ok(reply),
                Err(failure) if may_be_done => failure.after_a_try_that_may_be_done(),
                Err(failure) => failure,
            };
            may_be_done |= failure.may_be_done();
            let wait = self.retry.pause(attempt, &failure).map(jittered);
            let in_time = |wait: &Duration| self.total.is_none_or(|total| since(begun_ms) + *wait < total);
            let Some(wait) = wait.filter(in_time) else {
                return Err(given_up(failure, attempt, call.key));
            };
            pause(wait).await;
            attempt += 1;
        }
    }

    /// The request of one try, which may take so long.
    pub(crate) fn prepared(&self, call: &Call, patience: Duration) -> RequestBuilder {
        let mut request = self.http.request(call.method.clone(), call.url.clone()).timeout(patience);
        if !self.key.is_empty() {
            request = request.header(AUTHORIZATION, format!("Bearer {}", self.key));
        }
        for (name, value) in &call.headers {
            request = request.header(*name, value);
        }
        if let Some(key) = &call.key {
            request = request.header(IDEMPOTENCY_KEY, key);
        }
        if let Some(body) = &call.body {
            request = request.body(body.clone());
        }
        request
    }

    async fn try_once(&self, call: &Call, left: Option<Duration>) -> Result<Reply, Failure> {
        let patience = left.map_or(self.retry.patience, |left| left.min(self.retry.patience));
        let Some(longest) = self.flow_max else {
            let response = self.prepared(call, patience).send().await;
            return read(response.map_err(broken)?, call.also).await;
        };
        let longest = left.map_or(longest, |left| left.min(longest));
        let response = within(to_send(call, patience), &call.url, self.prepared(call, longest).send()).await?;
        read_within(response, call.also, patience).await
    }
}

/// How long it may take until an answer begins: a large body has to get there first.
fn to_send(call: &Call, patience: Duration) -> Duration {
    let bytes = call.body.as_ref().map_or(0, Bytes::len) as u64;
    patience + Duration::from_secs(bytes / SLOWEST_LINE)
}

/// What comes in time.
async fn within<T>(
    patience: Duration,
    from: &Url,
    coming: impl Future<Output = reqwest::Result<T>>,
) -> Result<T, Failure> {
    let origin = || from.origin().ascii_serialization();
    let silence =
        |_| Failure::Broken { reason: format!("nothing came from {} within {patience:?}", origin()), sent: true };
    tokio::time::timeout(patience, coming).await.map_err(silence)?.map_err(broken)
}

pub(crate) async fn read(response: Response, also: Option<u16>) -> Result<Reply, Failure> {
    read_within(response, also, Duration::MAX).await
}

/// Reads an answer whose parts come with pauses no longer than this.
async fn read_within(mut response: Response, also: Option<u16>, patience: Duration) -> Result<Reply, Failure> {
    let (status, headers, url) = (response.status(), response.headers().clone(), response.url().clone());
    let mut body = BytesMut::new();
    while let Some(chunk) = within(patience, &url, response.chunk()).await? {
        if body.len() + chunk.len() > ANSWER_MAX {
            let reason = format!("more than {ANSWER_MAX} bytes: read it in parts");
            return Err(Failure::Foreign { status: status.as_u16(), reason });
        }
        body.extend_from_slice(&chunk);
    }
    let reply = Reply { status: status.as_u16(), headers, body: body.freeze() };
    if status.is_success() || also == Some(status.as_u16()) { Ok(reply) } else { Err(refusal(&reply)) }
}

fn refusal(reply: &Reply) -> Failure {
    let told: Result<ApiError, _> = serde_json::from_slice(&reply.body);
    let status = reply.status;
    match told {
        Ok(told) => {
            let retry_after_s = reply.header(RETRY_AFTER.as_str()).and_then(|text| text.parse().ok());
            Failure::Told(Box::new(ApiError { status, retry_after_s, ..told }))
        }
        Err(error) => Failure::Foreign { status, reason: format!("no error of this API: {error}") },
    }
}

pub(crate) fn given_up(failure: Failure, attempts: u32, key: Option<String>) -> ClientError {
    match failure {
        Failure::Broken { reason, sent } => ClientError::Unreachable { attempts, reason, key, sent },
        Failure::Told(error) => ClientError::Api(error),
        Failure::Foreign { status, reason } => ClientError::Unreadable { status, reason },
        Failure::Invalid(reason) => ClientError::Invalid(reason),
    }
}
