//! Commands that a person is told to type, as a shell reads them.

/// A word as a shell takes it for one, whatever is in it.
#[must_use]
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_36_a_word_in_a_command_stays_one_word() {
        assert_eq!(quoted("http://127.0.0.1:7400"), "http://127.0.0.1:7400");
        assert_eq!(quoted("my key"), "'my key'");
        assert_eq!(quoted("it's $HOME"), "'it'\\''s $HOME'");
        assert_eq!(quoted(""), "''");
    }
}
