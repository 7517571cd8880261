//! Values as ClickHouse reads them in a statement.

/// A text as a literal.
pub(super) fn quoted(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('\'');
    for char in text.chars() {
        match char {
            '\\' | '\'' => literal.extend(['\\', char]),
            '\0' => literal.push_str("\\0"),
            _ => literal.push(char),
        }
    }
    literal.push('\'');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_11_a_literal_ends_where_its_text_ends() {
        assert_eq!(quoted("Main St. 1"), "'Main St. 1'");
        assert_eq!(quoted("it's"), r"'it\'s'");
        assert_eq!(quoted(r"a\' OR 1 = 1 --"), r"'a\\\' OR 1 = 1 --'");
        assert_eq!(quoted("\\"), r"'\\'");
        assert_eq!(quoted("a\0b"), r"'a\0b'");
    }
}
