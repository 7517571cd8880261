//! Finds lines among the newest of the journal by their words (CON-11): as many as one page of it looks at.

use base::{OpResult, Tx};

use super::search::{Line, SEARCH_JOURNAL, Search};
use crate::find::{Found, Sought};
use crate::home::Home;
use crate::watch::query_words;

/// Lines of the journal.
///
/// # Errors
/// The store fails.
pub fn find(tx: &mut dyn Tx, home: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    // More words than a search takes fit no line.
    let Ok(words) = query_words(sought.text()) else { return Ok(vec![]) };
    let search = Search { words, limit: sought.limit, ..Search::default() };
    let found = SEARCH_JOURNAL.run_in(tx, home, &search)?;
    Ok(found.lines.into_iter().map(line).collect())
}

fn line(line: Line) -> Found {
    let Line { id, kind, subject, text, .. } = line;
    Found { id, name: kind, about: text, within: subject }
}
