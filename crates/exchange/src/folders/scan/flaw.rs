//! Messages whose files are lost or damaged, while their texts are nowhere else. What became of them stays as it is: their rows say it. People
//! are told once of each, by a line in the journal, and by one alert of their database until none is left.

use base::{OpResult, Sql, Tx, args};
use kernel::OpCx;

use super::Known;

/// What is wrong with the file of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// There is none.
    Lost,
    /// It is not what was received.
    Damaged,
}

pub(super) static FLAWED: Sql = Sql::new(
    "exc_message.flawed",
    "UPDATE exc_message SET flaw = ?2 WHERE number = ?1 AND (flaw IS NULL OR flaw <> ?2) RETURNING number",
);
pub(super) static WHOLE: Sql = Sql::new("exc_message.whole", "UPDATE exc_message SET flaw = NULL WHERE number = ?1");
pub(super) static ANY_FLAWED: Sql = Sql::new(
    "exc_message.any_flawed",
    "SELECT number FROM exc_message WHERE db = ?1 AND flaw IS NOT NULL AND place <> 'gone' ORDER BY number LIMIT 1",
);

const ALERT: &str = "exchange-lost";

impl Flaw {
    const fn word(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Damaged => "damaged",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Lost => "its file is missing, and its text is not in the store any more",
            Self::Damaged => "its file is not what was received, and its text is not in the store any more",
        }
    }
}

/// Tells people what is wrong with a file, once.
pub(super) fn tell(tx: &mut dyn Tx, cx: &mut OpCx<'_>, db: &str, known: &Known, flaw: Flaw) -> OpResult<()> {
    if tx.query_one(&FLAWED, args![known.number, flaw.word()])?.is_some() {
        let message = format!("Message {} of database {db}: {}.", known.name, flaw.text());
        cx.fx.journal(&format!("exchange.{}", flaw.word()), db, message.clone());
        cx.fx.open_alert(key(db), ALERT, message);
    }
    Ok(())
}

/// Its file, or its text, is back.
pub(super) fn end(tx: &mut dyn Tx, cx: &mut OpCx<'_>, db: &str, known: &Known) -> OpResult<()> {
    tx.write(&WHOLE, args![known.number])?;
    cx.fx.journal("exchange.whole_again", db, format!("{}: what was lost or damaged is back", known.name));
    close_unless_any(tx, cx, db)
}

/// Closes the alert of a database of which nothing is lost or damaged any more.
pub(crate) fn close_unless_any(tx: &mut dyn Tx, cx: &mut OpCx<'_>, db: &str) -> OpResult<()> {
    if tx.query_one(&ANY_FLAWED, args![db])?.is_none() {
        cx.fx.close_alert(key(db));
    }
    Ok(())
}

fn key(db: &str) -> String {
    format!("{ALERT}/{db}")
}
