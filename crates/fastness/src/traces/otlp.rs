//! A batch of spans as a message of OTLP, in its JSON form. Pure.

use base::archive::hex;
use base::trace::{Fact, Span, SpanKind};
use serde_json::{Value, json};

/// The body of a request to a collector.
pub(super) fn message(node: &str, spans: &[Span]) -> Vec<u8> {
    let version = env!("CARGO_PKG_VERSION");
    let resource = [
        attribute("service.name", &Fact::Text("fastness".into())),
        attribute("service.version", &Fact::Text(version.into())),
        attribute("service.instance.id", &Fact::Text(node.into())),
    ];
    let spans: Vec<Value> = spans.iter().map(span).collect();
    let scope = json!({ "scope": { "name": "fastness", "version": version }, "spans": spans });
    let message = json!({ "resourceSpans": [{ "resource": { "attributes": resource }, "scopeSpans": [scope] }] });
    message.to_string().into_bytes()
}

fn span(span: &Span) -> Value {
    let begun_ns = i128::from(span.begun.0) * 1_000_000;
    let ended_ns = begun_ns + i128::from(span.took_us) * 1_000;
    let attributes: Vec<Value> = span.facts.iter().map(|(name, fact)| attribute(name, fact)).collect();
    let mut told = json!({
        "traceId": hex(&span.place.trace),
        "spanId": hex(&span.place.span),
        "name": span.name,
        "kind": kind(span.kind),
        // Numbers of 64 bits are texts in this form.
        "startTimeUnixNano": begun_ns.to_string(),
        "endTimeUnixNano": ended_ns.to_string(),
        "attributes": attributes,
    });
    if let Some(parent) = &span.place.parent {
        told["parentSpanId"] = hex(parent).into();
    }
    if let Some(why) = &span.failed {
        told["status"] = json!({ "code": 2, "message": why });
    }
    told
}

fn kind(kind: SpanKind) -> u8 {
    match kind {
        SpanKind::Server => 2,
        SpanKind::Client => 3,
    }
}

fn attribute(name: &str, fact: &Fact) -> Value {
    match fact {
        Fact::Text(text) => json!({ "key": name, "value": { "stringValue": text } }),
        Fact::Number(number) => json!({ "key": name, "value": { "intValue": number.to_string() } }),
    }
}
