//! The items of a document, and traces of those that were deleted.

use maud::{Markup, html};
use web::Console;
use web::console::words as common;
use web::ui::form::filters;
use web::ui::parts::{card, empty, id, table};
use web::ui::{Column, Field, Holds, Kind, Row, Tone};

use super::paging::Paged;
use super::{Asked, Place, class_page, commit, is_part_of_path, value, when, who, words};
use crate::browse::{DocDetail, ItemView};
use crate::class::ClassDecl;

/// Few rows of a page: values are higher than lines.
const PAGES: Paged = Paged { name: "skip", place: "items", rows: 50 };
/// Pages of traces.
const DELETED: Paged = Paged { name: "gone", place: "deleted", rows: 200 };

pub(super) fn card_of(place: Place<'_>, decl: &ClassDecl, doc: &DocDetail, asked: &Asked) -> Markup {
    let console = place.console;
    let fits = |item: &&ItemView| {
        (asked.kind.is_empty() || item.c == asked.kind) && (asked.key.is_empty() || item.k.starts_with(&asked.key))
    };
    let fitting: Vec<_> = doc.items.iter().filter(fits).collect();
    let skip = PAGES.skip(asked.skip, fitting.len());
    let shown: Vec<_> = fitting.iter().skip(skip).take(PAGES.rows).copied().collect();
    let aside = html! { @if fitting.len() > shown.len() { (range(console, skip, shown.len(), fitting.len())) } };
    let content = html! {
        @if doc.items.len() > PAGES.rows { (filter(place, decl, asked)) }
        @if commit::may(console, place.class) && !decl.items.is_empty() { (adding(place, decl)) }
        @if shown.is_empty() {
            (empty(console.say(&words::NO_ITEMS), html! { p { (console.say(&words::NO_ITEMS_HINT)) } }))
        } @else { (rows(place, doc, &shown)) }
    };
    html! {
        div #(PAGES.place) { (card(console.say(&words::ITEMS), aside, content)) }
        (PAGES.pager(place, asked, skip, fitting.len()))
    }
}

pub(super) fn range(console: &Console, skip: usize, shown: usize, all: usize) -> Markup {
    let number = |count: usize| console.language().number(i64::try_from(count).unwrap_or(i64::MAX));
    let said = [("from", number(skip + 1)), ("to", number(skip + shown)), ("n", number(all))];
    html! { (console.fill(&words::SHOWN_OF, &[("from", &said[0].1), ("to", &said[1].1), ("n", &said[2].1)])) }
}

/// A form that asks for this document, or its item, by the address that can name it.
fn asking(place: Place<'_>, end: &str, fields: Vec<Field>, button: &str) -> Markup {
    if is_part_of_path(place.id) {
        return filters(&format!("{}{end}", place.page()), &fields, button);
    }
    let named = [Field::new("id", "", Kind::Hidden).value(place.id)].into_iter().chain(fields).collect::<Vec<_>>();
    filters(&class_page(place.console, place.class), &named, button)
}

fn kinds(decl: &ClassDecl) -> impl Iterator<Item = (String, String)> {
    decl.items.keys().map(|name| (name.clone(), name.clone()))
}

fn filter(place: Place<'_>, decl: &ClassDecl, asked: &Asked) -> Markup {
    let console = place.console;
    let all = (String::new(), console.say(&common::ALL_OF_THEM).to_owned());
    let choices = std::iter::once(all).chain(kinds(decl)).collect();
    let fields = vec![
        Field::new("kind", console.say(&common::KIND), Kind::Text).choices(choices).value(&asked.kind),
        Field::new("key", console.say(&words::KEY_STARTS), Kind::Text).value(&asked.key),
    ];
    asking(place, "", fields, console.say(&common::FILTER))
}

/// By the item's page, which shows what is there already: nothing is put in the place of something that nobody has seen.
fn adding(place: Place<'_>, decl: &ClassDecl) -> Markup {
    let console = place.console;
    let fields = vec![
        Field::new("c", console.say(&common::KIND), Kind::Text).choices(kinds(decl).collect()),
        Field::new("k", console.say(&words::KEY), Kind::Text),
    ];
    html! {
        details.fold {
            summary { (console.say(&words::ADD_ITEM)) }
            (asking(place, "/item", fields, console.say(&words::OPEN)))
        }
    }
}

fn rows(place: Place<'_>, doc: &DocDetail, items: &[&ItemView]) -> Markup {
    let console = place.console;
    let columns = [
        Column(console.say(&common::KIND), Holds::Text),
        Column(console.say(&words::KEY), Holds::Text),
        Column(console.say(&words::VALUE), Holds::Text),
        Column(console.say(&words::CHANGED), Holds::Text),
        Column(console.say(&common::WHO), Holds::Text),
        Column(console.say(&common::VERSION), Holds::Numbers),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let rows: Vec<_> = items.iter().map(|item| row(place, doc, item)).collect();
    table(console.say(&words::ITEMS), &columns, &rows)
}

fn row(place: Place<'_>, doc: &DocDetail, item: &ItemView) -> Row {
    let (console, page) = (place.console, place.item(&item.c, &item.k));
    let may = commit::may(console, place.class);
    Row::of(vec![
        html! { code { (item.c) } },
        html! { @if !item.k.is_empty() { (id(&item.k)) } },
        value::short(console, item, &page),
        when(console, item.v),
        who(console, &item.who, &item.op),
        id(item.v),
        html! { @if may { a.button href=(page) { (console.say(&words::EDIT)) } " " (deleting(place, doc, &item.c, &item.k)) } },
    ])
    .key(format!("{} {}", item.c, item.k))
}

/// Deletes an item or an attachment of the document as it was shown.
pub(super) fn deleting(place: Place<'_>, doc: &DocDetail, c: &str, k: &str) -> web::ui::Form {
    let name = if k.is_empty() { c.to_owned() } else { format!("{c} {k}") };
    let form = commit::form(place, doc.v, &common::DELETE, &words::BEHIND_DELETE).tone(Tone::Bad);
    let form = form.confirm(place.console.fill(&words::DELETE_ITEM_SURE, &[("item", &name)]));
    commit::deleting(commit::of_item(form, c, k))
}

pub(super) fn deleted(place: Place<'_>, doc: &DocDetail, asked: &Asked) -> Markup {
    let console = place.console;
    if doc.tombstones.is_empty() {
        return html! {};
    }
    let columns = [
        Column(console.say(&common::KIND), Holds::Text),
        Column(console.say(&words::KEY), Holds::Text),
        Column(console.say(&common::WHEN), Holds::Text),
        Column(console.say(&common::WHO), Holds::Text),
        Column(console.say(&common::VERSION), Holds::Numbers),
    ];
    let row = |gone: &crate::browse::TombstoneView| {
        let key = html! { @if !gone.k.is_empty() { (id(&gone.k)) } };
        Row::of(vec![
            html! { code { (gone.c) } },
            key,
            when(console, gone.v),
            who(console, &gone.who, &gone.op),
            id(gone.v),
        ])
    };
    let mut newest: Vec<_> = doc.tombstones.iter().collect();
    newest.sort_by_key(|gone| std::cmp::Reverse(gone.v));
    let all = newest.len();
    let skip = DELETED.skip(asked.gone, all);
    let rows: Vec<_> = newest.iter().skip(skip).take(DELETED.rows).map(|gone| row(gone)).collect();
    let content = html! {
        details.fold open[skip > 0] {
            summary { (console.say(&common::SHOW_ALL)) }
            p.hint { (console.say(&words::DELETED_ITEMS_HINT)) }
            (table(console.say(&words::DELETED_ITEMS), &columns, &rows))
            (DELETED.pager(place, asked, skip, all))
        }
    };
    let count = range(console, skip, rows.len(), all);
    html! { div #(DELETED.place) { (card(console.say(&words::DELETED_ITEMS), count, content)) } }
}
