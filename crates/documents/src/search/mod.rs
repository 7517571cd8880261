//! Searches by indexed fields (DOC-13): documents, or their items, for which several conditions hold at once.
//!
//! - `range`: conditions as ranges, pure; `plan`: which index is walked;
//! - `shape`: the statements; `walk`: a page; `cursor`: where it ended; `eyes`: what the caller may see.
//!
//! Promises: a document (or item) is given once over all pages, as long as nothing changes meanwhile; the work of a page is
//! bounded, so that one may be short, even empty, with more behind it: go on while there is `next`.

mod cursor;
mod eyes;
mod plan;
mod range;
mod shape;
mod walk;

use std::collections::BTreeMap;

use base::{OpError, OpResult, Tx};
use kernel::{Caller, Properties, Query};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use utoipa::ToSchema;
use web::{Answer, Api, ApiError};

use crate::class::{DocClass, Field, load_in};
use crate::codes::CINDEX;
use crate::index;
use crate::sync::SyncFilterOf;
use eyes::Eyes;
use plan::Plan;

pub use cursor::reads as reads_cursor;
pub use range::Cond;
pub(crate) use range::top;
pub use shape::search_statements;

/// Finds documents or items.
pub static SEARCH: Query<SearchOf, Found> = Query::new("doc.search", |tx, of| find(tx, &of.search, Eyes::of(of)));

/// Conditions on fields that a search may have.
const CONDITIONS_MAX: usize = 4;

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Class of the documents.
    pub c: String,
    /// Class of the items.
    pub item: String,
    /// All of these hold for one and the same item; at most 4. Without any, all documents with such an item are found.
    #[serde(default, rename = "where")]
    pub conditions: Vec<FieldCondition>,
    /// This holds for the document's id.
    #[serde(default)]
    pub id: Option<IdCondition>,
    /// Gives the items, not the ids of their documents.
    #[serde(default)]
    pub items: bool,
    /// At most so many, 1 to 1000; 100 if not given.
    #[serde(default)]
    pub limit: Option<u32>,
    /// `next` of the page before.
    #[serde(default)]
    pub after: Option<String>,
    /// Argument to the class's filter.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub filter: Option<Value>,
}

/// A condition on an indexed field; of a list one element is enough.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldCondition {
    /// The field.
    pub field: String,
    /// What its value must be.
    pub cond: Cond,
    /// The value compared with; the lower one of two.
    #[schema(value_type = Object)]
    pub v1: Value,
    /// The upper one, where the condition has two.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub v2: Option<Value>,
}

/// A condition on ids of documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IdCondition {
    /// What it must be.
    pub cond: Cond,
    /// The id compared with; the lower one of two.
    #[schema(value_type = Object)]
    pub v1: Value,
    /// The upper one, where the condition has two.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub v2: Option<Value>,
}

/// A search with who asks.
#[derive(Debug, Clone)]
pub struct SearchOf {
    /// What is looked for.
    pub search: Search,
    /// Who asks.
    pub caller: Caller,
    /// What the application says of itself.
    pub properties: Properties,
    /// The class's filter, if the program brings one along.
    pub filter: Option<SyncFilterOf>,
}

/// A page of what was found, in the order of the index that was walked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Ids of documents, unless items were asked for.
    pub ids: Option<Vec<String>>,
    /// The items, if they were asked for.
    pub items: Option<Vec<FoundItem>>,
    /// There may be more: ask again with this as `after`, though this page be short or empty. Null at the end.
    pub next: Option<String>,
}

/// On the wire it is a list like all others: `{items, next}`, where an item is at least the id of its document.
impl Serialize for Found {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_struct("Found", 2)?;
        match &self.items {
            Some(items) => list.serialize_field("items", items)?,
            None => {
                let ids = self.ids.iter().flatten().map(|id| BTreeMap::from([("id", id)]));
                list.serialize_field("items", &ids.collect::<Vec<_>>())?;
            }
        }
        list.serialize_field("next", &self.next)?;
        list.end()
    }
}

/// An item that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundItem {
    /// Its document.
    pub id: String,
    /// The item.
    #[serde(flatten)]
    pub item: replica::Item,
}

/// Searches within an operation or a query of a program, which sees everything.
///
/// # Errors
/// `NCLASS`, `ASEARCH`, `ALIMIT`, `ABODY` for a cursor that is none, `CINDEX` while an index is being filled.
pub fn search(tx: &mut dyn Tx, search: &Search) -> OpResult<Found> {
    find(tx, search, None)
}

fn find(tx: &mut dyn Tx, search: &Search, eyes: Option<Eyes<'_>>) -> OpResult<Found> {
    let class = load_in(tx, &search.c)?;
    let plan = Plan::of(&class, search)?;
    if let Some(field) = plan.unfilled() {
        return Err(unfilled(tx, field)?);
    }
    walk::page(tx, &plan, search, eyes.as_ref())
}

fn unfilled(tx: &mut dyn Tx, field: &Field) -> OpResult<OpError> {
    let looked_at = index::looked_at(tx, field.number)?;
    let text =
        format!("index {}.{} is being filled, {looked_at} items looked at so far: try later", field.item, field.field);
    Ok(OpError::new(CINDEX, text))
}

/// Answers `doc.search`.
pub(crate) async fn answer(api: &Api, search: Search) -> Result<Answer<Found>, ApiError> {
    let class = api.namespace().home.offered::<DocClass>().find(|class| class.name == search.c);
    let filter = class.and_then(|class| class.filter).map(SyncFilterOf);
    let (caller, properties) = (api.caller().clone(), api.properties().clone());
    api.read(&SEARCH, SearchOf { search, caller, properties, filter }).await
}
