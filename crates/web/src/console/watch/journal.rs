//! The journal (CON-8): newest first, with filters; new lines appear by themselves on its first page.

use kernel::journal::search::{Found, LOOKED_AT_MAX, Line, Place, SEARCH_JOURNAL, Search};
use maud::{Markup, html};
use serde::Deserialize;

use super::subject::subject;
use super::{ROWS, WATCHERS};
use crate::console::nav::{Group, Nav};
use crate::console::page::{Page, PageResult};
use crate::console::visit::{Console, View};
use crate::console::{who, words as common};
use crate::error::ApiError;
use crate::params::{QueryOf, given};
use crate::time::field_moment;
use crate::ui::form::{filters, link};
use crate::ui::parts::{Column, Holds, Row, badge, empty, pager, table};
use crate::ui::{Field, Kind, Tone};

pub(in crate::console) mod words {
    crate::texts! {
        JOURNAL: "Journal", "Журнал", "Journal";
        KIND: "Kind or its beginning", "Вид или его начало", "Type ou son début";
        SUBJECT: "About", "О чём", "Objet";
        FROM: "From (UTC)", "С (UTC)", "Du (UTC)";
        TO: "To (UTC)", "По (UTC)", "Au (UTC)";
        EMPTY: "Nothing happened yet", "Пока ничего не произошло", "Il ne s’est encore rien passé";
        EMPTY_HINT: "Logins, changes of keys and accounts, parked tasks and whatever an operator would want to read later is written here.",
            "Здесь записываются входы, изменения ключей и учётных записей, остановленные задачи и всё, что оператор захочет прочитать позже.",
            "Les connexions, les changements de clés et de comptes, les tâches arrêtées et tout ce qu’un opérateur voudrait relire s’écrivent ici.";
        NOT_FOUND: "Nothing fits", "Ничего не подходит", "Rien ne correspond";
        NOT_FOUND_HINT: "Use fewer words, a shorter kind, or a longer time.",
            "Возьмите меньше слов, более короткий вид или больший промежуток времени.",
            "Essayez moins de mots, un type plus court ou une période plus longue.";
        SEARCHED: "{count} lines were searched. Older ones may fit: go on.",
            "Просмотрено строк: {count}. Могут подойти и более старые: продолжайте.",
            "{count} lignes parcourues. De plus anciennes peuvent convenir\u{a0}: continuez.";
    }
}

const ICON: &str = "M2 2h12v2H2zM2 7h12v2H2zM2 12h8v2H2z";

pub(super) fn pages() -> Vec<Page> {
    let nav = Nav { group: Group::Watch, place: 20, text: &words::JOURNAL, icon: ICON };
    vec![Page::new("/console/{ns}/journal", journal).roles(WATCHERS).nav(nav)]
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Asked {
    kind: Option<String>,
    who: Option<String>,
    subject: Option<String>,
    q: Option<String>,
    from: Option<String>,
    to: Option<String>,
    after: Option<String>,
}

impl Asked {
    /// Without what was left empty.
    fn tidy(self) -> Self {
        let Self { kind, who, subject, q, from, to, after } = self;
        Self {
            kind: given(kind),
            who: given(who),
            subject: given(subject),
            q: given(q),
            from: given(from),
            to: given(to),
            after: given(after),
        }
    }

    fn search(&self) -> Result<Search, ApiError> {
        Ok(Search {
            from: field_moment("from", self.from.as_deref().unwrap_or_default())?,
            to: field_moment("to", self.to.as_deref().unwrap_or_default())?,
            kind: self.kind.clone(),
            subject: self.subject.clone(),
            caller: self.who.as_ref().map(|who| who.to_lowercase()),
            words: kernel::watch::query_words(self.q.as_deref().unwrap_or_default())?,
            after: self.after.as_deref().map(Place::read).transpose()?,
            limit: ROWS as usize,
        })
    }

    fn is_filtered(&self) -> bool {
        [&self.kind, &self.who, &self.subject, &self.q, &self.from, &self.to].into_iter().any(Option::is_some)
    }

    fn link(&self, console: &Console, after: Option<&str>) -> String {
        let all = [("kind", &self.kind), ("who", &self.who), ("subject", &self.subject), ("q", &self.q)];
        let times = [("from", &self.from), ("to", &self.to)];
        let mut query: Vec<_> = all.into_iter().chain(times).map(|(name, value)| (name, value.as_deref())).collect();
        query.push(("after", after));
        link(&console.at("journal"), &query)
    }
}

async fn journal(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    let asked = asked.tidy();
    let found = console.read(&SEARCH_JOURNAL, asked.search()?).await?.out;
    let first = asked.after.is_none();
    let content = html! {
        (form(&console, &asked))
        div #journal data-live[first] { (lines(&console, &asked, &found)) }
    };
    Ok(console.show(View { title: console.say(&words::JOURNAL), above: &[], actions: html! {}, content }))
}

fn form(console: &Console, asked: &Asked) -> Markup {
    let text = |name: &'static str, label, value: &Option<String>, kind| {
        Field::new(name, console.say(label), kind).value(value.clone().unwrap_or_default())
    };
    let fields = [
        text("kind", &words::KIND, &asked.kind, Kind::Text),
        text("who", &common::WHO, &asked.who, Kind::Text),
        text("subject", &words::SUBJECT, &asked.subject, Kind::Text),
        text("q", &common::TEXT, &asked.q, Kind::Text),
        text("from", &words::FROM, &asked.from, Kind::Moment),
        text("to", &words::TO, &asked.to, Kind::Moment),
    ];
    html! {
        (filters(&console.at("journal"), &fields, console.say(&common::FILTER)))
        @if asked.is_filtered() { p.hint { a href=(console.at("journal")) { (console.say(&common::SHOW_ALL)) } } }
    }
}

fn lines(console: &Console, asked: &Asked, found: &Found) -> Markup {
    let next = found.next.as_ref().map(|place| asked.link(console, Some(&place.text())));
    let first = asked.after.is_some().then(|| asked.link(console, None));
    // A search ends where it has looked at enough, found or not.
    let cut = found.next.is_some() && found.lines.len() < ROWS as usize;
    let count = console.language().number(i64::try_from(LOOKED_AT_MAX).unwrap_or(i64::MAX));
    html! {
        @if found.lines.is_empty() { (nothing(console, asked, cut)) } @else { (listed(console, &found.lines)) }
        @if cut { p.hint { (console.fill(&words::SEARCHED, &[("count", &count)])) } }
        (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
    }
}

fn nothing(console: &Console, asked: &Asked, cut: bool) -> Markup {
    let searched = asked.is_filtered() || asked.after.is_some() || cut;
    let (title, hint) =
        if searched { (&words::NOT_FOUND, &words::NOT_FOUND_HINT) } else { (&words::EMPTY, &words::EMPTY_HINT) };
    empty(console.say(title), html! { p { (console.say(hint)) } })
}

fn listed(console: &Console, lines: &[Line]) -> Markup {
    let columns = [
        Column(console.say(&common::WHEN), Holds::Text),
        Column(console.say(&common::KIND), Holds::Text),
        Column(console.say(&words::SUBJECT), Holds::Text),
        Column(console.say(&common::WHO), Holds::Text),
        Column(console.say(&common::TEXT), Holds::Text),
    ];
    let row = |line: &Line| {
        let cells = vec![
            console.moment(line.at),
            badge(tone(&line.kind), &line.kind),
            subject(console, &line.kind, &line.subject),
            who(console, &line.caller),
            html! { span.text { (line.text) } },
        ];
        Row::of(cells).key(&line.id)
    };
    table(console.say(&words::JOURNAL), &columns, &lines.iter().map(row).collect::<Vec<_>>())
}

/// Kinds are many and grow; their last word tells how much they matter.
fn tone(kind: &str) -> Tone {
    match kind.rsplit('.').next().unwrap_or_default() {
        "failed" | "damaged" | "undecided" | "lost" => Tone::Bad,
        "parked" | "revoked" | "deleted" | "removed" | "removing" | "suspended" | "taken" | "blocked" => Tone::Warn,
        "created" | "opened" | "healed" | "resumed" | "written" | "restored" | "given" => Tone::Good,
        _ => Tone::Quiet,
    }
}
