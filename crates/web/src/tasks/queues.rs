//! Queues: what is in them, suspended and resumed.

use std::time::Duration;

use base::codes;
use kernel::Op;
use kernel::tasks::{self, ALL, Look, Switched};
use serde::Deserialize;

use super::views::{QueueView, Queues, RunningView, Suspension};
use super::{OPERATORS, WATCHERS};
use crate::answer::ApiResult;
use crate::api::Api;
use crate::body::NoBody;
use crate::error::ApiError;
use crate::params::PathOf;
use crate::route::Route;
use crate::seen::{of_each, seen_from};
use crate::wait::{now, pause};

/// How long suspending waits for those that run.
const PATIENCE: Duration = Duration::from_secs(8);
const LOOK_EVERY: Duration = Duration::from_millis(50);

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/{ns}/queues", list)
            .roles(WATCHERS)
            .summary("Show the queues")
            .about("At the administrators' namespace: those of all namespaces; those that are away right now are named in `unseen`.")
            .answers::<Queues>(200),
        Route::post("/v1/{ns}/queues/suspend", suspend_all)
            .roles(OPERATORS)
            .summary("Suspend all queues")
            .about("At the administrators' namespace: those of all namespaces. Waits up to 8 s for what runs on this node.")
            .answers::<Suspension>(200),
        Route::post("/v1/{ns}/queues/resume", resume_all)
            .roles(OPERATORS)
            .summary("Resume all queues")
            .about("Those that were suspended by their number stay so.")
            .answers::<Suspension>(200),
        Route::post("/v1/{ns}/queues/{n}/suspend", suspend)
            .roles(OPERATORS)
            .summary("Suspend a queue")
            .about("It starts nothing more on any node; what runs goes on. Waits up to 8 s for what runs on this node.")
            .param("n", "Number of the queue")
            .answers::<Suspension>(200)
            .errors(&[codes::ALIMIT]),
        Route::post("/v1/{ns}/queues/{n}/resume", resume)
            .roles(OPERATORS)
            .summary("Resume a queue")
            .param("n", "Number of the queue")
            .answers::<Suspension>(200)
            .errors(&[codes::ALIMIT]),
    ]
}

#[derive(Deserialize)]
struct QueuePath {
    n: i64,
}

async fn list(api: Api) -> ApiResult<Queues> {
    let workers = api.kernel().task_config().workers.clone();
    let dispatcher = api.dispatcher();
    let queues = i64::try_from(workers.len()).unwrap_or(0);
    let look = |there: Api| async move {
        let look = Look { queues, now: there.kernel().env().clock.wall() };
        there.read(&tasks::STATE, look).await
    };
    let (mut items, mut running_here) = (vec![], vec![]);
    let (all, missed) = of_each(&api, look).await?;
    for (ns, states) in all {
        for ((queue, state), workers) in states.out.iter().zip(&workers) {
            let busy = dispatcher.map_or(0, |dispatcher| dispatcher.busy_in(&ns.name, Some(*queue)));
            items.push(QueueView::of(&ns.name, *queue, (*workers, busy), state));
        }
        let running = dispatcher.map(|dispatcher| dispatcher.running(&ns.name)).unwrap_or_default();
        running_here.extend(running.into_iter().map(|(id, attempt)| RunningView {
            namespace: ns.name.clone(),
            id: id.to_string(),
            attempt,
        }));
    }
    let calls_here = dispatcher.map_or(0, kernel::tasks::Dispatcher::calls);
    Ok(api.answer(Queues { items, running_here, calls_here, unseen: missed.unseen }))
}

async fn suspend(api: Api, PathOf(path): PathOf<QueuePath>, body: NoBody) -> ApiResult<Suspension> {
    check(&api, path.n)?;
    api.call(&tasks::SUSPEND, body.with(path.n)).await?;
    let busy_here = ended(&api, Some(path.n)).await;
    Ok(api.answer(Suspension { suspended: true, busy_here }))
}

async fn resume(api: Api, PathOf(path): PathOf<QueuePath>, body: NoBody) -> ApiResult<Suspension> {
    check(&api, path.n)?;
    api.call(&tasks::RESUME, body.with(path.n)).await?;
    Ok(api.answer(Suspension { suspended: false, busy_here: busy(&api, Some(path.n)) }))
}

async fn suspend_all(api: Api, body: NoBody) -> ApiResult<Suspension> {
    switch_all(&api, &tasks::SUSPEND, &body).await?;
    let busy_here = ended(&api, None).await;
    Ok(api.answer(Suspension { suspended: true, busy_here }))
}

async fn resume_all(api: Api, body: NoBody) -> ApiResult<Suspension> {
    switch_all(&api, &tasks::RESUME, &body).await?;
    Ok(api.answer(Suspension { suspended: false, busy_here: busy(&api, None) }))
}

/// In every namespace that is seen from here. Doing it twice is harmless, so a repeat after a fault puts everything right.
async fn switch_all(api: &Api, op: &'static Op<i64, Switched>, body: &NoBody) -> Result<(), ApiError> {
    for ns in seen_from(api) {
        api.within(&ns).call(op, body.clone().with(ALL)).await?;
    }
    Ok(())
}

fn check(api: &Api, queue: i64) -> Result<(), ApiError> {
    let config = api.kernel().task_config();
    let last = config.workers.len().saturating_sub(1);
    let wrong = || ApiError::refused(codes::ALIMIT, format!("queue is {queue}, it must be 0 to {last}"));
    config.has(queue).then_some(()).ok_or_else(wrong)
}

fn busy(api: &Api, queue: Option<i64>) -> usize {
    let in_namespace = |name: &str| api.dispatcher().map_or(0, |dispatcher| dispatcher.busy_in(name, queue));
    seen_from(api).iter().map(|ns| in_namespace(&ns.name)).sum()
}

/// Waits until those that run on this node have ended. Says how many have not.
async fn ended(api: &Api, queue: Option<i64>) -> usize {
    let until = now() + PATIENCE;
    while busy(api, queue) > 0 && now() < until {
        pause(LOOK_EVERY).await;
    }
    busy(api, queue)
}
