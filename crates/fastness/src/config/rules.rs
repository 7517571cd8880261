//! Rules for texts, and rules between keys.

use base::Engine;
use tracing_subscriber::filter::{EnvFilter, LevelFilter};

use super::key::TextRule;
use super::keys::Config;

/// A rule that several keys keep together.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The keys.
    pub keys: &'static [&'static str],
    /// The rule in words, for errors and the reference.
    pub says: &'static str,
    /// The rule.
    pub holds: fn(&Config) -> bool,
}

/// All rules between keys.
pub const RULES: &[Rule] = &[
    Rule {
        keys: &["server.listen", "server.allow_plain_http"],
        says: "plain HTTP beyond loopback must be allowed",
        holds: |config| config.server.listen.ip().is_loopback() || config.server.allow_plain_http,
    },
    Rule {
        keys: &["server.namespace_requests_max", "server.requests_max"],
        says: "one namespace may not have more requests in flight than all together",
        holds: |config| config.server.namespace_requests_max <= config.server.requests_max,
    },
    Rule {
        keys: &["store.engine", "store.url"],
        says: "the engine postgres needs a URL",
        holds: |config| config.store.engine != Engine::Postgres || config.store.url.is_some(),
    },
];

/// KER-1.
pub(super) const NAMESPACE: TextRule = TextRule { says: "1 to 16 of a-z and 0-9", holds: is_namespace };

/// With a namespace's name behind it, it stays below PostgreSQL's 63 bytes and needs no quotes.
pub(super) const SCHEMA_PREFIX: TextRule =
    TextRule { says: "1 to 32 of a-z, 0-9 and _, not beginning with a digit or pg_", holds: is_schema_prefix };

/// KER-21.
pub(super) const CRON: TextRule =
    TextRule { says: "empty, or a cron text such as D0425 (every day at 04:25 UTC)", holds: is_cron_or_empty };

/// As `tracing` has it.
pub(super) const FILTER: TextRule = TextRule {
    says: "off, error, warn, info, debug or trace, or such levels by module: info,kernel=debug",
    holds: is_filter,
};

pub(crate) fn is_namespace(text: &str) -> bool {
    (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// A letter and the digits it needs: minute, hour and minute, and what lies above a day.
fn is_cron_or_empty(text: &str) -> bool {
    let mut letters = text.chars();
    let digits = match letters.next() {
        None => return true,
        Some('H') => 2,
        Some('D') => 4,
        Some('W') => 5,
        Some('M') => 6,
        Some('Y') => 8,
        Some(_) => return false,
    };
    text.len() == digits + 1 && letters.all(|letter| letter.is_ascii_digit())
}

/// PostgreSQL keeps names that begin with `pg_` for itself.
fn is_schema_prefix(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=32).contains(&text.len())
        && text.bytes().all(plain)
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.starts_with("pg_")
}

/// A lone word is a level: the filter itself would take `inof` for the name of a module and log nothing else.
fn is_filter(text: &str) -> bool {
    let is_directive = |part: &str| part.contains('=') || (!part.is_empty() && part.parse::<LevelFilter>().is_ok());
    let well_formed = text.contains('[') || text.split(',').all(is_directive);
    well_formed && text.len() <= 1_024 && EnvFilter::builder().parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_36_a_filter_is_levels_by_module() {
        for good in ["info", "OFF", "info,kernel=debug", "info,[request{ns=\"a\"}]=debug"] {
            assert!(is_filter(good), "{good}");
        }
        for bad in ["", " ", "inof", "info,", "info,kernel", "warn, info", "kernel=loud", &"info,".repeat(300)] {
            assert!(!is_filter(bad), "{bad}");
        }
    }

    #[test]
    fn ker_1_ker_36_names_stay_names() {
        assert!(["z", "a1", "0123456789abcdef"].into_iter().all(is_namespace));
        assert!(!["", "Z", "a-b", "0123456789abcdefg", "é"].into_iter().any(is_namespace));
        assert!(["fastness_", "_", "f1"].into_iter().all(is_schema_prefix));
        assert!(!["", "pg_x", "1a", "A", "a-b", "a\"b", &"a".repeat(33)].into_iter().any(is_schema_prefix));
    }
}
