//! Keeps a new message: its row, its text, and when the clerk of the folders shall look at it.

use base::mutants::{self, Mutant};
use base::{OpResult, Sql, Tx, args};
use kernel::OpCx;

use super::form::Form;
use super::letter::Letter;
use crate::rules::Rules;

/// A message that is new here.
pub(crate) struct NewMessage<'a> {
    pub(crate) letter: &'a Letter,
    /// In whose folders it belongs.
    pub(crate) db: &'a str,
    /// The process that holds it until its database commits.
    pub(crate) draft_of: Option<&'a str>,
}

// Two statements: what gives rows back from a write has SQLite make a table for them each time.
pub(crate) static NEXT_NUMBER: Sql =
    Sql::new("exc_count.next", "UPDATE exc_count SET value = value + 1 WHERE name = 'receipt'");
pub(crate) static NUMBER: Sql = Sql::new("exc_count.number", "SELECT value FROM exc_count WHERE name = 'receipt'");
pub(crate) static INSERT: Sql = Sql::new(
    "exc_message.insert",
    "INSERT INTO exc_message (number, id, db, company, subsystem, sender, receiver, at, ord, size, digest, place, process, draft, \
     received_at, heard, due) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17) \
     ON CONFLICT (sender, id, void) DO NOTHING",
);
pub(crate) static PUT_BODY: Sql = Sql::new("exc_body.put", "INSERT INTO exc_body (number, body) VALUES (?1, ?2)");

impl NewMessage<'_> {
    /// Keeps it and says its number; `None`: its sender sent one of this id before, which stays as it is.
    pub(crate) fn put(&self, tx: &mut dyn Tx, cx: &OpCx<'_>) -> OpResult<Option<i64>> {
        tx.write(&NEXT_NUMBER, args![])?;
        let number = tx.query_one(&NUMBER, args![])?.map_or(0, |row| row.int(0));
        let (form, text) = (self.letter.form(), self.letter.text());
        let Form { id, company, subsystem, from, to, order, .. } = form;
        let (at, size) = (form.ordered_at(cx.wall), i64::try_from(text.len()).unwrap_or(i64::MAX));
        let draft_of = self.draft_of.filter(|_| !mutants::on(Mutant::ExchangeRepliesEarly));
        let place = if draft_of.is_some() { "prepared" } else { "messages" };
        let row = args![
            number,
            id,
            self.db,
            company,
            subsystem,
            from,
            to,
            at,
            *order,
            size,
            self.letter.digest(),
            place,
            draft_of,
            draft_of.is_some(),
            cx.wall,
            cx.heard,
            cx.home.common::<Rules>().due(cx.heard)
        ];
        if tx.execute(&INSERT, row)? == 0 {
            return Ok(None);
        }
        tx.write(&PUT_BODY, args![number, text])?;
        Ok(Some(number))
    }
}
