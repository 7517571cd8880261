//! What commands show: tables and words for people, JSON for programs.
//!
//! Invariant: what came from elsewhere passes [`escaped`] or [`Output::json_text`] before it is written.

mod column;
mod progress;
mod table;
mod text;
mod time;

use std::io::{self, IsTerminal, Write};

use base::Wall;
use serde_json::Value;

use crate::failure::{Done, Failure};
use crate::flags::Show;
use crate::local;
pub(crate) use column::{Column, clock, flag, json, moment, number, state, text, tries};
pub(crate) use progress::Progress;
pub(crate) use table::Table;
pub(crate) use text::escaped;

/// What names an item, in one harmless line.
pub(crate) fn id_of(item: &Value, at: &str) -> String {
    column::plain(item, at)
}

/// How far something is, as a bar that never overflows.
pub(crate) fn bar(done: u64, of: u64) -> String {
    let (done, of) = (done.min(of), of.max(1));
    let part = usize::try_from(done * 20 / of).unwrap_or(0);
    format!("[{}{}] {} %", "#".repeat(part), ".".repeat(20 - part), done * 100 / of)
}

/// Where and how things are shown.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    /// Colours, for a terminal whose person did not say no.
    colour: bool,
    /// Whether people watch it as it comes; also at a terminal that does not know its width.
    terminal: bool,
    /// Columns of the terminal; `None` where nothing is cut.
    width: Option<usize>,
    /// When the command began: what relative times are relative to.
    now: Wall,
}

impl Output {
    /// As the flags, the terminal and NO_COLOR say.
    pub(crate) fn of(show: &Show) -> Self {
        let terminal = io::stdout().is_terminal();
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Self {
            json: show.json,
            quiet: show.quiet,
            colour: terminal && !refused && !dumb,
            terminal,
            width: width.filter(|_| terminal),
            now: local::now(),
        }
    }

    /// Whether people watch it as it comes.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// For tests: no terminal, at this moment.
    #[cfg(test)]
    pub(crate) fn plain(now: Wall) -> Self {
        Self { json: false, quiet: false, colour: false, terminal: false, width: None, now }
    }

    /// JSON without any character that a terminal would obey.
    pub(crate) fn json_text(value: &Value) -> String {
        text::json_escaped(&serde_json::to_string(value).unwrap_or_default())
    }

    /// Writes text that is safe already.
    pub(crate) fn print(&self, text: &str) -> Done {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| Failure::output(&error))
    }

    /// A remark for people, beside what was asked for.
    pub(crate) fn remark(&self, text: &str) {
        if !self.json && !self.quiet {
            // Whoever cannot be told misses a remark and nothing else.
            let _ = writeln!(io::stderr(), "{}", escaped(text));
        }
    }

    /// Something that was shown: all of it as JSON, its fields for people, its id alone if quiet.
    pub(crate) fn show(&self, value: &Value, fields: &[Column], id: &str) -> Done {
        if self.json {
            return self.document(value);
        }
        if self.quiet {
            return self.print(&format!("{}\n", column::plain(value, id)));
        }
        self.print(&table::sheet(self, value, fields))
    }

    /// Something that was done: the server's answer as JSON, a sentence for people, the id alone if quiet.
    pub(crate) fn done(&self, value: &Value, sentence: &str, id: Option<&str>) -> Done {
        match (self.json, self.quiet, id) {
            (true, ..) => self.document(value),
            (_, true, Some(id)) => self.print(&format!("{}\n", column::plain(value, id))),
            (_, true, None) => Ok(()),
            _ => self.print(&format!("{}\n", escaped(sentence))),
        }
    }

    /// One JSON document.
    pub(crate) fn document(&self, value: &Value) -> Done {
        let nothing = serde_json::json!({});
        let value = if value.is_null() { &nothing } else { value };
        let text = serde_json::to_string_pretty(value).unwrap_or_default();
        self.print(&format!("{}\n", text::json_escaped(&text)))
    }
}
