//! Reads HTTP/1 requests strictly, before hyper does, and stops at the first byte that parsers disagree about.
//!
//! Hyper is lenient where RFC 9112 allows it: it takes a bare LF as the end of a line, two equal Content-Lengths, and
//! Content-Length beside Transfer-Encoding. A proxy in front of us may read those differently, which is how requests are
//! smuggled, so we refuse them. This is no parser: it knows lines, two headers and where a body ends, nothing else. What
//! it lets pass hyper still judges. A connection that begins with the preface of HTTP/2 is let pass whole.
//!
//! Invariant: what passes has one framing only: every line ends in CRLF, and at most one Content-Length of digits, or
//! one `Transfer-Encoding: chunked`, and never both.

mod body;
mod head;

use body::Body;
use head::Head;

/// What an HTTP/2 client sends first.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A byte was refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused;

/// Where in the stream of bytes we are.
#[derive(Debug)]
enum Place {
    /// So many bytes equal the preface so far.
    Preface(usize),
    /// HTTP/2: none of our business.
    Http2,
    Head(Head),
    Body(Body),
}

/// The state of one connection.
#[derive(Debug)]
pub(super) struct Gate(Place);

impl Gate {
    pub(super) fn new() -> Self {
        Self(Place::Preface(0))
    }

    /// Whether a head has begun and not ended, or it is still open which protocol is spoken.
    pub(super) fn is_within_head(&self) -> bool {
        match &self.0 {
            Place::Preface(_) => true,
            Place::Head(head) => head.has_begun(),
            Place::Http2 | Place::Body(_) => false,
        }
    }

    /// Whether the other side is still sending a body.
    pub(super) fn is_within_body(&self) -> bool {
        matches!(self.0, Place::Body(_))
    }

    /// How many of `bytes` may pass. Fewer than all: the next one is refused, and nothing may follow.
    pub(super) fn pass(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() && !matches!(self.0, Place::Http2) {
            match self.step(&bytes[at..]) {
                Ok(taken) => at += taken,
                Err(Refused) => return at,
            }
        }
        bytes.len()
    }

    /// Takes at least one byte.
    fn step(&mut self, bytes: &[u8]) -> Result<usize, Refused> {
        match &mut self.0 {
            Place::Preface(same) if bytes[0] == PREFACE[*same] => {
                *same += 1;
                if *same == PREFACE.len() {
                    self.0 = Place::Http2;
                }
                Ok(1)
            }
            Place::Preface(same) => {
                let before = &PREFACE[..*same];
                self.0 = Place::Head(Head::new());
                for byte in before {
                    self.step(&[*byte])?;
                }
                self.step(bytes)
            }
            Place::Http2 => Ok(bytes.len()),
            Place::Head(head) => {
                if let Some(framing) = head.take(bytes[0])? {
                    self.0 = Body::of(framing).map_or_else(|| Place::Head(Head::new()), Place::Body);
                }
                Ok(1)
            }
            Place::Body(body) => {
                let taken = body.take(bytes)?;
                if body.is_ended() {
                    self.0 = Place::Head(Head::new());
                }
                Ok(taken)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bytes pass, whole and byte by byte; `None` if all.
    fn stopped_at(text: &str) -> Option<usize> {
        let (mut whole, mut single) = (Gate::new(), Gate::new());
        let passed = whole.pass(text.as_bytes());
        let one_by_one = text.bytes().position(|byte| single.pass(&[byte]) == 0);
        assert_eq!(one_by_one.unwrap_or(text.len()), passed, "the cut of packets matters: {text:?}");
        (passed < text.len()).then_some(passed)
    }

    fn check_passes(text: &str) {
        assert_eq!(stopped_at(text), None, "{text:?}");
    }

    fn check_refused_before(text: &str, rest: &str) {
        let at = stopped_at(text).unwrap_or_else(|| panic!("passed: {text:?}"));
        assert_eq!(&text[at..], rest, "{text:?}");
    }

    #[test]
    fn ordinary_requests_pass_one_after_the_other() {
        check_passes("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n\r\n");
        check_passes("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n\n\n\nGET / HTTP/1.1\r\n\r\n");
        check_passes("POST / HTTP/1.1\r\ncontent-length:0\r\n\r\nGET / HTTP/1.1\r\n\r\n");
        check_passes("\r\nPUT / HTTP/1.1\r\nX-Content-Length: a,b\r\nEmpty:\r\n\r\n");
        check_passes("PRI / HTTP/1.1\r\nPR: I\r\n\r\n");
    }

    #[test]
    fn a_head_lasts_from_its_first_byte_to_its_end() {
        let mut gate = Gate::new();
        for (text, within) in [("GET / HTTP/1.1\r\n\r", true), ("\n", false), ("\r\n", false), ("G", true)] {
            gate.pass(text.as_bytes());
            assert_eq!(gate.is_within_head(), within, "{text:?}");
        }
    }

    #[test]
    fn chunked_bodies_pass() {
        let head = "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked \r\n\r\n";
        check_passes(&format!("{head}3;a=b\r\n\n\n\n\r\nA\r\n0123456789\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n"));
        check_passes(&format!("{head}0\r\nTrailer: x\r\n\r\nGET / HTTP/1.1\r\n\r\n"));
    }

    #[test]
    fn ker_34_a_bare_line_feed_is_refused() {
        check_refused_before("GET / HTTP/1.1\nHost: x\r\n\r\n", "\nHost: x\r\n\r\n");
        check_refused_before("GET / HTTP/1.1\r\nHost: x\n\r\n", "\n\r\n");
        check_refused_before("GET / HTTP/1.1\r\nHost: x\r\n\n", "\n");
        check_refused_before("\nGET", "\nGET");
    }

    #[test]
    fn ker_34_a_bare_carriage_return_is_refused() {
        check_refused_before("GET / HTTP/1.1\rX", "X");
        check_refused_before("GET / HTTP/1.1\r\nA: b\rc: d\r\n\r\n", "c: d\r\n\r\n");
        check_refused_before("GET / HTTP/1.1\r\n\rX", "X");
    }

    #[test]
    fn ker_34_two_lengths_are_refused_equal_or_not() {
        for second in ["3", "4"] {
            let text = format!("POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-length: {second}\r\n\r\n");
            check_refused_before(&text, &format!(": {second}\r\n\r\n"));
        }
        check_refused_before("POST / HTTP/1.1\r\nContent-Length: 3, 3\r\n\r\n", ", 3\r\n\r\n");
    }

    #[test]
    fn ker_34_a_length_beside_chunks_is_refused_in_either_order() {
        let (length, chunks) = ("Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n");
        check_refused_before(&format!("POST / HTTP/1.1\r\n{length}{chunks}\r\n"), ": chunked\r\n\r\n");
        check_refused_before(&format!("POST / HTTP/1.1\r\n{chunks}{length}\r\n"), ": 3\r\n\r\n");
        check_refused_before(&format!("POST / HTTP/1.1\r\n{chunks}{chunks}\r\n"), ": chunked\r\n\r\n");
    }

    #[test]
    fn ker_34_a_length_is_digits_only() {
        for bad in ["+3", "-3", "0x3", "3 3", "3a", "", " ", "99999999999999999999"] {
            let text = format!("POST / HTTP/1.1\r\nContent-Length: {bad}\r\n\r\n");
            assert!(stopped_at(&text).is_some(), "{bad:?}");
        }
    }

    #[test]
    fn ker_34_other_encodings_and_disguises_are_refused() {
        for bad in ["gzip, chunked", "chunked, chunked", "xchunked", "identity", "", "chunked\u{b}"] {
            let text = format!("POST / HTTP/1.1\r\nTransfer-Encoding: {bad}\r\n\r\n");
            assert!(stopped_at(&text).is_some(), "{bad:?}");
        }
        for bad in ["Transfer-Encoding : chunked", " folded: x", "no colon", ": nameless", "Content-Length\t: 3"] {
            let text = format!("POST / HTTP/1.1\r\nHost: x\r\n{bad}\r\n\r\n");
            assert!(stopped_at(&text).is_some(), "{bad:?}");
        }
    }

    #[test]
    fn ker_34_chunk_sizes_are_plain_hex_ended_by_crlf() {
        for bad in
            ["3\nabc", "+3\r\n", "-1\r\n", "0x3\r\n", " 3\r\n", "3 \r\n", "\r\n", "3;a\nb", "fffffffffffffffff\r\n"]
        {
            let text = format!("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{bad}");
            assert!(stopped_at(&text).is_some(), "{bad:?}");
        }
        let head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        check_refused_before(&format!("{head}1\r\nabc"), "bc");
        check_refused_before(&format!("{head}0\r\nA: b\n\r\n"), "\n\r\n");
    }

    #[test]
    fn http_2_passes_whole() {
        let mut gate = Gate::new();
        assert_eq!(gate.pass(&PREFACE[..10]), 10);
        assert!(gate.is_within_head());
        assert_eq!(gate.pass(&PREFACE[10..]), 14);
        assert!(!gate.is_within_head());
        assert_eq!(gate.pass(b"\n\n\0\xff"), 4);
    }
}
