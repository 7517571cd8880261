//! The words of pages, in the users' three languages (CON-1).
//!
//! Invariant: a text cannot lack a language, because it is one value of three; tests of each table hold that the three name the
//! same places (`{count}`).

use std::fmt::{Display, Write as _};

/// A language of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// Russian.
    Russian,
    /// French.
    French,
}

/// A text in every language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// English.
    pub en: &'static str,
    /// Russian.
    pub ru: &'static str,
    /// French.
    pub fr: &'static str,
}

/// A text that counts something: `{n}` is the number. English and French tell one from many, Russian one, few and many.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    /// One, many.
    pub en: [&'static str; 2],
    /// One, few, many.
    pub ru: [&'static str; 3],
    /// One, many.
    pub fr: [&'static str; 2],
}

/// A table of texts: `NAME: "English", "Russian", "French";`. With the texts comes `ALL`, for the table's test.
#[macro_export]
macro_rules! texts {
    ($($name:ident: $en:literal, $ru:literal, $fr:literal;)*) => {
        $(#[doc = $en]
        pub const $name: $crate::ui::Text = $crate::ui::Text { en: $en, ru: $ru, fr: $fr };)*

        #[cfg(test)]
        const ALL: &[(&str, $crate::ui::Text)] = &[$((stringify!($name), $name)),*];

        #[cfg(test)]
        #[test]
        fn con_1_texts_name_the_same_places_in_every_language() {
            for (name, text) in ALL {
                text.check(name);
            }
        }
    };
}

impl Text {
    /// Fails if a language is empty, or names other places than the others, or a line of it could begin with a mark.
    ///
    /// # Panics
    /// It is so.
    pub fn check(&self, name: &str) {
        let places = |text: &str| {
            let mut places: Vec<String> =
                text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())).collect();
            places.sort();
            places
        };
        for text in [self.en, self.ru, self.fr] {
            assert!(!text.trim().is_empty(), "{name} lacks a language");
            assert_eq!(places(text), places(self.en), "{name}: {text}");
        }
        // A line must not begin with a mark: French has a space before these that does not break.
        for mark in [" ;", " :", " ?", " !", " »", "« "] {
            assert!(!self.fr.contains(mark), "{name}: a space that may break: {}", self.fr);
        }
    }
}

impl Language {
    /// All, in the order of the switch.
    pub const ALL: [Self; 3] = [Self::English, Self::Russian, Self::French];

    /// Its code, as in `lang` and in the cookie.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Russian => "ru",
            Self::French => "fr",
        }
    }

    /// Its own name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Russian => "Русский",
            Self::French => "Français",
        }
    }

    /// The language of a code; regions are the language.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Self> {
        let language = code.trim().split('-').next().unwrap_or_default();
        Self::ALL.into_iter().find(|known| known.code().eq_ignore_ascii_case(language))
    }

    /// What a browser likes best of what we have: `Accept-Language`.
    #[must_use]
    pub fn of_accepted(header: &str) -> Option<Self> {
        let wish = |part: &str| {
            let (code, quality) = part.split_once(';').unwrap_or((part, "q=1"));
            let quality: f32 = quality.trim().strip_prefix("q=").and_then(|text| text.parse().ok()).unwrap_or(0.0);
            Some((Self::of_code(code)?, quality)).filter(|(_, quality)| *quality > 0.0)
        };
        // Of equals the first one counts.
        header
            .split(',')
            .filter_map(wish)
            .fold(None, |best: Option<(Self, f32)>, wish| match best {
                Some(best) if best.1 >= wish.1 => Some(best),
                _ => Some(wish),
            })
            .map(|(language, _)| language)
    }

    /// The text in this language.
    #[must_use]
    pub fn say(self, text: &Text) -> &'static str {
        match self {
            Self::English => text.en,
            Self::Russian => text.ru,
            Self::French => text.fr,
        }
    }

    /// The text with its places filled in.
    #[must_use]
    pub fn fill(self, text: &Text, places: &[(&str, &dyn Display)]) -> String {
        filled(self.say(text), places)
    }

    /// A number of something.
    #[must_use]
    pub fn count(self, text: &Counted, number: i64) -> String {
        let form = match self {
            Self::English => text.en[usize::from(number != 1)],
            // French counts nothing as one.
            Self::French => text.fr[usize::from(number > 1)],
            Self::Russian => text.ru[russian_form(number)],
        };
        filled(form, &[("n", &self.number(number))])
    }

    /// A number in groups of three.
    #[must_use]
    pub fn number(self, number: i64) -> String {
        let separator = if self == Self::English { ',' } else { '\u{202f}' };
        let digits = number.unsigned_abs().to_string();
        let mut text = if number < 0 { "−".to_owned() } else { String::new() };
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                text.push(separator);
            }
            text.push(digit);
        }
        text
    }

    /// A number with one place behind the point, as this language writes it.
    #[must_use]
    pub fn decimal(self, number: f64) -> String {
        let text = format!("{number:.1}");
        if self == Self::English { text } else { text.replace('.', ",") }
    }
}

fn russian_form(number: i64) -> usize {
    let (last, teens) = (number.unsigned_abs() % 10, number.unsigned_abs() % 100);
    match (last, teens) {
        (_, 11..=14) => 2,
        (1, _) => 0,
        (2..=4, _) => 1,
        _ => 2,
    }
}

/// Fills `{name}` in; what nobody names stays as it is.
fn filled(text: &str, places: &[(&str, &dyn Display)]) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        match places.iter().find(|(place, _)| *place == name) {
            Some((_, value)) => drop(write!(out, "{value}")),
            None => drop(write!(out, "{{{name}}}")),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_1_the_browser_chooses_the_language() {
        for (header, language) in [
            ("ru-RU,ru;q=0.9,en;q=0.8", Some(Language::Russian)),
            ("de, fr;q=0.5, en;q=0.3", Some(Language::French)),
            ("de;q=1, en;q=0.1", Some(Language::English)),
            ("en;q=0, fr;q=0.1", Some(Language::French)),
            ("FR-ca", Some(Language::French)),
            ("fr;q=0.5, ru;q=0.5", Some(Language::French)),
            ("de, *", None),
            ("", None),
            (";;q=,,", None),
        ] {
            assert_eq!(Language::of_accepted(header), language, "{header}");
        }
    }

    #[test]
    fn con_1_numbers_are_written_as_each_language_does() {
        assert_eq!(Language::English.number(1_234_567), "1,234,567");
        assert_eq!(Language::French.number(-1_234), "−1\u{202f}234");
        assert_eq!(Language::Russian.number(999), "999");
        assert_eq!(Language::French.decimal(1.25), "1,2");
        assert_eq!(Language::English.number(i64::MIN), "−9,223,372,036,854,775,808");
    }

    #[test]
    fn con_1_counted_things_have_the_right_form() {
        let tasks = Counted {
            en: ["{n} task", "{n} tasks"],
            ru: ["{n} задача", "{n} задачи", "{n} задач"],
            fr: ["{n} tâche", "{n} tâches"],
        };
        let said = |number| Language::ALL.map(|language| language.count(&tasks, number));
        assert_eq!(said(0), ["0 tasks", "0 задач", "0 tâche"]);
        assert_eq!(said(1), ["1 task", "1 задача", "1 tâche"]);
        assert_eq!(said(3), ["3 tasks", "3 задачи", "3 tâches"]);
        assert_eq!(said(11)[1], "11 задач");
        assert_eq!(said(21)[1], "21 задача");
        assert_eq!(said(112)[1], "112 задач");
    }

    #[test]
    fn con_9_what_is_filled_in_is_not_filled_again() {
        let text = Text { en: "{a} and {b}, {c} {", ru: "{b}{a}", fr: "x" };
        let said = Language::English.fill(&text, &[("a", &"{b}"), ("b", &7)]);
        assert_eq!(said, "{b} and 7, {c} {");
    }
}
