//! What an item holds, as people read it.

use maud::{Markup, html};
use web::Console;
use web::console::words as common;

use super::words;
use crate::browse::ItemView;

/// Characters of a JSON that stands in one line.
const LINE_MAX: usize = 90;
/// Characters and lines that are shown at once.
const SHORT: (usize, usize) = (400, 10);
/// Characters of the beginning of a longer one.
const BEGINNING: usize = 120;
/// Characters that a list shows of one value, unfolded.
const UNFOLDED_MAX: usize = 16 << 10;

/// The text of an item; JSON in lines. `None` if it was too long to be read.
pub(super) fn text(item: &ItemView) -> Option<String> {
    let lines = |json| serde_json::to_string_pretty(json).unwrap_or_default();
    item.j.as_ref().map(lines).or_else(|| item.s.clone())
}

/// In a row of a list; `whole` is the page that shows all of it.
pub(super) fn short(console: &Console, item: &ItemView, whole: &str) -> Markup {
    let link =
        html! { a href=(whole) { (console.say(&words::SHOW_WHOLE)) " (" (super::size(console, item.bytes)) ")" } };
    let line = item.j.as_ref().map(ToString::to_string);
    match (line.filter(|line| line.chars().count() <= LINE_MAX), text(item)) {
        (_, None) => html! { span.soft { (console.say(&words::TOO_LONG)) } " " (link) },
        (Some(line), _) => block(&line),
        (None, Some(text)) if is_short(&text) => block(&text),
        (None, Some(text)) => folded(console, &text, &link),
    }
}

fn is_short(text: &str) -> bool {
    text.chars().count() <= SHORT.0 && text.lines().count() <= SHORT.1
}

fn folded(console: &Console, text: &str, link: &Markup) -> Markup {
    let beginning: String =
        text.split_whitespace().flat_map(|word| [word, " "]).collect::<String>().chars().take(BEGINNING).collect();
    let unfolded: String = text.chars().take(UNFOLDED_MAX).collect();
    html! {
        pre.data { code { (beginning) "…" } }
        details.fold {
            summary { (console.say(&common::SHOW_ALL)) }
            (whole(&unfolded))
            @if unfolded.len() < text.len() { p { (link) } }
        }
    }
}

fn block(text: &str) -> Markup {
    html! { pre.data { code { (text) } } }
}

/// All of it.
pub(super) fn whole(text: &str) -> Markup {
    html! { pre.data tabindex="0" { code { (text) } } }
}
