//! The head of a document as its row holds it.

use base::{OpResult, Row, Sql, Stamp, Tx, args};

pub(crate) static GET_HEAD: Sql = Sql::new(
    "doc.get",
    "SELECT version, ctime, dtime, v1, v2, live, gone, op, who, changes FROM doc WHERE class = ?1 AND id = ?2",
);
pub(crate) static PUT_HEAD: Sql = Sql::new(
    "doc.put",
    "INSERT INTO doc (class, id, version, ctime, dtime, v1, v2, live, gone, op, who, changes) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT (class, id) DO UPDATE SET \
     version = ?3, ctime = ?4, dtime = ?5, v1 = ?6, v2 = ?7, live = ?8, gone = ?9, op = ?10, who = ?11, changes = ?12",
);

/// What a document's row holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredHead {
    /// Stamp of the last change, also of the deletion.
    pub(crate) version: Stamp,
    /// Stamp of its creation; 0 if it is deleted.
    pub(crate) ctime: i64,
    /// Tombstones newer than this are all there.
    pub(crate) dtime: i64,
    /// Bytes of its items.
    pub(crate) v1: i64,
    /// Bytes of its attachments.
    pub(crate) v2: i64,
    /// Items.
    pub(crate) live: i64,
    /// Tombstones.
    pub(crate) gone: i64,
    /// The operation that changed it last.
    pub(crate) op: String,
    /// Whose operation.
    pub(crate) who: String,
    /// Changes that its history was told so far, in all its lives.
    pub(crate) changes: i64,
}

impl StoredHead {
    pub(crate) fn exists(&self) -> bool {
        self.ctime != 0
    }

    pub(super) fn put(&self, tx: &mut dyn Tx, class: &str, id: &str) -> OpResult<()> {
        let Self { version, ctime, dtime, v1, v2, live, gone, op, who, changes } = self;
        let row = args![class, id, *version, *ctime, *dtime, *v1, *v2, *live, *gone, op, who, *changes];
        Ok(tx.write(&PUT_HEAD, row)?)
    }
}

/// A head from the columns of [`GET_HEAD`], the first of which is `first`.
pub(crate) fn head_of(row: &Row, first: usize) -> StoredHead {
    StoredHead {
        version: row.stamp(first),
        ctime: row.int(first + 1),
        dtime: row.int(first + 2),
        v1: row.int(first + 3),
        v2: row.int(first + 4),
        live: row.int(first + 5),
        gone: row.int(first + 6),
        op: row.text(first + 7).to_owned(),
        who: row.text(first + 8).to_owned(),
        changes: row.int(first + 9),
    }
}
