//! Reads what the server left, without it: the ledger, the processes, the folders.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use rusqlite::{Connection, OpenFlags};

use crate::check::violation;

/// Whether every message's file lies where it belongs; asked while the server runs.
pub(super) fn is_laid(store: &Path) -> Result<bool> {
    let open: i64 =
        open(store)?.query_row("SELECT COUNT(*) FROM exc_message WHERE due IS NOT NULL", [], |row| row.get(0))?;
    Ok(open == 0)
}

fn open(store: &Path) -> Result<Connection> {
    Ok(Connection::open_with_flags(store, OpenFlags::SQLITE_OPEN_READ_ONLY)?)
}

/// Judges; how many messages there are.
///
/// # Errors
/// A promise was broken.
pub(super) fn judge(store: &Path, folders: &Path) -> Result<usize> {
    let store = open(store)?;
    let open: i64 = store.query_row("SELECT COUNT(*) FROM exc_process WHERE state <> 'ENDED'", [], |row| row.get(0))?;
    ensure!(open == 0, violation(format!("{open} processes have not ended")));
    judge_ledger(&store)?;
    judge_folders(&store, folders)
}

/// At rest nothing is in process, and what was received is somewhere.
fn judge_ledger(store: &Connection) -> Result<()> {
    let sql = "SELECT d.id, d.received, d.queued, d.in_process, d.log, d.error, d.unknown, d.removed, \
               (SELECT COUNT(*) FROM exc_message m WHERE m.db = d.id AND m.place = 'log'), \
               (SELECT COUNT(*) FROM exc_message m WHERE m.db = d.id AND m.place = 'messages') FROM exc_database d";
    let mut statement = store.prepare(sql)?;
    let rows = statement.query_map([], |row| {
        let counts: Vec<i64> = (1..10).map(|column| row.get(column)).collect::<Result<_, _>>()?;
        Ok((row.get::<_, String>(0)?, counts))
    })?;
    for row in rows {
        let (db, counts) = row?;
        let [received, queued, in_process, log, error, unknown, removed, in_log, in_queue] = counts[..] else {
            anyhow::bail!("nine counts");
        };
        let balances = received == queued + in_process + log + error + unknown + removed;
        let true_to_rows = (log, queued) == (in_log, in_queue) && (in_process, error, unknown) == (0, 0, 0);
        ensure!(balances && true_to_rows, violation(format!("the ledger of {db} is {counts:?}")));
    }
    Ok(())
}

/// Every message has its file where its row says, and there are no others.
fn judge_folders(store: &Connection, folders: &Path) -> Result<usize> {
    let mut statement = store.prepare("SELECT number, db, place, size FROM exc_message ORDER BY number")?;
    let rows = statement.query_map([], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?, row.get::<_, i64>(3)?))
    })?;
    let mut found = files(folders)?;
    let mut count = 0;
    for row in rows {
        let (number, db, place, size) = row?;
        let is_its = |file: &(String, String, String, u64)| {
            file.0 == db
                && file.1.eq_ignore_ascii_case(&place)
                && file.2.split('~').nth(1) == Some(&format!("{number:015}"))
        };
        let at = found.iter().position(is_its);
        let text = || violation(format!("message {number} of {db} has no file in {place}"));
        let file = found.swap_remove(at.with_context(text)?);
        ensure!(i64::try_from(file.3).ok() == Some(size), violation(format!("{file:?} is not {size} bytes")));
        count += 1;
    }
    ensure!(found.is_empty(), violation(format!("files of no message: {found:?}")));
    Ok(count)
}

/// Database, folder, name and size of each file.
fn files(folders: &Path) -> Result<Vec<(String, String, String, u64)>> {
    let mut found = vec![];
    let name = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    for db in std::fs::read_dir(folders)? {
        let db = db?;
        // Beside the folders lies the number by which the server knows them.
        if !db.file_type()?.is_dir() {
            continue;
        }
        for folder in std::fs::read_dir(db.path())? {
            let folder = folder?;
            for file in std::fs::read_dir(folder.path())? {
                let file = file?;
                found.push((name(&db), name(&folder), name(&file), file.metadata()?.len()));
            }
        }
    }
    Ok(found)
}
