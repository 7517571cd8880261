//! The broken tasks of a group, newest first, with message and trace; each tried again by itself, or all as a job.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::Tone;
use web::ui::parts::{card, empty, id_link, pager};
use web::{Console, PageResult, QueryOf, View};

use super::broken::{self, Asked as Group};
use super::{BROKEN, above, actor_link, moment_of, process_actions, process_page, task, task_link, when, words};
use crate::broken::{BROKEN_TASKS, BrokenTask, BrokenTasksOf, Grouping};
use crate::routes::check_service;

/// Tasks of a page: each comes with its trace.
const PAGE: u32 = 20;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    group: Grouping,
    from: String,
    to: String,
    name: String,
    /// Not all of them, though there is no name: those of errors without a class.
    all: String,
    after: String,
}

impl Asked {
    fn group(&self) -> Group {
        Group { group: self.group, from: self.from.clone(), to: self.to.clone() }
    }

    /// The name of the group; none: all.
    fn name(&self) -> Option<&str> {
        (!self.name.is_empty() || self.all == "no").then_some(self.name.as_str())
    }

    fn at(&self, console: &Console, after: Option<&str>) -> String {
        let more = [("name", Some(self.name.as_str())), ("all", Some(&self.all)), ("after", after)];
        self.group().at(&console.at("workflow/broken/tasks"), &more)
    }
}

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_service(&console)?;
    let (from, to) = asked.group().times()?;
    let wanted = BrokenTasksOf {
        group: asked.group,
        name: asked.name().map(str::to_owned),
        from,
        to,
        after: web::given(Some(asked.after.clone())),
        limit: PAGE,
    };
    let found = console.read(&BROKEN_TASKS, wanted).await?.out;
    let next = found.next.as_deref().map(|next| asked.at(&console, Some(next)));
    let first = (!asked.after.is_empty()).then(|| asked.at(&console, None));
    let content = html! {
        div.stack #group data-live {
            @if found.tasks.is_empty() { (empty(console.say(&words::NONE_BROKEN), html! { p { (console.say(&words::GROUP_EMPTY)) } })) }
            @for task in &found.tasks { (one(&console, task)) }
            (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
        }
    };
    let search = asked.group().search(asked.name())?;
    let actions = html! { div.page-actions #group-actions data-live { @if !found.tasks.is_empty() { (broken::actions(&console, &search, Tone::Good)) } } };
    let mut above = above(&console, BROKEN, &words::BROKEN_TASKS);
    if let Some(last) = above.last_mut() {
        last.0 = asked.group().at(&console.at(BROKEN), &[]);
    }
    let title = match asked.name() {
        None => console.say(&words::ALL_BROKEN),
        Some("") => console.say(&words::NO_CLASS),
        Some(name) => name,
    };
    Ok(console.show(View { title, above: &above, actions, content }))
}

fn one(console: &Console, broken: &BrokenTask) -> Markup {
    let title = format!("{} {}", broken.actor, broken.method);
    let lead = html! {
        p.small.task-lead {
            (when(console, moment_of(Some(&broken.broken_at)))) ", " (console.fill(&words::ATTEMPT_N, &[("n", &broken.attempt)])) " · "
            bdi { (broken.kind) } " " (id_link(&process_page(console, &broken.process_id), &broken.process_id)) " · "
            (console.say(&words::STARTER)) " " (actor_link(console, &broken.starter)) " · "
            (task_link(console, &broken.task_id))
        }
    };
    let content = html! { (lead) (task::error(console, &broken.error)) };
    html! { div data-key=(broken.task_id) { (card(title.trim(), html! { (process_actions::retry(console, &broken.task_id)) }, content)) } }
}
