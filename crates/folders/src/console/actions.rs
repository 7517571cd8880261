//! What can be done with directories and files, each by a call of the API.

use maud::{Markup, html};
use serde_json::json;
use web::Console;
use web::console::words as common;
use web::ui::{Field, Form, Kind, Text, Tone};

use super::{called, words};
use crate::care::{DirectoryView, FileView};
use crate::desk::Right;

pub(super) fn creating(console: &Console) -> Form {
    console
        .form("POST /v1/{ns}/folders/directories", &words::NEW_DIRECTORY)
        .field(Field::new("name", console.say(&common::NAME), Kind::Text).required())
        .tone(Tone::Good)
        .in_dialog(console.say(&words::NEW_DIRECTORY))
}

/// All that can be done with a directory as a whole; nothing for whoever may not administer it.
pub(super) fn of_directory(console: &Console, directory: &DirectoryView) -> Markup {
    html! { @if directory.role == Right::Admin {
        (settings(console, directory))
        (restoring_tree(console, &directory.id))
        (removing(console, directory))
    } }
}

fn settings(console: &Console, directory: &DirectoryView) -> Form {
    let quota = directory.quota_bytes.map(|quota| quota.to_string()).unwrap_or_default();
    let anyone = [Right::None, Right::Read, Right::Write];
    console
        .form("PATCH /v1/{ns}/folders/directories/{id}", &common::SAVE)
        .with("id", &directory.id)
        .field(Field::new("name", console.say(&common::NAME), Kind::Text).value(&directory.name).required())
        .field(
            Field::new("quota_bytes", console.say(&words::QUOTA), Kind::Number)
                .value(quota)
                .hint(console.say(&words::QUOTA_HINT)),
        )
        .field(
            Field::new("anyone", console.say(&words::ANYONE), Kind::Text)
                .value(&directory.anyone)
                .choices(rights(console, &anyone)),
        )
        .in_dialog(console.say(&words::SETTINGS))
}

/// Words to choose a right from.
fn rights(console: &Console, of: &[Right]) -> Vec<(String, String)> {
    of.iter().map(|right| (right.word().to_owned(), console.say(right_text(*right)).to_owned())).collect()
}

pub(super) fn right_text(right: Right) -> &'static Text {
    match right {
        Right::None => &words::MAY_NONE,
        Right::Read => &words::MAY_READ,
        Right::Write => &words::MAY_WRITE,
        Right::Admin => &words::MAY_ADMIN,
    }
}

fn restoring_tree(console: &Console, id: &str) -> Form {
    console
        .form("POST /v1/{ns}/folders/directories/{id}/restore", &words::RESTORE)
        .with("id", id)
        .field(Field::new("at", console.say(&words::AT), Kind::Moment).required())
        .field(Field::new("path", console.say(&words::BELOW), Kind::Text))
        .confirm(console.say(&words::RESTORE_TREE_SURE))
        .done(console.say(&words::BEGUN))
        .tone(Tone::Warn)
        .in_dialog(console.say(&words::RESTORE_TREE))
}

fn removing(console: &Console, directory: &DirectoryView) -> Form {
    console
        .form("DELETE /v1/{ns}/folders/directories/{id}", &common::DELETE)
        .with("id", &directory.id)
        .tone(Tone::Bad)
        .confirm(console.fill(&words::REMOVE_SURE, &[("name", &called(directory))]))
        .go(console.at("folders"))
}

/// Brings a version back.
pub(super) fn restoring(console: &Console, file: &FileView) -> Form {
    let sure = [("version", &file.version as &dyn std::fmt::Display), ("path", &file.path)];
    console
        .form("POST /v1/{ns}/folders/files/{id}/restore", &words::RESTORE)
        .with("id", &file.id)
        .field(Field::hidden("version", &json!(file.version)))
        .confirm(console.fill(&words::RESTORE_SURE, &sure))
}

/// Undoes what a device did, and forgets it.
pub(super) fn of_device(console: &Console, directory: &DirectoryView, device: &str) -> Markup {
    let named = [("device", &device as &dyn std::fmt::Display)];
    let undo = console
        .form("POST /v1/{ns}/folders/directories/{id}/undo", &words::UNDO)
        .with("id", &directory.id)
        .field(Field::new("device", "", Kind::Hidden).value(device))
        .field(Field::new("since", console.say(&words::SINCE), Kind::Moment).required())
        .confirm(console.fill(&words::UNDO_SURE, &named))
        .done(console.say(&words::BEGUN))
        .tone(Tone::Warn)
        .in_dialog(console.fill(&words::UNDO_OF, &named));
    let forget = console
        .form("DELETE /v1/{ns}/folders/directories/{id}/devices/{who}", &words::FORGET)
        .with("id", &directory.id)
        .with("who", device)
        .tone(Tone::Bad)
        .confirm(console.fill(&words::FORGET_SURE, &named));
    html! { @if directory.role == Right::Admin { (undo) (forget) } }
}

pub(super) fn adding_member(console: &Console, directory: &DirectoryView) -> Markup {
    let all = [Right::Read, Right::Write, Right::Admin, Right::None];
    let form = console
        .form("POST /v1/{ns}/folders/directories/{id}/members", &words::ADD_MEMBER)
        .with("id", &directory.id)
        .field(Field::new("key", console.say(&words::KEY_ID), Kind::Text).required())
        .field(Field::new("role", console.say(&common::ROLE), Kind::Text).choices(rights(console, &all)))
        .tone(Tone::Good)
        .in_dialog(console.say(&words::ADD_MEMBER));
    html! { @if directory.role == Right::Admin { (form) } }
}

pub(super) fn dropping_member(console: &Console, directory: &DirectoryView, who: &str) -> Markup {
    let form = console
        .form("DELETE /v1/{ns}/folders/directories/{id}/members/{who}", &common::DELETE)
        .with("id", &directory.id)
        .with("who", who)
        .tone(Tone::Bad)
        .confirm(console.fill(&words::DROP_SURE, &[("who", &who)]));
    html! { @if directory.role == Right::Admin { (form) } }
}
