//! Searches the journal, newest first.
//!
//! Time is an index range; kind, subject and words are compared here, row by row, because there is no portable `LIKE` and an
//! index of words would cost every line. So a page looks at a bounded number of rows: it may hold fewer lines than asked for,
//! even none, and still have a next page. Whoever searches goes on until `next` is null.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args, codes};

use crate::op::Query;

/// A page of the journal.
pub static SEARCH_JOURNAL: Query<Search, Found> = Query::new("journal.search", search);

/// Rows that one page looks at.
pub const LOOKED_AT_MAX: usize = 2_000;
/// Rows that are read at once.
const STEP: usize = 250;

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Not before.
    pub from: Option<Wall>,
    /// Before.
    pub to: Option<Wall>,
    /// A kind, or the beginning of kinds: `login.` finds `login.failed`.
    pub kind: Option<String>,
    /// Exactly this subject.
    pub subject: Option<String>,
    /// A part of the caller's name, in small letters.
    pub caller: Option<String>,
    /// Words that all occur in the text, the subject or the caller, in any case.
    pub words: Vec<String>,
    /// Behind this place; see [`Place`].
    pub after: Option<Place>,
    /// At most so many lines.
    pub limit: usize,
}

/// A place in the journal: `<milliseconds>-<id>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// When the line happened.
    pub at: Wall,
    /// Its id.
    pub id: String,
}

impl Place {
    /// Newer than every line.
    fn end() -> Self {
        Self { at: Wall(i64::MAX), id: String::new() }
    }

    /// The place of a cursor.
    ///
    /// # Errors
    /// It is none.
    pub fn read(text: &str) -> OpResult<Self> {
        let wrong = || OpError::before_start(codes::ABODY, "after is not the `next` of a page of the journal");
        let (at, id) = text.rsplit_once('-').ok_or_else(wrong)?;
        let _: base::Id = id.parse().map_err(|_| wrong())?;
        Ok(Self { at: Wall(at.parse().map_err(|_| wrong())?), id: id.to_owned() })
    }

    /// The cursor of a place.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}-{}", self.at.0, self.id)
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Lines, newest first.
    pub lines: Vec<Line>,
    /// Where to go on; `None` when everything was looked at.
    pub next: Option<Place>,
}

/// A line as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its id.
    pub id: String,
    /// When it happened.
    pub at: Wall,
    /// Its kind.
    pub kind: String,
    /// What it is about.
    pub subject: String,
    /// Who did it.
    pub caller: String,
    /// For a person.
    pub text: String,
}

pub(crate) static PAGE: Sql = Sql::new(
    "journal.page",
    "SELECT id, at, kind, subject, caller, text FROM journal WHERE at >= ?1 AND at < ?2 AND (at, id) < (?3, ?4) \
     ORDER BY at DESC, id DESC LIMIT ?5",
);

fn search(tx: &mut dyn Tx, search: &Search) -> OpResult<Found> {
    let mut place = search.after.clone().unwrap_or_else(Place::end);
    let mut lines = vec![];
    for _ in 0..LOOKED_AT_MAX / STEP {
        let rows = step(tx, search, &place)?;
        for line in rows.iter().map(line) {
            place = Place { at: line.at, id: line.id.clone() };
            if fits(&line, search) {
                lines.push(line);
            }
            if lines.len() == search.limit {
                return Ok(Found { lines, next: Some(place) });
            }
        }
        if rows.len() < STEP {
            return Ok(Found { lines, next: None });
        }
    }
    Ok(Found { lines, next: Some(place) })
}

fn step(tx: &mut dyn Tx, search: &Search, place: &Place) -> OpResult<Vec<Row>> {
    let from = search.from.map_or(i64::MIN, |from| from.0);
    let to = search.to.map_or(i64::MAX, |to| to.0);
    let step = i64::try_from(STEP).unwrap_or(i64::MAX);
    Ok(tx.query(&PAGE, args![from, to, place.at, &place.id, step], STEP)?)
}

fn line(row: &Row) -> Line {
    Line {
        id: row.text(0).to_owned(),
        at: Wall(row.int(1)),
        kind: row.text(2).to_owned(),
        subject: row.text(3).to_owned(),
        caller: row.text(4).to_owned(),
        text: row.text(5).to_owned(),
    }
}

fn fits(line: &Line, search: &Search) -> bool {
    let kind = search.kind.as_ref().is_none_or(|kind| line.kind.starts_with(kind.as_str()));
    let subject = search.subject.as_ref().is_none_or(|subject| line.subject == *subject);
    let caller = search.caller.as_ref().is_none_or(|caller| line.caller.to_lowercase().contains(caller.as_str()));
    kind && subject && caller && has_words(line, &search.words)
}

fn has_words(line: &Line, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let text = format!("{} {} {} {}", line.kind, line.subject, line.caller, line.text).to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}
