//! Damage in the middle of a write-ahead log (cell D10).
//!
//! SQLite reads a log up to the first frame whose checksum is wrong and takes the rest for never written. That is right
//! after a crash, where the last transaction may be half there. It is wrong when an older frame was damaged later: then
//! what follows was acknowledged, and would be dropped without a word.
//!
//! The two can be told apart. A commit is synced before the next transaction writes its first frame; so a commit that is
//! followed by another frame of the same log had been acknowledged. If a wrong frame stands before such a commit, the log
//! is damaged. Damage within the last transaction cannot be told from a crash.
#![expect(clippy::disallowed_methods, reason = "an engine owns the files beside its database")]

use std::fs;
use std::path::Path;

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
const MAGIC: u32 = 0x377F_0682;

/// Says so if acknowledged commits in the log of this database cannot be read any more. Nobody may be writing it. A log
/// that is not there, or is empty, is in order.
#[must_use]
pub fn find_wal_damage(database: &Path) -> Option<String> {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    let bytes = fs::read(Path::new(&name)).ok()?;
    let lost = lost_commits(&bytes)?;
    Some(format!("{}: damaged before {lost} commits that had been acknowledged", Path::new(&name).display()))
}

/// How many commits that were followed by another frame stand behind a wrong frame.
fn lost_commits(bytes: &[u8]) -> Option<usize> {
    let log = Log::read(bytes)?;
    let frames: Vec<Frame> = log.frames(bytes).collect();
    // A frame of an older log is where this one ends.
    let wrong = frames.iter().position(|frame| !frame.is_good).filter(|wrong| frames[*wrong].is_ours)?;
    let behind = &frames[wrong..];
    let last = behind.iter().rposition(|frame| frame.is_ours)?;
    let commits = behind[..last].iter().filter(|frame| frame.is_ours && frame.is_commit).count();
    (commits > 0).then_some(commits)
}

/// What the head of a log says.
struct Log {
    page_bytes: usize,
    salts: [u8; 8],
    is_big: bool,
    sums: (u32, u32),
}

struct Frame {
    /// Of this log, not of an earlier one in the same file.
    is_ours: bool,
    is_commit: bool,
    /// Its checksum is that of itself and all before it.
    is_good: bool,
}

impl Log {
    fn read(bytes: &[u8]) -> Option<Self> {
        let head = bytes.get(..HEADER)?;
        let magic = number(head, 0);
        let page_bytes = usize::try_from(number(head, 8)).ok().filter(|bytes| (512..=65_536).contains(bytes))?;
        let is_big = magic & 1 == 1;
        let sums = sum(is_big, (0, 0), &head[..24]);
        let is_log = magic & !1 == MAGIC && sums == (number(head, 24), number(head, 28));
        is_log.then(|| Self { page_bytes, salts: head[16..24].try_into().unwrap_or_default(), is_big, sums })
    }

    fn frames<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = Frame> + 'a {
        let mut sums = Some(self.sums);
        bytes[HEADER..].chunks_exact(FRAME_HEADER + self.page_bytes).map(move |frame| {
            let (head, page) = frame.split_at(FRAME_HEADER);
            let is_ours = head[8..16] == self.salts;
            let next = sums.map(|sums| sum(self.is_big, sum(self.is_big, sums, &head[..8]), page));
            sums = next.filter(|sums| is_ours && *sums == (number(head, 16), number(head, 20)));
            Frame { is_ours, is_commit: number(head, 4) != 0, is_good: sums.is_some() }
        })
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// SQLite's checksum of a log: two running sums over pairs of words in the byte order that the log names.
fn sum(is_big: bool, sums: (u32, u32), bytes: &[u8]) -> (u32, u32) {
    let word = |bytes: &[u8]| {
        let word = number(bytes, 0);
        if is_big { word } else { word.swap_bytes() }
    };
    bytes.chunks_exact(8).fold(sums, |(first, second), pair| {
        let first = first.wrapping_add(word(pair)).wrapping_add(second);
        (first, second.wrapping_add(word(&pair[4..])).wrapping_add(first))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    /// A log of ten commits that nobody has checkpointed.
    fn log() -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let store = Connection::open(&path).unwrap();
        store.pragma_update(None, "journal_mode", "WAL").unwrap();
        store.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        store.execute_batch("CREATE TABLE t (a)").unwrap();
        (0..9).for_each(|number| assert_eq!(store.execute("INSERT INTO t VALUES (?1)", [number]), Ok(1)));
        assert_eq!(find_wal_damage(&path), None);
        fs::read(folder.path().join("a.db-wal")).unwrap()
    }

    #[test]
    fn ker_41_a_good_log_and_one_cut_anywhere_are_in_order() {
        let log = log();
        assert_eq!(lost_commits(&log), None);
        for length in (0..log.len()).step_by(997) {
            assert_eq!(lost_commits(&log[..length]), None, "cut at {length}");
        }
    }

    #[test]
    fn ker_41_a_bit_flipped_before_acknowledged_commits_is_found() {
        let log = log();
        let frame = FRAME_HEADER + 4096;
        let frames = (log.len() - HEADER) / frame;
        let lost = |at: usize| {
            let mut bad = log.clone();
            bad[at] ^= 1;
            lost_commits(&bad)
        };
        for number in 0..frames - 2 {
            let at = HEADER + number * frame;
            assert!(lost(at + FRAME_HEADER + 100).is_some(), "page of frame {number}");
            assert!(lost(at + 17).is_some(), "checksum of frame {number}");
        }
        assert_eq!(lost(HEADER + (frames - 1) * frame + 30), None, "the last may have been half written");
    }

    #[test]
    fn ker_41_a_transaction_that_a_power_cut_left_with_holes_is_in_order() {
        let mut log = log();
        // Every page of one long transaction at the end is there but the first.
        let frame = FRAME_HEADER + 4096;
        let frames = (log.len() - HEADER) / frame;
        for number in frames - 3..frames - 1 {
            let at = HEADER + number * frame;
            log[at + 4..at + 8].copy_from_slice(&[0; 4]);
        }
        assert_eq!(lost_commits(&log), None, "no commit before the last frame");
    }
}
