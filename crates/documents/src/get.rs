//! `doc.get` (DOC-6): one document, as new as the caller needs it.

use std::sync::Arc;

use base::{OpResult, Tx, codes};
use kernel::namespaces::{GrantedRead, RECORD_GRANTED_READ, granted};
use kernel::{Namespace, Query};
use replica::{DocCopy, Held};
use serde::Deserialize;
use serde_json::Value;
use web::{Answer, Api, ApiError};

use crate::cache::{Look, look};
use crate::class::{Asking, DocClass, load_in};
use crate::filter::{Excluded, seen};
use crate::read::{DocView, FullDoc, absent, full};

/// Reads a document whole from the store.
pub static READ: Query<(String, String), FullDoc> = Query::new("doc.read", read);
/// Reads a document that [`look`] did not find at hand, and keeps it in memory.
pub static READ_LOOKED: Query<Look, Arc<FullDoc>> = Query::new("doc.get", read_looked);

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
    /// Whose document, if it is another namespace's, which gave a grant for its class; then `tolerance_s` is above 0.
    #[serde(default)]
    pub ns: Option<String>,
}

fn read(tx: &mut dyn Tx, (class, id): &(String, String)) -> OpResult<FullDoc> {
    match full(tx, class, id)? {
        Some(doc) => Ok(doc),
        None => Err(load_in(tx, class).err().unwrap_or_else(|| absent(class, id))),
    }
}

fn read_looked(tx: &mut dyn Tx, look: &Look) -> OpResult<Arc<FullDoc>> {
    let (class, id) = look.of();
    match look.stored(tx)? {
        Some(doc) => Ok(doc),
        None => Err(load_in(tx, class).err().unwrap_or_else(|| absent(class, id))),
    }
}

/// Answers `doc.get`.
pub(crate) async fn get(api: &Api, asked: Get) -> Result<Answer<Value>, ApiError> {
    let owner = match asked.ns.as_deref().filter(|ns| *ns != api.namespace().name) {
        Some(owner) => granted_namespace(api, owner, &asked).await?,
        None => api.namespace().clone(),
    };
    let look = look(api.kernel(), &owner, &asked.c, &asked.id, asked.tolerance_s);
    let doc = match look.at_hand() {
        Some(doc) => doc,
        None => api.read_in(&owner, &READ_LOOKED, look).await?.out,
    };
    let filter = owner.home.offered::<DocClass>().find(|class| class.name == asked.c);
    let asking =
        Asking { caller: api.caller(), properties: api.properties(), argument: asked.filter.as_ref(), id: &asked.id };
    let shown = seen(filter.and_then(|class| class.filter.as_ref()), &asking, &doc.copy, Excluded::LeftOut);
    let shown = shown.ok_or_else(|| ApiError(absent(&asked.c, &asked.id)))?;
    Ok(api.answer(serde_json::to_value(view(&doc, &shown)).unwrap_or_default()))
}

/// The other namespace whose document is read by right of a grant (KER-1). Its journal tells of the read before anything is read.
async fn granted_namespace(api: &Api, owner: &str, asked: &Get) -> Result<Arc<Namespace>, ApiError> {
    let reader = &api.namespace().name;
    if asked.tolerance_s == 0 {
        let text = format!("a document of namespace `{owner}` is read with tolerance_s above 0 only");
        return Err(ApiError::refused(codes::ABODY, text));
    }
    // A namespace that does not exist has given no grant either: nobody learns here which ones there are.
    if !granted(api.kernel(), reader, owner, &asked.c) {
        let text = format!("`{owner}` has given `{reader}` no grant for documents of class {}", asked.c);
        return Err(ApiError::refused(codes::NGRANT, text));
    }
    let namespace = api.kernel().namespace(owner)?;
    namespace.standing().check(api.caller(), false, api.kernel().env().clock.wall())?;
    let (class, document) = (asked.c.clone(), format!("{}/{}", asked.c, asked.id));
    let told = GrantedRead { reader: reader.clone(), class, document };
    api.within(&namespace).by_server("grants").call_natural(&RECORD_GRANTED_READ, told).await?;
    Ok(namespace)
}

/// A document as it is shown.
pub(crate) fn view(full: &FullDoc, shown: &DocCopy) -> DocView {
    let whole = shown.upgrade_for(&Held::nothing(&shown.c, &shown.id), true).ok().flatten();
    let (items, dels) = whole.map(|upgrade| (upgrade.items, upgrade.dels)).unwrap_or_default();
    let head = shown.head;
    let (c, id) = (shown.c.clone(), shown.id.clone());
    DocView { c, id, v: head.v, ct: head.ct, dt: head.dt, v1: full.v1, v2: full.v2, items, dels }
}
