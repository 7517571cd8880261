//! What is in a file: from the store as long as the text is there, else from its pack, else from the file itself.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;

use crate::codes::NMESSAGE;
use crate::message::BODY;
use crate::message::name::FileName;
use crate::packs::{self, Packed};

/// Finds the message of a file.
pub(crate) static FIND_FILE: Query<FileName, Filed> = Query::new("exchange.find_file", find);

/// The message of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filed {
    /// Of which database.
    pub(crate) db: String,
    /// Where its file is known to lie.
    pub(crate) on_disk: Option<String>,
    /// What it is known by.
    pub(crate) digest: Vec<u8>,
    /// Its bytes.
    pub(crate) size: i64,
    /// Its text, as long as it is in the store.
    pub(crate) text: Option<String>,
    /// Where its text lies in a pack.
    pub(crate) packed: Option<Packed>,
}

pub(super) static GET: Sql = Sql::new(
    "exc_message.file",
    "SELECT id, sender, receiver, subsystem, at, db, on_disk, digest, size FROM exc_message \
     WHERE number = ?1 AND place <> 'gone'",
);

fn find(tx: &mut dyn Tx, name: &FileName) -> OpResult<Filed> {
    let row = tx.query_one(&GET, args![name.number])?.filter(|row| is_named(row, name));
    let row = row.ok_or_else(|| absent(name))?;
    let text = tx.query_one(&BODY, args![name.number])?.map(|row| row.text(0).to_owned());
    Ok(Filed {
        db: row.text(5).to_owned(),
        on_disk: row.opt_text(6).map(str::to_owned),
        digest: row.blob(7).to_vec(),
        size: row.int(8),
        text,
        packed: packs::find(tx, name.number)?,
    })
}

/// Whether all that the name says is so; id, sender, receiver, subsystem and time come first in the row.
pub(crate) fn is_named(row: &Row, name: &FileName) -> bool {
    let words = [&name.id, &name.from, &name.to, &name.subsystem];
    words.into_iter().enumerate().all(|(column, word)| row.text(column) == word) && Wall(row.int(4)) == name.at
}

pub(super) fn absent(name: &FileName) -> OpError {
    OpError::new(NMESSAGE, format!("no message with the file `{}`", name.text()))
}
