//! The configuration as the server runs with it (CON-8, KER-36): every key, its value, where it came from and what it means.
//!
//! Invariant: no secret reaches this page, because none is in what it is given: [`ShownKey::value`] of a secret is `None`.

use maud::{Markup, html};
use serde::Deserialize;

use crate::console::nav::{Group, Nav};
use crate::console::page::{Page, PageResult};
use crate::console::visit::{Console, View};
use crate::params::{QueryOf, given};
use crate::ui::form::filters;
use crate::ui::parts::{Column, Holds, Row, badge, card, empty, prose, table};
use crate::ui::{Field, Kind, Text, Tone};

mod words {
    crate::texts! {
        CONFIGURATION: "Configuration", "Конфигурация", "Configuration";
        KEY: "Key", "Ключ", "Clé";
        VALUE: "Value", "Значение", "Valeur";
        SOURCE: "From", "Откуда", "Origine";
        MEANING: "Meaning", "Смысл", "Signification";
        HIDDEN: "hidden", "скрыто", "masqué";
        NOT_SET: "not set", "не задано", "non défini";
        DEFAULT: "default", "по умолчанию", "par défaut";
        FILE: "file", "файл", "fichier";
        ENVIRONMENT: "environment", "окружение", "environnement";
        FLAG: "flag", "флаг", "option";
        WORDS: "Key, value, source or meaning", "Ключ, значение, источник или смысл", "Clé, valeur, origine ou signification";
        HOW: "A change is made in the file, the environment or a flag, and counts from the next start.",
            "Изменения вносятся в файл, окружение или флаг и действуют со следующего запуска.",
            "Un changement se fait dans le fichier, l’environnement ou une option, et compte au prochain démarrage.";
        EMPTY: "No key fits", "Ни один ключ не подходит", "Aucune clé ne correspond";
        EMPTY_HINT: "Use fewer letters.", "Возьмите меньше букв.", "Essayez avec moins de lettres.";
    }
}

/// A section of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownSection {
    /// Its name.
    pub name: String,
    /// What its keys are about.
    pub about: String,
    /// Its keys.
    pub keys: Vec<ShownKey>,
}

/// A key of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownKey {
    /// Section and name: `server.listen`.
    pub path: String,
    /// Its value, empty if it is not set; `None` if it is a secret that is set.
    pub value: Option<String>,
    /// Where the value came from.
    pub source: ShownSource,
    /// What it means.
    pub meaning: String,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownSource {
    /// Nobody set it.
    Default,
    /// A file, with the line.
    File(String),
    /// An environment variable.
    Environment(String),
    /// A flag.
    Flag,
}

impl ShownSource {
    fn words(&self) -> (&'static Text, &str) {
        match self {
            Self::Default => (&words::DEFAULT, ""),
            Self::File(place) => (&words::FILE, place),
            Self::Environment(name) => (&words::ENVIRONMENT, name),
            Self::Flag => (&words::FLAG, ""),
        }
    }
}

impl ShownKey {
    /// Whether all words occur in it, in any case.
    fn fits(&self, console: &Console, wanted: &[String]) -> bool {
        let (source, place) = self.source.words();
        let value = self.value.as_deref().unwrap_or_default();
        let text = format!("{} {value} {} {place} {}", self.path, console.say(source), self.meaning).to_lowercase();
        wanted.iter().all(|word| text.contains(word.as_str()))
    }
}

const ICON: &str = "M1 3h8v2H1zM12 3h3v2h-3zM9 1h2v6H9zM1 11h3v2H1zM7 11h8v2H7zM4 9h2v6H4z";

pub(super) fn pages() -> Vec<Page> {
    let nav = Nav { group: Group::Administration, place: 40, text: &words::CONFIGURATION, icon: ICON };
    vec![Page::new("/console/{ns}/configuration", configuration).at_administration().nav(nav)]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    q: Option<String>,
}

async fn configuration(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    let q = given(asked.q).unwrap_or_default();
    let wanted: Vec<_> = q.split_whitespace().map(str::to_lowercase).collect();
    let field = Field::new("q", console.say(&words::WORDS), Kind::Text).value(q);
    let shown: Vec<_> = console.shared().config().shown_configuration.iter().collect();
    let sections: Vec<_> = shown.into_iter().filter_map(|section| of_section(&console, section, &wanted)).collect();
    let content = html! {
        (filters(&console.at("configuration"), &[field], console.say(&crate::console::words::FILTER)))
        p.hint { (console.say(&words::HOW)) }
        @if sections.is_empty() {
            (empty(console.say(&words::EMPTY), html! { p { (console.say(&words::EMPTY_HINT)) } }))
        }
        div.stack { @for section in &sections { (section) } }
    };
    Ok(console.show(View { title: console.say(&words::CONFIGURATION), above: &[], actions: html! {}, content }))
}

fn of_section(console: &Console, section: &ShownSection, wanted: &[String]) -> Option<Markup> {
    let rows: Vec<_> =
        section.keys.iter().filter(|key| key.fits(console, wanted)).map(|key| row(console, key)).collect();
    let columns = [
        Column(console.say(&words::KEY), Holds::Text),
        Column(console.say(&words::VALUE), Holds::Text),
        Column(console.say(&words::SOURCE), Holds::Text),
        Column(console.say(&words::MEANING), Holds::Text),
    ];
    let content = html! { p.hint { (prose(&section.about)) } (table(&section.name, &columns, &rows)) };
    (!rows.is_empty()).then(|| card(&section.name, html! {}, content))
}

fn row(console: &Console, key: &ShownKey) -> Row {
    let (source, place) = key.source.words();
    let tone = if key.source == ShownSource::Default { Tone::Quiet } else { Tone::Info };
    let value = html! {
        @match key.value.as_deref() {
            None => (badge(Tone::Warn, console.say(&words::HIDDEN))),
            Some("") => span.sub-text { (console.say(&words::NOT_SET)) },
            Some(value) => code { (value) },
        }
    };
    let from = html! { (badge(tone, console.say(source))) @if !place.is_empty() { span.sub { (place) } } };
    Row::of(vec![html! { code { (key.path) } }, value, from, html! { span.text { (prose(&key.meaning)) } }])
}
