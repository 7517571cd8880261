//! `doc.get` (DOC-6): one document, as new as the caller needs it.

use base::{OpResult, Tx};
use kernel::Query;
use replica::{DocCopy, Held};
use serde::Deserialize;
use serde_json::Value;
use web::{Answer, Api, ApiError};

use crate::class::{Asking, DocClass, load_in};
use crate::filter::{Excluded, seen};
use crate::read::{DocView, FullDoc, absent, full};

/// Reads a document whole from the store.
pub static READ: Query<(String, String), FullDoc> = Query::new("doc.read", read);

/// Which document, and how old it may be.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Get {
    /// Class.
    pub c: String,
    /// Id.
    pub id: String,
    /// How many seconds old it may be; 0, the newest, if not given.
    #[serde(default)]
    pub tolerance_s: u32,
    /// Argument to the class's filter.
    #[serde(default)]
    pub filter: Option<Value>,
}

fn read(tx: &mut dyn Tx, (class, id): &(String, String)) -> OpResult<FullDoc> {
    match full(tx, class, id)? {
        Some(doc) => Ok(doc),
        None => Err(load_in(tx, class).err().unwrap_or_else(|| absent(class, id))),
    }
}

/// Answers `doc.get`.
pub(crate) async fn get(api: &Api, asked: Get) -> Result<Answer<Value>, ApiError> {
    let read = api.read(&READ, (asked.c.clone(), asked.id.clone())).await?;
    let filter = api.namespace().home.offered::<DocClass>().find(|class| class.name == asked.c);
    let asking =
        Asking { caller: api.caller(), properties: api.properties(), argument: asked.filter.as_ref(), id: &asked.id };
    let shown = seen(filter.and_then(|class| class.filter.as_ref()), &asking, &read.out.copy, Excluded::LeftOut);
    let shown = shown.ok_or_else(|| ApiError(absent(&asked.c, &asked.id)))?;
    let view = serde_json::to_value(view(&read.out, &shown)).unwrap_or_default();
    Ok(read.map(|_| view))
}

/// A document as it is shown.
pub(crate) fn view(full: &FullDoc, shown: &DocCopy) -> DocView {
    let whole = shown.upgrade_for(&Held::nothing(&shown.c, &shown.id), true).ok().flatten();
    let (items, dels) = whole.map(|upgrade| (upgrade.items, upgrade.dels)).unwrap_or_default();
    let head = shown.head;
    let (c, id) = (shown.c.clone(), shown.id.clone());
    DocView { c, id, v: head.v, ct: head.ct, dt: head.dt, v1: full.v1, v2: full.v2, items, dels }
}
