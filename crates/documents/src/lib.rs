//! Documents: versioned sets of items that operations change together and copies keep in step with.
//!
//! - `class/`: what may be in documents, declared over HTTP or brought along by a program ([`DocClass`]);
//! - `doc/`: documents within an operation ([`DocSet`]), saved under one stamp;
//! - `commit`, `read`, `sync`: the built-in operations (DOC-6, DOC-9);
//! - `browse/`, `history/`: looking through documents, and who changed them (CON-5);
//! - `index/`, `search/`: indexed fields (DOC-13); `copies/`: deferred copies (DOC-14); `attachments` (DOC-12);
//! - `routes/`: HTTP; `console/`: pages for people (CON-5).
//!
//! Invariants, checked by the simulator after every commit (`check`): a document's counters are those of its items; every index
//! entry is that of an item; versions of items are never above their document's.

mod attach;
mod attachments;
mod browse;
mod cache;
mod check;
mod class;
pub mod codes;
mod commit;
mod console;
mod content;
mod copies;
mod doc;
mod export;
mod figures;
mod filter;
mod find;
mod forget;
mod get;
mod history;
mod index;
pub mod limits;
mod live;
mod read;
mod routes;
mod search;
mod sync;

pub use attachments::Attachment;
pub use browse::{
    AttachmentView, CHANGES, CLASS_COUNTS, ChangeView, ClassCount, DocDetail, DocLine, DocLines, ItemView, LIST,
    ListOf, SHOW, TombstoneView, ViewOf, Viewer,
};
pub use cache::{Look, Looks, Shelf, look};
pub use class::{
    ATTACHMENT, Asking, ClassDecl, ClassView, Compiled, DECLARE, Declared, DocClass, Field, FieldKind, IndexType,
    ItemClass, ItemDecl, Keyed, LIST_CLASSES, SHOW_CLASSES, Singleton, Source, SyncFilter, Verdict, declare,
};
pub use commit::{COMMIT, Commit, Committed, DocChange, Expected, ItemChange, key};
pub use doc::{Doc, DocSet, Expect};
pub use get::{READ, READ_LOOKED};
pub use history::{Change, ChangeKind, ChangedItem, HistoryRule};
pub use index::Filling;
pub use read::{DocView, FullDoc, full};
pub use routes::service;
#[doc(hidden)]
pub use search::reads_cursor;
pub use search::{
    Cond, FieldCondition, Found, FoundItem, IdCondition, SEARCH, Search, SearchOf, search, search_statements,
};
pub use sync::{SYNC, SyncFilterOf, SyncOf, Synced};

use base::Migration;
use kernel::{FigureDef, ServiceDef};

/// The service.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "documents",
    migrations: &[
        Migration { service: "documents", version: 1, text: include_str!("../migrations/0001.sql") },
        Migration { service: "documents", version: 2, text: include_str!("../migrations/0002.sql") },
    ],
    statements: &[
        &class::GET_CLASS,
        &class::ALL_CLASSES,
        &figures::CLASSES,
        &figures::FILLING,
        &class::PUT_CLASS,
        &class::ALL_FIELDS,
        &class::INSERT_FIELD,
        &class::SET_FIELD_STATE,
        &doc::GET_HEAD,
        &doc::PUT_HEAD,
        &doc::GET_ITEM,
        &doc::GET_WITH_AUTHOR,
        &doc::WHOLE,
        &doc::ITEMS_OF,
        &doc::KEYS_OF,
        &doc::PUT_ITEM,
        &doc::ERASE,
        &doc::PURGE,
        &sync::EPOCH,
        &sync::CHANGED,
        &sync::CHANGED_AND_KEYS,
        &copies::TARGETS,
        &forget::OLDEST_DELETED,
        &forget::FORGET_DELETED,
        &forget::REMEMBER,
        &forget::FORGOTTEN,
        &find::CLASSES,
        &find::CLASS,
        &find::FIND,
        &browse::PAGE,
        &browse::COUNT,
        &browse::WHO,
        &browse::ITEM,
        &history::PUT_CHANGE,
        &history::CHANGES_OF,
        &history::OLDEST_CHANGE,
        &history::DROP_OLD,
        &history::DROP_OF_FORGOTTEN,
        &check::ASTRAY,
        &check::COUNTERS,
        &check::MISPLACED,
        &check::STRAYS[0],
        &check::STRAYS[1],
        &check::STRAYS[2],
        &check::ENTRIES[0],
        &check::ENTRIES[1],
        &check::ENTRIES[2],
        &check::SAMPLE,
        &check::REFERENCE,
        &check::REFERENCES,
        &check::WITH_ATTACHMENTS,
        &index::ANY_ITEM,
        &index::INSERT_VALUE[0],
        &index::INSERT_VALUE[1],
        &index::INSERT_VALUE[2],
        &index::DELETE_VALUE[0],
        &index::DELETE_VALUE[1],
        &index::DELETE_VALUE[2],
        &index::DELETE_ALL[0],
        &index::DELETE_ALL[1],
        &index::DELETE_ALL[2],
        &index::COUNT_VALUES[0],
        &index::COUNT_VALUES[1],
        &index::COUNT_VALUES[2],
        &index::GET_FIELD,
        &index::FILLING,
        &index::PORTION,
        &index::CONTENTS,
        &index::LOOKED_AT,
        &index::PORTION_END[0],
        &index::PORTION_END[1],
        &index::PORTION_END[2],
        &index::DELETE_UNTIL[0],
        &index::DELETE_UNTIL[1],
        &index::DELETE_UNTIL[2],
        &index::DELETE_REST[0],
        &index::DELETE_REST[1],
        &index::DELETE_REST[2],
        &index::FORGET_DROPPED,
    ],
    operations: &[&DECLARE, &COMMIT, &attach::ATTACH, &attach::DETACH],
    queries: &[&live::LIVE_SYNC],
    sessions: &[live::LIVE],
    tasks: &[index::FILL, index::DROP, copies::CARRY, forget::FORGET, forget::FORGET_CHANGES],
    invariants: &check::INVARIANTS,
    figures: &[
        FigureDef { name: "classes", find: figures::classes },
        FigureDef { name: "indexes_filling", find: figures::indexes_filling },
    ],
    ..ServiceDef::EMPTY
};
