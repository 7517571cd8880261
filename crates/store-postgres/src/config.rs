//! What an operator chooses about a PostgreSQL store.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use base::{StoreError, StoreResult, limits};

/// How to reach one namespace's store. One namespace is one PostgreSQL schema.
#[derive(Clone)]
pub struct PostgresConfig {
    /// `host=… user=… dbname=…` or `postgresql://…`. May hold a password, so it is never printed.
    pub url: String,
    /// The schema: 1 to 63 of `a-z`, `0-9`, `_`.
    pub schema: String,
    /// Whether the schema is created if it is missing. One that held data and is missing is lost or set aside: an empty one in its
    /// place would hide that.
    pub creates_schema: bool,
    /// Connections that write, one thread each.
    pub workers: usize,
    /// Connections that read, one thread each.
    pub readers: usize,
    /// Jobs that may wait to write, and as many to read.
    pub queue_max: usize,
    /// Jobs in one transaction.
    pub batch_max: usize,
    /// Jobs of different keys in one transaction, while more wait than half the workers can take; 1 shares only within
    /// a key. Measured at 256 callers: 16 gives 3 to 8 times the operations of 1, and 32 no more than 16.
    pub mixed_max: usize,
    /// How long a transaction stays open for further jobs. Far from the server, where each read costs more, it may be
    /// longer.
    pub batch_us: u64,
    /// How long the server may stay silent before the connection is given up.
    pub answer_ms: u64,
    /// How long opening a connection may take.
    pub connect_ms: u64,
}

impl PostgresConfig {
    /// The defaults for one schema.
    #[must_use]
    pub fn new(url: impl Into<String>, schema: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            schema: schema.into(),
            creates_schema: true,
            workers: 8,
            readers: 4,
            queue_max: limits::QUEUE_MAX,
            batch_max: 64,
            mixed_max: 16,
            batch_us: limits::BATCH_US,
            answer_ms: 15_000,
            connect_ms: 3_000,
        }
    }

    /// What the driver is told, or what is wrong with the choices.
    pub(crate) fn driver(&self) -> StoreResult<tokio_postgres::Config> {
        self.check().map_err(StoreError::Unavailable)?;
        // The driver's own message may quote parts of the string, which may be the password.
        let invalid = |_| StoreError::Unavailable("the connection string of PostgreSQL cannot be read".into());
        let mut driver = tokio_postgres::Config::from_str(&self.url).map_err(invalid)?;
        if driver.get_application_name().is_none() {
            driver.application_name("fastness");
        }
        // A server that is gone without a word is noticed by the kernel in about the time we would wait for it.
        driver
            .connect_timeout(self.connect_limit())
            .tcp_user_timeout(self.answer_limit())
            .keepalives(true)
            .keepalives_idle(Duration::from_secs(5))
            .keepalives_interval(Duration::from_secs(3))
            .keepalives_retries(3);
        Ok(driver)
    }

    pub(crate) fn answer_limit(&self) -> Duration {
        Duration::from_millis(self.answer_ms)
    }

    pub(crate) fn connect_limit(&self) -> Duration {
        Duration::from_millis(self.connect_ms)
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if !(1..=63).contains(&self.schema.len()) || !self.schema.bytes().all(is_plain) {
            return Err(format!("`{}` is not a schema's name (1 to 63 of a-z, 0-9, _)", self.schema));
        }
        let counts = [self.workers, self.readers, self.queue_max, self.batch_max, self.mixed_max];
        if counts.contains(&0) {
            return Err("workers, readers, queue_max, batch_max and mixed_max must be at least 1".into());
        }
        Ok(())
    }
}

impl fmt::Debug for PostgresConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schema, workers, readers, queue_max, batch_max, .. } = self;
        write!(
            f,
            "PostgresConfig({schema}, {workers} workers, {readers} readers, {queue_max} waiting, {batch_max} a batch)"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut PostgresConfig)) -> String {
        let mut config = PostgresConfig::new("host=localhost user=u", "ns1");
        assert!(config.driver().is_ok());
        change(&mut config);
        config.driver().expect_err("refused").to_string()
    }

    #[test]
    fn odd_schemas_and_empty_counts_are_refused() {
        for schema in ["", "Upper", "a\"b", "a b", &"x".repeat(64)] {
            assert!(refused(|config| config.schema = schema.into()).contains("is not a schema's name"), "{schema}");
        }
        assert!(refused(|config| config.workers = 0).contains("at least 1"));
    }

    #[test]
    fn a_bad_connection_string_is_not_quoted() {
        let error = refused(|config| config.url = "password=hunter2 nonsense=1".into());
        assert!(!error.contains("hunter2") && error.contains("cannot be read"), "{error}");
        assert!(!format!("{:?}", PostgresConfig::new("password=hunter2", "x")).contains("hunter2"));
    }
}
