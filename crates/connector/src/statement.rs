//! SQL of the user with `:name` in it, as an engine takes it. Pure.
//!
//! What stands in quotes, in comments and behind `::` is left alone. Each place gets a parameter of its own, because PostgreSQL gives
//! one parameter one type.

use crate::values::{NAMES, Name};

/// How an engine writes parameters and quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `?`.
    Plain,
    /// `$1`, and texts between `$tag$`.
    Dollar,
}

/// A statement and the names of its parameters, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// As the engine takes it.
    pub sql: String,
    /// One for each parameter.
    pub names: Vec<Name>,
}

impl Statement {
    /// Reads SQL of the user.
    ///
    /// # Errors
    /// A name that no message has.
    pub fn read(text: &str, dialect: Dialect) -> Result<Self, String> {
        let mut statement = Self { sql: String::with_capacity(text.len()), names: vec![] };
        let mut rest = text.trim().trim_end_matches(';');
        while !rest.is_empty() {
            let taken = match name_at(rest) {
                Some(word) if !statement.sql.ends_with(is_word_or_colon) => {
                    statement.parameter(word, dialect)?;
                    word.len() + 1
                }
                _ => statement.copy(rest, dialect),
            };
            rest = &rest[taken..];
        }
        Ok(statement)
    }

    fn parameter(&mut self, word: &str, dialect: Dialect) -> Result<(), String> {
        let known = || NAMES.map(|(name, _)| format!(":{name}")).join(", ");
        let name = Name::of(word).ok_or_else(|| format!("`:{word}` is not one of {}", known()))?;
        self.names.push(name);
        match dialect {
            Dialect::Plain => self.sql.push('?'),
            Dialect::Dollar => self.sql.push_str(&format!("${}", self.names.len())),
        }
        Ok(())
    }

    /// Copies what is no parameter, a whole quote or comment at once; gives its length.
    fn copy(&mut self, rest: &str, dialect: Dialect) -> usize {
        let length = quoted(rest, dialect).unwrap_or_else(|| rest.chars().next().map_or(0, char::len_utf8));
        self.sql.push_str(&rest[..length]);
        length
    }
}

fn is_word_or_colon(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | ':')
}

/// The name behind a colon.
fn name_at(rest: &str) -> Option<&str> {
    let after = rest.strip_prefix(':')?;
    let end = after.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(after.len());
    let word = &after[..end];
    word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_').then_some(word)
}

/// The length of a quote or comment that begins here; one without an end takes all.
fn quoted(rest: &str, dialect: Dialect) -> Option<usize> {
    let end = match rest.as_bytes() {
        [b'\'', ..] => "'".to_owned(),
        [b'"', ..] => "\"".to_owned(),
        [b'-', b'-', ..] => "\n".to_owned(),
        [b'/', b'*', ..] => "*/".to_owned(),
        [b'$', ..] if dialect == Dialect::Dollar => dollar_tag(rest)?.to_owned(),
        _ => return None,
    };
    let begin = if end == "*/" || end == "\n" { 2 } else { end.len() };
    Some(rest[begin..].find(&end).map_or(rest.len(), |at| begin + at + end.len()))
}

fn dollar_tag(rest: &str) -> Option<&str> {
    let end = 1 + rest[1..].find('$')?;
    let tag = &rest[1..end];
    let is_tag = tag.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    (is_tag && !tag.starts_with(|letter: char| letter.is_ascii_digit())).then(|| &rest[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, dialect: Dialect) -> (String, usize) {
        let statement = Statement::read(text, dialect).unwrap();
        (statement.sql, statement.names.len())
    }

    #[test]
    fn exc_25_names_become_parameters_and_quotes_stay() {
        let text = "INSERT INTO a VALUES (:id, ':id', \":id\", :payload) -- :id\n/* :id */;";
        assert_eq!(
            read(text, Dialect::Plain),
            ("INSERT INTO a VALUES (?, ':id', \":id\", ?) -- :id\n/* :id */".into(), 2)
        );
        assert_eq!(
            read("SELECT f(:id, :id, :payload::jsonb, '{}'::json, $$ :id $$, $x$ :id $x$)", Dialect::Dollar),
            ("SELECT f($1, $2, $3::jsonb, '{}'::json, $$ :id $$, $x$ :id $x$)".into(), 3)
        );
        assert_eq!(read("SELECT 'it''s :id' FROM RDB$DATABASE WHERE X=:id", Dialect::Plain).1, 1);
        assert_eq!(read("SELECT 'ö :id", Dialect::Plain), ("SELECT 'ö :id".into(), 0), "a quote without end");
        assert_eq!(read("SELECT a[1 : 2], 'x' || :sender", Dialect::Dollar).1, 1);
    }

    #[test]
    fn exc_25_a_name_that_no_message_has_is_refused() {
        let error = Statement::read("SELECT :sendr", Dialect::Plain).unwrap_err();
        assert!(error.starts_with("`:sendr` is not one of :id, :type"), "{error}");
    }
}
