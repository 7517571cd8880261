//! One call: sent, and sent again while that helps.

use bytes::{Bytes, BytesMut};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Method, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use url::Url;

use crate::chance::{jittered, new_key, pause};
use crate::client::{ANSWER_MAX, Client, invalid};
use crate::error::{ApiError, ClientError};
use crate::retry::Failure;

const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// What is sent, the same in every try.
#[derive(Debug)]
pub(crate) struct Call {
    method: Method,
    url: Url,
    key: Option<String>,
    headers: Vec<(&'static str, String)>,
    body: Option<Bytes>,
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
        Self { method, url, key: None, headers: vec![], body: None }
    }

    /// A change: whatever happens on the way, it is done once.
    pub(crate) fn once(self) -> Self {
        Self { key: Some(new_key()), ..self }
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
        let mut attempt = 1;
        loop {
            let failure = match self.try_once(&call).await {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            let Some(wait) = self.retry.pause(attempt, &failure) else {
                return Err(given_up(failure, attempt, call.key));
            };
            pause(jittered(wait)).await;
            attempt += 1;
        }
    }

    async fn try_once(&self, call: &Call) -> Result<Reply, Failure> {
        let mut request = self.http.request(call.method.clone(), call.url.clone()).timeout(self.retry.patience);
        request = request.header(AUTHORIZATION, format!("Bearer {}", self.key));
        for (name, value) in &call.headers {
            request = request.header(*name, value);
        }
        if let Some(key) = &call.key {
            request = request.header(IDEMPOTENCY_KEY, key);
        }
        if let Some(body) = &call.body {
            request = request.body(body.clone());
        }
        read(request.send().await.map_err(broken)?).await
    }
}

async fn read(mut response: Response) -> Result<Reply, Failure> {
    let (status, headers) = (response.status(), response.headers().clone());
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if body.len() + chunk.len() > ANSWER_MAX {
            let reason = format!("more than {ANSWER_MAX} bytes: read it in parts");
            return Err(Failure::Foreign { status: status.as_u16(), reason });
        }
        body.extend_from_slice(&chunk);
    }
    let reply = Reply { status: status.as_u16(), headers, body: body.freeze() };
    if status.is_success() { Ok(reply) } else { Err(refusal(&reply)) }
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

fn broken(error: reqwest::Error) -> Failure {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    if error.is_builder() { Failure::Invalid(text) } else { Failure::Broken(text) }
}

fn given_up(failure: Failure, attempts: u32, key: Option<String>) -> ClientError {
    match failure {
        Failure::Broken(reason) => ClientError::Unreachable { attempts, reason, key },
        Failure::Told(error) => ClientError::Api(error),
        Failure::Foreign { status, reason } => ClientError::Unreadable { status, reason },
        Failure::Invalid(reason) => ClientError::Invalid(reason),
    }
}
