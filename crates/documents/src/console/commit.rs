//! Forms that change a document: `doc.commit` of one document, with the version that the page showed.

use kernel::{AnyOp, Role};
use web::Console;
use web::ui::{Field, Form, Kind, Text};

use super::Place;
use crate::class::DocClass;
use crate::codes::CVERSION;
use crate::commit::COMMIT;

/// The element that tells the version now.
pub(super) const VERSION: &str = "document-version";

/// Whether this caller may change documents of a class.
pub(super) fn may(console: &Console, class: &str) -> bool {
    let role = console.caller().role;
    let allowed = role == Role::Admin || AnyOp::named_for(&COMMIT).is_some_and(|roles| roles.contains(&role));
    allowed && !is_closed(console, class)
}

/// Whether its program changes the class by its own operations only.
pub(super) fn is_closed(console: &Console, class: &str) -> bool {
    offered(console, class).is_some_and(|offered| offered.own_operations_only)
}

/// The class, if a program brings it along.
pub(super) fn offered(console: &Console, class: &str) -> Option<DocClass> {
    console.namespace().home.offered::<DocClass>().find(|offered| offered.name == class).copied()
}

/// A change of a document that has this version.
pub(super) fn form(place: Place<'_>, version: i64, button: &Text, behind: &Text) -> Form {
    let expect = Field::new("param.changes.0.expect", "", Kind::HiddenJson).value(version.to_string());
    any(place.console, place.class, button)
        .field(Field::new("param.changes.0.id", "", Kind::Hidden).value(place.id))
        .field(expect.follows(VERSION))
        .behind(CVERSION.name, place.console.say(behind))
}

/// A change of a document of a class, which is still to be named.
pub(super) fn any(console: &Console, class: &str, button: &Text) -> Form {
    console
        .form("POST /v1/{ns}/op/{name}", button)
        .with("name", COMMIT.name)
        .allowed(may(console, class))
        .field(Field::new("param.changes.0.c", "", Kind::Hidden).value(class))
}

/// Names the item that is changed.
pub(super) fn of_item(form: Form, c: &str, k: &str) -> Form {
    form.field(Field::new("param.changes.0.items.0.c", "", Kind::Hidden).value(c))
        .field(Field::new("param.changes.0.items.0.k", "", Kind::Hidden).value(k))
}

/// Deletes the item that was named.
pub(super) fn deleting(form: Form) -> Form {
    form.field(Field::new("param.changes.0.items.0.delete", "", Kind::HiddenJson).value("true"))
}
