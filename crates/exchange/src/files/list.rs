//! What lies in a folder of a database.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

use crate::codes::NPARTY;
use crate::message::name::FileName;

/// Files of one folder, in the order of their messages.
pub static FILES_IN: Query<FilesIn, Vec<FileView>> = Query::new("exchange.files_in", files_in);

/// Which files.
#[derive(Debug, Clone)]
pub struct FilesIn {
    /// Of which database.
    pub db: String,
    /// In which place: `messages`, `prepared`, `log`, `unknown`, `error`.
    pub place: String,
    /// Only after this one: its time, its place among those of that time, its number.
    pub after: Option<(i64, i64, i64)>,
    /// At most so many.
    pub limit: u32,
}

/// A file of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ExchangeFile)]
pub struct FileView {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub size: i64,
    /// Id of the message.
    pub id: String,
    /// Who sent it.
    pub from: String,
    /// Whom it is for.
    pub to: String,
    /// Of which subsystem.
    pub subsystem: String,
    /// The time by which it is ordered: when it was made, or received if that is earlier.
    #[schema(format = DateTime)]
    pub at: String,
    /// When it was received.
    #[schema(format = DateTime)]
    pub received_at: String,
    /// The process that has it.
    pub process: Option<String>,
    /// What the database said of it.
    pub result: Option<String>,
    /// The number of the error, as the database has it.
    pub error_code: Option<i64>,
    /// What went wrong.
    pub error_text: Option<String>,
    /// Where to read on after it.
    #[serde(skip)]
    pub(crate) cursor: String,
}

pub(super) static PAGE: Sql = Sql::new(
    "exc_message.folder_page",
    "SELECT number, id, sender, receiver, subsystem, at, ord, size, received_at, process, result, error_code, error_text \
     FROM exc_message WHERE db = ?1 AND place = ?2 AND (at, ord, number) > (?3, ?4, ?5) ORDER BY at, ord, number LIMIT ?6",
);
pub(super) static IS_THERE: Sql = Sql::new("exc_database.is_there", "SELECT id FROM exc_database WHERE id = ?1");

fn files_in(tx: &mut dyn Tx, wanted: &FilesIn) -> OpResult<Vec<FileView>> {
    let absent = || OpError::new(NPARTY, format!("no database `{}`", kernel::watch::shown(&wanted.db, 80)));
    tx.query_one(&IS_THERE, args![&wanted.db])?.ok_or_else(absent)?;
    let (at, ord, number) = wanted.after.unwrap_or((i64::MIN, i64::MIN, i64::MIN));
    let page = args![&wanted.db, &wanted.place, at, ord, number, i64::from(wanted.limit)];
    Ok(tx.query(&PAGE, page, wanted.limit as usize)?.iter().map(view).collect())
}

fn view(row: &Row) -> FileView {
    let [id, from, to, subsystem] = [1, 2, 3, 4].map(|column| row.text(column).to_owned());
    let (number, at) = (row.int(0), Wall(row.int(5)));
    let cursor = format!("{}.{}.{number}", at.0, row.int(6));
    let name = FileName { at, number, id, from, to, subsystem };
    let word = |column: usize| row.opt_text(column).map(str::to_owned);
    FileView {
        name: name.text(),
        size: row.int(7),
        at: at.rfc3339(),
        received_at: Wall(row.int(8)).rfc3339(),
        process: word(9),
        result: word(10),
        error_code: row.opt_int(11),
        error_text: word(12),
        cursor,
        id: name.id,
        from: name.from,
        to: name.to,
        subsystem: name.subsystem,
    }
}
