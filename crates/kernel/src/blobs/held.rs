//! What must be there: for backups and checks, which compare it with what is.

use base::{Sql, StoreResult, Tx, args};

pub(super) static HELD: Sql = Sql::new(
    "blob.held",
    "SELECT sha, name FROM blob WHERE sha > ?1 AND unused_since IS NULL AND damaged_at IS NULL ORDER BY sha LIMIT ?2",
);

/// Rows that are read at once.
const PAGE: usize = 1_000;

/// The names of all bytes that somebody refers to, without those that are known to be damaged.
///
/// # Errors
/// The store cannot be read.
pub fn held(tx: &mut dyn Tx) -> StoreResult<Vec<String>> {
    let (mut names, mut after) = (vec![], String::new());
    loop {
        let rows = tx.query(&HELD, args![&after, i64::try_from(PAGE).unwrap_or(i64::MAX)], PAGE)?;
        names.extend(rows.iter().map(|row| row.text(1).to_owned()));
        match rows.last() {
            Some(last) if rows.len() == PAGE => last.text(0).clone_into(&mut after),
            _ => return Ok(names),
        }
    }
}
