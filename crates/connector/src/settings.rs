//! The file of settings: which database, and what is done with a message of each type.

use serde::Deserialize;

use crate::statement::{Dialect, Statement};
use crate::values::MomentForm;

/// Which database it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineName {
    /// A file.
    Sqlite,
    /// PostgreSQL.
    Postgres,
    /// Firebird 3 or later.
    Firebird,
}

impl EngineName {
    /// How it writes parameters.
    #[must_use]
    pub fn dialect(self) -> Dialect {
        match self {
            Self::Postgres => Dialect::Dollar,
            Self::Sqlite | Self::Firebird => Dialect::Plain,
        }
    }

    /// How it wants moments.
    #[must_use]
    pub fn moments(self) -> MomentForm {
        match self {
            Self::Firebird => MomentForm::Blank,
            Self::Sqlite | Self::Postgres => MomentForm::Rfc3339,
        }
    }
}

/// All settings.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The database's id at the server (DBID).
    pub database: String,
    /// What it runs on.
    pub engine: EngineName,
    /// Path of the file, PostgreSQL's words (`host=… user=…`) or URL, or `firebird://user:password@host:port/path`. `env:NAME` takes it from
    /// the environment.
    pub connect: String,
    /// Statements that are run once on each new connection.
    #[serde(default)]
    pub setup: Vec<String>,
    /// Only messages of these subsystems.
    #[serde(default)]
    pub subsystems: Vec<String>,
    /// Only messages of these senders.
    #[serde(default)]
    pub senders: Vec<String>,
    /// At most so many messages in one process.
    pub max_files: Option<u32>,
    /// At most so many megabytes in one process.
    pub max_mb: Option<f64>,
    /// Pause when nothing waits.
    #[serde(default = "pause_s")]
    pub pause_s: u32,
    /// How long a statement waits for locks of others before its message is a deadlock.
    #[serde(default = "lock_wait_s")]
    pub lock_wait_s: u32,
    /// How long one step in the database may take before its connection is given up.
    #[serde(default = "patience_s")]
    pub patience_s: u32,
    /// Markers are kept so long.
    #[serde(default = "keep_markers_days")]
    pub keep_markers_days: u32,
    /// Whether senders are told of a commit that failed.
    #[serde(default)]
    pub tell_senders: bool,
    /// What is done with messages, by their types.
    #[serde(rename = "message")]
    pub handlers: Vec<Handler>,
    /// Where replies come from.
    pub replies: Option<Replies>,
}

/// What is done with messages of one type.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handler {
    /// Type of the body; `*` is any that has no handler of its own.
    #[serde(rename = "type")]
    pub kind: String,
    /// Statements, run one after the other.
    pub sql: Vec<String>,
}

/// Where replies come from, inside the same transaction.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replies {
    /// Gives rows with the columns `id`, `recipient`, `type`, `payload` or `payload_text`, and if it likes `reply_to`, `subsystem`, `version`,
    /// `created_at`. May ask for `:process`.
    pub query: String,
    /// Run for each reply, with its `:id`: takes it out of where it came from.
    pub then: Option<String>,
}

fn pause_s() -> u32 {
    5
}

fn lock_wait_s() -> u32 {
    10
}

fn patience_s() -> u32 {
    240
}

fn keep_markers_days() -> u32 {
    180
}

/// Why settings cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettingsError(String);

/// The handler of all types without one of their own.
const ANY: &str = "*";
/// Bounds of times, in their units.
const RANGES_MAX: u32 = 86_400;

impl Settings {
    /// Reads a file's text and checks every statement of it.
    ///
    /// # Errors
    /// It is no such file; what is wrong is in the text.
    pub fn read(text: &str) -> Result<Self, SettingsError> {
        let mut settings: Self = toml::from_str(text).map_err(|error| SettingsError(error.to_string()))?;
        if let Some(name) = settings.connect.strip_prefix("env:") {
            let unset = |_| SettingsError(format!("connect is `env:{name}`, and {name} is not in the environment"));
            settings.connect = std::env::var(name).map_err(unset)?;
        }
        settings.check().map_err(SettingsError)?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), String> {
        let times = [("pause_s", self.pause_s), ("lock_wait_s", self.lock_wait_s), ("patience_s", self.patience_s)];
        if let Some((name, value)) = times.into_iter().find(|(_, value)| !(1..=RANGES_MAX).contains(value)) {
            return Err(format!("{name} is {value}, not 1 to {RANGES_MAX}"));
        }
        if self.handlers.is_empty() {
            return Err("there is no [[message]]: nothing says what is done with messages".into());
        }
        for handler in &self.handlers {
            if self.handlers.iter().filter(|other| other.kind == handler.kind).count() > 1 {
                return Err(format!("two [[message]] for the type `{}`", handler.kind));
            }
            self.statements(handler).map_err(|error| format!("[[message]] of type `{}`: {error}", handler.kind))?;
        }
        for text in self.replies.iter().flat_map(|replies| [Some(&replies.query), replies.then.as_ref()]).flatten() {
            Statement::read(text, self.engine.dialect()).map_err(|error| format!("[replies]: {error}"))?;
        }
        Ok(())
    }

    /// The statements of a handler, as the engine takes them.
    pub(crate) fn statements(&self, handler: &Handler) -> Result<Vec<Statement>, String> {
        handler.sql.iter().map(|text| Statement::read(text, self.engine.dialect())).collect()
    }

    /// What is done with a message of this type.
    #[must_use]
    pub fn handler(&self, kind: &str) -> Option<&Handler> {
        let named = |name: &str| self.handlers.iter().find(|handler| handler.kind == name);
        named(kind).or_else(|| named(ANY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "database = 'erp'\nengine = 'sqlite'\nconnect = 'erp.db'\n\
        [[message]]\ntype = 'order'\nsql = ['INSERT INTO a VALUES (:id)']\n";

    #[test]
    fn exc_25_settings_are_read_with_their_defaults() {
        let settings = Settings::read(GOOD).unwrap();
        assert_eq!((settings.pause_s, settings.lock_wait_s, settings.patience_s), (5, 10, 240));
        assert!(settings.handler("order").is_some() && settings.handler("other").is_none());
        let any = Settings::read(&format!("{GOOD}[[message]]\ntype = '*'\nsql = []\n")).unwrap();
        assert_eq!(any.handler("other").map(|handler| handler.kind.as_str()), Some("*"));
        assert_eq!(any.handler("order").map(|handler| handler.kind.as_str()), Some("order"));
    }

    #[test]
    fn exc_25_settings_that_cannot_be_are_refused_with_the_reason() {
        let refused = |text: &str| Settings::read(text).unwrap_err().to_string();
        assert!(refused(&GOOD.replace(":id", ":idd")).contains("`:idd` is not one of"));
        assert!(refused(&GOOD.replace("sqlite", "oracle")).contains("oracle"));
        assert!(refused(&format!("pause = 3\n{GOOD}")).contains("pause"));
        assert!(refused(&format!("pause_s = 0\n{GOOD}")).contains("pause_s is 0"));
        assert!(refused(&format!("{GOOD}[[message]]\ntype = 'order'\nsql = []\n")).contains("two [[message]]"));
        assert!(refused(&format!("{GOOD}[replies]\nquery = 'SELECT :what'\n")).contains("[replies]"));
        assert!(refused(&GOOD.replace("erp.db", "env:FASTNESS_TEST_NO_SUCH")).contains("FASTNESS_TEST_NO_SUCH"));
        assert!(
            refused("database = 'erp'\nengine = 'sqlite'\nconnect = 'x'\nmessage = []\n").contains("no [[message]]")
        );
    }
}
