//! The way of a namespace to the other engine, or out of an archive (KER-3): how far it is, how to begin it, how to take it back.

use base::{Engine, Wall};
use kernel::namespaces::transfers::{Kind as What, Progress, Transfer, TransferState};
use kernel::namespaces::{NamespaceRow, State, word_of};
use maud::{Markup, html};
use serde_json::json;

use super::namespaces::words as namespaces_words;
use crate::console::visit::Console;
use crate::console::words as common;
use crate::ui::parts::{badge, card, facts, progress};
use crate::ui::{Field, Form, Kind, Text, Tone};

mod words {
    crate::texts! {
        TITLE: "Engine of its data", "Хранилище данных", "Moteur de ses données";
        HINT: "It serves while its rows are carried, and is closed for the last part. A server that is killed goes on by itself. The old copy is kept.",
            "Пространство работает, пока переносятся строки, и закрывается на последнюю часть. После сбоя сервер продолжает сам. Старая копия остаётся.",
            "Il reste ouvert pendant que ses lignes sont transportées, et ferme pour la fin. Un serveur tué reprend de lui-même. L’ancienne copie est gardée.";
        TO_POSTGRES: "Move to PostgreSQL", "Перенести в PostgreSQL", "Déplacer vers PostgreSQL";
        TO_SQLITE: "Move to SQLite", "Перенести в SQLite", "Déplacer vers SQLite";
        TO_SQLITE_HINT: "Its file will be on the disk of this node: with several nodes, the others do not serve it any more.",
            "Файл будет на диске этого узла: другие узлы больше не будут его обслуживать.",
            "Son fichier sera sur le disque de ce nœud\u{a0}: les autres nœuds ne le serviront plus.";
        ASK: "All of “{name}” moves to {engine}.", "«{name}» целиком переносится в {engine}.", "Tout «\u{a0}{name}\u{a0}» est déplacé vers {engine}.";
        TAKE_BACK: "Take it back", "Отменить перенос", "Annuler";
        TAKE_BACK_ASK: "It stays as it was, and what was carried is thrown away.", "Всё останется как было, перенесённое удаляется.",
            "Tout reste comme avant\u{a0}; ce qui a été transporté est jeté.";
        WAY: "Way", "Путь", "Chemin";
        IMPORT: "out of an archive", "из архива", "depuis une archive";
        NODE: "Node", "Узел", "Nœud";
        ATTEMPTS: "Attempts", "Попыток", "Essais";
        NOTE: "Last problem", "Последний сбой", "Dernier incident";
        CARRIED: "Rows, the same on both sides", "Строк, одинаково с обеих сторон", "Lignes, identiques des deux côtés";
        ROWS: "{table}, {rows} rows", "{table}, строк: {rows}", "{table}, {rows} lignes";
        BEGUN: "Begun", "Начато", "Commencé";
        ENDED: "Ended", "Завершено", "Terminé";
        COPYING: "rows are carried", "строки переносятся", "lignes en transport";
        CLOSING: "closed, both sides are compared", "закрыто, стороны сравниваются", "fermé, comparaison des deux côtés";
        REOPENING: "on the way back", "возвращается", "en retour";
        SWITCHED: "the new side serves", "работает новое хранилище", "le nouveau moteur est en service";
        ARRIVING: "being imported", "импортируется", "en importation";
        DONE: "done", "готово", "fait";
        FAILED: "given up, as it was before", "не удалось, всё как было", "abandonné, comme avant";
        CANCELLED: "taken back", "отменено", "annulé";
    }
}

const MOVE: &str = "POST /v1/{ns}/namespaces/{name}/move";
const CANCEL: &str = "DELETE /v1/{ns}/namespaces/{name}/transfer";

/// For the list: what is under way, if anything.
pub(super) fn under_way(console: &Console, name: &str) -> Markup {
    let known = console.kernel().registry().known();
    html! { @if let Some(transfer) = known.transfers.get(name) { " " (state(console, transfer.state)) (how_far(console, transfer)) } }
}

/// For the page of a namespace: the last one, and what can be done.
pub(super) fn section(console: &Console, row: &NamespaceRow, last: Option<&Transfer>) -> Markup {
    let is_under_way = last.is_some_and(|transfer| !transfer.state.is_final());
    let content = html! {
        p.hint { (console.say(&words::HINT)) }
        @if let Some(transfer) = last {
            (told(console, transfer))
            @if is_under_way { (how_far(console, transfer)) }
            (take_back(console, transfer))
        }
        @if !is_under_way { (begin(console, row)) }
    };
    card(console.say(&words::TITLE), html! {}, content)
}

fn told(console: &Console, transfer: &Transfer) -> Markup {
    let way = match (transfer.kind, transfer.from) {
        (What::Move, Some(from)) => html! { (word_of(from.0)) " → " (word_of(transfer.to)) },
        (What::Move | What::Import, _) => html! { (console.say(&words::IMPORT)) " → " (word_of(transfer.to)) },
    };
    let mut told = vec![
        (console.say(&common::STATE), state(console, transfer.state)),
        (console.say(&words::WAY), way),
        (console.say(&words::NODE), html! { (transfer.node) }),
        (console.say(&words::ATTEMPTS), html! { (transfer.attempts) }),
        (console.say(&words::BEGUN), console.whole_moment(Wall(transfer.started_at))),
    ];
    // What there is nothing to say of yet is not there.
    told.extend((!transfer.note.is_empty()).then(|| (console.say(&words::NOTE), html! { (transfer.note) })));
    told.extend(transfer.rows.map(|rows| (console.say(&words::CARRIED), html! { (rows) })));
    told.extend(transfer.ended_at.map(|at| (console.say(&words::ENDED), console.whole_moment(Wall(at)))));
    facts(&told)
}

fn state(console: &Console, state: TransferState) -> Markup {
    let (tone, text) = match state {
        TransferState::Copying => (Tone::Info, &words::COPYING),
        TransferState::Closing => (Tone::Warn, &words::CLOSING),
        TransferState::Reopening => (Tone::Warn, &words::REOPENING),
        TransferState::Switched => (Tone::Info, &words::SWITCHED),
        TransferState::Arriving => (Tone::Info, &words::ARRIVING),
        TransferState::Done => (Tone::Good, &words::DONE),
        TransferState::Failed => (Tone::Bad, &words::FAILED),
        TransferState::Cancelled => (Tone::Quiet, &words::CANCELLED),
    };
    badge(tone, console.say(text))
}

/// Tables that are behind it. Only the node that works on it knows.
fn how_far(console: &Console, transfer: &Transfer) -> Markup {
    let Some(walked) = console.kernel().common::<Progress>().of(&transfer.name) else { return html! {} };
    let words = console.fill(&words::ROWS, &[("table", &walked.table), ("rows", &walked.rows)]);
    let far = (walked.tables_done as u64, walked.tables as u64);
    progress(Tone::Info, console.say(&words::COPYING), far, html! { (words) })
}

/// Too late once the new side serves.
fn take_back(console: &Console, transfer: &Transfer) -> Form {
    let is_early = matches!(transfer.state, TransferState::Copying | TransferState::Closing | TransferState::Arriving);
    console
        .form(CANCEL, &words::TAKE_BACK)
        .with("name", &transfer.name)
        .confirm(console.say(&words::TAKE_BACK_ASK))
        .tone(Tone::Bad)
        .allowed(is_early && !transfer.cancelled)
}

/// To the engine that it is not on.
fn begin(console: &Console, row: &NamespaceRow) -> Markup {
    let may = matches!(row.state, State::Open | State::ReadOnly | State::Closed);
    match row.engine {
        Engine::Sqlite => {
            html! { (to(console, row, Engine::Postgres, &words::TO_POSTGRES).field(own_url(console)).allowed(may)) }
        }
        Engine::Postgres => html! {
            p.hint { (console.say(&words::TO_SQLITE_HINT)) }
            (to(console, row, Engine::Sqlite, &words::TO_SQLITE).allowed(may))
        },
    }
}

fn to(console: &Console, row: &NamespaceRow, engine: Engine, button: &Text) -> Form {
    let word = word_of(engine);
    console
        .form(MOVE, button)
        .with("name", &row.name)
        .field(Field::hidden("engine", &json!(word)))
        .confirm(console.fill(&words::ASK, &[("name", &row.name), ("engine", &word)]))
}

/// Needed where the server has none.
fn own_url(console: &Console) -> Field {
    let field = Field::new("url", console.say(&namespaces_words::URL), Kind::Password);
    let field = field.autocomplete("new-password");
    if console.kernel().config().namespaces.has_postgres {
        field.hint(console.say(&namespaces_words::URL_HINT))
    } else {
        field.hint(console.say(&namespaces_words::URL_NEEDED)).required()
    }
}
