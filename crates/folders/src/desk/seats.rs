//! Seats as rows: loaded, changed by the pure [`Seat`], saved (FLD-6).
//!
//! A seat whose time is over in listening time is left by whoever touches it first; somebody also looks for those that nobody touches.
//! Whoever waits is told by the directory's topic: seats wake nobody by name.

use base::{Heard, OpError, OpResult, Row, Sql, Tx, args, codes};
use kernel::{Hint, OpCx};

use super::numbers::many;
use super::upload;
use crate::plan::Seated;
use crate::seat::Seat;

/// How long a seat is kept for somebody who is told that it is free.
pub(crate) const RESERVED_MS: i64 = 5_000;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&GET, &SAVE, &DROP, &DROP_UNWANTED, &OF_UPLOAD, &RENEW];

static GET: Sql = Sql::new(
    "fld_seat.get",
    "SELECT place, directory, holder, reserved, waiting, upload, until FROM fld_seat WHERE place = ?1",
);
static SAVE: Sql = Sql::new(
    "fld_seat.save",
    "INSERT INTO fld_seat (place, directory, holder, reserved, waiting, upload, until) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
     ON CONFLICT (place) DO UPDATE SET holder = excluded.holder, reserved = excluded.reserved, waiting = excluded.waiting, \
     upload = excluded.upload, until = excluded.until",
);
static DROP: Sql = Sql::new("fld_seat.drop", "DELETE FROM fld_seat WHERE place = ?1");
/// Those of an upload that nobody waits for.
static DROP_UNWANTED: Sql = Sql::new(
    "fld_seat.drop_unwanted",
    "DELETE FROM fld_seat WHERE upload = ?1 AND upload IS NOT NULL AND waiting = '[]' AND reserved IS NULL",
);
static OF_UPLOAD: Sql = Sql::new(
    "fld_seat.of_upload",
    "SELECT place, directory, holder, reserved, waiting, upload, until FROM fld_seat WHERE upload = ?1 AND upload IS NOT NULL \
     ORDER BY place LIMIT ?2",
);
static RENEW: Sql =
    Sql::new("fld_seat.renew", "UPDATE fld_seat SET until = ?2 WHERE upload = ?1 AND upload IS NOT NULL");

/// A seat with its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// A file's id, or where a new one is to be.
    pub(crate) place: String,
    pub(crate) directory: String,
    pub(crate) seat: Seat<String>,
    pub(crate) upload: Option<String>,
    /// The holder's or the reservation's end.
    pub(crate) until: Heard,
    /// It has a row.
    is_kept: bool,
}

/// Under this a seat is kept.
pub(crate) fn name(directory: &str, seated: &Seated) -> String {
    match seated {
        Seated::File(id) => id.clone(),
        Seated::Slot { parent, slot } => format!("{directory}/{parent}/{slot}"),
    }
}

impl Place {
    /// The seat of a place as it is now: if its time was over, it was left.
    pub(crate) fn load(tx: &mut dyn Tx, cx: &mut OpCx<'_>, directory: &str, place: &str) -> OpResult<Self> {
        let Some(found) = tx.query_one(&GET, args![place])?.as_ref().map(Self::read).transpose()? else {
            return Ok(Self::empty(directory, place));
        };
        if found.until > cx.heard {
            return Ok(found);
        }
        found.lapse(tx, cx)?;
        let left = tx.query_one(&GET, args![place])?.as_ref().map(Self::read).transpose()?;
        Ok(left.unwrap_or_else(|| Self::empty(directory, place)))
    }

    fn empty(directory: &str, place: &str) -> Self {
        let (place, directory, seat) = (place.to_owned(), directory.to_owned(), Seat::default());
        Self { place, directory, seat, upload: None, until: Heard(0), is_kept: false }
    }

    pub(crate) fn read(row: &Row) -> OpResult<Self> {
        let wrong = |error| OpError::new(codes::BDETECTED, format!("who waits for {}: {error}", row.text(0)));
        let waiting: Vec<String> = serde_json::from_str(row.text(4)).map_err(wrong)?;
        let name = |column| row.opt_text(column).map(str::to_owned);
        Ok(Self {
            place: row.text(0).to_owned(),
            directory: row.text(1).to_owned(),
            seat: Seat::of(name(2), name(3), waiting),
            upload: name(5),
            until: Heard(row.int(6)),
            is_kept: true,
        })
    }

    /// Its time is over: whoever writes has left, with all that they had; or the reservation ends.
    pub(crate) fn lapse(mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<()> {
        if let Some(upload) = &self.upload {
            return upload::end(tx, cx, upload);
        }
        let _ = self.seat.lapse();
        self.until = cx.heard.plus_ms(RESERVED_MS);
        self.called_out(cx);
        self.save(tx)
    }

    /// Whoever writes is done with it or gave up.
    pub(crate) fn leave(mut self, tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<()> {
        let holder = self.seat.holder().cloned().unwrap_or_default();
        let _ = self.seat.leave(&holder);
        (self.upload, self.until) = (None, cx.heard.plus_ms(RESERVED_MS));
        self.called_out(cx);
        self.save(tx)
    }

    /// Somebody writes from now on.
    pub(crate) fn take(&mut self, client: &String, upload: &str, until: Heard) {
        self.seat.take(client);
        (self.upload, self.until) = (Some(upload.to_owned()), until);
    }

    /// It is free, but something else is not: kept for them for a moment.
    pub(crate) fn reserve(&mut self, client: &String, now: Heard) {
        if self.seat.holder().is_none() {
            self.seat.reserve(client);
            self.until = now.plus_ms(RESERVED_MS);
        }
    }

    /// Writes it down; a seat that nobody has, wants or waits for has no row.
    pub(crate) fn save(&self, tx: &mut dyn Tx) -> OpResult<()> {
        if self.seat.is_empty() {
            return if self.is_kept { Ok(tx.write(&DROP, args![&self.place])?) } else { Ok(()) };
        }
        let waiting: Vec<&String> = self.seat.waiting().collect();
        let waiting = serde_json::to_string(&waiting).unwrap_or_default();
        let (holder, reserved) = (self.seat.holder(), self.seat.reserved());
        let (upload, until) = (self.upload.as_deref(), self.until);
        Ok(tx.write(&SAVE, args![&self.place, &self.directory, holder, reserved, waiting, upload, until])?)
    }

    fn called_out(&self, cx: &mut OpCx<'_>) {
        cx.fx.wake(Hint::Changed(crate::topic(&self.directory)));
    }
}

/// Leaves the seats of an upload that nobody waits for, without looking at each: there may be hundreds.
pub(crate) fn leave_unwanted(tx: &mut dyn Tx, upload: &str) -> OpResult<()> {
    Ok(tx.write(&DROP_UNWANTED, args![upload])?)
}

/// The seats that an upload has.
pub(crate) fn of_upload(tx: &mut dyn Tx, upload: &str, most: usize) -> OpResult<Vec<Place>> {
    let rows = tx.query(&OF_UPLOAD, args![upload, many(most)], most)?;
    rows.iter().map(Place::read).collect()
}

/// They last until then.
pub(crate) fn renew(tx: &mut dyn Tx, upload: &str, until: Heard) -> OpResult<()> {
    Ok(tx.write(&RENEW, args![upload, until])?)
}
