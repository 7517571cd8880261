//! Who else may read a namespace's documents.

use kernel::namespaces::GivenGrant;
use maud::{Markup, html};

use crate::console::visit::Console;
use crate::console::words as common;
use crate::ui::parts::{Column, Holds, Row, card, empty, table};
use crate::ui::{Field, Form, Kind, Tone};

const GIVE: &str = "PUT /v1/{ns}/namespaces/{owner}/grants/{reader}/{class}";
const TAKE: &str = "DELETE /v1/{ns}/namespaces/{owner}/grants/{reader}/{class}";

mod words {
    crate::texts! {
        GRANTS: "Read-only grants", "Права чтения", "Droits de lecture";
        HINT: "Other namespaces that may read documents of this one, class by class; each read stands in its journal.",
            "Другие пространства, которым можно читать документы этого, по классам; каждое чтение записывается в его журнал.",
            "D’autres espaces qui peuvent lire des documents de celui-ci, classe par classe\u{a0}; chaque lecture figure dans son journal.";
        READER: "Reader", "Кто читает", "Lecteur";
        CLASS: "Class", "Класс", "Classe";
        GIVE: "Give", "Дать", "Donner";
        GIVE_TITLE: "Give a grant", "Дать право чтения", "Donner un droit";
        TAKE: "Take back", "Забрать", "Retirer";
        TAKE_ASK: "{reader} may not read class {class} any more.", "{reader} больше не сможет читать класс {class}.",
            "{reader} ne pourra plus lire la classe {class}.";
        EMPTY: "No grant", "Прав нет", "Aucun droit";
    }
}

pub(super) fn section(console: &Console, owner: &str, given: &[GivenGrant]) -> Markup {
    let columns = [
        Column(console.say(&words::READER), Holds::Text),
        Column(console.say(&words::CLASS), Holds::Text),
        Column(console.say(&common::WHEN), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let rows: Vec<_> = given.iter().map(|grant| row(console, owner, grant)).collect();
    let content = html! {
        p.hint { (console.say(&words::HINT)) }
        @if rows.is_empty() { (empty(console.say(&words::EMPTY), html! {})) }
        @else { (table(console.say(&words::GRANTS), &columns, &rows)) }
    };
    card(console.say(&words::GRANTS), html! { (give(console, owner)) }, content)
}

fn give(console: &Console, owner: &str) -> Form {
    let others = console.kernel().namespaces().into_iter().map(|ns| ns.name.clone()).filter(|name| name != owner);
    let choices: Vec<_> = others.map(|name| (name.clone(), name)).collect();
    let reader = Field::new("reader", console.say(&words::READER), Kind::Text).required().in_path();
    console
        .form(GIVE, &words::GIVE)
        .with("owner", owner)
        .field(reader.choices(choices))
        .field(Field::new("class", console.say(&words::CLASS), Kind::Text).required().in_path())
        .tone(Tone::Good)
        .in_dialog(console.say(&words::GIVE_TITLE))
}

fn row(console: &Console, owner: &str, grant: &GivenGrant) -> Row {
    let ask = console.fill(&words::TAKE_ASK, &[("reader", &grant.reader), ("class", &grant.class)]);
    let take = console
        .form(TAKE, &words::TAKE)
        .with("owner", owner)
        .with("reader", &grant.reader)
        .with("class", &grant.class)
        .tone(Tone::Bad)
        .confirm(ask);
    let cells = vec![
        html! { (grant.reader) },
        html! { code { (grant.class) } },
        console.moment(grant.granted_at),
        html! { (take) },
    ];
    Row::of(cells).key(format!("{} {}", grant.reader, grant.class))
}
