//! One message: its head, its text, where it lies, what became of it, and the way back into the queue.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::encoded;
use web::ui::parts::{banner, card, facts, id, id_link};
use web::ui::{Form, Text, Tone};
use web::{ApiError, Console, PageResult, PathOf, View};

use super::parties::Parties;
use super::reads::{MESSAGE, Shown, TEXT_MAX};
use super::{FOLDERS, above, folder_page, messages, nothing, process_page, size, state, text, when, words};
use crate::codes::NMESSAGE;
use crate::folders::folder_of;
use crate::message::name::FileName;
use crate::process::ProcessState;
use crate::routes::check_unbound;
use crate::routes::files::text_of;

/// A file on a disk is read for a page up to so many bytes.
const FILE_MAX: i64 = 1 << 20;

#[derive(Deserialize)]
pub(super) struct NamePath {
    name: String,
}

pub(super) async fn page(console: Console, PathOf(NamePath { name }): PathOf<NamePath>) -> PageResult {
    check_unbound(&console)?;
    let above = above(&console, FOLDERS, &words::FOLDERS);
    let gone = || {
        nothing(&console, console.say(&words::MESSAGE), &above, &words::NO_SUCH_MESSAGE, &words::NO_SUCH_MESSAGE_HINT)
    };
    let Some(name) = FileName::read(&name) else { return gone() };
    let message = match console.read(&MESSAGE, name.clone()).await {
        Ok(message) => message.out,
        Err(ApiError(error)) if error.code == NMESSAGE => return gone(),
        Err(error) => return Err(error),
    };
    let parties = Parties::of(&console, &[&name]).await?;
    let beginning = beginning(&console, &name, &message).await;
    let content = html! {
        div.stack #message data-live {
            (what_became(&console, &message))
            div.columns { (head(&console, &name, &message, &parties)) (whereabouts(&console, &name, &message)) }
            (body(&console, &name, &message, beginning.as_deref()))
        }
    };
    let actions = html! { div.page-actions #message-actions data-live { (requeue(&console, &name, &message)) } };
    let title = console.fill(&words::MESSAGE_N, &[("id", &name.id)]);
    Ok(console.show(View { title: &title, above: &above, actions, content }))
}

/// What happened to it, said first.
fn what_became(console: &Console, message: &Shown) -> Markup {
    let (tone, text): (Tone, &Text) = match (message.process.as_ref().map(|held| held.1), message.place.as_str()) {
        (Some(ProcessState::Unknown), _) if message.draft => (Tone::Warn, &words::IS_UNKNOWN_REPLY),
        (Some(ProcessState::Unknown), _) => (Tone::Warn, &words::IS_UNKNOWN),
        (_, "prepared") => (Tone::Info, &words::IS_PREPARED),
        (Some(ProcessState::Started | ProcessState::ReadyToCommit), _) => (Tone::Info, &words::IS_IN_PROCESS),
        (_, "log") => (Tone::Good, &words::IS_DONE),
        (_, "error") => (Tone::Bad, &words::IS_WRONG),
        (_, "unknown") => (Tone::Warn, &words::IS_UNKNOWN),
        (_, _) if message.result.as_deref() == Some("PROCESSED_DEADLOCK") => (Tone::Warn, &words::IS_DEADLOCKED),
        _ => (Tone::Info, &words::IS_QUEUED),
    };
    let error = messages::error(message.error_code, message.error_text.as_deref());
    let unknown = message.process.as_ref().filter(|(_, is)| *is == ProcessState::Unknown);
    let answer = html! { @if let Some((process, _)) = unknown { " " a href=(process_page(console, process)) { (console.say(&words::LOOK)) } } };
    banner(tone, html! { p { (console.say(text)) (answer) } (error) })
}

fn head(console: &Console, name: &FileName, message: &Shown, parties: &Parties) -> Markup {
    let facts = facts(&[
        (console.say(&common::ID), id(&name.id)),
        (console.say(&words::SENDER), parties.link(console, &name.from)),
        (console.say(&words::RECEIVER), parties.link(console, &name.to)),
        (console.say(&words::COMPANY), html! { (message.company) }),
        (console.say(&words::SUBSYSTEM), html! { (name.subsystem) }),
        (console.say(&words::MADE), when(console, Some(name.at))),
        (console.say(&words::ORDER), html! { (message.order) }),
        (console.say(&words::TAKEN_IN), when(console, Some(message.received_at))),
        (console.say(&common::SIZE), html! { (size(console, message.size)) }),
    ]);
    card(console.say(&words::HEAD), html! {}, facts)
}

fn whereabouts(console: &Console, name: &FileName, message: &Shown) -> Markup {
    let folder = folder_of(&message.place).unwrap_or_default();
    let result = html! {
        @match &message.result {
            Some(result) => (state::of_result(console, result)),
            None => (console.say(&common::NONE)),
        }
    };
    let held = html! {
        @match &message.process {
            Some((process, is)) => { (id_link(&process_page(console, process), process)) " " (state::of_process(console, *is, None)) }
            None => (console.say(&words::NOBODY)),
        }
    };
    let on_disk = message.on_disk.as_deref().and_then(folder_of);
    let facts = facts(&[
        (
            console.say(&words::LIES_IN),
            html! { a href=(folder_page(console, &message.db, folder, None)) { (state::of_place(&message.place)) } @if message.draft { " " (console.say(&words::DRAFT)) } },
        ),
        (console.say(&words::RESULT), result),
        (console.say(&words::HELD_BY), held),
        (console.say(&words::SKIPPED), html! { (message.skipped) }),
        (
            console.say(&words::ON_DISK),
            html! {
                @match (on_disk, message.is_packed) {
                    (Some(folder), _) => (folder),
                    (None, true) => (console.say(&words::IN_BLOBS)),
                    (None, false) => (console.say(&words::IN_STORE)),
                }
            },
        ),
        (console.say(&words::NUMBER), html! { (name.number) }),
        (console.say(&words::FILE), id(name.text())),
    ]);
    card(console.say(&words::WHEREABOUTS), html! {}, facts)
}

/// The beginning of its text: from the store, or from its pack or its file if that is not large.
async fn beginning(console: &Console, name: &FileName, message: &Shown) -> Option<String> {
    match &message.text {
        Some(text) => Some(text.clone()),
        None if message.size > FILE_MAX => None,
        None => text_of(console, name, None).await.ok(),
    }
}

fn body(console: &Console, name: &FileName, message: &Shown, beginning: Option<&str>) -> Markup {
    let path = format!("/v1/{}/exchange/files/{}", encoded(&console.namespace().name), encoded(&name.text()));
    let aside = html! { a.button href=(path) download=(name.text()) { (console.say(&words::DOWNLOAD)) } };
    let content = match beginning {
        None => html! { p.hint { (console.say(&words::NOT_SHOWN)) } },
        Some(whole) => {
            let shown: String = whole.chars().take(TEXT_MAX).collect();
            let is_cut = i64::try_from(shown.len()).unwrap_or(i64::MAX) < message.size;
            html! {
                pre.data tabindex="0" { code { (text::in_lines(&shown)) } }
                @if is_cut { p.hint { (console.say(&words::CUT)) } }
            }
        }
    };
    card(console.say(&words::TEXT), aside, content)
}

fn requeue(console: &Console, name: &FileName, message: &Shown) -> Form {
    let (sure, tone) = match message.place.as_str() {
        "error" => (&words::REQUEUE_ERROR_SURE, Tone::Good),
        "log" => (&words::REQUEUE_LOG_SURE, Tone::Bad),
        _ => (&words::REQUEUE_UNKNOWN_SURE, Tone::Bad),
    };
    let is_offered = message.process.is_none() && matches!(message.place.as_str(), "error" | "log" | "unknown");
    console
        .form("POST /v1/{ns}/exchange/files/{name}/requeue", &words::REQUEUE)
        .with("name", &name.text())
        .tone(tone)
        .confirm(console.say(sure))
        .done(console.say(&words::REQUEUED))
        .allowed(is_offered)
}
