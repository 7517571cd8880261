//! Lets a device into a directory (DIRECTORY_SUBSCRIBE), and remembers it: tombstones stay until every known device passed them (FLD-12).

use base::{OpResult, Sql, Tx, args};
use kernel::{Op, OpCx, feed};

use super::directory::unknown;
use super::numbers::stored;
use super::rights::{Right, enter};
use crate::form::{Join, Joined};

/// Lets a device in; again and again is no error.
pub static JOIN: Op<Join, Joined> = Op::new("folders.join", join).keyed(|join| crate::key_of(&join.directory));

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&SEEN];

/// A device that does not say what it has keeps what it said before; one that was put back from a backup goes back with it.
static SEEN: Sql = Sql::new(
    "fld_device.seen",
    "INSERT INTO fld_device (directory, device, key, seq, seen_at) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (directory, device) \
     DO UPDATE SET key = excluded.key, seen_at = excluded.seen_at, \
     seq = CASE WHEN excluded.seq = 0 THEN fld_device.seq ELSE excluded.seq END",
);

fn join(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Join) -> OpResult<Joined> {
    if !cx.caller.may("folder", &input.directory) {
        return Err(unknown(&input.directory));
    }
    let directory = enter(tx, &input.directory, &input.who, Right::Read)?;
    let epoch = feed::epoch(tx, cx)?;
    let is_same = input.epoch.as_ref().is_none_or(|of| *of == epoch);
    // A device cannot have more than there is: it comes from before a backup was put back.
    let seq = if is_same { stored(input.seq.min(directory.seq)) } else { 0 };
    tx.write(&SEEN, args![&input.directory, &input.who.device, &input.who.key, seq, cx.wall])?;
    Ok(Joined { seq: directory.seq, epoch })
}
