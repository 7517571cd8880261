//! Copies in an SQLite file.
//!
//! The file has one owner: what is read before a write still holds at the write. `synchronous = NORMAL` is enough: after a power
//! cut the file may be an answer or two behind, but it is whole, and what it holds is what it says it holds.

use std::path::Path;

use ::replica::{Content, CopiedItem, DocCopy, Head, Held, ItemKey, Upgrade};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, TransactionBehavior, params};
use serde_json::Value;

use super::shelf::{Aside, Entry, ItemWrites, Shelf, ShelfError, Write};

/// "frep": marks a file as one of ours.
const APPLICATION_ID: i64 = 0x6672_6570;
const SCHEMA_VERSION: i64 = 1;
const SCHEMA: &str = "
    CREATE TABLE replica (one INTEGER PRIMARY KEY CHECK (one = 1), epoch TEXT NOT NULL) STRICT;
    CREATE TABLE document (class TEXT NOT NULL, id TEXT NOT NULL, filter TEXT, epoch TEXT, over_ct INTEGER NOT NULL,
        v INTEGER NOT NULL, ct INTEGER NOT NULL, dt INTEGER NOT NULL, PRIMARY KEY (class, id)) STRICT, WITHOUT ROWID;
    CREATE TABLE item (class TEXT NOT NULL, id TEXT NOT NULL, item TEXT NOT NULL, key TEXT NOT NULL, v INTEGER NOT NULL,
        vop INTEGER NOT NULL, json TEXT, raw TEXT, PRIMARY KEY (class, id, item, key)) STRICT, WITHOUT ROWID;
    CREATE TABLE aside (epoch TEXT NOT NULL, class TEXT NOT NULL, id TEXT NOT NULL, copy TEXT NOT NULL,
        PRIMARY KEY (epoch, class, id)) STRICT;";

const ENTRY: &str = "SELECT class, id, filter, epoch, over_ct, v, ct, dt FROM document";
const ITEMS: &str = "SELECT item, key, v, vop, json, raw FROM item WHERE class = ?1 AND id = ?2";
const PUT_DOCUMENT: &str = "INSERT OR REPLACE INTO document (class, id, filter, epoch, over_ct, v, ct, dt)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
const PUT_ITEM: &str = "INSERT OR REPLACE INTO item (class, id, item, key, v, vop, json, raw)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
const REMOVE_ITEM: &str = "DELETE FROM item WHERE class = ?1 AND id = ?2 AND item = ?3 AND key = ?4";
const REMOVE_ITEMS: &str = "DELETE FROM item WHERE class = ?1 AND id = ?2";
const REMOVE_DOCUMENT: &str = "DELETE FROM document WHERE class = ?1 AND id = ?2";
const PUT_EPOCH: &str = "INSERT OR REPLACE INTO replica (one, epoch) VALUES (1, ?1)";
const SET_ASIDE: &str = "INSERT OR REPLACE INTO aside (epoch, class, id, copy) VALUES (?1, ?2, ?3, ?4)";
const DISCARD: &str = "DELETE FROM aside WHERE epoch = ?1 AND class = ?2 AND id = ?3";

/// Copies in a file that outlives the program.
pub struct FileShelf {
    db: Connection,
}

impl FileShelf {
    /// Opens a file, or makes it.
    ///
    /// # Errors
    /// It is another program's, in use, or cannot be opened.
    pub fn open(path: &Path) -> Result<Self, ShelfError> {
        let db = Connection::open(path)?;
        db.busy_timeout(std::time::Duration::ZERO)?;
        db.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        let mut shelf = Self { db };
        shelf.check_owner()?;
        shelf.db.pragma_update(None, "journal_mode", "WAL")?;
        shelf.db.pragma_update(None, "synchronous", "NORMAL")?;
        shelf.prepare()?;
        Ok(shelf)
    }

    /// Before anything is written: a file of somebody else's is left alone.
    fn check_owner(&self) -> Result<(), ShelfError> {
        let number = |name| self.db.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
        let tables: i64 = self.db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        match (number("application_id")?, number("user_version")?) {
            (0, 0) if tables == 0 => Ok(()),
            (APPLICATION_ID, SCHEMA_VERSION) => Ok(()),
            (APPLICATION_ID, version) => Err(ShelfError::Foreign(format!("version {version} is not known here"))),
            _ => Err(ShelfError::Foreign("it is another program's".to_owned())),
        }
    }

    fn prepare(&mut self) -> Result<(), ShelfError> {
        let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let is_new = tx.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))?;
        if is_new {
            tx.execute_batch(SCHEMA)?;
            tx.pragma_update(None, "application_id", APPLICATION_ID)?;
            tx.pragma_update(None, "user_version", SCHEMA_VERSION)?;
        }
        Ok(tx.commit()?)
    }
}

impl Shelf for FileShelf {
    fn epoch(&self) -> Result<Option<String>, ShelfError> {
        let mut read = self.db.prepare_cached("SELECT epoch FROM replica WHERE one = 1")?;
        Ok(read.query_row([], |row| row.get(0)).optional()?)
    }

    fn entries(&self) -> Result<Vec<Entry>, ShelfError> {
        let mut read = self.db.prepare_cached(&format!("{ENTRY} ORDER BY class, id"))?;
        let entries = read.query_map([], entry_of)?;
        entries.map(|entry| entry?).collect()
    }

    fn entry(&self, class: &str, id: &str) -> Result<Option<Entry>, ShelfError> {
        let mut read = self.db.prepare_cached(&format!("{ENTRY} WHERE class = ?1 AND id = ?2"))?;
        read.query_row([class, id], entry_of).optional()?.transpose()
    }

    fn copy(&self, class: &str, id: &str) -> Result<Option<DocCopy>, ShelfError> {
        let Some(entry) = self.entry(class, id)?.filter(|entry| entry.head.v > 0) else { return Ok(None) };
        let mut copy = DocCopy::empty(class, id, entry.head);
        let mut read = self.db.prepare_cached(ITEMS)?;
        for item in read.query_map([class, id], item_of)? {
            let (key, item) = item??;
            copy.items.insert(key, item);
        }
        Ok(Some(copy))
    }

    fn asides(&self) -> Result<Vec<Aside>, ShelfError> {
        let mut read = self.db.prepare_cached("SELECT epoch, copy FROM aside ORDER BY epoch, class, id")?;
        let rows = read.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.map(|row| aside_of(row?)).collect()
    }

    fn write(&mut self, writes: Vec<Write>) -> Result<(), ShelfError> {
        let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        writes.into_iter().try_for_each(|write| write_one(&tx, write))?;
        Ok(tx.commit()?)
    }
}

fn write_one(db: &Connection, write: Write) -> Result<(), ShelfError> {
    match write {
        Write::Epoch(epoch) => execute(db, PUT_EPOCH, params![epoch]),
        Write::Document { entry, items } => write_document(db, &entry, items),
        Write::Remove { class, id } => {
            execute(db, REMOVE_ITEMS, params![class, id])?;
            execute(db, REMOVE_DOCUMENT, params![class, id])
        }
        Write::SetAside(Aside { epoch, copy }) => {
            let text = serde_json::to_string(&whole(&copy)).map_err(damaged)?;
            execute(db, SET_ASIDE, params![epoch, copy.c, copy.id, text])
        }
        Write::Discard { epoch, class, id } => execute(db, DISCARD, params![epoch, class, id]),
    }
}

fn write_document(db: &Connection, entry: &Entry, items: ItemWrites) -> Result<(), ShelfError> {
    let Entry { class, id, filter, epoch, over_ct, head: Head { v, ct, dt } } = entry;
    let filter = filter.as_ref().map(Value::to_string);
    execute(db, PUT_DOCUMENT, params![class, id, filter, epoch, over_ct, v, ct, dt])?;
    for ItemKey { c, k } in items.remove {
        execute(db, REMOVE_ITEM, params![class, id, c, k])?;
    }
    for (ItemKey { c, k }, CopiedItem { v, vop, content }) in items.put {
        let (json, raw) = match content {
            None => (None, None),
            Some(Content::Json(value)) => (Some(value.to_string()), None),
            Some(Content::Raw(text)) => (None, Some(text)),
        };
        execute(db, PUT_ITEM, params![class, id, c, k, v, vop, json, raw])?;
    }
    Ok(())
}

fn execute(db: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<(), ShelfError> {
    db.prepare_cached(sql)?.execute(params)?;
    Ok(())
}

/// A row, and whether what it holds can be read.
type Read<T> = rusqlite::Result<Result<T, ShelfError>>;

fn entry_of(row: &Row<'_>) -> Read<Entry> {
    let filter: Option<String> = row.get(2)?;
    let head = Head { v: row.get(5)?, ct: row.get(6)?, dt: row.get(7)? };
    let entry =
        Entry { class: row.get(0)?, id: row.get(1)?, filter: None, epoch: row.get(3)?, over_ct: row.get(4)?, head };
    let filter = filter.map(|text| serde_json::from_str(&text)).transpose().map_err(damaged);
    Ok(filter.map(|filter| Entry { filter, ..entry }))
}

fn item_of(row: &Row<'_>) -> Read<(ItemKey, CopiedItem)> {
    let key = ItemKey { c: row.get(0)?, k: row.get(1)? };
    let (v, vop) = (row.get(2)?, row.get(3)?);
    let content = match (row.get::<_, Option<String>>(4)?, row.get::<_, Option<String>>(5)?) {
        (Some(json), _) => serde_json::from_str(&json).map(|value| Some(Content::Json(value))),
        (None, raw) => Ok(raw.map(Content::Raw)),
    };
    Ok(content.map(|content| (key, CopiedItem { v, vop, content })).map_err(damaged))
}

/// A copy as text: the upgrade that brings somebody who has nothing up to it.
fn whole(copy: &DocCopy) -> Option<Upgrade> {
    copy.upgrade_for(&Held::nothing(&copy.c, &copy.id), true).ok().flatten()
}

fn aside_of((epoch, text): (String, String)) -> Result<Aside, ShelfError> {
    let upgrade: Upgrade = serde_json::from_str(&text).map_err(damaged)?;
    let copy = DocCopy::apply(None, upgrade).map_err(damaged)?;
    Ok(Aside { epoch, copy: copy.ok_or_else(|| damaged("a copy without a version was set aside"))? })
}

fn damaged(error: impl ToString) -> ShelfError {
    ShelfError::Damaged(error.to_string())
}

impl From<rusqlite::Error> for ShelfError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::InUse,
            Some(ErrorCode::NotADatabase) => Self::Foreign(error.to_string()),
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged(error.to_string()),
            _ => Self::Engine(error),
        }
    }
}
