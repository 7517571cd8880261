//! The frame of the console's pages: where one is, who one is, whether what is seen is true right now.

use axum::response::Response;
use kernel::Role;
use maud::{Markup, html};

use super::nav::Group;
use super::page::Entry;
use super::visit::{Console, View};
use super::{find, help, keyboard, words};
use crate::ui::form::link;
use crate::ui::parts::badge;
use crate::ui::{self, Head, Language, Text, Theme, Tone};

/// A tower.
const TOWER: &str = "M2 1h3v2h2V1h2v2h2V1h3v5l-2 2v7h-3v-4H7v4H4V8L2 6z";
const BARS: &str = "M1 3h14v2H1zM1 7h14v2H1zM1 11h14v2H1z";

/// The whole page.
pub(super) fn shown(console: &Console, view: &View<'_>) -> Response {
    let config = console.shared().config();
    let live = console.at("_live");
    let head = Head {
        title: view.title,
        server: &config.name,
        language: console.language(),
        theme: console.preferences.theme,
        refresh_s: None,
        script: true,
        csrf: console.visitor().session.as_deref().map(|session| session.csrf.as_str()),
        live: Some(&live),
    };
    ui::page(head.around(&body(console, view)).into())
}

fn body(console: &Console, view: &View<'_>) -> Markup {
    html! {
        body.console data-single-keys=[(!console.preferences.single_keys).then_some("off")] {
            a.skip href="#content" { (console.say(&words::SKIP)) }
            (top(console))
            div.shell {
                nav.side #side aria-label=(console.say(&words::PAGES)) { (side(console)) }
                main #content tabindex="-1" {
                    noscript { p.banner.warn { (console.say(&words::NEEDS_SCRIPT)) } }
                    header.page-head {
                        (above(console, view))
                        div.page-title { h1 { (view.title) } div.page-actions { (view.actions) } }
                    }
                    (view.content)
                }
            }
            (keyboard::help(console))
            (toasts(console.language()))
        }
    }
}

/// Where the script tells what happened, with its words.
pub(super) fn toasts(language: Language) -> Markup {
    html! {
        span #copy-word hidden { (language.say(&words::COPY)) }
        span #close-word hidden { (language.say(&words::CLOSE)) }
        span #pager-word hidden { (language.say(&words::LIST_PAGES)) }
        div #toasts role="status" aria-live="polite" data-copy=(language.say(&words::COPY)) data-copied=(language.say(&words::COPIED))
            data-cancel=(language.say(&words::CANCEL)) data-close=(language.say(&words::CLOSE)) data-done=(language.say(&words::DONE))
            data-unreachable=(language.say(&words::UNREACHABLE)) data-ended=(language.say(&words::ENDED))
            data-refused=(language.say(&words::REFUSED)) data-field-refused=(language.say(&words::FIELD_REFUSED)) data-failed=(language.say(&words::FAILED))
            data-ended-hint=(language.say(&words::ENDED_HINT)) data-login=(language.say(&super::login::words::LOG_IN)) {}
    }
}

/// A picture of the navigation.
pub(super) fn icon(path: &str) -> Markup {
    html! { svg.icon viewBox="0 0 16 16" aria-hidden="true" { path d=(path) {} } }
}

fn top(console: &Console) -> Markup {
    html! {
        header.top {
            button.menu type="button" data-menu="side" aria-expanded="false" aria-controls="side" aria-label=(console.say(&words::MENU)) {
                (icon(BARS))
            }
            a.brand href=(console.at("")) aria-label=(console.shared().config().name) { (icon(TOWER)) span { (console.shared().config().name) } }
            (namespaces(console))
            (find::search_box(console))
            span.live #live data-on=(console.say(&words::LIVE)) data-off=(console.say(&words::NOT_LIVE)) role="status" {}
            (person(console))
        }
    }
}

/// The namespaces that this person can look at; one that has only its own sees no switch.
fn namespaces(console: &Console) -> Markup {
    let here = &console.namespace().name;
    let everywhere = console.caller().everywhere;
    let admins = &console.kernel().config().admin_namespace;
    html! {
        @if everywhere {
            details.pick {
                summary { span.pick-label { (console.say(&words::NAMESPACE)) } b { (here) } }
                ul {
                    @for ns in console.kernel().namespaces() {
                        li {
                            a href={ "/console/" (ns.name) "/" } aria-current=[(ns.name == *here).then_some("true")] {
                                b { (ns.name) }
                                @if ns.name == *admins { span { (console.say(&words::WHOLE_SERVER)) } }
                            }
                        }
                    }
                }
            }
        } @else {
            span.pick-only { b { (here) } }
        }
    }
}

fn person(console: &Console) -> Markup {
    let account = console.visitor().session.as_deref().map(|session| session.holder.account.clone());
    let name = account.unwrap_or_else(|| console.caller().name.clone());
    html! {
        details.pick.person {
            summary { span.pick-label { (role_word(console.language(), console.caller().role)) } b { (name) } }
            ul {
                li { a href=(console.at("account")) { (console.say(&super::accounts::words::MY_ACCOUNT)) } }
                (preferences(console.language(), console.preferences.theme, &console.here))
                li { (keyboard::opener(console.language())) }
                @if console.visitor().session.is_some() {
                    li { (console.form("DELETE /v1/{ns}/sessions", &super::login::words::LOG_OUT).go("/console/_login")) }
                }
            }
        }
    }
}

/// What a role is called.
pub(super) fn role_word(language: Language, role: Role) -> &'static str {
    match role {
        Role::Admin => language.say(&words::ROLE_ADMIN),
        Role::Operator => language.say(&words::ROLE_OPERATOR),
        Role::Reader => language.say(&words::ROLE_READER),
        Role::Database => language.say(&words::ROLE_DATABASE),
        Role::Device => language.say(&words::ROLE_DEVICE),
        Role::Actor => language.say(&words::ROLE_ACTOR),
        Role::Gateway => language.say(&words::ROLE_GATEWAY),
        Role::Folder => language.say(&words::ROLE_FOLDER),
        Role::App => language.say(&words::ROLE_APP),
    }
}

/// Language and theme, as links that lead back here.
pub(super) fn preferences(language: Language, theme: Theme, here: &str) -> Markup {
    let wish = |name: &'static str, word: &str| link("/console/_prefer", &[(name, Some(word)), ("back", Some(here))]);
    let theme_text = |theme: Theme| -> &'static Text {
        match theme {
            Theme::Auto => &words::THEME_AUTO,
            Theme::Light => &words::THEME_LIGHT,
            Theme::Dark => &words::THEME_DARK,
        }
    };
    html! {
        li.choice {
            span.pick-label { (language.say(&words::LANGUAGE)) }
            span.choices { @for other in Language::ALL {
                a href=(wish("language", other.code())) lang=(other.code()) aria-current=[(other == language).then_some("true")] { (other.name()) }
            } }
        }
        li.choice {
            span.pick-label { (language.say(&words::THEME)) }
            span.choices { @for other in Theme::ALL {
                a href=(wish("theme", other.word())) aria-current=[(other == theme).then_some("true")] { (language.say(theme_text(other))) }
            } }
        }
    }
}

fn side(console: &Console) -> Markup {
    let (role, at_administration) = (console.caller().role, console.at_administration());
    let seen = |entry: &&Entry| entry.access.allows(role) && (at_administration || !entry.at_administration);
    let entries: Vec<&Entry> = console.shared().pages().entries.iter().filter(seen).collect();
    let here = current(console, &entries);
    html! {
        @for group in Group::ALL {
            @let of_group: Vec<_> = entries.iter().filter(|entry| entry.nav.group == group).collect();
            @if !of_group.is_empty() {
                @if let Some(text) = group.text() { p.side-group { (console.say(text)) } }
                ul {
                    @for entry in of_group {
                        li {
                            a href=(address(console, entry)) aria-current=[(here == Some(entry.path)).then_some("page")] {
                                (icon(entry.nav.icon)) span { (console.say(entry.nav.text)) } (mark(console, entry))
                            }
                        }
                    }
                }
            }
        }
        ul.side-foot {
            (help::way(console))
            li { a href="/docs" { (console.say(&words::API)) } }
            li { a href="/" { (console.say(&words::SERVER_STATUS)) } }
        }
    }
}

fn address(console: &Console, entry: &Entry) -> String {
    entry.path.replace("{ns}", &console.namespace().name)
}

/// The entry whose page this is, or lies below: the longest that fits.
fn current(console: &Console, entries: &[&Entry]) -> Option<&'static str> {
    let here = console.here.split('?').next().unwrap_or_default();
    let fits = |entry: &&&Entry| {
        let path = address(console, entry);
        let below = here.strip_prefix(path.as_str());
        below.is_some_and(|rest| rest.is_empty() || (rest.starts_with('/') && !path.ends_with('/')))
    };
    entries.iter().filter(fits).max_by_key(|entry| entry.path.len()).map(|entry| entry.path)
}

/// How many alerts are open, beside their entry.
fn mark(console: &Console, entry: &Entry) -> Markup {
    let open = console.namespace().watched.alerts().open;
    html! {
        span #{ "mark" (entry.path.replace(['/', '{', '}'], "-")) } data-live {
            @if entry.path.ends_with("/alerts") && open > 0 { (badge(Tone::Bad, open)) }
        }
    }
}

fn above(console: &Console, view: &View<'_>) -> Markup {
    html! {
        @if !view.above.is_empty() {
            nav.crumbs aria-label=(console.say(&words::WAY)) {
                ol { @for (href, name) in view.above { li { a href=(href) { (name) } } } }
            }
        }
    }
}
