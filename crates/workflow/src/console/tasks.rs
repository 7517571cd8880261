//! The tasks of a process as a list, of an actor and in a state: where a picture puts many that are alike together.

use base::codes;
use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::{filters, link};
use web::ui::moment::duration;
use web::ui::parts::{empty, pager, table};
use web::ui::{Column, Field, Holds, Kind, Row};
use web::{ApiError, Console, PageResult, PathOf, QueryOf, View};

use super::reads::{LINES, Stands, TaskLine};
use super::{IdPath, PAGE, PROCESSES, above, actor_link, nothing, process_page, state, task_page, when, words};
use crate::codes::NFLOW;
use crate::process::{PROCESS, ProcessView};
use crate::routes::check_service;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    actor: String,
    state: String,
    /// Behind this task.
    after: Option<i64>,
}

impl Asked {
    fn stands(&self) -> Result<Option<Stands>, ApiError> {
        let wrong = || ApiError::refused(codes::ABODY, "state is one of waiting, queued, work, done, failed, broken");
        let known = || Stands::ALL.into_iter().find(|stands| state::key(*stands) == self.state).ok_or_else(wrong);
        if self.state.is_empty() { Ok(None) } else { known().map(Some) }
    }

    fn at(&self, console: &Console, process: &str, after: Option<i64>) -> String {
        let after = after.map(|after| after.to_string());
        let page = format!("{}/tasks", process_page(console, process));
        link(&page, &[("actor", Some(&self.actor)), ("state", Some(&self.state)), ("after", after.as_deref())])
    }
}

pub(super) async fn page(
    console: Console,
    PathOf(IdPath { id }): PathOf<IdPath>,
    QueryOf(asked): QueryOf<Asked>,
) -> PageResult {
    check_service(&console)?;
    let mut above = above(&console, PROCESSES, &words::PROCESSES);
    let process = match console.read(&PROCESS, id.clone()).await {
        Ok(process) => process.out,
        Err(ApiError(error)) if error.code == NFLOW => {
            return nothing(&console, &id, &above, &words::NO_SUCH_PROCESS, &words::NO_SUCH_PROCESS_HINT);
        }
        Err(error) => return Err(error),
    };
    above.push((process_page(&console, &id), name(&process)));
    let stands = asked.stands()?;
    let all = console.read(&LINES, id.clone()).await?.out;
    let is_wanted = |task: &&TaskLine| {
        (asked.actor.is_empty() || task.actor == asked.actor)
            && stands.is_none_or(|stands| stands == task.stands)
            && asked.after.is_none_or(|after| task.number > after)
    };
    let found: Vec<&TaskLine> = all.iter().filter(is_wanted).take(PAGE as usize + 1).collect();
    let shown = &found[..found.len().min(PAGE as usize)];
    let next =
        shown.last().filter(|_| found.len() > shown.len()).map(|last| asked.at(&console, &id, Some(last.number)));
    let first = asked.after.map(|_| asked.at(&console, &id, None));
    let content = html! {
        (filter(&console, &id, &asked, &all))
        div #tasks data-live {
            @if shown.is_empty() { (empty(console.say(&words::NONE_FOUND), html! { p { (console.say(&words::NONE_FOUND_HINT)) } })) }
            @else { (rows(&console, &id, shown)) }
            (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
        }
    };
    Ok(console.show(View { title: console.say(&words::TASKS), above: &above, actions: html! {}, content }))
}

fn name(process: &ProcessView) -> String {
    process.custom_id.clone().unwrap_or_else(|| process.process_id.clone())
}

fn filter(console: &Console, process: &str, asked: &Asked, tasks: &[TaskLine]) -> Markup {
    let all = || std::iter::once((String::new(), console.say(&common::ALL_OF_THEM).to_owned()));
    let actors: std::collections::BTreeSet<&str> = tasks.iter().map(|task| task.actor.as_str()).take(10_000).collect();
    let actors = actors.into_iter().take(100).map(|actor| (actor.to_owned(), actor.to_owned()));
    let states = Stands::ALL.map(|stands| (state::key(stands).to_owned(), console.say(state::word(stands)).to_owned()));
    let fields = [
        Field::new("actor", console.say(&words::ACTOR), Kind::Text)
            .value(&asked.actor)
            .choices(all().chain(actors).collect()),
        Field::new("state", console.say(&common::STATE), Kind::Text)
            .value(&asked.state)
            .choices(all().chain(states).collect()),
    ];
    filters(&format!("{}/tasks", process_page(console, process)), &fields, console.say(&common::FILTER))
}

fn rows(console: &Console, process: &str, tasks: &[&TaskLine]) -> Markup {
    let columns = [
        Column(console.say(&words::TASK), Holds::Text),
        Column(console.say(&words::ACTOR), Holds::Text),
        Column(console.say(&words::METHOD), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column(console.say(&words::ATTEMPT), Holds::Numbers),
        Column(console.say(&words::READY), Holds::Text),
        Column(console.say(&words::LASTS), Holds::Numbers),
    ];
    let row = |task: &&TaskLine| {
        let end = task.finished_at.unwrap_or(console.now());
        let lasts = task.ready_at.map(|ready| duration(console.language(), end.0.saturating_sub(ready.0)));
        Row::of(vec![
            html! { a.id href=(task_page(console, process, task.number)) { (task.number) } @if let Some(local) = &task.local { span.sub { bdi { (local) } } } },
            actor_link(console, &task.actor),
            html! { bdi { (task.method) } },
            html! { (state::of_task(console, task.stands)) @if let Some(class) = &task.error_class { span.sub { bdi { (class) } } } },
            html! { (task.attempt) },
            html! { @if task.ready_at.is_some() { (when(console, task.ready_at)) } },
            html! { @if let Some(lasts) = lasts { (lasts) } },
        ])
        .key(task.number.to_string())
    };
    table(console.say(&words::TASKS), &columns, &tasks.iter().map(row).collect::<Vec<_>>())
}
