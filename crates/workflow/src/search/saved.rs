//! Searches that somebody gave a name.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args, codes};
use kernel::{Op, OpCx, Query};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::form::Search;
use crate::codes::NFLOWJOB;
use crate::names::{check_text, short};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&SAVE, &LIST, &DELETE];

/// Searches that are kept.
const SEARCHES_MAX: usize = 1_000;

static SAVE: Sql = Sql::new(
    "wfl_search.save",
    "INSERT INTO wfl_search (name, search, saved_at, saved_by) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (name) DO UPDATE SET search = excluded.search, saved_at = excluded.saved_at, saved_by = excluded.saved_by",
);
static LIST: Sql =
    Sql::new("wfl_search.list", "SELECT name, search, saved_at, saved_by FROM wfl_search ORDER BY name LIMIT 1000");
static DELETE: Sql = Sql::new("wfl_search.delete", "DELETE FROM wfl_search WHERE name = ?1");

/// Keeps a search under a name, instead of the one that had it.
pub static SAVE_SEARCH: Op<SaveSearch, ()> = Op::new("workflow.save_search", save).keyed(|_| crate::key_of("searches"));
/// Forgets a search.
pub static DELETE_SEARCH: Op<String, ()> = Op::new("workflow.delete_search", delete).ending();
/// All saved searches, by name.
pub static SEARCHES: Query<(), Vec<SavedSearch>> = Query::new("workflow.searches", |tx, ()| list(tx));

/// A search to be kept.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SaveSearch {
    /// Its name.
    pub name: String,
    /// What is looked for.
    pub search: Search,
}

/// A search that is kept.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SavedSearch {
    /// Its name.
    pub name: String,
    /// What is looked for.
    pub search: Search,
    /// When it was saved.
    #[schema(format = DateTime)]
    pub saved_at: String,
    /// Who saved it.
    pub saved_by: String,
}

fn save(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &SaveSearch) -> OpResult<()> {
    check_text("name", &wanted.name)?;
    wanted.search.check()?;
    let known = list(tx)?;
    if known.len() >= SEARCHES_MAX && known.iter().all(|search| search.name != wanted.name) {
        return Err(OpError::new(codes::ALIMIT, format!("{SEARCHES_MAX} searches are kept already")));
    }
    let search = serde_json::to_string(&wanted.search).unwrap_or_default();
    Ok(tx.write(&SAVE, args![&wanted.name, search, cx.wall, &cx.caller.name])?)
}

fn delete(tx: &mut dyn Tx, _: &mut OpCx<'_>, name: &String) -> OpResult<()> {
    if tx.execute(&DELETE, args![name])? == 0 {
        return Err(OpError::new(NFLOWJOB, format!("no search is called `{}`", short(name))));
    }
    Ok(())
}

fn list(tx: &mut dyn Tx) -> OpResult<Vec<SavedSearch>> {
    tx.query(&LIST, args![], SEARCHES_MAX)?.iter().map(saved).collect()
}

/// One that cannot be read is no search for everything.
fn saved(row: &Row) -> OpResult<SavedSearch> {
    let damaged =
        |error| OpError::new(codes::BDETECTED, format!("search `{}` cannot be read: {error}", short(row.text(0))));
    Ok(SavedSearch {
        name: row.text(0).to_owned(),
        search: serde_json::from_str(row.text(1)).map_err(damaged)?,
        saved_at: Wall(row.int(2)).rfc3339(),
        saved_by: row.text(3).to_owned(),
    })
}
