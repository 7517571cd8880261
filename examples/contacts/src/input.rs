//! Checks of texts that come from outside.

use base::limits::NAME_MAX;
use base::{OpError, OpResult, codes};

/// A name: 1 to 255 bytes, none of them a control character.
pub(crate) fn check_name(what: &str, text: &str) -> OpResult<()> {
    check_text(what, text, NAME_MAX)
}

/// A text of 1 to so many bytes without control characters.
pub(crate) fn check_text(what: &str, text: &str, max: usize) -> OpResult<()> {
    if !(1..=max).contains(&text.len()) {
        return Err(OpError::new(codes::ALIMIT, format!("{what} has {} bytes, not 1 to {max}", text.len())));
    }
    if text.chars().any(char::is_control) {
        return Err(OpError::new(codes::ABODY, format!("{what} has control characters")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_from_outside_are_bounded_and_plain() {
        assert!(check_name("name", "Ada").is_ok());
        for (text, code) in [("", codes::ALIMIT), (&"x".repeat(NAME_MAX + 1), codes::ALIMIT), ("a\nb", codes::ABODY)] {
            assert_eq!(check_name("name", text).unwrap_err().code, code, "{text:?}");
        }
    }
}
