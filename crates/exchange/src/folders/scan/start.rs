//! At a start, before the first request (EXC-19): what took too long is ended, files and rows are compared, and the files of processes that
//! were committed are brought to their places, as far as that goes in a bounded time. What is left goes on by itself.

use base::{OpResult, Sql, Tx, args};
use kernel::{Kernel, Namespace, Op, OpCx, Query};

use super::{Scanned, Scans, run, tell};
use crate::bodies::FOLLOW;
use crate::folders::perform::{Brought, Step, ask, bring, call};
use crate::folders::shelves::Shelves;
use crate::folders::{clerk, turn};
use crate::ledger::together;
use crate::process::{LATE, LATE_MAX, TIMEOUT};
use crate::rules::{Bodies, Rules};

/// It is the turn of the start, whoever had it: nobody else can be at work.
static SEIZE: Op<(), ()> = Op::new("exchange.start_scan", |tx, cx, ()| turn::seize(tx, cx, START, TURN_MS)).ending();
/// How many processes have files that are to be moved.
static CLEANING_NOW: Query<(), i64> = Query::new("exchange.cleaning", |tx, ()| cleaning(tx));
/// Files of such processes, after a message.
static UNMOVED_AFTER: Query<i64, Vec<Step>> = Query::new("exchange.unmoved", unmoved);
/// Notes what became of some of them.
static BROUGHT: Op<Brought, ()> = Op::new("exchange.start_brought", clerk::take_in).keyed(together).ending();
/// The start is over.
static END: Op<Ended, ()> = Op::new("exchange.start_scanned", end).ending();

/// What a start did.
#[derive(Debug)]
struct Ended {
    scanned: Result<Scanned, String>,
    /// Processes whose files were to be moved.
    cleaning: i64,
}

/// Who has the turn.
const START: &str = "start";
/// Longer than a start takes; after it the clerk goes on by itself, and looks first.
const TURN_MS: i64 = 300_000;

/// Files that are moved together.
const TOGETHER: usize = 500;
/// How often; what is more than that many goes on after the start.
const PORTIONS_MAX: usize = 200;
/// How long; the portion that is under way is ended.
const FINISH_MS: u64 = 10_000;

pub(super) static CLEANING: Sql =
    Sql::new("exc_process.count_cleaning", "SELECT COUNT(*) FROM exc_process WHERE state IN ('CLEANUP', 'FAILED')");
pub(super) static UNMOVED: Sql = Sql::new(
    "exc_message.unmoved",
    "SELECT m.number, m.id, m.db, m.sender, m.receiver, m.subsystem, m.at, m.place, m.on_disk FROM exc_process p \
     JOIN exc_message m ON m.process = p.id WHERE p.state IN ('CLEANUP', 'FAILED') AND m.due IS NOT NULL AND m.number > ?1 \
     ORDER BY m.number LIMIT ?2",
);

/// Puts right what the server before left, in one namespace; blocks. What cannot be done now is tried again later: it keeps nobody from
/// being served.
pub fn recover(kernel: &Kernel, ns: &Namespace) {
    for recovered in [end_overdue(kernel, ns), look(kernel, ns)] {
        if let Err(error) = recovered {
            tracing::warn!(%error, namespace = ns.name, "the exchange could not be looked at before the start, and is later");
        }
    }
}

/// All that can be ended; the error is of one that cannot.
fn end_overdue(kernel: &Kernel, ns: &Namespace) -> OpResult<()> {
    loop {
        let late = ask(kernel, ns, &LATE, ())?;
        let many = late.len();
        let (ended, failed): (Vec<_>, Vec<_>) =
            late.into_iter().map(|id| call(kernel, ns, &TIMEOUT, id)).partition(Result::is_ok);
        if ended.is_empty() || many < LATE_MAX {
            return failed.into_iter().next().unwrap_or(Ok(()));
        }
    }
}

fn look(kernel: &Kernel, ns: &Namespace) -> OpResult<()> {
    while call(kernel, ns, &FOLLOW, ())? {}
    if kernel.common::<Rules>().get().bodies != Bodies::Folders {
        return Ok(());
    }
    call(kernel, ns, &SEIZE, ())?;
    let cleaning = ask(kernel, ns, &CLEANING_NOW, ())?;
    let mut scanned = run::scan(kernel, ns, "");
    if let (Ok(scanned), Ok(files)) = (&mut scanned, kernel.common::<Shelves>().of(ns)) {
        run::renew(kernel, ns, files.as_ref(), scanned);
        if let Err(error) = finish(kernel, ns) {
            scanned.problems.push(error.to_string());
        }
    }
    if scanned.is_err() {
        kernel.common::<Scans>().want(kernel, ns);
    }
    call(kernel, ns, &END, Ended { scanned, cleaning })
}

/// Brings files of committed processes to their places: each is tried once, for a bounded time, and not as long as none can be moved.
fn finish(kernel: &Kernel, ns: &Namespace) -> OpResult<()> {
    let (began, mut after) = (kernel.env().clock.ran_ms(), i64::MIN);
    for _ in 0..PORTIONS_MAX {
        let steps = ask(kernel, ns, &UNMOVED_AFTER, after)?;
        let Some(last) = steps.last() else { return Ok(()) };
        after = last.number;
        let brought = bring(kernel, ns, &steps)?;
        let nothing_moves = brought.done.is_empty() && brought.laid.is_empty();
        call(kernel, ns, &BROUGHT, brought)?;
        if nothing_moves || kernel.env().clock.ran_ms().saturating_sub(began) >= FINISH_MS {
            return Ok(());
        }
    }
    Ok(())
}

fn cleaning(tx: &mut dyn Tx) -> OpResult<i64> {
    Ok(tx.query_one(&CLEANING, args![])?.map_or(0, |row| row.int(0)))
}

fn unmoved(tx: &mut dyn Tx, after: &i64) -> OpResult<Vec<Step>> {
    let limit = i64::try_from(TOGETHER).unwrap_or(i64::MAX);
    Ok(tx.query(&UNMOVED, args![*after, limit], TOGETHER)?.iter().map(clerk::step).collect())
}

fn end(tx: &mut dyn Tx, cx: &mut OpCx<'_>, ended: &Ended) -> OpResult<()> {
    turn::end(tx, START)?;
    match &ended.scanned {
        Ok(scanned) => tell(cx, scanned),
        Err(problem) => tell(cx, &Scanned { problems: vec![problem.clone()], ..Scanned::default() }),
    }
    let left = cleaning(tx)?;
    if ended.cleaning > 0 {
        let finished = ended.cleaning.saturating_sub(left);
        let text = format!("processes whose files were being moved: {finished} are finished, {left} go on");
        cx.fx.journal("exchange.recovered", "processes", text);
    }
    clerk::wake(cx);
    Ok(())
}
