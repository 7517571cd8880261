//! Errors of Firebird by what they say.
//!
//! The client gives the texts of the server's status vector, but not its numbers. Those that matter here are found again by how their
//! first line begins; a text that is not in this table has the number that the server gave as SQLCODE, if it did.

use super::ErrorKind;

/// How a line begins, its gdscode, and what it means. Those that say most stand first: a deadlock begins with `deadlock` and says
/// below why.
const TABLE: [(&str, i64, ErrorKind); 29] = [
    ("deadlock", 335_544_336, ErrorKind::Locked),
    ("lock conflict on no wait transaction", 335_544_345, ErrorKind::Locked),
    ("lock time-out on wait transaction", 335_544_510, ErrorKind::Locked),
    ("update conflicts with concurrent update", 335_544_451, ErrorKind::Locked),
    ("violation of PRIMARY or UNIQUE KEY constraint", 335_544_665, ErrorKind::Duplicate),
    ("attempt to store duplicate value", 335_544_349, ErrorKind::Duplicate),
    ("violation of FOREIGN KEY constraint", 335_544_466, ErrorKind::Wrong),
    ("Operation violates CHECK constraint", 335_544_558, ErrorKind::Wrong),
    ("validation error for", 335_544_347, ErrorKind::Wrong),
    ("exception ", 335_544_517, ErrorKind::Wrong),
    ("arithmetic exception, numeric overflow, or string truncation", 335_544_321, ErrorKind::Wrong),
    ("conversion error from string", 335_544_334, ErrorKind::Wrong),
    ("Dynamic SQL Error", 335_544_569, ErrorKind::Wrong),
    ("no permission for", 335_544_352, ErrorKind::Wrong),
    ("unsuccessful metadata update", 335_544_351, ErrorKind::Wrong),
    ("attempted update during read-only transaction", 335_544_361, ErrorKind::Wrong),
    ("string right truncation", 335_544_914, ErrorKind::Wrong),
    ("numeric value is out of range", 335_544_916, ErrorKind::Wrong),
    ("Integer divide by zero", 335_544_778, ErrorKind::Wrong),
    ("Integer overflow", 335_544_779, ErrorKind::Wrong),
    ("multiple rows in singleton select", 335_544_652, ErrorKind::Wrong),
    ("Unable to complete network request", 335_544_721, ErrorKind::Lost),
    ("Error reading data from the connection", 335_544_726, ErrorKind::Lost),
    ("Error writing data to the connection", 335_544_727, ErrorKind::Lost),
    ("connection lost to database", 335_544_741, ErrorKind::Lost),
    ("connection shutdown", 335_544_856, ErrorKind::Lost),
    ("invalid database handle", 335_544_324, ErrorKind::Lost),
    ("invalid transaction handle", 335_544_332, ErrorKind::Lost),
    ("I/O error", IO_ERROR, ErrorKind::Lost),
];
const IO_ERROR: i64 = 335_544_344;
/// What systems say below it of a disk that is full.
const FULL: [&str; 2] = ["No space left on device", "not enough space on the disk"];

/// What Firebird's words mean, and their number.
pub(super) fn judge(text: &str, sqlcode: i32) -> (ErrorKind, Option<i64>) {
    // A lock is told in any line: over a duplicate key it says that the other one is not committed yet.
    let lines = || text.lines().map(str::trim);
    let found = |wanted: fn(ErrorKind) -> bool| {
        lines().find_map(|line| TABLE.iter().find(|(begin, _, kind)| wanted(*kind) && line.starts_with(begin)))
    };
    let judged = found(|kind| kind == ErrorKind::Locked).or_else(|| found(|kind| kind == ErrorKind::Lost));
    let own = (sqlcode != UNKNOWN_SQLCODE).then(|| i64::from(sqlcode));
    match judged.or_else(|| found(|_| true)) {
        Some((_, IO_ERROR, ErrorKind::Lost)) if FULL.iter().any(|full| text.contains(full)) => {
            (ErrorKind::Machine, Some(IO_ERROR))
        }
        Some((_, code, kind)) => (*kind, Some(*code)),
        None => (ErrorKind::Wrong, own),
    }
}

/// What the client gives when the server told none.
const UNKNOWN_SQLCODE: i32 = -1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exc_25_firebirds_words_have_their_numbers() {
        let deadlock = "deadlock\nupdate conflicts with concurrent update\nconcurrent transaction number is 12";
        assert_eq!(judge(deadlock, -1), (ErrorKind::Locked, Some(335_544_336)));
        let unique = "violation of PRIMARY or UNIQUE KEY constraint 'INTEG_2' on table 'A'\nProblematic key value is (\"X\" = 1)";
        assert_eq!(judge(unique, -1), (ErrorKind::Duplicate, Some(335_544_665)));
        let waiting = format!("lock conflict on no wait transaction\n{unique}");
        assert_eq!(judge(&waiting, -1).0, ErrorKind::Locked, "the other one is not committed");
        assert_eq!(judge("exception 1\nE_STOCK\nno stock", -1), (ErrorKind::Wrong, Some(335_544_517)));
        let io = "I/O error during \"write\" operation for file \"/db/erp.fdb\"\nError while trying to write to file";
        assert_eq!(judge(io, -902), (ErrorKind::Lost, Some(335_544_344)));
        let full = format!("{io}\nNo space left on device");
        assert_eq!(judge(&full, -902), (ErrorKind::Machine, Some(335_544_344)), "no message's fault");
        assert_eq!(judge("something new", -902), (ErrorKind::Wrong, Some(-902)));
        assert_eq!(judge("something new", -1), (ErrorKind::Wrong, None));
    }
}
