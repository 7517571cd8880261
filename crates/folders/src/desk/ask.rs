//! Asks whether changes may be made (ASK_VERSION_INCREASE): there already, made at once, to be written, or refused (FLD-5, FLD-6, FLD-10).

use std::collections::{BTreeMap, BTreeSet};

use base::{OpError, OpResult, Tx, codes, limits::PORTION_ROWS};
use kernel::{Op, OpCx};

use super::commit::increase;
use super::directory::{Directory, unknown};
use super::numbers::stored;
use super::planned::{Planned, Seats};
use super::rights::{Right, enter};
use super::seats::Place;
use super::upload::{self, Kept, KeptFile, Upload};
use crate::codes::AFOLDER;
use crate::form::{Ask, Asked, Asking, Kind};
use crate::plan::{Bytes, Seated, Verdict, Wanted};

/// Asks whether changes may be made.
pub static ASK: Op<Ask, Asking> = Op::new("folders.ask", ask).keyed(|ask| crate::key_of(&ask.directory));

/// Changes of one group: each reads and writes up to ten rows.
pub const CHANGES_MAX: usize = 400;
/// What is written for each file of a commit, and what else a change reads and writes, at most.
const ROWS_OF_ROW: usize = 3;
const ROWS_OF_CHANGE: usize = 5;
/// How long a seat may be kept without being renewed.
const LEASE_MS: (i64, i64) = (1_000, 120_000);

fn ask(tx: &mut dyn Tx, cx: &mut OpCx<'_>, ask: &Ask) -> OpResult<Asking> {
    check(cx, ask)?;
    let client = &ask.who.client;
    let mut directory = enter(tx, &ask.directory, &ask.who, Right::Write)?;
    let group = ask.files.iter().map(promised).collect();
    let planned = Planned::make(tx, cx, (&directory, client), &ask.told, group)?;
    check_rows(&planned)?;
    let seats = seats(tx, cx, &planned, ask)?;
    let is_blocked = seats.values().any(|place| !place.is_free_for(client));
    if planned.is_denied() || is_blocked {
        return planned.deny(tx, cx, (&ask.directory, client), seats);
    }
    let wanted = planned.wanting();
    if wanted.is_empty() {
        let increased = increase(tx, cx, &planned, (&mut directory, &ask.who), &BTreeMap::new())?;
        leave(tx, cx, seats, client)?;
        return Ok(increased);
    }
    check_room(&directory, &planned)?;
    let upload = allow(tx, cx, ask, &planned, seats)?;
    Ok(Asking::Allowed { upload, wanted })
}

fn check(cx: &OpCx<'_>, ask: &Ask) -> OpResult<()> {
    if !cx.caller.may("folder", &ask.directory) {
        return Err(unknown(&ask.directory));
    }
    if ask.files.is_empty() {
        return Err(OpError::new(AFOLDER, "nothing is asked for"));
    }
    if ask.files.len() > CHANGES_MAX {
        let text = format!("{} changes in one group, at most {CHANGES_MAX}", ask.files.len());
        return Err(OpError::new(codes::ALIMIT, text));
    }
    Ok(())
}

/// Refuses what would be more than one operation may write, in words that say what to do: folders that are to be made count too.
fn check_rows(planned: &Planned) -> OpResult<()> {
    let (rows, changes) = (planned.plan.rows.len(), planned.group.len());
    if ROWS_OF_ROW * rows + ROWS_OF_CHANGE * changes <= PORTION_ROWS - 300 {
        return Ok(());
    }
    let text = format!(
        "{changes} changes that write {rows} files and folders are too many for one commit: ask for fewer at once"
    );
    Err(OpError::new(codes::ALIMIT, text))
}

fn promised(asked: &Asked) -> Wanted {
    Wanted { asked: asked.clone(), bytes: if brings(asked) { Bytes::Promised } else { Bytes::Kept }, given_id: None }
}

/// Its bytes are to follow.
pub(crate) fn brings(asked: &Asked) -> bool {
    asked.content_changed && !asked.deleted && asked.kind == Kind::File
}

/// The seats that it needs. Whoever asks anew for what they write begins anew: what they had is rolled back first. Other files of theirs that
/// only need the same new folder are left alone: for these they wait, as for anybody's.
fn seats(tx: &mut dyn Tx, cx: &mut OpCx<'_>, planned: &Planned, ask: &Ask) -> OpResult<Seats> {
    let seats = planned.seats(tx, cx, &ask.directory)?;
    let own = seats.values().filter(|place| place.seat.holder() == Some(&ask.who.client));
    let own: BTreeSet<String> = own.filter_map(|place| place.upload.clone()).collect();
    if own.is_empty() {
        return Ok(seats);
    }
    let mut others = BTreeSet::new();
    for id in own {
        match Upload::find(tx, &id)?.is_some_and(|upload| !upload.is_about(&ask.files)) {
            true => drop(others.insert(id)),
            false => upload::end(tx, cx, &id)?,
        }
    }
    let mut seats = planned.seats(tx, cx, &ask.directory)?;
    let is_busy = |place: &Place| place.upload.as_ref().is_some_and(|upload| others.contains(upload));
    seats.values_mut().for_each(|place| place.is_busy = is_busy(place));
    Ok(seats)
}

/// What was kept for them is not needed any more.
fn leave(tx: &mut dyn Tx, cx: &mut OpCx<'_>, seats: Seats, client: &String) -> OpResult<()> {
    seats.into_values().filter(|place| place.seat.reserved() == Some(client)).try_for_each(|place| place.lapse(tx, cx))
}

/// Refuses what cannot fit, as far as its size was announced; what comes is counted again.
fn check_room(directory: &Directory, planned: &Planned) -> OpResult<()> {
    let grown = |(wanted, verdict): (&Wanted, &Verdict)| match verdict {
        Verdict::Made { id, wants_bytes: true, .. } => {
            let before = planned.before.get(id).filter(|entry| !entry.deleted).map_or(0, |entry| entry.size);
            wanted.asked.size.map_or(0, |size| stored(size) - stored(before))
        }
        Verdict::Made { .. } | Verdict::There { .. } | Verdict::Denied { .. } | Verdict::Refused { .. } => 0,
    };
    directory.check_quota(planned.verdicts().map(grown).fold(0, i64::saturating_add))
}

fn allow(tx: &mut dyn Tx, cx: &mut OpCx<'_>, ask: &Ask, planned: &Planned, seats: Seats) -> OpResult<String> {
    let until = cx.heard.plus_ms(lease(ask.lease_ms));
    let id = format!("{}/{}", ask.directory, cx.id());
    for mut place in seats.into_values() {
        place.take(&ask.who.client, &id, until);
        place.save(tx)?;
    }
    let files = planned.verdicts().map(kept).collect();
    let kept = Kept { who: ask.who.clone(), files };
    Upload { id: id.clone(), directory: ask.directory.clone(), kept, until }.insert(tx, cx)?;
    Ok(id)
}

/// How long a seat is kept, within what is sensible.
pub(crate) fn lease(ms: i64) -> i64 {
    ms.clamp(LEASE_MS.0, LEASE_MS.1)
}

fn kept((wanted, verdict): (&Wanted, &Verdict)) -> KeptFile {
    let (id, is_wanted, is_there) = match verdict {
        Verdict::Made { id, wants_bytes, seat } => (id.clone(), *wants_bytes, matches!(seat, Seated::File(_))),
        Verdict::There { id, .. } => (id.clone(), false, true),
        Verdict::Denied { .. } | Verdict::Refused { .. } => (String::new(), false, false),
    };
    KeptFile { asked: wanted.asked.clone(), id, wanted: is_wanted, joins: is_there }
}
