//! One HTTP call: a connection, a request, an answer within bounds. HTTP/1.1; redirects are answers like others, and a
//! compressed body is given as it came.

use std::fmt::Display;
use std::future::pending;
use std::pin::pin;

use base::limits::{HEADERS_BYTES_MAX, HEADERS_MAX};
use base::{CallResult, HttpCall, HttpReply, Reach};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue, TE, TRAILER, TRANSFER_ENCODING,
    UPGRADE, USER_AGENT,
};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, timeout_at};

use super::connect::{Connector, Stream};
use super::target::Target;

/// How we call ourselves, unless the caller does.
const AGENT: &str = concat!("fastness/", env!("CARGO_PKG_VERSION"));

/// What belongs to the connection and is ours to say.
const OURS: [HeaderName; 8] = [HOST, CONTENT_LENGTH, TRANSFER_ENCODING, CONNECTION, UPGRADE, TE, TRAILER, EXPECT];

/// Performs a call; ends at the deadline.
pub(super) async fn perform(connector: &Connector, reach: Reach, call: HttpCall, deadline: Instant) -> CallResult {
    let (timeout_ms, reply_max) = (call.timeout_ms, call.reply_max);
    let prepared = Target::parse(&call.url).and_then(|target| Ok((request(&target, call)?, target)));
    let (request, target) = match prepared {
        Ok(prepared) => prepared,
        Err(reason) => return CallResult::NotMade(reason),
    };
    let stream = match connector.connect(&target, reach, deadline).await {
        Ok(stream) => stream,
        Err(reason) => return CallResult::NotMade(reason),
    };
    match timeout_at(deadline, exchange(stream, request, reply_max)).await {
        Ok(Ok(reply)) => CallResult::Http(reply),
        Ok(Err(reason)) => CallResult::Unknown(format!("{}: {reason}", target.authority)),
        Err(_) => CallResult::Unknown(format!("{}: no whole answer within {timeout_ms} ms", target.authority)),
    }
}

fn request(target: &Target, call: HttpCall) -> Result<Request<Full<Bytes>>, String> {
    let method = Method::from_bytes(call.method.as_bytes()).ok().filter(|method| *method != Method::CONNECT);
    let method = method.ok_or_else(|| format!("`{}` is not a method that can be called", call.method))?;
    let request = Request::builder().method(method).uri(&target.path);
    let mut request = request.body(Full::new(call.body.into())).map_err(|error| error.to_string())?;
    let headers = request.headers_mut();
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    for (name, value) in &call.headers {
        add(headers, name, value)?;
    }
    let host = HeaderValue::from_str(&target.authority).map_err(|error| error.to_string())?;
    headers.insert(HOST, host);
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    Ok(request)
}

/// A header of the caller. Neither name nor value can hold the end of a line.
fn add(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), String> {
    let name: HeaderName = name.parse().map_err(|_| format!("{name:?} is not a header's name"))?;
    if OURS.contains(&name) {
        return Err(format!("header {name} is not the caller's to set"));
    }
    let value = HeaderValue::from_str(value).map_err(|_| format!("header {name} has a value that cannot be sent"))?;
    if name == USER_AGENT {
        headers.insert(name, value);
    } else {
        headers.append(name, value);
    }
    Ok(())
}

/// Sends the request and reads the answer. Dropping it closes the connection.
async fn exchange(stream: Box<dyn Stream>, request: Request<Full<Bytes>>, max: usize) -> Result<HttpReply, String> {
    let mut builder = http1::Builder::new();
    builder.max_headers(HEADERS_MAX).max_buf_size(HEADERS_BYTES_MAX);
    let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(|error| whole(&error))?;
    let exchanged = async {
        let response = sender.send_request(request).await.map_err(|error| whole(&error))?;
        read(response, max).await
    };
    // The connection's own end says nothing: the exchange hears of it, and may still have something to read.
    let mut driven = pin!(async {
        let _ = connection.await;
        pending().await
    });
    tokio::select! {
        reply = exchanged => reply,
        () = &mut driven => Err("the connection ended".into()),
    }
}

async fn read(response: Response<Incoming>, max: usize) -> Result<HttpReply, String> {
    let (head, mut incoming) = response.into_parts();
    let mut body = Vec::new();
    while body.len() < max {
        let Some(frame) = incoming.frame().await else { break };
        let frame = frame.map_err(|error| format!("the answer broke off: {}", whole(&error)))?;
        // Trailers are of no use to us.
        let Ok(data) = frame.into_data() else { continue };
        body.extend_from_slice(&data[..data.len().min(max - body.len())]);
    }
    Ok(HttpReply { status: head.status.as_u16(), headers: texts(&head.headers), body })
}

fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |(name, value): (&HeaderName, &HeaderValue)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    headers.iter().map(text).collect()
}

/// An error with its causes: the first alone often says only "connection error".
fn whole(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), join)
}

fn join(text: String, cause: impl Display) -> String {
    let cause = cause.to_string();
    if text.contains(&cause) { text } else { format!("{text}: {cause}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(headers: &[(&str, &str)]) -> HttpCall {
        HttpCall {
            method: "POST",
            url: "http://example.com:81/a?b".into(),
            headers: headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            body: b"x".to_vec(),
            timeout_ms: 1,
            reply_max: 1,
        }
    }

    fn made(call: HttpCall) -> Result<Request<Full<Bytes>>, String> {
        request(&Target::parse(&call.url)?, call)
    }

    #[test]
    fn a_request_has_the_callers_headers_and_ours() {
        let request = made(call(&[("X-A", "1"), ("x-a", "2"), ("User-Agent", "me")])).unwrap();
        assert_eq!(request.uri(), "/a?b");
        let headers = texts(request.headers()).into_iter().map(|(name, value)| format!("{name}: {value}"));
        let mut headers: Vec<_> = headers.collect();
        headers.sort();
        assert_eq!(headers, ["connection: close", "host: example.com:81", "user-agent: me", "x-a: 1", "x-a: 2"]);
    }

    #[test]
    fn ker_19_headers_cannot_smuggle() {
        for bad in [
            ("x", "a\r\nb: c"),
            ("x\r\ny", "a"),
            ("x", "a\nb"),
            ("x", "a\0"),
            ("", "a"),
            ("x y", "a"),
            ("x:", "a"),
            ("host", "other"),
            ("Host", "other"),
            ("content-length", "5"),
            ("transfer-encoding", "chunked"),
            ("connection", "keep-alive"),
            ("upgrade", "h2c"),
        ] {
            assert!(made(call(&[bad])).is_err(), "{bad:?}");
        }
        assert!(made(HttpCall { method: "CONNECT", ..call(&[]) }).is_err());
        assert!(made(HttpCall { method: "GET / HTTP/1.1\r\n", ..call(&[]) }).is_err());
    }
}
