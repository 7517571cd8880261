//! Whether the folders are those that the store left: a number that both have, raised at every start (EXC-7).
//!
//! A disk that was not mounted, or an older copy of the folders, shows files where they lay long ago. Nobody moved them by hand, and what
//! was done must not be done again: unless the numbers agree, rows alone say where files belong.

use base::{Files, OpResult, RelPath, Sql, Tx, args};
use kernel::{Kernel, Namespace, Op, OpCx, Query};

use super::perform::{ask, call};

/// Beside the folders of databases, of which none has a name that is no directory's.
const FILE: &str = "generation";
/// A number's digits.
const DIGITS_MAX: u64 = 20;

static GENERATION: Query<(), i64> = Query::new("exchange.generation", |tx, ()| generation(tx));
static RAISE: Op<(), i64> = Op::new("exchange.raise_generation", raise).ending();

pub(super) static GET: Sql = Sql::new("exc_count.generation", "SELECT value FROM exc_count WHERE name = 'folders'");
pub(super) static NEXT: Sql = Sql::new(
    "exc_count.next_generation",
    "INSERT INTO exc_count (name, value) VALUES ('folders', 1) ON CONFLICT (name) DO UPDATE SET value = exc_count.value + 1 \
     RETURNING value",
);

fn generation(tx: &mut dyn Tx) -> OpResult<i64> {
    Ok(tx.query_one(&GET, args![])?.map_or(0, |row| row.int(0)))
}

fn raise(tx: &mut dyn Tx, _: &mut OpCx<'_>, (): &()) -> OpResult<i64> {
    Ok(tx.query_one(&NEXT, args![])?.map_or(1, |row| row.int(0)))
}

/// Whether these folders are those that the store knows; before the first start there are none to know.
pub(super) fn is_current(kernel: &Kernel, ns: &Namespace, files: &dyn Files) -> OpResult<bool> {
    let known = ask(kernel, ns, &GENERATION, ())?;
    let text = RelPath::new(FILE).and_then(|path| files.get(&path, DIGITS_MAX).ok());
    let found = text.and_then(|text| String::from_utf8(text).ok()?.parse().ok()).unwrap_or(0);
    Ok(known == found)
}

/// These are the folders from now on, and no others.
pub(super) fn renew(kernel: &Kernel, ns: &Namespace, files: &dyn Files) -> Result<(), String> {
    let number: i64 = call(kernel, ns, &RAISE, ()).map_err(|error| error.to_string())?;
    let path = RelPath::new(FILE).ok_or("no path")?;
    files.put(&path, number.to_string().as_bytes()).map_err(|error| error.to_string())
}
