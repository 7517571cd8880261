//! Broken tasks in groups (WFL-17): by who began, who failed, or what went wrong, within a time; each group restarted or aborted as a job.

use base::Wall;
use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::{filters, link};
use web::ui::parts::{banner, card, empty, table};
use web::ui::{Column, Field, Holds, Kind, Row, Text, Tone};
use web::{ApiError, Console, PageResult, QueryOf, View, field_moment};

use super::{BROKEN, OVERVIEW, above, job_forms, moment_of, number, views, when, words};
use crate::broken::{BROKEN as READ, BrokenOf, Group, Grouping};
use crate::routes::check_service;
use crate::search::{BrokenBy, Search};

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    pub(super) group: Grouping,
    pub(super) from: String,
    pub(super) to: String,
}

/// The ways of grouping.
const GROUPINGS: [(Grouping, &str, &Text); 3] = [
    (Grouping::Error, "error", &words::BY_ERROR),
    (Grouping::Actor, "actor", &words::BY_ACTOR),
    (Grouping::Starter, "starter", &words::BY_STARTER),
];

pub(super) fn word(grouping: Grouping) -> &'static str {
    GROUPINGS.iter().find(|(known, ..)| *known == grouping).map_or("error", |(_, word, _)| word)
}

impl Asked {
    /// The time, as programs say it.
    pub(super) fn times(&self) -> Result<(Option<String>, Option<String>), ApiError> {
        let at = |name: &str, text: &str| Ok::<_, ApiError>(field_moment(name, text)?.map(Wall::rfc3339));
        Ok((at("from", &self.from)?, at("to", &self.to)?))
    }

    /// A page of the same time.
    pub(super) fn at(&self, page: &str, more: &[(&str, Option<&str>)]) -> String {
        let mut query =
            vec![("group", Some(word(self.group))), ("from", Some(self.from.as_str())), ("to", Some(&self.to))];
        query.extend(more);
        link(page, &query)
    }

    /// The processes that a group breaks.
    pub(super) fn search(&self, name: Option<&str>) -> Result<Search, ApiError> {
        let ((from, to), named) =
            (self.times()?, |grouping| name.filter(|_| self.group == grouping).map(str::to_owned));
        let by = BrokenBy {
            starter: named(Grouping::Starter),
            actor: named(Grouping::Actor),
            error_class: named(Grouping::Error),
            from,
            to,
        };
        Ok(Search { state: Some("BROKEN".into()), broken: Some(by), ..Search::default() })
    }
}

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_service(&console)?;
    let (from, to) = asked.times()?;
    let found = console.read(&READ, BrokenOf { group: asked.group, from, to }).await?.out;
    let content = html! {
        (views(&console, BROKEN))
        (filter(&console, &asked))
        div.stack #broken data-live {
            @if found.more { (banner(Tone::Info, html! { p { (console.say(&words::MORE_BROKEN)) } })) }
            @if found.groups.is_empty() { (nothing(&console, &asked)) }
            @else { (card(console.say(grouped(asked.group)), html! { (total(&console, &found.groups)) }, rows(&console, &asked, &found.groups)?)) }
        }
    };
    let above = above(&console, OVERVIEW, &words::WORKFLOW);
    Ok(console.show(View { title: console.say(&words::BROKEN_TASKS), above: &above, actions: html! {}, content }))
}

fn grouped(grouping: Grouping) -> &'static Text {
    GROUPINGS.iter().find(|(known, ..)| *known == grouping).map_or(&words::BY_ERROR, |(.., text)| *text)
}

fn total(console: &Console, groups: &[Group]) -> String {
    console.count(&words::N_TASKS, groups.iter().map(|group| group.count).sum())
}

fn filter(console: &Console, asked: &Asked) -> Markup {
    let choices = GROUPINGS.iter().map(|(_, word, text)| ((*word).to_owned(), console.say(text).to_owned())).collect();
    let fields = [
        Field::new("group", console.say(&words::GROUP_BY), Kind::Text).value(word(asked.group)).choices(choices),
        Field::new("from", console.say(&words::BROKEN_FROM), Kind::Moment).value(&asked.from),
        Field::new("to", console.say(&words::BROKEN_TO), Kind::Moment).value(&asked.to),
    ];
    filters(&console.at(BROKEN), &fields, console.say(&words::GROUP))
}

fn nothing(console: &Console, asked: &Asked) -> Markup {
    let hint =
        if asked.from.is_empty() && asked.to.is_empty() { &words::NONE_BROKEN_HINT } else { &words::NONE_FOUND_HINT };
    empty(format!("✓ {}", console.say(&words::NONE_BROKEN)), html! { p { (console.say(hint)) } })
}

fn rows(console: &Console, asked: &Asked, groups: &[Group]) -> Result<Markup, ApiError> {
    let columns = [
        Column(console.say(grouped(asked.group)), Holds::Text),
        Column(console.say(&words::TASKS), Holds::Numbers),
        Column(console.say(&words::FIRST), Holds::Text),
        Column(console.say(&words::LAST), Holds::Text),
        Column(console.say(&words::LAST_MESSAGE), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let row = |group: &Group| {
        let page = asked.at(
            &console.at("workflow/broken/tasks"),
            &[("name", Some(&group.group)), ("all", group.group.is_empty().then_some("no"))],
        );
        Ok::<_, ApiError>(Row::of(vec![
            html! { a href=(page) { bdi { @if group.group.is_empty() { (console.say(&words::NO_CLASS)) } @else { (group.group) } } } },
            number(console, group.count),
            when(console, moment_of(Some(&group.first_at))),
            when(console, moment_of(Some(&group.last_at))),
            html! { bdi.text { (group.example.chars().take(200).collect::<String>()) } },
            actions(console, &asked.search(Some(&group.group))?, Tone::Quiet),
        ])
        .key(&group.group)
        .tone(Some(Tone::Bad)))
    };
    let rows = groups.iter().map(row).collect::<Result<Vec<_>, _>>()?;
    Ok(table(console.say(&words::BROKEN_TASKS), &columns, &rows))
}

/// What can be done with all of a group; the first of it in this tone.
pub(super) fn actions(console: &Console, search: &Search, first: Tone) -> Markup {
    html! {
        (job_forms::one_action(console, "retry_broken", &words::TRY_GROUP, search, &words::TRY_GROUP_SURE).tone(first))
        (job_forms::one_action(console, "restart", &words::RESTART_GROUP, search, &words::RESTART_GROUP_SURE))
        (job_forms::one_action(console, "abort", &words::ABORT_GROUP, search, &words::ABORT_GROUP_SURE).tone(Tone::Bad))
    }
}
