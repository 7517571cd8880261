//! Rows of the state, and back.

use std::collections::BTreeMap;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use super::{Begun, Changed, LOG_MAX, LogLine, Put, State, StateError, Try};
use crate::chunks::{Chunk, read_list};
use crate::disk::{Aside, Stage};
use crate::model::{Content, FileId, Hash, Remote, RemoteTree, Shared, Stat, Synced, SyncedTree, Version};

/// Reads everything.
pub(super) fn load(db: Connection) -> Result<State, StateError> {
    let remote: RemoteTree =
        all(&db, "SELECT id, parent, name, version, content_version, content, deleted, mtime_us FROM remote", remote)?;
    // Shared row by row: what is shared at the end only leaves holes in the memory, which nobody gives back.
    let synced: SyncedTree = all(
        &db,
        "SELECT id, parent, name, version, content_version, content, inode, size, mtime_ns, ctime_ns FROM synced",
        |row| {
            let (id, mut both) = synced(row)?;
            remote.get(&id).iter().for_each(|told| both.of.share_with(&told.of));
            Ok((id, both))
        },
    )?;
    let asides =
        all(&db, "SELECT path, stage, hash, size, executable, mtime_us, inode, mtime_ns, ctime_ns FROM aside", aside)?;
    let tries = all(&db, "SELECT subject, sign, try_us, ask FROM try", |row| {
        let ask = serde_json::from_str(&row.get::<_, String>(3)?);
        let ask = ask.map_err(|error| StateError::Damaged(error.to_string()))?;
        Ok((row.get(0)?, Try { sign: hash_at(row, 1)?, try_us: row.get(2)?, ask }))
    })?;
    let downloads = all(&db, "SELECT id, content_version, stage FROM download", |row| {
        Ok((id_at(row, 0)?, Begun { content_version: unsigned(row, 1)?, stage: Stage(unsigned(row, 2)?) }))
    })?;
    let values = all(&db, "SELECT name, value FROM value", |row| Ok((row.get(0)?, row.get(1)?)))?;
    let others = all(&db, "SELECT path, why FROM other", |row| Ok((row.get(0)?, row.get(1)?)))?;
    let changed = Changed::default();
    let lists = BTreeMap::new();
    Ok(State { db, remote, synced, asides, tries, downloads, values, others, lists, changed, log: vec![] })
}

fn all<K: Ord, V>(
    db: &Connection,
    sql: &str,
    read: impl Fn(&Row<'_>) -> Result<(K, V), StateError>,
) -> Result<BTreeMap<K, V>, StateError> {
    let mut statement = db.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut found = vec![];
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    // A map that is made of all at once takes a third less room than one that grew.
    Ok(found.into_iter().collect())
}

fn remote(row: &Row<'_>) -> Result<(FileId, Remote), StateError> {
    Ok((id_at(row, 0)?, Remote { of: version(row)?, deleted: row.get(6)?, mtime_us: row.get(7)? }))
}

fn synced(row: &Row<'_>) -> Result<(FileId, Synced), StateError> {
    let stat = Stat { inode: unsigned(row, 6)?, size: unsigned(row, 7)?, mtime_ns: row.get(8)?, ctime_ns: row.get(9)? };
    Ok((id_at(row, 0)?, Synced { of: version(row)?, stat }))
}

fn version(row: &Row<'_>) -> Result<Shared, StateError> {
    let version = Version {
        parent: id_at(row, 1)?,
        name: row.get(2)?,
        version: unsigned(row, 3)?,
        content_version: unsigned(row, 4)?,
        content: content_at(row, 5)?,
    };
    Ok(version.into())
}

fn aside(row: &Row<'_>) -> Result<(String, Put), StateError> {
    let size = unsigned(row, 3)?;
    let stat = Stat { inode: unsigned(row, 6)?, size, mtime_ns: row.get(7)?, ctime_ns: row.get(8)? };
    let aside = Aside { stat, hash: hash_at(row, 2)?, size, executable: row.get(4)?, mtime_us: row.get(5)? };
    Ok((row.get(0)?, Put { stage: Stage(unsigned(row, 1)?), aside }))
}

/// Whole numbers of SQLite have a sign; ours are bits.
fn unsigned(row: &Row<'_>, place: usize) -> Result<u64, StateError> {
    Ok(row.get::<_, i64>(place)?.cast_unsigned())
}

fn signed(number: u64) -> i64 {
    number.cast_signed()
}

fn id_at(row: &Row<'_>, place: usize) -> Result<FileId, StateError> {
    let bytes: Vec<u8> = row.get(place)?;
    let bytes: [u8; 16] = bytes.try_into().map_err(|_| StateError::Damaged("an id has not 16 bytes".to_owned()))?;
    Ok(FileId(u128::from_be_bytes(bytes)))
}

fn hash_at(row: &Row<'_>, place: usize) -> Result<Hash, StateError> {
    let bytes: Vec<u8> = row.get(place)?;
    bytes.try_into().map_err(|_| StateError::Damaged("a hash has not 32 bytes".to_owned()))
}

fn content_at(row: &Row<'_>, place: usize) -> Result<Content, StateError> {
    let text: String = row.get(place)?;
    read_content(&text).ok_or_else(|| StateError::Damaged(format!("`{text}` is no content")))
}

/// `d`, `l target`, or `f size x hash`.
fn content_text(content: &Content) -> String {
    match content {
        Content::Folder => "d".to_owned(),
        Content::Symlink(target) => format!("l {target}"),
        Content::File { hash, size, executable } => {
            let hash = hash.map(|hash| base::Sha(hash).to_string()).unwrap_or_default();
            format!("f {size} {} {hash}", if *executable { "x" } else { "-" })
        }
    }
}

fn read_content(text: &str) -> Option<Content> {
    match text.split_at_checked(2) {
        None if text == "d" => Some(Content::Folder),
        Some(("l ", target)) => Some(Content::Symlink(target.to_owned())),
        Some(("f ", rest)) => {
            let mut parts = rest.split(' ');
            let size = parts.next()?.parse().ok()?;
            let executable = parts.next()? == "x";
            let hash = match parts.next()? {
                "" => None,
                hex => Some(hex.parse::<base::Sha>().ok()?.0),
            };
            Some(Content::File { hash, size, executable })
        }
        _ => None,
    }
}

fn id_bytes(id: FileId) -> Vec<u8> {
    id.0.to_be_bytes().to_vec()
}

impl State {
    /// Writes everything that changed, together.
    ///
    /// # Errors
    /// SQLite refused: nothing of it was written, and the next save tries again.
    pub fn save(&mut self) -> Result<(), StateError> {
        let Changed { remote, synced, asides, tries, downloads, values, others } = &self.changed;
        let is_empty = remote.is_empty()
            && synced.is_empty()
            && asides.is_empty()
            && tries.is_empty()
            && downloads.is_empty()
            && values.is_empty()
            && self.lists.is_empty();
        if is_empty && !others && self.log.is_empty() {
            return Ok(());
        }
        let db = self.db.unchecked_transaction()?;
        self.write_trees(&db)?;
        self.write_rest(&db)?;
        write_log(&db, &self.log)?;
        db.commit()?;
        self.changed = Changed::default();
        self.log.clear();
        self.lists.clear();
        Ok(())
    }

    /// The chunks of a large content, where they are known.
    ///
    /// # Errors
    /// SQLite refused.
    pub(crate) fn chunks(&self, hash: &Hash) -> Result<Option<Vec<Chunk>>, StateError> {
        if let Some(list) = self.lists.get(hash) {
            return Ok(Some(read_list(list)));
        }
        let mut statement = self.db.prepare_cached("SELECT list FROM chunks WHERE hash = ?1")?;
        let list = statement.query_row([hash.to_vec()], |row| row.get::<_, Vec<u8>>(0)).optional()?;
        Ok(list.map(|list| read_list(&list)))
    }

    /// Forgets the chunks of contents that nothing refers to any more.
    ///
    /// # Errors
    /// SQLite refused.
    pub(crate) fn prune_chunks(&mut self) -> Result<(), StateError> {
        let kept = self.contents();
        self.lists.retain(|hash, _| kept.contains(hash));
        let mut statement = self.db.prepare("SELECT hash FROM chunks")?;
        let hashes = statement.query_map([], |row| row.get::<_, Vec<u8>>(0))?.collect::<Result<Vec<_>, _>>()?;
        let is_kept = |hash: &Vec<u8>| hash.as_slice().try_into().is_ok_and(|hash: Hash| kept.contains(&hash));
        for hash in hashes.iter().filter(|hash| !is_kept(hash)) {
            self.db.execute("DELETE FROM chunks WHERE hash = ?1", [hash])?;
        }
        Ok(())
    }

    fn write_trees(&self, db: &Transaction<'_>) -> Result<(), StateError> {
        let mut put = db.prepare_cached("INSERT OR REPLACE INTO remote VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
        let mut drop = db.prepare_cached("DELETE FROM remote WHERE id = ?1")?;
        for id in &self.changed.remote {
            let Some(told) = self.remote.get(id) else {
                drop.execute([id_bytes(*id)])?;
                continue;
            };
            put.execute(params![
                id_bytes(*id),
                id_bytes(told.parent),
                told.name,
                signed(told.version),
                signed(told.content_version),
                told.deleted,
                content_text(&told.content),
                told.mtime_us
            ])?;
        }
        let mut put =
            db.prepare_cached("INSERT OR REPLACE INTO synced VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?;
        let mut drop = db.prepare_cached("DELETE FROM synced WHERE id = ?1")?;
        for id in &self.changed.synced {
            let Some(both) = self.synced.get(id) else {
                drop.execute([id_bytes(*id)])?;
                continue;
            };
            put.execute(params![
                id_bytes(*id),
                id_bytes(both.parent),
                both.name,
                signed(both.version),
                signed(both.content_version),
                content_text(&both.content),
                signed(both.stat.inode),
                signed(both.stat.size),
                both.stat.mtime_ns,
                both.stat.ctime_ns
            ])?;
        }
        Ok(())
    }

    fn write_rest(&self, db: &Transaction<'_>) -> Result<(), StateError> {
        for path in &self.changed.asides {
            let Some(Put { stage, aside }) = self.asides.get(path) else {
                db.prepare_cached("DELETE FROM aside WHERE path = ?1")?.execute([path])?;
                continue;
            };
            db.prepare_cached("INSERT OR REPLACE INTO aside VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?.execute(
                params![
                    path,
                    signed(stage.0),
                    aside.hash.to_vec(),
                    signed(aside.size),
                    aside.executable,
                    aside.mtime_us,
                    signed(aside.stat.inode),
                    aside.stat.mtime_ns,
                    aside.stat.ctime_ns
                ],
            )?;
        }
        for subject in &self.changed.tries {
            let row = self.tries.get(subject).map(|begun| {
                let ask = serde_json::to_string(&begun.ask).unwrap_or_default();
                vec![Value::Blob(begun.sign.to_vec()), Value::Integer(begun.try_us), Value::Text(ask)]
            });
            put_or_drop(db, "try", "subject", Value::Text(subject.clone()), row)?;
        }
        for id in &self.changed.downloads {
            let row = self.downloads.get(id).map(|begun| [signed(begun.content_version), signed(begun.stage.0)]);
            let row = row.map(|row| row.map(Value::Integer).to_vec());
            put_or_drop(db, "download", "id", Value::Blob(id_bytes(*id)), row)?;
        }
        for name in &self.changed.values {
            let row = self.values.get(name).map(|value| vec![Value::Text(value.clone())]);
            put_or_drop(db, "value", "name", Value::Text(name.clone()), row)?;
        }
        for (hash, list) in &self.lists {
            put_or_drop(db, "chunks", "hash", Value::Blob(hash.to_vec()), Some(vec![Value::Blob(list.clone())]))?;
        }
        if self.changed.others {
            db.execute("DELETE FROM other", [])?;
            for (path, why) in &self.others {
                db.prepare_cached("INSERT INTO other VALUES (?1, ?2)")?.execute([path, why])?;
            }
        }
        Ok(())
    }

    /// Remembers what is about to be done to this disk; everything else that changed is saved with it.
    ///
    /// # Errors
    /// SQLite refused.
    pub(crate) fn save_intents(&mut self, steps: &[String]) -> Result<(), StateError> {
        self.save()?;
        let db = self.db.unchecked_transaction()?;
        for step in steps {
            db.prepare_cached("INSERT INTO intent (step) VALUES (?1)")?.execute([step])?;
        }
        Ok(db.commit()?)
    }

    /// What was about to be done when the daemon died, in its order.
    ///
    /// # Errors
    /// SQLite refused.
    pub(crate) fn intents(&self) -> Result<Vec<String>, StateError> {
        let mut statement = self.db.prepare("SELECT step FROM intent ORDER BY number")?;
        let steps = statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
        Ok(steps)
    }

    /// All that was intended was done or given up.
    ///
    /// # Errors
    /// SQLite refused.
    pub(crate) fn save_and_clear_intents(&mut self) -> Result<(), StateError> {
        self.save()?;
        self.db.execute("DELETE FROM intent", [])?;
        Ok(())
    }

    /// The newest lines of the log, of one path if it is given.
    ///
    /// # Errors
    /// SQLite refused.
    pub fn lines(&self, path: Option<&str>, limit: u32) -> Result<Vec<LogLine>, StateError> {
        let sql = "SELECT at_us, what, path, text FROM log WHERE ?1 IS NULL OR path = ?1 ORDER BY number DESC LIMIT ?2";
        let mut statement = self.db.prepare(sql)?;
        let line =
            |row: &Row<'_>| Ok(LogLine { at_us: row.get(0)?, what: row.get(1)?, path: row.get(2)?, text: row.get(3)? });
        let lines = statement.query_map(params![path, limit], line)?.collect::<Result<Vec<_>, _>>()?;
        Ok(lines)
    }

    /// Asks something of the daemon, which may be another process.
    ///
    /// # Errors
    /// SQLite refused.
    pub fn wish(&self, wish: &str) -> Result<(), StateError> {
        self.db.execute("INSERT INTO wish (wish) VALUES (?1)", [wish])?;
        Ok(())
    }

    /// Takes the next wish of a person.
    ///
    /// # Errors
    /// SQLite refused.
    pub(crate) fn next_wish(&self) -> Result<Option<String>, StateError> {
        let found = self.db.query_row("SELECT number, wish FROM wish ORDER BY number LIMIT 1", [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        });
        let Some((number, wish)) = found.optional()? else { return Ok(None) };
        self.db.execute("DELETE FROM wish WHERE number = ?1", [number])?;
        Ok(Some(wish))
    }
}

fn put_or_drop(
    db: &Transaction<'_>,
    table: &str,
    key: &str,
    subject: Value,
    row: Option<Vec<Value>>,
) -> Result<(), StateError> {
    let Some(row) = row else {
        db.prepare_cached(&format!("DELETE FROM {table} WHERE {key} = ?1"))?.execute([subject])?;
        return Ok(());
    };
    let places: Vec<String> = (1..=row.len() + 1).map(|place| format!("?{place}")).collect();
    let sql = format!("INSERT OR REPLACE INTO {table} VALUES ({})", places.join(", "));
    let values = std::iter::once(subject).chain(row);
    db.prepare_cached(&sql)?.execute(rusqlite::params_from_iter(values))?;
    Ok(())
}

fn write_log(db: &Transaction<'_>, lines: &[LogLine]) -> Result<(), StateError> {
    for line in lines {
        db.prepare_cached("INSERT INTO log (at_us, what, path, text) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![line.at_us, line.what, line.path, line.text])?;
    }
    if !lines.is_empty() {
        let sql = "DELETE FROM log WHERE number <= (SELECT MAX(number) FROM log) - ?1";
        db.prepare_cached(sql)?.execute([LOG_MAX])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_read_back_as_they_were_written() {
        let file = |hash, executable| Content::File { hash, size: 7, executable };
        for content in [
            Content::Folder,
            Content::Symlink("a b/../c".to_owned()),
            Content::Symlink(String::new()),
            file(None, false),
            file(Some([7; 32]), true),
        ] {
            assert_eq!(read_content(&content_text(&content)), Some(content));
        }
        assert_eq!(read_content("f x"), None);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "damage is done with the plain calls")]
    fn fld_13_a_damaged_state_is_put_aside_and_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        std::fs::write(&path, vec![7; 10_000]).unwrap();
        assert!(State::open(&path).is_err());
        let mut state = State::open_or_begin(&path).unwrap();
        assert!(state.synced().is_empty() && folder.path().join("state.db.damaged").exists());
        state.save().unwrap();
        assert!(state.lines(None, 1).unwrap()[0].text.contains("damaged"));
        State::open_or_begin(&path).unwrap();
    }

    #[test]
    fn fld_21_chunks_of_contents_that_nothing_refers_to_are_forgotten() {
        let mut state = State::in_memory().unwrap();
        let chunks = [Chunk { offset: 0, size: 5, digest: [1; 32] }, Chunk { offset: 5, size: 7, digest: [2; 32] }];
        let stat = Stat { inode: 1, size: 12, mtime_ns: 1, ctime_ns: 1 };
        let aside = Aside { stat, hash: [8; 32], size: 12, executable: false, mtime_us: 0 };
        state.put_aside("a", Put { stage: Stage(1), aside });
        [[8; 32], [9; 32]].iter().for_each(|hash| state.put_chunks(*hash, &chunks));
        assert_eq!(state.chunks(&[9; 32]).unwrap().unwrap(), chunks);
        state.save().unwrap();
        assert_eq!(state.chunks(&[9; 32]).unwrap().unwrap(), chunks);
        state.prune_chunks().unwrap();
        assert_eq!(state.chunks(&[8; 32]).unwrap().unwrap(), chunks);
        assert_eq!(state.chunks(&[9; 32]).unwrap(), None);
    }

    #[test]
    fn fld_22_what_was_saved_is_there_again_and_what_was_not_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut state = State::open(&path).unwrap();
        let stat = Stat { inode: u64::MAX, size: 3, mtime_ns: -1, ctime_ns: 5 };
        let content = Content::File { hash: Some([1; 32]), size: 3, executable: false };
        let (parent, name) = (FileId::TOP, "a".into());
        let of = Shared::from(Version { parent, name, version: 2, content_version: 1, content });
        let told = Remote { of: of.clone(), deleted: false, mtime_us: Some(-4) };
        let both = Synced { of, stat };
        let aside = Aside { stat, hash: [1; 32], size: 3, executable: true, mtime_us: 9 };
        state.put_remote(FileId(5), told);
        state.put_synced(FileId(5), both);
        state.put_aside("a", Put { stage: Stage(1), aside });
        let ask = crate::plan::Ask {
            id: Some(FileId(5)),
            path: "a".into(),
            base: 1,
            deleted: false,
            content: Content::File { hash: Some([3; 32]), size: 3, executable: true },
            content_changed: true,
            stat: Some(stat),
        };
        state.put_try("a", Try { sign: [2; 32], try_us: 8, ask });
        state.put_download(FileId(5), Some(Begun { content_version: 2, stage: Stage(4) }));
        state.set("epoch", Some("e".to_owned()));
        state.save().unwrap();
        state.drop_synced(FileId(5));
        let again = State::open(&path).unwrap();
        assert_eq!((again.remote(), again.asides()), (state.remote(), state.asides()));
        assert_eq!(again.synced().len(), 1, "not saved");
        assert_eq!((again.try_of("a"), again.value("epoch")), (state.try_of("a"), Some("e")));
        assert_eq!(again.download(FileId(5)), state.download(FileId(5)));
    }
}
