//! What the one box found (CON-11): pages and actions of the console, and things of every service, kind after kind, each with a link.

mod kinds;
mod suggest;

pub(crate) use kinds::{ACTIONS, KINDS};

use axum::extract::Query;
use axum::http::Uri;
use kernel::Role;
use kernel::find::{Found, OfKind};
use maud::{Markup, html};
use serde::Deserialize;

use super::frame::icon;
use super::help;
use super::page::{Entry, Page, PageResult};
use super::visit::{Console, View};
use crate::find::{ActionDef, FindDef, each_of, everything};
use crate::params::{QueryOf, given};
use crate::ui::form::{encoded, link};
use crate::ui::parts::{card, empty, id};
use crate::ui::{Language, Text};

pub(super) mod words {
    crate::texts! {
        TITLE: "Search", "Поиск", "Recherche";
        BOX: "Search everything", "Искать везде", "Tout rechercher";
        FOUND_FOR: "Search: {text}", "Поиск: {text}", "Recherche\u{a0}: {text}";
        PAGES: "Pages and actions", "Страницы и действия", "Pages et actions";
        MORE: "Show more", "Показать ещё", "En voir plus";
        NARROW: "There are more: type more of it", "Есть ещё: введите больше символов", "Il y en a d’autres\u{a0}: saisissez-en davantage";
        ALL_KINDS: "Everything that was found", "Всё найденное", "Tout ce qui a été trouvé";
        OFFERED: "Found while typing", "Найдено при вводе", "Trouvé pendant la saisie";
        NOTHING: "Nothing in “{ns}” fits", "В «{ns}» ничего не найдено", "Rien ne correspond dans «\u{a0}{ns}\u{a0}»";
        NOTHING_ELSEWHERE: "Other namespaces were not searched: choose one at the top, then search there.",
            "В других пространствах поиск не вёлся: выберите нужное вверху и ищите там.",
            "Les autres espaces n’ont pas été parcourus\u{a0}: choisissez-en un en haut, puis cherchez-y.";
        NOTHING_HINT: "Ids and names are found by their beginning, the journal by words among its newest lines. Documents by what is in them: search on the page of their class.",
            "Идентификаторы и имена ищутся по началу, журнал — по словам среди новых записей. Документы по содержимому — на странице их класса.",
            "Les identifiants et les noms se trouvent par leur début, le journal par des mots parmi ses lignes récentes. Les documents par leur contenu\u{a0}: sur la page de leur classe.";
        BEGIN: "Type an id, or the beginning of a name", "Введите идентификатор или начало имени", "Saisissez un identifiant ou le début d’un nom";
        BEGIN_HINT: "What can be found: {kinds}; and the pages and actions of this console by their names.",
            "Можно найти: {kinds}; а также страницы и действия этой консоли по названиям.",
            "Ce qui se trouve\u{a0}: {kinds}\u{a0}; et les pages et actions de cette console par leur nom.";
    }
}

/// A magnifying glass.
const GLASS: &str = "M6.5 1a5.5 5.5 0 1 0 3.3 9.9l3.7 3.7 1.4-1.4-3.7-3.7A5.5 5.5 0 0 0 6.5 1zm0 2a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7z";
const ROLES: &[Role] = &[Role::Operator, Role::Reader];

pub(super) fn pages() -> Vec<Page> {
    vec![Page::new("/console/{ns}/search", page).roles(ROLES), suggest::page()]
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Asked {
    q: String,
    kind: Option<String>,
}

async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    let text = asked.q.trim();
    if text.is_empty() {
        let content = begin(&console);
        return Ok(console.show(View { title: console.say(&words::TITLE), above: &[], actions: html! {}, content }));
    }
    let kind = given(asked.kind);
    let found = everything(&console, text, kind.as_deref(), each_of(kind.as_deref())).await?;
    let own = if kind.is_none() { own(&console, text) } else { vec![] };
    let mut guides = if kind.is_none() { help::titled(&console, text) } else { vec![] };
    guides.truncate(OWN_MAX);
    let title = console.fill(&words::FOUND_FOR, &[("text", &text)]);
    let content = html! {
        div.stack.found {
            @if own.is_empty() && found.is_empty() && guides.is_empty() {
                (nothing(&console))
            }
            @if !own.is_empty() { (card(console.say(&words::PAGES), html! {}, links(&own))) }
            @for (def, of_kind) in &found { (group(&console, def, of_kind, kind.is_none().then_some(text))) }
            @if !guides.is_empty() { (card(help::name(&console), html! {}, links(&guides))) }
        }
    };
    let all = kind.map(|_| (at(&console, text, None), console.say(&words::ALL_KINDS).to_owned()));
    let above: Vec<_> = all.into_iter().collect();
    Ok(console.show(View { title: &title, above: &above, actions: html! {}, content }))
}

/// Nothing is found in one namespace: in another one it may well be there.
fn nothing(console: &Console) -> Markup {
    let hint = html! {
        p { (console.say(&words::NOTHING_HINT)) }
        @if console.caller().everywhere { p { (console.say(&words::NOTHING_ELSEWHERE)) } }
    };
    empty(nothing_here(console), hint)
}

fn nothing_here(console: &Console) -> String {
    console.fill(&words::NOTHING, &[("ns", &console.namespace().name)])
}

fn begin(console: &Console) -> Markup {
    let allowed = console.shared().finds().filter(|def| console.may(def.route));
    let kinds: Vec<_> = allowed.map(|def| console.say(def.title).to_lowercase()).collect();
    let hint = console.fill(&words::BEGIN_HINT, &[("kinds", &kinds.join(", "))]);
    empty(console.say(&words::BEGIN), html! { p { (hint) } })
}

/// What the box finds for a text; of one kind, or of all.
fn at(console: &Console, text: &str, kind: Option<&str>) -> String {
    link(&console.at("search"), &[("q", Some(text)), ("kind", kind)])
}

/// What was found of a kind; with a text the way to more of it, without one there is none.
fn group(console: &Console, def: &FindDef, of_kind: &OfKind, text: Option<&str>) -> Markup {
    let more = html! {
        @match text.filter(|_| of_kind.more) {
            Some(text) => a href=(at(console, text, Some(def.kind))) { (console.say(&words::MORE)) },
            None => @if of_kind.more { span.hint { (console.say(&words::NARROW)) } },
        }
    };
    let rows = html! {
        ul.finds { @for found in &of_kind.found { li { (line(console, def, found)) } } }
    };
    card(console.say(def.title), more, rows)
}

fn line(console: &Console, def: &FindDef, found: &Found) -> Markup {
    html! {
        a href=(console.at(&(def.page)(found))) { bdi { (if found.name.is_empty() { &found.id } else { &found.name }) } }
        @if found.name != found.id && !found.name.is_empty() { (id(&found.id)) }
        @if !found.about.is_empty() { span.sub-text { bdi { (found.about) } } }
    }
}

fn links(own: &[(String, String)]) -> Markup {
    html! { ul.finds { @for (href, name) in own { li { a href=(href) { (name) } } } } }
}

/// Pages and actions of the console that are shown.
const OWN_MAX: usize = 8;

/// Pages and actions whose names have this text, in the person's language or in English; those first that begin with it.
fn own(console: &Console, text: &str) -> Vec<(String, String)> {
    let text = text.to_lowercase();
    let (role, at_administration) = (console.caller().role, console.at_administration());
    let seen = |entry: &&Entry| entry.access.allows(role) && (at_administration || !entry.at_administration);
    let pages = console.shared().pages().entries.iter().filter(seen);
    let pages = pages.map(|entry| (entry.nav.text, entry.path.replace("{ns}", &console.namespace().name)));
    let actions = console.shared().actions().filter_map(|action| Some((action.text, opens(console, action)?)));
    let fits = |(name, href): (&'static Text, String)| {
        Some((place(console, name, &text)?, href, console.say(name).to_owned()))
    };
    let mut found: Vec<_> = pages.chain(actions).filter_map(fits).collect();
    found.sort_by_key(|(place, ..)| *place > 0);
    found.into_iter().take(OWN_MAX).map(|(_, href, name)| (href, name)).collect()
}

/// Where a name has this text, if it does.
fn place(console: &Console, name: &Text, text: &str) -> Option<usize> {
    let languages = [console.language(), Language::English];
    languages.iter().filter_map(|language| language.say(name).to_lowercase().find(text)).min()
}

/// The page of an action, where the script opens its dialog; `None` if it is not for this caller.
fn opens(console: &Console, action: &ActionDef) -> Option<String> {
    let page =
        console.address(&format!("/console/{{ns}}/{}", action.page), &[]).filter(|_| console.may(action.route))?;
    let route = action.route.replace("{ns}", &console.namespace().name);
    Some(format!("{page}#open={}", encoded(&route)))
}

/// What this page was asked for.
fn sought(console: &Console) -> Option<String> {
    let here: Uri = console.here.parse().ok()?;
    Query::<Asked>::try_from_uri(&here).ok().map(|asked| asked.0.q)
}

/// The box, at the top of every page.
pub(super) fn search_box(console: &Console) -> Markup {
    let asked = console.is_at(&console.at("search")).then(|| sought(console)).flatten();
    html! {
        form.find method="get" action=(console.at("search")) role="search" aria-label=(console.say(&words::BOX)) {
            label {
                span.hidden { (console.say(&words::BOX)) }
                // No `search`, which could not be a box that offers something.
                input #find type="text" inputmode="search" enterkeyhint="search" name="q" maxlength="200" autocomplete="off"
                    spellcheck="false" placeholder=(console.say(&words::TITLE)) value=[asked] aria-keyshortcuts="Control+K"
                    data-suggest=(console.at("_suggest"));
                (icon(GLASS))
            }
            kbd aria-hidden="true" { "Ctrl K" }
            button.hidden type="submit" { (console.say(&words::BOX)) }
            div.find-offer.hidden {
                div #find-list role="listbox" aria-label=(console.say(&words::OFFERED)) {}
                p #find-told role="status" {}
            }
        }
    }
}
