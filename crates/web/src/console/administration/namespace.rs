//! One namespace: how it stands, its state and limits, who may read its documents, its resources, and its end.

use base::Wall;
use kernel::namespaces::transfers::GET_TRANSFER;
use kernel::namespaces::{GET_NAMESPACE, LIST_GRANTS, LIST_RESOURCES, NamespaceRow, ResourceInfo, State, word_of};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::namespaces::{self, words as namespaces_words};
use super::{grants, moves};
use crate::console::page::{Page, PageResult};
use crate::console::visit::{Console, View};
use crate::console::words as common;
use crate::params::PathOf;
use crate::ui::form::encoded;
use crate::ui::parts::{Column, Holds, Row, card, empty, facts, id, table};
use crate::ui::{Field, Form, Kind, Text, Tone, moment};

const CHANGE: &str = "PATCH /v1/{ns}/namespaces/{name}";

mod words {
    crate::texts! {
        PLACE: "Folder or schema", "Папка или схема", "Dossier ou schéma";
        OWN_URL: "PostgreSQL of its own", "Собственный PostgreSQL", "PostgreSQL dédié";
        REOPENS: "Expected to reopen", "Ожидается открытие", "Réouverture prévue";
        MESSAGE: "Message", "Сообщение", "Message";
        MESSAGE_HINT: "What people are told while it is not open", "Что видят люди, пока оно не открыто", "Message affiché tant qu’il n’est pas ouvert";
        CHANGE_STATE: "Open or close", "Открыть или закрыть", "Ouvrir ou fermer";
        STATE_HINT: "Takes effect within 5 seconds on every node. Administrators of the server get in anyway.",
            "Действует на всех узлах в течение 5 секунд. Администраторы сервера входят в любом случае.",
            "Effectif en 5 secondes sur chaque nœud. Les administrateurs du serveur entrent toujours.";
        LABEL_AND_LIMITS: "Label and limits", "Метка и пределы", "Libellé et limites";
        REQUESTS_MAX: "Requests in flight", "Запросов одновременно", "Requêtes simultanées";
        READERS: "Reading connections", "Соединений на чтение", "Connexions de lecture";
        LIMIT_HINT: "empty: as the server’s", "пусто: как у сервера", "vide\u{a0}: comme le serveur";
        ABOUT: "How it stands", "Состояние", "État";
        RESOURCES: "Resources", "Ресурсы", "Ressources";
        RESOURCES_EMPTY: "No resource", "Ресурсов нет", "Aucune ressource";
        RESOURCES_HINT: "Files that everybody can read below {path}. Put one with", "Файлы, доступные всем по адресу {path}. Загрузить:",
            "Fichiers lisibles par tous sous {path}. Pour en ajouter un\u{a0}:";
        PUT: "Put a file", "Добавить файл", "Ajouter un fichier";
        FILE: "File", "Файл", "Fichier";
        PATH: "Path", "Путь", "Chemin";
        MEDIA_TYPE: "Media type", "Тип", "Type";
        RESOURCE_ASK: "The file {path} is removed.", "Файл {path} будет удалён.", "Le fichier {path} est supprimé.";
        REMOVE: "Remove this namespace", "Удалить это пространство", "Supprimer cet espace";
        REMOVE_HINT: "Nobody gets in any more. Its data is set aside, not destroyed; its grants and resources are deleted.",
            "Больше никто не войдёт. Данные не уничтожаются, а откладываются; права чтения и ресурсы удаляются.",
            "Plus personne n’y entre. Ses données sont mises de côté, pas détruites\u{a0}; ses droits et ressources sont supprimés.";
        TEMPORARY_HINT: "It goes with all its data when it is removed", "При удалении исчезнут и все его данные", "Ses données disparaissent avec lui quand il est supprimé";
        DESTROY_HINT: "This namespace is temporary: all its data is destroyed with it, at once, and nothing brings it back.",
            "Это временное пространство: все его данные уничтожаются вместе с ним, сразу и безвозвратно.",
            "Cet espace est temporaire\u{a0}: toutes ses données sont détruites avec lui, aussitôt et sans retour.";
        DESTROY_SURE: "All data of “{name}” will be destroyed. It cannot be brought back.",
            "Все данные «{name}» будут уничтожены. Вернуть их нельзя.",
            "Toutes les données de «\u{a0}{name}\u{a0}» seront détruites. Rien ne les ramènera.";
        TYPE_NAME: "Type the name “{name}”", "Введите имя «{name}»", "Saisissez le nom «\u{a0}{name}\u{a0}»";
    }
}

pub(super) fn pages() -> Vec<Page> {
    vec![Page::new("/console/{ns}/namespaces/{name}", namespace).at_administration()]
}

#[derive(Deserialize)]
struct NamePath {
    name: String,
}

async fn namespace(console: Console, PathOf(NamePath { name }): PathOf<NamePath>) -> PageResult {
    let row = console.read(&GET_NAMESPACE, name.clone()).await?.out;
    let given = console.read(&LIST_GRANTS, name.clone()).await?.out;
    let last = console.read(&GET_TRANSFER, name.clone()).await?.out;
    let resources = console.read(&LIST_RESOURCES, name.clone()).await?.out;
    let content = html! {
        div.stack {
            div.columns #standing data-live {
                (card(console.say(&words::ABOUT), html! {}, about(&console, &row)))
                @if !is_admins(&console, &row) {
                    (card(console.say(&words::CHANGE_STATE), html! {}, html! { (standing(&console, &row)) }))
                }
                (card(console.say(&words::LABEL_AND_LIMITS), html! {}, html! { (limits(&console, &row)) }))
            }
            @if row.state != State::Removing && !is_admins(&console, &row) {
                div #engine data-live { (moves::section(&console, &row, last.as_ref())) }
            }
            div #grants data-live { (grants::section(&console, &name, &given)) }
            div #resources data-live { (resources_of(&console, &name, &resources)) }
            @if row.state != State::Removing && !is_admins(&console, &row) {
                (card(console.say(&words::REMOVE), html! {}, remove(&console, &row)))
            }
        }
    };
    let above = [(console.at("namespaces"), console.say(&namespaces_words::NAMESPACES).to_owned())];
    let export = format!("/v1/{}/namespaces/{}/export", console.namespace().name, row.name);
    let open = html! {
        // That of administrators is not carried.
        @if matches!(row.state, State::Open | State::ReadOnly | State::Closed) && !is_admins(&console, &row) {
            a.button href=(export) download={ (row.name) ".archive" } { (console.say(&namespaces_words::EXPORT)) }
        }
        a.button href={ "/console/" (row.name) "/" } { (console.say(&namespaces_words::OPEN_CONSOLE)) }
    };
    Ok(console.show(View { title: &row.name, above: &above, actions: open, content }))
}

fn is_admins(console: &Console, row: &NamespaceRow) -> bool {
    row.name == console.kernel().config().admin_namespace
}

fn about(console: &Console, row: &NamespaceRow) -> Markup {
    let word = |yes: bool| console.say(if yes { &common::YES } else { &common::NO });
    let text = |text: &str| (!text.is_empty()).then(|| html! { (text) });
    // What there is nothing to say of is not there.
    let temporary = row.temporary.then(|| {
        html! { (namespaces::temporary(console)) " " span.sub-text { (console.say(&words::TEMPORARY_HINT)) } }
    });
    let said: [(&Text, Option<Markup>); 10] = [
        (&common::LABEL, text(&row.label)),
        (&namespaces_words::KIND, temporary),
        (&common::STATE, Some(namespaces::state(console, row.state))),
        (&words::MESSAGE, text(&row.message)),
        (&words::REOPENS, row.reopens_at.map(|at| console.whole_moment(Wall(at)))),
        (&namespaces_words::STORE, Some(namespaces::store(console, &row.name))),
        (&namespaces_words::ENGINE, Some(html! { (word_of(row.engine)) })),
        (&words::PLACE, Some(id(&row.place))),
        (&words::OWN_URL, Some(html! { (word(row.url.is_some())) })),
        (&common::CREATED, Some(console.whole_moment(Wall(row.created_at)))),
    ];
    let said: Vec<_> = said.into_iter().filter_map(|(name, value)| Some((console.say(name), value?))).collect();
    facts(&said)
}

/// States that can be asked for, with what people are told.
fn standing(console: &Console, row: &NamespaceRow) -> Form {
    let states: [(&str, &Text); 3] = [
        ("open", &namespaces_words::OPEN),
        ("read-only", &namespaces_words::READ_ONLY),
        ("closed", &namespaces_words::CLOSED),
    ];
    let choices = states.map(|(word, text)| (word.to_owned(), console.say(text).to_owned())).to_vec();
    let state = Field::new("state", console.say(&common::STATE), Kind::Text).choices(choices).value(row.state.word());
    let message = Field::new("message", console.say(&words::MESSAGE), Kind::Text).value(&row.message);
    console
        .form(CHANGE, &common::SAVE)
        .with("name", &row.name)
        .field(state.hint(console.say(&words::STATE_HINT)))
        .field(message.hint(console.say(&words::MESSAGE_HINT)))
        .field(Field::new("reopens_at", console.say(&words::REOPENS), Kind::Moment).at(row.reopens_at.map(Wall)))
        .tone(Tone::Good)
}

fn limits(console: &Console, row: &NamespaceRow) -> Form {
    let number = |name: &'static str, label: &Text, value: Option<u32>| {
        Field::new(name, console.say(label), Kind::Number)
            .value(value.map(|value| value.to_string()).unwrap_or_default())
            .hint(console.say(&words::LIMIT_HINT))
    };
    console
        .form(CHANGE, &common::SAVE)
        .with("name", &row.name)
        .field(Field::new("label", console.say(&common::LABEL), Kind::AnyText).value(&row.label))
        // All limits are set together, also if both are left empty.
        .field(Field::hidden("limits", &json!({})))
        .field(number("limits.requests_max", &words::REQUESTS_MAX, row.limits.requests_max))
        .field(number("limits.readers", &words::READERS, row.limits.readers))
        .tone(Tone::Good)
}

fn resources_of(console: &Console, name: &str, all: &[ResourceInfo]) -> Markup {
    let path = format!("/v1/{name}/resources/");
    let put = format!(
        "curl -T logo.svg -H 'Content-Type: image/svg+xml' -H \"Authorization: Bearer ${{KEY:?a key of this namespace}}\" '{}/v1/{}/namespaces/{name}/resources/logo.svg'",
        console.server(),
        console.namespace().name
    );
    let columns = [
        Column(console.say(&words::PATH), Holds::Text),
        Column(console.say(&words::MEDIA_TYPE), Holds::Text),
        Column(console.say(&common::SIZE), Holds::Numbers),
        Column(console.say(&common::WHEN), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let rows: Vec<_> = all.iter().map(|info| resource(console, name, info)).collect();
    let content = html! {
        p.hint { (console.fill(&words::RESOURCES_HINT, &[("path", &path)])) }
        (console.terminal(&[put]))
        @if rows.is_empty() { (empty(console.say(&words::RESOURCES_EMPTY), html! {})) }
        @else { (table(console.say(&words::RESOURCES), &columns, &rows)) }
    };
    card(console.say(&words::RESOURCES), html! { (put_resource(console, name)) }, content)
}

fn put_resource(console: &Console, name: &str) -> Form {
    let address = format!("/v1/{}/namespaces/{name}/resources/{{path}}", console.namespace().name);
    Form::new("PUT", &address, console.say(&words::PUT))
        .field(Field::new("file", console.say(&words::FILE), Kind::File).required())
        .field(Field::new("path", console.say(&words::PATH), Kind::Text).in_path().required())
        .in_dialog(console.say(&words::PUT))
}

fn resource(console: &Console, name: &str, info: &ResourceInfo) -> Row {
    // The path's own slashes stay what they are.
    let path = info.path.split('/').map(encoded).collect::<Vec<_>>().join("/");
    let address = format!("/v1/{}/namespaces/{name}/resources/{path}", console.namespace().name);
    let remove = Form::new("DELETE", &address, console.say(&common::DELETE))
        .tone(Tone::Bad)
        .confirm(console.fill(&words::RESOURCE_ASK, &[("path", &info.path)]));
    let size = u64::try_from(info.size).unwrap_or_default();
    Row::of(vec![
        html! { a href={ "/v1/" (name) "/resources/" (path) } { (info.path) } },
        html! { (info.media_type) },
        html! { (moment::bytes(console.language(), size)) },
        console.moment(Wall(info.changed_at)),
        html! { (remove) },
    ])
    .key(&info.path)
}

fn remove(console: &Console, row: &NamespaceRow) -> Markup {
    let form = console
        .form("DELETE /v1/{ns}/namespaces/{name}", &words::REMOVE)
        .with("name", &row.name)
        .field(Field::typed(console.fill(&words::TYPE_NAME, &[("name", &row.name)]), &row.name))
        .tone(Tone::Bad)
        .go(console.at("namespaces"));
    if row.temporary {
        let sure = console.fill(&words::DESTROY_SURE, &[("name", &row.name)]);
        return html! { p.hint { b { (console.say(&words::DESTROY_HINT)) } } (form.confirm(sure)) };
    }
    html! { p.hint { (console.say(&words::REMOVE_HINT)) } (form) }
}
