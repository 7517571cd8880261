//! One process (WFL-23): how it stands and why, its tasks as a picture, one of them in detail, and what happened to it.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::link;
use web::ui::moment::duration;
use web::ui::parts::{card, empty, facts, id};
use web::{ApiError, Console, PageResult, PathOf, QueryOf, View};

use super::picture::{Layout, Marks, Picture, legend};
use super::reads::{LINES, Stands, TaskLine, WAITS};
use super::{
    IdPath, PROCESSES, above, actor_link, moment_of, nothing, number, past, process_actions, process_tasks_page, state,
    task, task_link, value, verdict, when, words,
};
use crate::codes::NFLOW;
use crate::names::TaskId;
use crate::process::{HISTORY, HistoryView, PROCESS, ProcessView};
use crate::routes::check_service;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    /// The task that is shown in detail.
    task: Option<i64>,
}

pub(super) async fn page(
    console: Console,
    PathOf(IdPath { id }): PathOf<IdPath>,
    QueryOf(asked): QueryOf<Asked>,
) -> PageResult {
    check_service(&console)?;
    let above = above(&console, PROCESSES, &words::PROCESSES);
    let process = match console.read(&PROCESS, id.clone()).await {
        Ok(process) => process.out,
        Err(ApiError(error)) if error.code == NFLOW => {
            return nothing(&console, &id, &above, &words::NO_SUCH_PROCESS, &words::NO_SUCH_PROCESS_HINT);
        }
        Err(error) => return Err(error),
    };
    let tasks = console.read(&LINES, id.clone()).await?.out;
    let history = console.read(&HISTORY, id.clone()).await?.out;
    let chosen = asked.task.or_else(|| first_to_see(&process, &tasks));
    let picture = picture(&console, &process, &tasks, &history, chosen).await?;
    let detail = match chosen {
        Some(number) => task::card_of(&console, TaskId::new(&id, number), &process, &history).await?,
        None => html! {},
    };
    let content = html! {
        div.stack #process data-live {
            (verdict::shown(&console, &process))
            div.columns { (about(&console, &process, &tasks)) (outcome(&console, &process)) }
            (picture)
            (detail)
            (past::card_of(&console, &id, &history))
        }
    };
    let actions = html! { div.page-actions #process-actions data-live { (process_actions::all(&console, &process)) } };
    Ok(console.show(View { title: &title(&process), above: &above, actions, content }))
}

/// People know a process by their own id.
fn title(process: &ProcessView) -> String {
    match &process.custom_id {
        Some(custom_id) => format!("{} {custom_id}", process.kind),
        None => format!("{} {}", process.kind, process.process_id),
    }
}

/// The task that the verdict is about, else the one that a process began with.
fn first_to_see(process: &ProcessView, tasks: &[TaskLine]) -> Option<i64> {
    let named = process.verdict.as_ref().and_then(|verdict| verdict.task_id.as_deref());
    let named = named.and_then(|task| task.parse::<TaskId>().ok()).map(|task| task.number);
    named.or_else(|| tasks.first().map(|task| task.number))
}

async fn picture(
    console: &Console,
    process: &ProcessView,
    tasks: &[TaskLine],
    history: &[HistoryView],
    chosen: Option<i64>,
) -> Result<Markup, ApiError> {
    let layout = Layout::of(tasks, chosen);
    let waits = console.read(&WAITS, (process.process_id.clone(), layout.single(tasks))).await?.out;
    let marks = marks(history);
    let drawn = Picture {
        process: &process.process_id,
        tasks,
        layout: &layout,
        waits: &waits,
        marks: &marks,
        started: moment_of(Some(&process.started_at)).unwrap_or(console.now()),
        ended: moment_of(process.ended_at.as_deref()),
        chosen,
    };
    let all = process_tasks_page(console, &process.process_id, None, None);
    let content = match tasks.is_empty() {
        true => empty(console.say(&words::NO_TASKS), html! { p { (console.say(&words::NO_TASKS_HINT)) } }),
        false => html! { (drawn.draw(console)) (legend(console)) },
    };
    let aside =
        html! { a href=(all) { (console.say(&words::ALL_TASKS)) " (" (number(console, many(tasks.iter()))) ")" } };
    Ok(card(console.say(&words::TREE_AND_TIMELINE), aside, content))
}

/// When attempts failed or fell silent, by task.
fn marks(history: &[HistoryView]) -> Marks {
    let mut marks = Marks::new();
    for line in history.iter().filter(|line| ["failed", "work-timeout", "task-timeout"].contains(&line.kind.as_str())) {
        let task = line.task_id.as_deref().and_then(|task| task.parse::<TaskId>().ok());
        if let (Some(task), Some(at)) = (task, moment_of(Some(&line.at))) {
            marks.entry(task.number).or_default().push(at);
        }
    }
    marks
}

fn about(console: &Console, process: &ProcessView, tasks: &[TaskLine]) -> Markup {
    let (started, ended) = (moment_of(Some(&process.started_at)), moment_of(process.ended_at.as_deref()));
    let lasts = started.map_or(0, |started| ended.unwrap_or(console.now()).0.saturating_sub(started.0));
    let of_type = link(&console.at(PROCESSES), &[("type", Some(&process.kind))]);
    let mut all = vec![
        (console.say(&common::STATE), html! { span #state { (state::of_process(console, &process.state)) } }),
        (console.say(&words::TYPE), html! { a href=(of_type) { bdi { (process.kind) } } }),
    ];
    if let Some(custom_id) = &process.custom_id {
        all.push((console.say(&words::CUSTOM_ID), id(custom_id)));
    }
    all.extend([
        (console.say(&words::STARTED), when(console, started)),
        (console.say(&words::LASTS), html! { (duration(console.language(), lasts)) @if ended.is_some() { ", " (console.say(&words::ENDED)) " " (when(console, ended)) } }),
        (console.say(&words::TASKS), counts(console, &process.process_id, tasks)),
    ]);
    if let Some(first) = tasks.first() {
        all.push((console.say(&words::STARTER), actor_link(console, &first.actor)));
    }
    if let Some(parent) = &process.parent {
        all.push((console.say(&words::PARENT), task_link(console, parent)));
    }
    all.push((console.say(&common::ID), id(&process.process_id)));
    card(console.say(&words::PROCESS), html! {}, facts(&all))
}

fn many<'a>(tasks: impl Iterator<Item = &'a TaskLine>) -> i64 {
    i64::try_from(tasks.count()).unwrap_or(i64::MAX)
}

/// How many tasks stand how, each with the way to them.
fn counts(console: &Console, process: &str, tasks: &[TaskLine]) -> Markup {
    let of = |stands: Stands| many(tasks.iter().filter(|task| task.stands == stands));
    html! {
        span.words {
            @for stands in Stands::ALL {
                @let many = of(stands);
                @if many > 0 {
                    a href=(process_tasks_page(console, process, None, Some(stands))) { (console.say(state::word(stands))) "\u{a0}" (number(console, many)) }
                }
            }
        }
    }
}

/// What came of it: its value, or its error.
fn outcome(console: &Console, process: &ProcessView) -> Markup {
    match (&process.error, &process.value) {
        (Some(error), _) => card(console.say(&words::ERROR), html! {}, task::error(console, error)),
        (None, Some(found)) => card(console.say(&words::RESULT), html! {}, value(console, found.get())),
        (None, None) => {
            card(console.say(&words::RESULT), html! {}, empty(console.say(&words::NO_RESULT_YET), html! {}))
        }
    }
}
