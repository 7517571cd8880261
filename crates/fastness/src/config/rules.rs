//! Rules for texts, and rules between keys.

use base::Engine;
use tracing_subscriber::filter::{EnvFilter, LevelFilter};

use super::field::BlobPlace;
use super::key::TextRule;
use super::keys::{BlobSettings, Config};

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
    Rule {
        keys: &["blobs.place", "blobs.url", "blobs.bucket", "blobs.access_key", "blobs.secret_key"],
        says: "the place s3 needs a URL, a bucket and an access key with its secret",
        holds: |config| config.blobs.place != BlobPlace::S3 || knows_s3(&config.blobs),
    },
];

/// KER-1.
pub(super) const NAMESPACE: TextRule = TextRule { says: "1 to 16 of a-z and 0-9", holds: is_namespace };

/// With a namespace's name behind it, it stays below PostgreSQL's 63 bytes and needs no quotes.
pub(super) const SCHEMA_PREFIX: TextRule =
    TextRule { says: "1 to 32 of a-z, 0-9 and _, not beginning with a digit or pg_", holds: is_schema_prefix };

/// As `tracing` has it.
pub(super) const FILTER: TextRule = TextRule {
    says: "off, error, warn, info, debug or trace, or such levels by module: info,kernel=debug",
    holds: is_filter,
};

/// Of a storage.
pub(super) const S3_URL: TextRule = TextRule {
    says: "empty, or a URL that begins with https:// or http://, without a slash at its end",
    holds: is_s3_url,
};

/// Of a bucket or a region.
pub(super) const S3_NAME: TextRule =
    TextRule { says: "empty, or 1 to 63 of a-z, A-Z, 0-9, - and .", holds: is_s3_name };

fn knows_s3(blobs: &BlobSettings) -> bool {
    let named = !blobs.url.is_empty() && !blobs.bucket.is_empty() && !blobs.region.is_empty();
    named && blobs.access_key.is_some() && blobs.secret_key.is_some()
}

fn is_s3_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let plain = |rest: &str| !rest.is_empty() && rest.len() <= 255 && rest.bytes().all(|byte| byte.is_ascii_graphic());
    text.is_empty() || rest.is_some_and(|rest| plain(rest) && !rest.ends_with('/'))
}

fn is_s3_name(text: &str) -> bool {
    text.len() <= 63 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
}

fn is_namespace(text: &str) -> bool {
    (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
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
    fn ker_26_ker_36_a_storage_is_named_by_a_url_and_a_bucket() {
        assert!(["", "https://s3.example.org", "http://127.0.0.1:9000"].into_iter().all(is_s3_url));
        assert!(!["s3.example.org", "https://", "https://a/", "https://a b", "ftp://a"].into_iter().any(is_s3_url));
        assert!(["", "my-bucket.1", "eu-central-1"].into_iter().all(is_s3_name));
        assert!(!["a/b", "a b", &"a".repeat(64)].into_iter().any(is_s3_name));
    }

    #[test]
    fn ker_1_ker_36_names_stay_names() {
        assert!(["z", "a1", "0123456789abcdef"].into_iter().all(is_namespace));
        assert!(!["", "Z", "a-b", "0123456789abcdefg", "é"].into_iter().any(is_namespace));
        assert!(["fastness_", "_", "f1"].into_iter().all(is_schema_prefix));
        assert!(!["", "pg_x", "1a", "A", "a-b", "a\"b", &"a".repeat(33)].into_iter().any(is_schema_prefix));
    }
}
