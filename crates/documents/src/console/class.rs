//! The documents of a class, in the order of their ids or by an index.

use base::codes;
use maud::{Markup, html};
use web::console::words as common;
use web::ui::form::{filters, link};
use web::ui::parts::{banner, card, empty, id, id_link, pager, table};
use web::ui::{Column, Field, Form, Holds, Kind, Row, Tone};
use web::{ApiError, Console, PageResult, PathOf, QueryOf, View};

use super::{Asked, PAGE, Place, above, class_page, classes, commit, document, item, search, size, when, who, words};
use crate::browse::{DocLine, DocLines, LIST, ListOf, Viewer};
use crate::class::{ClassDecl, ClassView, SHOW_CLASSES, ensure_offered};
use crate::codes::{CVERSION, NCLASS};
use crate::routes::ClassPath;

pub(super) async fn page(
    console: Console,
    PathOf(ClassPath { class }): PathOf<ClassPath>,
    QueryOf(asked): QueryOf<Asked>,
) -> PageResult {
    if !asked.id.is_empty() {
        let place = Place { console: &console, class: &class, id: &asked.id };
        return if asked.c.is_some() { item::shown(place, &asked).await } else { document::shown(place, &asked).await };
    }
    let class = find(&console, &class).await?;
    let name = &class.decl.class;
    let found = if asked.field.is_empty() { None } else { Some(search::find(&console, &class.decl, &asked).await?) };
    let rows = match found {
        Some(found) => html! { div.stack #documents data-live { (found) } },
        None => html! { div.stack #documents data-live { (lines(&console, name, &asked).await?) } },
    };
    let content = html! {
        @if commit::is_closed(&console, name) { (banner(Tone::Quiet, html! { (console.say(&words::PROGRAM_ONLY)) })) }
        div.stack {
            div.columns { (by_id(&console, name, &asked)) (search::form(&console, &class.decl, &asked)) }
            (rows)
        }
    };
    let (title, above) = (class.decl.class.as_str(), above(&console, None));
    Ok(console.show(View { title, above: &above, actions: actions(&console, &class.decl), content }))
}

/// The class of that name.
///
/// # Errors
/// `NCLASS`.
pub(super) async fn find(console: &Console, name: &str) -> Result<ClassView, ApiError> {
    ensure_offered(console).await;
    let mut classes = console.read(&SHOW_CLASSES, ()).await?.out;
    let at = classes.iter().position(|class| class.decl.class == name);
    at.map(|at| classes.swap_remove(at)).ok_or_else(|| ApiError::refused(NCLASS, format!("no class {name}")))
}

fn actions(console: &Console, decl: &ClassDecl) -> Markup {
    let text = serde_json::to_string_pretty(decl).unwrap_or_default();
    let of_program = commit::offered(console, &decl.class).is_some();
    html! {
        (classes::declaring(console, &text, &words::CHANGE_CLASS).allowed(!of_program))
        (new_document(console, decl))
    }
}

fn new_document(console: &Console, decl: &ClassDecl) -> Form {
    // By the class's address, which takes every id.
    let go = format!("{}?id={{param.changes.0.id}}", class_page(console, &decl.class));
    commit::any(console, &decl.class, &common::CREATE)
        .tone(Tone::Good)
        .field(Field::new("param.changes.0.id", console.say(&words::ID), Kind::AnyText).required())
        .field(Field::new("param.changes.0.expect", "", Kind::Hidden).value("new"))
        .field(
            Field::new("param.changes.0.items", console.say(&words::FIRST_ITEMS), Kind::Json)
                .value(example(decl))
                .hint(console.say(&words::FIRST_ITEMS_HINT))
                .required()
                .rows(10),
        )
        .behind(CVERSION.name, console.say(&words::EXISTS_ALREADY))
        .go(go)
        .in_dialog(console.say(&words::NEW_DOCUMENT))
}

/// One item of each class.
fn example(decl: &ClassDecl) -> String {
    let item = |(name, item): (&String, &crate::class::ItemDecl)| {
        let key = if item.singleton { String::new() } else { ", \"k\": \"1\"".to_owned() };
        let content = if item.raw { "\"s\": \"\"" } else { "\"j\": {}" };
        format!("  {{ \"c\": \"{name}\"{key}, {content} }}")
    };
    let items: Vec<_> = decl.items.iter().map(item).collect();
    if items.is_empty() { "[]".to_owned() } else { format!("[\n{}\n]", items.join(",\n")) }
}

fn by_id(console: &Console, class: &str, asked: &Asked) -> Markup {
    let field = Field::new("prefix", console.say(&words::ID_STARTS), Kind::Text).value(&asked.prefix);
    let form = filters(&class_page(console, class), &[field], console.say(&common::FILTER));
    card(console.say(&words::DOCUMENTS), reset(console, class, &asked.prefix), form)
}

/// Back to all of them.
pub(super) fn reset(console: &Console, class: &str, given: &str) -> Markup {
    html! { @if !given.is_empty() { a href=(class_page(console, class)) { (console.say(&common::RESET)) } } }
}

async fn lines(console: &Console, class: &str, asked: &Asked) -> Result<Markup, ApiError> {
    let (viewer, after) = (Viewer::of(console, class), Some(asked.after.clone()).filter(|after| !after.is_empty()));
    let of = ListOf { class: class.to_owned(), prefix: asked.prefix.clone(), after, limit: PAGE, viewer };
    let found = match console.read(&LIST, of).await {
        Ok(found) => found.out,
        Err(ApiError(error)) if error.code == codes::ABODY => return Ok(search::refused(console, &error.message)),
        Err(error) => return Err(error),
    };
    Ok(listed(console, class, asked, &found))
}

fn listed(console: &Console, class: &str, asked: &Asked, found: &DocLines) -> Markup {
    let at =
        |after: Option<&str>| link(&class_page(console, class), &[("prefix", Some(&asked.prefix)), ("after", after)]);
    let first = (!asked.after.is_empty()).then(|| at(None));
    let next = found.next.as_deref().map(|next| at(Some(next)));
    html! {
        @if found.items.is_empty() { (nothing(console, asked, next.is_some())) } @else { (rows(console, class, &found.items)) }
        (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
    }
}

fn nothing(console: &Console, asked: &Asked, more: bool) -> Markup {
    let (title, hint) = match (more, asked.prefix.is_empty()) {
        (true, _) => (&words::NO_DOCUMENTS, &words::MORE_BEHIND),
        (false, true) => (&words::NO_DOCUMENTS, &words::NO_DOCUMENTS_HINT),
        (false, false) => (&words::NONE_FITS, &words::NONE_FITS_HINT),
    };
    empty(console.say(title), html! { p { (console.say(hint)) } })
}

fn rows(console: &Console, class: &str, lines: &[DocLine]) -> Markup {
    let columns = [
        Column(console.say(&words::ID), Holds::Text),
        Column(console.say(&words::CHANGED), Holds::Text),
        Column(console.say(&common::WHO), Holds::Text),
        Column(console.say(&words::ITEMS), Holds::Numbers),
        Column(console.say(&common::SIZE), Holds::Numbers),
        Column(console.say(&words::ATTACHMENTS), Holds::Numbers),
        Column(console.say(&common::VERSION), Holds::Numbers),
    ];
    let row = |line: &DocLine| {
        let place = Place { console, class, id: &line.id };
        Row::of(vec![
            id_link(&place.page(), &line.id),
            when(console, line.v),
            who(console, &line.who, &line.op),
            html! { (console.language().number(line.items)) },
            html! { (size(console, line.bytes)) },
            html! { @if line.attachments_bytes > 0 { (size(console, line.attachments_bytes)) } },
            id(line.v),
        ])
        .key(&line.id)
    };
    let rows: Vec<_> = lines.iter().map(row).collect();
    table(console.say(&words::DOCUMENTS), &columns, &rows)
}
