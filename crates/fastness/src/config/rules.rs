//! Rules for texts, and rules between keys.

use base::Engine;
use kernel::Nodes;
use kernel::alerts::Channel;
use kernel::tasks::Cron;
use tracing_subscriber::filter::{EnvFilter, LevelFilter};

use super::field::{BlobPlace, BodiesPlace, Secret};
use super::key::TextRule;
use super::keys::{BlobSettings, Config, Server};
use crate::alone;

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
        keys: &["server.listen", "server.tls_certificate", "server.allow_plain_http"],
        says: "beyond loopback there must be TLS, or plain HTTP must be allowed",
        holds: |config| {
            let server = &config.server;
            server.listen.ip().is_loopback() || server.tls_certificate.is_some() || server.allow_plain_http
        },
    },
    Rule {
        keys: &["server.tls_certificate", "server.tls_key"],
        says: "a certificate and its key need each other",
        holds: |config| config.server.tls_certificate.is_some() == config.server.tls_key.is_some(),
    },
    Rule {
        keys: &["mail.url", "mail.from"],
        says: "mail needs a URL that begins with smtp:// or smtps:// (user and password, or neither), and a sender",
        holds: |config| {
            let server = |url: &Secret| host::is_mail_server(url.expose()) && !config.mail.from.is_empty();
            config.mail.url.as_ref().is_none_or(server)
        },
    },
    Rule {
        keys: &["server.namespace_requests_max", "server.requests_max"],
        says: "one namespace may not have more requests in flight than all together",
        holds: |config| config.server.namespace_requests_max <= config.server.requests_max,
    },
    Rule {
        keys: &["alerts.webhook_url", "alerts.webhook_secret"],
        says: "the webhook's URL begins with https:// or http://, and its secret is whsec_ with base64 of 24 to 64 bytes",
        holds: |config| webhook(config).is_none_or(|channel| channel.check().is_ok()),
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
    Rule {
        keys: &["exchange.bodies", "store.nodes"],
        says: "messages as files in folders need one server: several have no folder in common",
        holds: |config| config.exchange.bodies != BodiesPlace::Folders || alone::nodes(config) == Nodes::One,
    },
    Rule {
        keys: &["exchange.bodies", "blobs.place", "store.nodes"],
        says: "messages in blobs need the place s3 where there are several servers: a disk is one server's",
        holds: |config| {
            let is_shared = config.blobs.place == BlobPlace::S3 || alone::nodes(config) == Nodes::One;
            config.exchange.bodies != BodiesPlace::Blobs || is_shared
        },
    },
    Rule {
        keys: &["sensors.redis_url"],
        says: "Redis is named as redis://[user:password@]host[:port][/number]",
        holds: |config| {
            let url = config.sensors.redis_url.as_ref();
            url.is_none_or(|url| host::RedisServer::check_url(url.expose()).is_ok())
        },
    },
    Rule {
        keys: &["sensors.clickhouse_url"],
        says: "ClickHouse is named as http[s]://[user:password@]host[:port][/database]",
        holds: |config| {
            let url = config.sensors.clickhouse_url.as_ref();
            url.is_none_or(|url| sensors::history::ClickHouse::check_url(url.expose()).is_ok())
        },
    },
    Rule {
        keys: &["sensors.amqp_url"],
        says: "the broker's URL is amqp://user:password@host:port/vhost, or the same with amqps",
        holds: |config| config.sensors.amqp_url.as_ref().is_none_or(|url| host::check_amqp_url(url.expose()).is_ok()),
    },
    Rule {
        keys: &["sensors.notify_queue", "sensors.amqp_url"],
        says: "notifications through a queue need a broker",
        holds: |config| !config.sensors.notify_queue || config.sensors.amqp_url.is_some(),
    },
];

/// The webhook that the configuration names for alerts.
pub(crate) fn webhook(config: &Config) -> Option<Channel> {
    let url = config.alerts.webhook_url.as_ref()?.expose().to_owned();
    let secret = config.alerts.webhook_secret.as_ref().map(|secret| secret.expose().to_owned());
    Some(Channel::Webhook { url, secret })
}

/// KER-1.
pub(super) const NAMESPACE: TextRule = TextRule { says: "1 to 16 of a-z and 0-9", holds: is_namespace };

/// With a namespace's name behind it, it stays below PostgreSQL's 63 bytes and needs no quotes.
pub(super) const SCHEMA_PREFIX: TextRule =
    TextRule { says: "1 to 32 of a-z, 0-9 and _, not beginning with a digit or pg_", holds: is_schema_prefix };

/// As AMQP has it; names that begin with `amq.` are the broker's own.
pub(super) const QUEUE_NAME: TextRule =
    TextRule { says: "1 to 255 bytes without control characters, not beginning with amq.", holds: is_queue_name };

fn is_queue_name(text: &str) -> bool {
    (1..=255).contains(&text.len()) && !text.starts_with("amq.") && !text.chars().any(char::is_control)
}

/// KER-21.
pub(super) const CRON: TextRule = TextRule {
    says: "empty, or a cron text such as D0425 or 25 4 * * * (every day at 04:25 UTC)",
    holds: is_cron_or_empty,
};

/// As `tracing` has it.
pub(super) const FILTER: TextRule = TextRule {
    says: "off, error, warn, info, debug or trace, or such levels by module: info,kernel=debug",
    holds: is_filter,
};

/// As the mail goes out with it.
pub(super) const SENDER: TextRule = TextRule {
    says: "a mail address, also with a name before it and angle brackets around it; empty means not set",
    holds: |text| text.is_empty() || host::is_mail_address(text),
};

/// Operations and their queues.
pub(super) const QUEUES: TextRule =
    TextRule { says: "operations with the number of their queue: mail.send=1, report.nightly=2", holds: are_queues };

/// A node's name goes into rows and logs.
pub(super) const NODE: TextRule =
    TextRule { says: "at most 64 of a-z, A-Z, 0-9, - and .; empty for one that is made up", holds: is_node };

fn are_queues(text: &str) -> bool {
    let is_one = |(op, queue): (&str, &str)| !op.trim().is_empty() && matches!(queue.trim(), "0" | "1" | "2");
    text.trim().is_empty() || text.split(',').all(|entry| entry.split_once('=').is_some_and(is_one))
}

fn is_node(text: &str) -> bool {
    text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
}

/// As alerts take them.
pub(super) const ADDRESSES: TextRule =
    TextRule { says: "up to 20 mail addresses (name@host) separated by commas", holds: is_addresses };

fn is_addresses(text: &str) -> bool {
    text.is_empty() || Channel::Mail { to: addresses(text) }.check().is_ok()
}

/// The addresses of a text.
pub(crate) fn addresses(text: &str) -> Vec<String> {
    text.split(',').map(|address| address.trim().to_owned()).collect()
}

/// As browsers write it in the header Origin.
pub(super) const ORIGIN: TextRule =
    TextRule { says: "empty, or http:// or https:// and a host in lower case, without a path", holds: is_origin };

/// As `web::Network` has it.
pub(super) const NETWORKS: TextRule =
    TextRule { says: "addresses and networks such as 10.0.0.0/8, separated by commas", holds: is_networks };

fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-:[]".contains(&byte);
    text.is_empty() || host.is_some_and(|host| (1..=255).contains(&host.len()) && host.bytes().all(plain))
}

fn is_networks(text: &str) -> bool {
    text.len() <= 4_096 && networks(text).is_some()
}

impl Server {
    /// The proxies that are believed.
    #[must_use]
    pub fn networks(&self) -> Vec<web::Network> {
        // Checked when the configuration was read.
        networks(&self.trusted_proxies).unwrap_or_default()
    }
}

/// The networks of a text; `None` if one cannot be read.
fn networks(text: &str) -> Option<Vec<web::Network>> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(|part| part.parse().ok()).collect()
}

/// Of a storage.
pub(super) const PLAIN_URL: TextRule = TextRule {
    says: "empty, or a URL that begins with https:// or http://, without a slash at its end",
    holds: is_plain_url,
};

/// Of a bucket or a region.
pub(super) const S3_NAME: TextRule =
    TextRule { says: "empty, or 1 to 63 of a-z, A-Z, 0-9, - and .", holds: is_s3_name };

fn knows_s3(blobs: &BlobSettings) -> bool {
    let named = !blobs.url.is_empty() && !blobs.bucket.is_empty() && !blobs.region.is_empty();
    named && blobs.access_key.is_some() && blobs.secret_key.is_some()
}

fn is_plain_url(text: &str) -> bool {
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

fn is_cron_or_empty(text: &str) -> bool {
    text.is_empty() || text.parse::<Cron>().is_ok()
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
    fn ker_16_ker_36_queues_are_operations_with_numbers() {
        assert!(["", "a.b=1", "a.b=0, c.d=2 "].into_iter().all(are_queues));
        assert!(!["a.b", "a.b=3", "=1", "a.b=1,", "a.b=x"].into_iter().any(are_queues));
        assert!(["", "node-1.example"].into_iter().all(is_node) && !["a b", "é"].into_iter().any(is_node));
    }

    #[test]
    fn ker_27_ker_36_addresses_are_addresses() {
        assert!(["", "a@b", "a@b, c@d"].into_iter().all(is_addresses));
        assert!(!["a", ",", "a@b,", "a@b;c@d", "A <a@b>"].into_iter().any(is_addresses));
    }

    #[test]
    fn ker_26_ker_36_a_storage_is_named_by_a_url_and_a_bucket() {
        assert!(["", "https://s3.example.org", "http://127.0.0.1:9000"].into_iter().all(is_plain_url));
        assert!(!["s3.example.org", "https://", "https://a/", "https://a b", "ftp://a"].into_iter().any(is_plain_url));
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

    #[test]
    fn ker_33_an_origin_is_a_url_without_a_path_and_proxies_are_networks() {
        assert!(
            ["", "https://fastness.example", "http://10.0.0.1:7400", "http://[::1]:7400"].into_iter().all(is_origin)
        );
        assert!(!["x", "https://", "https://a/", "ftp://a", "https://A", "https://a b"].into_iter().any(is_origin));
        assert!(["", "10.0.0.0/8", "10.0.0.0/8, 192.0.2.1,fd00::/8"].into_iter().all(is_networks));
        assert!(!["x", "10.0.0.0/33", "10.0.0.0/8;192.0.2.1"].into_iter().any(is_networks));
    }
}
