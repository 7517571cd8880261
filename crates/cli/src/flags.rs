//! Flags that all verbs understand: where the server is, and how what comes is shown.

use std::path::PathBuf;

use clap::{Args, Command};

use crate::address;
use crate::input::seconds;

/// The server that is asked where nobody says which.
pub(crate) const SERVER: &str = "http://127.0.0.1:7400";

/// The namespace that is meant where nobody says which.
pub(crate) const NAMESPACE: &str = "main";

/// Understood after every noun and verb.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    #[command(flatten)]
    pub(crate) reach: Reach,
    #[command(flatten)]
    pub(crate) show: Show,
}

/// How the server is reached.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Reach {
    /// Address of the server [default: the one logged in to, or http://127.0.0.1:7400]
    #[arg(long, global = true, value_name = "URL", env = "FASTNESS_SERVER", hide_env_values = true)]
    #[arg(value_parser = address::server)]
    pub(crate) server: Option<String>,
    /// The namespace
    #[arg(long, global = true, value_name = "NS", env = "FASTNESS_NAMESPACE", default_value = NAMESPACE)]
    #[arg(hide_env_values = true)]
    pub(crate) namespace: String,
    /// Whether that was typed.
    #[arg(skip)]
    pub(crate) is_namespace_typed: bool,
    /// File that holds the access key [also: FASTNESS_KEY, or `fastness login`]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// How long a call is tried again and again [default: 30s, and at most 6 tries]
    #[arg(long, global = true, value_name = "TIME", value_parser = seconds(1..=86_400))]
    pub(crate) timeout: Option<u64>,
    /// Repeat a change whose outcome is unknown: with the same key it is not done twice
    #[arg(long, global = true, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
}

/// How what comes is shown.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Show {
    /// JSON, as the API gives it
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Only ids, or nothing
    #[arg(long, short, global = true, conflicts_with = "json")]
    pub(crate) quiet: bool,
}

/// How much of a list.
#[derive(Debug, Clone, Args)]
pub(crate) struct Paging {
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
    /// All of them, however many
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all: bool,
    /// Go on from here: `next` of an earlier list
    #[arg(long, value_name = "CURSOR")]
    pub(crate) after: Option<String>,
}

impl Paging {
    /// How many, `None` for all.
    pub(crate) fn wanted(&self) -> Option<u64> {
        (!self.all).then_some(self.limit)
    }
}

/// For what cannot be taken back.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Sure {
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

impl Common {
    /// Adds these flags to a command, whose own words stay.
    pub(crate) fn add_to(command: Command) -> Command {
        let about = command.get_about().cloned().unwrap_or_default();
        Self::augment_args(command).about(about).next_help_heading(None)
    }
}
