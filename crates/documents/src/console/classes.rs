//! All classes: what their documents hold, what can be searched, how many there are.

use maud::{Markup, Render, html};
use web::console::words as common;
use web::ui::parts::{badge, empty, id_link, table};
use web::ui::{Column, Field, Form, Holds, Kind, Row, Tone};
use web::{Console, PageResult, View};

use super::{class_page, commit, words};
use crate::browse::{CLASS_COUNTS, ClassCount};
use crate::class::{ClassDecl, ClassView, DocClass, ItemDecl, SHOW_CLASSES, ensure_offered};

const EXAMPLE: &str = r#"{
  "class": "Contact",
  "history": true,
  "items": {
    "Card": { "singleton": true, "index": { "name": "string" } },
    "Phone": { "index": { "number": "string" } },
    "Note": { "raw": true }
  }
}"#;

pub(super) async fn page(console: Console) -> PageResult {
    ensure_offered(&console).await;
    let classes = console.read(&SHOW_CLASSES, ()).await?.out;
    let filtered = console.namespace().home.offered::<DocClass>();
    let filtered = filtered.filter(|class| class.filter.is_some()).map(|class| class.name).collect();
    let counts = console.read(&CLASS_COUNTS, filtered).await?.out;
    let content = html! { div.stack #classes data-live { (list(&console, &classes, &counts)) } };
    let actions = declaring(&console, EXAMPLE, &words::DECLARE).tone(Tone::Good).render();
    Ok(console.show(View { title: console.say(&words::DOCUMENTS), above: &[], actions, content }))
}

/// A form that declares a class, beginning with this text.
pub(super) fn declaring(console: &Console, text: &str, title: &web::ui::Text) -> Form {
    let hint = format!("{} {}", console.say(&words::DECLARATION_HINT), console.say(&words::CHANGE_HINT));
    console
        .form("POST /v1/{ns}/doc-classes", &common::SAVE)
        .field(Field::new("*", console.say(&words::DECLARATION), Kind::Json).value(text).hint(hint).required().rows(16))
        .in_dialog(console.say(title))
}

fn list(console: &Console, classes: &[ClassView], counts: &[ClassCount]) -> Markup {
    if classes.is_empty() {
        return empty(console.say(&words::NO_CLASSES), how(console));
    }
    let columns = [
        Column(console.say(&words::CLASS), Holds::Text),
        Column(console.say(&words::DOCUMENTS), Holds::Numbers),
        Column(console.say(&words::ITEMS), Holds::Text),
        Column(console.say(&words::INDEXES), Holds::Text),
        Column(console.say(&words::COPIES), Holds::Text),
        Column(console.say(&words::HISTORY), Holds::Text),
    ];
    let count = |class: &ClassView| counts.iter().find(|count| count.class == class.decl.class);
    let rows: Vec<_> = classes.iter().map(|class| row(console, class, count(class))).collect();
    table(console.say(&words::CLASSES), &columns, &rows)
}

/// How to declare the first one.
fn how(console: &Console) -> Markup {
    let line: String = EXAMPLE.split_whitespace().collect::<Vec<_>>().join(" ");
    let command = format!("echo '{line}' |\n  {}", console.command("documents class declare --file -"));
    let call = console.curl("POST", "doc-classes", &line);
    html! {
        p { (console.say(&words::NO_CLASSES_HINT)) }
        (console.terminal(&[command, call]))
    }
}

fn row(console: &Console, class: &ClassView, count: Option<&ClassCount>) -> Row {
    let decl = &class.decl;
    let of_program = commit::offered(console, &decl.class).is_some();
    Row::of(vec![
        html! {
            (id_link(&class_page(console, &decl.class), &decl.class))
            @if of_program { span.sub { (console.say(&words::OF_PROGRAM)) } }
        },
        html! { (documents(console, count)) },
        kinds(console, decl),
        indexes(console, class),
        copies(decl),
        html! { @if decl.history { (badge(Tone::Good, console.say(&words::KEEPS))) } @else { span.soft { (console.say(&common::NO)) } } },
    ])
    .key(&decl.class)
}

/// How many, as far as they were counted: `10,000+`.
fn documents(console: &Console, count: Option<&ClassCount>) -> String {
    match count.and_then(|count| Some((count.documents?, count.more))) {
        Some((documents, more)) => format!("{}{}", console.language().number(documents), if more { "+" } else { "" }),
        None => console.say(&words::NOT_COUNTED).to_owned(),
    }
}

fn kinds(console: &Console, decl: &ClassDecl) -> Markup {
    let marks = |item: &ItemDecl| {
        let one = item.singleton.then(|| console.say(&words::ONE_ONLY));
        let text = item.raw.then(|| console.say(&words::OPAQUE));
        one.into_iter().chain(text).collect::<Vec<_>>().join(", ")
    };
    html! {
        span.words { @for (name, item) in &decl.items {
            span { code { (name) } @if item.singleton || item.raw { " " span.soft.small { (marks(item)) } } }
        } }
    }
}

fn indexes(console: &Console, class: &ClassView) -> Markup {
    let filling = |item: &str, field: &str| {
        let found = class.filling.iter().find(|filling| filling.item == item && filling.field == field);
        found.map(|filling| console.language().number(filling.looked_at))
    };
    html! {
        span.words { @for (item, decl) in &class.decl.items { @for field in decl.index.keys() {
            span {
                code { (item) "." (field) } " "
                @match filling(item, field) {
                    Some(looked) => (badge(Tone::Info, console.fill(&words::FILLING, &[("n", &looked)]))),
                    None => (badge(Tone::Good, console.say(&words::READY))),
                }
            }
        } } }
    }
}

fn copies(decl: &ClassDecl) -> Markup {
    let copied = decl.items.iter().filter(|(_, item)| !item.copy_to.is_empty());
    html! { span.words { @for (name, item) in copied { span { code { (name) } " → " (item.copy_to.join(", ")) } } } }
}
