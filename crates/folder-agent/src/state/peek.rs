//! A look into a state that a daemon is at work with: only what is asked for is read, however many files there are. Of all that is in it only
//! wishes are written.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params};

use super::{LogLine, StateError};

/// A state that is looked into.
pub struct Peek(Connection);

impl Peek {
    /// Opens it; `None` if no daemon has ever made it.
    ///
    /// # Errors
    /// SQLite refused.
    pub fn open(path: &Path) -> Result<Option<Self>, StateError> {
        if !path.exists() {
            return Ok(None);
        }
        // Not read-only: the index of a log that was left by a crash has to be made anew.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(path, flags)?;
        db.busy_timeout(Duration::from_secs(2))?;
        let is_made = db.query_row("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'log'", [], |row| row.get(0));
        Ok((is_made.unwrap_or(0) > 0).then_some(Self(db)))
    }

    /// A single value.
    ///
    /// # Errors
    /// SQLite refused.
    pub fn value(&self, name: &str) -> Result<Option<String>, StateError> {
        let found = self.0.query_row("SELECT value FROM value WHERE name = ?1", [name], |row| row.get(0));
        Ok(found.optional()?)
    }

    /// How many files both sides have had.
    ///
    /// # Errors
    /// SQLite refused.
    pub fn files(&self) -> Result<u64, StateError> {
        let count: i64 = self.0.query_row("SELECT COUNT(*) FROM synced", [], |row| row.get(0))?;
        Ok(count.cast_unsigned())
    }

    /// What cannot be kept in step, and why: some of it, and how much there is.
    ///
    /// # Errors
    /// SQLite refused.
    pub fn others(&self, limit: u32) -> Result<(Vec<(String, String)>, u64), StateError> {
        let mut statement = self.0.prepare("SELECT path, why FROM other ORDER BY path LIMIT ?1")?;
        let some = statement.query_map([limit], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        let all: i64 = self.0.query_row("SELECT COUNT(*) FROM other", [], |row| row.get(0))?;
        Ok((some, all.cast_unsigned()))
    }

    /// Asks something of the daemon.
    ///
    /// # Errors
    /// SQLite refused.
    pub fn wish(&self, wish: &str) -> Result<(), StateError> {
        self.0.execute("INSERT INTO wish (wish) VALUES (?1)", [wish])?;
        Ok(())
    }

    /// The number of the newest line of the log.
    ///
    /// # Errors
    /// SQLite refused.
    pub fn newest_line(&self) -> Result<i64, StateError> {
        Ok(self.0.query_row("SELECT COALESCE(MAX(number), 0) FROM log", [], |row| row.get(0))?)
    }

    /// Lines of the log after a number, in their order, each with its own.
    ///
    /// # Errors
    /// SQLite refused.
    pub fn lines_after(&self, number: i64, limit: u32) -> Result<Vec<(i64, LogLine)>, StateError> {
        let sql = "SELECT number, at_us, what, path, text FROM log WHERE number > ?1 ORDER BY number LIMIT ?2";
        let mut statement = self.0.prepare_cached(sql)?;
        let lines = statement.query_map(params![number, limit], |row| {
            let line = LogLine { at_us: row.get(1)?, what: row.get(2)?, path: row.get(3)?, text: row.get(4)? };
            Ok((row.get(0)?, line))
        })?;
        Ok(lines.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::State;

    #[test]
    fn fld_22_a_state_is_looked_into_while_a_daemon_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        assert!(Peek::open(&path).unwrap().is_none(), "and none is made");
        let mut state = State::open(&path).unwrap();
        let peek = Peek::open(&path).unwrap().unwrap();
        let line = |path: &str| LogLine { at_us: 7, what: "sent".into(), path: path.into(), text: "content".into() };
        state.log(line("a"));
        state.set("report", Some("{}".to_owned()));
        state.set_others(&[("pipe".to_owned(), "a FIFO".to_owned())].into());
        assert_eq!(peek.newest_line().unwrap(), 0, "what was not saved is not seen");
        state.save().unwrap();
        assert_eq!(peek.value("report").unwrap().as_deref(), Some("{}"));
        assert_eq!(peek.lines_after(0, 10).unwrap(), [(1, line("a"))]);
        assert_eq!(peek.lines_after(1, 10).unwrap(), []);
        assert_eq!(peek.others(0).unwrap(), (vec![], 1));
        peek.wish("confirm").unwrap();
        assert_eq!(state.next_wish().unwrap().as_deref(), Some("confirm"));
        assert_eq!((peek.files().unwrap(), peek.value("none").unwrap()), (0, None));
    }
}
