//! JSON of one type, with errors that say where.

use base::codes;
use memchr::memmem;
use serde::de::DeserializeOwned;

use crate::error::ApiError;

/// Most of serde's words that are passed on: they quote the client's own text.
const WORDS_MAX: usize = 200;

/// Parses a body; unknown and doubled fields are refused by name where the type says so.
pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    if bytes.is_empty() {
        return Err(ApiError::refused(codes::ABODY, "the body is empty, this route takes JSON"));
    }
    let value = serde_json::from_slice(bytes).map_err(|error| refused(&error))?;
    if has_nul(bytes) {
        return Err(ApiError::refused(codes::ABODY, "a text in the body holds NUL (\\u0000)"));
    }
    Ok(value)
}

fn refused(error: &serde_json::Error) -> ApiError {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let words = text.strip_suffix(place.as_str()).unwrap_or(&text);
    let short: String = words.chars().take(WORDS_MAX).collect();
    let dots = if short.len() < words.len() { "…" } else { "" };
    ApiError::refused(codes::ABODY, format!("{short}{dots}{place}"))
}

/// Whether well-formed JSON has NUL in a text: only the escape can bring it, and only where its backslash is not itself
/// escaped.
fn has_nul(json: &[u8]) -> bool {
    let starts = memmem::find_iter(json, br"\u0000");
    let escaped = |at: usize| json[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
    starts.into_iter().any(|at| !escaped(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Order {
        name: String,
        #[serde(default)]
        count: i64,
    }

    fn check(body: &str, words: &str) {
        let refusal = parse::<Order>(body.as_bytes()).expect_err(body).0;
        assert_eq!(refusal.code, codes::ABODY, "{body}");
        assert!(refusal.message.contains(words), "{body}: {}", refusal.message);
        assert!(refusal.message.len() < 400, "{}", refusal.message.len());
    }

    #[test]
    fn ker_34_errors_say_what_and_where() {
        check("", "the body is empty");
        check("{", "EOF while parsing an object at line 1 column 1");
        check("{\n \"name\": 5}", "invalid type: integer `5`, expected a string at line 2 column 10");
        check(r#"{"name":"a","nmae":1}"#, "unknown field `nmae`, expected `name` or `count` at line 1 column 18");
        check(r#"{"name":"a","name":"b"}"#, "duplicate field `name` at line 1 column 18");
        check(r#"{"name":"a"} x"#, "trailing characters at line 1 column 14");
        check(r#"{"name":"\ud800"}"#, "at line 1 column 16");
        check(r#"{"name":"a","count":9223372036854775808}"#, "at line 1 column 39");
        check(&format!(r#"{{"{}":1}}"#, "x".repeat(100_000)), "…");
    }

    #[test]
    fn ker_34_depth_is_bounded() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let refusal = parse::<serde_json::Value>(deep.as_bytes()).unwrap_err().0;
        assert!(refusal.message.contains("recursion limit exceeded"), "{}", refusal.message);
    }

    #[test]
    fn ker_34_nul_is_refused_and_its_picture_is_not() {
        check(r#"{"name":"a\u0000b"}"#, "NUL");
        check(r#"{"name":"\\\u0000"}"#, "NUL");
        assert_eq!(parse::<Order>(br#"{"name":"\\u0000"}"#).unwrap().name, r"\u0000");
        assert_eq!(parse::<Order>(br#"{"name":"a","count":-9223372036854775808}"#).unwrap().count, i64::MIN);
    }
}
