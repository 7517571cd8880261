//! What must hold after every commit.

use std::collections::{BTreeMap, BTreeSet};

use base::{Sha, Sql, StoreResult, Tx, args};
use kernel::{Invariant, Violation};

/// What holds.
pub(crate) static INVARIANTS: [Invariant; 9] = [
    Invariant { name: "a slot has one living file", check: |tx| found(tx, &SLOTS, "a slot has two living files") },
    Invariant {
        name: "what lives is in a living folder",
        check: |tx| found(tx, &ORPHANS, "a living file is in no living folder of its directory"),
    },
    Invariant {
        name: "a file is its newest version",
        check: |tx| found(tx, &NEWEST, "a file has no version like it, or a newer one"),
    },
    Invariant {
        name: "no commit is ahead of its directory",
        check: |tx| found(tx, &AHEAD, "a file is ahead of its directory"),
    },
    Invariant {
        name: "the bytes of a directory are the sum of what is in it",
        check: |tx| found(tx, &BYTES, "the bytes of a directory are not the sum"),
    },
    Invariant {
        name: "a content is counted by the versions that have it",
        check: |tx| found(tx, &CONTENTS, "a content is counted wrongly"),
    },
    Invariant { name: "a segment is counted by the contents that have it", check: segments },
    Invariant {
        name: "whoever writes has an upload",
        check: |tx| found(tx, &HOLDERS, "a seat's holder has no upload"),
    },
    Invariant {
        name: "nobody waits for a seat that nobody has",
        check: |tx| found(tx, &WAITING, "somebody waits for a seat that is nobody's"),
    },
];

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] =
    &[&SLOTS, &ORPHANS, &NEWEST, &AHEAD, &BYTES, &CONTENTS, &HOLDERS, &WAITING, &ALL_CONTENTS, &ALL_SEGMENTS];

static SLOTS: Sql = Sql::new(
    "fld_file.check_slots",
    "SELECT directory, slot FROM fld_file WHERE deleted = 0 GROUP BY directory, parent, slot HAVING COUNT(*) > 1 ORDER BY directory, slot LIMIT 10",
);
static ORPHANS: Sql = Sql::new(
    "fld_file.check_parents",
    "SELECT f.directory, f.id FROM fld_file f JOIN fld_directory d ON d.id = f.directory AND d.gone = 0 LEFT JOIN fld_file p ON p.id = f.parent WHERE f.deleted = 0 AND f.parent <> '' \
     AND (p.id IS NULL OR p.deleted = 1 OR p.kind <> 'FOLDER' OR p.directory <> f.directory) ORDER BY f.id LIMIT 10",
);
static NEWEST: Sql = Sql::new(
    "fld_version.check_newest",
    "SELECT f.directory, f.id FROM fld_file f LEFT JOIN fld_version v ON v.file = f.id AND v.version = f.version \
     JOIN fld_directory d ON d.id = f.directory WHERE d.gone = 0 AND (v.file IS NULL OR v.seq <> f.seq OR v.deleted <> f.deleted \
     OR v.parent <> f.parent OR v.name <> f.name OR COALESCE(v.content, '') <> COALESCE(f.content, '') \
     OR EXISTS (SELECT 1 FROM fld_version w WHERE w.file = f.id AND w.version > f.version)) ORDER BY f.id LIMIT 10",
);
static AHEAD: Sql = Sql::new(
    "fld_file.check_seq",
    "SELECT f.directory, f.id FROM fld_file f JOIN fld_directory d ON d.id = f.directory WHERE f.seq > d.seq OR f.seq < 1 ORDER BY f.id LIMIT 10",
);
static BYTES: Sql = Sql::new(
    "fld_directory.check_bytes",
    "SELECT d.id, d.name FROM fld_directory d WHERE d.gone = 0 AND d.bytes <> \
     (SELECT CAST(COALESCE(SUM(f.size), 0) AS BIGINT) FROM fld_file f WHERE f.directory = d.id AND f.deleted = 0) ORDER BY d.id LIMIT 10",
);
static CONTENTS: Sql = Sql::new(
    "fld_content.check_refs",
    "SELECT c.id, '' FROM fld_content c LEFT JOIN (SELECT content, COUNT(*) AS used FROM fld_version WHERE content IS NOT NULL GROUP BY content) v \
     ON v.content = c.id WHERE c.refs <> COALESCE(v.used, 0) ORDER BY c.id LIMIT 10",
);
static HOLDERS: Sql = Sql::new(
    "fld_seat.check_uploads",
    "SELECT s.directory, s.place FROM fld_seat s LEFT JOIN fld_upload u ON u.id = s.upload WHERE (s.holder IS NULL) <> (s.upload IS NULL) \
     OR s.upload IS NOT NULL AND (u.id IS NULL OR u.client <> s.holder) ORDER BY s.place LIMIT 10",
);
static WAITING: Sql = Sql::new(
    "fld_seat.check_waiting",
    "SELECT directory, place FROM fld_seat WHERE holder IS NULL AND reserved IS NULL ORDER BY place LIMIT 10",
);
static ALL_CONTENTS: Sql =
    Sql::new("fld_content.check_all", "SELECT segments FROM fld_content ORDER BY id LIMIT 10000");
static ALL_SEGMENTS: Sql =
    Sql::new("fld_segment.check_all", "SELECT id, refs FROM fld_segment ORDER BY id LIMIT 10000");

fn found(tx: &mut dyn Tx, sql: &'static Sql, what: &str) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(sql, args![], 10)?;
    Ok(rows.iter().map(|row| Violation(format!("{what}: {} {}", row.text(0), row.text(1)))).collect())
}

fn segments(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for row in tx.query(&ALL_CONTENTS, args![], 10_000)? {
        let (ids, _) = row.blob(0).as_chunks::<32>();
        for id in ids.iter().collect::<BTreeSet<_>>() {
            *counts.entry(Sha(*id).to_string()).or_default() += 1;
        }
    }
    let rows = tx.query(&ALL_SEGMENTS, args![], 10_000)?;
    let mut wrong = vec![];
    for row in &rows {
        let counted = counts.remove(row.text(0)).unwrap_or(0);
        if counted != row.int(1) {
            wrong.push(Violation(format!("segment {} is counted {}, is in {counted}", row.text(0), row.int(1))));
        }
    }
    wrong.extend(
        counts.into_keys().filter(|_| rows.len() < 10_000).map(|id| Violation(format!("segment {id} is missing"))),
    );
    Ok(wrong)
}
