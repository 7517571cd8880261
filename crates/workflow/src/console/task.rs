//! One task of a process in detail: its arguments, its result or its errors, who has it and until when.

use base::Wall;
use maud::{Markup, html};
use web::console::words as common;
use web::ui::Tone;
use web::ui::moment::{duration, plain};
use web::ui::parts::{banner, card, facts, id, id_link};
use web::{ApiError, Console};

use super::reads::{DETAIL, Detail, Stands};
use super::{actor_link, past, process_actions, process_page, state, task_page, value, words};
use crate::names::{SIGNAL, TaskId, is_own, queue};
use crate::process::{HistoryView, ProcessView};
use crate::task::{ErrorForm, Growth, Retry};

/// Arguments, and tasks that one waits for, that are shown.
const SHOWN_MAX: usize = 20;
/// Letters of a trace that are shown.
const TRACE_MAX: usize = 20_000;

/// The card of a task; nothing where it is not there.
pub(super) async fn card_of(
    console: &Console,
    task: TaskId,
    process: &ProcessView,
    history: &[HistoryView],
) -> Result<Markup, ApiError> {
    let Some(found) = console.read(&DETAIL, task.clone()).await?.out else { return Ok(html! {}) };
    let name = task.to_string();
    let own: Vec<&HistoryView> =
        history.iter().filter(|line| line.task_id.as_deref() == Some(&name)).take(SHOWN_MAX).collect();
    let title = console.fill(&words::TASK_N, &[("n", &task.number)]);
    let title = format!("{title}: {} {}", found.task.actor, found.task.method);
    let is_held = found.rules.blocked && matches!(found.stands(), Stands::Queued);
    let content = html! {
        @if is_held { (banner(Tone::Bad, html! { p { (console.say(&words::BLOCKED_BANNER)) } })) }
        div.columns { (about(console, &found)) (course(console, &found)) }
        (data_of(console, &found))
        @if !own.is_empty() { h3.task-part { (console.say(&words::ATTEMPTS)) } (past::rows(console, &task.process, own.into_iter())) }
    };
    Ok(html! { div #task { (card(title.trim(), actions(console, &found, process), content)) } })
}

fn actions(console: &Console, found: &Detail, process: &ProcessView) -> Markup {
    let (task, stands) = (&found.task, found.stands());
    let name = task.id.to_string();
    let is_broken = stands == Stands::Broken && process.state == "BROKEN";
    html! {
        @if is_broken { (process_actions::retry(console, &name).tone(Tone::Good)) }
        @if task.actor == SIGNAL && stands == Stands::Waiting { (process_actions::signal(console, &task.id.process, &task.method)) }
        @if found.decision.is_some() { (process_actions::restart_from(console, &task.id.process, &name)) }
    }
}

fn about(console: &Console, found: &Detail) -> Markup {
    let task = &found.task;
    let link = |number: i64| html! { a href=(task_page(console, &task.id.process, number)) { (number) } };
    let mut all = vec![
        (console.say(&common::STATE), html! { span #task-state { (state::of_task(console, found.stands())) } }),
        (console.say(&words::ACTOR), actor_link(console, &task.actor)),
    ];
    if !task.method.is_empty() {
        all.push((console.say(&words::METHOD), html! { bdi { (task.method) } }));
    }
    if let Some(local) = task.local.as_ref().filter(|local| !local.starts_with('#')) {
        all.push((console.say(&words::CALLED), html! { bdi { (local) } }));
    }
    if task.parent > 0 {
        all.push((console.say(&words::LAID_OUT_BY), link(task.parent)));
    }
    let waits = task.waits();
    if !waits.is_empty() {
        let more = waits.len().saturating_sub(SHOWN_MAX);
        all.push((
            console.say(&words::WAITS_FOR),
            html! { span.words { @for number in waits.iter().take(SHOWN_MAX) { (link(*number)) } @if more > 0 { "+" (more) } } },
        ));
    }
    if !task.list.is_empty() {
        all.push((console.say(&words::QUEUE), html! { code { (queue(&task.actor, &task.list)) } }));
    }
    if let Some(child) = &found.child {
        all.push((console.say(&words::OWN_PROCESS), id_link(&process_page(console, child), child)));
    }
    if let Some(key) = &task.more.key {
        all.push((console.say(&words::KEY), id(key)));
    }
    all.push((
        console.say(&words::AFTER_ERROR),
        html! { (after_error(console, task.more.retry.as_ref(), task.accept_fail)) },
    ));
    all.push((console.say(&common::ID), id(&task.id)));
    facts(&all)
}

/// What its policy is.
fn after_error(console: &Console, retry: Option<&Retry>, accept_fail: bool) -> Markup {
    let end = if accept_fail { &words::ERROR_IS_RESULT } else { &words::ERROR_BREAKS };
    html! {
        @if let Some(retry) = retry {
            @let kind = match retry.kind { Growth::Linear => &words::GROWS_LINEAR, Growth::Exponential => &words::GROWS_EXPONENTIAL };
            @let many = retry.max_attempts.map_or("∞".to_owned(), |most| console.language().number(most));
            (console.fill(&words::RETRIES, &[("n", &many), ("pause", &duration(console.language(), retry.initial_ms))])) ", " (console.say(kind)) "; "
        }
        (console.say(end))
    }
}

/// When it was ready, taken, over; and who has it until when.
fn course(console: &Console, found: &Detail) -> Markup {
    let exactly = |at: Option<Wall>| html! { @match at { Some(at) => { (console.moment(at)) span.sub { (plain(at)) } }, None => "—" } };
    let Some(decision) = &found.decision else {
        let start = found.task.start_at;
        let mut all = vec![(console.say(&words::READY), html! { (console.say(&words::NOT_READY)) })];
        if start.is_some() {
            all.push((console.say(&words::NOT_BEFORE), exactly(start)));
        }
        return facts(&all);
    };
    let mut all = vec![(console.say(&words::READY), exactly(Some(decision.ready_at)))];
    if found.task.start_at.is_some() {
        all.push((console.say(&words::NOT_BEFORE), exactly(found.task.start_at)));
    }
    if !is_own(&found.task.actor) {
        all.push((console.say(&words::TAKEN), exactly(decision.taken_at)));
    }
    all.push((console.say(&words::ENDED_AT), exactly(decision.finished_at)));
    if let Some(deadline) = decision.recovery.filter(|_| !found.stands().is_over()) {
        let at = console.now().plus_ms(deadline.0.saturating_sub(found.now.0));
        all.push((console.say(&words::DEADLINE), html! { (console.moment(at)) }));
    }
    if found.task.attempt > 0 {
        all.push((console.say(&words::ATTEMPT), html! { (found.task.attempt) }));
    }
    if decision.failures > 0 {
        all.push((console.say(&words::FAILURES), html! { (decision.failures) }));
    }
    if let Some(worker) = &decision.worker {
        all.push((console.say(&words::WORKER), html! { bdi { (worker) } }));
    }
    if !is_own(&found.task.actor) {
        all.push((
            console.say(&words::WORK_TIMEOUT),
            html! { (duration(console.language(), found.rules.work_timeout_ms)) },
        ));
    }
    facts(&all)
}

/// What it was given, and what it brought.
fn data_of(console: &Console, found: &Detail) -> Markup {
    let (task, decision) = (&found.task, found.decision.as_ref());
    let promised = |number: i64| {
        html! { a href=(task_page(console, &task.id.process, number)) { (console.fill(&words::RESULT_OF_N, &[("n", &number)])) } }
    };
    let more = task.args.0.len().saturating_sub(SHOWN_MAX);
    html! {
        h3.task-part { (console.say(&words::ARGUMENTS)) }
        @if task.args.0.is_empty() { p.hint { (console.say(&words::NO_ARGUMENTS)) } } @else {
            ol.task-args {
                @for argument in task.args.0.iter().take(SHOWN_MAX) {
                    li { @match (&argument.value, argument.promise) {
                        (Some(given), _) => (value(console, given.get())),
                        (None, Some(number)) => p { (promised(number)) },
                        (None, None) => p { "—" },
                    } }
                }
            }
            @if more > 0 { p.hint { (console.fill(&words::AND_N_MORE, &[("n", &more)])) } }
        }
        @if let Some(decision) = decision {
            @if let Some(other) = found.same_as() { h3.task-part { (console.say(&words::RESULT)) } p { (promised(other)) } }
            @if let Some(brought) = &decision.value { h3.task-part { (console.say(&words::RESULT)) } (value(console, brought)) }
            @if let Some(told) = &decision.error { h3.task-part { (console.say(&words::ERROR)) } (error(console, told)) }
            @if let Some(saved) = &decision.checkpoint { h3.task-part { (console.say(&words::CHECKPOINT)) } (value(console, saved)) }
        }
    }
}

/// An error that a worker told: class, message, trace.
pub(super) fn error(console: &Console, told: &ErrorForm) -> Markup {
    html! {
        p.task-error { b { bdi { (told.class) } } @if !told.message.is_empty() { ": " bdi.text { (told.message) } } }
        @if let Some(trace) = &told.trace {
            details.fold open { summary { (console.say(&words::TRACE)) } pre.data tabindex="0" { code { (trace.chars().take(TRACE_MAX).collect::<String>()) } } }
        }
    }
}
