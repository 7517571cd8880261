//! The list of tasks: by state in tabs, filtered, newest first.

use kernel::Namespace;
use kernel::overview::{FIND_STUCK, Look};
use kernel::tasks::{self, COUNT_MAX, STUCK_TASKS, Search, State, Tally, Task, Whose};
use maud::{Markup, html};

use super::super::page::PageResult;
use super::super::visit::{Console, View};
use super::super::words as common;
use super::search::{Asked, Found, find};
use super::{address, delete_form, failure, new, not_seen, of_server, queue_name, run_form, state_badge, words};
use crate::error::ApiError;
use crate::params::QueryOf;
use crate::ui::form::filters;
use crate::ui::parts::{badge, banner, empty, pager, table, tabs};
use crate::ui::{Column, Field, Holds, Kind, Row, Text, Tone};

pub(super) async fn list(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    let found = find(&console, &asked).await?;
    let counts = counts(&console, asked.whose()?).await?;
    let content = html! {
        div #states data-live { (states(&console, &asked, counts.as_ref())) }
        (filter(&console, &asked))
        div.stack #tasks data-live {
            (not_seen(&console, &found.missed))
            (stuck(&console).await)
            (left_out(&console, &asked).await?)
            @if found.tasks.is_empty() { (nothing(&console, &asked, found.next.is_some())) } @else { (rows(&console, &found)) }
            (pages(&console, &asked, &found))
        }
    };
    let actions = html! { (new::form(&console)) };
    Ok(console.show(View { title: console.say(&words::TASKS), above: &[], actions, content }))
}

/// How many there are of each state. Not at the administrators' namespace: counting in every namespace would not be cheap.
async fn counts(console: &Console, whose: Whose) -> Result<Option<Tally>, ApiError> {
    if console.at_administration() {
        return Ok(None);
    }
    if whose != Whose::All {
        return Ok(Some(console.read(&tasks::TALLY, Search { whose, ..Search::default() }).await?.out));
    }
    let counts = console.read(&tasks::COUNTS, console.now()).await?.out;
    let (waiting, goes_on) = ((counts.due + counts.later).min(COUNT_MAX), false);
    let (behind, running, parked) = (counts.behind, counts.running, counts.parked);
    Ok(Some(Tally { waiting, behind, running, parked, goes_on }))
}

/// What should have gone on is never out of sight, whosever it is.
async fn stuck(console: &Console) -> Markup {
    let look = Look::at(console.kernel());
    let found = if console.at_administration() { None } else { console.read(&FIND_STUCK, look).await.ok() };
    let tasks = found.map_or(0, |found| found.out.iter().filter(|found| STUCK_TASKS.contains(&found.what)).count());
    html! { @if tasks > 0 {
        (banner(Tone::Bad, html! {
            (console.count(&words::STUCK_TASKS, i64::try_from(tasks).unwrap_or(i64::MAX))) " "
            a href=(console.at("stuck")) { (console.say(&words::WHY_STUCK)) }
        }))
    } }
}

/// How many of the server's own fit as well, and the way to them.
async fn left_out(console: &Console, asked: &Asked) -> Result<Markup, ApiError> {
    let to = |whose: &'static str| {
        asked.link(console, |asked| {
            whose.clone_into(&mut asked.whose);
            asked.after.clear();
        })
    };
    if asked.whose()? != Whose::People {
        return Ok(
            html! { p.hint { (console.say(&words::SERVERS_SHOWN)) " " a href=(to("")) { (console.say(&words::HIDE_SERVERS)) } } },
        );
    }
    let said = if console.at_administration() {
        console.say(&words::SERVERS_HIDDEN).to_owned()
    } else {
        let search = Search { whose: Whose::Server, ..asked.search()? };
        let tally = console.read(&tasks::TALLY, search).await?.out;
        if tally.all() == 0 && !tally.goes_on {
            return Ok(html! {});
        }
        console.fill(&words::SO_MANY_HIDDEN, &[("count", &number(console, tally.all(), tally.goes_on))])
    };
    Ok(html! { p.hint { (said) " " a href=(to("all")) { (console.say(&words::SHOW_SERVERS)) } } })
}

/// A count, with a mark where there may be more.
fn number(console: &Console, count: i64, goes_on: bool) -> String {
    let more = if goes_on || count >= COUNT_MAX { "+" } else { "" };
    format!("{}{more}", console.language().number(count))
}

fn states(console: &Console, asked: &Asked, counts: Option<&Tally>) -> Markup {
    let tabs_of: [(&str, &Text, Option<i64>); 5] = [
        ("", &words::ANY_STATE, None),
        ("waiting", &words::WAITING, counts.map(|counts| counts.waiting)),
        ("behind", &words::BEHIND, counts.map(|counts| counts.behind)),
        ("running", &words::RUNNING, counts.map(|counts| counts.running)),
        ("parked", &words::PARKED, counts.map(|counts| counts.parked)),
    ];
    let tab = |(state, text, count): (&str, &Text, Option<i64>)| {
        let href = asked.link(console, |asked| {
            state.clone_into(&mut asked.state);
            asked.after.clear();
        });
        let goes_on = counts.is_some_and(|counts| counts.goes_on);
        let count = count.map(|count| format!(" {}", number(console, count, goes_on))).unwrap_or_default();
        (href, format!("{}{count}", console.say(text)), asked.state == state)
    };
    tabs(console.say(&common::STATE), &tabs_of.map(tab))
}

fn filter(console: &Console, asked: &Asked) -> Markup {
    let text =
        |name, label: &Text, kind, value: &String| Field::new(name, console.say(label), kind).value(value.clone());
    let workers = console.kernel().task_config().workers.len();
    let mut queues = vec![(String::new(), console.say(&common::ALL_OF_THEM).to_owned())];
    let numbers = (0..workers).filter_map(|queue| i64::try_from(queue).ok());
    queues.extend(numbers.map(|queue| (queue.to_string(), queue_name(console, queue))));
    // The usual one is no filter that is in use.
    let choice = |(word, text): (&str, &Text)| (word.to_owned(), console.say(text).to_owned());
    let orders = [("", &words::NEWEST), ("oldest", &words::OLDEST)].map(choice);
    let whose = [("", &words::OF_PEOPLE), ("all", &words::OF_ALL), ("server", &words::OF_SERVER)].map(choice);
    let fields = [
        text("op", &words::OPERATION, Kind::Text, &asked.op),
        text("info", &words::INFO, Kind::Text, &asked.info),
        text("queue", &words::QUEUE, Kind::Text, &asked.queue).choices(queues),
        text("retry", &words::RETRIES_MIN, Kind::Number, &asked.retry),
        text("from", &words::FROM_UTC, Kind::Moment, &asked.from),
        text("to", &words::TO_UTC, Kind::Moment, &asked.to),
        text("order", &words::ORDER, Kind::Text, &asked.order).choices(orders.into()),
        text("whose", &words::WHOSE, Kind::Text, &asked.whose).choices(whose.into()),
        Field::new("state", "", Kind::Hidden).value(asked.state.clone()),
    ];
    filters(&console.at("tasks"), &fields, console.say(&common::FILTER))
}

fn nothing(console: &Console, asked: &Asked, more: bool) -> Markup {
    let fits_any = !asked.filters() && asked.state.is_empty();
    let (title, hint) = match (more, fits_any) {
        (true, _) => (&words::NOTHING_YET, &words::NOTHING_YET_HINT),
        (false, true) => (&words::NO_TASKS, &words::NO_TASKS_HINT),
        (false, false) => (&words::NOTHING_FITS, &words::NOTHING_FITS_HINT),
    };
    let hint = html! {
        p { (console.say(hint)) }
        @if !fits_any { a.button href=(console.at("tasks")) { (console.say(&common::RESET)) } }
    };
    empty(console.say(title), hint)
}

fn pages(console: &Console, asked: &Asked, found: &Found) -> Markup {
    let first = (!asked.after.is_empty()).then(|| asked.link(console, |asked| asked.after.clear()));
    let next = found.next.clone().map(|next| asked.link(console, |asked| asked.after = next));
    pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next))
}

fn rows(console: &Console, found: &Found) -> Markup {
    let everywhere = console.at_administration();
    let mut columns = vec![
        Column(console.say(&words::OPERATION), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column(console.say(&words::STARTS), Holds::Text),
        Column(console.say(&words::TRIES), Holds::Numbers),
        Column(console.say(&words::QUEUE), Holds::Text),
        Column(console.say(&words::LAST_FAILURE), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    if everywhere {
        columns.insert(1, Column(console.say(&common::NAMESPACE), Holds::Text));
    }
    let rows: Vec<Row> = found.tasks.iter().map(|(ns, task)| row(console, ns, task, everywhere)).collect();
    table(console.say(&words::TASKS), &columns, &rows)
}

fn row(console: &Console, ns: &Namespace, task: &Task, everywhere: bool) -> Row {
    let mut cells = vec![
        name(console, &ns.name, task),
        state_badge(console, task.state()),
        starts(console, task),
        html! { (console.language().number(task.attempt)) },
        html! { (queue_name(console, task.queue)) },
        failure::short(task),
        html! { (run_form(console, &ns.name, task)) @if let Some(form) = delete_form(console, &ns.name, task) { (form) } },
    ];
    if everywhere {
        cells.insert(1, html! { (ns.name) });
    }
    Row::of(cells).tone(tone(task)).key(format!("{}.{}", ns.name, task.id))
}

fn tone(task: &Task) -> Option<Tone> {
    match task.state() {
        State::Parked => Some(Tone::Bad),
        State::Running => Some(Tone::Info),
        State::Waiting | State::Behind => (task.retry > 0).then_some(Tone::Warn),
    }
}

fn name(console: &Console, namespace: &str, task: &Task) -> Markup {
    html! {
        a href=(address(namespace, task.id)) { (task.op) }
        @if of_server(console, task) { " " (badge(Tone::Quiet, console.say(&words::SERVERS))) }
        @if !task.info.is_empty() { span.sub { (task.info) } }
    }
}

/// When it starts, or started.
fn starts(console: &Console, task: &Task) -> Markup {
    match (task.state(), task.start_time) {
        (State::Running, Some(started)) => console.moment(started),
        (State::Parked, _) => html! {},
        (State::Waiting | State::Behind | State::Running, _) => console.moment(task.start_at),
    }
}
