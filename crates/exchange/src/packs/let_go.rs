//! Lets go of a text in a pack: its message goes, or is wanted again and has its text in the store. With the last text of a pack its
//! reference ends, and the kernel collects the blob.

use base::{OpResult, Sql, Tx, args};
use kernel::OpCx;
use kernel::blobs::unrefer;

use super::{owner, sha_of};

pub(super) static DROP: Sql = Sql::new("exc_packed.drop", "DELETE FROM exc_packed WHERE number = ?1 RETURNING sha");
pub(super) static ANY_OF: Sql =
    Sql::new("exc_packed.any_of", "SELECT number FROM exc_packed WHERE sha = ?1 ORDER BY number LIMIT 1");

/// Lets go of the text of a message, if it is in a pack.
pub(crate) fn let_go(tx: &mut dyn Tx, cx: &mut OpCx<'_>, number: i64) -> OpResult<()> {
    let Some(row) = tx.query_one(&DROP, args![number])? else { return Ok(()) };
    let pack = row.text(0);
    if tx.query_one(&ANY_OF, args![pack])?.is_none() {
        unrefer(tx, cx, sha_of(pack)?, &owner(pack))?;
    }
    Ok(())
}
