//! Search across everything (CON-11): whoever has an id or the beginning of a name finds what it is of, whichever service keeps it.
//!
//! A service says how one kind of its things is found: a plain function that reads ranges of indexes by [`Sought::gather`].
//!
//! Invariant: the cost is bounded, also among a million rows. A statement reads one range of one index and ends after a few rows; there
//! is no portable `LIKE`, so a text is sought as the beginning of what is stored, in the ways people write it ([`Sought::forms`]).

use base::{OpError, OpResult, Row, Sql, Tx, args, codes};

use crate::home::Home;
use crate::op::Query;
use crate::request::{Caller, Properties};

/// Characters of what is sought.
pub const TEXT_MAX: usize = 200;

/// Finds things of some kinds, in their order.
pub static FIND: Query<Find, Vec<OfKind>> = Query::at_home("search.find", find);

/// How things of a kind are found.
pub type FindFn = fn(&mut dyn Tx, &Home, &Sought) -> OpResult<Vec<Found>>;

/// What is sought, and by whom.
#[derive(Debug, Clone)]
pub struct Sought {
    text: String,
    /// At most so many of a kind.
    pub limit: usize,
    /// Who asks.
    pub caller: Caller,
    /// What the application says of itself.
    pub properties: Properties,
}

/// Something that was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Its id.
    pub id: String,
    /// What people call it; its id where it has no name.
    pub name: String,
    /// A few words more: its state, or what it belongs to.
    pub about: String,
    /// What its id is looked up in, where that needs more: the class of a document, the file of a message.
    pub within: String,
}

/// Which kinds of things are sought.
#[derive(Clone)]
pub struct Find {
    /// Each with what finds it.
    pub kinds: Vec<(&'static str, FindFn)>,
    /// What is sought.
    pub sought: Sought,
}

/// What was found of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfKind {
    /// Which kind.
    pub kind: &'static str,
    /// At most as many as were wanted.
    pub found: Vec<Found>,
    /// There are more of them.
    pub more: bool,
}

fn find(tx: &mut dyn Tx, home: &Home, find: &Find) -> OpResult<Vec<OfKind>> {
    let limit = find.sought.limit;
    let one_more = Sought { limit: limit + 1, ..find.sought.clone() };
    let mut all = vec![];
    for (kind, by) in &find.kinds {
        let mut found = by(tx, home, &one_more)?;
        let more = found.len() > limit;
        found.truncate(limit);
        if !found.is_empty() {
            all.push(OfKind { kind, found, more });
        }
    }
    Ok(all)
}

impl Sought {
    /// What somebody typed.
    ///
    /// # Errors
    /// `ABODY`: there is nothing to look for in it, or it is no line of text.
    pub fn new(typed: &str, limit: usize, caller: Caller, properties: Properties) -> OpResult<Self> {
        let text = typed.trim();
        let wrong = |message: String| Err(OpError::before_start(codes::ABODY, message));
        if text.is_empty() {
            return wrong("q is empty: an id, or the beginning of an id or a name".into());
        }
        if text.chars().count() > TEXT_MAX || text.chars().any(char::is_control) {
            return wrong(format!("q is no line of text of at most {TEXT_MAX} characters"));
        }
        Ok(Self { text: text.to_owned(), limit, caller, properties })
    }

    /// As it was typed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text in the ways that people write: as it is, in small letters, in capitals (ids), with a capital first.
    #[must_use]
    pub fn forms(&self) -> Vec<String> {
        let (small, capitals) = (self.text.to_lowercase(), self.text.to_uppercase());
        let mut letters = small.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
        let mut forms = vec![self.text.clone()];
        for form in [small, capitals, first] {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        forms
    }

    /// Whether a text has what is sought anywhere in it, in any case. For the few things that are read whole anyway.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        text.to_lowercase().contains(&self.text.to_lowercase())
    }

    /// What statements find, those of the first one first, each thing once. A statement takes the beginning of a range, what lies just
    /// behind it, and how many rows: `… id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3`.
    ///
    /// # Errors
    /// A statement fails.
    pub fn gather(&self, tx: &mut dyn Tx, by: &[&'static Sql], found: fn(&Row) -> Found) -> OpResult<Vec<Found>> {
        let mut all: Vec<Found> = vec![];
        let limit = i64::try_from(self.limit).unwrap_or(i64::MAX);
        for (sql, form) in by.iter().flat_map(|sql| self.forms().into_iter().map(move |form| (sql, form))) {
            let Some(end) = base::after_prefix(&form) else { continue };
            for one in tx.query(sql, args![&form, &end, limit], self.limit)?.iter().map(found) {
                if all.len() < self.limit && !all.contains(&one) {
                    all.push(one);
                }
            }
            if all.len() >= self.limit {
                break;
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sought(text: &str) -> OpResult<Sought> {
        Sought::new(text, 5, Caller::server("test"), Properties::default())
    }

    #[test]
    fn con_11_a_text_is_sought_in_the_ways_that_people_write() {
        let forms = |text| sought(text).map(|sought| sought.forms()).unwrap_or_default();
        assert_eq!(forms(" oRder 7 "), ["oRder 7", "order 7", "ORDER 7", "Order 7"]);
        assert_eq!(forms("01KA"), ["01KA", "01ka"]);
        assert_eq!(forms("7"), ["7"]);
        assert_eq!(forms("öl"), ["öl", "ÖL", "Öl"]);
    }

    #[test]
    fn con_11_what_cannot_be_sought_is_refused() {
        for text in ["", "  ", "a\0b", "a\nb", &"x".repeat(TEXT_MAX + 1)] {
            assert_eq!(sought(text).map(|_| ()).map_err(|error| error.code), Err(codes::ABODY), "{text:?}");
        }
    }
}
