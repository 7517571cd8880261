//! How a call ended, in the words of gRPC.

use axum::http::header::{HeaderMap, HeaderName, HeaderValue};
use base::OpError;

use crate::error::as_told;

const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");

/// Number and text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Status {
    code: u8,
    text: String,
}

impl Status {
    /// All was said.
    pub(super) fn ok() -> Self {
        Self { code: 0, text: String::new() }
    }

    /// A message is larger than we take.
    pub(super) fn too_large(max: usize) -> Self {
        Self { code: 8, text: format!("a message has at most {max} bytes") }
    }

    /// A message is compressed.
    pub(super) fn compressed() -> Self {
        Self { code: 12, text: "compressed messages are not taken".into() }
    }

    /// The last message has fewer bytes than it said.
    pub(super) fn broken_off() -> Self {
        Self { code: 3, text: "the last message breaks off".into() }
    }

    /// Another node, or this one later, will do.
    pub(super) fn unavailable(text: &str) -> Self {
        Self { code: 14, text: text.into() }
    }

    /// A bug of ours.
    pub(super) fn internal() -> Self {
        Self { code: 13, text: "the conversation broke off".into() }
    }

    /// The key is not valid any more.
    pub(super) fn revoked() -> Self {
        Self { code: 16, text: "the key or its namespace is not valid any more".into() }
    }

    /// That of a refusal.
    pub(super) fn of(error: &OpError) -> Self {
        let code = match (error.code.letter(), error.code.name) {
            (_, "SKEY") => 16,
            ('S', _) => 7,
            ('N', _) => 5,
            ('A', _) => 3,
            ('T', _) => 4,
            ('C', _) => 10,
            ('D', _) => 9,
            ('X' | 'O', _) => 14,
            _ => 13,
        };
        let told = as_told(error);
        Self { code, text: format!("{}: {}", told.code.name, told.message) }
    }

    /// Puts it where clients look: into trailers, or into the head of an answer without messages.
    pub(super) fn add_to(&self, headers: &mut HeaderMap) {
        headers.insert(STATUS, HeaderValue::from(u16::from(self.code)));
        if let Ok(text) = HeaderValue::from_str(&percent_encoded(&self.text))
            && !self.text.is_empty()
        {
            headers.insert(MESSAGE, text);
        }
    }
}

fn percent_encoded(text: &str) -> String {
    let plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'%';
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use base::codes;

    use super::*;

    #[test]
    fn fld_1_refusals_have_the_numbers_of_grpc_and_faults_keep_their_words() {
        let refusal = |code| Status::of(&OpError::before_start(code, "a/b 50 % \u{e4}"));
        for (code, number) in [
            (codes::SKEY, 16),
            (codes::SROLE, 7),
            (codes::NROUTE, 5),
            (codes::ABODY, 3),
            (codes::TTIME, 4),
            (codes::XBUSY, 14),
            (codes::BPANIC, 13),
        ] {
            assert_eq!(refusal(code).code, number, "{}", code.name);
        }
        assert!(!refusal(codes::XSTORE).text.contains("a/b"));
        let mut headers = HeaderMap::new();
        refusal(codes::ABODY).add_to(&mut headers);
        assert_eq!(
            (&headers["grpc-status"], &headers["grpc-message"]),
            (&HeaderValue::from(3), &HeaderValue::from_static("ABODY: a/b 50 %25 %C3%A4"))
        );
    }
}
