//! Finds graphs and processes whose time passed (WFL-13, WFL-14): in a read, so that it costs the writer nothing; those that are well are
//! put off together, those that look ill are examined.
//!
//! Where both times of a process passed, the look at its graph serves for both: the same is looked at, and a million are looked at once each.

use std::collections::BTreeMap;

use base::{Heard, OpResult, Row, Sql, Tx, Value, Wall, args, codes};
use kernel::{Home, Op, OpCx, Query};
use serde::{Deserialize, Serialize};

use super::examine::{Examined, calendar_due, examine, is_large};
use super::repair;
use crate::actors::polled::Polls;
use crate::actors::rules::{TypeRules, of_type};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&GRAPHS, &PROCESSES, &GRAPHS_LATER, &PROCESSES_LATER];

/// Processes of one look.
const DUE_MAX: usize = 1_000;
/// Those of them that are examined.
const EXAMINED_MAX: usize = 100;
/// Somebody else looks at it.
const LEFT: i64 = 2;

static GRAPHS: Sql = Sql::new(
    "wfl_graph.due",
    concat!(
        "SELECT g.process, g.recovery, p.type, ",
        looks_well!("?3"),
        ", p.recovery FROM wfl_graph g JOIN wfl_process p ON p.id = g.process WHERE g.recovery IS NOT NULL AND g.recovery <= ?1 \
         ORDER BY g.recovery, g.process LIMIT ?2"
    ),
);
/// Those whose graph is due as well, since after `?4` (2), are left to the look at graphs, which comes to it with the same: looked at from here,
/// too, each of a million would be looked at twice.
static PROCESSES: Sql = Sql::new(
    "wfl_process.due",
    concat!(
        "SELECT p.id, p.recovery, p.type, CASE WHEN g.recovery <= ?1 AND g.recovery > ?4 THEN 2 ELSE ",
        looks_well!("?3"),
        " END FROM wfl_process p LEFT JOIN wfl_graph g ON g.process = p.id WHERE p.recovery IS NOT NULL AND p.recovery <= ?1 \
         ORDER BY p.recovery, p.id LIMIT ?2"
    ),
);
/// Processes that are put off by one statement.
const HUNDRED: usize = 100;
macro_rules! a_hundred {
    () => {
        "?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, \
         ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40, ?41, ?42, ?43, ?44, ?45, ?46, ?47, ?48, ?49, ?50, \
         ?51, ?52, ?53, ?54, ?55, ?56, ?57, ?58, ?59, ?60, ?61, ?62, ?63, ?64, ?65, ?66, ?67, ?68, ?69, ?70, ?71, ?72, ?73, \
         ?74, ?75, ?76, ?77, ?78, ?79, ?80, ?81, ?82, ?83, ?84, ?85, ?86, ?87, ?88, ?89, ?90, ?91, ?92, ?93, ?94, ?95, ?96, \
         ?97, ?98, ?99, ?100, ?101, ?102"
    };
}
static GRAPHS_LATER: Sql = Sql::new(
    "wfl_graph.hundred_later",
    concat!("UPDATE wfl_graph SET recovery = ?2 WHERE process IN (", a_hundred!(), ") AND recovery <= ?1"),
);
static PROCESSES_LATER: Sql = Sql::new(
    "wfl_process.hundred_later",
    concat!("UPDATE wfl_process SET recovery = ?2 WHERE id IN (", a_hundred!(), ") AND recovery <= ?1"),
);

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Whose {
    /// Graphs in which nothing changed for a while.
    Graphs,
    /// Processes that were just started, or take long.
    Processes,
}

/// Looks for those whose time passed, at this moment of the calendar.
pub(super) static LOOK: Query<Look, Found> = Query::at_home("workflow.look", look);
/// Puts off those that are well.
pub(super) static PUT_OFF: Op<Vec<Well>, ()> =
    Op::new("workflow.put_off", |tx, cx, well: &Vec<Well>| put_off(tx, cx, well)).ending();
/// Puts off one that cannot be examined now.
pub(super) static FAILED: Op<Failed, ()> = Op::new("workflow.unexamined", put_off_failed).ending();

/// A look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) whose: Whose,
    /// The moment of the calendar.
    pub(super) wall: Wall,
    /// Processes whose graph is due are left to the look at graphs.
    pub(super) leaves: bool,
}

/// A process that could not be examined.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Failed {
    pub(super) process: String,
    pub(super) error: String,
    pub(super) pause_ms: i64,
}

/// A process that is well, with what of it was due.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Well {
    process: String,
    /// Its graph.
    graph: Option<Due>,
    /// The process itself.
    whole: Option<Due>,
}

/// Something that is to be looked at again.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Due {
    /// When it was to be.
    at: i64,
    /// How long after it is put off it is to be next, at the soonest.
    after_ms: i64,
}

/// What a look finds.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) well: Vec<Well>,
    /// To be repaired.
    pub(super) ill: Vec<String>,
    /// To be repaired, with many tasks.
    pub(super) large: Vec<Examined>,
    /// Could not be examined, and why.
    pub(super) failed: Vec<(String, String)>,
    /// There are more.
    pub(super) more: bool,
}

/// A hundred by a hundred: a million of them are ten thousand statements, and each writes the places of a hundred neighbours in an index at once.
/// Those of a hundred are looked at together next time too; one that was changed since has another time, and keeps it. The next time counts
/// from now: between the look and this lies a pause, which may be longer.
fn put_off(tx: &mut dyn Tx, cx: &mut OpCx<'_>, well: &[Well]) -> OpResult<()> {
    later(tx, cx.heard, &GRAPHS_LATER, well.iter().filter_map(|well| Some((well, well.graph?))))?;
    later(tx, cx.heard, &PROCESSES_LATER, well.iter().filter_map(|well| Some((well, well.whole?))))
}

fn later<'a>(
    tx: &mut dyn Tx,
    now: Heard,
    sql: &'static Sql,
    all: impl Iterator<Item = (&'a Well, Due)>,
) -> OpResult<()> {
    // What is of another type may be looked at far more often.
    let mut alike: BTreeMap<i64, Vec<(&str, i64)>> = BTreeMap::new();
    for (well, due) in all {
        alike.entry(due.after_ms).or_default().push((&well.process, due.at));
    }
    for (after_ms, all) in alike {
        for hundred in all.chunks(HUNDRED) {
            let Some((last, _)) = hundred.last().copied() else { continue };
            let due = hundred.iter().map(|(_, at)| *at).max().unwrap_or_default();
            let next = now.plus_ms(spread(last, after_ms));
            let names = hundred.iter().map(|(process, _)| *process).chain(std::iter::repeat(last)).take(HUNDRED);
            let values: Vec<Value<'_>> = args![due, next].iter().cloned().chain(names.map(Value::from)).collect();
            tx.write(sql, &values)?;
        }
    }
    Ok(())
}

/// Each hundred a little else, up to a quarter later, so that a million that were started together are not looked at together for ever.
fn spread(process: &str, after_ms: i64) -> i64 {
    let spread = process.bytes().fold(7_i64, |sum, byte| (sum * 31 + i64::from(byte)) % 1_009);
    after_ms.saturating_add(after_ms.max(0) / 4 * spread / 1_009)
}

fn put_off_failed(tx: &mut dyn Tx, cx: &mut OpCx<'_>, failed: &Failed) -> OpResult<()> {
    repair::put_off(tx, cx, &failed.process, &failed.error, failed.pause_ms)
}

fn look(tx: &mut dyn Tx, home: &Home, wanted: &Look) -> OpResult<Found> {
    let now = tx.heard();
    let rows = due(tx, wanted, now)?;
    let polls = home.memory::<Polls>();
    let mut found = Found { more: rows.len() == DUE_MAX, ..Found::default() };
    let (mut types, mut examined) = (BTreeMap::new(), 0);
    for row in rows.iter().filter(|row| row.int(3) != LEFT) {
        let well = well(row, wanted.whose, &rules_of(tx, &mut types, row.text(2))?, now);
        if row.int(3) == 1 {
            found.well.push(well);
        } else if examined == EXAMINED_MAX {
            found.more = true;
        } else {
            examined += 1;
            look_at(tx, &polls, wanted.wall, well, &mut found)?;
        }
    }
    Ok(found)
}

/// What is due, each with what is to be thought of it: 1: it is well; 0: it looks ill; [`LEFT`].
fn due(tx: &mut dyn Tx, wanted: &Look, now: Heard) -> OpResult<Vec<Row>> {
    let (limit, calendar) = (i64::try_from(DUE_MAX).unwrap_or(i64::MAX), calendar_due(wanted.wall));
    let left_after = if wanted.leaves { Heard(i64::MIN) } else { now };
    Ok(match wanted.whose {
        Whose::Graphs => tx.query(&GRAPHS, args![now, limit, calendar], DUE_MAX)?,
        Whose::Processes => tx.query(&PROCESSES, args![now, limit, calendar, left_after], DUE_MAX)?,
    })
}

/// Examines one that looks ill.
fn look_at(tx: &mut dyn Tx, polls: &Polls, wall: Wall, well: Well, found: &mut Found) -> OpResult<()> {
    match examine(tx, polls, &well.process, wall) {
        Ok(Some(examined)) if !examined.is_ill() => found.well.push(well),
        Ok(None) => found.well.push(well),
        Ok(Some(examined)) if is_large(tx, &well.process)? => found.large.push(examined),
        Ok(Some(_)) => found.ill.push(well.process),
        Err(error) if error.code == codes::BDETECTED => found.failed.push((well.process, error.message)),
        Err(error) => return Err(error),
    }
    Ok(())
}

fn rules_of(tx: &mut dyn Tx, types: &mut BTreeMap<String, TypeRules>, kind: &str) -> OpResult<TypeRules> {
    if let Some(known) = types.get(kind) {
        return Ok(*known);
    }
    let rules = of_type(tx, kind)?;
    types.insert(kind.to_owned(), rules);
    Ok(rules)
}

/// What of a process is looked at next, and when, if it is well: all of it that is due, for all of it was looked at.
fn well(row: &Row, whose: Whose, rules: &TypeRules, now: Heard) -> Well {
    let of_graph = |at| Due { at, after_ms: rules.idle_timeout_ms };
    let of_whole = |at| Due { at, after_ms: rules.process_timeout_ms };
    let (graph, whole) = match whose {
        Whose::Graphs => (Some(row.int(1)), row.opt_int(4).filter(|at| *at <= now.0)),
        Whose::Processes => (None, Some(row.int(1))),
    };
    Well { process: row.text(0).to_owned(), graph: graph.map(of_graph), whole: whole.map(of_whole) }
}

#[cfg(test)]
mod tests;
