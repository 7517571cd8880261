//! Doors for the fuzz targets: readers of what operators and databases wrote that nobody else may call.

use base::Wall;
use client::exchange::Message;

use crate::replies::{Known, bad, reply as reply_of};
use crate::settings::Settings;
use crate::statement::{Dialect, Statement};

/// Reads a configuration.
///
/// # Errors
/// What is wrong with it.
pub fn reads_settings(text: &str) -> Result<(), String> {
    Settings::read(text).map(drop).map_err(|error| error.to_string())
}

/// A statement as an engine takes it, and how many parameters it has; nothing if a name in it is none.
#[must_use]
pub fn statement(text: &str, is_dollar: bool) -> Option<(String, usize)> {
    let dialect = if is_dollar { Dialect::Dollar } else { Dialect::Plain };
    Statement::read(text, dialect).ok().map(|statement| (statement.sql, statement.names.len()))
}

/// The reply that a row is, if the text is one as JSON.
#[must_use]
pub fn reply(row: &str) -> Option<Result<Message, String>> {
    let row = serde_json::from_str(row).ok()?;
    let known = Known { messages: &[], database: "erp", now: Wall(0) };
    let read = reply_of(&row, &known);
    if let Err(error) = &read {
        drop(bad(&row, &known, error));
    }
    Some(read)
}
