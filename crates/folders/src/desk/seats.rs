//! Seats as rows: loaded, changed by the pure [`Seat`], saved (FLD-6).
//!
//! A seat whose time is over in listening time is left by whoever touches it first; somebody also looks for those that nobody touches.
//! Whoever waits is told by the directory's topic: seats wake nobody by name. The time of a seat that is held is its upload's: one row is renewed,
//! however many files a group has.

use base::{Heard, OpError, OpResult, Row, Sql, Tx, args, codes};
use kernel::{Hint, OpCx};

use super::numbers::many;
use super::upload;
use crate::plan::Seated;
use crate::seat::Seat;

/// How long a seat is kept for somebody who is told that it is free.
pub(crate) const RESERVED_MS: i64 = 5_000;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&GET, &SAVE, &DROP, &DROP_UNWANTED, &OF_UPLOAD];

/// Seats as [`Place::read`] takes them. One without its upload, which never is, is over.
macro_rules! seats {
    () => {
        "SELECT s.place, s.directory, s.holder, s.reserved, s.waiting, s.upload, \
         CASE WHEN s.upload IS NULL THEN s.until ELSE COALESCE(u.until, 0) END \
         FROM fld_seat s LEFT JOIN fld_upload u ON u.id = s.upload"
    };
}
pub(crate) use seats;

static GET: Sql = Sql::new("fld_seat.get", concat!(seats!(), " WHERE s.place = ?1"));
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
    concat!(seats!(), " WHERE s.upload = ?1 AND s.upload IS NOT NULL ORDER BY s.place LIMIT ?2"),
);
/// The time of a seat that is held, in its own row: nobody looks for it there.
const OF_ITS_UPLOAD: Heard = Heard(i64::MAX);

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
    /// Its holder writes something else there: two groups of one client that both need a folder which is not there yet.
    pub(crate) is_busy: bool,
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
        Self { place, directory, seat, upload: None, until: Heard(0), is_kept: false, is_busy: false }
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
            is_busy: false,
        })
    }

    /// Whether somebody may have it now.
    pub(crate) fn is_free_for(&self, client: &String) -> bool {
        self.seat.is_free_for(client) && !self.is_busy
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

    /// Somebody asked in vain. Whoever has it does not wait for themselves: they are told like all others.
    pub(crate) fn wait(&mut self, client: &String) {
        if self.seat.holder() != Some(client) {
            self.seat.wait(client);
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
        let upload = self.upload.as_deref();
        let until = if upload.is_some() { OF_ITS_UPLOAD } else { self.until };
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
