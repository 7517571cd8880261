//! Texts that others wrote, made harmless: bounded, on one line, without control characters.
//!
//! A name or an error may hold a line break or an escape sequence; in a terminal or a log that would forge a line.

use base::{OpError, OpResult, codes};

/// A text as it is kept and shown: control characters become their pictures (`␊`), characters that turn the direction of
/// writing become `�`, and what is longer than `bytes_max` is cut.
#[must_use]
pub fn shown(text: &str, bytes_max: usize) -> String {
    cut(text, bytes_max).chars().map(harmless).collect()
}

/// The beginning of a text, at most `bytes_max` bytes, never within a character; a cut text ends in `…`.
#[must_use]
pub fn cut(text: &str, bytes_max: usize) -> String {
    const MARK: &str = "…";
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let room = bytes_max.saturating_sub(MARK.len());
    let end = (0..=room).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}{MARK}", &text[..end])
}

/// Words that one search looks for.
const WORDS_MAX: usize = 10;
/// Bytes of a query text.
const QUERY_MAX: usize = 200;

/// The words of a query text, in lower case.
///
/// # Errors
/// There are too many.
pub fn query_words(text: &str) -> OpResult<Vec<String>> {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    if words.len() > WORDS_MAX || text.len() > QUERY_MAX {
        let message = format!("q has {} words, at most {WORDS_MAX} in {QUERY_MAX} bytes", words.len());
        return Err(OpError::before_start(codes::ALIMIT, message));
    }
    Ok(words)
}

fn harmless(c: char) -> char {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '␡',
        '\u{80}'..='\u{9f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_28_no_text_breaks_a_line_or_speaks_to_a_terminal() {
        assert_eq!(shown("a\nb\r\x1b[31m\0\u{7f}\u{9b}\u{202e}", 99), "a␊b␍␛[31m␀␡\u{fffd}\u{fffd}");
        assert_eq!(shown("plain é €", 99), "plain é €");
    }

    #[test]
    fn ker_28_long_texts_are_cut_between_characters() {
        assert_eq!(cut("aéé", 99), "aéé");
        assert_eq!(cut("abcdef", 5), "ab…");
        assert_eq!(cut("ééé", 5), "é…");
        assert!(cut("ééééé", 1).len() <= 3);
    }
}
