//! Ranges of texts that begin alike: what stands in for `LIKE` on every engine, because texts compare by their bytes.

/// The first text after all that start with a prefix: its last character that has a next one is replaced by that, and the rest is
/// cut off. None if there is no such text.
#[must_use]
pub fn after_prefix(prefix: &str) -> Option<String> {
    let mut rest = prefix.to_owned();
    while let Some(last) = rest.pop() {
        let next = if last == '\u{d7ff}' { Some('\u{e000}') } else { char::from_u32(u32::from(last) + 1) };
        if let Some(next) = next {
            rest.push(next);
            return Some(rest);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doc_13_the_end_of_a_range_lies_just_behind_all_with_that_prefix() {
        assert_eq!(after_prefix("a"), Some("b".into()));
        assert_eq!(after_prefix("a\u{d7ff}"), Some("a\u{e000}".into()), "there are no surrogates");
        assert_eq!(after_prefix("a\u{10ffff}"), Some("b".into()));
        assert_eq!(after_prefix("\u{10ffff}"), None);
    }
}
