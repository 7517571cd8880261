//! SQL texts: one text for every engine, parameters written `?1 … ?n`.

/// A named statement. The name finds its prepared form, appears in errors and is unique in the program.
#[derive(Debug, PartialEq, Eq)]
pub struct Sql {
    /// `table.verb`, e.g. `request.insert`.
    pub name: &'static str,
    /// Portable text.
    pub text: &'static str,
}

impl Sql {
    /// A named statement.
    #[must_use]
    pub const fn new(name: &'static str, text: &'static str) -> Self {
        Self { name, text }
    }
}

/// Rewrites for PostgreSQL: `?n` to `$n` outside of quoted text, and `/*pg … */`, a comment for everybody else, to what it
/// holds: a lock that only PostgreSQL needs (`/*pg FOR UPDATE SKIP LOCKED */`).
#[must_use]
pub fn placeholders(text: &str) -> String {
    let mut quote = None;
    let rewrite = |c: char| {
        match quote {
            Some(open) if open == c => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            _ => {}
        }
        if c == '?' && quote.is_none() { '$' } else { c }
    };
    text.replace("/*pg ", "").replace("*/", "").chars().map(rewrite).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_marks_become_dollars_outside_of_quotes() {
        assert_eq!(placeholders("a = ?2 AND b = '?1' AND \"c?\" = ?10"), "a = $2 AND b = '?1' AND \"c?\" = $10");
        assert_eq!(placeholders("a = 'it''s ?' AND b = ?1"), "a = 'it''s ?' AND b = $1");
        assert_eq!(placeholders("LIMIT ?1 /*pg FOR UPDATE SKIP LOCKED */)"), "LIMIT $1 FOR UPDATE SKIP LOCKED )");
    }
}
