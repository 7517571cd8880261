//! Messages as rows, made from the index alone.

use maud::{Markup, html};
use web::console::words as common;
use web::ui::parts::{id_link, table};
use web::ui::{Column, Holds, Row, Text, Tone};
use web::{ApiError, Console};

use super::parties::Parties;
use super::reads::MessageLine;
use super::{database_page, message_page, process_page, size, state, words};

/// Those in a folder of a database.
pub(super) async fn in_folder(console: &Console, messages: &[MessageLine]) -> Result<Markup, ApiError> {
    let names: Vec<_> = messages.iter().map(|message| &message.name).collect();
    let parties = Parties::of(console, &names).await?;
    let columns = [
        Column(console.say(&words::MESSAGE), Holds::Text),
        Column(console.say(&words::MADE), Holds::Text),
        Column(console.say(&words::SENDER), Holds::Text),
        Column(console.say(&words::RECEIVER), Holds::Text),
        Column(console.say(&words::SUBSYSTEM), Holds::Text),
        Column(console.say(&common::SIZE), Holds::Numbers),
        Column(console.say(&words::RESULT), Holds::Text),
    ];
    let row = |message: &MessageLine| {
        let name = message.name.text();
        Row::of(vec![
            id_link(&message_page(console, &name), &message.name.id),
            console.moment(message.name.at),
            parties.link(console, &message.name.from),
            parties.link(console, &message.name.to),
            html! { (message.name.subsystem) },
            html! { (size(console, message.size)) },
            result(console, message),
        ])
        .key(name)
        .tone((message.result.as_deref() == Some("PROCESSED_INCORRECT")).then_some(Tone::Bad))
    };
    Ok(table(console.say(&words::FOLDERS), &columns, &messages.iter().map(row).collect::<Vec<_>>()))
}

/// Those that wait for one device: to whom they go is known, and nothing was said of them yet.
pub(super) fn for_device(console: &Console, caption: &Text, messages: &[MessageLine]) -> Markup {
    let columns = [
        Column(console.say(&words::MESSAGE), Holds::Text),
        Column(console.say(&words::SENDER), Holds::Text),
        Column(console.say(&words::MADE), Holds::Text),
        Column(console.say(&common::SIZE), Holds::Numbers),
    ];
    let row = |message: &MessageLine| {
        let name = message.name.text();
        Row::of(vec![
            id_link(&message_page(console, &name), &message.name.id),
            id_link(&database_page(console, &message.name.from), &message.name.from),
            console.moment(message.name.at),
            html! { (size(console, message.size)) },
        ])
        .key(name)
    };
    table(console.say(caption), &columns, &messages.iter().map(row).collect::<Vec<_>>())
}

fn result(console: &Console, message: &MessageLine) -> Markup {
    html! {
        @if let Some(result) = &message.result { (state::of_result(console, result)) }
        (error(message.error_code, message.error_text.as_deref()))
        @if message.skipped > 0 { span.sub { (console.fill(&words::SKIPPED_N, &[("n", &message.skipped)])) } }
        @if let Some(process) = &message.process {
            span.sub { (console.say(&words::HELD_BY)) " " a.id href=(process_page(console, process)) { (process) } }
        }
    }
}

/// What went wrong, as the database has it.
pub(super) fn error(code: Option<i64>, text: Option<&str>) -> Markup {
    html! { @if code.is_some() || text.is_some() {
        span.sub { @if let Some(code) = code { b { (code) } " " } @if let Some(text) = text { bdi { (text) } } }
    } }
}
