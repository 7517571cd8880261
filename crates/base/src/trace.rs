//! Traces (KER-30): what was done for one request or one call to the outside, as data. Who collects them is configuration.
//!
//! Invariant: what is told names patterns, ids and codes, never a body, a key or a raw path.

use crate::Wall;
use crate::archive::hex;

/// Where somebody is in a trace, as the header `traceparent` of W3C's Trace Context says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    /// The trace.
    pub trace: [u8; 16],
    /// The span that asks.
    pub span: [u8; 8],
    /// Whether who asks tells of it; where not, nobody after it does.
    pub is_sampled: bool,
}

impl TraceParent {
    /// The header's name.
    pub const HEADER: &str = "traceparent";

    /// Of the header's text. Later versions may append fields to the four that there are.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let version: [u8; 1] = unhex(parts.next()?)?;
        let trace: [u8; 16] = unhex(parts.next()?)?;
        let span: [u8; 8] = unhex(parts.next()?)?;
        let flags: [u8; 1] = unhex(parts.next()?)?;
        let is_known = version != [0xff] && (version != [0] || parts.next().is_none());
        let is_sampled = flags[0] & 1 == 1;
        (is_known && trace != [0; 16] && span != [0; 8]).then_some(Self { trace, span, is_sampled })
    }

    /// The header's text.
    #[must_use]
    pub fn text(&self) -> String {
        format!("00-{}-{}-{:02x}", hex(&self.trace), hex(&self.span), u8::from(self.is_sampled))
    }
}

/// Where a span is in its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The trace.
    pub trace: [u8; 16],
    /// The span.
    pub span: [u8; 8],
    /// The span that asked, if somebody did.
    pub parent: Option<[u8; 8]>,
}

impl Place {
    /// What is sent along, so that who is asked goes on with the trace.
    #[must_use]
    pub fn as_parent(&self) -> TraceParent {
        TraceParent { trace: self.trace, span: self.span, is_sampled: true }
    }
}

/// Which side of a question a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// It was asked of us.
    Server,
    /// We asked.
    Client,
}

/// Something that is known of a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// A word.
    Text(String),
    /// A number.
    Number(i64),
}

/// Something that was done, from its beginning to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Where it is in its trace.
    pub place: Place,
    /// Which side.
    pub kind: SpanKind,
    /// `POST /v1/{ns}/tasks`: few different ones.
    pub name: String,
    /// When it began.
    pub begun: Wall,
    /// How long it took, by the clock that does not jump.
    pub took_us: u64,
    /// What is known of it, under the names of OpenTelemetry's conventions.
    pub facts: Vec<(&'static str, Fact)>,
    /// Why it failed, if it did.
    pub failed: Option<String>,
}

/// Collects spans. Both must return at once: requests wait for them.
pub trait Spans: Send + Sync {
    /// The place of a new span below `parent`; none if it is not to be told of.
    fn begin(&self, parent: Option<TraceParent>) -> Option<Place>;

    /// Takes a span that has ended. May lose it when there are too many; work never waits for its trace.
    fn tell(&self, span: Span);
}

/// Exactly so many bytes, of lower-case digits alone, as the header wants them.
fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    let is_hex = digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    if digits.len() != N * 2 || !is_hex {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn ker_30_a_place_in_a_trace_is_read_and_written_as_w3c_says() {
        let parent = TraceParent::parse(TEXT).unwrap();
        assert_eq!((parent.span[1], parent.trace[0], parent.is_sampled), (0xf0, 0x4b, true));
        assert_eq!(parent.text(), TEXT);
        assert!(!TraceParent::parse(&TEXT.replace("-01", "-00")).unwrap().is_sampled);
        assert!(TraceParent::parse(&format!("01{}-later", &TEXT[2..])).is_some(), "a later version may say more");
    }

    #[test]
    fn ker_30_what_is_no_place_in_a_trace_is_none() {
        let zero = "00000000000000000000000000000000";
        for text in [
            "",
            "00",
            "garbage",
            &TEXT[1..],
            &TEXT[..TEXT.len() - 1],
            &TEXT.to_uppercase(),
            &format!("{TEXT}-more"),
            &format!("ff{}", &TEXT[2..]),
            &TEXT.replace("4bf92f3577b34da6a3ce929d0e0e4736", zero),
            &TEXT.replace("00f067aa0ba902b7", &zero[..16]),
            &TEXT.replace("00f067aa0ba902b7", "00f067aa0ba902é"),
            &TEXT.replace("-01", "-+1"),
        ] {
            assert_eq!(TraceParent::parse(text), None, "{text}");
        }
    }
}
