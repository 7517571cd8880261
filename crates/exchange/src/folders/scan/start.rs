//! At a start, before the first request (EXC-19): files and rows are compared, what took too long is ended, and what was being moved goes
//! on by itself.

use base::{OpResult, Sql, Tx, args};
use kernel::{Kernel, Namespace, Op, OpCx};

use super::{Scanned, Scans, run, tell};
use crate::folders::leave::LEAVE;
use crate::folders::perform::call;
use crate::folders::shelves::Shelves;
use crate::folders::{clerk, turn};
use crate::process::TIMEOUTS;
use crate::rules::{Bodies, Rules};

/// It is the turn of the start, whoever had it: nobody else can be at work.
static SEIZE: Op<(), ()> = Op::new("exchange.start_scan", |tx, cx, ()| turn::seize(tx, cx, START, TURN_MS)).ending();
/// The look is over.
static END: Op<Result<Scanned, String>, ()> = Op::new("exchange.start_scanned", end).ending();

/// Who has the turn.
const START: &str = "start";
/// Longer than a start takes; after it the clerk goes on by itself, and looks first.
const TURN_MS: i64 = 300_000;

pub(super) static CLEANING: Sql =
    Sql::new("exc_process.count_cleaning", "SELECT COUNT(*) FROM exc_process WHERE state IN ('CLEANUP', 'FAILED')");

/// Puts right what the server before left, in one namespace; blocks. What cannot be done now is tried again later: it keeps nobody from
/// being served.
pub fn recover(kernel: &Kernel, ns: &Namespace) {
    let recovered = end_overdue(kernel, ns).and_then(|()| look(kernel, ns));
    if let Err(error) = recovered {
        tracing::warn!(%error, namespace = ns.name, "the exchange could not be looked at before the start, and is later");
    }
}

fn end_overdue(kernel: &Kernel, ns: &Namespace) -> OpResult<()> {
    while call(kernel, ns, &TIMEOUTS, ())? {}
    Ok(())
}

fn look(kernel: &Kernel, ns: &Namespace) -> OpResult<()> {
    if kernel.common::<Rules>().get().bodies != Bodies::Folders {
        while call(kernel, ns, &LEAVE, ())? {}
        return Ok(());
    }
    call(kernel, ns, &SEIZE, ())?;
    let mut scanned = run::scan(kernel, ns, "");
    if let (Ok(scanned), Ok(files)) = (&mut scanned, kernel.common::<Shelves>().of(ns)) {
        run::renew(kernel, ns, files.as_ref(), scanned);
    }
    if scanned.is_err() {
        kernel.common::<Scans>().want(kernel, ns);
    }
    call(kernel, ns, &END, scanned)
}

fn end(tx: &mut dyn Tx, cx: &mut OpCx<'_>, scanned: &Result<Scanned, String>) -> OpResult<()> {
    turn::end(tx, START)?;
    match scanned {
        Ok(scanned) => tell(cx, scanned),
        Err(problem) => tell(cx, &Scanned { problems: vec![problem.clone()], ..Scanned::default() }),
    }
    let cleaning = tx.query_one(&CLEANING, args![])?.map_or(0, |row| row.int(0));
    if cleaning > 0 {
        cx.fx.journal(
            "exchange.recovered",
            "processes",
            format!("{cleaning} processes whose files are being moved go on"),
        );
    }
    clerk::wake(cx);
    Ok(())
}
