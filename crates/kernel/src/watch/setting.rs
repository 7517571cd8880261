//! What the configuration says to tasks: they see nothing but rows, so the server writes it into every namespace.
//!
//! Several nodes write the same; nodes that are configured differently take turns at each start, the last one wins.

use base::{OpResult, Sql, Tx, args};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cx::OpCx;
use crate::op::Op;

/// Writes the settings of one namespace.
pub(crate) static CONFIGURE: Op<Configure, ()> = Op::new("watch.configure", configure);

/// What the configuration says.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Configure {
    pub(crate) settings: Vec<Setting>,
}

/// One setting, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// Whose it is.
    pub name: String,
    /// What it says.
    pub value: String,
}

impl Setting {
    /// A setting of something that has JSON.
    pub(crate) fn of(name: &str, value: &impl Serialize) -> Self {
        Self { name: name.to_owned(), value: serde_json::to_string(value).unwrap_or_default() }
    }
}

pub(crate) static GET: Sql = Sql::new("setting.get", "SELECT value FROM setting WHERE name = ?1");
pub(crate) static PUT: Sql = Sql::new(
    "setting.put",
    "INSERT INTO setting (name, value) VALUES (?1, ?2) \
     ON CONFLICT (name) DO UPDATE SET value = ?2 WHERE setting.value <> ?2",
);

fn configure(tx: &mut dyn Tx, _: &mut OpCx<'_>, input: &Configure) -> OpResult<()> {
    input.settings.iter().try_for_each(|setting| Ok(tx.write(&PUT, args![&setting.name, &setting.value])?))
}

/// A setting, or its default where the server has not written it yet (or an older one wrote another shape).
pub(crate) fn get<T: DeserializeOwned + Default>(tx: &mut dyn Tx, name: &str) -> OpResult<T> {
    let row = tx.query_one(&GET, args![name])?;
    Ok(row.and_then(|row| serde_json::from_str(row.text(0)).ok()).unwrap_or_default())
}
