//! The classes: records for themselves; associations whose items have copies in groups.

use base::{Row, Sql, StoreResult, Tx, args};
use documents::{DocClass, ItemClass, Keyed, Singleton};
use kernel::ServiceDef;
use replica::ItemKey;
use serde_json::Value;

/// Brings the classes along; the rows are those of documents.
pub static PAPERS: ServiceDef =
    ServiceDef { name: "papers", offers: &[&RECORD, &ASSOCIATION, &GROUP], ..ServiceDef::EMPTY };

pub(super) const RECORDS: &str = "Record";
pub(super) const ASSOCIATIONS: &str = "Asso";
pub(super) const GROUPS: &str = "GT";

const CARD: ItemClass = Singleton::<Value>::new("Card").def;
const TEL: ItemClass = Keyed::<Value>::new("Tel").def;
const STATUS: ItemClass = Singleton::<Value>::new("Sta").copied_to(&[GROUPS]).def;
const MEMBER: ItemClass = Keyed::<Value>::new("Adh").copied_to(&[GROUPS]).def;
const STATUS_COPY: ItemClass = Keyed::<Value>::new("Sta").def;
const MEMBER_COPY: ItemClass = Keyed::<Value>::new("Adh").def;

static RECORD: DocClass = DocClass::new(RECORDS, &[CARD, TEL]).with_history();
static ASSOCIATION: DocClass = DocClass::new(ASSOCIATIONS, &[STATUS, MEMBER]);
static GROUP: DocClass = DocClass::new(GROUPS, &[STATUS_COPY, MEMBER_COPY]);

/// Which document.
pub(super) type DocName = (String, String);

/// The source of an item of a group.
pub(super) fn source(at: &ItemKey) -> (DocName, ItemKey) {
    let (key, id) = at.k.rsplit_once('.').unwrap_or(("", &at.k));
    ((ASSOCIATIONS.to_owned(), id.to_owned()), ItemKey::new(&at.c, key))
}

/// An item as it is stored; a tombstone has no content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) version: i64,
    pub(super) ord: i64,
    pub(super) content: Option<String>,
}

/// What is committed of documents.
#[derive(Debug, Default)]
pub(super) struct Committed {
    /// Versions, also of deleted ones.
    pub(super) heads: Vec<(DocName, i64)>,
    pub(super) items: std::collections::BTreeMap<(DocName, ItemKey), Stored>,
    /// Tasks that bring copies level.
    pub(super) carrying: i64,
}

static HEADS: Sql = Sql::new("sim.docs", "SELECT class, id, version FROM doc ORDER BY class, id LIMIT 1000");
static ITEMS: Sql = Sql::new(
    "sim.doc_items",
    "SELECT class, id, item, key, version, ord, content FROM doc_item ORDER BY class, id, item, key LIMIT 4000",
);
static CARRYING: Sql = Sql::new("sim.doc_copies", "SELECT COUNT(*) FROM task WHERE op = 'doc.copy'");

/// Reads it, in the judge's own words.
pub(super) fn committed(tx: &mut dyn Tx) -> StoreResult<Committed> {
    let name = |row: &Row| (row.text(0).to_owned(), row.text(1).to_owned());
    let stored = |row: &Row| {
        let content = row.opt_text(6).map(str::to_owned);
        let stored = Stored { version: row.int(4), ord: row.int(5), content };
        ((name(row), ItemKey::new(row.text(2), row.text(3))), stored)
    };
    Ok(Committed {
        heads: tx.query(&HEADS, args![], 1_000)?.iter().map(|row| (name(row), row.int(2))).collect(),
        items: tx.query(&ITEMS, args![], 4_000)?.iter().map(stored).collect(),
        carrying: tx.query_one(&CARRYING, args![])?.map_or(0, |row| row.int(0)),
    })
}
