//! What is looked for (WFL-18), as the address of a page says it, and the form that asks for it.

use base::Wall;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;
use web::console::words as common;
use web::ui::form::link;
use web::ui::{Field, Kind, Text};
use web::{ApiError, Console, field_moment};

use super::{PROCESSES, spans, state, words};
use crate::actors::TypeSettings;
use crate::search::{Order, Search};

/// Types that are offered to be chosen from; more are typed.
const TYPES_MAX: usize = 40;

/// What a page of processes is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    state: String,
    #[serde(rename = "type")]
    kind: String,
    id: String,
    custom_id: String,
    actor: String,
    error_class: String,
    error: String,
    argument: String,
    started_from: String,
    started_to: String,
    ended_from: String,
    ended_to: String,
    duration_min: String,
    duration_max: String,
    unchanged_min: String,
    unchanged_max: String,
    order: String,
    pub(super) after: String,
}

impl Asked {
    /// The search, with times as they are.
    pub(super) fn search(&self) -> Result<Search, ApiError> {
        let text = |text: &String| web::given(Some(text.clone()));
        let at = |name: &str, text: &str| Ok::<_, ApiError>(field_moment(name, text)?.map(Wall::rfc3339));
        // A number or an object is meant as such; everything else is a text.
        let value = |text: String| serde_json::from_str(&text).unwrap_or(Value::String(text));
        Ok(Search {
            id: text(&self.id),
            custom_id: text(&self.custom_id),
            kind: text(&self.kind),
            actor: text(&self.actor),
            state: text(&self.state),
            started_from: at("started_from", &self.started_from)?,
            started_to: at("started_to", &self.started_to)?,
            ended_from: at("ended_from", &self.ended_from)?,
            ended_to: at("ended_to", &self.ended_to)?,
            error: text(&self.error),
            error_class: text(&self.error_class),
            argument: text(&self.argument).map(value),
            broken: None,
            duration_min_ms: spans::read("duration_min", &self.duration_min)?,
            duration_max_ms: spans::read("duration_max", &self.duration_max)?,
            unchanged_min_ms: spans::read("unchanged_min", &self.unchanged_min)?,
            unchanged_max_ms: spans::read("unchanged_max", &self.unchanged_max)?,
        })
    }

    /// The same of a search that somebody saved.
    pub(super) fn of(search: &Search) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let span = |ms: Option<i64>| ms.map(spans::typed).unwrap_or_default();
        let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Self {
            state: text(&search.state),
            kind: text(&search.kind),
            id: text(&search.id),
            custom_id: text(&search.custom_id),
            actor: text(&search.actor),
            error_class: text(&search.error_class),
            error: text(&search.error),
            argument: search.argument.as_ref().map(value).unwrap_or_default(),
            started_from: text(&search.started_from),
            started_to: text(&search.started_to),
            ended_from: text(&search.ended_from),
            ended_to: text(&search.ended_to),
            duration_min: span(search.duration_min_ms),
            duration_max: span(search.duration_max_ms),
            unchanged_min: span(search.unchanged_min_ms),
            unchanged_max: span(search.unchanged_max_ms),
            order: String::new(),
            after: String::new(),
        }
    }

    pub(super) fn order(&self) -> Order {
        if self.order == "oldest" { Order::Oldest } else { Order::Newest }
    }

    /// Nothing is looked for: all.
    pub(super) fn is_all(&self) -> bool {
        Self { order: String::new(), after: String::new(), ..self.clone() } == Self::default()
    }

    /// Something is looked for that few look for.
    fn has_more(&self) -> bool {
        let usual = Self {
            state: String::new(),
            kind: String::new(),
            custom_id: String::new(),
            id: String::new(),
            ..self.clone()
        };
        !usual.is_all() || !self.order.is_empty()
    }

    fn pairs(&self) -> [(&'static str, &str); 17] {
        [
            ("state", &self.state),
            ("type", &self.kind),
            ("id", &self.id),
            ("custom_id", &self.custom_id),
            ("actor", &self.actor),
            ("error_class", &self.error_class),
            ("error", &self.error),
            ("argument", &self.argument),
            ("started_from", &self.started_from),
            ("started_to", &self.started_to),
            ("ended_from", &self.ended_from),
            ("ended_to", &self.ended_to),
            ("duration_min", &self.duration_min),
            ("duration_max", &self.duration_max),
            ("unchanged_min", &self.unchanged_min),
            ("unchanged_max", &self.unchanged_max),
            ("order", &self.order),
        ]
    }

    /// The page of this search.
    pub(super) fn at(&self, console: &Console, after: Option<&str>) -> String {
        let mut query: Vec<(&str, Option<&str>)> =
            self.pairs().into_iter().map(|(name, value)| (name, Some(value))).collect();
        query.push(("after", after));
        link(&console.at(PROCESSES), &query)
    }

    /// What is looked for, in words: `type order, state broken`.
    pub(super) fn words(&self, console: &Console) -> String {
        let said = |(name, value): (&'static str, &str)| {
            let text = FIELDS.iter().find(|(known, ..)| *known == name)?.1;
            (!value.is_empty()).then(|| format!("{} {value}", console.say(text).to_lowercase()))
        };
        self.pairs().into_iter().filter_map(said).collect::<Vec<_>>().join(", ")
    }
}

/// The fields, what they are called, and what they hold.
const FIELDS: [(&str, &Text, Kind); 17] = [
    ("state", &common::STATE, Kind::Text),
    ("type", &words::TYPE, Kind::Text),
    ("id", &words::PROCESS_ID, Kind::Text),
    ("custom_id", &words::CUSTOM_ID, Kind::Text),
    ("actor", &words::ACTOR, Kind::Text),
    ("error_class", &words::ERROR_CLASS, Kind::Text),
    ("error", &words::ERROR_TEXT, Kind::Text),
    ("argument", &words::ARGUMENT, Kind::Text),
    ("started_from", &words::STARTED_FROM, Kind::Moment),
    ("started_to", &words::STARTED_TO, Kind::Moment),
    ("ended_from", &words::ENDED_FROM, Kind::Moment),
    ("ended_to", &words::ENDED_TO, Kind::Moment),
    ("duration_min", &words::DURATION_MIN, Kind::Text),
    ("duration_max", &words::DURATION_MAX, Kind::Text),
    ("unchanged_min", &words::UNCHANGED_MIN, Kind::Text),
    ("unchanged_max", &words::UNCHANGED_MAX, Kind::Text),
    ("order", &words::ORDER, Kind::Text),
];
/// So many of them are always to be seen.
const USUAL: usize = 4;

/// The form: what is asked for most, and the rest behind a word.
pub(super) fn form(console: &Console, asked: &Asked, types: &[TypeSettings]) -> Markup {
    let pairs = asked.pairs();
    let fields: Vec<Field> = FIELDS
        .iter()
        .zip(pairs)
        .map(|((name, text, kind), (_, value))| {
            let field = Field::new(*name, console.say(text), *kind).value(in_field(*kind, value));
            field.choices(choices(console, name, value, types))
        })
        .collect();
    html! {
        form.filters.search method="get" action=(console.at(PROCESSES)) role="search" aria-label=(console.say(&words::SEARCH_PROCESSES)) {
            @for field in &fields[..USUAL] { (field) }
            button type="submit" { (console.say(&common::SEARCH)) }
            details.fold.search-more open[asked.has_more()] {
                summary { (console.say(&words::MORE_FIELDS)) }
                div.filters { @for field in &fields[USUAL..] { (field) } }
                p.hint.small { (console.say(&words::SEARCH_HINT)) }
            }
        }
    }
}

/// A field of a moment takes no zone.
fn in_field(kind: Kind, value: &str) -> String {
    if kind == Kind::Moment {
        value.trim_end_matches('Z').split('.').next().unwrap_or_default().to_owned()
    } else {
        value.to_owned()
    }
}

fn choices(console: &Console, name: &str, value: &str, types: &[TypeSettings]) -> Vec<(String, String)> {
    let all = (String::new(), console.say(&common::ALL_OF_THEM).to_owned());
    match name {
        "state" => {
            let one = |(word, text, _): &(&str, &Text, _)| ((*word).to_owned(), console.say(text).to_owned());
            std::iter::once(all).chain(state::STATES.iter().map(one)).collect()
        }
        "type" if types.len() <= TYPES_MAX && (value.is_empty() || types.iter().any(|one| one.kind == value)) => {
            let one = |one: &TypeSettings| (one.kind.clone(), one.kind.clone());
            std::iter::once(all).chain(types.iter().map(one)).collect()
        }
        "order" => vec![
            (String::new(), console.say(&words::NEWEST_FIRST).to_owned()),
            ("oldest".to_owned(), console.say(&words::OLDEST_FIRST).to_owned()),
        ],
        _ => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wfl_18_a_saved_search_is_asked_for_as_it_was_saved() {
        let text = r#"{"type":"order","state":"BROKEN","actor":"a#1","started_from":"2026-11-16T00:00:00.000Z",
            "error":"x","argument":{"n":17},"duration_min_ms":60000,"unchanged_max_ms":1500}"#;
        let search: Search = serde_json::from_str(text).unwrap();
        let asked = Asked::of(&search);
        assert_eq!(asked.search().ok(), Some(search));
        assert!(!asked.is_all() && asked.has_more() && Asked::default().is_all());
        assert_eq!(in_field(Kind::Moment, &asked.started_from), "2026-11-16T00:00:00");
    }
}
