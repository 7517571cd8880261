//! Accounts of people (CON-8, KER-32).

use kernel::Role;
use kernel::accounts::Account;
use kernel::accounts::list_accounts::{LIST_ACCOUNTS, Page as AccountPage, SHOW_ACCOUNT};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::ROWS;
use crate::answer::cut;
use crate::console::frame::role_word;
use crate::console::nav::{Group, Nav};
use crate::console::page::{Page, PageResult};
use crate::console::visit::{Console, View};
use crate::console::words as common;
use crate::params::{QueryOf, given};
use crate::ui::form::{filters, link};
use crate::ui::parts::{Column, Holds, Row, badge, empty, pager, table};
use crate::ui::{Field, Form, Kind, Text, Tone};

const CHANGE: &str = "PATCH /v1/{ns}/accounts/{name}";
/// The roles that an account can have.
const ROLES: [Role; 3] = [Role::Reader, Role::Operator, Role::Admin];

pub(in crate::console) mod words {
    crate::texts! {
        ACCOUNTS: "Accounts", "Учётные записи", "Comptes";
        NEW: "New account", "Новая учётная запись", "Nouveau compte";
        NAME_HINT: "1 to 64 of a-z, 0-9 and . _ @ -", "От 1 до 64: a-z, 0-9 и . _ @ -", "De 1 à 64 parmi a-z, 0-9 et . _ @ -";
        ROLE_HINT: "Readers look. Operators run, acknowledge and repair. Administrators also handle accounts, keys and settings.",
            "Читатели смотрят. Операторы запускают, подтверждают и чинят. Администраторы ещё управляют учётными записями, ключами и настройками.",
            "Les lecteurs regardent. Les opérateurs lancent, acquittent et réparent. Les administrateurs gèrent aussi comptes, clés et réglages.";
        PASSWORD: "One-time password, shown only now: hand it over and have it changed",
            "Одноразовый пароль, показывается только сейчас: передайте его и попросите сменить",
            "Mot de passe provisoire, affiché une seule fois\u{a0}: transmettez-le et faites-le changer";
        CHANGE_ROLE: "Change role", "Сменить роль", "Changer le rôle";
        BLOCK: "Block", "Заблокировать", "Bloquer";
        BLOCK_ASK: "{name} is logged out at once and cannot log in.", "Сеансы {name} завершатся сразу, войти снова будет нельзя.",
            "{name} est déconnecté aussitôt et ne peut plus se connecter.";
        UNBLOCK: "Unblock", "Разблокировать", "Débloquer";
        NEW_PASSWORD: "New password", "Новый пароль", "Nouveau mot de passe";
        NEW_PASSWORD_ASK: "{name} is logged out at once and gets a one-time password.",
            "Сеансы {name} завершатся сразу; будет создан одноразовый пароль.", "{name} est déconnecté aussitôt et reçoit un mot de passe provisoire.";
        DELETE_ASK: "The account {name} is deleted and logged out at once.", "Учётная запись {name} будет удалена, её сеансы завершатся сразу.",
            "Le compte {name} est supprimé et déconnecté aussitôt.";
        BLOCKED: "blocked", "заблокирована", "bloqué";
        ACTIVE: "active", "действует", "actif";
        MUST_CHANGE: "password to be changed", "нужно сменить пароль", "mot de passe à changer";
        YOU: "you", "вы", "vous";
        NONE_FITS: "No account fits", "Ничего не подходит", "Aucun compte ne correspond";
        NONE_FITS_HINT: "It is found by its whole name, in this namespace.", "Учётная запись ищется по полному имени, в этом пространстве.",
            "Un compte se trouve par son nom entier, dans cet espace.";
        EMPTY: "No account here", "Здесь нет учётных записей", "Aucun compte ici";
        EMPTY_HINT: "Create one for each person. Administrators of the whole server can look in here anyway.",
            "Создайте по одной на человека. Администраторы всего сервера могут заглянуть сюда и так.",
            "Créez-en un par personne. Les administrateurs du serveur entier ont déjà accès ici.";
    }
}

const ICON: &str = "M8 8a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM1 15c0-4 3-6 7-6s7 2 7 6z";

pub(super) fn pages() -> Vec<Page> {
    let nav = Nav { group: Group::Administration, place: 10, text: &words::ACCOUNTS, icon: ICON };
    vec![Page::new("/console/{ns}/accounts", accounts).nav(nav)]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    name: Option<String>,
    after: Option<String>,
}

async fn accounts(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    let (name, after) = (given(asked.name), given(asked.after));
    let (found, next) = find(&console, name.clone(), after.clone()).await?;
    let field = Field::new("name", console.say(&common::NAME), Kind::Text).value(name.clone().unwrap_or_default());
    let address = |after: Option<&str>| link(&console.at("accounts"), &[("after", after)]);
    let first = (after.is_some() || name.is_some()).then(|| address(None));
    let next = next.map(|next| address(Some(&next)));
    let content = html! {
        (filters(&console.at("accounts"), &[field], console.say(&common::SEARCH)))
        div #accounts data-live {
            @if found.is_empty() {
                (nothing(&console, name.is_some()))
            } @else { (rows(&console, &found)) }
            (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
        }
    };
    let actions = html! { (create(&console)) };
    Ok(console.show(View { title: console.say(&words::ACCOUNTS), above: &[], actions, content }))
}

fn nothing(console: &Console, is_sought: bool) -> Markup {
    let (title, hint) = match is_sought {
        true => (&words::NONE_FITS, &words::NONE_FITS_HINT),
        false => (&words::EMPTY, &words::EMPTY_HINT),
    };
    empty(console.say(title), html! { p { (console.say(hint)) } })
}

async fn find(
    console: &Console,
    name: Option<String>,
    after: Option<String>,
) -> Result<(Vec<Account>, Option<String>), crate::ApiError> {
    if let Some(name) = name {
        let found = console.read(&SHOW_ACCOUNT, name).await;
        return match found {
            Ok(found) => Ok((vec![found.out], None)),
            Err(error) if error.0.code == base::codes::NPERSON => Ok((vec![], None)),
            Err(error) => Err(error),
        };
    }
    let page = AccountPage { after: after.unwrap_or_default(), limit: ROWS + 1 };
    let found = console.read(&LIST_ACCOUNTS, page).await?.out;
    Ok(cut(found, ROWS, |account| account.name.clone()))
}

fn role_field(console: &Console, role: Role) -> Field {
    let choices = ROLES.map(|role| (role.word().to_owned(), role_word(console.language(), role).to_owned()));
    Field::new("role", console.say(&common::ROLE), Kind::Text)
        .choices(choices.to_vec())
        .value(role.word())
        .hint(console.say(&words::ROLE_HINT))
}

fn create(console: &Console) -> Form {
    let name = Field::new("name", console.say(&common::NAME), Kind::Text).required();
    console
        .form("POST /v1/{ns}/accounts", &common::CREATE)
        .field(name.hint(console.say(&words::NAME_HINT)))
        .field(role_field(console, Role::Operator))
        .show("password", console.say(&words::PASSWORD))
        .tone(Tone::Good)
        .in_dialog(console.say(&words::NEW))
}

fn rows(console: &Console, found: &[Account]) -> Markup {
    let columns = [
        Column(console.say(&common::NAME), Holds::Text),
        Column(console.say(&common::ROLE), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column(console.say(&common::CREATED), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let rows: Vec<_> = found.iter().map(|account| row(console, account)).collect();
    table(console.say(&words::ACCOUNTS), &columns, &rows)
}

fn row(console: &Console, account: &Account) -> Row {
    let own = format!("account.{}.{}", console.namespace().name, account.name) == console.caller().name;
    let cells = vec![
        html! { strong { (account.name) } @if own { " " (badge(Tone::Info, console.say(&words::YOU))) } },
        html! { (role_word(console.language(), account.role)) },
        state(console, account),
        console.moment(account.created_at),
        actions(console, account),
    ];
    Row::of(cells).key(&account.name).tone(account.blocked_at.map(|_| Tone::Warn))
}

fn state(console: &Console, account: &Account) -> Markup {
    html! {
        @if let Some(at) = account.blocked_at {
            (badge(Tone::Warn, console.say(&words::BLOCKED))) span.sub { (console.moment(at)) }
        } @else { (badge(Tone::Good, console.say(&words::ACTIVE))) }
        @if account.must_change { span.sub { (console.say(&words::MUST_CHANGE)) } }
    }
}

fn actions(console: &Console, account: &Account) -> Markup {
    let ask = |text: &Text| console.fill(text, &[("name", &account.name)]);
    let change = |button: &Text| console.form(CHANGE, button).with("name", &account.name);
    let blocked = |blocked: bool| Field::hidden("blocked", &json!(blocked));
    let role =
        change(&common::SAVE).field(role_field(console, account.role)).in_dialog(console.say(&words::CHANGE_ROLE));
    let password = change(&words::NEW_PASSWORD)
        .field(Field::hidden("new_password", &json!(true)))
        .confirm(ask(&words::NEW_PASSWORD_ASK))
        .show("password", console.say(&words::PASSWORD));
    let delete = console
        .form("DELETE /v1/{ns}/accounts/{name}", &common::DELETE)
        .with("name", &account.name)
        .tone(Tone::Bad)
        .confirm(ask(&words::DELETE_ASK));
    html! {
        (role) (password)
        @if account.blocked_at.is_some() {
            (change(&words::UNBLOCK).field(blocked(false)))
        } @else {
            (change(&words::BLOCK).field(blocked(true)).confirm(ask(&words::BLOCK_ASK)))
        }
        (delete)
    }
}
