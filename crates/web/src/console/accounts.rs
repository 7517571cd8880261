//! One's own account: who one is, and the password.

use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::frame::role_word;
use super::page::{Page, PageResult};
use super::start;
use super::visit::{Console, View};
use crate::auth::OpenSession;
use crate::params::QueryOf;
use crate::ui::form::link;
use crate::ui::parts::{banner, card, facts, id};
use crate::ui::{Field, Kind, Tone};
use kernel::Role;
use kernel::namespaces::FIRST;

pub(super) mod words {
    crate::texts! {
        MY_ACCOUNT: "My account", "Моя учётная запись", "Mon compte";
        CHANGE_PASSWORD: "Change password", "Сменить пароль", "Changer le mot de passe";
        OLD_PASSWORD: "Current password", "Текущий пароль", "Mot de passe actuel";
        NEW_PASSWORD: "New password", "Новый пароль", "Nouveau mot de passe";
        NEW_PASSWORD_HINT: "At least 12 characters; several words are good", "Не меньше 12 знаков; лучше несколько слов", "Au moins 12 caractères\u{a0}; plusieurs mots, c’est bien";
        SESSIONS_END: "All your other sessions end; here you go on with the new one.",
            "Все остальные ваши сеансы завершатся; здесь вы продолжите с новым паролем.",
            "Toutes vos autres sessions se terminent\u{a0}; ici, vous continuez avec le nouveau.";
        CHANGED: "Your password is changed. All your other sessions have ended.",
            "Пароль изменён. Все остальные ваши сеансы завершены.",
            "Votre mot de passe est changé. Toutes vos autres sessions sont terminées.";
        MUST_CHANGE: "Somebody else made this password. Choose one that only you know.",
            "Этот пароль создал кто-то другой. Задайте свой, известный только вам.",
            "Ce mot de passe a été créé par quelqu’un d’autre. Choisissez-en un que vous seul connaissez.";
        WHO_AM_I: "Who I am", "Кто я", "Qui je suis";
        IN_JOURNAL: "In the journal", "В журнале", "Dans le journal";
        HOME: "Home namespace", "Своё пространство", "Espace d’origine";
    }
}

pub(super) fn pages() -> Vec<Page> {
    vec![Page::new("/console/{ns}/account", account).roles(&Role::ALL)]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// The password that somebody else made is to be changed, before anything else.
    first: Option<String>,
    /// It has just been changed.
    changed: Option<String>,
}

async fn account(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    let next = if asked.first.is_some() {
        first_place(&console).await
    } else {
        link(&console.at("account"), &[("changed", Some("yes"))])
    };
    Ok(page(&console, &asked, &next))
}

/// Where somebody who is new goes on: where nothing is yet, to what shows what there could be.
async fn first_place(console: &Console) -> String {
    let home = console.visitor().session.as_deref().map_or(console.namespace(), |session| &session.holder.home);
    let first = if console.caller().everywhere { FIRST } else { home.name.as_str() };
    let fresh = start::is_fresh(console, first).await;
    if fresh && console.address(start::PAGE, &[]).is_some() {
        start::PAGE.replace("{ns}", first)
    } else {
        format!("/console/{first}/")
    }
}

fn page(console: &Console, asked: &Asked, next: &str) -> Response {
    let content = html! {
        @if asked.first.is_some() { (banner(Tone::Warn, html! { (console.say(&words::MUST_CHANGE)) })) }
        @if asked.changed.is_some() { (banner(Tone::Good, html! { (console.say(&words::CHANGED)) })) }
        div.columns {
            (card(console.say(&words::WHO_AM_I), html! {}, who(console)))
            @if let Some(session) = console.visitor().session.as_deref() {
                (card(console.say(&words::CHANGE_PASSWORD), html! {}, password(console, session, next)))
            }
        }
    };
    console.show(View { title: console.say(&words::MY_ACCOUNT), above: &[], actions: html! {}, content })
}

fn who(console: &Console) -> Markup {
    let session = console.visitor().session.as_deref();
    let name = session.map_or_else(|| console.caller().name.clone(), |session| session.holder.account.clone());
    facts(&[
        (console.say(&super::words::NAME), html! { (name) }),
        (console.say(&super::words::ROLE), html! { (role_word(console.language(), console.caller().role)) }),
        (console.say(&words::HOME), html! { @if let Some(session) = session { (session.holder.home.name) } }),
        (console.say(&words::IN_JOURNAL), id(&console.caller().name)),
    ])
}

/// The change ends the session that it was made in, so the script opens a new one with the password that it has at hand.
fn password(console: &Console, session: &OpenSession, next: &str) -> Markup {
    let home = &session.holder.home.name;
    let form = console
        .form("PUT /v1/{ns}/sessions/password", &words::CHANGE_PASSWORD)
        .tone(Tone::Good)
        .field(
            Field::new("old", console.say(&words::OLD_PASSWORD), Kind::Password)
                .required()
                .autocomplete("current-password"),
        )
        .field(
            Field::new("new", console.say(&words::NEW_PASSWORD), Kind::Password)
                .required()
                .autocomplete("new-password")
                .hint(console.say(&words::NEW_PASSWORD_HINT)),
        )
        .enters(home, &session.holder.account)
        .go(link("/console/_enter", &[("namespace", Some(home)), ("next", Some(next))]));
    html! { p.hint { (console.say(&words::SESSIONS_END)) } (form) }
}
