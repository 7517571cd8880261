//! The namespaces of the server (CON-8, KER-1, KER-2), on the administrators' console.

use base::Health;
use kernel::namespaces::{LIST_NAMESPACES, NamespaceRow, State, word_of};
use maud::{Markup, html};

use super::moves;
use crate::console::nav::{Group, Nav};
use crate::console::page::{Page, PageResult};
use crate::console::visit::{Console, View};
use crate::console::words as common;
use crate::ui::parts::{Column, Holds, Row, badge, lamp, table};
use crate::ui::{Field, Form, Kind, Text, Tone};

pub(in crate::console) mod words {
    crate::texts! {
        NAMESPACES: "Namespaces", "Пространства", "Espaces";
        IMPORT: "Import an archive", "Импорт архива", "Importer une archive";
        ARCHIVE: "Archive", "Архив", "Archive";
        EXPORT: "Export", "Экспорт", "Exporter";
        NEW: "New namespace", "Новое пространство", "Nouvel espace";
        NAME_HINT: "1 to 16 of a-z and 0-9; cannot be changed later", "От 1 до 16: a-z и 0-9; позже изменить нельзя",
            "De 1 à 16 parmi a-z et 0-9\u{a0}; ne peut être changé ensuite";
        ENGINE: "Engine", "Хранилище", "Moteur";
        ENGINE_CONFIGURED: "as configured", "как в конфигурации", "selon la configuration";
        URL: "Its own PostgreSQL", "Собственный PostgreSQL", "Son propre PostgreSQL";
        URL_HINT: "Only if it is not the server’s; never shown again", "Только если это не PostgreSQL сервера; больше не показывается",
            "Seulement si ce n’est pas celui du serveur\u{a0}; jamais réaffiché";
        URL_NEEDED: "The server has none of its own: host=… port=… user=… password=… dbname=…, or postgres://…; never shown again",
            "У сервера своего нет: host=… port=… user=… password=… dbname=… или postgres://…; больше не показывается",
            "Le serveur n’en a pas\u{a0}: host=… port=… user=… password=… dbname=…, ou postgres://…\u{a0}; jamais réaffiché";
        STORE: "Store", "Состояние хранилища", "Stockage";
        OPEN_CONSOLE: "Open", "Открыть", "Ouvrir";
        KIND: "Kind", "Вид", "Nature";
        TEMPORARY: "temporary", "временное", "temporaire";
        CREATING: "being created", "создаётся", "en création";
        OPEN: "open", "открыто", "ouvert";
        READ_ONLY: "read-only", "только чтение", "lecture seule";
        CLOSED: "closed", "закрыто", "fermé";
        MOVING: "moving to another engine", "переносится", "en transfert";
        REMOVING: "being removed", "удаляется", "en suppression";
        GOOD: "good", "исправно", "en bon état";
        STORE_READ_ONLY: "read-only", "только чтение", "lecture seule";
        DOWN: "down", "недоступно", "indisponible";
        NOT_OPEN: "not open on this node", "не открыто на этом узле", "pas ouvert sur ce nœud";
    }
}

const ICON: &str = "M1 1h6v6H1zM9 1h6v6H9zM1 9h6v6H1zM9 9h6v6H9z";

pub(super) fn pages() -> Vec<Page> {
    let nav = Nav { group: Group::Administration, place: 30, text: &words::NAMESPACES, icon: ICON };
    vec![Page::new("/console/{ns}/namespaces", namespaces).at_administration().nav(nav)]
}

async fn namespaces(console: Console) -> PageResult {
    let found = console.read(&LIST_NAMESPACES, ()).await?.out;
    let content = html! { div #namespaces data-live { (rows(&console, &found)) } };
    let actions = html! { (import(&console)) (create(&console)) };
    Ok(console.show(View { title: console.say(&words::NAMESPACES), above: &[], actions, content }))
}

fn create(console: &Console) -> Form {
    let text = |name: &'static str, label: &Text, kind| Field::new(name, console.say(label), kind);
    let engines = [("", console.say(&words::ENGINE_CONFIGURED)), ("sqlite", "SQLite"), ("postgres", "PostgreSQL")];
    let engines = engines.map(|(word, text)| (word.to_owned(), text.to_owned())).to_vec();
    console
        .form("POST /v1/{ns}/namespaces", &common::CREATE)
        .field(text("name", &common::NAME, Kind::Text).required().hint(console.say(&words::NAME_HINT)))
        .field(text("label", &common::LABEL, Kind::Text))
        .field(text("engine", &words::ENGINE, Kind::Text).choices(engines))
        .field(
            text("url", &words::URL, Kind::Password).autocomplete("new-password").hint(console.say(&words::URL_HINT)),
        )
        .tone(Tone::Good)
        .in_dialog(console.say(&words::NEW))
}

/// Makes a namespace of an archive; how far it is, its page tells.
fn import(console: &Console) -> Form {
    console
        .form("POST /v1/{ns}/namespaces/{name}/import", &words::IMPORT)
        .field(
            Field::new("file", console.say(&words::ARCHIVE), Kind::File).required().sent_as("application/octet-stream"),
        )
        .field(
            Field::new("name", console.say(&common::NAME), Kind::Text)
                .in_path()
                .required()
                .hint(console.say(&words::NAME_HINT)),
        )
        .go(console.at("namespaces/{name}"))
        .in_dialog(console.say(&words::IMPORT))
}

fn rows(console: &Console, found: &[NamespaceRow]) -> Markup {
    let columns = [
        Column(console.say(&common::NAME), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column(console.say(&words::STORE), Holds::Text),
        Column(console.say(&words::ENGINE), Holds::Text),
        Column(console.say(&common::CREATED), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let rows: Vec<_> = found.iter().map(|row| of_namespace(console, row)).collect();
    table(console.say(&words::NAMESPACES), &columns, &rows)
}

fn of_namespace(console: &Console, row: &NamespaceRow) -> Row {
    let details = console.at(&format!("namespaces/{}", row.name));
    let cells = vec![
        html! { a href=(details) { strong { (row.name) } } @if row.temporary { " " (temporary(console)) } @if !row.label.is_empty() { span.sub { (row.label) } } },
        html! {
            (state(console, row.state)) @if !row.message.is_empty() { span.sub { (row.message) } }
            (moves::under_way(console, &row.name))
        },
        store(console, &row.name),
        html! { (word_of(row.engine)) },
        console.moment(base::Wall(row.created_at)),
        html! { a.button href={ "/console/" (row.name) "/" } { (console.say(&words::OPEN_CONSOLE)) } },
    ];
    Row::of(cells).key(&row.name)
}

/// A state as a word with a colour.
pub(super) fn state(console: &Console, state: State) -> Markup {
    let (tone, text) = match state {
        State::Creating => (Tone::Info, &words::CREATING),
        State::Open => (Tone::Good, &words::OPEN),
        State::ReadOnly => (Tone::Warn, &words::READ_ONLY),
        State::Closed => (Tone::Warn, &words::CLOSED),
        State::Moving => (Tone::Warn, &words::MOVING),
        State::Removing => (Tone::Bad, &words::REMOVING),
    };
    badge(tone, console.say(text))
}

/// Marks a namespace whose data goes with it.
pub(super) fn temporary(console: &Console) -> Markup {
    badge(Tone::Quiet, console.say(&words::TEMPORARY))
}

/// How its store is on this node, and why it is not good.
pub(super) fn store(console: &Console, name: &str) -> Markup {
    let kernel = console.kernel();
    let (tone, text, reason) = match kernel.namespace(name).map(|ns| ns.store.health()) {
        Ok(Health::Good) => (Tone::Good, &words::GOOD, None),
        Ok(Health::ReadOnly(reason)) => (Tone::Warn, &words::STORE_READ_ONLY, Some(reason)),
        Ok(Health::Down(reason)) => (Tone::Bad, &words::DOWN, Some(reason)),
        Err(_) => (Tone::Quiet, &words::NOT_OPEN, None),
    };
    let reason = kernel.registry().fault(name).or(reason);
    html! { (lamp(tone)) " " (console.say(text)) @if let Some(reason) = reason { span.sub { (reason) } } }
}
