//! One's own account: who one is, and the password.

use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::frame::role_word;
use super::page::{Page, PageResult};
use super::visit::{Console, View};
use crate::params::QueryOf;
use crate::ui::parts::{banner, card, facts, id};
use crate::ui::{Field, Kind, Tone};
use kernel::Role;

pub(super) mod words {
    crate::texts! {
        MY_ACCOUNT: "My account", "Моя учётная запись", "Mon compte";
        CHANGE_PASSWORD: "Change password", "Сменить пароль", "Changer le mot de passe";
        OLD_PASSWORD: "Present password", "Нынешний пароль", "Mot de passe actuel";
        NEW_PASSWORD: "New password", "Новый пароль", "Nouveau mot de passe";
        NEW_PASSWORD_HINT: "At least 12 characters; several words are good", "Не меньше 12 знаков; лучше несколько слов", "Au moins 12 caractères ; plusieurs mots, c’est bien";
        SESSIONS_END: "All your sessions end: you log in again with the new one.",
            "Все ваши сеансы завершатся: войдите снова с новым паролем.",
            "Toutes vos sessions se terminent : reconnectez-vous avec le nouveau.";
        MUST_CHANGE: "Somebody else made this password. Choose one that only you know.",
            "Этот пароль создал кто-то другой. Задайте свой, известный только вам.",
            "Ce mot de passe a été créé par quelqu’un d’autre. Choisissez-en un que vous seul connaissez.";
        WHO_AM_I: "Who I am", "Кто я", "Qui je suis";
        IN_JOURNAL: "In the journal", "В журнале", "Dans le journal";
        HOME: "Home", "Дом", "Origine";
    }
}

pub(super) fn pages() -> Vec<Page> {
    vec![Page::new("/console/{ns}/account", account).roles(&Role::ALL)]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    first: Option<String>,
}

async fn account(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    Ok(page(&console, asked.first.is_some()))
}

fn page(console: &Console, first: bool) -> Response {
    let content = html! {
        @if first { (banner(Tone::Warn, html! { (console.say(&words::MUST_CHANGE)) })) }
        div.columns {
            (card(console.say(&words::WHO_AM_I), html! {}, who(console)))
            @if console.visitor().session.is_some() {
                (card(console.say(&words::CHANGE_PASSWORD), html! {}, password(console)))
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

fn password(console: &Console) -> Markup {
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
        .go("/console/_login");
    html! { p.hint { (console.say(&words::SESSIONS_END)) } (form) }
}
