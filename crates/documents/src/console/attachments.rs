//! What is attached to a document. Nothing of it is shown on our pages, pictures neither: it is data from outside, to be downloaded.

use maud::{Markup, html};
use web::console::words as common;
use web::ui::form::encoded;
use web::ui::parts::{card, digest, empty, id, table};
use web::ui::{Column, Field, Form, Holds, Kind, Row, Tone};

use super::paging::Paged;
use super::{Asked, Place, commit, is_part_of_path, items, size, when, who, words};
use crate::browse::{AttachmentView, DocDetail};
use crate::class::ATTACHMENT;

const ROUTE: &str = "PUT /v1/{ns}/docs/{class}/{id}/attachments/{key}";
const PAGES: Paged = Paged { name: "files", place: "attached", rows: 100 };

pub(super) fn card_of(place: Place<'_>, doc: &DocDetail, asked: &Asked) -> Markup {
    let console = place.console;
    let columns = [
        Column(console.say(&words::KEY), Holds::Text),
        Column(console.say(&words::MEDIA_TYPE), Holds::Text),
        Column(console.say(&common::SIZE), Holds::Numbers),
        Column("SHA-256", Holds::Text),
        Column(console.say(&words::CHANGED), Holds::Text),
        Column(console.say(&common::WHO), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let all = doc.attachments.len();
    let skip = PAGES.skip(asked.files, all);
    let shown = doc.attachments.iter().skip(skip).take(PAGES.rows);
    let rows: Vec<_> = shown.map(|attachment| row(place, doc, attachment)).collect();
    let content = html! {
        @if rows.is_empty() { (empty(console.say(&words::NO_ATTACHMENTS), html! {})) }
        @else { (table(console.say(&words::ATTACHMENTS), &columns, &rows)) }
    };
    let aside = html! {
        @if rows.len() < all { (items::range(console, skip, rows.len(), all)) }
        (attaching(place))
    };
    html! {
        div #(PAGES.place) { (card(console.say(&words::ATTACHMENTS), aside, content)) }
        (PAGES.pager(place, asked, skip, all))
    }
}

fn row(place: Place<'_>, doc: &DocDetail, attachment: &AttachmentView) -> Row {
    let console = place.console;
    Row::of(vec![
        key(place, &attachment.key),
        html! { bdi { (attachment.mime) } },
        html! { (size(console, attachment.size)) },
        digest(&attachment.sha),
        when(console, attachment.v),
        who(console, &attachment.who, &attachment.op),
        html! { (items::deleting(place, doc, ATTACHMENT, &attachment.key)) },
    ])
    .key(&attachment.key)
}

/// The key, to be downloaded under its own name.
fn key(place: Place<'_>, key: &str) -> Markup {
    let Place { console, class, id: document } = place;
    if !is_part_of_path(key) || !is_part_of_path(document) {
        return html! { (id(key)) span.sub { (console.say(&words::BY_PROGRAM)) } };
    }
    let parts = [&console.namespace().name, class, document, key].map(encoded);
    let [ns, class, document, part] = parts;
    let href = format!("/v1/{ns}/docs/{class}/{document}/attachments/{part}");
    html! { a.id href=(href) download=(key) title=(console.say(&words::DOWNLOAD)) { (key) } }
}

fn attaching(place: Place<'_>) -> Form {
    let console = place.console;
    console
        .form(ROUTE, &words::ATTACH)
        .with("class", place.class)
        .with("id", place.id)
        .allowed(commit::may(console, place.class) && is_part_of_path(place.id))
        .tone(Tone::Good)
        .field(Field::new("file", console.say(&words::FILE), Kind::File).required())
        .field(
            Field::new("key", console.say(&words::KEY), Kind::Text)
                .in_path()
                .required()
                .hint(console.say(&words::ATTACH_KEY_HINT)),
        )
        .in_dialog(console.say(&words::ATTACH))
}
