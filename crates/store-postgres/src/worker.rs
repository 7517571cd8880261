//! The threads that serve: take a job, run it, give its keys back, answer.
//!
//! A panic of the engine itself ends neither the thread nor the job's wait: the connection is dropped, the keys are
//! given back, and whoever was being served hears that nobody knows.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use base::{Job, Outcome, StoreError, run_alone, run_batch};

use crate::figures;
use crate::probe;
use crate::queue::{Held, Next};
use crate::session::{Mode, Session};
use crate::shared::Shared;

/// Serves until the store is closed and nothing waits.
pub(crate) fn serve(mut session: Session) {
    loop {
        match catch_unwind(AssertUnwindSafe(|| serve_one(&mut session))) {
            Ok(true) => {}
            Ok(false) => return session.leave(),
            Err(_) => {
                tracing::error!("a worker of the store panicked; it goes on with a new connection");
                session.disconnect();
            }
        }
    }
}

/// Says whether there may be more to do.
fn serve_one(session: &mut Session) -> bool {
    let shared = Arc::clone(&session.shared);
    let queue = match session.mode {
        Mode::Write => &shared.writes,
        Mode::Read => &shared.reads,
    };
    match queue.next(shared.gate.patience()) {
        Next::Stop => return false,
        Next::Idle => {}
        Next::Run(job, held) => {
            if let Some(job) = shared.unless_expired(job) {
                run(session, &shared, job, held);
            }
        }
    }
    if session.mode == Mode::Write && shared.gate.probe_is_due(shared.now_us()) {
        probe::look(session);
    }
    if session.mode == Mode::Read && shared.gate.refuses_read().is_none() && shared.figures.look_is_due(shared.now_us())
    {
        figures::look(session);
    }
    true
}

fn run(session: &mut Session, shared: &Shared, first: Box<dyn Job>, mut held: Held<'_>) {
    let finished = match session.mode {
        Mode::Read => alone(session, first),
        Mode::Write => together(session, shared, first, &mut held),
    };
    // The keys go on before anybody is answered: the answers cost time, and the work is done.
    drop(held);
    finished.into_iter().for_each(|(job, outcome)| answer(shared, job, outcome));
}

/// With what else waits for the same key, if something does; a lone job needs no savepoint.
fn together(
    session: &mut Session,
    shared: &Shared,
    first: Box<dyn Job>,
    held: &mut Held<'_>,
) -> Vec<(Box<dyn Job>, Outcome)> {
    let mut more = more_jobs(shared, held);
    let finished = match more() {
        None => alone(session, first),
        Some(second) => {
            let mut second = Some(second);
            let mut finished = run_batch(session, first, &mut || second.take().or_else(&mut more));
            // The transaction may have been lost with the first job, before it asked for another.
            finished.extend(second.into_iter().flat_map(|second| alone(session, second)));
            finished
        }
    };
    let met_another = session.take_met_another();
    // A lone job tells only when nothing wider is tried any more: else the width would never come back from one.
    if finished.len() > 1 || shared.width.get() == 1 {
        shared.width.learn(met_another);
    }
    shared.counters.ran(finished.len());
    finished
}

fn alone(session: &mut Session, mut job: Box<dyn Job>) -> Vec<(Box<dyn Job>, Outcome)> {
    let outcome = run_alone(session, job.as_mut());
    vec![(job, outcome)]
}

/// Gives further jobs for the transaction until it is full or open for too long.
fn more_jobs<'a>(shared: &'a Shared, held: &'a mut Held<'_>) -> impl FnMut() -> Option<Box<dyn Job>> + 'a {
    let closes_us = shared.now_us().saturating_add(shared.config.batch_us);
    // Measured: leaving work for every other worker is slower with few callers, leaving none is no faster with many.
    let spare = shared.config.workers / 2;
    let width = shared.width.get();
    let mut jobs = 1;
    move || {
        while jobs < shared.config.batch_max && shared.now_us() < closes_us {
            let spare = if jobs < width { spare } else { usize::MAX };
            if let Some(job) = shared.unless_expired(held.more(spare)?) {
                jobs += 1;
                return Some(job);
            }
        }
        None
    }
}

fn answer(shared: &Shared, job: Box<dyn Job>, outcome: Outcome) {
    if let Outcome::Failed(StoreError::Full(reason)) = &outcome {
        shared.gate.refuse_growth(reason);
    }
    job.done(outcome);
}
