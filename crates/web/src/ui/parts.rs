//! The parts that all pages are made of. A page of a service uses these and no markup of its own where one of them fits, so that
//! pages look alike; `/console/_components` shows each.
//!
//! Invariant: everything that is given as text is escaped by maud; nothing here takes ready-made HTML but [`Markup`].

use std::fmt::Display;

use maud::{Markup, html};

/// What a colour means. There is no colour without a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// Somebody should look at it some time.
    Warn,
    /// Somebody must act.
    Bad,
    /// Going on right now.
    Info,
    /// Nothing to say.
    Quiet,
}

impl Tone {
    /// Its class in the style sheet.
    #[must_use]
    pub fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warn => "warn",
            Self::Bad => "bad",
            Self::Info => "info",
            Self::Quiet => "quiet",
        }
    }
}

/// A word with a colour: a state.
#[must_use]
pub fn badge(tone: Tone, word: impl Display) -> Markup {
    html! { span.badge.(tone.class()) { (word.to_string()) } }
}

/// A round lamp; what it means is always said beside it.
#[must_use]
pub fn lamp(tone: Tone) -> Markup {
    html! { span.lamp.(tone.class()) aria-hidden="true" {} }
}

/// A part of a page with a heading. `aside` stands at the right of the heading.
#[must_use]
pub fn card(title: impl Display, aside: Markup, content: Markup) -> Markup {
    html! {
        section.card {
            header.card-head { h2 { (title.to_string()) } div.aside { (aside) } }
            (content)
        }
    }
}

/// A number that matters: what it is, how much, and what it means.
pub struct Stat {
    /// What it is.
    pub label: String,
    /// How much.
    pub value: String,
    /// A few more words.
    pub hint: Markup,
    /// Whether it is good.
    pub tone: Tone,
    /// Where its details are.
    pub href: Option<String>,
}

impl Stat {
    /// The tile.
    #[must_use]
    pub fn tile(&self) -> Markup {
        let content = html! {
            span.stat-label { (self.label) }
            strong.stat-value { (self.value) }
            span.stat-hint { (self.hint) }
        };
        html! {
            @if let Some(href) = &self.href {
                a.stat.(self.tone.class()) href=(href) { (content) }
            } @else {
                div.stat.(self.tone.class()) { (content) }
            }
        }
    }
}

/// Numbers that matter, side by side.
#[must_use]
pub fn stats(stats: &[Stat]) -> Markup {
    html! { div.stats { @for stat in stats { (stat.tile()) } } }
}

/// What there is when there is nothing: what that means, and what to do.
#[must_use]
pub fn empty(title: impl Display, hint: Markup) -> Markup {
    html! {
        div.empty {
            p.empty-title { (title.to_string()) }
            div.empty-hint { (hint) }
        }
    }
}

/// Names and values.
#[must_use]
pub fn facts(facts: &[(&str, Markup)]) -> Markup {
    html! { dl.facts { @for (name, value) in facts { div { dt { (name) } dd { (value) } } } } }
}

/// Something that must be read before anything else on the page.
#[must_use]
pub fn banner(tone: Tone, content: Markup) -> Markup {
    html! { div.banner.(tone.class()) role="status" { (lamp(tone)) div { (content) } } }
}

/// Two sheets, one on the other.
const SHEETS: &str = "M5 1h10v11h-3v3H1V4h4zM6.500 4H12v6.500h1.500v-8h-7zM2.500 5.500v8h8v-8z";

/// An id, whole, with a button that copies it. The frame of the page has the button's word.
#[must_use]
pub fn id(id: impl Display) -> Markup {
    let id = id.to_string();
    html! { span.copyable { code.id { (id) } (copy(&id)) } }
}

/// A sentence with `names` in it, as our own texts write them.
#[must_use]
pub fn prose(text: &str) -> Markup {
    html! {
        @for (place, part) in text.split('`').enumerate() {
            @if place % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// A command for a terminal, copied with one click or one key.
#[must_use]
pub fn command(text: &str, copy: &str) -> Markup {
    html! {
        div.command {
            code { (text) }
            button type="button" data-copy=(text) aria-label={ (copy) ": " (text) } { (copy) }
        }
    }
}

/// The beginning of a digest; the whole of it is copied.
#[must_use]
pub fn digest(digest: &str) -> Markup {
    let beginning: String = digest.chars().take(12).collect();
    html! { span.copyable { code.id title=(digest) { (beginning) "…" } (copy(digest)) } }
}

/// A button that copies a text.
#[must_use]
pub fn copy(text: &str) -> Markup {
    html! {
        button.copy type="button" data-copy=(text) aria-labelledby="copy-word" {
            svg.icon viewBox="0 0 16 16" aria-hidden="true" { path d=(SHEETS) {} }
        }
    }
}

/// A link with an id as its text.
#[must_use]
pub fn id_link(href: &str, id: impl Display) -> Markup {
    html! { a.id href=(href) { (id.to_string()) } }
}

/// Data that came from outside: JSON is set in lines, other text stays as it is.
#[must_use]
pub fn data(text: &str) -> Markup {
    let value = serde_json::from_str::<serde_json::Value>(text).ok();
    let lines = value.filter(|value| value.is_object() || value.is_array());
    let shown = lines.and_then(|value| serde_json::to_string_pretty(&value).ok()).unwrap_or_else(|| text.to_owned());
    html! { pre.data tabindex="0" { code { (shown) } } }
}

/// How far something is.
#[must_use]
pub fn meter(label: &str, done: u64, of: u64) -> Markup {
    html! { progress aria-label=(label) value=(done.min(of)) max=(of.max(1)) {} }
}

/// How far something is, with its state and a few words.
#[must_use]
pub fn progress(tone: Tone, label: &str, (done, of): (u64, u64), words: Markup) -> Markup {
    let percent = done.min(of) * 100 / of.max(1);
    html! {
        div.progress.(tone.class()) {
            (meter(label, done, of))
            span.progress-words { b { (percent) "\u{a0}%" } " " (words) }
        }
    }
}

/// A stop on the way of something.
pub struct Stop {
    /// How it is: [`Tone::Quiet`] where it has not come yet.
    pub tone: Tone,
    /// What it is called.
    pub label: String,
    /// When it was there.
    pub words: Markup,
}

/// The way of something through its states, in their order: what is behind it, where it stands, what is to come.
#[must_use]
pub fn stops(label: &str, stops: &[Stop]) -> Markup {
    html! {
        ol.stops aria-label=(label) {
            @for stop in stops {
                li.(stop.tone.class()) { span.stop-label { (lamp(stop.tone)) span { (stop.label) } } div.stop-words { (stop.words) } }
            }
        }
    }
}

/// The way on through a list: back to its beginning, and on to the next page. The frame of the page has its name.
#[must_use]
pub fn pager((first_text, first): (&str, Option<String>), (next_text, next): (&str, Option<String>)) -> Markup {
    html! {
        @if first.is_some() || next.is_some() {
            nav.pager aria-labelledby="pager-word" {
                @if let Some(href) = first { a.button href=(href) rel="first" { (first_text) } }
                @if let Some(href) = next { a.button href=(href) rel="next" { (next_text) } }
            }
        }
    }
}

/// Views of the same thing.
#[must_use]
pub fn tabs(label: &str, tabs: &[(String, String, bool)]) -> Markup {
    html! {
        nav.tabs aria-label=(label) {
            @for (href, text, here) in tabs { a href=(href) aria-current=[here.then_some("page")] { (text) } }
        }
    }
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Words.
    Text,
    /// Numbers, which stand right.
    Numbers,
    /// What can be done; without a heading that is seen.
    Actions,
}

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a>(pub &'a str, pub Holds);

/// A row of a table.
#[derive(Default)]
pub struct Row {
    /// One for each column.
    pub cells: Vec<Markup>,
    /// Marks the row.
    pub tone: Option<Tone>,
    /// What it is about, so that it stays the same row when the list moves.
    pub key: Option<String>,
}

impl Row {
    /// A row of these cells.
    #[must_use]
    pub fn of(cells: Vec<Markup>) -> Self {
        Self { cells, tone: None, key: None }
    }

    /// About this.
    #[must_use]
    pub fn key(self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self }
    }

    /// Marked.
    #[must_use]
    pub fn tone(self, tone: Option<Tone>) -> Self {
        Self { tone, ..self }
    }
}

/// A dense table; on a phone each row becomes a card whose lines carry the columns' names.
#[must_use]
pub fn table(caption: &str, columns: &[Column<'_>], rows: &[Row]) -> Markup {
    let class = |column: &Column<'_>| match column.1 {
        Holds::Text => None,
        Holds::Numbers => Some("number"),
        Holds::Actions => Some("actions"),
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label=(caption) {
            table {
                caption.hidden { (caption) }
                thead { tr { @for column in columns {
                    th scope="col" class=[class(column)] {
                        @if column.1 == Holds::Actions { span.hidden { (column.0) } } @else { (column.0) }
                    }
                } } }
                tbody { @for row in rows {
                    tr class=[row.tone.map(Tone::class)] data-key=[row.key.as_ref()] {
                        @for (column, cell) in columns.iter().zip(&row.cells) {
                            td class=[class(column)] data-label=(column.0) { div.cell { (cell) } }
                        }
                    }
                } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_9_parts_escape_what_they_are_given() {
        let evil = "<script>alert(1)</script>\"'&";
        let pages = [
            badge(Tone::Good, evil),
            card(evil, html! {}, html! {}),
            stats(&[Stat {
                label: evil.into(),
                value: evil.into(),
                hint: html! { (evil) },
                tone: Tone::Quiet,
                href: Some(evil.into()),
            }]),
            empty(evil, html! {}),
            facts(&[(evil, html! { (evil) })]),
            id(evil),
            digest(evil),
            command(evil, evil),
            prose(&format!("{evil} `{evil}`")),
            id_link(evil, evil),
            data(evil),
            data(&serde_json::json!({ evil: evil }).to_string()),
            meter(evil, 1, 2),
            progress(Tone::Info, evil, (1, 2), html! { (evil) }),
            stops(evil, &[Stop { tone: Tone::Good, label: evil.into(), words: html! { (evil) } }]),
            pager((evil, Some(evil.into())), (evil, Some(evil.into()))),
            tabs(evil, &[(evil.into(), evil.into(), true)]),
            table(evil, &[Column(evil, Holds::Text)], &[Row::of(vec![html! { (evil) }])]),
        ];
        for page in pages {
            let text = page.into_string();
            assert!(!text.contains("<script") && !text.contains("\"'"), "{text}");
        }
    }

    #[test]
    fn con_8_names_in_a_sentence_are_set_as_such() {
        let said = |text| prose(text).into_string();
        assert_eq!(said("answered `XBUSY`, later"), "answered <code>XBUSY</code>, later");
        assert_eq!(said("nothing"), "nothing");
    }

    #[test]
    fn con_5_json_is_set_in_lines_and_text_is_not() {
        assert!(data(r#"{"a":1}"#).into_string().contains("\n  &quot;a&quot;: 1\n"));
        assert!(data("7 apples").into_string().contains(">7 apples<"));
    }
}
