//! Mistakes in a configuration, each complete in itself, all reported together.

use std::fmt;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Nobody set it.
    Default,
    /// The configuration file.
    File {
        /// As the caller named it.
        name: String,
        /// Line of the key, from 1.
        line: usize,
    },
    /// The environment variable of this name.
    Environment(String),
    /// A flag that stands for this path.
    Flag(String),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { name, line } => write!(f, "{}:{line}", name.escape_debug()),
            Self::Environment(name) => write!(f, "environment {}", name.escape_debug()),
            // As it is typed: a flag stands for a key and has a name of its own.
            Self::Flag(path) if path == "server.listen" => f.write_str("flag --listen"),
            Self::Flag(path) if path == "data.dir" => f.write_str("flag --data"),
            Self::Flag(path) => write!(f, "flag {}", path.escape_debug()),
        }
    }
}

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Where it was found; `None` for a rule between keys, whose text names all places.
    pub at: Option<Source>,
    /// What is wrong, with the value and the limit.
    pub message: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            Some(source) => write!(f, "{source}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// All mistakes of a configuration, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0.len() == 1 { "" } else { "s" };
        write!(f, "{} error{plural} in the configuration", self.0.len())?;
        self.0.iter().try_for_each(|error| write!(f, "\n  {error}"))
    }
}

impl std::error::Error for ConfigErrors {}

/// What was given, made fit for one line of a message.
pub(super) fn quoted(given: &str) -> String {
    const SHOWN_MAX: usize = 80;
    let cut = given.char_indices().nth(SHOWN_MAX).map_or(given.len(), |(at, _)| at);
    let more = if cut < given.len() { "…" } else { "" };
    // Quotes stay as they were typed; only what would break the line is escaped.
    let escape = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    format!("`{}{more}`", given[..cut].chars().map(escape).collect::<String>())
}
