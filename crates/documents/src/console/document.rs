//! One document: what is in it, what is attached to it, who changed it and when.

use maud::{Markup, html};
use web::console::words as common;
use web::ui::parts::{card, empty, facts, id};
use web::ui::{Field, Kind, Tone};
use web::{ApiError, Console, PageResult, PathOf, QueryOf, View};

use super::{Asked, Place, above, attachments, class, class_page, commit, history, items, size, when, who, words};
use crate::browse::{CHANGES, ChangeView, DocDetail, SHOW, ViewOf, Viewer};
use crate::class::ClassDecl;
use crate::codes::NDOC;
use crate::routes::DocPath;

pub(super) async fn page(
    console: Console,
    PathOf(DocPath { class, id }): PathOf<DocPath>,
    QueryOf(asked): QueryOf<Asked>,
) -> PageResult {
    shown(Place { console: &console, class: &class, id: &id }, &asked).await
}

pub(super) async fn shown(place: Place<'_>, asked: &Asked) -> PageResult {
    let Place { console, class, id } = place;
    let decl = class::find(console, class).await?.decl;
    let of = || ViewOf { class: class.to_owned(), id: id.to_owned(), viewer: Viewer::of(console, class) };
    let doc = found(console.read(&SHOW, of()).await.map(|doc| doc.out))?;
    // Also of a document that is no more.
    let changes = found(console.read(&CHANGES, of()).await.map(|changes| changes.out))?.unwrap_or_default();
    let content = html! { div.stack #document data-live { (content(place, &decl, doc.as_ref(), &changes, asked)) } };
    let actions =
        html! { div.page-actions #document-actions data-live { @if let Some(doc) = &doc { (deleting(place, doc)) } } };
    Ok(console.show(View { title: id, above: &above(console, Some(class)), actions, content }))
}

/// A document that is not there is something to be shown: it may have been deleted while somebody looked at it.
fn found<T>(read: Result<T, ApiError>) -> Result<Option<T>, ApiError> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(ApiError(error)) if error.code == NDOC => Ok(None),
        Err(error) => Err(error),
    }
}

fn content(
    place: Place<'_>,
    decl: &ClassDecl,
    doc: Option<&DocDetail>,
    changes: &[ChangeView],
    asked: &Asked,
) -> Markup {
    let console = place.console;
    let Some(doc) = doc else {
        return html! {
            (empty(console.say(&words::NO_SUCH), html! { p { (console.say(&words::NO_SUCH_HINT)) } }))
            @if !changes.is_empty() { (history::card_of(console, decl.history, changes)) }
        };
    };
    html! {
        (about(console, doc))
        (items::card_of(place, decl, doc, asked))
        (attachments::card_of(place, doc, asked))
        (items::deleted(place, doc, asked))
        (history::card_of(console, doc.history, changes))
    }
}

fn about(console: &Console, doc: &DocDetail) -> Markup {
    let changed = facts(&[
        (console.say(&common::VERSION), html! { span #(commit::VERSION) data-now=(doc.v) { (id(doc.v)) } }),
        (console.say(&common::WHEN), when(console, doc.v)),
        (console.say(&words::BY), who(console, &doc.who, &doc.op)),
    ]);
    let measures = facts(&[
        (console.say(&common::CREATED), when(console, doc.ct)),
        (console.say(&words::SIZE_ITEMS), html! { (size(console, doc.bytes)) }),
        (console.say(&words::SIZE_ATTACHMENTS), html! { (size(console, doc.attachments_bytes)) }),
    ]);
    html! {
        div.columns {
            (card(console.say(&words::LAST_CHANGE), html! {}, changed))
            (card(console.say(&words::DOCUMENT), html! {}, measures))
        }
    }
}

fn deleting(place: Place<'_>, doc: &DocDetail) -> web::ui::Form {
    commit::form(place, doc.v, &words::DELETE_DOCUMENT, &words::BEHIND_DELETE)
        .tone(Tone::Bad)
        .field(Field::new("param.changes.0.delete", "", Kind::HiddenJson).value("true"))
        .confirm(place.console.fill(&words::DELETE_DOCUMENT_SURE, &[("id", &place.id)]))
        .go(class_page(place.console, place.class))
}
