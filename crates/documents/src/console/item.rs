//! One item: as it is now, live, and a form that changes it. The form is not live: what somebody writes stays with the version that it
//! was written for.

use maud::{Markup, html};
use replica::ItemKey;
use web::console::words as common;
use web::ui::parts::{banner, card, facts, id};
use web::ui::{Field, Form, Kind, Tone};
use web::{ApiError, Console, PageResult, PathOf, QueryOf, View};

use super::{Asked, Place, above, commit, size, value, when, who, words};
use crate::browse::{ItemDetail, ItemOf, SHOW_ITEM, ViewOf, Viewer};
use crate::class::ensure_offered;
use crate::codes::AITEM;
use crate::routes::DocPath;

/// The operation that brings copies along (DOC-14).
const COPIED: &str = "doc.copy";

pub(super) async fn page(
    console: Console,
    PathOf(DocPath { class, id }): PathOf<DocPath>,
    QueryOf(asked): QueryOf<Asked>,
) -> PageResult {
    shown(Place { console: &console, class: &class, id: &id }, &asked).await
}

pub(super) async fn shown(place: Place<'_>, asked: &Asked) -> PageResult {
    let Place { console, class, id } = place;
    ensure_offered(console).await;
    let key = ItemKey::new(asked.c.as_deref().unwrap_or_default(), &asked.k);
    let document = ViewOf { class: class.to_owned(), id: id.to_owned(), viewer: Viewer::of(console, class) };
    let found = console.read(&SHOW_ITEM, ItemOf { document, key: key.clone() }).await?.out;
    let key = if found.decl.singleton { ItemKey::new(&key.c, "") } else { key };
    if !found.decl.singleton && key.k.is_empty() {
        return Err(ApiError::refused(AITEM, console.say(&words::NEEDS_KEY)));
    }
    let content = html! {
        @if commit::is_closed(console, class) { (banner(Tone::Quiet, html! { (console.say(&words::PROGRAM_ONLY)) })) }
        div.columns {
            div #item data-live { (now(place, &found)) }
            @if commit::may(console, class) { (editing(place, &key, &found)) }
        }
    };
    let title = if key.k.is_empty() { key.c } else { format!("{} {}", key.c, key.k) };
    let mut above = above(console, Some(class));
    above.push((place.page(), id.to_owned()));
    Ok(console.show(View { title: &title, above: &above, actions: html! {}, content }))
}

/// The item, and the version of its document.
fn now(place: Place<'_>, found: &ItemDetail) -> Markup {
    let console = place.console;
    let version = html! { span #(commit::VERSION) data-now=(found.v) { (id(found.v)) } };
    let Some(item) = &found.item else {
        let text = &if commit::may(console, place.class) { words::NOT_THERE } else { words::NOT_THERE_READER };
        let facts = facts(&[(console.say(&words::DOCUMENT_VERSION), version)]);
        return card(console.say(&words::AS_IT_IS), html! {}, html! { p { (console.say(text)) } (facts) });
    };
    let facts = facts(&[
        (console.say(&words::DOCUMENT_VERSION), version),
        (console.say(&words::ITEM_VERSION), id(item.v)),
        (console.say(&words::CHANGED), when(console, item.v)),
        (console.say(&words::BY), who(console, &item.who, &item.op)),
        (console.say(&common::SIZE), html! { (size(console, item.bytes)) }),
    ]);
    let content = html! {
        (facts)
        (value::whole(&value::text(item).unwrap_or_default()))
        @if item.op == COPIED { p.hint { (console.say(&words::IS_COPY)) } }
    };
    card(console.say(&words::AS_IT_IS), html! {}, content)
}

fn editing(place: Place<'_>, key: &ItemKey, found: &ItemDetail) -> Markup {
    let console = place.console;
    let text = found.item.as_ref().and_then(value::text).unwrap_or_default();
    let has_returns = found.decl.raw && text.contains('\r');
    let said = console.fill(&words::FROM_VERSION, &[("v", &found.v)]);
    let content = html! {
        p.hint.small { (said) }
        @if has_returns { (banner(Tone::Warn, html! { (console.say(&words::LINE_ENDS)) })) }
        (form(place, key, found, text))
    };
    card(console.say(&words::EDIT), html! {}, content)
}

fn form(place: Place<'_>, key: &ItemKey, found: &ItemDetail, text: String) -> Form {
    let console = place.console;
    let field = if found.decl.raw {
        Field::new("param.changes.0.items.0.s", console.say(&words::VALUE_TEXT), Kind::AnyLines)
    } else {
        Field::new("param.changes.0.items.0.j", console.say(&words::VALUE_JSON), Kind::Json).required()
    };
    let lines = text.lines().count().clamp(8, 30);
    let form = commit::form(place, found.v, &common::SAVE, &words::BEHIND).tone(Tone::Good);
    commit::of_item(form, &key.c, &key.k)
        .field(field.value(text).rows(u8::try_from(lines).unwrap_or(30)))
        .go(place.page())
}
