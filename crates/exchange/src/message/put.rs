//! Keeps a new message: its row, its text, and when the clerk of the folders shall look at it.

use base::mutants::{self, Mutant};
use base::{OpResult, Sql, Tx, args};
use kernel::OpCx;
use sha2::{Digest, Sha256};

use super::form::Form;
use crate::rules::Rules;

/// A message that is new here.
pub(crate) struct NewMessage<'a> {
    pub(crate) form: &'a Form,
    /// As it came.
    pub(crate) text: &'a str,
    /// In whose folders it belongs.
    pub(crate) db: &'a str,
    /// The process that holds it until its database commits.
    pub(crate) draft_of: Option<&'a str>,
}

pub(crate) static NEXT_NUMBER: Sql = Sql::new(
    "exc_count.next",
    "INSERT INTO exc_count (name, value) VALUES ('receipt', 1) ON CONFLICT (name) DO UPDATE SET value = exc_count.value + 1 \
     RETURNING value",
);
pub(crate) static INSERT: Sql = Sql::new(
    "exc_message.insert",
    "INSERT INTO exc_message (number, id, db, company, subsystem, sender, receiver, at, ord, size, digest, place, process, draft, \
     received_at, heard, due) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
);
pub(crate) static PUT_BODY: Sql = Sql::new("exc_body.put", "INSERT INTO exc_body (number, body) VALUES (?1, ?2)");

/// What a text is known by.
pub(crate) fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

impl NewMessage<'_> {
    /// Keeps it; says its number.
    pub(crate) fn put(&self, tx: &mut dyn Tx, cx: &OpCx<'_>) -> OpResult<i64> {
        let number = tx.query_one(&NEXT_NUMBER, args![])?.map_or(1, |row| row.int(0));
        let Form { id, company, subsystem, from, to, order, .. } = self.form;
        let (at, size) = (self.form.ordered_at(cx.wall), i64::try_from(self.text.len()).unwrap_or(i64::MAX));
        let digest = digest(self.text);
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
            &digest,
            place,
            draft_of,
            draft_of.is_some(),
            cx.wall,
            cx.heard,
            cx.home.common::<Rules>().due(cx.heard)
        ];
        tx.write(&INSERT, row)?;
        tx.write(&PUT_BODY, args![number, self.text])?;
        Ok(number)
    }
}
