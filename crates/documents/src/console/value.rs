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
    let lines = |json| plain(&serde_json::to_string_pretty(json).unwrap_or_default());
    item.j.as_ref().map(lines).or_else(|| item.s.clone())
}

/// The same JSON without what cannot be seen or turns the text around: escaped, as JSON may be, so that it can also be edited.
fn plain(json: &str) -> String {
    let hides = |c: char| {
        c.is_control() && c != '\n'
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    if !json.contains(hides) {
        return json.to_owned();
    }
    json.chars().fold(String::with_capacity(json.len() + 16), |mut text, c| {
        if hides(c) {
            text.push_str(&format!("\\u{:04x}", u32::from(c)))
        } else {
            text.push(c)
        }
        text
    })
}

/// In a row of a list; `whole` is the page that shows all of it.
pub(super) fn short(console: &Console, item: &ItemView, whole: &str) -> Markup {
    let link =
        html! { a href=(whole) { (console.say(&words::SHOW_WHOLE)) " (" (super::size(console, item.bytes)) ")" } };
    let line = item.j.as_ref().map(|json| plain(&json.to_string()));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_9_what_turns_text_around_or_cannot_be_seen_is_escaped_and_stays_the_same_json() {
        let json = serde_json::json!({ "a\u{202e}": "b\u{200b}\u{7f}\u{85}\n\u{feff}é☃" });
        let shown = plain(&serde_json::to_string_pretty(&json).unwrap());
        assert!(shown.is_ascii() || !shown.contains(['\u{202e}', '\u{200b}', '\u{7f}', '\u{85}', '\u{feff}']));
        assert!(shown.contains(r"a\u202e") && shown.contains("é☃"), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), json);
    }
}
