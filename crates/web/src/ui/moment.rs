//! Times, durations and sizes as people read them: relative first, exact on demand.

use base::Wall;
use maud::{Markup, html};

use super::text::{Counted, Language, Text};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// As long as people mean by it.
const YEAR: i64 = 365 * DAY;

const AGO: Text = Text { en: "{time} ago", ru: "{time} назад", fr: "il y a {time}" };
const AHEAD: Text = Text { en: "in {time}", ru: "через {time}", fr: "dans {time}" };
const NOW: Text = Text { en: "now", ru: "сейчас", fr: "maintenant" };
const UNITS: [Text; 5] = [
    Text { en: "d", ru: "д", fr: "j" },
    Text { en: "h", ru: "ч", fr: "h" },
    Text { en: "min", ru: "мин", fr: "min" },
    Text { en: "s", ru: "с", fr: "s" },
    Text { en: "ms", ru: "мс", fr: "ms" },
];
const YEARS: Counted = Counted {
    en: ["{n}\u{a0}y"; 2],
    ru: ["{n}\u{a0}год", "{n}\u{a0}года", "{n}\u{a0}лет"],
    fr: ["{n}\u{a0}an", "{n}\u{a0}ans"],
};

/// How long, in the largest unit that says enough: `3 h`, `250 ms`.
#[must_use]
pub fn duration(language: Language, ms: i64) -> String {
    in_unit_of(language, ms, ms)
}

/// How long, in the unit in which another duration is told: what stands on one axis has one unit.
#[must_use]
pub fn in_unit_of(language: Language, ms: i64, other_ms: i64) -> String {
    let (size, unit) = match other_ms.max(0) {
        0..SECOND => (1, 4),
        SECOND..MINUTE => (SECOND, 3),
        MINUTE..HOUR => (MINUTE, 2),
        HOUR..172_800_000 => (HOUR, 1),
        172_800_000..63_072_000_000 => (DAY, 0),
        _ => return language.count(&YEARS, ms.max(0) / YEAR),
    };
    format!("{}\u{a0}{}", language.number(ms.max(0) / size), language.say(&UNITS[unit]))
}

/// When, seen from now: `3 min ago`, `in 2 h`.
#[must_use]
pub fn relative(language: Language, now: Wall, at: Wall) -> String {
    let ms = at.0.saturating_sub(now.0);
    match ms {
        -999..=999 => language.say(&NOW).to_owned(),
        1_000.. => language.fill(&AHEAD, &[("time", &duration(language, ms))]),
        _ => language.fill(&AGO, &[("time", &duration(language, ms.saturating_neg()))]),
    }
}

/// A moment: relative to read, exact in its title and for the script, which shows it in the browser's own time zone.
#[must_use]
pub fn moment(language: Language, now: Wall, at: Wall) -> Markup {
    let exact = at.rfc3339();
    html! { time datetime=(exact) title=(plain(at)) { (relative(language, now, at)) } }
}

/// A moment as a whole: `2026-11-15 21:14:05 UTC`.
#[must_use]
pub fn plain(at: Wall) -> String {
    let text = at.rfc3339().replace('T', " ");
    format!("{} UTC", text.split('.').next().unwrap_or(&text).trim_end_matches('Z'))
}

/// A size in bytes: `1.4 MiB`.
#[must_use]
pub fn bytes(language: Language, bytes: u64) -> String {
    let units = match language {
        Language::English => ["B", "KiB", "MiB", "GiB", "TiB", "PiB"],
        Language::Russian => ["Б", "КиБ", "МиБ", "ГиБ", "ТиБ", "ПиБ"],
        Language::French => ["o", "Kio", "Mio", "Gio", "Tio", "Pio"],
    };
    let mut unit = 0;
    // Sizes that people read need no more places than this has.
    #[expect(clippy::cast_precision_loss, reason = "shown with one place behind the point")]
    let mut size = bytes as f64;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{bytes}\u{a0}{}", units[0])
    } else {
        format!("{}\u{a0}{}", language.decimal(size), units[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_2_times_are_short_and_say_which_way() {
        let now = Wall(1_000_000_000);
        let said = |ms: i64| relative(Language::English, now, Wall(now.0 + ms)).replace('\u{a0}', " ");
        assert_eq!(said(0), "now");
        assert_eq!(said(-61_000), "1 min ago");
        assert_eq!(said(7_200_000), "in 2 h");
        assert_eq!(said(-47 * HOUR), "47 h ago");
        assert_eq!(said(-49 * HOUR), "2 d ago");
        assert_eq!(relative(Language::French, now, Wall(now.0 - 5_000)).replace('\u{a0}', " "), "il y a 5 s");
        assert!(relative(Language::English, Wall(0), Wall(i64::MAX)).contains("in "));
        assert!(relative(Language::English, Wall(i64::MAX), Wall(i64::MIN)).contains("ago"));
    }

    #[test]
    fn con_2_what_is_years_away_is_not_counted_in_days() {
        let said = |days: i64| duration(Language::English, days * DAY).replace('\u{a0}', " ");
        assert_eq!([said(1), said(2), said(729), said(730), said(26_341)], ["24 h", "2 d", "729 d", "2 y", "72 y"]);
        let years = |language, years| duration(language, years * YEAR).replace('\u{a0}', " ");
        let in_russian = [2, 5, 21].map(|number| years(Language::Russian, number));
        assert_eq!(in_russian, ["2 года", "5 лет", "21 год"]);
        assert_eq!(years(Language::French, 2), "2 ans");
    }

    #[test]
    fn con_2_sizes_have_units() {
        let said = |size| bytes(Language::English, size).replace('\u{a0}', " ");
        assert_eq!((said(0), said(1023), said(1536)), ("0 B".into(), "1023 B".into(), "1.5 KiB".into()));
        assert!(said(u64::MAX).ends_with("PiB"));
        let in_languages = Language::ALL.map(|language| bytes(language, 1536).replace('\u{a0}', " "));
        assert_eq!(in_languages, ["1.5 KiB", "1,5 КиБ", "1,5 Kio"]);
        assert_eq!(bytes(Language::French, 7).replace('\u{a0}', " "), "7 o");
    }

    #[test]
    fn con_2_a_whole_moment_names_its_zone() {
        assert_eq!(plain(Wall(0)), "1970-01-01 00:00:00 UTC");
    }
}
