//! Puts rows right: each is read and judged again, because it may have changed since its file was looked at.

use std::collections::BTreeSet;

use base::{OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::flaw::{self, Flaw};
use super::judge::{Found, Verdict, judge};
use super::{Known, look};
use crate::folders::{clerk, folder_of};
use crate::ledger::{Moves, together};
use crate::message::digest;
use crate::{packs, process};

/// Puts the rows of these messages right; says which files are to be removed.
pub(super) static SETTLE: Op<Cases, Vec<Surplus>> = Op::new("exchange.scan_settle", settle).keyed(together).ending();
/// Writes down which foreign files were found.
pub(super) static FOREIGN: Op<Foreign, ()> = Op::new("exchange.scan_foreign", foreign).ending();

/// Messages of a database whose files are not where their rows say.
#[derive(Debug, Clone)]
pub(super) struct Cases {
    pub(super) db: String,
    pub(super) cases: Vec<Case>,
    /// Whether the folders are those that the store left.
    pub(super) is_trusted: bool,
}

/// One of them.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) number: i64,
    pub(super) found: Vec<Found>,
    /// Its text, if it was read from its file because it is wanted again.
    pub(super) text: Option<String>,
}

/// A file that is one too many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Surplus {
    pub(super) place: String,
    pub(super) name: String,
}

/// Foreign files of a database, and what was done with each.
#[derive(Debug, Clone)]
pub(super) struct Foreign {
    pub(super) db: String,
    pub(super) lines: Vec<String>,
}

const BY_HAND: &str = "moved to Error by hand";

pub(super) static SEEN: Sql =
    Sql::new("exc_message.seen", "UPDATE exc_message SET on_disk = ?2, due = ?3 WHERE number = ?1");
pub(super) static MOVED: Sql = Sql::new(
    "exc_message.moved_by_hand",
    "UPDATE exc_message SET place = ?2, on_disk = ?2, due = NULL, heard = ?3, skipped = 0, result = ?4, error_code = NULL, error_text = ?5 \
     WHERE number = ?1",
);
pub(super) static PUT_TEXT: Sql =
    Sql::new("exc_body.scan_put_back", "INSERT INTO exc_body (number, body) VALUES (?1, ?2) ON CONFLICT DO NOTHING");
/// What the text of a message is known by.
pub(super) static DIGEST: Sql = Sql::new("exc_message.digest", "SELECT digest FROM exc_message WHERE number = ?1");

fn settle(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Cases) -> OpResult<Vec<Surplus>> {
    let (mut surplus, mut processes) = (vec![], BTreeSet::new());
    for case in &input.cases {
        let Some(known) = look::one(tx, &input.db, case.number)? else { continue };
        let (verdict, places) = judge(&known, &case.found, input.is_trusted);
        let of = |place: &str| Surplus { place: place.to_owned(), name: known.name.clone() };
        surplus.extend(places.into_iter().map(of));
        processes.extend(Mended { db: &input.db, known: &known, case }.mend(tx, cx, verdict)?);
    }
    for id in processes {
        process::moved(tx, cx, &id)?;
    }
    for case in &input.cases {
        tx.write(&clerk::DROP_BODY, args![case.number])?;
    }
    clerk::wake(cx);
    Ok(surplus)
}

fn foreign(_: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Foreign) -> OpResult<()> {
    for line in &input.lines {
        cx.fx.journal("exchange.foreign_file", &input.db, line.clone());
    }
    Ok(())
}

/// A message that is put right.
struct Mended<'a> {
    db: &'a str,
    known: &'a Known,
    case: &'a Case,
}

impl Mended<'_> {
    /// Does what the verdict says; tells which process may have waited for it.
    fn mend(&self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, verdict: Verdict) -> OpResult<Option<String>> {
        let is_whole = !matches!(verdict, Verdict::Damaged(_) | Verdict::Lost);
        if is_whole
            && self.known.is_flawed
            && (self.known.has_text || self.known.is_packed || self.is_as_received(tx)?)
        {
            flaw::end(tx, cx, self.db, self.known)?;
        }
        match verdict {
            Verdict::Fine => {}
            Verdict::Arrived => return clerk::mark(tx, cx.heard, self.known.number, Some(&self.known.place)),
            Verdict::Lies(place) => self.note(tx, cx, place)?,
            Verdict::Misplaced(place) => {
                self.note(tx, cx, Some(place))?;
                self.journal(cx, "exchange.put_back", place, "by hand, and is brought back");
            }
            Verdict::Moved(place) => self.take_as_moved(tx, cx, place)?,
            Verdict::Damaged(place) => self.leave_damaged(tx, cx, place)?,
            Verdict::Lost => flaw::tell(tx, cx, self.db, self.known, Flaw::Lost)?,
        }
        Ok(None)
    }

    /// It lies there, and the clerk is to bring it to its place.
    fn note(&self, tx: &mut dyn Tx, cx: &OpCx<'_>, place: Option<&str>) -> OpResult<()> {
        Ok(tx.write(&SEEN, args![self.known.number, place, cx.heard])?)
    }

    fn take_as_moved(&self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, to: &'static str) -> OpResult<()> {
        let Known { number, place: from, has_text, .. } = self.known;
        let needs_text = matches!(to, "messages" | "unknown") && !has_text;
        if needs_text && !self.put_text_back(tx)? {
            return self.leave_damaged(tx, cx, to);
        }
        if matches!(to, "messages" | "unknown") {
            packs::let_go(tx, cx, *number)?;
        }
        let (result, text) = match to {
            "log" => (Some("PROCESSED"), None),
            "error" => (Some("PROCESSED_INCORRECT"), Some(BY_HAND)),
            _ => (None, None),
        };
        tx.write(&MOVED, args![*number, to, cx.heard, result, text])?;
        moves(from, to).count(tx, self.db)?;
        process::close_skipped_alert(cx, *number);
        self.journal(cx, "exchange.moved_by_hand", to, "by hand");
        Ok(())
    }

    /// The text from the file, if it is what was received.
    fn put_text_back(&self, tx: &mut dyn Tx) -> OpResult<bool> {
        if !self.is_as_received(tx)? {
            return Ok(false);
        }
        tx.write(&PUT_TEXT, args![self.known.number, self.case.text.as_deref()])?;
        Ok(true)
    }

    /// Whether the text that was read from the file is what was received.
    fn is_as_received(&self, tx: &mut dyn Tx) -> OpResult<bool> {
        let Some(text) = &self.case.text else { return Ok(false) };
        let row = tx.query_one(&DIGEST, args![self.known.number])?;
        Ok(row.is_some_and(|row| row.blob(0) == digest(text)))
    }

    /// What lies there is not the message, whose text is nowhere else. What became of the message stays as it is; the file is brought to its
    /// place as it is, and people are told.
    fn leave_damaged(&self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, lies: &'static str) -> OpResult<()> {
        if lies != self.known.place {
            self.note(tx, cx, Some(lies))?;
        }
        flaw::tell(tx, cx, self.db, self.known, Flaw::Damaged)
    }

    fn journal(&self, cx: &mut OpCx<'_>, kind: &str, lies: &str, what: &str) {
        let folder = |place: &str| folder_of(place).unwrap_or("nowhere");
        let Known { name, place, .. } = self.known;
        cx.fx.journal(kind, self.db, format!("{name}: from {} to {}, {what}", folder(place), folder(lies)));
    }
}

/// What a move of a message that nobody holds counts.
fn moves(from: &str, to: &str) -> Moves {
    let mut moves = Moves::default();
    for (place, many) in [(from, -1), (to, 1)] {
        match place {
            "messages" => moves.queued += many,
            "log" => moves.log += many,
            "error" => moves.error += many,
            "unknown" => moves.unknown += many,
            _ => {}
        }
    }
    moves
}
