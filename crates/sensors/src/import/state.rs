//! An import as its row has it.

use base::{Heard, OpError, OpResult, Row, Sha, Sql, Tx, Wall, args, codes};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What lines say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImportKind {
    /// Sensors to register.
    Sensors,
    /// Sensors to link to clients.
    Links,
}

impl ImportKind {
    /// The word in the table.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Sensors => "sensors",
            Self::Links => "links",
        }
    }
}

/// How they say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImportFormat {
    /// A JSON object on each line.
    Ndjson,
    /// Fields separated by commas; the first line names them.
    Csv,
}

impl ImportFormat {
    /// The word in the table.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ndjson => "ndjson",
            Self::Csv => "csv",
        }
    }
}

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImportState {
    /// Its lines are worked through.
    Running,
    /// All of them were.
    Done,
    /// It could not be begun; see the reason.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

impl ImportState {
    /// The word in the table.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    fn of(word: &str) -> Self {
        [Self::Running, Self::Done, Self::Failed]
            .into_iter()
            .find(|state| state.word() == word)
            .unwrap_or(Self::Cancelled)
    }
}

/// An import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) id: String,
    pub(super) kind: ImportKind,
    pub(super) format: ImportFormat,
    pub(super) sha: Sha,
    pub(super) size: u64,
    pub(super) state: ImportState,
    pub(super) reason: String,
    pub(super) columns: Option<Vec<String>>,
    pub(super) place: u64,
    pub(super) skipping: bool,
    pub(super) counts: Counts,
    pub(super) begun_at: Wall,
    pub(super) ended_at: Option<Wall>,
    /// The same in listening time of the store.
    pub(super) ended: Option<Heard>,
}

/// What lines did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) lines: i64,
    pub(super) created: i64,
    pub(super) changed: i64,
    pub(super) unchanged: i64,
    pub(super) rejected: i64,
}

/// The columns that [`Import::read`] reads.
macro_rules! import_columns {
    () => {
        "SELECT id, kind, format, sha, size, state, reason, columns, place, skipping, lines, created, changed, unchanged, \
         rejected, begun_at, ended_at, ended FROM sensor_import "
    };
}
pub(super) use import_columns;

pub(super) static GET: Sql = Sql::new("sensor_import.get", concat!(import_columns!(), "WHERE id = ?1"));
pub(super) static SAVE: Sql = Sql::new(
    "sensor_import.save",
    "UPDATE sensor_import SET state = ?2, reason = ?3, columns = ?4, place = ?5, skipping = ?6, lines = ?7, created = ?8, \
     changed = ?9, unchanged = ?10, rejected = ?11, ended_at = ?12, ended = ?13 WHERE id = ?1",
);
pub(super) static REJECT: Sql =
    Sql::new("sensor_import_line.put", "INSERT INTO sensor_import_line (import_id, line, reason) VALUES (?1, ?2, ?3)");

/// Rejected lines that are told one by one.
pub(super) const TOLD_MAX: i64 = 100;

impl Import {
    pub(super) fn find(tx: &mut dyn Tx, id: &str) -> OpResult<Option<Self>> {
        tx.query_one(&GET, args![id])?.as_ref().map(Self::read).transpose()
    }

    pub(super) fn read(row: &Row) -> OpResult<Self> {
        let wrong = |what: String| OpError::new(codes::BDETECTED, format!("import {}: {what}", row.text(0)));
        let columns = row.opt_text(7).map(serde_json::from_str).transpose();
        Ok(Self {
            id: row.text(0).to_owned(),
            kind: if row.text(1) == "links" { ImportKind::Links } else { ImportKind::Sensors },
            format: if row.text(2) == "csv" { ImportFormat::Csv } else { ImportFormat::Ndjson },
            sha: row.text(3).parse().map_err(|error| wrong(format!("{error}")))?,
            size: row.int(4).unsigned_abs(),
            state: ImportState::of(row.text(5)),
            reason: row.text(6).to_owned(),
            columns: columns.map_err(|error| wrong(error.to_string()))?,
            place: row.int(8).unsigned_abs(),
            skipping: row.int(9) == 1,
            counts: Counts {
                lines: row.int(10),
                created: row.int(11),
                changed: row.int(12),
                unchanged: row.int(13),
                rejected: row.int(14),
            },
            begun_at: Wall(row.int(15)),
            ended_at: row.opt_int(16).map(Wall),
            ended: row.opt_int(17).map(Heard),
        })
    }

    pub(super) fn save(&self, tx: &mut dyn Tx) -> OpResult<()> {
        let columns = self.columns.as_ref().map(|columns| serde_json::json!(columns).to_string());
        let place = i64::try_from(self.place).unwrap_or(i64::MAX);
        let Counts { lines, created, changed, unchanged, rejected } = self.counts;
        let row = args![
            &self.id,
            self.state.word(),
            &self.reason,
            columns,
            place,
            self.skipping,
            lines,
            created,
            changed,
            unchanged,
            rejected,
            self.ended_at,
            self.ended
        ];
        Ok(tx.write(&SAVE, row)?)
    }

    /// The line that was counted last cannot be.
    pub(super) fn reject(&mut self, tx: &mut dyn Tx, reason: &str) -> OpResult<()> {
        self.counts.rejected += 1;
        if self.counts.rejected <= TOLD_MAX {
            tx.write(&REJECT, args![&self.id, self.counts.lines, kernel::watch::shown(reason, 300)])?;
        }
        Ok(())
    }
}
