//! Migrations: numbered steps of one service, one text for every engine with tokens for what differs.

/// One step. Steps of a service are numbered 1, 2, 3 … and never change once released.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Whose step it is.
    pub service: &'static str,
    /// Its number within the service.
    pub version: u32,
    /// Statements separated by `;`, with the tokens `{int} {real} {text} {blob}`, and at the end of a table
    /// `{strict}`, or `{clustered}` where rows are found by a primary key that grows with time. `/*pg … */` is a comment for
    /// everybody but PostgreSQL, as in statements.
    pub text: &'static str,
}

/// Which SQL a text is rendered for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite.
    Sqlite,
    /// PostgreSQL and what speaks like it.
    Postgres,
}

impl Dialect {
    /// The step's text for this engine. `{text}` compares by bytes everywhere, so that ranges and order agree.
    #[must_use]
    pub fn render(self, text: &str) -> String {
        let tokens = match self {
            Self::Sqlite => [
                ("{int}", "INTEGER"),
                ("{real}", "REAL"),
                ("{text}", "TEXT"),
                ("{blob}", "BLOB"),
                ("{strict}", "STRICT"),
                ("{clustered}", "STRICT, WITHOUT ROWID"),
            ],
            Self::Postgres => [
                ("{int}", "BIGINT"),
                ("{real}", "DOUBLE PRECISION"),
                ("{text}", "TEXT COLLATE \"C\""),
                ("{blob}", "BYTEA"),
                ("{strict}", ""),
                ("{clustered}", ""),
            ],
        };
        let text = match self {
            Self::Sqlite => text.to_owned(),
            Self::Postgres => text.replace("/*pg ", "").replace("*/", ""),
        };
        tokens.iter().fold(text, |text, (token, word)| text.replace(token, word))
    }
}

impl Migration {
    /// A fingerprint that tells a changed step from the one that was applied (FNV-1a: no secret, only a mistake to catch).
    #[must_use]
    pub fn digest(&self) -> i64 {
        let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.text.bytes().fold(0xcbf2_9ce4_8422_2325, fold).cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_become_the_engines_words() {
        let text = "CREATE TABLE t (a {text} PRIMARY KEY, b {int}, c {blob}) {strict}";
        assert_eq!(Dialect::Sqlite.render(text), "CREATE TABLE t (a TEXT PRIMARY KEY, b INTEGER, c BLOB) STRICT");
        assert_eq!(
            Dialect::Postgres.render(text),
            "CREATE TABLE t (a TEXT COLLATE \"C\" PRIMARY KEY, b BIGINT, c BYTEA) "
        );
    }

    #[test]
    fn what_is_for_postgres_alone_is_a_comment_elsewhere() {
        let text = "CREATE TABLE t (a {text}) {strict} /*pg PARTITION BY HASH (a) */";
        assert_eq!(Dialect::Sqlite.render(text), "CREATE TABLE t (a TEXT) STRICT /*pg PARTITION BY HASH (a) */");
        assert_eq!(Dialect::Postgres.render(text), "CREATE TABLE t (a TEXT COLLATE \"C\")  PARTITION BY HASH (a) ");
    }

    #[test]
    fn a_changed_step_has_another_digest() {
        let step = |text| Migration { service: "t", version: 1, text };
        assert_ne!(step("a").digest(), step("b").digest());
    }
}
