//! Access keys (CON-8, KER-32): what programs show.

use kernel::Role;
use kernel::ops::list_keys::{KeyInfo, KeyState, LIST_KEYS, Page as KeyPage, SHOW_KEY};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::ROWS;
use crate::answer::cut;
use crate::console::frame::role_word;
use crate::console::nav::{Group, Nav};
use crate::console::page::{Page, PageResult};
use crate::console::visit::{Console, View};
use crate::console::words as common;
use crate::params::{PageQuery, QueryOf, given};
use crate::ui::form::{filters, link};
use crate::ui::parts::{Column, Holds, Row, badge, empty, id, pager, table};
use crate::ui::{Field, Form, Kind, Text, Tone};

pub(in crate::console) mod words {
    crate::texts! {
        KEYS: "Access keys", "Ключи доступа", "Clés d’accès";
        NEW: "New key", "Новый ключ", "Nouvelle clé";
        SHOWN_ONCE: "The key, shown only now: keep it where its program finds it",
            "Ключ, показывается только сейчас: сохраните его там, где его найдёт программа",
            "La clé, affichée une seule fois\u{a0}: gardez-la là où son programme la trouve";
        LABEL_HINT: "For people: whose it is, such as “till 7”", "Для людей: чей это ключ, например «касса 7»",
            "Pour les gens\u{a0}: à qui elle est, par exemple «\u{a0}caisse 7\u{a0}»";
        SCOPE: "Scope", "Область", "Portée";
        SCOPE_ALL: "everything of its role", "всё, что даёт роль", "tout ce que permet le rôle";
        DEVICE: "Device", "Устройство", "Appareil";
        DEVICE_HINT: "Its id in the exchange: the key speaks for it alone.", "Его идентификатор в обмене: ключ действует только от его имени.",
            "Son identifiant dans l’échange\u{a0}: la clé parle pour lui seul.";
        DEVICE_OF_FOLDERS_HINT: "What it is called in its directories; empty: the id of the key.", "Как оно называется в директориях; пусто — идентификатор ключа.",
            "Son nom dans les répertoires\u{a0}; vide\u{a0}: l’identifiant de la clé.";
        DATABASE: "Database", "База данных", "Base de données";
        DATABASE_HINT: "Its id in the exchange: the key speaks for it alone.", "Её идентификатор в обмене: ключ действует только от её имени.",
            "Son identifiant dans l’échange\u{a0}: la clé parle pour elle seule.";
        ACTORS: "Only these actors", "Только эти исполнители", "Seulement ces acteurs";
        ACTORS_HINT: "name#version, separated by commas; empty: all", "имя#версия, через запятую; пусто — все", "nom#version, séparés par des virgules\u{a0}; vide\u{a0}: tous";
        CLIENTS: "Only these clients of sensors", "Только эти клиенты датчиков", "Seulement ces clients de capteurs";
        CLIENTS_HINT: "Ids separated by commas; empty: all. It then sees only what they were told.", "Идентификаторы через запятую; пусто — все. Видно лишь то, что им сообщили.",
            "Identifiants séparés par des virgules\u{a0}; vide\u{a0}: tous. Elle ne voit que ce qui leur fut dit.";
        DIRECTORIES: "Only these directories", "Только эти директории", "Seulement ces répertoires";
        DIRECTORIES_HINT: "Ids separated by commas; empty: all", "Идентификаторы через запятую; пусто — все", "Identifiants séparés par des virgules\u{a0}; vide\u{a0}: tous";
        SERVICES: "Only these services", "Только эти службы", "Seulement ces services";
        SERVICES_HINT: "Of {services}, separated by commas; empty: all", "Из списка: {services}; через запятую; пусто — все", "Parmi {services}, séparés par des virgules\u{a0}; vide\u{a0}: tous";
        FOR_ADMIN: "everything, also accounts and keys", "всё, включая учётные записи и ключи", "tout, comptes et clés compris";
        FOR_OPERATOR: "looks after services and tasks", "следит за службами и задачами", "veille sur services et tâches";
        FOR_READER: "looks, changes nothing", "смотрит, ничего не меняет", "regarde, ne change rien";
        FOR_DATABASE: "a business database of the exchange", "база предприятия в обмене", "une base de gestion de l’échange";
        FOR_DEVICE: "a device of the exchange", "устройство в обмене", "un appareil de l’échange";
        FOR_ACTOR: "a worker of the workflow", "исполнитель процессов", "un exécutant du workflow";
        FOR_GATEWAY: "brings signals of sensors", "передаёт сигналы датчиков", "apporte les signaux de capteurs";
        FOR_FOLDER: "a device with shared folders", "устройство с общими папками", "un appareil à dossiers partagés";
        FOR_APP: "a program of your own", "ваша программа", "un programme à vous";
        ROTATE: "Rotate", "Заменить секрет", "Renouveler";
        OVERLAP: "The old secret stays valid for", "Старый секрет действует ещё", "L’ancien secret reste valable";
        OVERLAP_NONE: "not at all", "не действует", "pas du tout";
        OVERLAP_HOUR: "1 hour", "1 час", "1 heure";
        OVERLAP_DAY: "1 day", "1 день", "1 jour";
        OVERLAP_WEEK: "7 days", "7 дней", "7 jours";
        OVERLAP_MONTH: "30 days", "30 дней", "30 jours";
        REVOKE: "Revoke", "Отозвать", "Révoquer";
        REVOKE_ASK: "Whoever uses the key “{label}” is refused at once. This cannot be taken back.",
            "Всем, кто использует ключ «{label}», сразу будет отказано. Это нельзя отменить.",
            "Quiconque utilise la clé «\u{a0}{label}\u{a0}» est refusé aussitôt. C’est irrévocable.";
        ACTIVE: "active", "действует", "active";
        OVERLAPPING: "two secrets", "два секрета", "deux secrets";
        REVOKED: "revoked", "отозван", "révoquée";
        WEBHOOK_SECRET: "Webhook secret", "Секрет вебхуков", "Secret des webhooks";
        WEBHOOK_SECRET_ASK: "The secret with which calls to targets are signed is shown. The journal notes that you looked.",
            "Будет показан секрет, которым подписываются вызовы к адресатам. В журнале останется запись об этом.",
            "Le secret qui signe les appels aux cibles est affiché. Le journal note que vous l’avez regardé.";
        WEBHOOK_SECRET_SHOWN: "Receivers check signatures with it", "С ним получатели проверяют подписи", "Les destinataires vérifient les signatures avec lui";
        ID: "Id", "Идентификатор", "Identifiant";
        NONE_FITS: "No key fits", "Ничего не подходит", "Aucune clé ne correspond";
        NONE_FITS_HINT: "A key is found by its whole id, in this namespace.", "Ключ ищется по полному идентификатору, в этом пространстве.",
            "Une clé se trouve par son identifiant entier, dans cet espace.";
        EMPTY: "No key", "Ключей нет", "Aucune clé";
        EMPTY_HINT: "Create one for each program and device, so that each can be revoked alone.",
            "Создайте по одному на программу и устройство, чтобы каждый можно было отозвать отдельно.",
            "Créez-en une par programme et par appareil, pour pouvoir révoquer chacune seule.";
    }
}

const ICON: &str = "M11 1a4 4 0 0 0-3.8 5.2L1 12.4V15h3v-2h2v-2h2l1-1.2A4 4 0 1 0 11 1zm1 2.2a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 0 1 0-2.8z";

pub(super) fn pages() -> Vec<Page> {
    let nav = Nav { group: Group::Administration, place: 20, text: &words::KEYS, icon: ICON };
    vec![Page::new("/console/{ns}/keys", keys).nav(nav)]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    id: Option<String>,
    after: Option<String>,
}

async fn keys(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    let (wanted, after) = (given(asked.id), given(asked.after));
    let (found, next) = find(&console, wanted.clone(), after.clone()).await?;
    let field = Field::new("id", console.say(&words::ID), Kind::Text).value(wanted.clone().unwrap_or_default());
    let address = |after: Option<&str>| link(&console.at("keys"), &[("after", after)]);
    let first = (after.is_some() || wanted.is_some()).then(|| address(None));
    let next = next.map(|next| address(Some(&next)));
    let content = html! {
        (filters(&console.at("keys"), &[field], console.say(&common::SEARCH)))
        div #keys data-live {
            @if found.is_empty() {
                (nothing(&console, wanted.is_some()))
            } @else { (rows(&console, &found)) }
            (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
        }
    };
    let actions = html! { (secret(&console)) (create(&console)) };
    Ok(console.show(View { title: console.say(&words::KEYS), above: &[], actions, content }))
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
    wanted: Option<String>,
    after: Option<String>,
) -> Result<(Vec<KeyInfo>, Option<String>), crate::ApiError> {
    if let Some(wanted) = wanted {
        let found = console.read(&SHOW_KEY, wanted).await;
        return match found {
            Ok(found) => Ok((vec![found.out], None)),
            Err(error) if error.0.code == base::codes::NKEY => Ok((vec![], None)),
            Err(error) => Err(error),
        };
    }
    let page = console.page(&PageQuery { limit: None, after })?;
    let found = console.read(&LIST_KEYS, KeyPage { after: page.after_text(), limit: ROWS + 1 }).await?.out;
    Ok(cut(found, ROWS, |key| key.id.clone()))
}

/// What receivers of our calls need to know that they are ours.
fn secret(console: &Console) -> Form {
    console
        .form("POST /v1/{ns}/webhook-secret", &words::WEBHOOK_SECRET)
        .confirm(console.say(&words::WEBHOOK_SECRET_ASK))
        .show("secret", console.say(&words::WEBHOOK_SECRET_SHOWN))
}

fn create(console: &Console) -> Form {
    let named = |role| format!("{}: {}", role_word(console.language(), role), console.say(what_for(role)));
    let choices = Role::ALL.map(|role| (role.word().to_owned(), named(role)));
    let role = Field::new("role", console.say(&common::ROLE), Kind::Text).choices(choices.to_vec());
    let form = console
        .form("POST /v1/{ns}/keys", &common::CREATE)
        .field(role.value(Role::App.word()))
        .field(label(console))
        .show("key", console.say(&words::SHOWN_ONCE))
        .tone(Tone::Good)
        .in_dialog(console.say(&words::NEW));
    scopes(console).into_iter().fold(form, Form::field)
}

/// What a role is for, in a few words.
fn what_for(role: Role) -> &'static Text {
    match role {
        Role::Admin => &words::FOR_ADMIN,
        Role::Operator => &words::FOR_OPERATOR,
        Role::Reader => &words::FOR_READER,
        Role::Database => &words::FOR_DATABASE,
        Role::Device => &words::FOR_DEVICE,
        Role::Actor => &words::FOR_ACTOR,
        Role::Gateway => &words::FOR_GATEWAY,
        Role::Folder => &words::FOR_FOLDER,
        Role::App => &words::FOR_APP,
    }
}

/// What a key can be bound to: of each role only what its services look at. A device or a database that is not named can do nothing.
fn scopes(console: &Console) -> Vec<Field> {
    let field = |name: &'static str, label: &Text, kind, hint: String, roles: &[Role]| {
        let roles: Vec<_> = roles.iter().map(|role| role.word()).collect();
        Field::new(name, console.say(label), kind).hint(hint).only_for("role", &roles, Role::App.word())
    };
    let say = |text: &Text| console.say(text).to_owned();
    let served = console.shared().table().iter().filter_map(|route| route.service);
    let services: std::collections::BTreeSet<_> = served.collect();
    let services = services.into_iter().collect::<Vec<_>>().join(", ");
    let services = console.fill(&words::SERVICES_HINT, &[("services", &services)]);
    use Role::{Actor, Admin, App, Database, Device, Folder, Operator, Reader};
    vec![
        field("scope.device", &words::DEVICE, Kind::Text, say(&words::DEVICE_HINT), &[Device]).required(),
        field("scope.database", &words::DATABASE, Kind::Text, say(&words::DATABASE_HINT), &[Database]).required(),
        field("scope.actor", &words::ACTORS, Kind::Words, say(&words::ACTORS_HINT), &[Actor, App]),
        field("scope.service", &words::SERVICES, Kind::Words, services, &[Admin, Operator, Reader, App]),
        field("scope.client", &words::CLIENTS, Kind::Words, say(&words::CLIENTS_HINT), &[Reader, App]),
        field(
            "scope.folder",
            &words::DIRECTORIES,
            Kind::Words,
            say(&words::DIRECTORIES_HINT),
            &[Folder, Operator, Reader, App],
        ),
        field("scope.device", &words::DEVICE, Kind::Text, say(&words::DEVICE_OF_FOLDERS_HINT), &[Folder]),
    ]
}

/// What people call a key: sent also when empty, which takes a label away.
fn label(console: &Console) -> Field {
    Field::new("label", console.say(&common::LABEL), Kind::AnyText).hint(console.say(&words::LABEL_HINT))
}

fn rows(console: &Console, found: &[KeyInfo]) -> Markup {
    let columns = [
        Column(console.say(&common::LABEL), Holds::Text),
        Column(console.say(&common::ROLE), Holds::Text),
        Column(console.say(&words::SCOPE), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column(console.say(&common::CREATED), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let rows: Vec<_> = found.iter().map(|key| row(console, key)).collect();
    table(console.say(&words::KEYS), &columns, &rows)
}

fn row(console: &Console, key: &KeyInfo) -> Row {
    let role = Role::from_word(&key.role).map_or(key.role.as_str(), |role| role_word(console.language(), role));
    let cells = vec![
        html! { @if !key.label.is_empty() { strong { (key.label) } } span.sub { (id(&key.id)) } },
        html! { (role) },
        scope(console, &key.scope),
        state(console, key),
        console.moment(key.created_at),
        actions(console, key),
    ];
    Row::of(cells).key(&key.id)
}

/// Fields and names of a scope, one line each.
fn scope(console: &Console, text: &str) -> Markup {
    let scope: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
    let names = |value: &Value| match value {
        Value::String(name) => name.clone(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    html! {
        @if scope.is_empty() { span.sub-text { (console.say(&words::SCOPE_ALL)) } }
        @for (field, value) in &scope { div { span.sub-text { (field) ":" } " " (names(value)) } }
    }
}

fn state(console: &Console, key: &KeyInfo) -> Markup {
    let (tone, text) = match key.state {
        KeyState::Active => (Tone::Good, &words::ACTIVE),
        KeyState::Overlapping => (Tone::Info, &words::OVERLAPPING),
        KeyState::Revoked => (Tone::Quiet, &words::REVOKED),
    };
    html! {
        (badge(tone, console.say(text)))
        @if let Some(at) = key.revoked_at { span.sub { (console.moment(at)) } }
    }
}

fn actions(console: &Console, key: &KeyInfo) -> Markup {
    let valid = key.state != KeyState::Revoked;
    let overlaps: [(u32, &Text); 5] = [
        (0, &words::OVERLAP_NONE),
        (3_600, &words::OVERLAP_HOUR),
        (86_400, &words::OVERLAP_DAY),
        (604_800, &words::OVERLAP_WEEK),
        (2_592_000, &words::OVERLAP_MONTH),
    ];
    let choices = overlaps.map(|(seconds, text)| (seconds.to_string(), console.say(text).to_owned()));
    let overlap = Field::new("overlap_s", console.say(&words::OVERLAP), Kind::Number).choices(choices.to_vec());
    let rotate = console
        .form("POST /v1/{ns}/keys/{id}/rotate", &words::ROTATE)
        .with("id", &key.id)
        .field(overlap.value("86400"))
        .show("key", console.say(&words::SHOWN_ONCE))
        .in_dialog(console.say(&words::ROTATE))
        .allowed(valid);
    // Also of a revoked one, whose label may have to be forgotten.
    let rename = console
        .form("PATCH /v1/{ns}/keys/{id}", &common::RENAME)
        .with("id", &key.id)
        .field(label(console).value(&key.label))
        .in_dialog(console.say(&common::RENAME));
    let label = if key.label.is_empty() { &key.id } else { &key.label };
    let revoke = console
        .form("DELETE /v1/{ns}/keys/{id}", &words::REVOKE)
        .with("id", &key.id)
        .tone(Tone::Bad)
        .confirm(console.fill(&words::REVOKE_ASK, &[("label", label)]))
        .allowed(valid);
    html! { (rename) (rotate) (revoke) }
}
