//! Finds contacts by a part of their name. `doc.search` finds beginnings, by an index; this reads all cards, with SQL of its own. The
//! engines look into JSON by different words, so there is one text for each. They are not in `ServiceDef.statements`, which
//! every engine must understand: tests run each on its own.

use base::{Engine, OpResult, Row, Sql, Tx, args};
use kernel::Query;
use serde::{Deserialize, Serialize};

use super::READERS;
use crate::input::check_name;

/// Finds contacts.
pub static FIND_CONTACTS: Query<FindContacts, Vec<FoundContact>> =
    Query::new("contacts.find", find_contacts).named_for(READERS);

/// What to look for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindContacts {
    /// Part of a name; capitals count as small letters (with SQLite those of ASCII only).
    pub part: String,
}

/// A contact that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundContact {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

const FOUND_MAX: usize = 100;

static ON_SQLITE: Sql = Sql::new(
    "contacts.find_sqlite",
    "SELECT id, content ->> '$.name' FROM doc_item \
     WHERE class = 'Contact' AND item = 'Card' AND instr(lower(content ->> '$.name'), lower(?1)) > 0 ORDER BY 2, 1 LIMIT 100",
);
static ON_POSTGRES: Sql = Sql::new(
    "contacts.find_postgres",
    "SELECT id, content::json ->> 'name' FROM doc_item \
     WHERE class = 'Contact' AND item = 'Card' AND strpos(lower(content::json ->> 'name'), lower(?1)) > 0 ORDER BY 2, 1 LIMIT 100",
);

fn find_contacts(tx: &mut dyn Tx, input: &FindContacts) -> OpResult<Vec<FoundContact>> {
    check_name("the part", &input.part)?;
    let statement = match tx.engine() {
        Engine::Sqlite => &ON_SQLITE,
        Engine::Postgres => &ON_POSTGRES,
    };
    let found = |row: &Row| FoundContact { id: row.text(0).to_owned(), name: row.text(1).to_owned() };
    Ok(tx.query(statement, args![&input.part], FOUND_MAX)?.iter().map(found).collect())
}
