//! What lies in a folder of a database, and what waits for somebody.

use base::{OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;

use crate::message::name::FileName;

/// A page of a folder.
pub(in super::super) static FOLDER: Query<FolderOf, Vec<MessageLine>> = Query::new("exchange.page_folder", folder);
/// What waits for a device or a database, in the order in which it is given; so many.
pub(in super::super) static WAITING: Query<(String, u32), Vec<MessageLine>> =
    Query::new("exchange.page_waiting", waiting);

/// Which page.
#[derive(Debug, Clone)]
pub(in super::super) struct FolderOf {
    pub(in super::super) db: String,
    pub(in super::super) place: &'static str,
    /// In the order of a queue; else the newest first.
    pub(in super::super) oldest_first: bool,
    /// Behind this one: its time, its place among those of that time, its number.
    pub(in super::super) after: Option<[i64; 3]>,
    pub(in super::super) limit: u32,
}

/// A message of a list.
#[derive(Debug, Clone)]
pub(in super::super) struct MessageLine {
    pub(in super::super) name: FileName,
    pub(in super::super) order: i64,
    pub(in super::super) size: i64,
    pub(in super::super) process: Option<String>,
    pub(in super::super) skipped: i64,
    pub(in super::super) result: Option<String>,
    pub(in super::super) error_code: Option<i64>,
    pub(in super::super) error_text: Option<String>,
}

macro_rules! messages {
    ($of:literal) => {
        concat!(
            "SELECT number, id, sender, receiver, subsystem, at, ord, size, process, skipped, result, error_code, error_text ",
            "FROM exc_message WHERE ",
            $of
        )
    };
}
pub(super) static OLDEST: Sql = Sql::new(
    "exc_message.folder_oldest",
    messages!("db = ?1 AND place = ?2 AND (at, ord, number) > (?3, ?4, ?5) ORDER BY at, ord, number LIMIT ?6"),
);
pub(super) static NEWEST: Sql = Sql::new(
    "exc_message.folder_newest",
    messages!(
        "db = ?1 AND place = ?2 AND (at, ord, number) < (?3, ?4, ?5) ORDER BY at DESC, ord DESC, number DESC LIMIT ?6"
    ),
);
pub(super) static FOR: Sql = Sql::new(
    "exc_message.waiting_for",
    messages!("receiver = ?1 AND place = 'messages' AND process IS NULL ORDER BY skipped, at, ord, number LIMIT ?2"),
);

impl MessageLine {
    /// Where the next page begins.
    pub(in super::super) fn cursor(&self) -> String {
        format!("{}.{}.{}", self.name.at.0, self.order, self.name.number)
    }
}

fn folder(tx: &mut dyn Tx, wanted: &FolderOf) -> OpResult<Vec<MessageLine>> {
    let (sql, end) = if wanted.oldest_first { (&OLDEST, i64::MIN) } else { (&NEWEST, i64::MAX) };
    let [at, ord, number] = wanted.after.unwrap_or([end; 3]);
    let page = args![&wanted.db, wanted.place, at, ord, number, i64::from(wanted.limit)];
    Ok(tx.query(sql, page, wanted.limit as usize)?.iter().map(line).collect())
}

fn waiting(tx: &mut dyn Tx, (receiver, limit): &(String, u32)) -> OpResult<Vec<MessageLine>> {
    Ok(tx.query(&FOR, args![receiver, i64::from(*limit)], *limit as usize)?.iter().map(line).collect())
}

fn line(row: &Row) -> MessageLine {
    let [id, from, to, subsystem] = [1, 2, 3, 4].map(|column| row.text(column).to_owned());
    let word = |column: usize| row.opt_text(column).map(str::to_owned);
    MessageLine {
        name: FileName { at: Wall(row.int(5)), number: row.int(0), id, from, to, subsystem },
        order: row.int(6),
        size: row.int(7),
        process: word(8),
        skipped: row.int(9),
        result: word(10),
        error_code: row.opt_int(11),
        error_text: word(12),
    }
}
