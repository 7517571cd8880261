//! One message, with the beginning of its text as long as that is in the store.

use base::{OpError, OpResult, Sql, Tx, Wall, args};
use kernel::Query;

use crate::codes::NMESSAGE;
use crate::files::is_named;
use crate::message::name::FileName;
use crate::process::ProcessState;

/// One message, by the name of its file.
pub(in super::super) static MESSAGE: Query<FileName, Shown> = Query::new("exchange.page_message", message);

/// Letters of a text that are shown.
pub(in super::super) const TEXT_MAX: usize = 64 << 10;

/// A message.
#[derive(Debug, Clone)]
pub(in super::super) struct Shown {
    pub(in super::super) db: String,
    pub(in super::super) company: String,
    pub(in super::super) order: i64,
    pub(in super::super) size: i64,
    pub(in super::super) place: String,
    /// Where its file is known to lie.
    pub(in super::super) on_disk: Option<String>,
    /// A reply that no commit has confirmed yet.
    pub(in super::super) draft: bool,
    pub(in super::super) skipped: i64,
    pub(in super::super) result: Option<String>,
    pub(in super::super) error_code: Option<i64>,
    pub(in super::super) error_text: Option<String>,
    pub(in super::super) received_at: Wall,
    /// Who holds it.
    pub(in super::super) process: Option<(String, ProcessState)>,
    /// Its text is in a pack.
    pub(in super::super) is_packed: bool,
    /// The beginning of its text; none where only its file or its pack has it.
    pub(in super::super) text: Option<String>,
}

pub(super) static GET: Sql = Sql::new(
    "exc_message.shown",
    "SELECT m.id, m.sender, m.receiver, m.subsystem, m.at, m.db, m.company, m.ord, m.size, m.place, m.on_disk, m.draft, m.skipped, \
     m.result, m.error_code, m.error_text, m.received_at, m.process, p.state, \
     (SELECT COUNT(*) FROM exc_packed k WHERE k.number = m.number) FROM exc_message m \
     LEFT JOIN exc_process p ON p.id = m.process WHERE m.number = ?1 AND m.place <> 'gone'",
);
pub(super) static BEGINNING: Sql =
    Sql::new("exc_body.beginning", "SELECT SUBSTR(body, 1, 65536) FROM exc_body WHERE number = ?1");

fn message(tx: &mut dyn Tx, name: &FileName) -> OpResult<Shown> {
    let absent = || OpError::new(NMESSAGE, format!("no message with the file `{}`", name.text()));
    let row = tx.query_one(&GET, args![name.number])?.filter(|row| is_named(row, name)).ok_or_else(absent)?;
    let text = tx.query_one(&BEGINNING, args![name.number])?.map(|row| row.text(0).to_owned());
    let word = |column: usize| row.opt_text(column).map(str::to_owned);
    Ok(Shown {
        db: row.text(5).to_owned(),
        company: row.text(6).to_owned(),
        order: row.int(7),
        size: row.int(8),
        place: row.text(9).to_owned(),
        on_disk: word(10),
        draft: row.int(11) == 1,
        skipped: row.int(12),
        result: word(13),
        error_code: row.opt_int(14),
        error_text: word(15),
        received_at: Wall(row.int(16)),
        process: word(17).zip(row.opt_text(18).map(ProcessState::of_word)),
        is_packed: row.int(19) > 0,
        text,
    })
}
