//! Full analysis without changing anything (WFL-20): a page of processes is judged by counts in one statement, and only those that look
//! ill are loaded and examined.

use base::{OpResult, Sql, Tx, Wall, args};
use kernel::{Home, Query};
use serde::{Deserialize, Serialize};

use super::examine::{calendar_due, examine};
use super::repair::Repaired;
use crate::actors::polled::Polls;
use crate::names::TaskId;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&END, &END_OF, &ILL, &ILL_OF, &COUNT, &COUNT_OF];

/// Processes of a page at most.
pub const PAGE_MAX: u32 = 10_000;
/// Processes of a page that are examined.
const EXAMINED_MAX: usize = 200;
/// What is told of one process.
const TOLD_MAX: usize = 20;

macro_rules! end {
    ($of:literal) => {
        concat!(
            "SELECT MAX(page.id) FROM (SELECT p.id FROM wfl_process p WHERE p.id > ?1",
            $of,
            " ORDER BY p.id LIMIT ?2) AS page"
        )
    };
}
macro_rules! ill {
    ($of:literal) => {
        concat!(
            "SELECT p.id, p.type FROM wfl_process p LEFT JOIN wfl_graph g ON g.process = p.id WHERE p.id > ?1 AND p.id <= ?2",
            $of,
            " AND p.state IN ('ACTIVE', 'BROKEN') AND ",
            looks_well!("?3"),
            " = 0 ORDER BY p.id LIMIT 201"
        )
    };
}
static END: Sql = Sql::new("wfl_process.page_end", end!(""));
static END_OF: Sql = Sql::new("wfl_process.page_end_of", end!(" AND p.type = ?3"));
static ILL: Sql = Sql::new("wfl_process.ill", ill!(""));
static ILL_OF: Sql = Sql::new("wfl_process.ill_of", ill!(" AND p.type = ?4"));
static COUNT: Sql = Sql::new("wfl_process.page", "SELECT COUNT(*) FROM wfl_process p WHERE p.id > ?1 AND p.id <= ?2");
static COUNT_OF: Sql = Sql::new(
    "wfl_process.page_of",
    "SELECT COUNT(*) FROM wfl_process p WHERE p.id > ?1 AND p.id <= ?2 AND p.type = ?3",
);

/// Analyses a page of processes.
pub static ANALYSE: Query<Analyse, Analysed> = Query::at_home("workflow.analyse", analyse);

/// Which processes are analysed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Analyse {
    /// Of this type; not given: of all.
    pub kind: Option<String>,
    /// After this id; empty: from the first on.
    pub after: String,
    /// How many at most, up to [`PAGE_MAX`].
    pub limit: u32,
    /// The moment of the calendar.
    pub now: i64,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysed {
    /// Processes that were looked at.
    pub found: i64,
    /// Those of them of which nothing is to be repaired.
    pub healthy: i64,
    /// The others.
    pub ill: Vec<Ill>,
    /// Where the next page begins; nothing: that was the last.
    pub next: Option<String>,
}

/// A process of which something is to be repaired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ill {
    /// Its id.
    pub process: String,
    /// Its type.
    pub kind: String,
    /// What would be repaired, the first of it.
    pub would_repair: Vec<Repaired>,
    /// It cannot be examined, and why.
    pub error: Option<String>,
}

fn analyse(tx: &mut dyn Tx, home: &Home, wanted: &Analyse) -> OpResult<Analysed> {
    let limit = i64::from(wanted.limit.clamp(1, PAGE_MAX));
    let after = wanted.after.as_str();
    let kind = wanted.kind.as_deref();
    let last = match kind {
        None => tx.query_one(&END, args![after, limit])?,
        Some(kind) => tx.query_one(&END_OF, args![after, limit, kind])?,
    };
    let Some(mut last) = last.and_then(|row| row.opt_text(0).map(str::to_owned)) else {
        return Ok(Analysed::default());
    };
    let due = calendar_due(Wall(wanted.now));
    let mut rows = match kind {
        None => tx.query(&ILL, args![after, &last, due], EXAMINED_MAX + 1)?,
        Some(kind) => tx.query(&ILL_OF, args![after, &last, due, kind], EXAMINED_MAX + 1)?,
    };
    if rows.len() > EXAMINED_MAX {
        rows.truncate(EXAMINED_MAX);
        last = rows.last().map(|row| row.text(0).to_owned()).unwrap_or(last);
    }
    let found = match kind {
        None => tx.query_one(&COUNT, args![after, &last])?,
        Some(kind) => tx.query_one(&COUNT_OF, args![after, &last, kind])?,
    };
    let polls = home.memory::<Polls>();
    let mut analysed = Analysed { found: found.map_or(0, |row| row.int(0)), ..Analysed::default() };
    for row in &rows {
        analysed.ill.extend(ill(tx, &polls, (row.text(0), row.text(1)), Wall(wanted.now)));
    }
    let many = i64::try_from(analysed.ill.len()).unwrap_or(i64::MAX);
    Ok(Analysed { healthy: analysed.found - many, next: Some(last), ..analysed })
}

/// One that looks ill, if it is.
fn ill(tx: &mut dyn Tx, polls: &Polls, (process, kind): (&str, &str), wall: Wall) -> Option<Ill> {
    let told = |would_repair, error| Some(Ill { process: process.into(), kind: kind.into(), would_repair, error });
    match examine(tx, polls, process, wall) {
        Ok(Some(examined)) if examined.is_ill() => {
            let name = |number: i64| TaskId::new(process, number).to_string();
            let what = examined.told().into_iter().take(TOLD_MAX);
            told(what.map(|(task, what)| Repaired { task: task.map(name), what: what.into() }).collect(), None)
        }
        Ok(_) => None,
        Err(error) => told(vec![], Some(error.message)),
    }
}
